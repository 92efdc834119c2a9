"""Exercises of ``02_scaling``."""

import math

import numpy as np

from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.engine.laws import never_negative, rows_sum_to_one

LESSON = "02_scaling"


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
        lesson=LESSON,
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
        covers="other axes, whole numbers and huge scores included",
        properties=[never_negative, rows_sum_to_one],
        alternatives=[_softmax_by_log, _softmax_of_moved_axis],
        mistakes=slips("scaling/softmax", softmax),
        hints=[
            "Start with np.exp(x) divided by its sum. What happens at 1000?",
            "The largest number of each row may be taken away first: softmax does not notice.",
            "keepdims=True keeps the axis, so that the shapes fit again when you subtract or divide.",
        ],
        given="1000",
    ),
    Exercise(
        lesson=LESSON,
        solution=entropy,
        probes=[
            (np.array([0.25, 0.75]),),
            (TWO_ROWS,),
            (np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]),),
            (softmax(halves((2, 3, 5), seed=3)[0]),),
        ],
        covers="weights of 0 and batches included",
        mistakes=slips("scaling/entropy", entropy),
        hints=[
            "For each row: minus the sum of p times log(p).",
            "np.where(weights > 0, weights, 1) puts a 1 where the weight is 0; log(1) is 0.",
        ],
        given="0 0 1 1 0 1 0",
    ),
    Exercise(
        lesson=LESSON,
        solution=jacobian,
        probes=[
            (np.array([0.25, 0.75]),),
            (np.array([1.0, 0.0]),),
            (np.array([0.2, 0.3, 0.5]),),
            (softmax(np.arange(7) / 3),),
        ],
        covers="a saturated row included",
        alternatives=[_jacobian_by_loop],
        mistakes=slips("scaling/jacobian", jacobian),
        hints=[
            "Entry (i, j) says how weight i moves when score j moves: p_i (1 - p_j) if i is j, else -p_i p_j.",
            "np.diag(p) is a matrix with p on its diagonal, np.outer(p, p) has the entries p_i p_j.",
        ],
        given="1",
    ),
    Exercise(
        lesson=LESSON,
        solution=scaled_scores,
        probes=[
            halves((2, 4), (3, 4), seed=4),
            halves((3, 2), (3, 2), seed=5),
            halves((5, 3), (2, 3), seed=6),
            halves((2, 3, 5), (2, 7, 5), seed=7),
            halves((3, 3, 3), (3, 3, 3), seed=8),
        ],
        covers="batches included",
        alternatives=[
            lambda query, key: np.einsum("...id,...jd->...ij", query, key) * key.shape[-1] ** -0.5,
            lambda query, key: (query / math.sqrt(query.shape[-1])) @ np.swapaxes(key, -1, -2),
        ],
        mistakes=slips("scaling/scaling", scaled_scores),
        hints=[
            "d_k is the last size of query and of key.",
            "np.swapaxes(key, -1, -2) turns round the last two axes and leaves the batch alone.",
        ],
        given="1 2",
    ),
    Exercise(
        lesson=LESSON,
        solution=variance_of_scores,
        probes=[
            halves((5, 2), (5, 2), seed=9),
            halves((3, 3), (3, 3), seed=10),
            halves((11, 7), (11, 7), seed=11),
        ],
        alternatives=[lambda query, key: np.diag(query @ key.T).var()],
        mistakes=slips("scaling/scaling", variance_of_scores),
        hints=[
            "First the n scores: row i of query with row i of key.",
            "query * key multiplies entry by entry; sum along the width; .var() is the variance.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=variance_by_hand,
        tolerance=0.01,
        covers="{d_k} independent terms of variance {variance}: their variances add up.",
        mistakes=slips("scaling/scaling", variance_by_hand),
        hints=[
            "A score is a sum of {d_k} products.",
            "Variances of independent terms add. What is that of one product?",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=published_weight,
        tolerance=0.00045,
        covers="The best weight is {value}: the row was printed without being computed.",
        mistakes=slips("scaling/scaling", published_weight),
        hints=[
            "Take {best} away from all four scores first.",
            "Your softmax can do it: softmax(np.array([{scores[0]}, ...])).",
        ],
    ),
]
