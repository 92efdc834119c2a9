"""MaskEditor in a plain page: its numbers and words are NumPy's in every state, its cells take clicks and keys."""

import numpy as np
import pytest

from course_utils.views.masking import AFTER, BEFORE, RENORMALISED, WAYS, MaskEditor
from course_utils.views.tables import fault_sentences
from tests.browser.examples import mask_editor
from tests.browser.latency import latency, p95
from tests.browser.pages import HALF, contrasts, set_traits, trait

pytestmark = pytest.mark.browser
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])

CELLS = """
() => [...document.querySelector(".weights").tBodies[0].rows]
  .map((row) => [...row.querySelectorAll("td")].map((cell) => [cell.textContent, cell.className]))
"""


def random_editor(seed):
    """Seven words in two documents; widths 3 and 2."""
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(7, width)) * 1.5 for width in (3, 3, 2)]
    return MaskEditor(*arrays, [*"abcabde"], documents=[0, 0, 0, 1, 1, 1, 1])


def check_editor(page, view):
    weights, _ = view.shown()
    allowed, n = view.mask(), len(view.words)
    rows = page.evaluate(CELLS)
    for i, row in enumerate(rows):
        for j, (text, state) in enumerate(row[:n]):
            if np.isnan(weights[i, j]):
                assert (text, state) == ("NaN", "nan")
            elif not allowed[i, j] and weights[i, j] == 0:
                assert (text, state) == ("· masked", "masked")
            else:
                assert state == ("weight" if allowed[i, j] else "leak") and ("leak" in text) == (not allowed[i, j])
                assert abs(float(text.split("!")[0]) - weights[i, j]) <= HALF
        total = weights[i].sum()
        assert row[n][0] == "NaN" if np.isnan(total) else abs(float(row[n][0]) - total) <= 0.0005 + 1e-9
        assert ("off" in row[n][1]) == (not abs(total - 1) <= 0.01)
    told = [text for text in page.locator(".says p:not(.faults, .leak-test)").all_text_contents() if text]
    assert told == view.says()
    faults = fault_sentences(weights, view.words, view.words, mask=allowed)
    assert page.locator(".faults").text_content() == " ".join(faults)
    assert page.locator(".leak-test").text_content() == view.leak_test()


def test_the_editors_numbers_and_words_are_numpys_in_every_state(plain_page):
    rng = np.random.default_rng(19)
    for seed in range(3):
        view = random_editor(seed)
        page = plain_page(view)
        for _ in range(40):
            settings = {
                "rule": str(rng.choice(view.rules)),
                "window": int(rng.integers(1, 8)),
                "pads": int(rng.choice([0, 0, 1, 3, 6])),
                "flips": [list(map(int, rng.integers(7, size=2))) for _ in range(rng.choice([0, 0, 3]))],
                "how": str(rng.choice(list(WAYS))),
                "changed": int(rng.integers(7)),
            }
            for name, value in settings.items():
                setattr(view, name, value)
            set_traits(page, **settings)
            check_editor(page, view)


def test_a_cell_is_turned_by_click_and_by_space_bar_and_turned_back(plain_page):
    page = plain_page(mask_editor())
    page.locator('[role="gridcell"][tabindex="0"]').focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", " "):
        page.keyboard.press(key)
    assert trait(page, "flips") == [[0, 2]]
    cell = page.locator("tbody tr").first.locator("td").nth(2)
    assert cell.get_attribute("class") == "weight" and cell.get_attribute("aria-description") == "turned by hand"
    assert page.evaluate("document.activeElement.ariaSelected") == "true"
    cell.click()
    assert trait(page, "flips") == [] and cell.text_content() == "· masked"
    page.locator("tbody tr").nth(3).locator("td").nth(0).click()
    assert (trait(page, "row"), trait(page, "column"), trait(page, "flips")) == (3, 0, [[3, 0]])
    page.get_by_role("button", name="Undo 1 Turned by Hand").click()
    assert trait(page, "flips") == []
    assert page.get_by_role("button", name="None Turned by Hand").get_attribute("aria-disabled") == "true"


def test_another_mask_starts_without_cells_by_hand_and_the_width_chooses_the_window(plain_page):
    page = plain_page(mask_editor(flips=[[0, 0]]))
    slider = page.get_by_role("slider", name="Window")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert (trait(page, "rule"), trait(page, "window"), trait(page, "flips")) == ("window", 3, [])
    page.get_by_label("none", exact=True).check()
    assert page.locator("td.masked").count() == 0
    assert page.locator(".verdict").inner_text() == "The mask hides nothing."


def test_a_leak_through_the_denominator_is_said_though_no_weight_is_left(plain_page):
    page = plain_page(mask_editor(how=AFTER))
    assert page.locator("td.leak").count() == 0
    assert page.locator(".verdict").inner_text() == "No weight where the mask says no."
    assert "score is still in the sum they were divided by" in page.locator(".leak-test.moved").inner_text()
    for how in (BEFORE, RENORMALISED):
        page.get_by_label(how, exact=True).check()
        assert page.locator(".leak-test.moved").count() == 0
        assert "stay as they are" in page.locator(".leak-test").inner_text()


@every_theme
def test_the_editor_can_be_read_in_every_way(theme, plain_page):
    page = plain_page(mask_editor(flips=[[0, 0]], pads=1), color_scheme=theme)
    for how in WAYS:
        set_traits(page, how=how)
        found = contrasts(page, ".masking :is(p, span, caption, th, td, button, legend, label, option)")
        assert len(found) > 60 and min(found, key=lambda text: text["contrast"])["contrast"] >= 4.5


def test_the_editor_answers_at_once(plain_page):
    page = plain_page(mask_editor())
    assert p95(latency(page, "input[type=range]", [1, 2, 3, 4, 5, 6] * 5, watch=".masking")) < 500
