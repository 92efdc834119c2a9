"""Slips of plain attention, made inside the heads: x (batch, n_q, d_model) in and out; query, key, value for groups."""

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.engine.exercise import Mistake
from course_utils.exercises.heads.mistakes.gqa import group
from course_utils.exercises.heads.mistakes.mha import also, layer, masked_scores


def softmax_over_the_heads(*arguments):
    """Your softmax runs over the heads: they compete for each key, and no row sums to 1 over the keys.

    With the heads there are four axes. Which one are the keys?
    """
    return layer(*arguments, blend=_over_the_heads)


def _over_the_heads(q, k, v, allowed):
    return softmax(masked_scores(q, k, allowed), axis=1) @ v


def attends_over_the_batch(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Samples look at each other: the batch is used as the axis of tokens.

    So it is when x is read as (n, batch, d_model). Which axis are the tokens here?
    """
    turned = [None if a is None else np.swapaxes(a, 0, 1) for a in (x, context)]
    mask = None if key_mask is None else key_mask.T
    return np.swapaxes(layer(turned[0], W_Q, W_K, W_V, W_O, n_heads, causal, mask, turned[1]), 0, 1)


def scales_by_d_model(x, *rest):
    """You divide by sqrt(d_model), so every head is too flat.

    A score is a dot product inside one head. How many terms does its sum have?
    """
    return layer(x, *rest, blend=_scaled(lambda q: x.shape[-1]))


def scales_by_a_part_of_the_model(x, W_Q, W_K, W_V, W_O, n_heads, *rest):
    """You divide by the root of d_model / n_heads. A head is that wide only if the columns of W_Q are d_model in all.

    A score is a dot product inside one head. From which array can you read how many terms its sum has?
    """
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, *rest, blend=_scaled(lambda q: x.shape[-1] // n_heads))


def part_of_the_model_as_a_fraction(x, W_Q, W_K, W_V, W_O, n_heads, *rest):
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, *rest, blend=_scaled(lambda q: x.shape[-1] / n_heads))


def scales_by_all_heads(*arguments):
    """You divide by the root of the width of all heads together, so every head is too flat.

    A score is a dot product inside one head. How many terms does its sum have?
    """
    return layer(*arguments, blend=_scaled(lambda q: q.shape[1] * q.shape[-1]))


def scales_by_the_number_of_heads(*arguments):
    """You divide the scores by the square root of the number of heads.

    A head's scores do not change when there are more heads beside it. On what does their spread depend?
    """
    return layer(*arguments, blend=_scaled(lambda q: q.shape[1]))


def scales_by_the_number_of_queries(*arguments):
    """You divide by the square root of the number of queries.

    A score does not change when more queries are asked. On what does its spread depend?
    """
    return layer(*arguments, blend=_scaled(lambda q: q.shape[-2]))


def _scaled(number):
    """A blend whose scores are divided by the root of a number."""
    return lambda q, k, v, allowed: softmax(masked_scores(q, k, allowed, number(q) ** -0.5)) @ v


def inside(slip):
    """A slip of plain attention, made in every head of the layer."""

    def run(*arguments):
        return layer(*arguments, blend=lambda q, k, v, ok: slip.run(q, k, v, ok, None, False, None))

    return Mistake(slip.name, slip.text, run)


def inside_groups(slip):
    """A slip of plain attention, made in every head of grouped-query attention."""

    def run(query, key, value):
        times = group(query, key)
        key, value = np.repeat(key, times, axis=1), np.repeat(value, times, axis=1)
        return slip.run(query, key, value, None, None, False, None)

    return Mistake(slip.name, slip.text, run)


def blend_inside_groups(known, blend):
    """Grouped-query attention with another blend, under the name and with the words of a mistake of the layer."""

    def run(query, key, value):
        times = group(query, key)
        return blend(query, np.repeat(key, times, axis=1), np.repeat(value, times, axis=1), True)

    return also(known, run)


IN_GROUPS = [
    blend_inside_groups(softmax_over_the_heads, _over_the_heads),
    blend_inside_groups(scales_by_the_number_of_heads, _scaled(lambda q: q.shape[1])),
    blend_inside_groups(scales_by_the_number_of_queries, _scaled(lambda q: q.shape[-2])),
    blend_inside_groups(scales_by_all_heads, _scaled(lambda q: q.shape[1] * q.shape[-1])),
]
