"""OrderMap in a plain page: its numbers and sentences are Python's, and words move by pointer and by key."""

import itertools

import numpy as np
import pytest

from course_utils.views.order import FIRST, OrderMap
from tests.browser.examples import order_map
from tests.browser.pages import HALF, contrasts, numbers, set_trait, set_traits, trait

pytestmark = pytest.mark.browser
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])


def words(page):
    return page.locator(".word").all_inner_texts()


def check(page, view):
    """What the page shows is what the view, with NumPy, would."""
    assert np.abs(numbers(page) - view.shown()[0]).max() <= HALF
    assert page.locator(".verdict").inner_text() == view.sentence()
    here = [view.words[place] for place in view.order]
    assert words(page) == here
    changed, _ = view.changed()
    heads = page.locator(".weights tbody th").all_text_contents()
    assert heads == [f"{word} ≠" if i in changed else word for i, word in enumerate(here)]


def test_numbers_and_sentences_are_pythons_in_every_order_and_setting(plain_page):
    view = order_map()
    page = plain_page(view)
    for order in itertools.permutations(range(4)):
        for causal, positions in itertools.product((False, True), repeat=2):
            settings = dict(order=list(order), causal=causal, positions=positions)
            for name, value in settings.items():
                setattr(view, name, value)
            set_traits(page, **settings)
            check(page, view)


def test_many_words_and_random_orders_agree_too(plain_page):
    rng = np.random.default_rng(3)
    query, key = rng.normal(size=(2, 9, 6)) * 2
    view = OrderMap(query, key, [*"abcdeabcd"], positions=True, causal=True)
    page = plain_page(view)
    for _ in range(20):
        view.order, view.sharpness = rng.permutation(9).tolist(), float(rng.integers(0, 51) / 10)
        set_traits(page, order=view.order, sharpness=view.sharpness)
        check(page, view)


def test_a_word_moves_by_arrow_keys_and_keeps_the_focus(plain_page):
    page = plain_page(order_map())
    page.locator(".word").first.focus()
    now = lambda: page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert trait(page, "focus") == 0 and now() == "dog, place 1 of 4"
    for key, place in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 3),
        ("ArrowRight", 3),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        assert words(page)[place] == "dog" and now() == f"dog, place {place + 1} of 4"
        assert trait(page, "focus") == 0
    assert page.locator(".verdict").inner_text() == FIRST
    page.keyboard.press("Tab")
    assert now() == "bites, place 2 of 4" and trait(page, "focus") == 1
    assert page.locator(".word[aria-pressed=true]").inner_text() == "bites"


def drag(page, start, end, steps=12):
    """Press on one place, move to the middle of another and past it, and let go."""
    boxes = [page.locator(".word").nth(i).bounding_box() for i in (start, end)]
    (x, y), (u, v) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(u + (6 if end > start else -6), v, steps=steps)
    page.mouse.up()


def test_a_word_moves_by_drag_and_the_map_with_it(plain_page):
    view = order_map()
    page = plain_page(view)
    drag(page, 0, 2)
    assert words(page) == ["bites", "man", "dog", "today"] and trait(page, "focus") == 0
    view.order = [1, 2, 0, 3]
    check(page, view)
    drag(page, 3, 0)
    assert words(page) == ["today", "bites", "man", "dog"] and trait(page, "focus") == 3
    page.get_by_role("button", name="First Order").click()
    assert words(page) == ["dog", "bites", "man", "today"] and page.locator(".verdict").inner_text() == FIRST


def test_a_short_word_does_not_jump_to_and_fro_over_a_long_one(plain_page):
    query = np.eye(4)[:2]
    page = plain_page(OrderMap(query, query, ["a", "extraordinarily"]))
    page.evaluate("window.seen = []; window.models[0].on('change:order', () => window.seen.push(1))")
    drag(page, 0, 1, steps=40)
    assert words(page) == ["extraordinarily", "a"] and page.evaluate("window.seen.length") == 1


def test_a_click_chooses_a_word_and_moves_nothing(plain_page):
    page = plain_page(order_map())
    page.locator(".word").nth(2).click()
    assert trait(page, "focus") == 2 and words(page) == ["dog", "bites", "man", "today"]
    page.locator(".weights tbody tr").nth(1).click()
    assert trait(page, "focus") == 1
    assert page.locator("tr.focus th").text_content() == "bites"


def test_a_label_cannot_become_code(plain_page):
    evil = "<img src=x onerror=window.evil=1>"
    view = OrderMap(np.eye(2), np.eye(2), [evil, "b"], order=[1, 0], causal=True)
    page = plain_page(view)
    assert page.locator("img").count() == 0 and page.locator(".verdict").inner_text() == view.sentence()
    assert "<img" not in view.twin()


@every_theme
def test_it_can_be_read_in_both_themes(theme, plain_page):
    page = plain_page(order_map(order=[2, 1, 0, 3]), color_scheme=theme)
    for causal, positions in itertools.product((False, True), repeat=2):
        set_traits(page, causal=causal, positions=positions)
        found = contrasts(page, ".order :is(p, span, caption, th, td, label, button)")
        assert len(found) > 20 and min(text["contrast"] for text in found) >= 4.5


def test_a_move_does_not_move_what_stands_below(plain_page):
    page = plain_page(order_map(), viewport={"width": 1000, "height": 900})
    height = "document.querySelector('.course-view').getBoundingClientRect().height"
    heights = {page.evaluate(height)}
    for order in itertools.permutations(range(4)):
        set_trait(page, "order", list(order))
        heights.add(page.evaluate(height))
    set_traits(page, causal=True, positions=True)
    assert heights | {page.evaluate(height)} == heights and len(heights) == 1
