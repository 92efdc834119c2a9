"""Every claim in ``data/claims`` stands in its lesson, and its value comes out again."""

import importlib
import tomllib
from importlib import resources
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = resources.files("course_utils") / "data" / "claims"
CLAIMS = [
    (file.name.removesuffix(".toml"), name, claim)
    for file in sorted(FOLDER.iterdir(), key=lambda file: file.name)
    for name, claim in tomllib.loads(file.read_text(encoding="utf-8")).items()
]
every_claim = pytest.mark.parametrize("topic, name, claim", CLAIMS, ids=[f"{t}-{n}" for t, n, _ in CLAIMS])


@every_claim
def test_a_claim_has_all_its_fields(topic, name, claim):
    assert set(claim) == {"lesson", "words", "value", "source"}, f"{topic}.toml, {name}"
    assert claim["lesson"].endswith(topic) and claim["words"] and claim["source"]


@every_claim
def test_the_words_stand_in_the_lesson(topic, name, claim):
    lesson = nbformat.read(ROOT / "notebooks" / f"{claim['lesson']}.ipynb", as_version=4)
    text = " ".join(" ".join(cell.source for cell in lesson.cells if cell.cell_type == "markdown").split())
    assert " ".join(claim["words"].split()) in text


@every_claim
def test_the_value_comes_out_again(topic, name, claim):
    work_out = getattr(importlib.import_module(f"tests.claims.{topic}"), name)
    assert work_out() == (claim["value"] if not isinstance(claim["value"], float) else pytest.approx(claim["value"]))


def test_no_claim_is_worked_out_for_nothing():
    for topic in {topic for topic, _, _ in CLAIMS}:
        module = importlib.import_module(f"tests.claims.{topic}")
        own = {n for n, f in vars(module).items() if callable(f) and f.__module__ == module.__name__ and n[0] != "_"}
        assert own == {name for t, name, _ in CLAIMS if t == topic}
