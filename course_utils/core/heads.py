"""Several heads side by side, sharing keys if they like (Vaswani et al. 2017, 3.2.2; Ainslie et al. 2023)."""

import numpy as np

from course_utils.core.arrays import cast, check_counts, working
from course_utils.core.attention import LIMIT, Attention, check_mask, check_size, scaled_dot_product_attention


def split_heads(x, n_heads):
    """Cut the width into heads and move them in front of the tokens: (..., n, d) to (..., n_heads, n, d_head).

    Head h gets features h * d_head to (h + 1) * d_head of every token.

    >>> import numpy as np
    >>> split_heads(np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), 2).astype(int).tolist()
    [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    """
    xp, (x,), dtype = working(x=x)
    check_counts(n_heads=n_heads)
    if x.ndim < 2 or x.shape[-1] % n_heads:
        raise ValueError(
            f"x needs axes (..., n, d) with a width d that {n_heads} heads divide, but x is {tuple(x.shape)}"
        )
    *batch, n, d = x.shape
    return cast(xp, xp.moveaxis(xp.reshape(x, (*batch, n, n_heads, d // n_heads)), -2, -3), dtype)


def join_heads(x):
    """Put the heads of each token side by side again: (..., n_heads, n, d_head) to (..., n, n_heads * d_head)."""
    xp, (x,), dtype = working(x=x)
    if x.ndim < 3:
        raise ValueError(f"x needs axes (..., n_heads, n, d_head), but x is {tuple(x.shape)}")
    *batch, n_heads, n, d_head = x.shape
    return cast(xp, xp.reshape(xp.moveaxis(x, -3, -2), (*batch, n, n_heads * d_head)), dtype)


def share_heads(key, n_heads):
    """Repeat key (or value) heads so that every query head has one: (..., n_kv, n, d) to (..., n_heads, n, d).

    Neighbours share: 4 query heads on 2 key heads use heads [0, 0, 1, 1], as in Ainslie et al. 2023.
    """
    xp, (key,), dtype = working(key=key)
    if key.ndim < 3:
        raise ValueError(f"key needs axes (..., n_kv_heads, n, d_head), but key is {tuple(key.shape)}")
    n_kv_heads = key.shape[-3]
    _check_sharing(n_heads, n_kv_heads)
    if n_heads == n_kv_heads:
        return cast(xp, key, dtype)
    return cast(xp, xp.repeat(key, n_heads // n_kv_heads, axis=-3), dtype)


def multi_head_attention(
    x, W_Q, W_K, W_V, W_O, *, n_heads, n_kv_heads=None, context=None, mask=None, causal=False, limit=LIMIT
):
    """Attend with each head on its own part of the width, then mix the heads: Concat(head_1 ... head_h) W_O.

    x (..., n_q, d_model); W_Q (d_model, n_heads * d_k), W_K (d_model, n_kv_heads * d_k),
    W_V (d_model, n_kv_heads * d_v), W_O (n_heads * d_v, d_model). Gives the named tuple ``(output, weights)``
    with shapes (..., n_q, d_model) and (..., n_heads, n_q, n_k): each head has its own weights.

    n_kv_heads  fewer key/value heads than query heads: grouped-query attention; 1 is multi-query attention.
    context     (..., n_k, d_context) keys and values come from here: cross-attention. W_K and W_V then have
                d_context rows. Left out, they come from x: self-attention.
    mask        boolean (n_q, n_k), or (batch, n_q or 1, n_k); True = may look. All heads use it.
    causal, limit  as in ``scaled_dot_product_attention``.
    """
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    _check_sharing(n_heads, n_kv_heads)
    given = {"x": x, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    xp, arrays, dtype = working(**given, **({} if context is None else {"context": context}))
    x, W_Q, W_K, W_V, W_O, *rest = arrays
    context = rest[0] if rest else x
    _check_projections(x, context, "context" if rest else "x", W_Q, W_K, W_V, W_O, n_heads, n_kv_heads)
    shape = _score_shape(x, context)  # without the heads
    if mask is not None:
        check_mask(mask, shape)
        mask = mask[..., None, :, :] if mask.ndim > 2 else mask  # the same for all heads
    check_size((n_heads, *shape), x.dtype, limit)

    query = split_heads(x @ W_Q, n_heads)
    key = share_heads(split_heads(context @ W_K, n_kv_heads), n_heads)
    value = share_heads(split_heads(context @ W_V, n_kv_heads), n_heads)
    heads, weights = scaled_dot_product_attention(query, key, value, mask=mask, causal=causal, limit=limit)
    return Attention(cast(xp, join_heads(heads) @ W_O, dtype), cast(xp, weights, dtype))


def _check_sharing(n_heads, n_kv_heads):
    check_counts(n_heads=n_heads, n_kv_heads=n_kv_heads)
    if n_heads % n_kv_heads:
        raise ValueError(
            f"{n_heads} query heads cannot share {n_kv_heads} key/value heads: "
            "choose n_kv_heads so that it divides n_heads"
        )


def _check_projections(x, context, source, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads):
    """Refuse matrices that do not fit x, the context, the heads or each other; ``source`` names the context."""
    for name, array in (("x", x), (source, context)):
        if array.ndim < 2:
            raise ValueError(f"{name} needs at least 2 axes (tokens, width), but {name} is {tuple(array.shape)}")
    for name, W in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V), ("W_O", W_O)):
        if W.ndim != 2:
            raise ValueError(f"{name} must be a matrix with 2 axes, but {name} is {tuple(W.shape)}")
    columns = (
        ("W_Q", W_Q, "x", x, "n_heads", n_heads),
        ("W_K", W_K, source, context, "n_kv_heads", n_kv_heads),
        ("W_V", W_V, source, context, "n_kv_heads", n_kv_heads),
    )
    for name, W, of, tokens, count_name, count in columns:
        if W.shape[0] != tokens.shape[-1]:
            raise ValueError(
                f"{name} needs one row for each of the {tokens.shape[-1]} features of {of}, "
                f"but {name} is {tuple(W.shape)} and {of} is {tuple(tokens.shape)}"
            )
        if W.shape[1] == 0 or W.shape[1] % count:
            raise ValueError(
                f"{name} has {W.shape[1]} columns, which {count} heads cannot divide evenly: "
                f"choose {count_name} or the width of {name} so that they fit"
            )
    d_k, d_v = W_Q.shape[1] // n_heads, W_V.shape[1] // n_kv_heads
    if W_K.shape[1] // n_kv_heads != d_k:
        raise ValueError(
            f"queries and keys need heads of one width, but W_Q {tuple(W_Q.shape)} gives {n_heads} of {d_k} and "
            f"W_K {tuple(W_K.shape)} gives {n_kv_heads} of {W_K.shape[1] // n_kv_heads}: "
            f"give W_K {n_kv_heads * d_k} columns"
        )
    if W_O.shape[0] != n_heads * d_v:
        raise ValueError(
            f"W_O needs n_heads * d_v = {n_heads} * {d_v} = {n_heads * d_v} rows, but W_O is {tuple(W_O.shape)}"
        )


def _score_shape(x, context):
    """The shape of one head's scores, or an error if the batches do not agree."""
    try:
        batch = np.broadcast_shapes(x.shape[:-2], context.shape[:-2])
    except ValueError:
        raise ValueError(
            f"x and context need batch axes that agree, but x is {tuple(x.shape)} and context is {tuple(context.shape)}"
        ) from None
    return (*batch, x.shape[-2], context.shape[-2])
