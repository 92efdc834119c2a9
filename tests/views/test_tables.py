"""The picture that stays: its numbers, its words and its size."""

import re

import numpy as np
import pytest

from course_utils.core.masks import causal_mask
from course_utils.views.tables import fault_sentences, focus_sentence, weight_table

WORDS = ["the", "cat", "the", "mat", "sat"]


def random_weights(n_queries=5, n_keys=7):
    weights = np.random.default_rng(3).random((n_queries, n_keys))
    return weights / weights.sum(axis=-1, keepdims=True)


def test_the_cells_hold_the_rounded_weights():
    weights = random_weights()
    picture = weight_table(weights, WORDS, [*"abcdefg"])
    cells = re.findall(r"<td style=[^>]*>([^<]+)</td>", picture)
    assert np.array_equal(np.array(cells, float).reshape(5, 7), np.round(weights, 2))


def test_every_cell_says_its_background_and_its_ink():
    picture = weight_table(random_weights(), WORDS, [*"abcdefg"])
    cells = re.findall(r"<t[hd] [^>]*>", picture)
    assert len(cells) == 2 + 1 + 7 + 5 * 8
    assert all(re.search(r'style="background:#[0-9a-f]{3,6};color:#[0-9a-f]{3}', cell) for cell in cells)


def test_the_ink_can_be_read_on_every_background():
    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        red, green, blue = (u / 12.92 if u <= 0.04045 else ((u + 0.055) / 1.055) ** 2.4 for u in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    picture = weight_table(np.linspace(0, 1, 12)[None], ["all"], [*"abcdefghijkl"])
    backgrounds = re.findall(r"<td style=\"background:#([0-9a-f]{6});color:#111", picture)
    assert len(set(backgrounds)) == 12 + 1  # and that of the corner
    assert min((light(colour) + 0.05) / (light("111111") + 0.05) for colour in backgrounds) >= 4.5


def test_eleven_tokens_stay_small():
    words = [f"becauses{i}" for i in range(11)]
    weights, mask = np.full((11, 11), 1 / 11), ~causal_mask(11)  # every second cell a leak: the largest case
    assert len(weight_table(weights, words, words, mask=mask).encode()) <= 40 * 1024


def test_words_are_escaped():
    assert "<b>" not in weight_table(np.eye(2), ["<b>", "&"], title="<b>", keys=["x", "<b>"])


def test_the_focus_row_names_its_three_largest_keys():
    weights = np.array([[0.1, 0.4, 0.05, 0.25, 0.2]])
    says = focus_sentence(weights, ["it"], WORDS)
    assert says == '"it" looks most at "cat" (0.400), "mat" (0.250) and "sat" (0.200).'


def test_a_word_that_occurs_twice_gets_its_place():
    says = focus_sentence(np.eye(5), WORDS, WORDS, focus=2)
    assert says == '"the" at place 3 looks most at "the" at place 3 (1.000).'


def test_a_row_that_may_look_at_nothing_says_so():
    mask = causal_mask(5)
    mask[3] = False
    weights = np.where(mask, 0.2, 0)
    says = focus_sentence(weights, WORDS, WORDS, mask=mask, focus=3)
    assert says == '"mat" may look at nothing: its weights are all 0.'
    assert "· means masked." in weight_table(weights, WORDS, WORDS, mask=mask)


def test_leaks_are_counted_and_named():
    weights = causal_mask(5) / np.arange(1, 6)[:, None]
    weights[1] = [0.5, 0.32, 0, 0.18, 0]
    one = fault_sentences(weights, WORDS, WORDS, mask=causal_mask(5))
    assert one == ['1 leak: "cat" looks at "mat" (0.18), which the mask hides.']
    weights[0] = [0.2, 0.2, 0.2, 0.2, 0.2]
    (many,) = fault_sentences(weights, WORDS, WORDS, mask=causal_mask(5))
    assert many.startswith("5 leaks: ") and many.endswith(" and 2 more, which the mask hides.")
    weights[0] = [0.999, 0, 0, 0, 0.001]
    (small,) = fault_sentences(weights, WORDS, WORDS, mask=causal_mask(5))
    assert '"the" at place 1 looks at "sat" (less than 0.01)' in small


def test_rows_that_do_not_sum_to_one_are_named():
    weights = np.eye(5)
    weights[1, 1], weights[3, 0] = 0.6, 0.5
    told = fault_sentences(weights, WORDS, WORDS)
    assert told == ['2 rows do not sum to 1: "cat" (0.600) and "mat" (1.500).']
    weights[1], weights[3] = 0, np.eye(5)[3] * 0.995  # no weight at all, and the rounding of bfloat16
    assert fault_sentences(weights, WORDS, WORDS) == ['1 row does not sum to 1: "cat" (0.000).']
    nothing = np.ones((5, 5), dtype=bool)
    nothing[1] = False  # a row that may look at nothing is right to be empty
    assert fault_sentences(weights, WORDS, WORDS, mask=nothing) == []


def test_negative_weights_are_named_even_where_a_row_sums_to_one_or_to_nothing():
    weights = np.eye(5)
    weights[1, :2], weights[3, :2] = (1.5, -0.5), (1, -1)
    weights[3, 3] = 0
    assert fault_sentences(weights, WORDS, WORDS) == [
        '2 weights are negative: "cat" to "cat" (-0.50) and "mat" to "cat" (-1.00).',
        '1 row does not sum to 1: "mat" (0.000).',
    ]


def test_nan_is_no_leak_and_is_counted():
    weights = np.full((5, 5), 0.2)
    weights[0, 4] = np.nan
    told = fault_sentences(weights, WORDS, WORDS, mask=np.ones((5, 5), dtype=bool))
    assert told == ["1 of 25 weights is NaN."]
    assert fault_sentences(weights[:1], ["the"], WORDS, mask=np.array([[True] * 4 + [False]])) == [
        "1 of 5 weights is NaN."
    ]
    assert "NaN</td>" in weight_table(weights, WORDS, WORDS)


@pytest.mark.parametrize("n", [12, 13])
def test_numbers_stand_in_the_cells_up_to_twelve_tokens(n):
    words = [f"w{i}" for i in range(n)]
    assert (">1.00<" in weight_table(np.eye(n), words, words)) == (n == 12)
