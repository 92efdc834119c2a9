"""Exercises of ``02_scaling``."""

import math

import numpy as np

from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.engine.laws import never_negative, rows_sum_to_one


def softmax(x, axis=-1):
    shifted = x - x.max(axis=axis, keepdims=True)
    exponentials = np.exp(shifted)
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / total


def entropy(weights):
    safe = np.where(weights > 0, weights, 1)  # log(1) is 0, so a weight of 0 adds nothing
    return -np.sum(weights * np.log(safe), axis=-1)


def jacobian(weights):
    return np.diag(weights) - np.outer(weights, weights)


def scaled_scores(query, key):
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    return scores


def variance_of_scores(query, key):
    scores = (query * key).sum(axis=-1)
    return scores.var()


def variance_by_hand():
    d_k, variance = 64, 1
    return d_k * variance


def published_weight():
    scores = np.array([45.2, 48.1, 51.9, 44.3])
    best = scores.max()
    shifted = scores - best
    exponentials = np.exp(shifted)
    weights = exponentials / exponentials.sum()
    return round(float(weights.max()), 4)


def _softmax_by_log(x, axis=-1):
    largest = x.max(axis=axis, keepdims=True)
    log_sum = largest + np.log(np.exp(x - largest).sum(axis=axis, keepdims=True))
    return np.exp(x - log_sum)


def _softmax_of_moved_axis(x, axis=-1):
    moved = np.moveaxis(x, axis, 0)
    e = np.exp(moved - moved.max(axis=0))
    return np.moveaxis(e / e.sum(axis=0), 0, axis)


def _jacobian_by_loop(p):
    n = len(p)
    return [[p[i] * ((i == j) - p[j]) for j in range(n)] for i in range(n)]


TWO_ROWS = np.array([[0.5, 0.5], [1.0, 0.0]])
EXERCISES = [
    Exercise(
        solution=softmax,
        probes=[
            (np.array([1.0, 2.0, 3.0]),),
            (np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 3.0], [2.0, 2.0, 0.5]]),),
            (np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.5]]), 0),
            halves((3, 5), seed=1),
            (*halves((2, 3, 5), seed=2), 1),
            (np.array([1, 2, 4]),),
            (np.array([1000.0, 1001.0]),),
            (np.array([0.0, 1000.0]),),
            (np.array([0.0, 3000.0]),),
            (np.array([-2000.0, -2001.0]),),
            (np.array([[0.0, 1.0], [-2000.0, -2001.0]]),),
        ],
        properties=[never_negative, rows_sum_to_one],
        alternatives=[_softmax_by_log, _softmax_of_moved_axis],
        mistakes=slips("scaling/softmax", softmax),
    ),
    Exercise(
        solution=entropy,
        probes=[
            (np.array([0.25, 0.75]),),
            (TWO_ROWS,),
            (np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]),),
            (softmax(halves((2, 3, 5), seed=3)[0]),),
        ],
        mistakes=slips("scaling/entropy", entropy),
    ),
    Exercise(
        solution=jacobian,
        probes=[
            (np.array([0.25, 0.75]),),
            (np.array([1.0, 0.0]),),
            (np.array([0.2, 0.3, 0.5]),),
            (softmax(np.arange(7) / 3),),
        ],
        alternatives=[_jacobian_by_loop],
        mistakes=slips("scaling/jacobian", jacobian),
    ),
    Exercise(
        solution=scaled_scores,
        probes=[
            halves((2, 4), (3, 4), seed=4),
            halves((3, 2), (3, 2), seed=5),
            halves((5, 3), (2, 3), seed=6),
            halves((2, 3, 5), (2, 7, 5), seed=7),
            halves((3, 3, 3), (3, 3, 3), seed=8),
        ],
        alternatives=[
            lambda query, key: np.einsum("...id,...jd->...ij", query, key) * key.shape[-1] ** -0.5,
            lambda query, key: (query / math.sqrt(query.shape[-1])) @ np.swapaxes(key, -1, -2),
        ],
        mistakes=slips("scaling/scaling", scaled_scores),
    ),
    Exercise(
        solution=variance_of_scores,
        probes=[halves((5, 2), (5, 2), seed=9), halves((3, 3), (3, 3), seed=10), halves((11, 7), (11, 7), seed=11)],
        alternatives=[lambda query, key: np.diag(query @ key.T).var()],
        mistakes=slips("scaling/scaling", variance_of_scores),
    ),
    Exercise(solution=variance_by_hand, tolerance=0.01, mistakes=slips("scaling/scaling", variance_by_hand)),
    Exercise(solution=published_weight, tolerance=0.00045, mistakes=slips("scaling/scaling", published_weight)),
]
