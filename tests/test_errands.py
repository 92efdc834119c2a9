"""Two errands of CONTRIBUTING.md, done in a copy of the course: what is new is found by itself."""

import shutil
import subprocess
import sys

import nbformat
import pytest

from course_utils.lessons import notebook
from course_utils.places import ROOT


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and of lesson 00."""
    shutil.copytree(ROOT / "course_utils", tmp_path / "course_utils", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / "00_start.ipynb", tmp_path / "notebooks")
    return tmp_path


def said(folder, code):
    """What a new process prints in the copy."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_mistake_is_one_entry_in_one_file(copy):
    table = copy / "course_utils" / "exercises" / "start" / "start.toml"
    with table.open("a", encoding="utf-8") as file:
        file.write(
            '\n[shares.leaves_one_out]\nedit = ["counts.sum()", "counts[1:].sum()"]\n'
            'what = "You leave the first count out of the total."\nask = "What is the whole, with all of its parts?"\n'
        )
    code = (
        "from course_utils.exercises import judge\n"
        "print(judge('shares', lambda counts: counts / sum(counts[1:])).message)\n"
    )
    assert "You leave the first count out" in said(copy, code)


def test_an_exercise_is_a_module_and_a_cell(copy):
    (copy / "course_utils" / "exercises" / "start" / "doubling.py").write_text(
        '"""One more exercise of ``00_start``."""\n\nimport numpy as np\n\n'
        "from course_utils.exercises.engine.exercise import Exercise\n\n\n"
        "def doubled(counts):\n    return 2 * counts\n\n\n"
        'EXERCISES = [Exercise(doubled, "00_start", ["Twice."], probes=[(np.array([1.0, 3.0]),)])]\n',
        encoding="utf-8",
    )
    path = copy / "notebooks" / "00_start.ipynb"
    lesson = notebook.read(path)
    stub = "def doubled(counts):\n    raise NotImplementedError\n\n\ncheck.doubled(doubled)"
    lesson.cells.append(nbformat.v4.new_code_cell(stub, id="exercise-doubled"))
    notebook.write(lesson, path)
    code = (
        "from course_utils.lessons import notebook, solved\n"
        "nb = solved.solved(notebook.read(notebook.find('00')))\n"
        "print(nb.cells[-1].source)\nexec('from course_utils.exercises import check\\n' + nb.cells[-1].source)\n"
    )
    out = said(copy, code)
    assert "return 2 * counts" in out and "Right: 1 of 1 probes" in out
