"""Exercises of ``01_retrieval``."""

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.engine.laws import follows_reordered_keys, stays_between_the_values


def weight_by_hand():
    scores = np.array([1, 0])
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum()
    return round(float(weights[0]), 3)


def soft_lookup(query, keys, values):
    scores = keys @ query
    weights = softmax(scores)
    return weights @ values


def soft_lookup_all(queries, keys, values):
    scores = queries @ keys.T
    weights = softmax(scores)
    return weights @ values


def outside_the_values(output, values):
    smallest = values.min(axis=0)
    largest = values.max(axis=0)
    below = output < smallest - 1e-9
    above = output > largest + 1e-9
    return below | above


def shape_of_scores():
    queries, keys = (6, 3), (6, 3)
    return (queries[0], keys[0])


def shape_of_output():
    x, W_K, W_V = (6, 5), (5, 3), (5, 2)
    keys, values = (x[0], W_K[1]), (x[0], W_V[1])
    weights = (x[0], keys[0])
    return (weights[0], values[1])


def self_attention(x, W_Q, W_K, W_V):
    queries = x @ W_Q
    keys = x @ W_K
    values = x @ W_V
    scores = queries @ keys.T
    weights = softmax(scores)
    return weights @ values


def cross_attention(x, context, W_Q, W_K, W_V):
    queries = x @ W_Q
    keys = context @ W_K
    values = context @ W_V
    scores = queries @ keys.T
    weights = softmax(scores)
    return weights @ values


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


def _not_inside(output, values):
    return ~((output >= values.min(axis=0) - 1e-9) & (output <= values.max(axis=0) + 1e-9))


def _merged(x, W_Q, W_K, W_V):
    return softmax(x @ (W_Q @ W_K.T) @ x.T) @ x @ W_V


ONE_QUERY = [
    (np.array([1.0, -0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[10.0, 0.0, 2.0], [0.0, 20.0, 2.0]])),
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
OF_SEVERAL_QUERIES = [
    "softmax_over_the_queries",
    "one_sum_for_the_whole_table",
    "sums_lose_their_axis",
    "weights_turned_round",
    "keys_ask_the_queries",
]
# In self-attention these two give the same numbers as a mistake with a better name there.
NAMED_BY_PROJECTION = ["blends_the_keys", "keys_ask_the_queries"]
LOOKUP_LAWS = [stays_between_the_values, follows_reordered_keys]

EXERCISES = [
    Exercise(solution=weight_by_hand, tolerance=0.0015, mistakes=slips("retrieval/retrieval", weight_by_hand)),
    Exercise(
        solution=soft_lookup,
        probes=ONE_QUERY,
        properties=LOOKUP_LAWS,
        mistakes=slips("retrieval/lookup", soft_lookup, without=OF_SEVERAL_QUERIES),
    ),
    Exercise(
        solution=soft_lookup_all,
        probes=MANY_QUERIES,
        properties=LOOKUP_LAWS,
        alternatives=[_by_loop, _by_columns],
        mistakes=slips("retrieval/lookup", soft_lookup_all),
    ),
    Exercise(
        solution=outside_the_values,
        probes=[
            (np.array([[0.5, 7.0], [2.0, 5.0]]), np.array([[1.0, 4.0], [0.0, 6.0], [0.5, 5.0]])),
            (np.array([[1.0, 3.99], [-3.0, 6.0]]), np.array([[-3.0, 6.0], [1.0, 4.0], [-1.0, 5.0]])),
            (np.array([[5.0, 0.5, 7.0]]), np.array([[0.0, 0.0, 7.0], [4.0, -1.0, 7.0], [1.0, 0.0, 7.0]])),
            (np.nextafter([[0.1, -0.3]], [[1.0, -1.0]]), np.array([[0.1, 0.3], [0.1, -0.3]])),
            halves((5, 3), (7, 3), seed=15),
        ],
        alternatives=[_not_inside],
        mistakes=slips("retrieval/blend", outside_the_values),
    ),
    Exercise(solution=shape_of_scores, mistakes=slips("retrieval/retrieval", shape_of_scores)),
    Exercise(solution=shape_of_output, mistakes=slips("retrieval/retrieval", shape_of_output)),
    Exercise(
        solution=self_attention,
        probes=[
            halves((2, 3), (3, 1), (3, 1), (3, 2), seed=17),
            halves((3, 2), (2, 2), (2, 2), (2, 2), seed=8),  # square, to tell a transpose by its numbers
            halves((5, 4), (4, 3), (4, 3), (4, 2), seed=9),
            halves((3, 5), (5, 2), (5, 2), (5, 7), seed=10),
        ],
        alternatives=[_merged],
        mistakes=[
            *slips("retrieval/projections", self_attention),
            *slips("retrieval/lookup", self_attention, without=NAMED_BY_PROJECTION),
        ],
    ),
    Exercise(
        solution=cross_attention,
        probes=[
            halves((2, 2), (3, 2), (2, 2), (2, 2), (2, 1), seed=11),
            halves((3, 2), (3, 2), (2, 3), (2, 3), (2, 2), seed=12),  # as many tokens on both sides
            halves((5, 2), (3, 4), (2, 3), (4, 3), (4, 7), seed=13),  # context of another width
            halves((2, 5), (7, 3), (5, 2), (3, 2), (3, 4), seed=14),
        ],
        mistakes=[*slips("retrieval/projections", cross_attention), *slips("retrieval/lookup", cross_attention)],
    ),
    Exercise(solution=line_at_fault, mistakes=slips("retrieval/retrieval", line_at_fault)),
    Exercise(
        solution=repaired_lookup,
        probes=MANY_QUERIES,
        properties=LOOKUP_LAWS,
        alternatives=[_by_loop],
        # Made in the shorter answer: a repair may be written in any way.
        mistakes=slips("retrieval/lookup", soft_lookup_all),
    ),
]
