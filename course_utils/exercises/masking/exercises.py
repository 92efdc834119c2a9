"""Exercises of ``04_masking``: masks by hand and by code, and a test that finds a leak."""

import numpy as np

from course_utils.core.masks import causal_mask as reference_mask
from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example
from course_utils.exercises.engine.exercise import Exercise
from course_utils.exercises.masking.mistakes import hiding, leaks, masks

LESSON = "04_masking"
HAND = 0.0015  # three decimals, with room for rounding on the way
LEAK = 1e-12  # a change of the past that rounding alone does not make


def causal_mask(n_queries, n_keys):
    positions = np.arange(n_queries) + (n_keys - n_queries)
    return np.arange(n_keys) <= positions[:, None]


def window_mask(n, width):
    i, j = np.arange(n)[:, None], np.arange(n)
    return (i - width < j) & (j <= i)


def padding_mask(lengths, n_keys):
    return (np.arange(n_keys) < np.asarray(lengths)[:, None])[:, None, :]


def leak_test(attention):
    random = np.random.default_rng(0)
    before = random.normal(size=(3, 6, 4))
    largest = 0.0
    for now in range(1, 6):
        after = before.copy()
        after[:, now:] = random.normal(size=after[:, now:].shape)
        change = attention(*after)[:now] - attention(*before)[:now]
        largest = max(largest, np.abs(change).max())
    return largest


def causal_row():
    _, _, x, W_Q, W_K, _ = worked_example()
    scaled = (x[2] @ W_Q) @ (x @ W_K).T / 2
    return [round(float(weight), 3) for weight in softmax(scaled[:3])]


def allowed_pairs():
    return [int(mask.sum()) for mask in (reference_mask(8), window_mask(8, 3))]


def zero_is_no_mask():
    scaled = np.array([0.0, -1.0, 1.0, 1.5])  # row "love" of the worked example
    return round(float(softmax(np.where(np.arange(4) < 2, scaled, 0.0))[2:].sum()), 3)


def _every_pair_by_loop(n_queries, n_keys):
    return [[j <= i + n_keys - n_queries for j in range(n_keys)] for i in range(n_queries)]


def _numpy_triangle(n_queries, n_keys):
    return np.tril(np.ones((n_queries, n_keys)), k=n_keys - n_queries)


def _window_by_loop(n, width):
    return np.array([[i - width < j <= i for j in range(n)] for i in range(n)])


def _window_by_triangles(n, width):
    ones = np.ones((n, n), dtype=bool)
    return np.tril(ones) & np.triu(ones, k=1 - width)


def _edits_one_token(attention):
    random = np.random.default_rng(1)
    arrays = random.normal(size=(3, 7, 5))
    worst = []
    for now in range(1, 7):
        edited = arrays.copy()
        edited[:, now] += 3
        worst.append(np.abs(attention(*edited)[:now] - attention(*arrays)[:now]).max())
    return max(worst)


def says_what_it_misses(run, arguments, value):
    """For leak_test: which kind of attention it judges the other way."""
    (attention,) = arguments
    what = attention.__doc__.strip().rstrip(".")
    if np.ndim(value) == 0 and value:
        return f"Your test reports a leak in an attention that has none: {what}. What else changed than the future?"
    return f"Your test finds no leak in an attention that has one: {what}. Which edit would show it?"


EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=allowed_pairs,
        covers="36 = 8 * 9 / 2, and 1 + 2 + 6 * 3 = 21.",
        mistakes=[hiding.counts_all_pairs, hiding.leaves_out_the_diagonal, hiding.counts_one_key_more],
        hints=[
            "Row i of the causal map has i + 1 pairs, from i = 0.",
            "In the window, no row has more than 3.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=causal_row,
        tolerance=HAND,
        covers="Three keys share 1; the fourth does not take part.",
        mistakes=[
            hiding.keeps_the_old_weights,
            hiding.sees_the_fourth_key,
            hiding.gives_the_hidden_a_zero_score,
            hiding.shares_equally,
        ],
        hints=["Only the first three exponentials count.", "Their sum is 1 + 1.649 + 4.482."],
    ),
    Exercise(
        lesson=LESSON,
        solution=zero_is_no_mask,
        tolerance=HAND,
        covers="Two hidden keys with score 0 have an exponential of 1 each.",
        mistakes=[hiding.thinks_zero_is_zero, hiding.counts_one_hidden_key, hiding.keeps_the_real_scores],
        hints=["exp(0) is 1.", "The exponentials are 1, 0.368, 1, 1."],
    ),
    Exercise(
        lesson=LESSON,
        solution=causal_mask,
        probes=[(2, 2), (4, 4), (2, 5), (1, 4), (3, 6)],
        covers="more keys than queries included",
        alternatives=[_every_pair_by_loop, _numpy_triangle],
        mistakes=[
            masks.top_left,
            masks.hides_itself,
            masks.sees_one_ahead,
            masks.upper_triangle,
            masks.polarity_reversed,
            masks.upper_triangle_hidden,
            masks.all_visible,
            masks.zeros_and_minus_infinity,
            masks.square_of_queries,
            masks.square_of_keys,
        ],
        hints=[
            "With n_queries = n_keys: query i may see key j if j <= i.",
            "With more keys than queries, the queries are the last: query i stands at place i + n_keys - n_queries.",
            "np.arange(n_keys) <= places[:, None] compares every pair.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=window_mask,
        probes=[(3, 2), (5, 3), (6, 1), (4, 9), (7, 2)],
        covers="a window of one token, and one longer than the text",
        alternatives=[_window_by_loop, _window_by_triangles],
        mistakes=[
            masks.window_one_too_wide,
            masks.window_without_itself,
            masks.window_too_narrow,
            masks.window_open_ahead,
            masks.window_ignored,
            masks.window_to_both_sides,
            masks.window_ahead,
            masks.window_polarity_reversed,
        ],
        hints=[
            "Two conditions: not in the future, and not too far back.",
            "With width 2, token 5 sees 4 and 5.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=padding_mask,
        probes=[([3, 1], 3), ([5, 2, 3], 7), ([0, 4], 4), ([2], 5)],
        covers="an empty sample, and one without pads",
        mistakes=[
            masks.pads_visible,
            masks.padding_without_query_axis,
            masks.padding_on_the_query_axis,
            masks.one_token_too_many,
            masks.one_token_too_few,
            masks.pads_on_the_left,
            masks.padding_square,
        ],
        hints=[
            "Key j of sample b is real if j < lengths[b].",
            "The result has three axes: batch, 1 for all queries, keys.",
            "mask[:, None, :] puts an axis in the middle.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=leak_test,
        probes=[(attention,) for attention in leaks.ATTENTIONS],
        reads=lambda value: np.where(np.isnan(value), np.nan, value > LEAK),
        covers="four kinds without a leak, ten with one",
        alternatives=[_edits_one_token],
        properties=[says_what_it_misses],
        mistakes=[
            leaks.finds_a_leak_everywhere,
            leaks.finds_no_leak_anywhere,
            leaks.edits_only_the_last_token,
            leaks.stops_at_the_first_place,
            leaks.leaves_out_the_first_place,
            leaks.misses_single_leaks,
            leaks.edits_only_the_values,
            leaks.keeps_the_queries,
            leaks.rounds_the_change_away,
            leaks.says_the_opposite,
        ],
        hints=[
            "Run attention once, change query, key and value from place t on, run it again.",
            "Rows 0 to t - 1 must be the same as before. Do it for every t.",
            "np.abs(after[:t] - before[:t]).max() is the largest change of the past.",
        ],
    ),
]
