"""The widgets' own JavaScript in a plain page, without Jupyter: fast, and exact about numbers."""

import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.views.explorer import Explorer
from course_utils.views.maps import WeightMap
from course_utils.views.tables import fault_sentences, focus_sentence
from tests.browser.examples import EXAMPLES, WORDS, leaky_map, scores, widget_classes
from tests.browser.latency import latency, p95
from tests.browser.pages import HALF, contrasts, numbers, set_trait, set_traits, trait

pytestmark = pytest.mark.browser
every_widget = pytest.mark.parametrize("cls", widget_classes(), ids=lambda cls: cls.__name__)
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])


def example(cls, **settings):
    return EXAMPLES[cls][0](**settings)


@every_widget
def test_every_widget_has_an_example(cls):
    assert cls in EXAMPLES, f"add {cls.__name__} to tests/browser/examples.py"


# ---------------------------------------------------------------- every widget


@every_widget
def test_a_widget_draws_draws_again_and_stands_twice_on_a_page(cls, plain_page):
    page = plain_page(example(cls), example(cls))
    assert page.locator(".course-view").count() == 2
    page.evaluate("window.drawAgain(0)")
    assert page.locator(".course-view").count() == 3
    first, second, third = (page.locator(".course-view").nth(i).inner_text() for i in range(3))
    assert first == second == third and first.strip()
    assert page.locator("input[type=radio]:checked").count() == page.locator("fieldset").count()


@every_widget
def test_all_text_can_be_read_in_both_themes(cls, plain_page):
    page = plain_page(example(cls, predict="What will you see?"), color_scheme="light")
    page.get_by_label("Your prediction").fill("this")
    page.get_by_role("button").click()
    for name, value in (("focus", 2), ("sharpness", 5.0), ("causal", True)):
        set_trait(page, name, value)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found = contrasts(page, ".course-view :is(p, label, legend, caption, th, td, dt, dd, .hint, span.bar)")
        assert found and min(found, key=lambda text: text["contrast"])["contrast"] >= 4.5, theme


@every_theme
def test_a_number_can_be_read_at_every_weight(theme, plain_page):
    weights = np.linspace(0, 1, 12).reshape(1, 12)
    page = plain_page(WeightMap(weights=weights, queries=["all"], keys=[*"abcdefghijkl"]), color_scheme=theme)
    cells = contrasts(page, "td.weight")
    assert len(cells) == 12
    assert len({cell["behind"] for cell in cells}) == 12  # so the colours were seen, not skipped
    assert min(cell["contrast"] for cell in cells) >= 4.5


@every_theme
def test_faults_and_the_closed_box_can_be_read(theme, plain_page):
    page = plain_page(leaky_map(), example(WeightMap, predict="Where?"), color_scheme=theme)
    page.get_by_role("button").click()
    texts = contrasts(page, ":is(.faults, td.masked, td.leak, td.nan, .predict :is(p, label, button, textarea))")
    assert len(texts) == 1 + 19 + 1 + 1 + 4
    assert min(text["contrast"] for text in texts) >= 4.5


@every_widget
def test_every_control_has_a_name_and_works_by_keyboard(cls, plain_page):
    page = plain_page(example(cls))
    controls = page.locator(".course-view :is(input, select, textarea, button)")
    for i in range(controls.count()):
        control = controls.nth(i)
        assert control.evaluate(
            "node => [...(node.labels ?? [])].map((l) => l.textContent).join() || node.textContent"
        ).strip()
        control.focus()
        assert control.evaluate("node => node === document.activeElement")
    for name, key in (("Sharpness", "ArrowRight"), ("Focus", "ArrowDown")):
        control = page.get_by_label(name, exact=False).first
        if control.count():
            before = control.input_value()
            control.focus()
            page.keyboard.press(key)
            assert control.input_value() != before


@every_widget
def test_keys_do_not_reach_the_notebook(cls, plain_page):
    page = plain_page(example(cls))
    page.evaluate("() => { window.heard = 0; document.addEventListener('keydown', () => { window.heard += 1; }); }")
    page.locator(".course-view :is(input, textarea, select)").first.focus()
    page.keyboard.press("b")
    assert page.evaluate("window.heard") == 0


