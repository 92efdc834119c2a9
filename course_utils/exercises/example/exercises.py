"""Exercises of ``03_example``: cells of the worked example by hand, then the whole function."""

import inspect
import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example
from course_utils.exercises.engine.exercise import Exercise, Mistake, halves
from course_utils.exercises.engine.laws import follows_reordered_keys, stays_between_the_values
from course_utils.exercises.example.mistakes import example as mistakes
from course_utils.exercises.shared import core as core_mistakes

LESSON = "03_example"
HAND = 0.0015  # three decimals, with room for rounding on the way

_, _, X, W_Q, W_K, W_V = worked_example()
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
FRESH = np.array([[0.5, 0.0, 1.0, 1.0]])
MACHINE, LEARNING = 2, 3


def attention(query, key, value):
    scores = query @ np.swapaxes(key, -1, -2)
    weights = softmax(scores / math.sqrt(key.shape[-1]))
    return weights @ value


def score_machine_learning():
    return float(Q[MACHINE] @ K[LEARNING])


def weight_machine_learning():
    return round(float(attention(Q, K, np.eye(4))[MACHINE, LEARNING]), 3)


def weights_of_learning():
    return [round(float(w), 3) for w in attention(Q, K, np.eye(4))[LEARNING, 1:3]]


def fresh_weights():
    return [round(float(w), 3) for w in attention(FRESH, K, np.eye(4))[0]]


def fresh_output():
    return [round(float(x), 3) for x in attention(FRESH, K, V)[0]]


def scores_at_real_size():
    return 12 * 512 * 512


def published_row():
    return round(float(softmax(np.array([0.55, 0.45, 0.2, 0.8]))[3]), 3)


def _scale_on_the_query(query, key, value):
    return softmax((query / math.sqrt(query.shape[-1])) @ np.swapaxes(key, -1, -2)) @ value


def _fourth_roots_on_both(query, key, value):
    root = key.shape[-1] ** -0.25
    return softmax((query * root) @ np.swapaxes(key * root, -1, -2)) @ value


def _by_einsum(query, key, value):
    scores = np.einsum("...id,...jd->...ij", query, key) / math.sqrt(key.shape[-1])
    return np.einsum("...ij,...jv->...iv", softmax(scores), value)


def _computed_transposed(query, key, value):
    scores = key @ np.swapaxes(query, -1, -2) / math.sqrt(key.shape[-1])
    return np.swapaxes(softmax(scores, axis=-2), -1, -2) @ value


def _by_loop(query, key, value):
    if query.ndim > 2:
        return np.array([_by_loop(*parts) for parts in zip(query, key, value, strict=True)])
    return np.array([softmax(key @ q / math.sqrt(len(q))) @ value for q in query])


# Their sentences speak of code, or of another step than the one that is done by hand.
NOT_BY_HAND = {
    "all_from_the_key",
    "blends_the_keys",
    "blends_the_queries",
    "divides_by_two",
    "hides_the_future",
    "plain_average",
    "takes_the_best_match",
}


def fingerprints(query, key, value, cell, right):
    """The mistakes whose number in ``cell`` of the output tells them from the right one and from each other.

    With ``value`` the identity, the output is the weights.
    """
    found, numbers = [], [np.asarray(right)]
    with np.errstate(all="ignore"):
        for module in (core_mistakes, mistakes):
            for function in vars(module).values():
                if not inspect.isfunction(function) or list(inspect.signature(function).parameters) != [
                    "query",
                    "key",
                    "value",
                ]:
                    continue
                if function.__name__ in NOT_BY_HAND:
                    continue
                try:
                    number = np.asarray(function(query, key, value)[cell])
                except (ValueError, IndexError):
                    continue  # it does not run on these shapes
                if number.shape != numbers[0].shape or not np.isfinite(number).all():
                    continue
                if all(np.abs(number - other).max() > 2.1 * HAND for other in numbers):
                    numbers.append(number)
                    found.append(
                        Mistake(Mistake.of(function).name, inspect.getdoc(function), lambda n=number: n)
                    )
    return found


IN_ATTENTION = [
    core_mistakes.does_not_scale,
    core_mistakes.divides_by_d_k,
    core_mistakes.multiplies_by_the_root,
    core_mistakes.scales_by_the_value_width,
    core_mistakes.scales_by_the_number_of_keys,
    core_mistakes.scales_by_the_number_of_queries,
    core_mistakes.scales_by_the_second_axis,
    core_mistakes.divides_by_two,
    core_mistakes.hides_the_future,
    core_mistakes.fourth_root_on_one_side,
    core_mistakes.scales_after_the_softmax,
    core_mistakes.softmax_over_the_queries,
    core_mistakes.softmax_over_the_first_axis,
    core_mistakes.one_sum_for_the_whole_table,
    core_mistakes.no_softmax,
    core_mistakes.divides_by_the_plain_sum,
    core_mistakes.exp_overflows,
    core_mistakes.one_maximum_for_all_rows,
    core_mistakes.softmax_twice,
    core_mistakes.weights_transposed,
    core_mistakes.queries_and_keys_swapped,
    core_mistakes.key_not_transposed,
    core_mistakes.blends_the_keys,
    core_mistakes.blends_the_queries,
    core_mistakes.all_from_the_key,
    core_mistakes.reverses_all_axes,
    core_mistakes.dot_pairs_all_batches,
    core_mistakes.attends_over_the_batch,
    core_mistakes.plain_average,
    core_mistakes.takes_the_best_match,
    core_mistakes.returns_the_weights,
]
WEIGHTS = Q, K, np.eye(4)

EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=score_machine_learning,
        covers="[0, 0.5, 2, 0.5] times [0, 1, 2, 0]: 0.5 + 4.",
        mistakes=[
            mistakes.score_the_other_way,
            mistakes.score_scaled_already,
            mistakes.score_of_two_queries,
            mistakes.score_of_two_keys,
            mistakes.score_without_projections,
        ],
        hints=[
            'Row "machine" of Q, row "learning" of K.',
            "Multiply entry by entry and add up: four products.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=weight_machine_learning,
        tolerance=HAND,
        covers="9.488 / 16.618.",
        mistakes=fingerprints(*WEIGHTS, (MACHINE, LEARNING), weight_machine_learning()),
        hints=[
            "Add up the four exponentials of the row.",
            "The weight is this exponential divided by that sum.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=weights_of_learning,
        tolerance=HAND,
        covers="4.482 / 14.988 and 7.389 / 14.988.",
        mistakes=fingerprints(*WEIGHTS, (LEARNING, slice(1, 3)), weights_of_learning()),
        hints=["Scale the scores first: divide by 2.", "exp of each of the four, then divide by their sum."],
    ),
    Exercise(
        lesson=LESSON,
        solution=fresh_weights,
        tolerance=HAND,
        covers="You did a whole row alone.",
        mistakes=fingerprints(FRESH, K, np.eye(4), 0, fresh_weights()),
        hints=[
            "Four scores: the fresh query with each row of K.",
            "Then divide by 2, take exp, and divide by the sum of the four.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=fresh_output,
        tolerance=HAND,
        covers="A blend of the four rows of V.",
        mistakes=fingerprints(FRESH, K, V, 0, fresh_output()),
        hints=[
            "Each row of V times its weight, added up.",
            'The first number: only the row of "I" has a 1 there.',
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=attention,
        probes=[
            halves((2, 2), (3, 2), (3, 1), seed=1),
            halves((3, 3), (3, 3), (3, 3), seed=2),  # square, to tell a transpose by its numbers
            halves((5, 3), (5, 3), (5, 2), seed=3),
            halves((2, 5), (7, 5), (7, 3), seed=4),
            halves((2, 3, 5), (2, 7, 5), (2, 7, 11), seed=5),
            halves((3, 3, 3), (3, 3, 3), (3, 3, 3), seed=6),
            (
                np.array([[900.0, 0.0], [0.0, 0.5]]),
                np.array([[2.0, 1.0], [1.9, 3.0], [-2.0, 1.0]]),
                np.eye(3),
            ),
        ],
        covers="batches, n_q and n_k different, d_k and d_v different, huge scores",
        properties=[stays_between_the_values, follows_reordered_keys],
        repairs=[
            lambda query, key, value: (query / math.sqrt(query.shape[-1]), key, value),  # for no scale
            lambda query, key, value: (query * math.sqrt(query.shape[-1]), key, value),  # for 1/d_k
        ],
        alternatives=[_scale_on_the_query, _fourth_roots_on_both, _by_einsum, _computed_transposed, _by_loop],
        mistakes=IN_ATTENTION,
        hints=[
            "Four lines: scores, scale, softmax, blend.",
            "np.swapaxes(key, -1, -2) turns the last two axes round and leaves the batch alone.",
            "d_k is key.shape[-1]; use math.sqrt, and the softmax along the last axis.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=scores_at_real_size,
        covers="12 heads, each with 512 x 512 scores.",
        mistakes=[
            mistakes.counts_one_head,
            mistakes.counts_the_vectors,
            mistakes.counts_pairs_of_widths,
            mistakes.counts_all_layers,
            mistakes.counts_one_row,
        ],
        hints=["One head: every token with every token.", "Then times the number of heads."],
    ),
    Exercise(
        lesson=LESSON,
        solution=published_row,
        tolerance=HAND,
        covers="The largest score has the largest weight.",
        mistakes=[
            mistakes.copies_the_published_row,
            mistakes.scales_once_more,
            mistakes.takes_the_scale_back,
            mistakes.divides_the_scaled_scores,
        ],
        hints=["The scores are scaled already: exp first.", "softmax(np.array([0.55, 0.45, 0.2, 0.8]))"],
    ),
]
