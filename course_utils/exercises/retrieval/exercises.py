"""Exercises of ``01_retrieval``."""

import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.engine.laws import follows_reordered_keys, stays_between_the_values
from course_utils.exercises.retrieval.mistakes import blend, projections
from course_utils.exercises.retrieval.mistakes import retrieval as mistakes

LESSON = "01_retrieval"


def weight_by_hand():
    return round(math.e / (math.e + 1), 3)


def soft_lookup(query, keys, values):
    weights = softmax(keys @ query)
    return weights @ values


def soft_lookup_all(queries, keys, values):
    weights = softmax(queries @ keys.T)
    return weights @ values


def outside_the_values(output, values):
    smallest, largest = values.min(axis=0), values.max(axis=0)
    return (output < smallest - 1e-9) | (output > largest + 1e-9)


def shape_of_scores():
    return (6, 6)


def shape_of_output():
    return (6, 2)


def self_attention(x, W_Q, W_K, W_V):
    weights = softmax((x @ W_Q) @ (x @ W_K).T)
    return weights @ (x @ W_V)


def cross_attention(x, context, W_Q, W_K, W_V):
    weights = softmax((x @ W_Q) @ (context @ W_K).T)
    return weights @ (context @ W_V)


def line_at_fault():
    return 4


def repaired_lookup(queries, keys, values):
    scores = queries @ keys.T
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ values


def _by_loop(queries, keys, values):
    return np.array([soft_lookup(query, keys, values) for query in queries])


def _by_columns(queries, keys, values):
    return (softmax(keys @ queries.T, axis=0).T @ values).tolist()


def _merged(x, W_Q, W_K, W_V):
    return softmax(x @ (W_Q @ W_K.T) @ x.T) @ x @ W_V


ONE_QUERY = [
    (
        np.array([1.0, -0.5]),
        np.array([[1.0, 0.0], [0.0, 1.0]]),
        np.array([[10.0, 0.0, 2.0], [0.0, 20.0, 2.0]]),
    ),
    (np.array([2.0]), np.array([[-1.0], [0.5], [1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]])),
    halves((3,), (5, 3), (5, 2), seed=1),
    halves((2,), (7, 2), (7, 5), seed=2),
    (np.array([1.5, -0.5]), np.array([[3.0, 3.0]]), np.array([[4.0, 5.0, 6.0]])),
]
MANY_QUERIES = [
    halves((2, 2), (3, 2), (3, 1), seed=3),
    halves((3, 2), (3, 2), (3, 4), seed=4),  # as many queries as keys, to tell a transpose by its numbers
    halves((2, 3), (5, 3), (5, 7), seed=5),
    halves((5, 3), (2, 3), (2, 2), seed=6),
]
LOOKUP_MISTAKES = [
    mistakes.blends_with_raw_scores,
    mistakes.divides_by_the_sum_of_scores,
    mistakes.takes_the_best_match,
    mistakes.blends_the_keys,
    mistakes.plain_average,
    mistakes.returns_the_weights,
    mistakes.exponentials_not_divided,
    mistakes.multiplies_without_adding,
    mistakes.scales_the_scores,
]
TABLE_MISTAKES = [
    *LOOKUP_MISTAKES,
    mistakes.softmax_over_the_queries,
    mistakes.one_sum_for_the_whole_table,
    mistakes.sums_lose_their_axis,
    mistakes.weights_turned_round,
    mistakes.keys_ask_the_queries,
]
# In self-attention these two give the same numbers as a mistake with a better name there.
NAMED_BY_PROJECTION = [mistakes.blends_the_keys, mistakes.keys_ask_the_queries]
LOOKUP_LAWS = [stays_between_the_values, follows_reordered_keys]

EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=weight_by_hand,
        tolerance=0.0015,
        covers="exp(1) / (exp(1) + exp(0)) = 0.731.",
        mistakes=[
            mistakes.divides_the_scores,
            mistakes.halves,
            mistakes.weight_of_the_other,
            mistakes.not_divided_yet,
        ],
        hints=[
            "Take exp of both scores first.",
            "exp(1) is 2.718 and exp(0) is 1. What share is the first of both?",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=soft_lookup,
        probes=ONE_QUERY,
        covers="one key alone and negative scores included",
        properties=LOOKUP_LAWS,
        mistakes=LOOKUP_MISTAKES,
        hints=[
            "Three steps: one score for each key, weights from the scores, a blend of the values.",
            "keys @ query gives all scores at once; softmax makes weights of them.",
            "The blend is weight times value, summed over the keys: a product of weights and values.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=soft_lookup_all,
        probes=MANY_QUERIES,
        covers="more queries than keys, and fewer",
        properties=LOOKUP_LAWS,
        alternatives=[_by_loop, _by_columns],
        mistakes=TABLE_MISTAKES,
        hints=[
            "A loop over the queries with your soft_lookup is right. Then look for the product that does it at once.",
            "queries is (n_q, d_k) and keys is (n_k, d_k). You need (n_q, n_k): what has to be turned?",
            "softmax works along the last axis, and that is where the keys are.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=outside_the_values,
        probes=[
            (np.array([[0.5, 7.0], [2.0, 5.0]]), np.array([[1.0, 4.0], [0.0, 6.0], [0.5, 5.0]])),
            (np.array([[1.0, 3.99], [-3.0, 6.0]]), np.array([[-3.0, 6.0], [1.0, 4.0], [-1.0, 5.0]])),
            (np.array([[5.0, 0.5, 7.0]]), np.array([[0.0, 0.0, 7.0], [4.0, -1.0, 7.0], [1.0, 0.0, 7.0]])),
            (np.nextafter([[0.1, -0.3]], [[1.0, -1.0]]), np.array([[0.1, 0.3], [0.1, -0.3]])),
            halves((5, 3), (7, 3), seed=15),
        ],
        covers="values on the edge, just outside and off by rounding",
        alternatives=[lambda output, values: ~blend.tells_inside(output, values)],
        mistakes=[
            blend.compares_across_columns,
            blend.smallest_of_each_row,
            blend.takes_first_and_last,
            blend.no_room_for_rounding,
            blend.only_looks_above,
            blend.only_looks_below,
            blend.edges_count_as_outside,
            blend.tells_inside,
        ],
        hints=[
            "Each column of the output has its own smallest and largest value.",
            "values.min(axis=0) gives the smallest of each column; | joins two boolean arrays.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=shape_of_scores,
        covers="One row for each query, one column for each key.",
        mistakes=[mistakes.scores_of_widths, mistakes.scores_like_queries],
        hints=[
            "Write the two shapes beside each other: (6, 3) and (3, 6).",
            "The inner sizes vanish in a product.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=shape_of_output,
        covers="One row for each query, as wide as a value.",
        mistakes=[
            mistakes.output_as_wide_as_x,
            mistakes.output_as_wide_as_keys,
            mistakes.output_like_scores,
        ],
        hints=["The weights are (6, 6) and the values (6, 2).", "The inner sizes vanish in a product."],
    ),
    Exercise(
        lesson=LESSON,
        solution=self_attention,
        probes=[
            halves((2, 3), (3, 1), (3, 1), (3, 2), seed=17),
            halves((3, 2), (2, 2), (2, 2), (2, 2), seed=8),  # square, to tell a transpose by its numbers
            halves((5, 4), (4, 3), (4, 3), (4, 2), seed=9),
            halves((3, 5), (5, 2), (5, 2), (5, 7), seed=10),
        ],
        covers="d_model, d_k and d_v all different included",
        alternatives=[_merged],
        mistakes=[
            projections.without_projections,
            projections.values_not_projected,
            projections.queries_use_W_K,
            projections.keys_use_W_Q,
            projections.values_use_W_K,
            projections.queries_and_keys_swapped,
            projections.matrices_transposed,
            *map(projections.on_projections, [m for m in TABLE_MISTAKES if m not in NAMED_BY_PROJECTION]),
        ],
        hints=[
            "Make query, key and value first: three products with x.",
            "Then it is the lookup you have written already.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=cross_attention,
        probes=[
            halves((2, 2), (3, 2), (2, 2), (2, 2), (2, 1), seed=11),
            halves((3, 2), (3, 2), (2, 3), (2, 3), (2, 2), seed=12),  # as many tokens on both sides
            halves((5, 2), (3, 4), (2, 3), (4, 3), (4, 7), seed=13),  # context of another width
            halves((2, 5), (7, 3), (5, 2), (3, 2), (3, 4), seed=14),
        ],
        covers="a context of another length and width included",
        mistakes=[
            projections.sources_swapped,
            projections.context_ignored,
            projections.only_context,
            projections.values_from_x,
            projections.keys_from_x,
            projections.context_not_projected,
            projections.matrices_swapped,
            *map(projections.on_context, TABLE_MISTAKES),
        ],
        hints=[
            "x asks: it makes the queries.",
            "The context is what is looked up in: it makes the keys and the values.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=line_at_fault,
        covers="The sum runs over everything: every query's weights should sum to 1 by themselves.",
        mistakes=[
            mistakes.blames_the_inputs,
            mistakes.blames_scores,
            mistakes.blames_exponentials,
            mistakes.blames_the_blend,
        ],
        hints=["With values of 1, what should each output be?", "Which line divides, and by how much?"],
    ),
    Exercise(
        lesson=LESSON,
        solution=repaired_lookup,
        probes=MANY_QUERIES,
        covers="more queries than keys, and fewer",
        properties=LOOKUP_LAWS,
        alternatives=[_by_loop],
        mistakes=TABLE_MISTAKES,
        hints=[
            "Each row needs its own sum: which axis do you sum over?",
            "keepdims=True keeps the sums in a column, so that each row is divided by its own.",
        ],
    ),
]
