"""Exercises of ``08_order`` on the table that is added, on ALiBi, and by hand. Rotary positions are in ``rotary``."""

import math

import numpy as np

from course_utils.core.positions import alibi_slopes
from course_utils.core.scores import softmax
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.order import laws

# Here the mask is there already, the heads are no batch, and the table is square.
NOT_WITH_ALIBI = [
    "does_not_scale",
    "scales_by_the_number_of_queries",
    "scales_by_the_second_axis",
    "hides_the_future",
    "softmax_over_the_first_axis",
    "exp_overflows",
    "one_maximum_for_all_rows",
    "reverses_all_axes",
    "dot_pairs_all_batches",
    "attends_over_the_batch",
]


def sinusoidal_positions(n, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(n)[:, None] / 10000 ** (2 * pair / d_model)
    table = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, 1::2]
    return table


def alibi_attention(query, key, value):
    heads, n, _ = query.shape
    slopes = 2.0 ** (-8 / heads * np.arange(1, heads + 1))
    distance = np.arange(n)[:, None] - np.arange(n)
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    scores = scores - slopes[:, None, None] * distance
    allowed = distance >= 0
    scores = np.where(allowed, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    return weights @ value


def score_two_places_apart():
    query, key = 5, 3  # the angle at which each of them points, in radians
    return round(math.cos(query - key), 3)


def slopes_of_eight_heads():
    heads = 8
    return [2 ** (-8 * head / heads) for head in range(1, heads + 1)]


def pairs_that_never_turn():
    d_head, length, base = 64, 2048, 10000
    pairs = d_head // 2
    wavelengths = [2 * math.pi * base ** (2 * pair / d_head) for pair in range(pairs)]
    count = sum(wavelength > length for wavelength in wavelengths)
    return count


def _table_by_loops(n, d_model):
    return [
        [(math.cos if c % 2 else math.sin)(p / 10000 ** ((c - c % 2) / d_model)) for c in range(d_model)]
        for p in range(n)
    ]


def _alibi_by_the_key_index(query, key, value):
    heads, n, d = query.shape
    bias = alibi_slopes(heads)[:, None, None] * np.arange(n)
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(d) + bias
    return softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf)) @ value


EXERCISES = [
    Exercise(
        solution=sinusoidal_positions,
        probes=[(2, 4), (3, 6), (5, 8), (11, 16), (3, 5), (5, 7), (2, 1)],
        properties=[laws.the_first_row_is_0_1_0_1, laws.pairs_are_hands_of_a_clock],
        alternatives=[_table_by_loops],
        mistakes=slips("order/sinus", sinusoidal_positions),
    ),
    Exercise(
        solution=alibi_attention,
        probes=[
            (np.zeros((2, 3, 1)), np.ones((2, 3, 1)), np.array([[[0.0], [2.0], [6.0]]] * 2)),
            halves((1, 3, 2), (1, 3, 2), (1, 3, 5), seed=1),
            halves((2, 3, 4), (2, 3, 4), (2, 3, 5), seed=2),
            halves((4, 6, 3), (4, 6, 3), (4, 6, 2), seed=3),
            halves((8, 5, 4), (8, 5, 4), (8, 5, 3), seed=4),
            halves((16, 3, 2), (16, 3, 2), (16, 3, 5), seed=5),
        ],
        properties=[laws.rows_of_weights_sum_to_one, laws.the_past_stays, laws.slopes_can_be_read_off],
        alternatives=[_alibi_by_the_key_index],
        mistakes=[*slips("order/alibi", alibi_attention), *slips("attention", alibi_attention, without=NOT_WITH_ALIBI)],
    ),
    Exercise(solution=score_two_places_apart, tolerance=0.0015, mistakes=slips("order/order", score_two_places_apart)),
    Exercise(solution=slopes_of_eight_heads, tolerance=6e-5, mistakes=slips("order/order", slopes_of_eight_heads)),
    Exercise(solution=pairs_that_never_turn, mistakes=slips("order/order", pairs_that_never_turn)),
]
