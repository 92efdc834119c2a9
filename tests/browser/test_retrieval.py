"""RetrievalPlane in a browser: its numbers, and the query moved by hand."""

import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.tokens import library
from course_utils.views.retrieval import RetrievalPlane
from tests.browser.examples import EXAMPLES
from tests.browser.pages import HALF, set_traits, trait

pytestmark = pytest.mark.browser


def test_the_planes_numbers_are_numpys_in_every_state(plain_page):
    shelf, rng = library(), np.random.default_rng(13)
    page = plain_page(RetrievalPlane(shelf.titles, shelf.keys, shelf.values, ["food", "travel", "repair"]))
    for _ in range(60):
        query, sharpness = np.round(rng.uniform(-2.5, 2.5, 2), 2), round(rng.uniform(0, 5), 1)
        set_traits(page, query=query.tolist(), sharpness=sharpness)
        score = shelf.keys @ query
        attention = scaled_dot_product_attention(query[None], shelf.keys, shelf.values, scale=sharpness)
        first, second = page.locator(".list").nth(0), page.locator(".list").nth(1)
        assert np.abs(np.array(first.locator("td:nth-child(2)").all_inner_texts(), float) - score).max() <= HALF
        shown = np.array(first.locator("td:nth-child(3)").all_inner_texts(), float)
        assert np.abs(shown - attention.weights[0]).max() <= HALF
        blend = np.array(second.locator("td:nth-child(2)").all_inner_texts(), float)
        assert np.abs(blend - attention.output[0]).max() <= 0.05 + 1e-9
        ranges = [text.split() for text in second.locator("td:nth-child(3)").all_inner_texts()]
        assert np.array_equal(np.array(ranges, float), [[0, 90], [5, 85], [0, 95]])


def test_the_query_is_moved_by_pointer_and_by_arrow_keys(plain_page):
    page = plain_page(EXAMPLES[RetrievalPlane][0](), viewport={"width": 1100, "height": 700})
    handle = page.get_by_role("slider", name="Query")
    handle.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert trait(page, "query") == [1.1, 0.9]
    assert handle.get_attribute("aria-valuetext") == "nature 1.10, machines 0.90"
    key = page.locator("circle.key").last.bounding_box()  # Poems, at (-1.5, -1)
    ring = page.locator("circle.ring").bounding_box()
    page.mouse.move(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    page.mouse.down()
    page.mouse.move(key["x"] + key["width"] / 2, key["y"] + key["height"] / 2, steps=5)
    page.mouse.up()
    assert np.allclose(trait(page, "query"), [-1.5, -1.0], atol=0.051)
    page.mouse.move(0, 0)
    assert np.allclose(trait(page, "query"), [-1.5, -1.0], atol=0.051)
