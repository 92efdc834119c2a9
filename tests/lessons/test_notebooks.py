"""What is true of every lesson. The lessons are found, not listed. (nbval compares what they print.)"""

import copy
import re
from html.parser import HTMLParser

import pytest

from course_utils import places
from course_utils.lessons import notebook
from course_utils.lessons.refresh import IGNORED, execute
from course_utils.lessons.solved import exercises, solved

LESSONS = notebook.lessons()
PASSING = re.compile(
    r"0x[0-9a-f]{6,}"  # an address
    r"|(?<![\w.$)}\]*<>/-])/(?:tmp|work|root|home|Users)/\w|[A-Z]:\\\w|ipykernel_\d|site-packages"  # a path
    r"|\d\d:\d\d:\d\d|\b\d+(?:\.\d+)? (?:ms|µs|us|ns)\b"  # a time
)


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request):
    return request.param


@pytest.fixture
def nb(lesson):
    return notebook.read(lesson)


def code(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def outputs(nb):
    return [(cell, output) for cell in code(nb) for output in cell.outputs]


def texts(output):
    """The words an output stores, without the pictures."""
    data = output.get("data", {})
    stored = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    stored += [value for kind, value in data.items() if kind.startswith("text/") or kind.endswith("+xml")]
    return [re.sub(r"base64,[A-Za-z0-9+/=\s]+", "", text) for text in stored]


class Elements(HTMLParser):
    """The elements of some HTML: ``found`` has their names and attributes."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def named(self, name):
        return [attributes for tag, attributes in self.found if tag == name]


def pictures_without_words(html):
    """How many pictures in ``html`` say nothing to someone who cannot see them."""
    elements = Elements(html)
    mute = [image for image in elements.named("img") if not (image.get("alt") or "").strip()]
    mute += [svg for svg in elements.named("svg") if not svg.get("aria-label") and svg.get("aria-hidden") != "true"]
    figures = elements.named("figure")
    spoken = [*elements.named("img"), *elements.named("svg"), *elements.named("table")]
    return len(mute) + (len(figures) if figures and not spoken else 0)


def test_the_lessons_are_numbered_without_a_gap():
    assert [int(path.stem[:2]) for path in LESSONS] == list(range(len(LESSONS)))
    if any(places.NOTEBOOKS.glob("*.ipynb")):
        assert LESSONS and set(LESSONS) == set(places.NOTEBOOKS.glob("*.ipynb"))


def test_it_is_stored_tidy(lesson, nb):
    assert notebook.tidy(nb) == nb, "run `make refresh`"
    assert notebook.text(nb) == lesson.read_text(encoding="utf-8"), "run `make refresh`"


def test_it_has_been_run(nb):
    assert [cell.execution_count for cell in code(nb)] == list(range(1, len(code(nb)) + 1)), "run `make refresh`"


def test_it_asks_for_the_kernel_everyone_has(nb):
    assert nb.metadata.kernelspec.name == "python3"


def test_it_begins_with_its_goal_and_ends_with_what_comes_next(nb):
    steps = [cell.id.split("-")[0] for cell in nb.cells]
    assert steps[0] == "goal" and steps[-1] == "next"
    assert {"question", "recap"} <= set(steps)


def test_no_widget_is_stored_without_its_twin(nb):
    assert "widgets" not in nb.metadata
    assert [cell.id for cell, output in outputs(nb) if notebook.WIDGET_VIEW in output.get("data", {})] == []


def test_every_picture_has_a_text_alternative(nb):
    for cell, output in outputs(nb):
        data = output.get("data", {})
        assert "text/html" in data or not any(kind.startswith("image/") for kind in data), cell.id
        assert not pictures_without_words(data.get("text/html", "")), cell.id
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            assert not pictures_without_words(cell.source), cell.id
            assert not re.search(r"!\[\s*\]\(", cell.source), cell.id


def test_every_link_leads_to_a_lesson(lesson, nb):
    # The learner reads a copy in work/: a link to anywhere else in the repository would be dead there.
    for cell in nb.cells:
        for target in re.findall(r"\]\(([^)\s]+)\)", cell.source) if cell.cell_type == "markdown" else []:
            if not re.match(r"https?:|#|attachment:", target):
                assert lesson.with_name(target.split("#")[0]) in LESSONS, f"{cell.id}: {target}"


def test_nothing_stored_belongs_to_one_machine_or_moment(nb):
    for cell, output in outputs(nb):
        for text in texts(output) if IGNORED not in tags(cell) else []:
            assert not PASSING.search(text), f"{cell.id}: {PASSING.search(text)[0]}"


def test_few_outputs_are_excused_from_comparison(nb):
    assert sum("nbval-ignore-output" in tags(cell) or "nbval-skip" in tags(cell) for cell in nb.cells) <= 2


def test_a_cell_shows_one_idea(nb):
    assert [cell.id for cell in code(nb) if len(cell.source.splitlines()) > 12] == []
    # What is longer than this scrolls sideways beside JupyterLab's folders.
    assert [cell.id for cell in code(nb) if max(map(len, cell.source.splitlines())) > 105] == []


def test_nothing_is_hidden(nb):
    for cell in code(nb):
        assert not re.search(r";\s*$|\binteract\(|filterwarnings|simplefilter", cell.source, re.MULTILINE), cell.id


def test_a_solved_lesson_is_right_twice(nb, tmp_path):
    once = notebook.without_outputs(solved(nb))
    twice = copy.deepcopy(once)
    for cell in copy.deepcopy(once.cells):
        if "train(" not in cell.source:  # training again would only take its time again
            cell.id += "-again"
            twice.cells.append(cell)
    execute(twice, tmp_path)  # a cell that fails, or leaves something behind that breaks another, raises
    asked = exercises(twice)
    assert len(asked) == 2 * len(exercises(nb))
    for cell in asked:
        said = "".join(output.get("text", "") for output in cell.outputs)
        assert re.search(r"^Right", said, re.MULTILINE), f"{cell.id}: {said}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("html, mute", [
    ('<figure><img alt="weights" src=""></figure>', 0), ("<figure><table></table></figure>", 0), ("<p>words</p>", 0),
    ('<figure><img alt=" " src=""></figure>', 1), ("<img>", 1), ("<svg></svg>", 1), ("<figure></figure>", 1),
])  # fmt: skip
def test_a_picture_without_words_is_seen(html, mute):
    assert pictures_without_words(html) == mute


@pytest.mark.parametrize("text", ["<at 0x7f3a2b1c>", "took 12 ms", "at 12:30:59", "/".join(["in ", "tmp", "x.py"])])
def test_something_passing_is_seen(text):
    assert PASSING.search(text) and not PASSING.search("the weight is 0.125 and n/a, 2 of 7")
