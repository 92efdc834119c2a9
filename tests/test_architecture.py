"""The package is built in layers, and a module imports only from the layers below its own."""

import ast
import importlib
import subprocess
import sys

import nbformat
import pytest

from course_utils.lessons.notebook import lessons
from course_utils.places import ROOT

LAYER = {"core": 0, "models": 1, "views": 1, "exercises": 2, "interview": 3, "lessons": 4, "workshop": 5}
TOP = {"cli": 6, "__main__": 7, "doctor": -1, "places": -2, "records": -2, "__init__": -2}
MODULES = sorted((ROOT / "course_utils").rglob("*.py"))


def parts(path):
    return path.relative_to(ROOT).with_suffix("").parts


def place(words):
    """The layer's name in course_utils.<name>..., or the module's."""
    return words[1] if len(words) > 1 else "__init__"


def imports(tree, package):
    """The dotted name of each module that ``tree`` imports from, relative ones resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            if module == "course_utils":
                yield from (f"{module}.{alias.name}" for alias in node.names)


def at_import(tree):
    """The module without what runs only when a function is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = []
    return tree


def trees(modules=MODULES):
    """(module, its path in parts, its syntax) for each module."""
    for path in modules:
        yield ".".join(parts(path)), parts(path), ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: ".".join(parts(path)[1:]))
def test_every_module_can_be_imported(module):
    name = ".".join(parts(module)).removesuffix(".__init__")
    if "models" in parts(module):
        pytest.importorskip("torch", reason="torch is not installed: models are not imported")
    if not name.endswith("__main__"):
        importlib.import_module(name)


def test_imports_point_down():
    layers = LAYER | TOP
    for module, words, tree in trees():
        own = place(words)
        assert own in layers, f"give {own} a layer in this test"
        for name in imports(tree, words[:-1]):
            if name.startswith("course_utils."):
                other = place(name.split("."))
                assert other == own or layers[other] < layers[own], f"{module} may not import {name}"
                assert other == own or own != "core", f"core stands alone: {module} may not import {name}"


def test_a_topic_knows_the_engine_and_no_other_topic():
    for module, words, tree in trees(path for path in MODULES if parts(path)[1:2] == ("exercises",)):
        for name in imports(tree, words[:-1]) if len(words) > 3 else ():
            if name.startswith("course_utils.exercises"):
                assert name.split(".")[2:3] in ([words[2]], ["engine"]), f"{module} may not import {name}"


def test_only_models_import_torch_when_they_are_imported():
    for module, words, tree in trees():
        heavy = {"torch"} if place(words) == "models" else set()
        assert "torch" not in {name.split(".")[0] for name in imports(at_import(tree), words[:-1])} - heavy, module


def test_nothing_is_imported_with_a_star():
    for module, _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert all(alias.name != "*" for alias in node.names), module


# ---------------------------------------------------------------- one word finds a lesson


def words():
    """The word of each lesson."""
    return [path.stem.split("_", 1)[1] for path in lessons()]


def users():
    """For each module, who uses it, straight or through others: the words of lessons, and "the commands"."""
    uses = {}
    for path in MODULES:
        name = ".".join(parts(path)).removesuffix(".__init__")
        uses[name] = {found for found in imports(ast.parse(path.read_text(encoding="utf-8")), parts(path)[:-1])}
    roots = [("the commands", "course_utils.cli")]
    for path in lessons():
        code = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
        roots += [(path.stem.split("_", 1)[1], name) for name in imports(ast.parse(code), ())]
    for name in uses:  # what is found by its place, and not imported
        layer, *rest = name.split(".")[1:] or [""]
        word = next((part for part in rest if part in words()), None)
        if word and (layer == "exercises" or "proofs" in rest):
            roots.append((word, name))
    found = {name: set() for name in uses}
    for word, root in roots:
        todo, seen = [root], set()
        while todo:
            name = todo.pop()
            if name in uses and name not in seen:
                seen.add(name)
                todo += uses[name]
        for name in seen:
            found[name].add(word)
    return found


def test_what_one_lesson_uses_carries_its_word():
    for name, by in users().items():
        if by <= set(words()) and len(by) == 1 and not name.startswith(("course_utils.core", "course_utils.places")):
            assert min(by) in name, f"{name} is used by the lesson {min(by)} alone: let its path hold that word"


def test_users_are_found_through_other_modules():
    by = users()
    assert by["course_utils.views.heads"] == {"heads"} and len(by["course_utils.views.widget"]) > 5
    assert "the commands" in by["course_utils.doctor"]


DATA = [path for path in (ROOT / "course_utils").rglob("*") if path.suffix in (".toml", ".npz", ".js", ".css")]
SHARED = {"shared", "attention", "subjects", "explorer", "maps", "prediction"}  # of several lessons


def test_a_file_that_is_not_code_carries_the_word_of_its_lesson_too():
    for path in DATA:
        place = path.relative_to(ROOT / "course_utils").as_posix()
        assert any(word in place for word in words()) or path.stem in SHARED, place


def test_every_topic_has_its_parts():
    listed = [path.relative_to(ROOT).as_posix() for folder in ("course_utils", "tests") for path in
              (ROOT / folder).rglob("*") if path.is_file()]  # fmt: skip
    for word in words():
        own = [name for name in listed if word in name]
        for part in ("exercises/", "quizzes.toml", "recall.toml", "data/claims/", "tests/claims/"):
            assert any(part in name for name in own), f"{word} has no {part}"


@pytest.mark.parametrize("name", ["course_utils", "course_utils.cli", "course_utils.doctor"])
def test_these_start_without_any_package(name):
    code = f"import sys, {name}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    command = [sys.executable, "-S", "-c", code]  # -S: as if nothing were installed
    loaded = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    assert set(loaded) <= sys.stdlib_module_names | {"course_utils", "__main__"}


def test_the_layers_know_a_wrong_import():
    tree = ast.parse("from ..views import pictures\nfrom course_utils import cli\nimport course_utils.models.tiny")
    package = ("course_utils", "core")
    found = {place(name.split(".")) for name in imports(tree, package)} - {"__init__"}
    assert found == {"views", "cli", "models"}
    assert all((LAYER | TOP)[name] > LAYER["core"] for name in found)


def test_modules_are_found():
    assert ROOT / "course_utils" / "cli.py" in MODULES
