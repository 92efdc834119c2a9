"""Every widget once in a real JupyterLab: it runs, runs again, stands twice, goes dark, and listens to keys."""

from pathlib import Path

import pytest

from course_utils.views.maps import WeightMap
from tests.browser.examples import EXAMPLES, WORDS, leaky_map, scores, widget_classes
from tests.browser.pages import contrasts, eventually

pytestmark = pytest.mark.browser
CLASSES = widget_classes()
every_widget = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
# So that the kernel shows the same examples as the other tests.
SETUP = f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); from tests.browser.examples import *"
VIEWS = ".jp-OutputArea .course-view"


def cells_of(page, cls):
    """The two cells of that widget; the first cell of the notebook is the set-up."""
    first = 1 + 2 * CLASSES.index(cls)
    return [page.locator(".jp-CodeCell").nth(first), page.locator(".jp-CodeCell").nth(first + 1)]


@pytest.fixture(scope="module")
def notebook(lab):
    """Every widget twice in one notebook that ran twice; ``drawn`` counts the new views of each run."""
    page = lab.open(SETUP, *(EXAMPLES[cls][1] for cls in CLASSES for _ in range(2)), height=6000)
    new = page.locator(f"{VIEWS}:not([data-old])")
    page.drawn = []
    for _ in range(2):
        lab.run_all(page)
        eventually(lambda: new.count() == 2 * len(CLASSES) and page.locator("[data-old]").count() == 0)
        page.drawn.append({cls: [cell.locator(new).count() for cell in cells_of(page, cls)] for cls in CLASSES})
        page.locator(VIEWS).evaluate_all("views => views.forEach((view) => { view.dataset.old = 'yes'; })")
    yield page
    page.context.close()
    assert page.errors == []
    assert page.asked == []


@every_widget
def test_the_first_and_the_second_run_draw_it_twice_on_a_page(cls, notebook):
    assert [run[cls] for run in notebook.drawn] == [[1, 1], [1, 1]]
    for cell in cells_of(notebook, cls):
        assert cell.locator(":is(table, textarea)").first.is_visible()


@every_widget
def test_it_takes_its_own_keys(cls, notebook):
    control = cells_of(notebook, cls)[0].locator(":is(input[type=range], textarea)").first
    control.focus()
    before, number_of_cells = control.input_value(), notebook.locator(".jp-Cell").count()
    for key in ("ArrowRight", "b", "a"):
        notebook.keyboard.press(key)
    assert control.input_value() != before
    assert notebook.locator(".jp-Cell").count() == number_of_cells


@pytest.fixture(scope="module", params=["dark", "light"])
def themed(request, lab, notebook):
    lab.theme(notebook, request.param == "dark")
    return notebook


@every_widget
def test_it_can_be_read_in_both_themes(cls, themed):
    for index in (1, 2):
        cell = f".jp-CodeCell >> nth={2 * CLASSES.index(cls) + index}"
        themed.locator(cell).evaluate("node => { node.id = 'read-this'; }")
        found = contrasts(themed, "#read-this .course-view :is(p, label, caption, th, td, dt, dd)")
        themed.locator(cell).evaluate("node => { node.id = ''; }")
        assert found and min(text["contrast"] for text in found) >= 4.5


def test_settings_and_predictions_reach_python(lab):
    code = "view = weight_map(predict='Where?'); view"
    page = lab.open(f"{SETUP}; {code}", "print(view.prediction, view.sharpness, view.rows()[view.focus][0])")
    lab.run_all(page)
    page.get_by_label("Your prediction").fill("at cat")
    page.get_by_role("button", name="Write it down").click()
    page.get_by_label("Sharpness").fill("2.5")
    page.get_by_label("Focus Row").select_option("1")
    page.wait_for_timeout(300)
    page.locator(".jp-CodeCell").nth(1).locator(".jp-InputArea-editor").click()
    page.keyboard.press("Shift+Enter")
    assert eventually(lambda: "at cat 2.5 cat" in page.locator(".jp-OutputArea-output").last.inner_text())
    page.context.close()


def test_the_twin_survives_in_a_notebook_that_is_not_trusted(lab):
    view = leaky_map()
    asked = WeightMap(scores(), WORDS, predict="Where will it look?")
    page = lab.open("1", untrusted=view.twin() + asked._repr_mimebundle_()[0]["text/html"])
    output = page.locator(".jp-OutputArea-output")
    output.locator("table").first.wait_for()
    assert page.locator(".jp-OutputArea-output style, .jp-OutputArea-output svg").count() == 0
    text = output.inner_text()
    assert '1 leak: "sat" looks at "on" (0.18), which the mask hides.' in text and "0.18 !" in text
    assert "Where will it look?" in text and output.locator("details:not([open]) table").count() == 1
    output.locator("summary").click()
    assert output.locator("details table").is_visible()
    for dark in (False, True):
        lab.theme(page, dark)
        readable = contrasts(page, ".jp-OutputArea-output :is(th, td, figcaption, caption, summary)")
        assert min(cell["contrast"] for cell in readable) >= 4.5
        assert len({cell["behind"] for cell in readable}) > 20  # the inline colours were kept
    page.context.close()
