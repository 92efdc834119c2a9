"""Scaled dot-product attention, whole and step by step (Vaswani et al. 2017, section 3.2.1, equation 1)."""

import math
from typing import NamedTuple

import numpy as np
from array_api_compat import is_array_api_obj, is_torch_array

from course_utils.core.arrays import cast, device_of, working
from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax

LIMIT = 2 * 1024**3  # bytes of one score array: beyond it a laptop starts to swap


class Attention(NamedTuple):
    """What attention gives: ``output`` (..., n_q, d_v) and ``weights`` (..., n_q, n_k)."""

    output: object
    weights: object


class Steps(NamedTuple):
    """Attention with everything in between. All are (..., n_q, n_k) but ``sums`` (..., n_q, 1) and ``output``.

    ``scores`` = query keyᵀ; ``scaled`` = scores * scale; ``masked`` = scaled + bias, -inf where the query may
    not look; ``exponentials`` = exp(masked), as on paper (they overflow where softmax does not); ``sums`` of
    each row of them; ``weights`` = softmax(masked); ``output`` = weights value, (..., n_q, d_v).
    """

    scores: object
    scaled: object
    masked: object
    exponentials: object
    sums: object
    weights: object
    output: object


def scaled_dot_product_attention(query, key, value, *, mask=None, bias=None, causal=False, scale=None, limit=LIMIT):
    """Blend the values, for each query by how well it matches each key: softmax(Q Kᵀ / sqrt(d_k)) V.

    query (..., n_q, d_k), key (..., n_k, d_k) and value (..., n_k, d_v); ``...`` are any batch axes. Gives
    the named tuple ``(output, weights)`` with shapes (..., n_q, d_v) and (..., n_q, n_k).

    mask    boolean, broadcasts to the weights; True = may look.
    bias    floats, broadcast to the weights; added to the scaled scores.
    causal  True hides the future (``causal_mask``). Mask, bias and causal combine.
    scale   what the scores are multiplied by; 1 / sqrt(d_k) if left out.
    limit   bytes one array of scores may take (2 GiB); ValueError beyond, before anything is allocated.

    A query that may look at nothing gives zeros. A masked score is replaced, not added to, so NaN in a masked
    key stays out; NaN in a masked *value* does not (0 * NaN is NaN). Arguments are never changed. Shapes
    that do not fit raise ValueError, other types TypeError; both name the argument.

    >>> import numpy as np
    >>> x = np.eye(2)
    >>> scaled_dot_product_attention(x, x, x).output.round(2).tolist()
    [[0.67, 0.33], [0.33, 0.67]]
    """
    xp, (query, key, value), dtype = working(query=query, key=key, value=value)
    scores, scaled, masked = _scores(xp, query, key, value, mask, bias, causal, scale, limit)
    weights = softmax(masked)
    return Attention(cast(xp, weights @ value, dtype), cast(xp, weights, dtype))


def attention_steps(query, key, value, *, mask=None, bias=None, causal=False, scale=None, limit=LIMIT):
    """The same as ``scaled_dot_product_attention``, with every array on the way: see ``Steps``."""
    xp, (query, key, value), dtype = working(query=query, key=key, value=value)
    scores, scaled, masked = _scores(xp, query, key, value, mask, bias, causal, scale, limit)
    exponentials = xp.exp(masked)
    sums = xp.sum(exponentials, axis=-1, keepdims=True)
    weights = softmax(masked)
    arrays = scores, scaled, masked, exponentials, sums, weights, weights @ value
    return Steps(*(cast(xp, array, dtype) for array in arrays))


def _scores(xp, query, key, value, mask, bias, causal, scale, limit):
    """The scores, the scaled scores, and those with bias and mask."""
    shape = score_shape(query, key, value)
    check_size(shape, query.dtype, limit)
    allowed = _allowed(xp, query, mask, causal, shape)
    if bias is not None:
        _check_bias(bias, shape)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale

    scores = query @ xp.matrix_transpose(key)  # (..., n_q, n_k)
    scaled = scores * scale
    masked = scaled
    if bias is not None:
        # A tensor as it is: asarray may cut its gradient.
        bias = bias if is_torch_array(bias) else xp.asarray(bias, **device_of(xp, query))
        masked = masked + cast(xp, bias, masked.dtype)
    if allowed is not None:
        masked = xp.where(allowed, masked, -xp.inf)
    return scores, scaled, masked


def _allowed(xp, query, mask, causal, shape):
    """One boolean mask from ``mask`` and ``causal``, or None."""
    allowed = None
    if mask is not None:
        check_mask(mask, shape)
        allowed = xp.asarray(mask, **device_of(xp, query))
    if causal:
        past = xp.asarray(causal_mask(*shape[-2:]), **device_of(xp, query))
        allowed = past if allowed is None else allowed & past
    return allowed


def check_mask(mask, shape):
    """Refuse a mask that is not boolean, or that does not broadcast to scores of this shape."""
    if not is_array_api_obj(mask) or _kind(mask.dtype) != "bool":
        raise TypeError(f"mask {_what(mask)}: use a boolean mask (True = may look), or pass a float as bias=")
    _check_broadcast("mask", mask.shape, shape)


def _check_bias(bias, shape):
    if not is_array_api_obj(bias) or "float" not in _kind(bias.dtype):
        raise TypeError(f"bias {_what(bias)}: use an array of floats, added to the scores, or pass a boolean as mask=")
    _check_broadcast("bias", bias.shape, shape)


def _check_broadcast(name, given, shape):
    """Refuse what does not fit the scores, or would make them larger."""
    try:
        fits = np.broadcast_shapes(given, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name} must broadcast to the scores {shape}, but {name} is {tuple(given)}")


def score_shape(query, key, value):
    """The shape of the scores, worked out before anything is allocated; or an error that names the misfit."""
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim < 2:
            raise ValueError(
                f"{name} needs at least 2 axes (tokens, width), but {name} is {tuple(array.shape)}; "
                "write x[None, :] to make one token of a vector"
            )
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "query and key need the same last size d_k, "
            f"but query is {tuple(query.shape)} and key is {tuple(key.shape)}"
        )
    if query.shape[-1] == 0:
        raise ValueError(f"d_k must be at least 1, but query is {tuple(query.shape)}")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"key and value need one row for each token, but there are {key.shape[-2]} keys "
            f"and {value.shape[-2]} values: key is {tuple(key.shape)} and value is {tuple(value.shape)}"
        )
    try:
        batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        np.broadcast_shapes(batch, value.shape[:-2])
    except ValueError:
        raise ValueError(
            "query, key and value need batch axes that agree, but query is "
            f"{tuple(query.shape)}, key is {tuple(key.shape)} and value is {tuple(value.shape)}"
        ) from None
    return (*batch, query.shape[-2], key.shape[-2])


def check_size(shape, dtype, limit):
    """Refuse scores of this shape and type if one array of them takes more than ``limit`` bytes."""
    size = math.prod(shape) * dtype.itemsize
    if size > limit:
        raise ValueError(
            f"n = {max(shape[-2:])} needs {size / 1024**3:.1f} GiB for one {_kind(dtype)} score matrix; "
            "use attention_in_blocks, or raise limit="
        )


def _kind(dtype):
    """The name of the number type, the same for NumPy and torch."""
    return str(dtype).removeprefix("torch.")


def _what(given):
    """What came, for an error: its number type, or its type if it is no array."""
    return (
        f"has dtype {_kind(given.dtype)}" if is_array_api_obj(given) else f"is a {type(given).__name__}, not an array"
    )
