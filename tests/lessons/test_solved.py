"""A solved lesson has the solution in each exercise and leaves all else alone."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_utils.lessons import Trouble, solved


@pytest.fixture(autouse=True)
def solutions(monkeypatch):
    known = {"double": "def double(x):\n    return 2 * x\n", "how_many": "answer = 3"}
    monkeypatch.setattr(solved, "solution_source", known.__getitem__)


def notebook(*sources):
    cells = [new_code_cell(source, id=f"exercise-{number}") for number, source in enumerate(sources)]
    return new_notebook(cells=[new_markdown_cell("Write it.", id="exercise-text"), *cells])


def test_the_stub_gives_way_to_the_solution_and_the_check_stays():
    nb = notebook("def double(x):\n    raise NotImplementedError\n\n\ncheck.double(double)\n")
    assert solved.solved(nb).cells[1].source == "def double(x):\n    return 2 * x\n\ncheck.double(double)"


def test_a_value_is_assigned():
    nb = notebook("answer = None\n\ncheck.how_many(answer)")
    assert solved.solved(nb).cells[1].source == "answer = 3\n\ncheck.how_many(answer)"


def test_other_cells_and_the_original_stay():
    nb = notebook("answer = None\n\ncheck.how_many(answer)")
    nb.cells.append(new_code_cell("check.double(None)", id="run-wrong"))
    result = solved.solved(nb)
    assert result.cells[0] == nb.cells[0] and result.cells[2] == nb.cells[2]
    assert "None" in nb.cells[1].source


@pytest.mark.parametrize("source", ["answer = 3", "check.double(double)\nprint(1)", "", "check.how_many(answer, 2)"])
def test_an_exercise_without_a_check_in_its_last_line_is_refused(source):
    with pytest.raises(Trouble, match="last line of the cell exercise-0 is .*: make it check.NAME"):
        solved.solved(notebook(source))
