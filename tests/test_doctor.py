"""The doctor says of each thing whether it is well, and what to do if not."""

import re
import subprocess
import sys
import webbrowser
from collections import namedtuple
from importlib import metadata

import pytest

from course_utils import doctor, places
from course_utils.places import ROOT

HEALTHY = "Python: ok\nNumPy: ok\nPictures: ok\ntorch: here\nYou can start.\n"


def words(check):
    return [str(finding) for finding in check()]


@pytest.fixture
def without(monkeypatch):
    """Pretend that a package is not installed."""

    def hide(*names):
        version, find_spec = metadata.version, doctor.find_spec

        def missing(name):
            if name in names:
                raise metadata.PackageNotFoundError(name)
            return version(name)

        monkeypatch.setattr(metadata, "version", missing)
        monkeypatch.setattr(doctor, "find_spec", lambda name: None if name in names else find_spec(name))

    return hide


def test_a_healthy_machine(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "browser", lambda: [doctor.Finding(True, "browser", "found")])
    assert doctor.doctor() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "This machine will run the course."
    assert all(line.startswith("ok   ") for line in lines[:-2]) and len(lines) == 11


def test_one_thing_to_fix_decides(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "kernel", lambda: [])
    monkeypatch.setattr(doctor, "browser", lambda: [doctor.Finding(False, "browser", "none found")])
    assert doctor.doctor() == 1
    out = capsys.readouterr().out
    assert "\nfix  browser: none found\n" in out and out.endswith("say, then ask again.\n")


def test_an_old_python(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    assert words(doctor.python) == ["fix  Python: 3.9 is too old; install 3.11 or newer"]


def test_before_the_set_up_there_are_only_sentences():
    command = [sys.executable, "-S", "-m", "course_utils", "doctor"]  # -S: no package is found
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1 and run.stderr == ""
    assert re.search(r"fix  packages: missing: anywidget, array-api-compat, .*\bnumpy\b", run.stdout)
    assert "fix  kernel: Jupyter is not installed; run `make lab` once" in run.stdout


def test_a_missing_package(without):
    without("numpy")
    (line,) = words(doctor.packages)
    assert line.startswith("fix  packages: missing: numpy; run `make lab` once")


def test_a_package_that_is_too_old(monkeypatch):
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "1.26.4" if name == "numpy" else version(name))
    (line,) = words(doctor.packages)
    assert line.startswith("fix  packages: missing: numpy>=2.0 (here is 1.26.4); run")


@pytest.mark.parametrize("version, limits, answer", [
    ("2.0", ">=2.0", True), ("2.0.1rc1", ">=2.0", True), ("2.13.0+cpu", ">=2.6,<2.14", True), ("10.0", ">=9", True),
    ("1.26.4", ">=2.0", False), ("9.0.0", ">=8.1,<9", False), ("2.14", ">=2.6,<2.14", False), ("2.6", "", True),
])  # fmt: skip
def test_versions_are_compared_as_numbers(version, limits, answer):
    assert doctor.fits(version, limits) is answer


def test_no_torch_is_no_obstacle(without):
    without("torch")
    (line,) = words(doctor.torch)
    assert line.startswith("ok   torch: is not installed. NumPy lessons work; ") and "pip install" in line


def test_a_torch_that_cannot_be_imported(monkeypatch):
    def broken(*args, **kwargs):
        raise subprocess.CalledProcessError(1, "python")

    monkeypatch.setattr(doctor, "find_spec", lambda name: name)  # it is there, on any machine
    monkeypatch.setattr(subprocess, "run", broken)
    assert words(doctor.torch)[0].startswith("fix  torch: cannot be imported; install it again: python -m pip")


def test_a_kernel_that_does_not_start(monkeypatch):
    from jupyter_client import manager

    def broken(**kwargs):
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(manager, "start_new_kernel", broken)
    assert words(doctor.kernel)[0].startswith("fix  kernel: it does not start (Kernel died before replying")


def test_a_kernel_of_another_python(monkeypatch):
    monkeypatch.setattr(sys, "prefix", "elsewhere")
    (line,) = words(doctor.kernel)
    assert line == "fix  kernel: python3 is another Python's; run: jupyter kernelspec remove python3"


def test_a_work_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "work").write_text("a file is in the way")
    monkeypatch.setattr(places, "work", lambda: tmp_path / "work")
    assert words(doctor.folder) == ["fix  work folder: File exists; put the course where you may write"]


def test_no_port(monkeypatch):
    def refuse():
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.socket, "socket", refuse)
    assert words(doctor.port) == ["fix  port: Permission denied; allow programs to listen on 127.0.0.1"]


def test_no_browser(monkeypatch):
    def none(name=None):
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    assert words(doctor.browser)[0].startswith("fix  browser: none found; install one, or open the address")


@pytest.mark.parametrize("command, opens", [("w3m", False), ("lynx", False), ("firefox", True), ("helper.sh", True)])
def test_a_browser_in_the_terminal_shows_no_lesson(command, opens, monkeypatch):
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser(command))
    assert doctor.opens_by_itself() is opens


def test_little_memory_and_a_full_disk(monkeypatch):
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(doctor, "free_memory", lambda: doctor.GIB // 2)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage(0))
    assert words(doctor.memory) == ["fix  memory: 0.5 GiB are free and 1 is needed; close other programs"]
    assert words(doctor.disk) == ["fix  disk: 0.0 GiB free, 0.2 needed; make room"]


def test_the_report_is_the_same_on_every_healthy_machine(monkeypatch, capsys):
    real = doctor.find_spec
    monkeypatch.setattr(doctor, "find_spec", lambda name: object() if name == "torch" else real(name))
    doctor.report()
    assert capsys.readouterr().out == HEALTHY


def test_the_report_says_what_is_missing(without, capsys):
    without("matplotlib", "torch")
    doctor.report()
    out = capsys.readouterr().out
    assert "\nPictures: missing: matplotlib; run `make lab` once" in out
    assert "\ntorch: missing. NumPy lessons work; a cell that needs torch says so. To install it: " in out
    assert out.endswith("Mend this first; `make doctor` tells you more.\n")


def test_the_report_imports_nothing_heavy():
    code = "import sys, course_utils.doctor as d; d.report(); print({'torch', 'matplotlib', 'numpy'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("set()\n")
