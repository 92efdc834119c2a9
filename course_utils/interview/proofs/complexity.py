"""The answers of ``data/questions/complexity.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.blockwise import attention_in_blocks
from course_utils.core.cost import crossover
from course_utils.core.masks import causal_mask, window_mask
from course_utils.core.scores import softmax
from course_utils.exercises.mistakes.online import nothing_rescaled
from course_utils.interview.proofs._serving import add_a_cache as add_a_cache
from course_utils.interview.proofs._serving import cache_eight_times_too_big as cache_eight_times_too_big
from course_utils.interview.proofs._serving import cache_of_a_7b_model as cache_of_a_7b_model
from course_utils.interview.proofs._serving import decode_is_memory_bound as decode_is_memory_bound
from course_utils.interview.proofs._serving import draft_of_four as draft_of_four
from course_utils.interview.proofs._serving import first_tokens_kept as first_tokens_kept
from course_utils.interview.proofs._serving import heads_over_four_devices as heads_over_four_devices
from course_utils.interview.proofs._serving import long_documents as long_documents
from course_utils.interview.proofs._serving import pages_of_sixteen as pages_of_sixteen
from course_utils.interview.proofs._serving import reach_of_a_window as reach_of_a_window
from course_utils.interview.proofs._serving import serve_128k as serve_128k
from course_utils.interview.proofs._serving import stored_per_token as stored_per_token

KiB, MiB, GiB = 2**10, 2**20, 2**30


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
