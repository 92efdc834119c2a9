"""What README and CONTRIBUTING tell the reader to type or to open is there. (pytest runs the README's Python.)"""

import re

import pytest

from course_utils import cli
from course_utils.lessons.notebook import lessons
from course_utils.places import ROOT

PAGES = ["README.md", "CONTRIBUTING.md"]
TARGETS = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(params=PAGES)
def page(request):
    return (ROOT / request.param).read_text(encoding="utf-8")


def test_every_make_command_exists(page):
    named = re.findall(r"(?:^|`)make ([a-z]+)", page, re.MULTILINE)
    assert named and set(named) <= set(TARGETS)


def test_every_course_utils_command_is_understood(page):
    for words in re.findall(r"python -m course_utils ([^`\n#]+)", page):
        cli.parser().parse_args(words.split())


def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page):
        if not re.match(r"https?:", target):
            assert (ROOT / target.split("#")[0]).exists(), target


def test_the_readme_lists_every_lesson():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [path.stem for path in lessons()] == sorted(set(re.findall(r"notebooks/(\d\d_\w+)\.ipynb", readme)))


def test_every_file_in_the_tree_exists(page):
    for block in re.findall(r"```text\n(.*?)```", page, re.DOTALL):
        for name in re.findall(r"^ *([\w./]+)", block, re.MULTILINE):
            assert list(ROOT.glob(name)) or list(ROOT.glob(f"course_utils/{name}")), name


def test_the_tree_in_the_readme_shows_every_folder_of_the_package():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    package = ROOT / "course_utils"
    folders = {path.relative_to(package).parts[0] for path in package.glob("*/**/*") if path.suffix in (".py", ".toml")}
    assert folders == set(re.findall(r"^  (\w+)/ ", readme, re.MULTILINE))


def test_make_help_names_every_command():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(phony.split()) == set(TARGETS)
    assert all(re.search(rf"^{target}:.*## ", makefile, re.MULTILINE) for target in TARGETS)
