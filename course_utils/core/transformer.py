"""What stands around attention in a transformer: normalisation, feed-forward, and the block that joins them."""

import math
from typing import NamedTuple

import numpy as np
from array_api_compat import is_torch_namespace

from course_utils.core.arrays import cast, working
from course_utils.core.heads import multi_head_attention

_erf = np.vectorize(math.erf, otypes=[float])  # NumPy has none of its own


class Block(NamedTuple):
    """The weights of one block. Projections have no bias; ``x @ W`` everywhere.

    W_Q, W_K, W_V, W_O as in ``multi_head_attention``; W_1 (d_model, d_hidden), b_1 (d_hidden,), W_2 (d_hidden,
    d_model), b_2 (d_model,) of the feed-forward; gain and shift (d_model,) of the two normalisations.
    """

    W_Q: object
    W_K: object
    W_V: object
    W_O: object
    W_1: object
    b_1: object
    W_2: object
    b_2: object
    gain_1: object
    shift_1: object
    gain_2: object
    shift_2: object


def layer_norm(x, gain=None, shift=None, *, eps=1e-5):
    """Bring each token to mean 0 and variance 1 over its features, then times ``gain`` plus ``shift``.

    x (..., d) gives the same shape; gain and shift (d,) are 1 and 0 if left out. No token sees another here. The
    variance is the mean of the squares (no n - 1); ``eps`` keeps a token of equal features from dividing 0 by 0.
    Ba, Kiros and Hinton 2016, equation 3.

    >>> layer_norm(np.array([[1.0, 3.0]])).round(3).tolist()
    [[-1.0, 1.0]]
    """
    given = {"gain": gain, "shift": shift}
    given = {name: array for name, array in given.items() if array is not None}
    xp, (x, *rest), dtype = working(x=x, **given)
    learned = dict(zip(given, rest, strict=True))
    for name, array in learned.items():
        _check(name, array, tuple(x.shape[-1:]))
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    x = centred / xp.sqrt(xp.mean(centred**2, axis=-1, keepdims=True) + eps)
    return cast(xp, x * learned.get("gain", 1.0) + learned.get("shift", 0.0), dtype)


def gelu(x):
    """A soft ReLU: x times the probability that a standard normal number is below x (Hendrycks and Gimpel 2016).

    >>> gelu(np.array([-10.0, 0.0, 10.0])).round(3).tolist()
    [-0.0, 0.0, 10.0]
    """
    xp, (x,), dtype = working(x=x)
    erf = xp.erf if is_torch_namespace(xp) else _erf
    return cast(xp, x * (0.5 + 0.5 * erf(x / math.sqrt(2))), dtype)


def feed_forward(x, W_1, b_1, W_2, b_2, *, activation=gelu):
    """Wider, bent, back again, for each token by itself: activation(x W_1 + b_1) W_2 + b_2.

    x (..., n, d_model) gives the same shape; the hidden width is usually 4 d_model.
    """
    xp, arrays, dtype = working(x=x, W_1=W_1, b_1=b_1, W_2=W_2, b_2=b_2)
    x, W_1, b_1, W_2, b_2 = arrays
    if W_1.ndim != 2 or W_1.shape[0] != x.shape[-1]:
        raise ValueError(
            f"W_1 needs shape ({x.shape[-1]}, d_hidden), as x is {tuple(x.shape)}, but W_1 is {tuple(W_1.shape)}"
        )
    d_model, d_hidden = W_1.shape
    for name, array, shape in (("b_1", b_1, (d_hidden,)), ("W_2", W_2, (d_hidden, d_model)), ("b_2", b_2, (d_model,))):
        _check(name, array, shape)
    return cast(xp, activation(x @ W_1 + b_1) @ W_2 + b_2, dtype)


def _check(name, array, shape):
    if tuple(array.shape) != shape:
        raise ValueError(f"{name} needs shape {shape}, but {name} is {tuple(array.shape)}")


def transformer_block(x, block, *, n_heads, norm="pre", activation=gelu, mask=None, causal=False):
    """Attention, then feed-forward, each added to what came in. x (..., n, d_model) gives the same shape.

    ``block`` holds the weights (``Block``). norm "pre" normalises what goes into each part, so x itself runs
    through untouched (and a stack needs one more normalisation at its end); "post" normalises each sum, as
    Vaswani et al. 2017, section 3.1, did. mask and causal as in ``multi_head_attention``. torch's
    ``nn.TransformerEncoderLayer`` is this with norm_first True or False; its default activation is ReLU.
    """
    if norm not in ("pre", "post"):
        raise ValueError(f'norm needs "pre" or "post", but it is {norm!r}')

    def attend(x):
        projections = block.W_Q, block.W_K, block.W_V, block.W_O
        return multi_head_attention(x, *projections, n_heads=n_heads, mask=mask, causal=causal).output

    def feed(x):
        return feed_forward(x, block.W_1, block.b_1, block.W_2, block.b_2, activation=activation)

    def norm_1(x):
        return layer_norm(x, block.gain_1, block.shift_1)

    def norm_2(x):
        return layer_norm(x, block.gain_2, block.shift_2)

    if norm == "pre":
        x = x + attend(norm_1(x))
        return x + feed(norm_2(x))
    x = norm_1(x + attend(x))
    return norm_2(x + feed(x))
