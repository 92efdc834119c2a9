"""Exercises of ``02_scaling``."""

import math

import numpy as np

from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.engine.laws import never_negative, rows_sum_to_one
from course_utils.exercises.scaling.mistakes import entropy as entropy_mistakes
from course_utils.exercises.scaling.mistakes import jacobian as jacobian_mistakes
from course_utils.exercises.scaling.mistakes import scaling as mistakes
from course_utils.exercises.scaling.mistakes import softmax as softmax_mistakes

LESSON = "02_scaling"


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def entropy(weights):
    safe = np.where(weights > 0, weights, 1)  # log(1) is 0, so a weight of 0 adds nothing
    return -np.sum(weights * np.log(safe), axis=-1)


def jacobian(weights):
    return np.diag(weights) - np.outer(weights, weights)


def scaled_scores(query, key):
    return query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])


def variance_of_scores(query, key):
    return (query * key).sum(axis=-1).var()


def variance_by_hand():
    return 64


def published_weight():
    e = np.exp(np.array([45.2, 48.1, 51.9, 44.3]) - 51.9)
    return round(float(e[2] / e.sum()), 4)


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
        mistakes=[
            softmax_mistakes.forgets_the_maximum,
            softmax_mistakes.one_maximum_for_all,
            softmax_mistakes.takes_the_smallest_away,
            softmax_mistakes.takes_the_mean_away,
            softmax_mistakes.takes_the_largest_size_away,
            softmax_mistakes.one_sum_for_all,
            softmax_mistakes.ignores_the_axis,
            softmax_mistakes.columns_by_default,
            softmax_mistakes.loses_the_axis,
            softmax_mistakes.loses_both_axes,
            softmax_mistakes.one_too_many,
            softmax_mistakes.one_too_many_after_the_maximum,
            softmax_mistakes.small_number_in_the_denominator,
            softmax_mistakes.works_in_place,
            softmax_mistakes.forgets_to_divide,
            softmax_mistakes.divides_without_exp,
        ],
        hints=[
            "Start with np.exp(x) divided by its sum. What happens at 1000?",
            "The largest number of each row may be taken away first: softmax does not notice.",
            "keepdims=True keeps the axis, so that the shapes fit again when you subtract or divide.",
        ],
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
        mistakes=[
            entropy_mistakes.entropy_without_minus,
            entropy_mistakes.zero_times_log_zero,
            entropy_mistakes.minus_and_zero_missing,
            entropy_mistakes.entropy_to_base_ten,
            entropy_mistakes.entropy_in_bits,
            entropy_mistakes.entropy_of_everything,
            entropy_mistakes.entropy_unweighted,
            entropy_mistakes.entropy_down_the_columns,
        ],
        hints=[
            "For each row: minus the sum of p times log(p).",
            "np.where(weights > 0, weights, 1) puts a 1 where the weight is 0; log(1) is 0.",
        ],
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
        mistakes=[
            jacobian_mistakes.only_the_diagonal,
            jacobian_mistakes.diagonal_matrix,
            jacobian_mistakes.only_the_outer_product,
            jacobian_mistakes.outer_product_added,
            jacobian_mistakes.identity_for_diag,
            jacobian_mistakes.jacobian_negative,
            jacobian_mistakes.transposes_a_row,
            jacobian_mistakes.squares_for_the_outer_product,
            jacobian_mistakes.off_diagonal_positive,
        ],
        hints=[
            "Entry (i, j) says how weight i moves when score j moves: p_i (1 - p_j) if i is j, else -p_i p_j.",
            "np.diag(p) is a matrix with p on its diagonal, np.outer(p, p) has the entries p_i p_j.",
        ],
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
        repairs=[
            lambda query, key: (query / math.sqrt(query.shape[-1]), key),  # for no scale
            lambda query, key: (query * math.sqrt(query.shape[-1]), key),  # for 1/d_k
        ],
        alternatives=[
            lambda query, key: np.einsum("...id,...jd->...ij", query, key) * key.shape[-1] ** -0.5,
            lambda query, key: (query / math.sqrt(query.shape[-1])) @ np.swapaxes(key, -1, -2),
        ],
        mistakes=[
            mistakes.scores_unscaled,
            mistakes.scores_over_d_k,
            mistakes.scores_over_root_n,
            mistakes.scores_times_root,
            mistakes.scores_reverse_all_axes,
            mistakes.scores_turned_round,
            mistakes.scores_over_eight,
            mistakes.scores_over_root_n_q,
            mistakes.softmax_already,
        ],
        hints=[
            "d_k is the last size of query and of key.",
            "np.swapaxes(key, -1, -2) turns round the last two axes and leaves the batch alone.",
        ],
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
        mistakes=[
            mistakes.deviation_for_variance,
            mistakes.variance_of_products,
            mistakes.variance_of_all_pairs,
            mistakes.sums_the_wrong_axis,
            mistakes.mean_of_scores,
            mistakes.divides_by_n_minus_1,
            mistakes.the_theory_instead,
            mistakes.variance_of_one_number,
        ],
        hints=[
            "First the n scores: row i of query with row i of key.",
            "query * key multiplies entry by entry; sum along the width; .var() is the variance.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=variance_by_hand,
        tolerance=0.01,
        covers="64 independent terms of variance 1: their variances add up.",
        mistakes=[
            mistakes.variance_is_the_root,
            mistakes.variance_stays_one,
            mistakes.variance_of_d_model,
            mistakes.variance_squared,
        ],
        hints=[
            "A score is a sum of 64 products.",
            "Variances of independent terms add. What is that of one product?",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=published_weight,
        tolerance=0.00045,
        covers="The best weight is 0.9765: the row was printed without being computed.",
        mistakes=[
            mistakes.copies_the_published_weight,
            mistakes.softmax_of_scaled_instead,
            mistakes.share_of_the_scores,
        ],
        hints=[
            "Take 51.9 away from all four scores first.",
            "Your softmax can do it: softmax(np.array([45.2, ...])).",
        ],
    ),
]
