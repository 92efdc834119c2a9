"""A lesson on disk: where it is, how it is read and written, and what form it is stored in."""

import copy
import re
from pathlib import Path

import nbformat

from course_utils import places
from course_utils.lessons import Trouble

STEPS = ("goal", "question", "predict", "run", "see", "exercise", "mistake", "recall", "recap", "next")

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# What differs from one machine or run to the next, and what is stored instead.
PASSING = [
    (re.compile(r"(?<!\S)\S*/ipykernel_\d+/\d+\.py"), "<cell>"),
    (re.compile(r"\bat 0x[0-9a-fA-F]+"), "at 0x..."),
    (re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[/\\][^\s\"'<>:]*[/\\]site-packages(?=[/\\])"), "site-packages"),
    (re.compile(re.escape(str(places.ROOT))), "."),
]


def lessons(folder=places.NOTEBOOKS):
    """The lessons in ``folder``, in order."""
    return sorted(Path(folder).glob("[0-9][0-9]_*.ipynb"))


def find(name, folder=places.NOTEBOOKS):
    """The one lesson that ``name`` means: ``02``, ``scaling``, ``02_scaling`` or its file name."""
    wanted = Path(name).name.removesuffix(".ipynb")
    wanted = wanted.zfill(2) if wanted.isdigit() else wanted
    for path in lessons(folder):
        if wanted in (path.stem, *path.stem.split("_", 1)):
            return path
    there = ", ".join(path.stem for path in lessons(folder)) or "none yet"
    raise Trouble(f"There is no lesson {name!r}. The lessons are: {there}.")


def read(path):
    """The notebook in ``path``."""
    return nbformat.read(path, as_version=4)


def write(nb, path):
    """Write ``nb`` to ``path``; the same notebook always becomes the same bytes."""
    Path(path).write_text(text(nb), encoding="utf-8", newline="\n")


def text(nb):
    """``nb`` as the text of its file."""
    nbformat.validate(nb)
    return nbformat.writes(nb, version=4).rstrip("\n") + "\n"


def tidy(nb):
    """A copy of ``nb`` in the form in which lessons are stored.

    Ids and tags stay; counts run from 1; widget state, timings, paths and addresses go. A cell
    whose id is not ``<step>-<subject>``, or is there twice, is refused.
    """
    _check_ids(nb)
    nb = copy.deepcopy(nb)
    nb.nbformat, nb.nbformat_minor = 4, 5
    nb.metadata = nbformat.from_dict(METADATA)
    count = 0
    for cell in nb.cells:
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                _tidy_output(output, count)
    return nb


def without_outputs(nb):
    """A copy of ``nb`` as a learner first meets it: nothing has run yet."""
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nb


def _check_ids(nb):
    seen = set()
    for number, cell in enumerate(nb.cells, start=1):
        if not re.fullmatch(rf"({'|'.join(STEPS)})-[a-z0-9]+(-[a-z0-9]+)*", cell.get("id", "")):
            raise Trouble(
                f"Cell {number} has the id {cell.get('id')!r}: name it <step>-<subject> in small letters, "
                f"where the step is one of {', '.join(STEPS)}."
            )
        if cell.id in seen:
            raise Trouble(f"Two cells have the id {cell.id!r}: give cell {number} another subject.")
        seen.add(cell.id)


def _tidy_output(output, count):
    if output.output_type == "execute_result":
        output.execution_count = count
    if "metadata" in output:
        output.metadata = nbformat.from_dict({})
    if output.output_type == "stream":
        output.text = _steady(output.text)
    if output.output_type == "error":
        output.traceback = []  # coloured and full of paths; the name and the message stay
        output.evalue = _steady(output.evalue)
    data = output.get("data", {})
    if len(data) > 1:
        data.pop(WIDGET_VIEW, None)
    for kind, value in data.items():
        if kind.startswith("text/") or kind == "image/svg+xml":
            data[kind] = _steady(value)


def _steady(words):
    for pattern, instead in PASSING:
        words = pattern.sub(instead, words)
    return words
