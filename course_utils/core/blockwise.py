"""Exact attention without the n x n matrix: one block of scores at a time (Milakov & Gimelshein 2018; Dao 2022)."""

import math

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from course_utils.core.arrays import cast, check_counts, device_of, working
from course_utils.core.attention import score_shape
from course_utils.core.masks import causal_mask

BLOCK = 192  # scores of 8 heads then take about 1 MiB, which stays in a processor's cache


def attention_in_blocks(query, key, value, *, block=BLOCK, causal=False, scale=None):
    """The output of ``scaled_dot_product_attention``, in memory that grows with n and not with n * n.

    Arguments as there; gives the output only, (..., n_q, d_v), because the weights are never all there at
    once. ``block`` is the number of queries and of keys taken at a time. Besides the output it needs room for
    block * block scores; with ``causal`` the blocks of the future are skipped, half of all.

    Gradients flow, but torch then keeps every block: ``models/blockwise.py`` trains in flat memory.
    """
    xp, (query, key, value), dtype = working(query=query, key=key, value=value)
    output, _ = blend_in_blocks(query, key, value, block, causal, scale)
    return cast(xp, output, dtype)


def blend_in_blocks(query, key, value, block, causal, scale):
    """The output, and of each query log(sum_j exp(score_j)), from which a backward pass rebuilds the weights.

    Online softmax. For each query three running numbers describe the keys seen so far: the ``largest`` score,
    the ``total`` of exp(score - largest), and the ``blend`` of values with these as weights. If a new block
    holds a larger score, what was there fades by exp(old largest - new largest), as if it had been known before.
    """
    xp, shape = array_namespace(query), score_shape(query, key, value)
    check_counts(block=block)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    options = {"dtype": query.dtype, **device_of(xp, query)}
    batch = np.broadcast_shapes(shape[:-2], value.shape[:-2])
    output = xp.zeros((*batch, shape[-2], value.shape[-1]), **options)
    normaliser = xp.zeros((*shape[:-1], 1), **options)

    for rows, blocks in query_blocks(*shape[-2:], block, causal):
        some = query[..., rows, :] * scale
        # The lowest number and not -inf, because -inf - -inf is NaN.
        largest = xp.full(normaliser[..., rows, :].shape, xp.finfo(query.dtype).min, **options)
        total, blend = xp.zeros_like(largest), xp.zeros_like(output[..., rows, :])
        for columns, mask in blocks:
            scores = block_scores(some, key[..., columns, :], mask)
            new = xp.maximum(largest, xp.max(constant(scores), axis=-1, keepdims=True))
            weights = exp_in_place(scores, new)
            fade = xp.exp(largest - new)
            total = total * fade + xp.sum(weights, axis=-1, keepdims=True)
            blend *= fade
            blend += weights @ value[..., columns, :]
            largest = new
        total = xp.where(total == 0, xp.ones_like(total), total)  # a query that sees nothing: zeros
        output[..., rows, :] = blend / total
        normaliser[..., rows, :] = largest + xp.log(total)
    return output, normaliser


def query_blocks(n_queries, n_keys, block, causal):
    """For each block of queries: its rows, and the blocks of keys they see with the mask each needs, or None.

    The last keys come first. There, on the diagonal, only part of a block may be seen; all others are whole.
    """
    for first in range(0, n_queries, block):
        rows = slice(first, min(first + block, n_queries))
        seen = max(rows.stop + n_keys - n_queries, 0) if causal else n_keys
        columns = [slice(max(stop - block, 0), stop) for stop in range(seen, 0, -block)]
        masks = [causal_mask(rows.stop - rows.start, c.stop - c.start) for c in columns[:1] if causal]
        yield rows, zip(columns, masks + [None] * (len(columns) - len(masks)), strict=True)


def block_scores(query, key, mask):
    """The scores of one block; its query is scaled already."""
    xp = array_namespace(query)
    scores = query @ xp.matrix_transpose(key)
    return scores if mask is None else xp.where(xp.asarray(mask, **device_of(xp, query)), scores, -xp.inf)


def constant(scores):
    """The same numbers, through which no gradient flows: the largest score cancels out of the result."""
    return scores.detach() if is_torch_array(scores) else scores


def exp_in_place(scores, subtract):
    """exp(scores - subtract), written over the scores: a new array for each block costs a tenth of the time."""
    scores -= subtract
    return scores.exp_() if is_torch_array(scores) else np.exp(scores, out=scores)
