"""Stepper in a browser: every number and word in every state, and how it is walked through."""

import numpy as np
import pytest

from course_utils.core.masks import causal_mask
from course_utils.views.example import ROUNDED, STEPS, TITLES, Stepper
from tests.browser.latency import latency, p95
from tests.browser.pages import contrasts, set_trait, set_traits, trait

pytestmark = pytest.mark.browser
HALF = 0.0005 + 1e-9  # half a unit of the last of three digits
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])


def number(text):
    return float(text.replace("−", "-"))


TABLES = """
() => [...document.querySelectorAll(".matrix")].map((table) => ({
  caption: table.caption.textContent,
  cells: [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
}))
"""


def other_stepper(seed, largest):
    """Five words, widths 6, 3 and 2: no square, no short number; the scaled scores reach ``largest``."""
    rng = np.random.default_rng(seed)
    x, W_Q, W_K, W_V = (rng.normal(size=shape).round(2) for shape in ((5, 6), (6, 3), (6, 3), (6, 2)))
    W_Q *= largest / np.abs(x @ W_Q @ W_K.T @ x.T / np.sqrt(3)).max()
    return Stepper([*"abcda"], x, W_Q, W_K, W_V)


def check_stepper(page, view):
    """What the page shows is what the view, with NumPy, would."""
    result, left, right, _ = STEPS[view.step - 1]
    arrays = view.arrays()
    tables = page.evaluate(TABLES)
    names = [name for name in (left, right, result) if name]
    assert [table["caption"].split(" (")[0].lower() for table in tables] == [name.lower() for name in names]
    for table, name in zip(tables, names, strict=True):
        expected = arrays[name]
        if view.step == 7 and name == "exponentials":
            expected = np.hstack([expected, arrays["sums"]])
        shown = np.array([[number(text.split(" ")[0]) for text in row] for row in table["cells"]])
        assert np.abs(shown - expected).max() <= HALF, (view.step, name)
        masked = np.array([["masked" in text for text in row] for row in table["cells"]])
        n = len(view.words)
        hides = view.causal and name in ("exponentials", "weights")
        assert np.array_equal(np.argwhere(masked), np.argwhere(~causal_mask(n)) if hides else np.empty((0, 2)))
    assert page.locator(".product").inner_text() == view.product()
    assert page.locator(".title").inner_text() == f"Step {view.step} of 8: {TITLES[view.step - 1]}"
    column = min(view.column, len(view.names()[1]) - 1)
    chosen = page.locator('[role="gridcell"][aria-selected="true"]')
    assert chosen.count() == 1 and chosen.get_attribute("tabindex") == "0"
    where = chosen.evaluate("cell => [cell.parentNode.sectionRowIndex, cell.cellIndex - 1]")
    assert where == [view.row, column]
    assert page.get_by_role("combobox", name="Column", exact=True).input_value() == str(column)


@pytest.mark.parametrize("largest", [None, 2, 14.9], ids=["worked-example", "mild", "extreme"])
def test_the_steppers_numbers_and_words_are_numpys_in_every_state(largest, plain_page):
    view = Stepper() if largest is None else other_stepper(int(largest), largest)
    page, rng = plain_page(view), np.random.default_rng(17)
    n = len(view.words)
    for step in [*range(1, 9), *rng.integers(1, 9, 40).tolist()]:
        view.step, view.causal = step, bool(rng.integers(2))
        view.row, view.column = int(rng.integers(n)), int(rng.integers(n))
        set_traits(page, step=step, causal=view.causal, row=view.row, column=view.column)
        check_stepper(page, view)


def test_every_cell_of_the_worked_example_is_written_out_as_python_writes_it(plain_page):
    view = Stepper()
    page = plain_page(view)
    for step in range(1, 9):
        view.step = step
        set_trait(page, "step", step)
        for row in range(4):
            for column in range(4):
                view.row, view.column = row, column
                set_traits(page, row=row, column=column)
                assert page.locator(".product").inner_text() == view.product()


def test_what_makes_the_cell_lights_up_and_can_be_told_without_colour(plain_page):
    page = plain_page(Stepper(step=4, row="machine", column="learning"))
    lit = "kind => [...document.querySelectorAll(`td[data-lit=${kind}]`)].map((cell) => cell.textContent)"
    look = "node => { const s = getComputedStyle(node); return [s.borderTopStyle, s.borderTopWidth, s.fontWeight]; }"
    assert page.evaluate(lit, "left") == ["0", "0.5", "2", "0.5"]  # the query's row
    assert page.evaluate(lit, "crossed") == ["0", "1", "2", "0"]  # the key's row
    assert page.evaluate(lit, "chosen") == ["4.5"]
    assert page.locator("td[data-lit=left]").first.evaluate(look) == ["solid", "2px", "700"]
    assert page.locator("td[data-lit=crossed]").first.evaluate(look) == ["dotted", "2px", "700"]
    set_traits(page, step=8, column=1)
    assert page.evaluate(lit, "left") == ["0.060", "0.099", "0.270", "0.571"]
    assert page.evaluate(lit, "right") == ["0", "2", "0", "0"]
    set_trait(page, "step", 7)
    assert page.evaluate(lit, "left") == ["1.649"] and page.evaluate(lit, "right") == ["16.618"]
    heads = page.locator("th[data-lit]:not([data-lit=''])").all_inner_texts()
    assert heads == ["love", "machine"]  # of the weights: the column, the row


