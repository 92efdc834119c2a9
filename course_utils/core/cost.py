"""What attention costs, counted: operations, parameters, bytes. Formulas only; nothing is measured here.

One multiplication and one addition are 2 FLOPs. Everything is for one layer, one sequence and the forward pass
unless an argument says otherwise. Biases, norms and the softmax itself (about 5 n^2 per head) are left out.
"""

from typing import NamedTuple

from course_utils.core.arrays import check_counts


class Shape(NamedTuple):
    """The sizes of a transformer. ``gated``: the feed-forward part has three matrices (SwiGLU), not two."""

    layers: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_ff: int
    gated: bool
    context: int
    vocabulary: int


MODELS = {
    "BERT-base": Shape(12, 768, 12, 12, 64, 3072, False, 512, 30522),
    "GPT-2 small": Shape(12, 768, 12, 12, 64, 3072, False, 1024, 50257),
    "GPT-3": Shape(96, 12288, 96, 96, 128, 49152, False, 2048, 50257),
    "Llama-2-7B": Shape(32, 4096, 32, 32, 128, 11008, True, 4096, 32000),
    "Llama-2-70B": Shape(80, 8192, 64, 8, 128, 28672, True, 4096, 32000),
    "Llama-3-8B": Shape(32, 4096, 32, 8, 128, 14336, True, 8192, 128256),
}
"""Published models. Sources: BERT, Devlin et al. 2019, section 3; GPT-2, Radford et al. 2019, table 2; GPT-3, Brown et
al. 2020, table 2.1; Llama 2, Touvron et al. 2023, and its released configuration; Llama 3, Dubey et al. 2024, table 3
(context of the first release)."""


