"""Texts are filled, taken apart, and set."""

import pytest

from course_utils.exercises.engine import words


@pytest.mark.parametrize(
    "text, found",
    [
        ("36 of .84, then 402.7", ["36", ".84", "402.7"]),
        ("W_1, H100, float16 and GPT-2", ["2"]),
        ("1/sqrt(64), 2,048 and 1e9.", ["1", "64", "2,048", "1e9"]),
        ("{share:.2f} of {{3}} and {row[0]}", ["3"]),
        ("no number", []),
    ],
)
def test_the_numbers_that_stand_in_a_text(text, found):
    assert words.literals(text) == found


def test_a_text_is_filled_and_rounded():
    assert words.fill("{share:.2f} of {row[1]}", {"share": 0.8449, "row": [1, 7]}, "here") == "0.84 of 7"


@pytest.mark.parametrize(
    "text, refusal",
    [
        ("{shares}", "here: nothing is called {shares}; there are share"),
        ("{share:d}", "here: this cannot be filled in"),
        ("{share[0]}", "here: this cannot be filled in"),
    ],
)
def test_what_cannot_be_filled_is_refused_with_its_place(text, refusal):
    with pytest.raises(ValueError, match=refusal.replace("{", r"\{")):
        words.fill(text, {"share": 0.5}, "here")


def test_paragraphs_with_numbers_keep_their_lines():
    text = "A sentence\nthat was broken.\n\nyours\n  1 2\n  3 4"
    assert words.in_lines(text) == "A sentence that was broken.\n\nyours\n  1 2\n  3 4"


@pytest.mark.parametrize("text, markup", [
    ("a < b & c", "a &lt; b &amp; c"), ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
    ("use `x @ W_Q < 3` here", "use <code>x @ W_Q &lt; 3</code> here"),
    ("`<b>` and `c`", "<code>&lt;b&gt;</code> and <code>c</code>"),
    ("one\ntwo\n\nthree", "one<br>two<br><br>three"), ('"quoted"', "&quot;quoted&quot;"), ("a ` b", "a ` b"),
    ("Q Kᵀ / sqrt(d_k)", "Q Kᵀ / sqrt(d_k)"), ("{{Question}}", "{{Question}}"),
])  # fmt: skip
def test_words_become_safe_html(text, markup):
    assert words.as_html(text) == markup
