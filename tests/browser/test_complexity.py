"""CostCalculator in a plain page: its texts are those of core.cost in every state, nonsense is refused in words."""

import numpy as np
import pytest

from course_utils.core.cost import MODELS
from course_utils.views.complexity import MOST, OWN, PARTS, CostCalculator
from tests.browser.latency import latency, p95
from tests.browser.pages import contrasts, set_traits, trait

pytestmark = pytest.mark.browser
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])

LINES = """
() => [...document.querySelectorAll(".lines")].map((table) =>
  [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)))
"""
SIZES = "layers", "d_model", "n_heads", "n_kv_heads"


def check_costs(page, view):
    """All texts on the page are those that Python makes with core.cost."""
    assert page.evaluate(LINES) == [[list(line) for line in lines] for lines in (view.counted(), view.followed())]
    shares = [f"{part} {100 * share:.1f} %" for part, share in zip(PARTS, view.shares(), strict=True)]
    assert page.locator(".legend .part").all_inner_texts() == shares
    assert page.locator(".notes").text_content() == " ".join(view.notes())
    assert page.locator(".sentence").inner_text() == (
        f"At n = {view.n:,} the n² part is {100 * view.shares()[1]:.1f} % of the FLOP. "
        f"Twice the tokens cost {view.growth():.2f} times as much."
    )


def type_in(page, label, text):
    field = page.get_by_role("textbox", name=label, exact=True)
    field.fill(text)
    field.press("Enter")
    return field


def test_the_costs_are_those_of_python_for_every_model(plain_page):
    page = plain_page(CostCalculator())
    for name in MODELS:
        page.get_by_role("combobox", name="Model", exact=True).select_option(name)
        for n in (1, 512, 4096, 131_072):
            view = CostCalculator(name, n)
            set_traits(page, n=n)
            check_costs(page, view)
            assert [trait(page, size) for size in SIZES] == [getattr(view, size) for size in SIZES]


def test_the_costs_are_those_of_python_in_many_states(plain_page):
    page, rng = plain_page(CostCalculator()), np.random.default_rng(29)
    for _ in range(60):
        shared, copies, d_head = (int(rng.choice(options)) for options in ([1, 2, 8], [1, 4, 5], [1, 64, 80, 128]))
        sizes = {
            "n": int(2 ** rng.uniform(0, 20)),
            "layers": int(rng.integers(1, 130)),
            "n_kv_heads": shared,
            "n_heads": shared * copies,
            "d_model": shared * copies * d_head,
            "bytes_each": int(rng.choice([1, 2, 4, 8])),
            "batch": int(rng.choice([1, 7, 64])),
        }
        set_traits(page, model=OWN, **sizes)
        check_costs(page, CostCalculator(**sizes))


def test_nonsense_is_refused_in_words_and_the_last_good_number_stays(plain_page):
    page = plain_page(CostCalculator(n=1024))
    before = page.evaluate(LINES)
    for text, says in (
        ("many", "“many” is no whole number. 1,024 still counts."),
        ("<b>1</b>", "“<b>1</b>” is no whole number. 1,024 still counts."),
        ("1.5", "“1.5” is no whole number. 1,024 still counts."),
        ("1e3", "“1e3” is no whole number. 1,024 still counts."),
        ("", "Nothing is typed. 1,024 still counts."),
        ("-5", "-5 is too small: 1 at least. 1,024 still counts."),
        ("0", "0 is too small: 1 at least. 1,024 still counts."),
        ("1048577", "1048577 is too large: 1,048,576 at most. 1,024 still counts."),
        ("9" * 400, f"{'9' * 16}… is too large: 1,048,576 at most. 1,024 still counts."),
    ):
        field = type_in(page, "n (tokens)", text)
        assert page.locator(".refused").first.inner_text() == says
        assert field.get_attribute("aria-invalid") == "true" and field.input_value() == text
        note = page.locator(f"[id='{field.get_attribute('aria-describedby')}']")
        assert note.inner_text() == says
        assert trait(page, "n") == 1024 and page.evaluate(LINES) == before
    type_in(page, "n (tokens)", " 4,096 ")
    assert trait(page, "n") == 4096 and page.locator(".refused").first.text_content() == ""
    assert page.locator("[aria-invalid]").count() == 0
    for name, most in MOST.items():
        assert trait(page, "most")[name] == most


