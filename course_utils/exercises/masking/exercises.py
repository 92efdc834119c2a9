"""Exercises of ``04_masking``: masks by hand and by code, and a test that finds a leak."""

import numpy as np

from course_utils.core.tokens import worked_example
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise
from course_utils.exercises.masking import laws
from course_utils.exercises.masking.leaks import ATTENTIONS

HAND = 0.0015  # three decimals, with room for rounding on the way
LEAK = 1e-12  # a change of the past that rounding alone does not make


def causal_mask(n_queries, n_keys):
    positions = np.arange(n_queries) + (n_keys - n_queries)
    return np.arange(n_keys) <= positions[:, None]


def window_mask(n, width):
    i = np.arange(n)[:, None]
    j = np.arange(n)
    near = i - width < j
    past = j <= i
    return near & past


def padding_mask(lengths, n_keys):
    real = np.arange(n_keys) < np.asarray(lengths)[:, None]
    return real[:, None, :]


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
    exponentials = np.exp(scaled[:3])
    weights = exponentials / exponentials.sum()
    return [round(float(weight), 3) for weight in weights]


def allowed_pairs():
    n, width = 8, 3
    causal = causal_mask(n, n)
    window = window_mask(n, width)
    return [int(causal.sum()), int(window.sum())]


def zero_is_no_mask():
    _, _, x, W_Q, W_K, _ = worked_example()
    scaled = (x[1] @ W_Q) @ (x @ W_K).T / 2
    filled = np.where(np.arange(4) < 2, scaled, 0.0)
    exponentials = np.exp(filled)
    weights = exponentials / exponentials.sum()
    return round(float(weights[2:].sum()), 3)


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


EXERCISES = [
    Exercise(solution=allowed_pairs, mistakes=slips("masking/hiding", allowed_pairs)),
    Exercise(solution=causal_row, tolerance=HAND, mistakes=slips("masking/hiding", causal_row)),
    Exercise(solution=zero_is_no_mask, tolerance=HAND, mistakes=slips("masking/hiding", zero_is_no_mask)),
    Exercise(
        solution=causal_mask,
        probes=[(2, 2), (4, 4), (2, 5), (1, 4), (3, 6)],
        alternatives=[_every_pair_by_loop, _numpy_triangle],
        mistakes=slips("masking/masks", causal_mask),
    ),
    Exercise(
        solution=window_mask,
        probes=[(3, 2), (5, 3), (6, 1), (4, 9), (7, 2)],
        alternatives=[_window_by_loop, _window_by_triangles],
        mistakes=slips("masking/masks", window_mask),
    ),
    Exercise(
        solution=padding_mask,
        probes=[([3, 1], 3), ([5, 2, 3], 7), ([0, 4], 4), ([2], 5)],
        mistakes=slips("masking/masks", padding_mask),
    ),
    Exercise(
        solution=leak_test,
        probes=[(attention,) for attention in ATTENTIONS],
        reads=lambda value: np.where(np.isnan(value), np.nan, value > LEAK),
        alternatives=[_edits_one_token],
        properties=[laws.says_what_it_misses],
        mistakes=slips("masking/leaks", leak_test),
    ),
]
