"""Exercises of ``08_order`` on rotary positions: the rotation, in attention, and with a cache."""

import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.order import laws


def rotate(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None] * 10000.0 ** (-np.arange(half) / half)
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)


def turn(x, positions):  # the lesson's name for the rotation of the course
    return rotate(x, positions)


def rotary_attention(query, key, value, query_positions, key_positions):
    query = turn(query, query_positions)
    key = turn(key, key_positions)
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    weights = softmax(scores, axis=-1)
    return weights @ value


def cached_rotary_attention(x, W_Q, W_K, W_V, chunks):
    key, value = x[:0] @ W_K, x[:0] @ W_V  # no rows yet
    outputs, start = [], 0
    for size in chunks:
        chunk = x[start : start + size]
        place = np.arange(start, start + size)
        query = turn(chunk @ W_Q, place)
        key = np.concatenate([key, turn(chunk @ W_K, place)])
        value = np.concatenate([value, chunk @ W_V])
        scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
        allowed = np.arange(len(key)) <= place[:, None]
        scores = np.where(allowed, scores, -np.inf)
        weights = softmax(scores, axis=-1)
        outputs.append(weights @ value)
        start += size
    return np.concatenate(outputs)


def _rotate_half(x, positions):
    half = x.shape[-1] // 2
    angles = np.tile(np.outer(positions, 10000.0 ** (-2 * np.arange(half) / x.shape[-1])), 2)
    return x * np.cos(angles) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(angles)


def _rotate_complex(x, positions):
    half = x.shape[-1] // 2
    angles = np.outer(positions, 10000.0 ** (-np.arange(half) / half))
    numbers = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)
    return np.concatenate([numbers.real, numbers.imag], axis=-1)


def _turns_the_query_by_the_difference(query, key, value, query_positions, key_positions):
    scores = [
        [float(rotate(q[None], np.array([i - j]))[0] @ k) for k, j in zip(key, key_positions, strict=True)]
        for q, i in zip(query, query_positions, strict=True)
    ]
    return softmax(np.array(scores) / math.sqrt(key.shape[-1])) @ value


def _full_pass(x, W_Q, W_K, W_V, chunks):
    place = np.arange(len(x))
    query, key, value = turn(x @ W_Q, place), turn(x @ W_K, place), x @ W_V
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    allowed = place <= place[:, None]
    scores = np.where(allowed, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    return weights @ value


def _unturned_cache(x, W_Q, W_K, W_V, chunks):
    outputs, done = [], 0
    for size in chunks:
        done += size
        key, value, query = x[:done] @ W_K, x[:done] @ W_V, x[done - size : done] @ W_Q
        scores = rotate(query, np.arange(done - size, done)) @ rotate(key, np.arange(done)).T / math.sqrt(W_K.shape[1])
        allowed = np.tri(size, done, done - size, dtype=bool)
        outputs.append(softmax(np.where(allowed, scores, -np.inf)) @ value)
    return np.concatenate(outputs)


def _places(*numbers):
    return np.array(numbers)


def _cache_probe(n, chunks, d_model=8, d_k=4, d_v=3, seed=0):
    return *halves((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v), seed=seed), chunks


HELPERS = [rotate, turn]
# In scores, some slips of the rotation cannot be told apart, or have words of their own.
OTHER_IN_SCORES = [
    "takes_neighbours_and_returns_halves",
    "turns_the_other_way",
    "sine_and_cosine_swapped",
    "positions_do_not_enter",
]
# There is no batch, the scores are small, and what hides, scales and runs along an axis has words of its own.
NOT_WITH_ROTARY = [
    "does_not_scale",
    "divides_by_d_k",
    "hides_the_future",
    "scales_by_the_second_axis",
    "softmax_over_the_first_axis",
    "exp_overflows",
    "one_maximum_for_all_rows",
    "reverses_all_axes",
    "dot_pairs_all_batches",
    "attends_over_the_batch",
]
# One has words of its own; the other two fail alike where queries and keys differ in number.
NOT_IN_ATTENTION = ["softmax_over_the_queries", "queries_and_keys_swapped", "weights_transposed"]

EXERCISES = [
    Exercise(
        solution=rotate,
        probes=[
            (np.array([[1.0, 0.0]]), _places(1)),
            (np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]), _places(0, 3)),
            (*halves((3, 6), seed=1), _places(5, 6, 7)),
            (*halves((2, 3, 8), seed=2), _places(40, 2, 900)),
            (*halves((2, 5, 3, 4), seed=3), _places(1, 0, 12)),
        ],
        properties=[laws.lengths_stay, laws.a_pair_turns_by_its_angle],
        alternatives=[_rotate_half, _rotate_complex],
        mistakes=slips("order/rope", rotate),
    ),
    Exercise(
        solution=rotary_attention,
        probes=[
            (np.eye(2)[:1], np.ones((3, 2)), np.array([[0.0], [2.0], [6.0]]), _places(2), _places(0, 1, 2)),
            (*halves((2, 4), (3, 4), (3, 5), seed=2), _places(7, 8), _places(6, 7, 8)),
            (*halves((3, 6), (5, 6), (5, 4), seed=3), _places(9, 0, 4), _places(2, 3, 11, 5, 90)),
            (*halves((5, 8), (7, 8), (7, 3), seed=4), _places(10, 11, 12, 13, 14), _places(*range(7))),
        ],
        properties=[laws.only_distances_count],
        alternatives=[_turns_the_query_by_the_difference],
        mistakes=[
            *slips("order/rotary", rotary_attention, helpers=HELPERS),
            *slips("order/rope", rotary_attention, without=OTHER_IN_SCORES, helpers=HELPERS),
            *slips("attention", rotary_attention, without=[*NOT_WITH_ROTARY, *NOT_IN_ATTENTION], helpers=HELPERS),
        ],
    ),
    Exercise(
        solution=cached_rotary_attention,
        probes=[
            _cache_probe(3, [2, 1], d_model=2, d_k=2, d_v=1, seed=1),
            _cache_probe(4, [4], seed=2),
            _cache_probe(5, [1, 1, 1, 1, 1], d_k=6, seed=3),
            _cache_probe(6, [3, 3], seed=4),
            _cache_probe(6, [4, 1, 1], d_model=10, d_v=2, seed=5),
            _cache_probe(7, [1, 2, 4], d_k=6, seed=6),
        ],
        properties=[laws.earlier_rows_stay, laws.chunks_do_not_matter],
        alternatives=[_full_pass, _unturned_cache],
        mistakes=[
            *slips("order/rotary_cache", cached_rotary_attention, helpers=HELPERS),
            *slips("order/rotary", cached_rotary_attention, only=["turns_the_other_way"], helpers=HELPERS),
            *slips(
                "order/rope", cached_rotary_attention, without=[*OTHER_IN_SCORES, "positions_restart"], helpers=HELPERS
            ),
            *slips("attention", cached_rotary_attention, without=NOT_WITH_ROTARY, helpers=HELPERS),
        ],
    ),
]