def test_heads_that_do_not_divide_wait_until_the_sizes_fit(plain_page):
    page = plain_page(CostCalculator())
    type_in(page, "d_model", "1000")
    refused = page.locator(".field", has_text="kv heads").locator(".refused")
    heads = page.locator(".refused").nth(3)
    assert heads.inner_text() == "d_model 1,000 cannot be split into 12 equal heads. 768 and 12 still count."
    assert trait(page, "d_model") == 768 and trait(page, "model") == "BERT-base"
    type_in(page, "batch", "3")  # the rest goes on, and what waits is left as it was typed
    assert trait(page, "batch") == 3
    assert page.get_by_role("textbox", name="d_model", exact=True).input_value() == "1000"
    type_in(page, "heads", "10")  # the key/value heads go along
    assert [trait(page, size) for size in SIZES] == [12, 1000, 10, 10] and trait(page, "model") == OWN
    assert page.get_by_role("combobox", name="Model", exact=True).input_value() == OWN
    type_in(page, "kv heads", "3")
    assert refused.inner_text() == "10 heads cannot share 3 key/value heads equally. 10 and 10 still count."
    type_in(page, "kv heads", "2")
    assert refused.text_content() == "" and trait(page, "n_kv_heads") == 2
    check_costs(page, CostCalculator(d_model=1000, n_heads=10, n_kv_heads=2, batch=3))
    type_in(page, "heads", "7")
    page.get_by_role("combobox", name="Model", exact=True).select_option(
        "Llama-3-8B"
    )  # a model clears what was refused
    assert page.locator("[aria-invalid]").count() == 0
    assert page.get_by_role("textbox", name="heads", exact=True).input_value() == "32"
    check_costs(page, CostCalculator("Llama-3-8B", batch=3))


def test_the_tokens_double_in_four_steps_of_the_slider(plain_page):
    page = plain_page(CostCalculator())
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert trait(page, "n") == 1024 and slider.get_attribute("aria-valuetext") == "1,024 tokens"
    assert page.get_by_role("textbox", name="n (tokens)").input_value() == "1024"
    page.keyboard.press("End")
    assert trait(page, "n") == MOST["n"]
    page.keyboard.press("Home")
    assert trait(page, "n") == 1
    page.get_by_label("Bytes per Number").select_option("4")
    assert trait(page, "bytes_each") == 4


def test_the_bar_has_the_shares_and_a_pattern_for_each(plain_page):
    view = CostCalculator(n=4608)
    page = plain_page(view)
    widths = page.locator(".pieces div").evaluate_all(
        "nodes => nodes.map((node) => node.getBoundingClientRect().width)"
    )
    assert np.abs(np.array(widths) / sum(widths) - view.shares()).max() < 0.01
    looks = page.locator(".pieces div").evaluate_all(
        "nodes => nodes.map((node) => getComputedStyle(node).backgroundImage)"
    )
    assert len({look.split("(")[0] for look in looks}) == 3


@every_theme
def test_the_calculator_can_be_read(theme, plain_page):
    page = plain_page(CostCalculator("Llama-3-8B", 16384), color_scheme=theme)
    type_in(page, "heads", "7")
    type_in(page, "n (tokens)", "-1")
    found = contrasts(page, ".complexity :is(p, span, output, caption, th, td, label, option)")
    assert len(found) > 60 and min(found, key=lambda text: text["contrast"])["contrast"] >= 4.5


def test_the_calculator_answers_at_once(plain_page):
    page = plain_page(CostCalculator())
    assert p95(latency(page, "input[type=range]", [*range(10, 40)], watch=".complexity")) < 500
