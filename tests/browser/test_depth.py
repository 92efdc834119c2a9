"""CutTool and Explorer in a plain page: their numbers and words are NumPy's, and cuts are made by click and by key."""

import numpy as np
import pytest

from course_utils.core import pronoun
from course_utils.models.stored import pronoun as stored
from course_utils.views.depth import CutTool
from course_utils.views.explorer import Explorer
from course_utils.views.tables import focus_sentence
from tests.browser.pages import HALF, contrasts, trait

pytestmark = pytest.mark.browser
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])

# Goes through many states in one call: the page is asked once, not once for each.
READ = """
(states) => states.map((state) => {
  for (const [name, value] of Object.entries(state)) window.models[0].set(name, value);
  const texts = (selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent);
  return {
    tables: [...document.querySelectorAll(".weights")].map((table) => [...table.tBodies[0].rows]
      .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent))),
    focus: texts("tr.focus th"), readouts: texts(".readouts dd"),
    heads: texts("thead th[scope=col]:not(.axis)"), sentence: texts(".sentence"), says: texts(".says p"),
  };
})
"""


def numbers(table):
    return np.array([[0.0 if "masked" in text else float(text) for text in row] for row in table])


@pytest.mark.parametrize("kind", ["by hand", "keys read the meaning", "trained"])
def test_the_explorer_says_what_numpy_says_in_200_random_states_of_each_kind(kind, plain_page):
    options = {
        "keys read the meaning": {"keys_read_meaning": True},
        "trained": {"trained": pronoun.one(stored()[0], 4)},
    }
    view, rng = Explorer(**options.get(kind, {})), np.random.default_rng(5)
    page = plain_page(view)
    states = [
        {
            "layer": int(rng.integers(1, 3)),
            "focus": int(rng.integers(11)),
            "example": str(rng.choice(["tired", "wide"])),
            "sharpness": round(rng.uniform(0.2, 5), 1),
            "causal": bool(rng.integers(2)),
            "shuffle": bool(rng.integers(2)),
        }
        for _ in range(200)
    ]
    for state, seen in zip(states, page.evaluate(READ, states), strict=True):
        for name, value in state.items():
            setattr(view, name, value)
        words, weights, mask = view.shown()
        focus = view.order().index(view.focus)
        assert np.abs(numbers(seen["tables"][0]) - weights).max() <= HALF, state
        assert seen["heads"] == words
        assert seen["focus"] == [words[focus]]
        assert seen["sentence"] == [focus_sentence(weights, words, words, mask=mask, focus=focus)]
        expected = view.readouts()
        if expected["Path Length"].isdecimal():
            expected["Path Length"] += f' from "{view.example}"'
        assert seen["readouts"] == list(expected.values())
        adjective, path = words.index(view.example), seen["readouts"][2]
        if adjective == focus:
            assert path == "0 (the word itself)"
        elif view.causal and focus < adjective:
            assert path.startswith("none: the mask hides ")
        else:
            assert path == f'1 from "{view.example}"'


def random_cuts(rng):
    """Single edges, whole words, or everything that a word may see."""
    kind = rng.integers(4)
    if kind == 0:
        return [[int(i), 10] for i in rng.choice(11, rng.integers(0, 6), replace=False)]
    if kind == 1:
        return [[int(rng.choice([1, 5, 7])), j] for j in range(11)]
    edges = {(int(i), int(j)) for i, j in rng.integers(11, size=(rng.integers(0, 40), 2))}
    return [list(edge) for edge in sorted(edges)]


def test_the_cut_tools_numbers_and_words_are_numpys_in_every_state(plain_page):
    view, rng = CutTool(stored()[0]), np.random.default_rng(6)
    page = plain_page(view)
    story = [{"cuts": [[i, 10] for i in rows]} for rows in ([], [7], [1, 5], [1, 5, 7])]
    states = [{"model": model, "chosen": 0} | cuts for model in range(1, 6) for cuts in story]
    for _ in range(60):
        states.append({"model": int(rng.integers(1, 6)), "chosen": int(rng.integers(4)), "cuts": random_cuts(rng)})
    for state, seen in zip(states, page.evaluate(READ, states), strict=True):
        for name, value in state.items():
            setattr(view, name, value)
        for table, weights in zip(seen["tables"], view.shown(), strict=True):
            assert np.abs(numbers(table) - weights).max() <= HALF, state
        cut = np.array([["masked" in text for text in row] for row in seen["tables"][0]])
        assert np.array_equal(cut, ~view.mask()[0])
        assert seen["says"] == view.says(), state


def test_a_cell_and_a_label_are_cut_by_click_and_by_key_and_sewn_up_again(plain_page):
    page = plain_page(CutTool(stored()[0]))
    first = page.locator(".weights").first
    first.locator('[tabindex="0"]').focus()
    assert page.evaluate("document.activeElement.textContent") == "it"
    page.keyboard.press(" ")
    assert trait(page, "cuts") == [[7, 10]] and "0.500" in page.locator(".says p").last.inner_text()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert trait(page, "cuts") == [[7, 10], [8, 1]]
    first.locator("tbody tr").nth(7).locator("td").nth(10).click()
    assert trait(page, "cuts") == [[8, 1]]
    first.locator("tbody tr").nth(1).locator("th").click()
    assert trait(page, "cuts") == [[8, 1], [1, 10]]
    assert page.evaluate("document.activeElement.ariaDescription") == "does not see the adjective"
    for key in ("Home", "ArrowLeft", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.textContent") == "the"
    page.get_by_role("button", name="Undo 2 Cuts").click()
    assert trait(page, "cuts") == [] and page.locator("td.masked").count() == 0
    assert page.get_by_role("button", name="Nothing Is Cut").get_attribute("aria-disabled") == "true"


@every_theme
def test_the_cut_tool_can_be_read_in_every_way(theme, plain_page):
    page = plain_page(CutTool(stored()[0], cuts=[[7, 10], [0, 0]]), color_scheme=theme)
    found = contrasts(page, ".cut-tool :is(p, span, caption, th, td, button, legend, label, option)")
    assert len(found) > 250 and min(found, key=lambda text: text["contrast"])["contrast"] >= 4.5


def test_the_cut_tool_answers_at_once(plain_page):
    page = plain_page(CutTool(stored()[0]))
    took = page.evaluate(
        "() => { const start = performance.now();"
        " for (let i = 0; i < 20; i += 1) window.models[0].set('cuts', [[i % 11, 10]]);"
        " return (performance.now() - start) / 20; }"
    )
    assert took < 500  # only against a hang
