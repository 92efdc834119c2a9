"""Exercises of ``05_heads`` on narrow heads, on heads that share keys and values, and on what that saves."""

import math

import numpy as np

from course_utils.core.cost import MODELS
from course_utils.core.scores import softmax
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.heads import laws
from course_utils.exercises.heads.layer import NOT_IN_HEADS

LLAMA = MODELS["Llama-3-8B"]


def rank_of_scores():
    tokens, d_model, n_heads = 20, 24, 6
    d_head = d_model // n_heads
    return min(tokens, d_head)


def grouped_query_attention(query, key, value):
    heads, kv_heads = query.shape[1], key.shape[1]
    if heads % kv_heads:
        raise ValueError(f"{heads} query heads cannot share {kv_heads} key/value heads")
    group = heads // kv_heads
    key = np.repeat(key, group, axis=1)
    value = np.repeat(value, group, axis=1)
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    weights = softmax(scores, axis=-1)
    return weights @ value


def parameters_of_grouped_layer():
    d_model, n_heads, n_kv_heads, d_head = LLAMA.d_model, LLAMA.n_heads, LLAMA.n_kv_heads, LLAMA.d_head
    wide, narrow = n_heads * d_head, n_kv_heads * d_head
    W_Q = W_O = d_model * wide
    W_K = W_V = d_model * narrow
    return W_Q + W_K + W_V + W_O


def cache_of_a_token():
    layers, n_kv_heads, d_head = LLAMA.layers, LLAMA.n_kv_heads, LLAMA.d_head
    bytes_each = 2
    size = 2 * layers * n_kv_heads * d_head * bytes_each
    return size // 1024


def _attend(query, key, value):
    return softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])) @ value


def _refuse(query, key):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"query is {query.shape} and key {key.shape}: their heads do not fit")


def _by_indices(query, key, value):
    _refuse(query, key)
    place = np.arange(query.shape[1]) // (query.shape[1] // key.shape[1])
    return _attend(query, key[:, place], value[:, place])


def _by_loop(query, key, value):
    _refuse(query, key)
    group = query.shape[1] // key.shape[1]
    heads = [_attend(query[:, h], key[:, h // group], value[:, h // group]) for h in range(query.shape[1])]
    return np.stack(heads, axis=1)


def _by_an_axis_of_groups(query, key, value):
    _refuse(query, key)
    batch, heads, n_q, width = query.shape
    grouped = query.reshape(batch, key.shape[1], -1, n_q, width)
    scores = np.einsum("bkgid,bkjd->bkgij", grouped, key) * width**-0.5
    return np.einsum("bkgij,bkjv->bkgiv", softmax(scores), value).reshape(batch, heads, n_q, -1)


def shared(batch, heads, kv_heads, n_q, n_k, d_k, d_v, seed):
    shapes = (batch, heads, n_q, d_k), (batch, kv_heads, n_k, d_k), (batch, kv_heads, n_k, d_v)
    return halves(*shapes, seed=seed)


ALTERNATIVES = [_by_indices, _by_loop, _by_an_axis_of_groups]

EXERCISES = [
    Exercise(solution=rank_of_scores, mistakes=slips("heads/heads", rank_of_scores)),
    Exercise(
        solution=grouped_query_attention,
        probes=[
            (  # no query prefers anything: each head gives the mean of its values
                np.zeros((1, 4, 1, 1)),
                np.zeros((1, 2, 2, 1)),
                np.array([[[[1.0], [3.0]], [[10.0], [30.0]]]]),
            ),
            shared(2, 6, 3, 4, 5, 7, 9, seed=1),
            shared(5, 6, 2, 3, 4, 8, 7, seed=2),
            shared(2, 4, 1, 3, 5, 7, 6, seed=3),
            shared(2, 3, 3, 5, 4, 6, 7, seed=4),
            shared(2, 4, 2, 3, 3, 5, 5, seed=5),
            # These must be refused.
            shared(2, 5, 2, 3, 4, 6, 7, seed=6),
            shared(2, 7, 3, 4, 5, 6, 8, seed=7),
            shared(2, 6, 4, 3, 5, 7, 8, seed=9),
        ],
        alternatives=ALTERNATIVES,
        properties=[laws.weights_sum_to_one, laws.heads_stay_apart, laws.keys_come_in_any_order],
        mistakes=[
            *slips("heads/gqa", grouped_query_attention),
            *slips("heads/perhead", grouped_query_attention),
            # Some ways of attention's slips need a mask, and fit no answer here: they are left out.
            *slips("attention", grouped_query_attention, without=NOT_IN_HEADS, others=ALTERNATIVES),
        ],
    ),
    Exercise(
        solution=parameters_of_grouped_layer, tolerance=0.5, mistakes=slips("heads/counts", parameters_of_grouped_layer)
    ),
    Exercise(solution=cache_of_a_token, mistakes=slips("heads/counts", cache_of_a_token)),
]
