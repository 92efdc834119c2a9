"""What is in the repository could lie on any machine."""

import importlib
import re
import subprocess
from importlib.util import find_spec

from course_utils.places import ROOT

ABSOLUTE = re.compile(r"(?<![\w.$)}\]*<>/-])/(?:tmp|work|root|home|Users)/\w")
NOT_OURS = {".git", ".venv", "work"}


def files():
    """The files git has or would take; without git, all but what is installed."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        found = [ROOT / name for name in listed.splitlines()]
    except (OSError, subprocess.CalledProcessError):
        found = [path for path in ROOT.rglob("*") if not NOT_OURS & set(path.relative_to(ROOT).parts)]
    return [path for path in found if path.is_file()]


def machine_paths(path):
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return []
    return ABSOLUTE.findall(text)


def test_no_path_of_a_machine():
    assert [path for path in files() if machine_paths(path)] == []


def test_such_a_path_is_seen(tmp_path):
    file = tmp_path / "note.txt"
    file.write_text("see " + "/".join(["", "home", "ada", "notes"]))
    assert machine_paths(file)


TESTS = sorted((ROOT / "tests").rglob("*.py"))


def test_every_test_file_can_be_imported():
    """One that cannot is only skipped otherwise: doctest looks for it first, and is told to ignore such errors."""
    for path in TESTS:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if find_spec("torch") or not ("models" in name or "bench" in name):
            importlib.import_module(name)
