"""A refresh stores what a lesson shows; a second one changes nothing."""

import subprocess

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_utils.lessons import Trouble, notebook
from course_utils.lessons.refresh import IGNORED, refresh

CELLS = {
    "run-words": "print('forty', 'two')\nprint(set('abcdefghijkl'))",
    "run-address": "object()",
    "see-picture": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "see-slider": "import ipywidgets\nipywidgets.IntSlider(3, description='keys')",
    "run-warning": "import warnings\nwarnings.warn('mind the gap')",
    "mistake-shape": "raise ValueError('2 and 3')",
    "run-time": "import time\nprint(time.time_ns())",
}
TAGS = {"mistake-shape": ["nbval-raises-exception", "raises-exception"], "run-time": [IGNORED]}


@pytest.fixture
def lesson(tmp_path):
    cells = [new_code_cell(source, id=id, metadata={"tags": TAGS.get(id, [])}) for id, source in CELLS.items()]
    path = tmp_path / "02_small.ipynb"
    notebook.write(new_notebook(cells=[new_markdown_cell("# Small", id="goal-small"), *cells]), path)
    return path


def cell(path, id):
    return next(cell for cell in notebook.read(path).cells if cell.id == id)


def edit(path, id, source):
    nb = notebook.read(path)
    next(cell for cell in nb.cells if cell.id == id).source = source
    notebook.write(nb, path)


def git(path, *words):
    who = ["-c", "user.name=author", "-c", "user.email=author@example.org"]
    subprocess.run(["git", *who, *words], cwd=path.parent, check=True, capture_output=True)


def test_a_second_refresh_changes_nothing_and_the_first_is_tidy(lesson):
    assert refresh(lesson)
    first = lesson.read_bytes()
    assert not refresh(lesson) and lesson.read_bytes() == first

    nb = notebook.read(lesson)
    assert notebook.tidy(nb) == nb
    assert [cell.execution_count for cell in nb.cells if cell.cell_type == "code"] == [1, 2, 3, 4, 5, 6, 7]
    assert "forty two" in cell(lesson, "run-words").outputs[0].text
    assert cell(lesson, "run-address").outputs[0].data["text/plain"] == "<object at 0x...>"
    assert list(cell(lesson, "see-slider").outputs[0].data) == ["text/plain"]
    assert "UserWarning: mind the gap" in cell(lesson, "run-warning").outputs[0].text
    assert cell(lesson, "mistake-shape").outputs[0].evalue == "2 and 3"
    assert str(lesson.parent).encode() not in first and b"ipykernel_" not in first


def test_check_writes_nothing(lesson):
    before = lesson.read_bytes()
    assert refresh(lesson, check=True) and lesson.read_bytes() == before


def test_a_lesson_that_fails_stays_as_it_was(lesson):
    edit(lesson, "run-words", "1 / 0")
    before = lesson.read_bytes()
    with pytest.raises(Trouble, match="02_small does not run, .* ZeroDivisionError: division by zero"):
        refresh(lesson)
    assert lesson.read_bytes() == before


def test_an_ignored_output_is_renewed_when_its_source_changes(lesson):
    refresh(lesson)
    git(lesson, "init")
    git(lesson, "add", ".")
    git(lesson, "commit", "-m", "lesson")
    old = cell(lesson, "run-time").outputs
    edit(lesson, "run-time", "print('no time')")
    assert refresh(lesson)
    new = cell(lesson, "run-time").outputs
    assert new != old and new[0].text == "no time\n"
    assert not refresh(lesson)


@pytest.mark.parametrize("id", ["", "a1b2c3d4", "run", "run-", "Run-words", "think-words", "run-two words"])
def test_an_id_must_say_step_and_subject(id):
    nb = new_notebook(cells=[new_markdown_cell("words")])
    nb.cells[0].id = id
    with pytest.raises(Trouble, match="name it <step>-<subject>"):
        notebook.tidy(nb)


def test_an_id_is_used_once():
    nb = new_notebook(cells=[new_markdown_cell("words"), new_markdown_cell("words")])
    nb.cells[0].id = nb.cells[1].id = "run-words"
    with pytest.raises(Trouble, match="Two cells have the id 'run-words'"):
        notebook.tidy(nb)


def test_tidy_drops_what_a_front_end_leaves_behind():
    view = {notebook.WIDGET_VIEW: {"model_id": "1"}, "text/html": "<p>twin</p>"}
    messy = new_code_cell("widget", id="see-widget", execution_count=17)
    messy.metadata = {"execution": {"iopub.status.busy": "2026-01-01T00:00:00Z"}, "collapsed": True, "tags": ["t"]}
    messy.outputs = [new_output("execute_result", data=view, execution_count=17, metadata={"isolated": True})]
    nb = new_notebook(cells=[messy], metadata={"widgets": {}, "kernelspec": {"name": "mine", "display_name": "Mine"}})
    (tidied,) = notebook.tidy(nb).cells
    assert tidied.metadata == {"tags": ["t"]} and tidied.execution_count == 1
    assert tidied.outputs[0].data == {"text/html": "<p>twin</p>"} and tidied.outputs[0].metadata == {}
    assert notebook.tidy(nb).metadata == notebook.METADATA
    assert notebook.tidy(notebook.tidy(nb)) == notebook.tidy(nb) and messy.execution_count == 17
