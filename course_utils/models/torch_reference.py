"""The one place where the course asks torch for its answer, in the course's own conventions.

torch's two calls disagree with each other and with the field in ways that depend on rank, options and version. Here
masks are True = may look, causal is aligned bottom-right, and a query that may look at nothing gets zeros.
"""

import torch

from course_utils.core.attention import Attention
from course_utils.core.masks import causal_mask


def torch_attention(query, key, value, *, mask=None, bias=None, causal=False, scale=None):
    """The output of ``torch.nn.functional.scaled_dot_product_attention``, a tensor.

    Arguments as in the course's function of that name; NumPy arrays become tensors. Raises ValueError for NaN or
    infinity in query, key or value: torch carries them into rows that may not see them, so nothing can be compared.
    """
    query, key, value = (_finite(n, a) for n, a in (("query", query), ("key", key), ("value", value)))
    # Said in full, because 5 heads on 1 would be broadcast silently and 4 on 2 refused.
    batch = torch.broadcast_shapes(*(a.shape[:-2] for a in (query, key, value)))
    query, key, value = (a.expand(*batch, *a.shape[-2:]) for a in (query, key, value))

    # One mask of floats: is_causal is aligned top-left, and beside a mask it raises or not, depending on the rank.
    allowed = _allowed(mask, causal, (*batch, query.shape[-2], key.shape[-2]), query.device)
    added = torch.zeros((), dtype=query.dtype) if bias is None else torch.as_tensor(bias).to(query.dtype)
    added = torch.where(allowed, added.to(query.device), -torch.inf)
    output = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=added, dropout_p=0.0, is_causal=False, scale=scale
    )
    # Zeros for a query without a key: torch gives NaN before version 2.5.
    return torch.where((added > -torch.inf).any(-1, keepdim=True), output, 0)


def torch_multi_head_attention(x, W_Q, W_K, W_V, W_O, *, n_heads, context=None, key_mask=None, causal=False):
    """The output and weights of ``torch.nn.MultiheadAttention`` with these projections, as tensors.

    x (batch, n_q, d_model), context (batch, n_k, d_context), W_Q and W_O (d_model, d_model), W_K and W_V
    (d_context, d_model): torch knows no other shapes. ``key_mask`` boolean (batch, n_k), True = may look.
    Weights are (batch, n_heads, n_q, n_k).
    """
    x, context = _finite("x", x), _finite("context", x if context is None else context)
    W_Q, W_K, W_V, W_O = (torch.as_tensor(W).to(x.dtype) for W in (W_Q, W_K, W_V, W_O))
    (batch, n_q, d_model), (_, n_k, d_context) = x.shape, context.shape
    needed = {"W_Q": (W_Q, d_model), "W_K": (W_K, d_context), "W_V": (W_V, d_context), "W_O": (W_O, d_model)}
    for name, (W, rows) in needed.items():
        if tuple(W.shape) != (rows, d_model):
            raise ValueError(f"torch needs {name} of shape ({rows}, {d_model}), but {name} is {tuple(W.shape)}")

    # nn.MultiheadAttention takes batch_first=False unless told, and multiplies by the transposed matrices.
    module = torch.nn.MultiheadAttention(
        d_model, n_heads, bias=False, batch_first=True, kdim=d_context, vdim=d_context, dtype=x.dtype
    )
    if d_context == d_model:
        weights = {"in_proj_weight": torch.cat([W_Q.T, W_K.T, W_V.T])}
    else:
        weights = {"q_proj_weight": W_Q.T, "k_proj_weight": W_K.T, "v_proj_weight": W_V.T}

    mask = None if key_mask is None else torch.as_tensor(key_mask)[:, None, :]
    allowed = _allowed(mask, causal, (batch, n_q, n_k), x.device)
    # A query without a key would be NaN with need_weights=True and zeros without: let it look, then put zeros.
    lonely = ~allowed.any(-1, keepdim=True)
    blocked = ~(allowed | lonely)  # here True = may NOT look
    output, weights = torch.func.functional_call(
        module,
        {**weights, "out_proj.weight": W_O.T},
        (x, context, context),
        # is_causal is only a hint that overrules the mask in one of the two code paths; need_weights chooses the path.
        {
            "attn_mask": blocked.repeat_interleave(n_heads, 0),
            "is_causal": False,
            "need_weights": True,
            "average_attn_weights": False,
        },
    )
    return Attention(torch.where(lonely, 0, output), torch.where(lonely[:, None], 0, weights))


def _finite(name, array):
    tensor = torch.as_tensor(array)
    tensor = tensor if tensor.is_floating_point() else tensor.to(torch.get_default_dtype())
    if not tensor.isfinite().all():
        raise ValueError(
            f"{name} holds NaN or infinity, which torch carries into rows that may not see it: "
            "give finite numbers to compare"
        )
    return tensor


def _allowed(mask, causal, shape, device):
    """One boolean mask of the full shape: torch refuses masks of one axis."""
    allowed = torch.ones(shape, dtype=torch.bool, device=device)
    if mask is not None:
        mask = torch.as_tensor(mask, device=device)
        if mask.dtype != torch.bool:
            raise TypeError(f"mask has dtype {mask.dtype}: use a boolean mask (True = may look)")
        allowed = allowed & mask
    return allowed & torch.from_numpy(causal_mask(*shape[-2:])).to(device) if causal else allowed
