"""Exercises of ``09_depth``, first half: what one layer can do, what a cut costs, and where the weights live."""

import functools
import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.depth.laws import (
    always_above_0,
    one_edge_at_a_time,
    the_better_key_is_ahead,
    the_same_key_twice,
)
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves


def weight_ratio(query, key, other_key):
    score = query @ key / np.sqrt(len(query))
    other_score = query @ other_key / np.sqrt(len(query))
    return np.exp(score - other_score)


def path_length(edges, source, target):
    reached, layers = {source}, 0
    while target not in reached:
        further = reached | {i for i, j in edges if j in reached}
        if further == reached:
            return -1
        reached, layers = further, layers + 1
    return layers


def cost_of_each_cut(measure):
    whole = measure(np.ones((2, 11, 11), dtype=bool))
    costs = []
    for row in range(11):
        mask = np.ones((2, 11, 11), dtype=bool)
        mask[0, row, 10] = False
        costs.append(whole - measure(mask))
    return costs


def block_weights():
    d_model, heads, d_head, hidden = 512, 8, 64, 2048
    attention = 4 * d_model * heads * d_head
    feed_forward = 2 * d_model * hidden
    return attention + feed_forward


def feed_forward_share():
    d_model, blocks, tokens, places = 768, 12, 50257, 1024
    attention, feed_forward = 4 * d_model**2, 8 * d_model**2
    block = attention + feed_forward
    rows = tokens + places
    embeddings = rows * d_model
    everything = blocks * block + embeddings
    return round(blocks * feed_forward / everything, 2)


# Other right answers.


def ratio_by_softmax(query, key, other_key):
    first, second = softmax(np.stack([key, other_key]) @ query / math.sqrt(len(query)))
    return first / second


def path_by_powers(edges, source, target):
    n = max(np.max(edges), source, target) + 1
    step, reach = np.eye(n, dtype=int), np.eye(n, dtype=int)
    step[edges[:, 0], edges[:, 1]] = 1
    for layers in range(n):
        if reach[target, source]:
            return layers
        reach = np.minimum(step @ reach, 1)
    return -1


def path_by_walks(edges, source, target):
    here = {source}
    for layers in range(len(edges) + 1):
        if target in here:
            return layers
        here = {int(i) for i, j in edges if j in here}
    return -1


def path_by_queue(edges, source, target):
    seen, queue = {source}, [(source, 0)]
    while queue:
        word, layers = queue.pop(0)
        if word == target:
            return layers
        for other in [i for i, j in edges if j == word]:
            if other not in seen:
                seen.add(other)
                queue.append((other, layers + 1))
    return -1


def costs_by_lists(measure):
    eye = np.eye(11, dtype=bool)
    masks = [np.stack([~(eye[row][:, None] & eye[10]), np.ones((11, 11), dtype=bool)]) for row in range(11)]
    return np.array([measure(np.ones((2, 11, 11), dtype=bool)) - measure(mask) for mask in masks])


# Measures for the cuts: functions of a mask (2, 11, 11), as strict as the models' own.


def _strict(measure):
    @functools.wraps(measure)
    def strict(mask):
        if not isinstance(mask, np.ndarray) or mask.dtype.kind != "b" or mask.shape != (2, 11, 11):
            came = f"{getattr(mask, 'dtype', type(mask).__name__)} of shape {np.shape(mask)}"
            raise TypeError(f"measure needs a boolean mask (2, 11, 11), True = may look, but was given {came}")
        return measure(mask)

    return strict


def _table(seed):
    return np.random.default_rng(seed).random((2, 11, 11))


@_strict
def by_edges(mask):
    """a measure that adds up a number for each edge that is left, some below 0: to cut those helps"""
    return float(((_table(1) - 0.3) * mask).sum() / 100)


@_strict
def by_pairs(mask):
    """a measure in which two words can stand in for each other"""
    here, both = _table(2) * mask, mask[0, 1, 10] or mask[0, 5, 10]
    return 0.3 + 0.4 * bool(both) + float(here.sum() / 500)


@_strict
def whole_is_half(mask):
    """a measure that is 0.5 at the start, and only "it" can lower it"""
    return 0.5 - 0.25 * (not mask[0, 7, 10])


def _edges(*edges):
    """The first of each pair may look at the second; nobody sees itself unless it is said."""
    return np.array(edges)


# So few edges that a failing input is printed in full.
CAUSAL, ALL = np.argwhere(np.tri(4)), np.argwhere(np.ones((3, 3)))
WINDOW = np.argwhere(np.tri(6) - np.tri(6, k=-2))  # itself and the one before
WIDER = np.argwhere(np.tri(11) - np.tri(11, k=-3))
RANDOM = np.argwhere(np.random.default_rng(3).random((9, 9)) < 0.17)

EXERCISES = [
    Exercise(
        solution=weight_ratio,
        probes=[
            (np.array([1.0, 0.5, 0.0, -1.0]), np.array([2.0, 1.0, 3.0, 0.0]), np.array([0.0, 0.0, 1.0, 1.0])),
            *(halves((d,), (d,), (d,), seed=d) for d in (2, 3, 9)),
            (np.array([40.0, 40.0]), np.array([50.0, 1.0]), np.array([50.0, 1.01])),
        ],
        properties=[always_above_0, the_same_key_twice, the_better_key_is_ahead],
        alternatives=[ratio_by_softmax],
        notes=slips("depth/notes", weight_ratio),
        mistakes=slips("depth/ratio", weight_ratio),
    ),
    Exercise(
        solution=path_length,
        probes=[
            (_edges((2, 1), (1, 0)), 0, 2),
            (_edges((2, 1), (1, 0)), 1, 1),
            (CAUSAL, 3, 1),
            (CAUSAL, 1, 3),
            (CAUSAL, 2, 2),
            (ALL, 2, 0),
            (WINDOW, 1, 4),
            (WIDER, 1, 7),
            (WIDER, 0, 9),
            (_edges((1, 0), (2, 1), (3, 2), (4, 3), (3, 0)), 0, 4),
            (_edges((1, 0), (0, 1), (2, 1), (5, 4)), 0, 5),
            (_edges((1, 0), (2, 0), (3, 2), (0, 3)), 0, 3),
            (_edges((1, 0), (2, 0), (3, 2), (4, 3), (4, 1)), 0, 4),
            (_edges((1, 0), (2, 0), (3, 1), (4, 3), (4, 2)), 0, 4),
            *((RANDOM, 0, target) for target in range(1, 9)),
        ],
        alternatives=[path_by_powers, path_by_walks, path_by_queue],
        mistakes=slips("depth/paths", path_length, others=[path_by_queue]),
    ),
    Exercise(
        solution=cost_of_each_cut,
        probes=[(whole_is_half,), (by_edges,), (by_pairs,)],
        properties=[one_edge_at_a_time],
        alternatives=[costs_by_lists],
        mistakes=slips("depth/cuts", cost_of_each_cut),
    ),
    Exercise(solution=block_weights, mistakes=slips("depth/depth", block_weights)),
    Exercise(solution=feed_forward_share, tolerance=0.006, mistakes=slips("depth/depth", feed_forward_share)),
]
