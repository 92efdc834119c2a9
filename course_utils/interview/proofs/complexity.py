"""The answers of ``data/questions/complexity.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.blockwise import attention_in_blocks
from course_utils.core.cache import KeyValueCache
from course_utils.core.cost import (
    attention_flops,
    cache_bytes,
    crossover,
    feed_forward_flops,
    projection_flops,
)
from course_utils.core.heads import join_heads, multi_head_attention, share_heads, split_heads
from course_utils.core.masks import causal_mask, window_mask
from course_utils.core.scores import softmax
from course_utils.exercises.complexity.streaming import cached_attention, online_attention
from course_utils.exercises.engine.edits import slips

KiB, MiB, GiB = 2**10, 2**20, 2**30
masks_only_the_first_chunk = slips("complexity/cache", cached_attention, only=["masks_only_the_first_chunk"])[0].run
nothing_rescaled = slips("complexity/online", online_attention, only=["nothing_rescaled"])[0].run


def count_a_block():
    """Multiply-adds of every product of a block, added up from the shapes."""
    n, d = 512, 768
    linear, square = _linear(n, d), _square(n, d)
    assert linear == 8 * n * d * d + 16 * n * d * d and square == 4 * n * n * d
    assert all(_square(n, d, heads) == square for heads in (2, 12, 64))
    assert round(square / 1e9, 2) == 0.81 and round((linear + square) / 1e9, 2) == 8.05
    assert round(12 * square / 1e9, 1) == 9.7 and round(12 * (linear + square) / 1e9, 1) == 96.6
    share = square / (linear + square)
    assert round(share, 9) == 0.1 and square / (square // 4) == 4
    assert causal_mask(n).sum() == n * (n + 1) // 2 == 131_328 and n * n == 262_144
    assert _products((n, d, d), (n, d, d // 4), (n, d, d // 4), (n, d, d)) == 5 * n * d * d
    return f"one block: {square:,} FLOPs grow with n squared, {linear:,} with n: {share:.0%}"


def where_attention_overtakes():
    """Equality at 2 d and 6 d, shares at real widths."""
    for d in (768, 4096):
        assert _square(2 * d, d) == _products(*[(2 * d, d, d)] * 4)
        assert _square(6 * d, d) == _linear(6 * d, d) and _square(12 * d, d) / 2 == _linear(12 * d, d)
    assert (crossover(768), crossover(768, feed_forward=True), 6 * 4096) == (1536, 4608, 24_576)
    share = lambda n, d: _square(n, d) / (_square(n, d) + _linear(n, d))
    assert math.isclose(share(512, 768), 512 / (512 + 6 * 768))
    assert (round(share(512, 768), 2), round(share(4096, 768), 2)) == (0.10, 0.47) and share(
        2048, 12_288
    ) < 0.03
    d, narrow = 4096, 8 * 128
    gated = _products((1, d, d), (1, d, narrow), (1, d, narrow), (1, d, d), *[(1, d, 14_336)] * 3)
    assert round(gated / 1e6) == 436 and gated / (4 * d) == 26_624 == 6.5 * d and 32 * 128 == d
    assert (round(_growth(512), 2), round(_growth(4096), 2)) == (2.2, 2.94) and _growth(10**9) < 4
    return "equal at n = 2 d and n = 6 d; with 8 key/value heads and a gated feed-forward at 26,624"


def slope_below_two():
    """What doubling n does to the count of a block, as a factor and as a slope."""
    assert round(0.9 * 2, 1) == 1.8 and round(0.1 * 4, 1) == 0.4
    slopes = [math.log2(_growth(n)) for n in (512, 32_768)]
    assert [round(_growth(n), 2) for n in (512, 32_768)] == [2.2, 3.75]
    assert [round(slope, 2) for slope in slopes] == [1.14, 1.91]
    assert _growth(6 * 768) == 3 and 6 * 768 == 4608
    kept = lambda n, d=64: n * (d + 1)
    assert math.log2(kept(1024) / kept(512)) == 1 and math.log2(1024**2 / 512**2) == 2
    return f"the same block has slope {slopes[0]:.2f} at 512 tokens and {slopes[1]:.2f} at 32,768"


def sixteen_million_operations():
    """From 16.8 million multiply-adds to the FLOPs of a pass."""
    n, d, layers, heads = 512, 768, 12, 12
    claimed = n * n * (d // heads)
    assert round(claimed / 1e6, 1) == 16.8 and d // heads == 64
    square, whole = layers * _square(n, d), layers * (_square(n, d) + _linear(n, d))
    assert square / claimed == 2 * 2 * heads * layers == 576 and round(whole / claimed) == 5760
    assert (round(square / 1e9, 2), round(whole / 1e9, 1)) == (9.66, 96.6) and round(square / whole, 9) == 0.1
    long, all_long = layers * _square(4096, d), layers * (_square(4096, d) + _linear(4096, d))
    assert long / square == 64 and (round(long / 1e9), round(all_long / 1e9)) == (618, 1314)
    assert round(long / all_long, 2) == 0.47 and round(all_long / 300e9, 1) == 4.4
    weights = layers * 12 * d * d
    assert round(weights / 1e6) == 85 and round(2 * weights / 1e6) == 170
    assert 24 * d * d * layers == 2 * weights == layers * _linear(1, d)
    return f"{claimed:,} times {square // claimed} is {square:,}, a tenth of the pass"


def score_matrix_bytes():
    """Bytes of scores, from one head to a batch in training."""
    n = 4096
    head = n * n * np.dtype(np.float32).itemsize
    assert n == 2**12 and n * n == 2**24 and round(n * n / 1e6, 1) == 16.8
    assert head == 64 * MiB and round(head / 1e6, 1) == 67.1
    assert 12 * head == 768 * MiB and 8 * 12 * head == 6 * GiB and 12 * 8 * 12 * head == 72 * GiB
    assert 6 * head == 384 * MiB and 6 * 128 == 12 * 64
    assert 2 * 32 * 13_693**2 * 2 <= 24e9 < 2 * 32 * 13_694**2 * 2
    assert 128 * 128 * 4 == 64 * KiB and head / (64 * KiB) == 1024
    assert 32_768 / n == 8 and 64 * head == 32_768**2 * 4 == 4 * GiB and 12 * 64 * head == 48 * GiB
    return f"one head {head // MiB} MiB, 12 heads 768 MiB, a batch of 8 {8 * 12 * head // GiB} GiB"


def recurrent_layer():
    """Cost ratio n / d, the reach of a recurrent step, of a causal mask and of a window."""
    cost = lambda n, d: (n * n * d, n * d * d)
    (short, short_rnn), (long, long_rnn) = cost(50, 512), cost(4096, 512)
    assert round(short_rnn / short) == 10 and long / long_rnn == 8
    full = lambda n, d: 4 * n * d * d + 2 * n * n * d  # multiply-adds: projections, scores and blend
    plain, lstm = (lambda n, d: 2 * n * d * d), (lambda n, d: 8 * n * d * d)
    assert full(1, 512) > plain(1, 512) and full(1024, 512) == lstm(1024, 512) and 1024 == 2 * 512
    step = np.eye(50, dtype=int) + np.eye(50, k=-1, dtype=int)  # a recurrent layer moves one place a step
    assert _layers_needed(step) == 49
    assert _layers_needed(window_mask(50, 8).astype(int)) == 7
    mask = causal_mask(11).astype(int)
    reached = np.linalg.matrix_power(mask, 11) > 0
    assert 11 * 10 == 110 and (~reached).sum() == 55
    return "attention costs n / d times as much: a tenth at 50 tokens, 8 times at 4,096 (d = 512)"


def linear_or_not():
    """Blocks give the same result; one key changes every output; how many pairs are left."""
    q, k, v = _random(3, 40, 8)
    np.testing.assert_allclose(attention_in_blocks(q, k, v, block=7), attention(q, k, v).output)
    other = k.copy()
    other[17] += 1
    linear = lambda q, k: (a := np.exp(q) @ np.exp(k).T) / a.sum(axis=1, keepdims=True) @ v
    for f in (lambda q, k: attention(q, k, v).output, linear):
        assert np.abs(f(q, other) - f(q, k)).max(axis=1).min() > 0
    assert [int(np.linalg.matrix_rank(m)) for m in (q @ k.T, np.exp(q @ k.T))] == [8, 40]
    n = 65_536
    assert math.isqrt(n) == 256 and n * n / (n * math.isqrt(n)) == 256 and n * n / (n * 4096) == 16
    return "blocks: the same numbers; a change in one key moves all 40 outputs"


def two_blocks_by_hand():
    """The running maximum, sum and blend of the example, in both orders, and two slips."""
    scores, values = np.log([1.0, 2, 4, 1]), np.array([4.0, 1, 2, 10])
    m1, m2 = scores[:2].max(), scores.max()
    p1, p2, fade = np.exp(scores[:2] - m1), np.exp(scores[2:] - m2), np.exp(m1 - m2)
    old, blend = p1.sum(), p1 @ values[:2]
    np.testing.assert_allclose([*p1, *p2, fade, old, blend], [0.5, 1, 1, 0.25, 0.5, 1.5, 3])
    np.testing.assert_allclose([old * fade, blend * fade, p2.sum(), p2 @ values[2:]], [0.75, 1.5, 1.25, 4.5])
    total, blended = old * fade + p2.sum(), blend * fade + p2 @ values[2:]
    np.testing.assert_allclose([total, blended, blended / total, softmax(scores) @ values], [2, 6, 3, 3])
    np.testing.assert_allclose([(4 + 2 + 8 + 10) / 8, np.exp(scores).sum()], [3, 8])
    only_sum, only_blend = blend + p2 @ values[2:], old + p2.sum()
    np.testing.assert_allclose([only_sum, only_sum / total, only_blend], [7.5, 3.75, 2.75])
    assert round(blended / only_blend, 2) == 2.18 and np.exp(-np.inf) == 0
    later = np.exp(scores[:2] - m2)  # the other order: the maximum is known already
    np.testing.assert_allclose([1.25 + later.sum(), 4.5 + later @ values[:2]], [2, 6])
    one_block = nothing_rescaled(*_random(3, 5, 4), 5), attention(*_random(3, 5, 4)).output
    np.testing.assert_allclose(*one_block)
    return "sum 2, blend 6, output 3; rescaling only one of the two gives 3.75 or 2.18"


def merge_two_workers():
    """Two parts weighted by their sums of exponentials; a plain average; an empty part."""
    scores, values = np.log([1.0, 2, 4, 1]), np.array([4.0, 1, 2, 10])
    sums = np.exp(scores).reshape(2, 2).sum(axis=1)
    outputs = np.array(
        [softmax(s) @ v for s, v in zip(scores.reshape(2, 2), values.reshape(2, 2), strict=True)]
    )
    np.testing.assert_allclose([*sums, *outputs], [3, 5, 2, 3.6])
    merged = softmax(np.log(sums)) @ outputs
    np.testing.assert_allclose([merged, softmax(scores) @ values, sums @ outputs / 8], 3)
    assert round(outputs.mean(), 9) == 2.8 and softmax(np.array([0.7, -np.inf])).tolist() == [1, 0]
    q, k, v = _random(3, 12, 8)
    parts = [(attention(q, k[i : i + 4], v[i : i + 4]).output, q @ k[i : i + 4].T) for i in (8, 0, 4)]
    log_sums = np.stack([np.log(np.exp(s / math.sqrt(8)).sum(axis=1)) for _, s in parts], axis=-1)
    whole = np.einsum("qp,pqd->qd", softmax(log_sums), np.stack([output for output, _ in parts]))
    np.testing.assert_allclose(whole, attention(q, k, v).output)
    assert 8 * (128 + 1) == 8 * 129 == 1032
    return f"merged {merged:.3f}, all at once 3.000, plain average {outputs.mean():.3f}; three parts in any order"


def attention_in_tiles():
    """The loops of the answer, against the plain formula for several blocks and large scores."""
    q, k = _random(2, 7, 4)
    (v,) = _random(1, 7, 3)
    for size in (1, 1000):
        plain = attention(size * q, k, v, causal=True).output
        for block in (1, 2, 3, 7, 10):
            np.testing.assert_allclose(_tiles(size * q, k, v, block), plain, atol=1e-12)
    scores = 1000 * q @ k.T / 2
    assert np.abs(scores).max() > 1000
    plain = attention(q, k, v).output
    np.testing.assert_allclose(nothing_rescaled(q, k, v, 7), plain)
    assert np.abs(nothing_rescaled(q, k, v, 2) - plain).max() > 1e-3
    assert 16 * 17 // 2 == 136 and 16**2 == 256 and round(136 / 256, 2) == 0.53
    weights, s = attention(q, k, v).weights, q @ k.T / 2
    np.testing.assert_allclose(np.exp(s - np.log(np.exp(s).sum(axis=1, keepdims=True))), weights)
    return "blocks of 1, 2, 3, 7 and 10 equal the plain formula; without rescaling only a single block does"


def flash_saves():
    """Bytes of a full score matrix and of a tile; the result; the FLOPs of the tiles together."""
    n, d, tile = 4096, 64, 128
    assert n * n * 4 == 64 * MiB and tile * tile * 4 == 64 * KiB and 64 * MiB // (64 * KiB) == 1024
    tiles = (n // tile) ** 2
    assert tiles * 2 * _products((tile, d, tile)) == 4 * n * n * d and 2**2 == _square(2 * n, d) / _square(
        n, d
    )
    q, k, v = _random(3, 30, 8)
    np.testing.assert_allclose(attention_in_blocks(q, k, v, block=8), attention(q, k, v).output)
    return "64 MiB against 64 KiB, the same FLOPs, the same result"


def cache_and_the_square():
    """Old keys stay under a causal mask only; what generation costs with and without a cache."""
    x, (W,) = _random(1, 7, 6)[0], _random(1, 6, 6, seed=1)
    second_keys = lambda x, causal: (x + attention(x @ W, x, x, causal=causal).output) @ W
    assert np.array_equal(second_keys(x[:6], True), second_keys(x, True)[:6])
    assert np.abs(second_keys(x[:6], False) - second_keys(x, False)[:6]).max() > 0.01
    total = lambda T: sum(range(1, T + 1))
    assert round(total(2048) / total(1024), 3) == 3.998
    d, T = 768, 512
    with_cache = sum(12 * d * d + 2 * t * d for t in range(1, T + 1))
    without = sum(12 * t * d * d + 2 * t * t * d for t in range(1, T + 1))
    assert round(without / with_cache) == 261
    return (
        f"attention of twice as many tokens costs {total(2048) / total(1024):.3f} times; no cache: 261 times"
    )


def linear_attention():
    """Brackets moved, and the causal form as a recurrence; cost and rank."""
    features = lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))  # elu(x) + 1
    q, k, v = _random(3, 30, 6)
    q, k = features(q), features(k)
    weights = q @ k.T / (q @ k.T).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(q @ (k.T @ v) / (q @ k.sum(axis=0))[:, None], weights @ v)
    assert weights.min() > 0 and np.linalg.matrix_rank(weights) <= 6 and np.trace(weights) <= 6
    assert np.abs(np.linalg.eigvals(weights)).max() < 1 + 1e-9  # so at most 6 of them make the trace
    S, z, steps = np.zeros((6, 6)), np.zeros(6), []
    for i in range(30):
        S, z = S + np.outer(k[i], v[i]), z + k[i]
        steps.append(q[i] @ S / (q[i] @ z))
    seen = np.tril(q @ k.T)
    np.testing.assert_allclose(steps, seen / seen.sum(axis=1, keepdims=True) @ v)
    full, linear = 2 * 4096**2 * 64, 2 * 4096 * 64**2
    assert (round(full / 1e6), round(linear / 1e6), full / linear) == (
        2147,
        34,
        4096 / 64,
    ) and 4096 / 64 == 64
    return f"both forms equal; {full / linear:.0f} times fewer multiply-adds at 4,096 tokens"


def _products(*shapes):
    """FLOPs of matrix products (a, b) @ (b, c): a multiply and an add for each term."""
    return sum(2 * a * b * c for a, b, c in shapes)


def _linear(n, d):
    return _products(*[(n, d, d)] * 4, (n, d, 4 * d), (n, 4 * d, d))


def _square(n, d, heads=1):
    return heads * _products((n, d // heads, n), (n, n, d // heads))


def _growth(n, d=768):
    """What a whole block costs at 2 n, in units of n."""
    return (_linear(2 * n, d) + _square(2 * n, d)) / (_linear(n, d) + _square(n, d))


def _random(count, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal((count, *shape))


def _layers_needed(reach):
    """How many layers until the first token reaches the last."""
    layers, seen = 1, reach
    while not seen[-1, 0]:
        layers, seen = layers + 1, ((seen @ reach) > 0).astype(int)
    return layers


def _tiles(q, k, v, block):
    """The loops of the answer ``attention_in_tiles``."""
    output = np.zeros((len(q), v.shape[1]))
    for top in range(0, len(q), block):
        rows = np.arange(top, min(top + block, len(q)))[:, None]
        m, total, blend = np.full(rows.shape, -np.inf), 0, 0
        for left in range(0, rows[-1, 0] + 1, block):
            columns = np.arange(left, min(left + block, len(k)))
            scores = q[rows[:, 0]] @ k[columns].T / math.sqrt(q.shape[1])
            scores = np.where(columns > rows, -np.inf, scores)
            new_m = np.maximum(m, scores.max(axis=1, keepdims=True))
            p, factor = np.exp(scores - new_m), np.exp(m - new_m)
            total, blend = total * factor + p.sum(axis=1, keepdims=True), blend * factor + p @ v[columns]
            m = new_m
        output[rows[:, 0]] = blend / total
    return output

KiB, MiB, GiB = 2**10, 2**20, 2**30


def cache_of_a_7b_model():
    """The formula against the bytes of a cache, then the sizes of the answer."""
    cache = KeyValueCache()
    cache.append(*np.zeros((2, 3, 5, 8), dtype=np.float16))  # 3 key/value heads, 5 tokens, width 8
    assert cache.nbytes == 5 * _cache(1, 3, 8, 2)
    token = _cache(32, 32, 128, 2)
    assert token // 2 == 262_144 and token == 512 * KiB and 4096 * token == 2 * GiB
    assert 32 * 4096 * token == 64 * GiB
    assert round(2 * 6.7e9 / 1e9, 1) == 13.4 and round(2 * 6_738_149_376 / 1e9, 1) == 13.5
    assert round(64 * GiB / 13.5e9) == 5
    grouped = _cache(32, 8, 128, 2)
    assert grouped == 128 * KiB == token / 4 and 4096 * grouped == GiB / 2
    assert 8192 * grouped == GiB and 16 * 8192 * grouped == 16 * GiB
    assert [131_072 * _cache(32, heads, 128, 2) // GiB for heads in (32, 8, 1)] == [64, 16, 2]
    return f"{token // KiB} KiB a token, 2 GiB for 4,096, 64 GiB for a batch of 32"


def cache_eight_times_too_big():
    """The published number, the right one, and what it does to the number of requests."""
    assert 64 * 128 == 8192 and 8 * 128 == 1024
    published, right = 2 * 80 * 8192 * 2, _cache(80, 8, 128, 2)
    assert published == _cache(80, 64, 128, 2) == 2_621_440 and right == 327_680 == 320 * KiB
    assert published / right == 64 / 8 == 8 and published / _cache(80, 1, 128, 2) == 64
    assert (4096 * published / GiB, 4096 * right / GiB) == (10, 1.25) and (80 / 10, 80 / 1.25) == (8, 64)
    assert (131_072 * right / GiB, 131_072 * published / GiB) == (40, 320)
    return (
        f"{published / 1e6:.2f} MB was published, {right / 1e6:.3f} MB is right: {published // right} times"
    )


def add_a_cache():
    """Every way of chunking equals one pass; a mask on the first chunk only passes all but [3, 3]."""
    x, W_Q, W_K, W_V = _random(4, 6, 6)
    full = attention(x @ W_Q, x @ W_K, x @ W_V, causal=True).output
    for chunks in ([6], [1] * 6, [4, 1, 1], [3, 3]):
        cache, outputs = KeyValueCache(), []
        for part in np.split(x, np.cumsum(chunks)[:-1]):
            outputs.append(attention(part @ W_Q, *cache.append(part @ W_K, part @ W_V), causal=True).output)
        np.testing.assert_allclose(np.concatenate(outputs), full)
        slip = masks_only_the_first_chunk(x, W_Q, W_K, W_V, chunks)
        assert np.allclose(slip, full) == (chunks != [3, 3])
    assert causal_mask(3, 6).sum() == 4 + 5 + 6 and causal_mask(1, 5).all()
    top_left = np.tri(1, 5, dtype=bool)
    assert top_left.tolist() == [[True, False, False, False, False]]
    np.testing.assert_allclose(attention(x[:1], x[:5], x[:5], mask=top_left).output, x[:1])
    assert sum(range(1, 1025)) == 524_800
    return "6, 1+1+1+1+1+1, 4+1+1 and 3+3 equal one pass; a mask on the first chunk only fails at 3+3"


def decode_is_memory_bound():
    """FLOPs for each byte, and milliseconds, for decode and prefill."""
    bytes_s, flops_s, weights = 2e12, 300e12, 7e9
    assert flops_s / bytes_s == 150 and 2 * weights == 14e9
    step = 2 * weights / bytes_s
    assert step == 7e-3 and round(1 / step) == 143 and round(2 * weights / flops_s * 1e3, 2) == 0.05
    intensity = lambda n, d=4096: _products((n, d, d)) / (2 * (d * d + 2 * n * d))
    assert round(intensity(1), 2) == 1 and intensity(2048) == 1024
    assert 32 * 2 == 64 and round(64 * GiB / bytes_s * 1e3) == 34
    assert weights / 2 == 3.5e9 and weights / 2 / bytes_s == 1.75e-3 == step / 4
    return f"decode: {step * 1e3:.0f} ms a token, 1 FLOP a byte; prefill of 2,048: {intensity(2048):.0f}"


def stored_per_token():
    """Numbers stored by each kind, and who shares with whom."""
    stored = {heads: _cache(1, heads, 128, 1) for heads in (32, 8, 1)}
    assert stored == {32: 8192, 8: 2048, 1: 256} and stored[32] / stored[1] == 32 and 512 + 64 == 576
    heads = np.arange(2.0)[:, None, None]
    assert share_heads(heads, 8).ravel().tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert np.tile(heads, (4, 1, 1)).ravel()[:4].tolist() == [0, 1, 0, 1]
    q, k, v = _random(1, 8, 5, 4)[0], *_random(2, 2, 5, 4, seed=1)
    shared = attention(q.reshape(2, 4, 5, 4), k[:, None], v[:, None]).output.reshape(8, 5, 4)
    np.testing.assert_allclose(shared, attention(q, share_heads(k, 8), share_heads(v, 8)).output)
    return "numbers a token and layer: MHA 8,192, GQA 2,048, MQA 256, a latent of 512 + 64"


def pages_of_sixteen():
    """Mean waste over all lengths from 1 to 4,096."""
    lengths = np.arange(1, 4097)
    paged, fixed = (-lengths % 16).mean(), (4096 - lengths).mean()
    assert (paged, fixed, lengths.mean(), (-lengths % 64).mean()) == (7.5, 2047.5, 2048.5, 31.5)
    assert (-lengths % 16).max() == 15 and fixed / paged == 273
    token = 128 * KiB
    assert round(paged * token / MiB, 2) == 0.94 and round(fixed * token / MiB) == 256
    assert 1600 / 16 == 100 and round((100 * 100 - 100) * 16 * token / GiB, 1) == 19.3
    return f"pages of 16 waste {paged} tokens on average, a reservation {fixed}: {fixed / paged:.0f} times"


def first_tokens_kept():
    """Weights with a sink and without it, offsets within a cache, and 8 bits with one large entry."""
    kept, dropped = softmax(np.array([2.0, -4, -4, -4])), softmax(np.array([-4.0, -4, -4]))
    assert kept.round(3).tolist() == [0.993, 0.002, 0.002, 0.002]
    np.testing.assert_allclose(dropped, 1 / 3)
    assert 4 + 1020 - 1 == 1023 and 100_000 - 1 - 0 == 99_999
    assert round(100 / 127, 2) == 0.79 and np.rint(np.array([0.39, 0.4]) * 127 / 100).tolist() == [0, 1]
    return f"with the sink the others have {kept[1]:.3f} each, without it {dropped[0]:.3f}"


def draft_of_four():
    """The expected number of tokens, by listing every outcome, and where the gain ends."""
    expected = lambda a, drafts: sum(a**i for i in range(drafts + 1))
    a, tokens = 0.8, expected(0.8, 4)
    outcomes = [(a**i * (1 - a), i + 1) for i in range(4)] + [(a**4, 5)]
    assert math.isclose(sum(p * gain for p, gain in outcomes), tokens) and round(tokens, 2) == 3.36
    assert math.isclose(tokens, (1 - a**5) / (1 - a)) and round(4 * a, 1) == 3.2
    gain = lambda a, drafts, c: expected(a, drafts) / (1 + drafts * c)
    assert round(gain(a, 4, 0.1), 1) == 2.4 == round(gain(a, 8, 0.1), 1) and round(1 + 8 * 0.1, 1) == 1.8
    assert round(tokens - 1, 2) == 2.36 and round((tokens - 1) / 4, 2) == 0.59
    assert round(expected(0.5, 4), 2) == 1.94 and gain(0.5, 4, 0.25) < 1
    assert round(expected(a, 8), 2) == 4.33 and round(1 / (1 - a), 9) == 5
    return f"{tokens:.2f} tokens a pass; loses once a draft costs more than {(tokens - 1) / 4:.2f} of a pass"


def heads_over_four_devices():
    """Four parts add up to the layer; taking the head by the device's number does not."""
    x, W_Q, W_O = _random(3, 32, 32)
    W_K, W_V = _random(2, 32, 8, seed=1)
    whole = multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=8, n_kv_heads=2, causal=True).output
    query, key, value = split_heads(x @ W_Q, 8), split_heads(x @ W_K, 2), split_heads(x @ W_V, 2)

    def added(kv_head):
        parts = [[2 * device, 2 * device + 1] for device in range(4)]
        out = lambda own, kv: join_heads(attention(query[own], key[kv], value[kv], causal=True).output)
        return sum(out(own, kv_head(own)) @ W_O[own[0] * 4 : own[1] * 4 + 4] for own in parts)

    np.testing.assert_allclose(added(lambda own: own[0] // 4), whole)
    assert not np.allclose(added(lambda own: own[0] // 2 % 2), whole)
    assert [device * 2 // 4 for device in range(4)] == [0, 0, 1, 1]
    assert 1024 * 2 == 2 * KiB and 2 * 32 == 64
    return "the sum of 4 partial products equals the layer; each key/value head sits on 2 devices"


def serve_128k():
    """Gibibytes and requests after each step."""
    token, n = _cache(80, 8, 128, 2), 131_072
    full = n * token / GiB
    mixed = (n * _cache(20, 8, 128, 2) / GiB, 4096 * _cache(60, 8, 128, 2) / GiB)
    assert token == 320 * KiB and full == 40 and (mixed[0], round(mixed[1], 2)) == (10, 0.94)
    sizes = [full, full / 2, sum(mixed), sum(mixed) / 2]
    assert [round(size, 1) for size in sizes] == [40, 20, 10.9, 5.5]
    requests = [int(160 // size) for size in sizes]
    assert requests == [4, 8, 14, 29]
    assert round(40 * GiB / 1e9) == 43 and round(40 * GiB / 2e12 * 1e3) == 21
    assert round(sizes[-1] * GiB / 2e12 * 1e3, 1) == 2.9 and n / 2048 == 64
    return "requests in 160 GiB: " + ", ".join(map(str, requests))


def long_documents():
    """The shares, bytes and pairs of 100,000 tokens at width 4,096."""
    n, d = 100_000, 4096
    square, linear = attention_flops(n, d), projection_flops(n, d) + feed_forward_flops(n, d)
    assert round(square / (square + linear), 2) == 0.80
    assert round(n * n * 2 / GiB, 1) == 18.6
    cache = {heads: _cache(32, heads, 128, 2) * n / GiB for heads in (32, 8)}
    assert (round(cache[32], 1), round(cache[8], 1)) == (48.8, 12.2)
    pairs = lambda w: w * n - w * (w - 1) // 2
    assert round(pairs(n) / pairs(4096)) == 12 and 32 * (4096 - 1) == 131_040 > n and 32 - 1 == 31
    q, k, v = _random(3, 20, 4)
    plain = attention(q, k, v, causal=True).output
    np.testing.assert_allclose(attention_in_blocks(q, k, v, block=6, causal=True), plain)
    assert np.abs(attention(q, k, v, mask=window_mask(20, 5)).output - plain).max() > 0.1
    return (
        f"cache {cache[32]:.1f} GiB with 32 key/value heads, {cache[8]:.1f} with 8; blocks exact, windows not"
    )


def reach_of_a_window():
    """Who reaches the last token, by following the mask layer by layer."""
    mask = window_mask(40, 4).astype(int)
    reach = [(np.linalg.matrix_power(mask, layers) > 0)[-1].sum() for layers in (1, 2, 3)]
    assert reach == [4, 7, 10] == [layers * 3 + 1 for layers in (1, 2, 3)] and 3 * 4 == 12
    assert 32 * 4095 + 1 == 131_041
    far = np.linalg.matrix_power(mask, 3)[-1, -10]  # the number of paths from the far end
    assert far == 1 and far / 4**3 == 1 / 64
    assert window_mask(10, 4).sum() == 1 + 2 + 3 + 7 * 4 == 34 and causal_mask(10).sum() == 55
    assert 131_072 / 4096 == 32
    with_global = {causal: (mask if causal else mask | mask.T) > 0 for causal in (True, False)}
    for causal, sees in with_global.items():  # token 0 sees all and is seen by all, where the mask allows it
        sees[:, 0], sees[0] = True, sees[0] if causal else True
        assert (np.linalg.matrix_power(sees.astype(int), 2)[-1] > 0).all() != causal
    assert causal_mask(40)[-1].all()
    return f"3 layers with 4 keys reach {reach[-1]} tokens, the farthest by one path of weight 1/64"


def _cache(layers, heads, width, size):
    """Bytes of keys and values of one token."""
    return cache_bytes(layers, 1, heads, width, bytes_each=size)


def _products(*shapes):
    """FLOPs of matrix products (a, b) @ (b, c): a multiply and an add for each term."""
    return sum(2 * a * b * c for a, b, c in shapes)


def _random(count, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal((count, *shape))