@every_widget
def test_a_narrow_page_does_not_scroll_sideways(cls, plain_page):
    page = plain_page(example(cls), viewport={"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@every_widget
def test_what_a_prediction_unlocks_stays_closed_until_something_is_written(cls, plain_page):
    page = plain_page(example(cls, predict="Where will it look?"))
    assert "Where will it look?" in page.locator(".course-view").inner_text()
    closed = ".course-view :is(table, .reveal)"
    button = page.get_by_role("button", name="Write it down")
    for blank in ("", "  \n "):
        page.get_by_label("Your prediction").fill(blank)
        button.click()
        assert page.locator(closed).count() == 0
        assert "Nothing is written yet" in page.locator(".note").inner_text()
    page.get_by_label("Your prediction").fill("at <b>tired</b>")
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator(closed).count() > 0
    assert "You wrote: at <b>tired</b>" in page.locator(".course-view").inner_text()
    assert trait(page, "prediction") == "at <b>tired</b>"
    page.evaluate("window.drawAgain(0)")  # the second view knows what was written
    assert page.locator(".wrote").count() == 2 and button.count() == 0


# ---------------------------------------------------------------- numbers


def test_a_maps_numbers_are_numpys_in_every_state(plain_page):
    rng = np.random.default_rng(7)
    for n_queries, n_keys in ((5, 7), (7, 5), (6, 6)):
        given = rng.normal(size=(n_queries, n_keys)) * 3
        mask = rng.random((n_queries, n_keys)) < 0.8
        mask[1] = False
        queries, keys = [f"q{i}" for i in range(n_queries)], [f"k{j}" for j in range(n_keys)]
        page = plain_page(WeightMap(given, queries, keys, mask=mask))
        for _ in range(20):
            sharpness, causal = round(rng.uniform(0, 5), 1), bool(rng.integers(2))
            focus = int(rng.integers(n_queries))
            set_traits(page, sharpness=sharpness, causal=causal, focus=focus)
            view = WeightMap(given, queries, keys, mask=mask, sharpness=sharpness, causal=causal, focus=focus)
            # One-hot values hand the weights out as attention's output.
            expected = scaled_dot_product_attention(
                given * sharpness, np.eye(n_keys), np.eye(n_keys), mask=mask, causal=causal, scale=1.0
            ).weights
            assert np.abs(numbers(page) - expected).max() <= HALF
            assert page.locator(".readouts dd").inner_text() == f"{expected[focus].sum():.3f}"
            allowed = view.shown()[1]
            assert page.locator(".sentence").inner_text() == focus_sentence(
                expected, queries, keys, mask=allowed, focus=focus
            )
            assert page.locator("tr.focus th").inner_text() == queries[focus]


def test_fixed_weights_are_shown_as_they_are(plain_page):
    weights = np.array([[0.125, 0.375, 0.5, 0.0], [-0.25, 2.0, np.nan, np.inf]])  # halves round to even, as in Python
    page = plain_page(WeightMap(weights=weights, queries=["a", "b"], keys=[*"wxyz"]))
    assert page.locator("tbody td").all_inner_texts() == ["0.12", "0.38", "0.50", "0.00", "-0.25", "2.00", "NaN", "inf"]
    assert page.get_by_label("Sharpness").count() == page.get_by_label("Causal Mask").count() == 0


# ---------------------------------------------------------------- masks and leaks


def test_masked_cells_leaks_and_nan_are_told_without_colour(plain_page):
    view = leaky_map()
    page = plain_page(view)
    assert page.locator("td.masked").count() == 19 and page.locator("td.leak").count() == 1
    assert set(page.locator("td.masked").all_text_contents()) == {"· masked"}
    assert page.locator("td.leak").text_content() == "0.18! leak"
    assert page.locator("td.nan").text_content() == "NaN"
    assert (
        page.locator(".faults").inner_text()
        == " ".join(fault_sentences(view.weights, WORDS, WORDS, mask=view.mask))
        == '1 leak: "sat" looks at "on" (0.18), which the mask hides. '
        '1 row does not sum to 1: "sat" (1.180). 1 of 36 weights is NaN.'
    )
    assert page.locator("td.leak").evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    assert "gradient" in page.locator("td.masked").first.evaluate("node => getComputedStyle(node).backgroundImage")
    set_trait(page, "focus", 4)
    assert page.locator(".sentence").inner_text() == '"the" at place 5 may look at nothing: its weights are all 0.'
    set_trait(page, "focus", 3)
    assert "holds NaN" in page.locator(".sentence").inner_text()
    assert page.locator(".readouts dd").inner_text() == "NaN"


def test_the_browser_says_the_same_as_python_about_negative_weights_and_empty_rows(plain_page):
    weights = np.eye(6)
    weights[1, :2], weights[3], weights[4] = (1.5, -0.5), 0, 0
    mask = np.ones((6, 6), dtype=bool)
    mask[4] = False  # may look at nothing, so its row is rightly empty
    told = " ".join(fault_sentences(weights, WORDS, WORDS, mask=mask))
    assert told.startswith("1 weight is negative") and told.count("1 row does not sum to 1") == 1
    page = plain_page(WeightMap(weights=weights, queries=WORDS, mask=mask))
    assert page.locator(".faults").inner_text() == told


def test_a_large_map_shows_colours_and_still_says_its_numbers(plain_page):
    words = [f"w{i}" for i in range(13)]
    page = plain_page(WeightMap(scores(13, 13), words, causal=True))
    cells = page.locator("td.weight").evaluate_all("cells => cells.map((cell) => cell.ariaLabel)")
    assert len(cells) == 13 * 14 / 2 and cells[0] == "1.00"  # no room for the eye, there for a reader
    assert page.locator("td.masked").count() == 13 * 12 / 2
    assert page.locator("td.masked").first.get_attribute("aria-label") == "masked"


def test_the_table_names_its_axes(plain_page):
    page = plain_page(WeightMap(scores(2, 3), ["a", "b"], ["x", "y", "z"], title="Who looks where"))
    assert page.get_by_role("table", name="Who looks where").count() == 1
    assert page.get_by_role("rowheader", name="b").count() == 1
    assert page.get_by_role("columnheader", name="z").count() == 1
    text = page.locator("thead").inner_text()
    assert "query (row)" in text and "key (column)" in text


# ---------------------------------------------------------------- controls and views


def test_two_views_of_one_model_stay_in_step(plain_page):
    page = plain_page(Explorer())
    page.evaluate("window.drawAgain(0)")
    first, second = page.locator(".course-view").nth(0), page.locator(".course-view").nth(1)
    first.get_by_label("Causal Mask").check()
    first.get_by_label("2", exact=True).check()
    first.get_by_label("Focus Row").select_option("10")
    first.get_by_label("Sharpness").fill("3.3")
    assert second.get_by_label("Causal Mask").is_checked() and second.get_by_label("2", exact=True).is_checked()
    assert second.get_by_label("Sharpness").input_value() == "3.3"
    assert first.inner_text() == second.inner_text() and "tired" in second.locator("tr.focus th").inner_text()


def test_a_drag_draws_every_step_and_tells_the_kernel_now_and_then(plain_page):
    page = plain_page(example(WeightMap))
    times = latency(page, "input[type=range]", [round(0.1 * i, 1) for i in range(11, 45)])
    assert p95(times) < 500  # only against a hang; `make bench` has the real figure
    page.wait_for_timeout(150)
    assert 1 <= page.evaluate("window.models[0].saves") < len(times)
    assert trait(page, "sharpness") == 4.4


def test_a_drag_does_not_move_the_page(plain_page):
    page = plain_page(Explorer(), viewport={"width": 1000, "height": 900})
    heights = set()
    for sharpness in (0.2, 1.0, 2.5, 5.0):
        set_trait(page, "sharpness", sharpness)
        heights.add(page.evaluate("document.querySelector('.course-view').getBoundingClientRect().height"))
    assert len(heights) == 1


def test_a_click_on_a_row_gives_it_the_focus(plain_page):
    page = plain_page(Explorer(shuffle=True))
    page.locator("tbody tr").first.click()
    assert trait(page, "focus") == 10 and page.locator("tr.focus th").inner_text() == "tired"


def test_a_label_cannot_become_code(plain_page):
    evil = "</script><img src=x onerror=window.evil=1>"
    page = plain_page(WeightMap(scores(2, 2), [evil, "b"], title=evil, predict=evil))
    page.get_by_label("Your prediction").fill(evil)
    page.get_by_role("button").click()
    assert page.evaluate("window.evil") is None
    assert page.locator("img").count() == 0
