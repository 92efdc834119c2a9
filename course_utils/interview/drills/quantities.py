"""What there is to estimate: cache bytes, FLOPs, parameters, entries, crossovers; and the slips people make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from course_utils.core import cost


@dataclass(frozen=True)
class Slip:
    """A known way to miss: ``value`` works out what comes of it, ``text`` says what it was."""

    name: str
    text: str
    value: Callable


@dataclass(frozen=True)
class Estimate:
    """A kind of estimate. ``draw(rng)`` gives the numbers, ``words`` and ``worked`` are filled with them."""

    name: str
    lesson: str
    level: int
    dimension: str
    words: str
    worked: str
    draw: Callable
    value: Callable
    slips: Sequence[Slip]


def _pick(rng, *choices):
    return choices[rng.integers(len(choices))]


def _model(rng):
    """A model's shape, as such shapes usually are."""
    d_head, kv_heads = _pick(rng, 64, 128), _pick(rng, 4, 8)
    heads = kv_heads * _pick(rng, 3, 4, 5, 7)
    return {"layers": _pick(rng, 12, 24, 32, 48, 80), "heads": heads, "kv_heads": kv_heads, "d_head": d_head}


def _cache(rng):
    return _model(rng) | {"tokens": _pick(rng, 2048, 4096, 8192, 32768), "batch": _pick(rng, 4, 6, 12, 16), "bytes": 2}


def _cache_bytes(layers, kv_heads, d_head, tokens, batch, bytes, **_):
    return cost.cache_bytes(layers, tokens, kv_heads, d_head, bytes_each=bytes, batch=batch)


def _layer(rng):
    return {"tokens": _pick(rng, 1024, 2048, 4096, 8192, 16384), "d_model": _pick(rng, 768, 1024, 2048, 4096, 5120)}


def _with_heads(rng):
    model = _model(rng)
    return model | {"d_model": model["heads"] * model["d_head"]}


def _square(rng):
    heads, bytes = _pick(rng, 12, 16, 24, 32), _pick(rng, 2, 4)
    return {"heads": heads, "tokens": _pick(rng, 1024, 2048, 3000, 4096), "batch": _pick(rng, 3, 5, 6), "bytes": bytes}


