"""HeadGrid in a plain page: its numbers and words are NumPy's in every state, one row lights up in all heads."""

import numpy as np
import pytest

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.views.heads import NO_HEAD, HeadGrid
from course_utils.views.tables import fault_sentences, focus_sentence
from tests.browser.examples import head_grid
from tests.browser.latency import latency, p95
from tests.browser.pages import HALF, contrasts, numbers, set_traits, trait

pytestmark = pytest.mark.browser
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])


def random_heads(heads, n_q, n_k, seed=0, **settings):
    rng = np.random.default_rng(seed)
    weights = softmax(rng.normal(size=(heads, n_q, n_k)) * 3)
    return HeadGrid(weights, [*"abcdeaf"][:n_q], keys=[*"pqrstpv"][:n_k], mean=heads > 1, **settings)


def check_heads(page, view):
    weights = view.maps[view.head]
    assert np.abs(numbers(page) - weights).max() <= HALF
    told = view.query_words, view.key_words
    assert page.locator(".sentence").inner_text() == focus_sentence(weights, *told, mask=view.mask, focus=view.focus)
    assert page.locator(".faults").text_content() == " ".join(fault_sentences(weights, *told, mask=view.mask))
    assert page.locator(".agreement").inner_text() == view.agreement()
    assert page.locator(".readouts dd").inner_text() == f"{weights[view.focus].sum():.3f}"
    assert page.locator("caption").inner_text() == f"Weights: {view.names[view.head]}"
    assert page.locator(".no-head").text_content() == (NO_HEAD if view.mean and view.head == len(view.maps) - 1 else "")
    pressed = page.locator(".tile").evaluate_all("tiles => tiles.map((tile) => tile.ariaPressed)")
    assert pressed == ["true" if head == view.head else "false" for head in range(len(view.maps))]
    for head, text in enumerate(page.locator(".tile .most").all_inner_texts()):
        key, weight = view.most(head)
        word, number = text.removeprefix("→ ").split()
        assert word == view.key_words[key] and abs(float(number) - weight) <= HALF


@pytest.mark.parametrize(("heads", "n_q", "n_k"), [(1, 3, 5), (3, 7, 5), (16, 5, 7)])
def test_the_grids_numbers_and_words_are_numpys_in_every_state(heads, n_q, n_k, plain_page):
    view = random_heads(heads, n_q, n_k, mask=causal_mask(n_q, n_k) if heads == 3 else None)
    page, rng = plain_page(view), np.random.default_rng(23)
    for _ in range(25):
        view.head, view.focus = int(rng.integers(len(view.maps))), int(rng.integers(n_q))
        set_traits(page, head=view.head, focus=view.focus)
        check_heads(page, view)


def test_one_row_lights_up_in_all_heads_under_the_pointer_or_when_chosen(plain_page):
    page = plain_page(head_grid(), viewport={"width": 1100, "height": 800})
    lit = "() => [...document.querySelectorAll('.tile')].map((tile) => [...tile.querySelectorAll('.line')]"
    lit += ".map((line, i) => (line.className === 'line lit' ? i : '')).join(''))"
    assert page.evaluate(lit) == ["0"] * 5
    page.get_by_label("Focus Row").select_option("2")
    assert page.evaluate(lit) == ["2"] * 5
    page.locator(".tile").nth(3).locator(".line").nth(4).hover()
    assert page.evaluate(lit) == ["4"] * 5 and page.locator("tr.focus th").inner_text() == "the"
    page.locator(".weights tbody tr").nth(1).hover()
    assert page.evaluate(lit) == ["1"] * 5 and trait(page, "focus") == 2
    page.mouse.move(1, 1)
    assert page.evaluate(lit) == ["2"] * 5
    places = "() => [...document.querySelectorAll('.tile, .large')].map((at) => 1e4 * at.offsetLeft + at.offsetTop)"
    before = page.evaluate(places)
    for focus in range(6):
        set_traits(page, focus=focus)
        assert page.evaluate(places) == before  # what the pointer is on stays there
    style = page.locator(".line.lit").first.evaluate("node => getComputedStyle(node).outlineStyle")
    assert style == "solid"  # it shows without hues


def test_a_head_is_chosen_by_click_by_arrow_keys_and_by_the_slider(plain_page):
    page = plain_page(head_grid())
    tiles = page.locator(".tile")
    tiles.nth(2).click(position={"x": 5, "y": 5})
    assert trait(page, "head") == 2
    for key, head in (("ArrowRight", 3), ("End", 4), ("ArrowRight", 4), ("ArrowLeft", 3), ("Home", 0)):
        page.keyboard.press(key)
        assert trait(page, "head") == head
        assert page.evaluate("document.activeElement.ariaPressed") == "true"
    assert page.locator('.tile[tabindex="0"]').count() == 1
    slider = page.get_by_role("slider", name="Head")
    slider.focus()
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "mean of the heads"
    assert page.locator(".no-head").inner_text() == NO_HEAD


def test_masked_cells_leaks_and_nan_show_in_the_small_maps(plain_page):
    weights = np.stack([np.eye(3), np.eye(3)])
    weights[0, 0, 2], weights[1, 1, 1] = 0.5, np.nan
    page = plain_page(HeadGrid(weights, [*"abc"], mask=causal_mask(3)))
    for kind, count in (("masked", 5), ("leak", 1), ("nan", 1)):
        assert page.locator(f".tile i.{kind}").count() == count
    assert "1 leak" in page.locator(".faults").inner_text()
    set_traits(page, head=1, focus=1)
    assert page.locator(".tile .most").nth(1).inner_text() == "→ –"


@every_theme
def test_the_grid_can_be_read(theme, plain_page):
    page = plain_page(head_grid(head=4), color_scheme=theme)
    found = contrasts(page, ".heads :is(p, .name, .most, caption, th, td, label, option, dt, dd)")
    assert len(found) > 60 and min(found, key=lambda text: text["contrast"])["contrast"] >= 4.5


def test_the_largest_grid_answers_at_once(plain_page):
    words = [f"w{i}" for i in range(24)]
    weights = softmax(np.random.default_rng(0).normal(size=(16, 24, 24)))
    page = plain_page(HeadGrid(weights, words, mean=True))
    assert p95(latency(page, "input[type=range]", [*range(1, 17), 0] * 2, watch=".heads")) < 500
