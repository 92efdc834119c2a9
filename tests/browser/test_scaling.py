"""ScalingExplorer in a browser: its numbers in every state, its bars, its slider."""

import numpy as np
import pytest

from course_utils.core.scores import entropy
from course_utils.views.scaling import RULES, WIDTHS, ScalingExplorer, gradient, verdict
from tests.browser.latency import latency, p95
from tests.browser.pages import contrasts, set_trait, set_traits, trait

pytestmark = pytest.mark.browser
HALF = 0.0005 + 1e-9  # half a unit of the last of three digits
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])


def number(text):
    return float(text.replace("−", "-"))


@pytest.mark.parametrize("n_keys", [8, 5])
def test_the_scaling_explorers_numbers_are_numpys_in_every_state(n_keys, plain_page):
    view = ScalingExplorer(n_keys=n_keys)
    page = plain_page(view)
    for exponent in range(11):
        for rule in RULES:
            view.d_k, view.rule = 2**exponent, rule
            set_traits(page, d_k=view.d_k, rule=rule)
            scores, weights = view.shown()
            texts = [
                [number(text) for text in row]
                for row in page.evaluate(
                    "() => [...document.querySelector('.keys').tBodies[0].rows]"
                    ".map((row) => [...row.querySelectorAll('.number')].map((node) => node.textContent))"
                )
            ]
            assert np.abs(np.array(texts)[:, 0] - scores).max() <= 0.005 + 1e-9
            assert np.abs(np.array(texts)[:, 1] - weights).max() <= HALF
            spread, largest, nats, reaction = page.locator(".readouts dd").all_inner_texts()
            assert abs(float(spread) - scores.std()) <= 0.005 + 1e-9
            assert abs(float(largest) - weights.max()) <= HALF
            assert abs(float(reaction) - gradient(weights)) <= 0.00005 + 1e-9
            some, most = nats.removesuffix(" nats").split(" of at most ")
            assert abs(float(some) - entropy(weights)) <= 0.005 + 1e-9
            assert most == f"{np.log(n_keys):.2f}"
            assert page.locator(".sentence").inner_text() == verdict(weights)
            assert page.locator("tr.top th").inner_text() == f"key {weights.argmax() + 1}"
            now = page.locator(".overview td.now")
            assert now.count() == (view.d_k in WIDTHS)
            if now.count():
                assert now.locator(".largest").inner_text() == largest
                assert now.locator(".gradient").inner_text() == reaction
            assert page.locator(".overview th.now").first.inner_text() in (f"d_k {view.d_k}", rule)


def test_the_overview_shows_every_rule_at_five_widths(plain_page):
    view = ScalingExplorer()
    page = plain_page(view)
    for kind, digits, of in ((".largest", 3, np.max), (".gradient", 4, gradient)):
        shown = np.array(page.locator(f".overview {kind}").all_inner_texts(), float).reshape(3, 5)
        expected = [[of(view.shown(d_k, rule)[1]) for d_k in WIDTHS] for rule in RULES]
        assert np.abs(shown - expected).max() <= 0.5 * 10**-digits + 1e-9
    assert page.locator(".overview td").first.text_content() == "0.624, gradient 0.3546"


def test_the_bars_show_the_sign_and_say_when_they_are_cut_off(plain_page):
    view = ScalingExplorer(d_k=1024)
    page = plain_page(view)
    scores, _ = view.shown()
    marks = page.locator(".signed").all_text_contents()
    assert marks == ["▸" if score > 20 else "◂" if score < -20 else "" for score in scores] and "▸" in marks
    ends = page.locator(".signed").evaluate_all(
        "bars => bars.map((bar) => ['--from', '--to'].map((end) => Number(bar.style.getPropertyValue(end))))"
    )
    expected = np.clip(np.stack([np.minimum(scores, 0), np.maximum(scores, 0)], axis=1) / 20, -1, 1)
    assert np.allclose(ends, expected)


def test_the_width_is_a_power_of_two_by_keyboard_and_is_said(plain_page):
    page = plain_page(ScalingExplorer())
    slider = page.get_by_label("d_k", exact=False).first
    slider.focus()
    for key, d_k in (("ArrowRight", 128), ("End", 1024), ("Home", 1), ("ArrowRight", 2)):
        page.keyboard.press(key)
        assert trait(page, "d_k") == d_k
        assert slider.get_attribute("aria-valuetext") == str(d_k)
        assert page.locator(".shown").inner_text() == str(d_k)
    page.get_by_label("1/d_k", exact=True).check()
    assert trait(page, "rule") == "1/d_k" and "1/d_k" in page.locator(".overview th.now").all_inner_texts()


@every_theme
def test_the_scaling_explorer_can_be_read(theme, plain_page):
    page = plain_page(ScalingExplorer(), color_scheme=theme)
    for d_k in (2, 64, 1024):
        set_trait(page, "d_k", d_k)
        found = contrasts(page, ".scaling :is(p, span, caption, th, td, dt, dd, legend, label)")
        assert len(found) > 60 and min(text["contrast"] for text in found) >= 4.5


def test_the_width_slider_answers_at_once_and_moves_nothing(plain_page):
    page = plain_page(ScalingExplorer(), viewport={"width": 1000, "height": 900})
    height = "document.querySelector('.course-view').getBoundingClientRect().height"
    before = page.evaluate(height)
    times = latency(page, "input[type=range]", [*range(11)] * 4, watch=".scaling")
    assert p95(times) < 500  # only against a hang
    assert page.evaluate(height) == before