ESTIMATES = [
    Estimate(
        name="cache_bytes",
        lesson="06_complexity",
        level=2,
        dimension="bytes",
        draw=_cache,
        words=(
            "How large is the key-value cache of a model with {layers} layers, {heads} query heads, {kv_heads} "
            "key/value heads of width {d_head}, for {batch} requests of {tokens:,} tokens, in float16?"
        ),
        worked="2 (K and V) x {layers} layers x {kv_heads} heads x {d_head} x {tokens:,} tokens x {batch} x 2 bytes",
        value=_cache_bytes,
        slips=[
            Slip("one_of_two", "You count K or V, and both are kept. How many arrays does a layer store?",
                 lambda **n: _cache_bytes(**n) / 2),
            Slip("query_heads", "You count the query heads. Which heads have keys and values to keep?",
                 lambda **n: _cache_bytes(**n | {"kv_heads": n["heads"]})),
            Slip("bits_for_bytes", "You count bits: float16 has 16 of them. How many bytes are these?",
                 lambda **n: _cache_bytes(**n) * 8),
            Slip("one_layer", "You count one layer. Does each layer keep its own keys and values?",
                 lambda **n: _cache_bytes(**n | {"layers": 1})),
            Slip("one_request", "You count one request. Can two requests share their keys?",
                 lambda **n: _cache_bytes(**n | {"batch": 1})),
            Slip("float32", "You count 4 bytes a number. How many has float16?",
                 lambda **n: _cache_bytes(**n) * 2),
            Slip("binary_as_decimal", "You divide by 1024 three times and write GB. Which unit is that?",
                 lambda **n: _cache_bytes(**n) / 1024**3 * 1000**3),
        ],
    ),
    Estimate(
        name="attention_flops",
        lesson="06_complexity",
        level=2,
        dimension="FLOPs",
        draw=_layer,
        words=(
            "How many FLOPs do scores and blend (Q Kᵀ and weights times V) of one layer take, all heads together, for "
            "{tokens:,} tokens at d_model = {d_model}, every pair counted? A multiplication and an addition are two."
        ),
        worked="2 products x 2 x {tokens:,}² x {d_model} = 4 n² d",
        value=lambda tokens, d_model: cost.attention_flops(tokens, d_model),
        slips=[
            Slip("half", "You have half: one product of the two, or a multiplication and an addition as one. Which?",
                 lambda tokens, d_model: 2 * tokens**2 * d_model),
            Slip("macs_of_one", "You count multiplications of one product. What about the additions, and the blend?",
                 lambda tokens, d_model: tokens**2 * d_model),
            Slip("projections", "You count the four projections. Which part grows with the square of the tokens?",
                 lambda tokens, d_model: 8 * tokens * d_model**2),
            Slip("both", "You add the projections. Which two products make scores and blend?",
                 lambda tokens, d_model: 4 * tokens**2 * d_model + 8 * tokens * d_model**2),
        ],
    ),
    Estimate(
        name="projection_flops",
        lesson="06_complexity",
        level=2,
        dimension="FLOPs",
        draw=_layer,
        words=(
            "How many FLOPs do the projections of one attention layer take (W_Q, W_K, W_V and W_O, all square) for "
            "{tokens:,} tokens at d_model = {d_model}? A multiplication and an addition are two."
        ),
        worked="4 matrices x 2 x {tokens:,} x {d_model}² = 8 n d²",
        value=lambda tokens, d_model: cost.projection_flops(tokens, d_model),
        slips=[
            Slip("macs", "A multiplication and its addition are one in your count. How many are asked for?",
                 lambda tokens, d_model: 4 * tokens * d_model**2),
            Slip("no_output_projection", "You count three matrices. What happens after the heads are joined?",
                 lambda tokens, d_model: 6 * tokens * d_model**2),
            Slip("pairs", "You count the products over pairs of tokens. Which products have weights in them?",
                 lambda tokens, d_model: 4 * tokens**2 * d_model),
            Slip("one_token", "You count one token. How many rows go through the matrices?",
                 lambda tokens, d_model: 8 * d_model**2),
        ],
    ),
    Estimate(
        name="layer_parameters",
        lesson="05_heads",
        level=3,
        dimension="count",
        draw=_with_heads,
        words=(
            "How many parameters has a grouped-query attention layer with d_model = {d_model}, {heads} query heads and "
            "{kv_heads} key/value heads of width {d_head}, without biases?"
        ),
        worked="W_Q and W_O: 2 x {d_model}²; W_K and W_V: 2 x {d_model} x {kv_heads} x {d_head}",
        value=lambda d_model, heads, kv_heads, **_: cost.projection_parameters(
            d_model, n_heads=heads, n_kv_heads=kv_heads
        ),
        slips=[
            Slip("all_heads", "You give every query head its own keys and values. How wide are W_K and W_V here?",
                 lambda d_model, **_: 4 * d_model**2),
            Slip("no_output_projection", "W_O is missing. What mixes the heads at the end?",
                 lambda d_model, kv_heads, d_head, **_: d_model**2 + 2 * d_model * kv_heads * d_head),
            Slip("one_of_two", "You count W_K or W_V. Does the value need a projection of its own?",
                 lambda d_model, kv_heads, d_head, **_: 2 * d_model**2 + d_model * kv_heads * d_head),
            Slip("times_heads", "You multiply by the heads once more. Is not d_model all heads together?",
                 lambda d_model, heads, **_: 4 * d_model**2 * heads),
        ],
    ),
    Estimate(
        name="score_entries",
        lesson="06_complexity",
        level=1,
        dimension="count",
        draw=_square,
        words=(
            "How many scores does one layer with {heads} heads compute for {batch} sequences of {tokens:,} tokens, "
            "every pair counted?"
        ),
        worked="{batch} x {heads} heads x {tokens:,}²",
        value=lambda heads, tokens, batch, **_: batch * cost.score_entries(tokens, n_heads=heads),
        slips=[
            Slip("one_head", "You count one head. Do heads share their scores?",
                 lambda tokens, batch, **_: batch * tokens**2),
            Slip("one_sequence", "You count one sequence. What does the batch do to the number?",
                 lambda heads, tokens, **_: heads * tokens**2),
            Slip("causal_half", "You count the pairs of a causal mask. Which pairs are asked for?",
                 lambda heads, tokens, batch, **_: batch * heads * tokens * (tokens + 1) / 2),
            Slip("not_squared", "You count tokens, not pairs. How many keys does each query meet?",
                 lambda heads, tokens, batch, **_: batch * heads * tokens),
        ],
    ),
    Estimate(
        name="score_bytes",
        lesson="06_complexity",
        level=2,
        dimension="bytes",
        draw=_square,
        words=(
            "Plain attention stores its scores. How much memory is that for one layer with {heads} heads, {batch} "
            "sequences of {tokens:,} tokens and {bytes} bytes a number?"
        ),
        worked="{batch} x {heads} heads x {tokens:,}² x {bytes} bytes",
        value=lambda heads, tokens, batch, bytes: cost.score_bytes(
            tokens, n_heads=heads, batch=batch, bytes_each=bytes
        ),
        slips=[
            Slip("one_head", "You count one head. Do heads share their scores?",
                 lambda heads, tokens, batch, bytes: batch * tokens**2 * bytes),
            Slip("one_sequence", "You count one sequence. What does the batch do to the memory?",
                 lambda heads, tokens, batch, bytes: heads * tokens**2 * bytes),
            Slip("entries", "You count numbers, not their bytes. How many bytes has one?",
                 lambda heads, tokens, batch, bytes: batch * heads * tokens**2),
            Slip("bits_for_bytes", "You count bits. How many make a byte?",
                 lambda heads, tokens, batch, bytes: batch * heads * tokens**2 * bytes * 8),
            Slip("binary_as_decimal", "You divide by 1024 three times and write GB. Which unit is that?",
                 lambda heads, tokens, batch, bytes: batch * heads * tokens**2 * bytes / 1024**3 * 1000**3),
        ],
    ),
    Estimate(
        name="crossover",
        lesson="06_complexity",
        level=3,
        dimension="count",
        draw=lambda rng: {"d_model": _pick(rng, 768, 1024, 2048, 5120), "d_head": _pick(rng, 64, 128)},
        words=(
            "From how many tokens on do scores and blend take more FLOPs than the four projections, at d_model = "
            "{d_model} with heads of width {d_head}, every pair counted?"
        ),
        worked="4 n² d = 8 n d² at n = 2 d = 2 x {d_model}",
        value=lambda d_model, d_head: cost.crossover(d_model),
        slips=[
            Slip("one_product", "You set n equal to d. How many products are over pairs, how many are projections?",
                 lambda d_model, d_head: d_model),
            Slip("with_feed_forward", "You include the feed-forward layer. Which matrices belong to attention?",
                 lambda d_model, d_head: 6 * d_model),
            Slip("one_head_only", "You use the width of one head. All heads together are how wide?",
                 lambda d_model, d_head: 2 * d_head),
            Slip("forgets_a_product", "You count one product over pairs of tokens. Which is the other?",
                 lambda d_model, d_head: 4 * d_model),
        ],
    ),
]  # fmt: skip
