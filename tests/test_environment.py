"""pyproject.toml says what is needed; conda's file and the pins say the same."""

import importlib
import os
import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from course_utils import doctor
from course_utils.places import ROOT

CONDA_NAME = {"matplotlib": "matplotlib-base", "torch": "pytorch"}
BY_PIP = {"fsrs"}  # comes with "-e .", because conda-forge may not have it
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
NEEDED = [Requirement(line) for line in PROJECT["dependencies"]]
LEARNER = NEEDED + [Requirement(line) for extra in EXTRAS if extra != "test" for line in EXTRAS[extra]]
EVERYTHING = LEARNER + [Requirement(line) for line in EXTRAS["test"]]

CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA_LINES = [line for line in CONDA["dependencies"] if isinstance(line, str)]
PIN_LINES = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_the_build_server_has_torch():
    """Elsewhere torch is optional, and what needs it is skipped with a reason."""
    if os.environ.get("CI"):
        importlib.import_module("torch")


def pins():
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in PIN_LINES)}


def test_conda_gets_the_same_packages_within_the_same_limits():
    wanted = {CONDA_NAME.get(need.name, need.name): need.specifier for need in LEARNER if need.name not in BY_PIP}
    split = [re.fullmatch(r"([\w.-]+)(.*)", line).groups() for line in CONDA_LINES]
    assert {name: SpecifierSet(limits) for name, limits in split if name not in ("python", "pip")} == wanted


def test_conda_installs_this_checkout_and_asks_no_other_channel():
    assert CONDA["channels"] == ["conda-forge"]
    assert "pip" in CONDA_LINES and {"pip": ["-e ."]} in CONDA["dependencies"]


def test_binder_reads_the_python_version():
    # repo2docker understands one "=" and silently takes an old Python otherwise.
    (version,) = (line.removeprefix("python=") for line in CONDA_LINES if line.startswith("python="))
    assert re.fullmatch(r"3\.\d+", version) and version in SpecifierSet(PROJECT["requires-python"])
    assert not any((ROOT / name).exists() for name in ("binder", ".binder", "Dockerfile"))


@pytest.mark.parametrize("need", EVERYTHING, ids=lambda need: need.name)
def test_a_pin_is_within_the_limits(need):
    assert pins()[canonicalize_name(need.name)] in need.specifier


def test_a_pin_is_one_public_version():
    # No local version such as +cpu, no address, no marker: one file for every machine.
    assert [line for line in PIN_LINES if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []


def test_the_doctor_reads_the_same_requirements():
    assert {name: SpecifierSet(limits) for name, limits in doctor.requirements().items()} == {
        need.name: need.specifier for need in NEEDED
    }
