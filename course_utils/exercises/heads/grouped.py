"""Exercises of ``05_heads`` on narrow heads, on heads that share keys and values, and on what that saves."""

import numpy as np

from course_utils.core.cost import MODELS, cache_bytes, projection_parameters
from course_utils.core.scores import softmax
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.heads import laws as layer_laws
from course_utils.exercises.heads.mistakes import counts, gqa, perhead
from course_utils.exercises.heads.mistakes import heads as mistakes
from course_utils.exercises.shared import masked

LESSON = "05_heads"
LLAMA = MODELS["Llama-3-8B"]


def rank_of_scores():
    return 24 // 6


def grouped_query_attention(query, key, value):
    group, left_over = divmod(query.shape[1], key.shape[1])
    if left_over:
        raise ValueError(f"{query.shape[1]} query heads cannot share {key.shape[1]} key/value heads")
    key, value = np.repeat(key, group, axis=1), np.repeat(value, group, axis=1)
    scores = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
    return softmax(scores) @ value


def parameters_of_grouped_layer():
    return projection_parameters(LLAMA.d_model, n_heads=LLAMA.n_heads, n_kv_heads=LLAMA.n_kv_heads)


def cache_of_a_token():
    return cache_bytes(LLAMA.layers, 1, LLAMA.n_kv_heads, LLAMA.d_head, bytes_each=2) // 1024


def _refuse(query, key):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"query is {query.shape} and key {key.shape}: their heads do not fit")


def _by_indices(query, key, value):
    _refuse(query, key)
    place = np.arange(query.shape[1]) // (query.shape[1] // key.shape[1])
    return gqa.attend(query, key[:, place], value[:, place])


def _by_loop(query, key, value):
    _refuse(query, key)
    group = query.shape[1] // key.shape[1]
    heads = [gqa.attend(query[:, h], key[:, h // group], value[:, h // group]) for h in range(query.shape[1])]
    return np.stack(heads, axis=1)


def _by_an_axis_of_groups(query, key, value):
    batch, heads, n_q, width = query.shape
    grouped = (
        query.reshape(batch, key.shape[1], -1, n_q, width)
        if heads % key.shape[1] == 0
        else _refuse(query, key)
    )
    scores = np.einsum("bkgid,bkjd->bkgij", grouped, key) * width**-0.5
    return np.einsum("bkgij,bkjv->bkgiv", softmax(scores), value).reshape(batch, heads, n_q, -1)


def shared(batch, heads, kv_heads, n_q, n_k, d_k, d_v, seed):
    shapes = (batch, heads, n_q, d_k), (batch, kv_heads, n_k, d_k), (batch, kv_heads, n_k, d_v)
    return halves(*shapes, seed=seed)


NAMED_HERE = {"attends_over_the_batch", "exp_overflows", "one_maximum_for_all_rows", "reverses_all_axes"}
SLIPS = [slip for slip in masked.SLIPS if slip.name.partition("/")[2] not in NAMED_HERE]

EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=rank_of_scores,
        covers="Q is (20, 4): 24 features over 6 heads. Q Kᵀ has no more rank than that.",
        mistakes=[mistakes.rank_of_the_tokens, mistakes.rank_of_the_model, mistakes.rank_of_the_heads],
        hints=["How wide is one head?", "A product of (20, d) and (d, 20) has rank d at most."],
    ),
    Exercise(
        lesson=LESSON,
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
        covers="groups of 1, 2, 3 and 4; 5 heads on 2, 7 on 3 and 6 on 4 refused",
        alternatives=[_by_indices, _by_loop, _by_an_axis_of_groups],
        properties=[
            layer_laws.weights_sum_to_one,
            layer_laws.heads_stay_apart,
            layer_laws.keys_come_in_any_order,
        ],
        mistakes=[
            gqa.tiles_the_heads,
            gqa.tiles_the_values_only,
            gqa.tiles_the_keys_only,
            gqa.rounds_the_group_down,
            gqa.rounds_the_group_up,
            gqa.repeats_the_tokens,
            gqa.repeats_the_features,
            gqa.repeats_the_batch,
            gqa.averages_the_heads,
            gqa.takes_the_first_head,
            gqa.keeps_one_query_head_of_each_group,
            gqa.leaves_the_heads_unshared,
            gqa.hides_the_future,
            gqa.reverses_all_axes,
            *perhead.IN_GROUPS,
            *map(perhead.inside_groups, SLIPS),
        ],
        hints=[
            "How many query heads share one key/value head? That is one division, and it has to come out even.",
            "np.repeat repeats each entry before it goes on: [0, 0, 1, 1]. Which axis are the heads?",
            "if ...: raise ValueError(...) with both numbers in the sentence.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=parameters_of_grouped_layer,
        tolerance=0.5,
        covers="Two matrices of 4096 x 4096 and two of 4096 x 1024.",
        mistakes=[
            counts.all_four_square,
            counts.forgets_W_O,
            counts.one_key_value_matrix,
            counts.W_O_shrinks_too,
        ],
        hints=[
            "W_Q and W_O serve 32 heads of width 128.",
            "W_K and W_V make 8 heads of width 128: how many columns?",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=cache_of_a_token,
        covers="2 x 32 layers x 8 heads x 128 x 2 bytes = 131,072 bytes.",
        mistakes=[
            counts.cache_of_all_query_heads,
            counts.cache_without_one_two,
            counts.cache_of_one_layer,
            counts.cache_in_float32,
            counts.cache_in_bytes,
            counts.cache_in_kilobytes,
            counts.cache_of_one_head,
        ],
        hints=[
            "Keys and values, in every layer, for every key/value head, 128 numbers each.",
            "Times 2 bytes, divided by 1024.",
        ],
    ),
]
