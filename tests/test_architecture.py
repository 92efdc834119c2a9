"""The package is built in layers, and a module imports only from the layers below its own."""

import ast
import importlib
import subprocess
import sys

import pytest

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


@pytest.fixture(params=MODULES, ids=lambda path: ".".join(parts(path)[1:]))
def module(request):
    return request.param


def test_every_module_can_be_imported(module):
    name = ".".join(parts(module)).removesuffix(".__init__")
    if "models" in parts(module):
        pytest.importorskip("torch", reason="torch is not installed: models are not imported")
    if not name.endswith("__main__"):
        importlib.import_module(name)


def test_imports_point_down(module):
    own, tree = place(parts(module)), ast.parse(module.read_text(encoding="utf-8"))
    layers = LAYER | TOP
    assert own in layers, f"give {own} a layer in this test"
    for name in imports(tree, parts(module)[:-1]):
        if name.startswith("course_utils."):
            other = place(name.split("."))
            assert other == own or layers[other] < layers[own], f"{own} may not import {name}"
            assert other == own or own != "core", f"core stands alone and may not import {name}"


def test_only_models_import_torch_when_they_are_imported(module):
    tree = at_import(ast.parse(module.read_text(encoding="utf-8")))
    heavy = {"torch"} if place(parts(module)) == "models" else set()
    found = {name.split(".")[0] for name in imports(tree, parts(module)[:-1])}
    assert "torch" not in found - heavy


def test_nothing_is_imported_with_a_star(module):
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert all(alias.name != "*" for alias in node.names)


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