def test_the_cell_is_chosen_by_arrow_keys_by_a_click_and_by_lists(plain_page):
    page = plain_page(Stepper(step=4))
    page.locator('[role="gridcell"][tabindex="0"]').focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    assert (trait(page, "row"), trait(page, "column")) == (1, 1)
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent") == "3"  # the focus goes along
    assert page.locator('[role="gridcell"][tabindex="0"]').count() == 1
    page.keyboard.press("Home")
    assert (trait(page, "row"), trait(page, "column")) == (1, 0)
    set_trait(page, "step", 5)  # by another view, or by Python
    assert page.evaluate("document.activeElement.textContent") == "0"
    set_trait(page, "step", 4)
    page.locator('[role="gridcell"]').nth(11).click()
    assert (trait(page, "row"), trait(page, "column")) == (2, 3)
    page.get_by_role("combobox", name="Row", exact=True).select_option("I")
    page.get_by_role("combobox", name="Column", exact=True).select_option("love")
    assert page.locator(".product").inner_text() == "score(I, love) = (−0.5)·0 + 1.5·2 + 0·0 + 0·0 = 3"


def test_the_steps_are_walked_by_buttons_and_by_the_slider(plain_page):
    page = plain_page(Stepper())
    back, forth = page.get_by_role("button", name="Back"), page.get_by_role("button", name="Next")
    assert back.get_attribute("aria-disabled") == "true"
    back.click(force=True)
    assert trait(page, "step") == 1
    forth.focus()
    for _ in range(9):
        page.keyboard.press("Enter")
    assert trait(page, "step") == 8 and forth.get_attribute("aria-disabled") == "true"
    assert forth.evaluate("node => node === document.activeElement")  # nothing took it away at the end
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == f"7 of 8: {TITLES[6]}"
    names = page.get_by_role("combobox", name="Column", exact=True).locator("option").all_inner_texts()
    assert names == ["I", "love", "machine", "learning"]
    page.get_by_label("Causal Mask").check()
    assert page.locator("td.masked").count() == 12


def test_the_tables_are_named_and_have_heads(plain_page):
    page = plain_page(Stepper(step=4))
    assert page.get_by_role("table", name="Query").count() == 1
    assert page.get_by_role("table", name="Key (each row is a column of Kᵀ)").count() == 1
    grid = page.get_by_role("grid", name="Scores")
    assert grid.get_by_role("gridcell", selected=True).count() == 1 and grid.get_by_role("gridcell").count() == 16
    assert grid.get_by_role("rowheader", name="machine").count() == 1
    assert grid.get_by_role("columnheader", name="machine").count() == 1


def test_a_word_cannot_become_code(plain_page):
    evil = "<img src=x onerror=window.evil=1>"
    view = Stepper([evil, "b", "c", "d"], step=4, channels=[evil, "p", "q", "r"])
    page = plain_page(view)
    assert page.locator("img").count() == 0 and page.locator(".product").inner_text() == view.product()
    assert "<img" not in view.twin()


def test_rounding_is_said_where_something_is_rounded(plain_page):
    page = plain_page(Stepper())
    for step in range(1, 9):
        set_trait(page, "step", step)
        assert page.locator(".rounded").inner_text() == (ROUNDED if step >= 6 else "")


def test_a_masked_cell_is_hatched_and_named(plain_page):
    page = plain_page(Stepper(step=6, causal=True))
    cell = page.locator("td.masked").first
    assert cell.text_content() == "0 masked"
    assert "gradient" in cell.evaluate("node => getComputedStyle(node).backgroundImage")


def test_no_step_moves_what_stands_below(plain_page):
    page = plain_page(Stepper(), viewport={"width": 1000, "height": 900})
    heights = set()
    for step in range(1, 9):
        set_trait(page, "step", step)
        heights.add(page.evaluate("document.querySelector('.course-view').getBoundingClientRect().height"))
    assert len(heights) == 1


@every_theme
def test_every_step_can_be_read(theme, plain_page):
    page = plain_page(Stepper(row=1, column=2), color_scheme=theme)
    for step in range(1, 9):
        for causal in (False, True):
            set_traits(page, step=step, causal=causal)
            found = contrasts(page, ".stepper :is(p, span, b, caption, th, td, button, label, option)")
            assert len(found) > 40 and min(text["contrast"] for text in found) >= 4.5


def test_the_stepper_answers_at_once(plain_page):
    page = plain_page(Stepper())
    times = latency(page, "input[type=range]", [2, 3, 4, 5, 6, 7, 8, 1] * 4, watch=".stage")
    assert p95(times) < 500  # only against a hang