def score_entries(n, *, n_keys=None, n_heads=1, causal=False):
    """Scores of one layer: n_heads * n * n_keys; with ``causal`` those a query may see, n_heads * n (n + 1) / 2.

    ``n_keys`` (n if left out) differs from n in cross-attention, and while generating with a cache (n = 1).

    >>> score_entries(11), score_entries(11, causal=True)
    (121, 66)
    """
    n_keys = n if n_keys is None else n_keys
    check_counts(n=n, n_keys=n_keys, n_heads=n_heads)
    rows = min(n, n_keys)  # causal: query i of the last rows misses the rows - 1 - i keys after it
    return n_heads * (rows * n_keys - rows * (rows - 1) // 2 if causal else n * n_keys)


def score_bytes(n, *, n_keys=None, n_heads=1, batch=1, bytes_each=4):
    """Bytes of one array of all scores: batch * n_heads * n * n_keys * bytes_each. Softmax often holds two or three."""
    check_counts(batch=batch, bytes_each=bytes_each)
    return batch * bytes_each * score_entries(n, n_keys=n_keys, n_heads=n_heads)


def attention_flops(n, d_model, *, n_keys=None, causal=False):
    """FLOPs of Q Kᵀ and of weights V: 2 n² d each, 4 n² d together, for any number of heads.

    With ``causal`` only the pairs a query may see are counted. A decoding step is n = 1 with n_keys = context.

    >>> 12 * attention_flops(512, 768)  # the 12 layers of BERT-base
    9663676416
    """
    check_counts(d_model=d_model)
    return 4 * d_model * score_entries(n, n_keys=n_keys, causal=causal)


def projection_flops(n, d_model, *, n_heads=1, n_kv_heads=None):
    """FLOPs of the projections W_Q, W_K, W_V, W_O: 8 n d²; less with fewer key/value heads."""
    check_counts(n=n)
    return 2 * n * projection_parameters(d_model, n_heads=n_heads, n_kv_heads=n_kv_heads)


def feed_forward_flops(n, d_model, *, d_ff=None, gated=False):
    """FLOPs of the feed-forward part: 16 n d² with d_ff = 4 d, in general 2 n times its parameters."""
    check_counts(n=n)
    return 2 * n * feed_forward_parameters(d_model, d_ff=d_ff, gated=gated)


def projection_parameters(d_model, *, n_heads=1, n_kv_heads=None):
    """Entries of W_Q, W_K, W_V, W_O: 4 d²; W_K and W_V shrink by n_kv_heads / n_heads."""
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    check_counts(d_model=d_model, n_heads=n_heads, n_kv_heads=n_kv_heads)
    if d_model % n_heads or n_heads % n_kv_heads:
        raise ValueError(
            "d_model must be a multiple of n_heads, and n_heads of n_kv_heads, "
            f"but d_model is {d_model}, n_heads is {n_heads} and n_kv_heads is {n_kv_heads}"
        )
    return 2 * d_model**2 + 2 * d_model * (d_model // n_heads) * n_kv_heads


def feed_forward_parameters(d_model, *, d_ff=None, gated=False):
    """Entries of the feed-forward matrices: 2 d d_ff = 8 d² with d_ff = 4 d; ``gated`` (SwiGLU) has 3 d d_ff."""
    d_ff = 4 * d_model if d_ff is None else d_ff
    check_counts(d_model=d_model, d_ff=d_ff)
    return (3 if gated else 2) * d_model * d_ff


def block_parameters(d_model, *, n_heads=1, n_kv_heads=None, d_ff=None, gated=False):
    """Entries of all matrices of one transformer block: 12 d² = 4 d² (attention) + 8 d² (feed-forward)."""
    attention = projection_parameters(d_model, n_heads=n_heads, n_kv_heads=n_kv_heads)
    return attention + feed_forward_parameters(d_model, d_ff=d_ff, gated=gated)


def cache_bytes(layers, n, n_kv_heads, d_head, *, bytes_each=2, batch=1):
    """Bytes of a key/value cache: 2 (keys and values) * layers * n * n_kv_heads * d_head * bytes_each * batch.

    >>> readable(cache_bytes(32, 4096, 32, 128), "B")  # Llama-2-7B, float16
    '2.0 GiB'
    """
    check_counts(layers=layers, n=n, n_kv_heads=n_kv_heads, d_head=d_head, bytes_each=bytes_each, batch=batch)
    return 2 * layers * n * n_kv_heads * d_head * bytes_each * batch


def crossover(d_model, *, feed_forward=False, n_heads=1, n_kv_heads=None):
    """The n from which Q Kᵀ and weights V cost more FLOPs than the projections: 2 d.

    4 n² d = 8 n d² gives n = 2 d. With ``feed_forward`` that part (16 n d²) counts too: 4 n² d = 24 n d² gives
    n = 6 d. Fewer key/value heads make the projections cheaper, and n smaller.
    """
    parameters = projection_parameters(d_model, n_heads=n_heads, n_kv_heads=n_kv_heads)
    parameters += feed_forward_parameters(d_model) if feed_forward else 0
    return parameters // (2 * d_model)  # 2 n parameters = 4 n² d


def readable(number, unit=""):
    """A number in words' length: bytes (unit "B") in steps of 1024, everything else in steps of 1000.

    >>> readable(2**31, "B"), readable(16_777_216), readable(9_663_676_416, "FLOP")
    ('2.0 GiB', '16.8 M', '9.7 GFLOP')
    """
    step, prefixes = (1024, ["", "Ki", "Mi", "Gi", "Ti", "Pi"]) if unit == "B" else (1000, ["", *"kMGTP"])
    if number < 0:
        raise ValueError(f"number must be 0 or more, but number is {number!r}")
    power = 0
    # Half of the last digit shown is added first, or 1023.99 KiB would read 1024.0 KiB.
    while power < len(prefixes) - 1 and number / step**power + (0.05 if power else 0) >= step:
        power += 1
    shown = f"{number / step**power:.1f}" if power else f"{number:g}"
    return f"{shown} {prefixes[power]}{unit}".rstrip()
