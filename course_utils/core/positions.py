"""Three ways to tell attention about order: a table to add, a rotation of query and key, a bias on the scores."""

import math

import numpy as np

from course_utils.core.arrays import cast, check_counts, device_of, working


def sinusoidal_positions(n, d_model):
    """The table that is added to the token vectors: an array (n, d_model), positions counted from 0.

    PE[p, 2i] = sin(p / 10000^(2i / d_model)) and PE[p, 2i+1] = cos of the same angle (Vaswani et al. 2017,
    section 3.5). Column pair i is a hand that turns by the same angle at every step, so a shift of k places is
    a rotation that does not depend on p. With an odd d_model the last sine has no cosine beside it.

    >>> sinusoidal_positions(2, 4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    check_counts(d_model=d_model, **({"n": n} if n != 0 else {}))  # a table of no places is empty
    pair = np.arange(d_model) // 2
    angles = np.arange(n)[:, None] / 10000.0 ** (2 * pair / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angles), np.cos(angles))


def rotate(x, positions, *, base=10000.0):
    """Turn queries or keys by their positions: x (..., n, d) gives the same shape and type (rotary positions).

    Pair i is (x[..., i], x[..., i + d/2]), the half-split layout of GPT-NeoX and of Llama in Hugging Face's
    transformers; it turns by position * base^(-2i/d). The paper (Su et al. 2021, section 3.4.2) and Meta's own Llama
    code pair neighbours, (0, 1), (2, 3) ...: the same family, but weights in one layout do not fit the other.

    positions  (n,), or with the axes of x but the last, 1 where they are shared, as in (batch, 1, n) for
               x (batch, heads, n, d). Where each token stands, not where it is in ``x``.

    Lengths stay, and the dot product of a rotated query and key depends on the distance of their positions only.
    Raises ValueError for an odd d, or when there is not one position for each token.

    >>> rotate(np.array([[1.0, 0.0]]), np.array([1])).round(2).tolist()
    [[0.54, 0.84]]
    """
    xp, (x,), dtype = working(x=x)
    positions = xp.asarray(positions, dtype=xp.float64, **device_of(xp, x))
    if x.ndim < 2 or x.shape[-1] % 2:
        raise ValueError(
            "rotary positions turn pairs of columns: x needs shape (..., n, d) with an even d, "
            f"but x is {tuple(x.shape)}"
        )
    if not _fits(positions.shape, x.shape[:-1]):
        raise ValueError(
            f"one position for each of the {x.shape[-2]} tokens is needed, (n,) or all axes of x but the last, "
            f"but positions is {tuple(positions.shape)} and x is {tuple(x.shape)}"
        )
    half = x.shape[-1] // 2
    pair = xp.arange(half, dtype=xp.float64, **device_of(xp, x))
    angles = positions[..., None] * base ** (-pair / half)  # (..., n, d/2), in float64: positions get large
    cosine, sine = cast(xp, xp.cos(angles), x.dtype), cast(xp, xp.sin(angles), x.dtype)
    first, second = x[..., :half], x[..., half:]
    return cast(xp, xp.concat([first * cosine - second * sine, first * sine + second * cosine], axis=-1), dtype)


def _fits(positions, tokens):
    """Whether positions of this shape are one for each token: the same for all batches, or with as many axes."""
    alike = positions[-1:] == tokens[-1:] and len(positions) in (1, len(tokens))
    return alike and all(mine in (1, theirs) for mine, theirs in zip(positions[:-1], tokens, strict=False))


def alibi_slopes(n_heads):
    """How steeply each head punishes distance: 2^(-8/n_heads), its square, its cube ... down to 2^-8.

    Press, Smith and Lewis 2022, section 3. A head count that is no power of two needs a rule of its own there,
    and raises ValueError here.

    >>> alibi_slopes(4).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625]
    """
    if n_heads < 1 or not math.log2(n_heads).is_integer():
        raise ValueError(
            f"ALiBi slopes are defined for 1, 2, 4, 8 ... heads, but n_heads is {n_heads}: use a power of two"
        )
    return 2.0 ** (-8 / n_heads * np.arange(1, n_heads + 1))


def alibi_bias(n_heads, n):
    """The bias for ``scaled_dot_product_attention``: -slope * distance, an array (n_heads, n, n).

    It is added to the *scaled* scores, one slope for each head (``alibi_slopes``), in every layer; nothing is
    added to the token vectors. ALiBi is made for causal attention: pass ``causal=True`` as well.

    >>> alibi_bias(2, 3)[0].tolist()
    [[-0.0, -0.0625, -0.125], [-0.0625, -0.0, -0.0625], [-0.125, -0.0625, -0.0]]
    """
    if n < 0:
        raise ValueError(f"a bias needs n >= 0 tokens, but n is {n}")
    place = np.arange(n)
    return -alibi_slopes(n_heads)[:, None, None] * np.abs(place[:, None] - place)
