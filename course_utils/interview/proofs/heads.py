"""The answers of ``data/questions/heads.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.cost import (
    MODELS,
    attention_flops,
    cache_bytes,
    projection_flops,
    projection_parameters,
    readable,
    score_bytes,
)
from course_utils.core.heads import join_heads, multi_head_attention, share_heads, split_heads
from course_utils.core.masks import causal_mask, combined_mask, padding_mask
from course_utils.core.positions import rotate
from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example


def _random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def why_heads():
    """The worked example split into two heads: scores add up, weights do not combine."""
    words, _, x, W_Q, W_K, _ = worked_example()
    query, key = x @ W_Q, x @ W_K
    per_head = split_heads(query, 2) @ np.swapaxes(split_heads(key, 2), -1, -2)
    np.testing.assert_array_equal(per_head.sum(axis=0), query @ key.T)
    weights, love = softmax(per_head / math.sqrt(2)), words.index("love")
    assert softmax(query @ key.T / 2)[love].round(3).tolist() == [0.117, 0.043, 0.317, 0.523]
    assert weights[0, love].round(3).tolist() == [0.365, 0.089, 0.365, 0.180]
    assert weights[1, love].round(3).tolist() == [0.043, 0.043, 0.179, 0.735]
    assert weights[1, words.index("I")].tolist() == [0.25] * 4
    assert projection_parameters(512) == projection_parameters(512, n_heads=8) == 1_048_576
    assert projection_flops(100, 512) == projection_flops(100, 512, n_heads=8)
    assert score_bytes(100, n_heads=8) == 8 * score_bytes(100) and 512 // 8 == 64
    return "row love: one head 0.043 on itself, split 0.089 and 0.043; parameters 1,048,576 with 1 or 8 heads"


def two_questions_at_once():
    """One weight cannot give (3, 1); two heads come to (3.04, 1.13)."""
    a, b = np.array([3.0, 8]), np.array([5.0, 1])
    for w in np.linspace(0, 1, 101):
        blend = w * a + (1 - w) * b
        np.testing.assert_allclose(blend, [5 - 2 * w, 1 + 7 * w])
        assert np.abs(blend - [3, 1]).max() > 1
    assert (0.5 * a + 0.5 * b).tolist() == [4, 4.5]
    near, far = softmax(np.array([4.0, 0]))
    assert (round(near, 3), round(far, 3)) == (0.982, 0.018)
    assert round(near * a[0] + far * b[0], 2) == 3.04 and round(near * b[1] + far * a[1], 2) == 1.13
    assert a[1] - b[1] == 7 and round(0.01 / 7, 5) == 0.00143
    assert round(math.log((1 - 0.01 / 7) / (0.01 / 7)), 2) == 6.55
    return "one head: (5 - 2w, 1 + 7w), at w = 0.5 (4, 4.5); two heads: (3.04, 1.13)"


def how_many_heads():
    """Heads and caches of published shapes."""
    bert, llama, gpt3, llama3 = (MODELS[n] for n in ("BERT-base", "Llama-2-7B", "GPT-3", "Llama-3-8B"))
    assert (bert.n_heads, bert.d_head, llama.n_heads, llama.d_head) == (12, 64, 32, 128)
    assert 4096 // 128 == 32 and gpt3.n_heads == 96 and llama3.n_kv_heads == 8 and llama.layers == 32
    size = lambda kv: readable(cache_bytes(llama.layers, 4096, kv, 128), "B")
    assert [size(kv) for kv in (32, 8, 1)] == ["2.0 GiB", "512.0 MiB", "64.0 MiB"]
    assert projection_parameters(4096, n_heads=32) == projection_parameters(4096, n_heads=64)
    full, fewer = (projection_parameters(4096, n_heads=32, n_kv_heads=kv) for kv in (32, 8))
    assert full - fewer == 0.75 * 2 * 4096**2
    return "cache at 4096 tokens: 2 GiB with 32 key/value heads, 0.5 GiB with 8, 64 MiB with 1"


def multi_head_from_memory():
    """The lines of the answer against the reference, padded lengths and several heads; W_O and the scale."""
    B, n, d, h = 2, 5, 6, 3
    x, (W_Q, W_K, W_V, W_O) = _random(B, n, d), _random(4, d, d, seed=1)
    mask = combined_mask(causal_mask(n), padding_mask([5, 3], n))
    q, k, v = x @ W_Q, x @ W_K, x @ W_V
    cut = lambda a: a.reshape(B, n, h, -1).swapaxes(1, 2)
    assert cut(q).shape == (B, h, n, d // h)
    scores = cut(q) @ cut(k).swapaxes(-1, -2) / math.sqrt(d // h)
    assert scores.shape == (B, h, n, n)
    weights = softmax(np.where(mask[:, None], scores, -np.inf))
    out = (weights @ cut(v)).swapaxes(1, 2).reshape(B, n, d)
    right = multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=h, mask=mask)
    np.testing.assert_allclose(out @ W_O, right.output)
    other = v.copy()
    other[..., 2:] += 1  # values of heads 1 and 2: without W_O the features of head 0 stay
    moved = (weights @ cut(other)).swapaxes(1, 2).reshape(B, n, d) - out
    assert (moved[..., :2] == 0).all() and np.abs(moved @ W_O).min() > 0
    assert round(math.sqrt(8), 2) == 2.83
    context = _random(B, 7, d, seed=2)
    assert multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=h, context=context).weights.shape == (
        B,
        h,
        n,
        7,
    )
    return "B 2, n 5, d 6, 3 heads, lengths 5 and 3: equal to the reference"


def view_without_transpose():
    """What one reshape puts into a head, and what it does to causality."""
    x = np.arange(24).reshape(1, 4, 6)
    slab, right = x.reshape(1, 2, 4, 3), split_heads(x, 2)
    assert slab.shape == right.shape and set(slab[0, 0].ravel()) == set(x[0, :2].ravel())
    np.testing.assert_array_equal(right[0, 0], x[0, :, :3])
    np.testing.assert_array_equal(x.reshape(1, 1, 4, 6), split_heads(x, 1))
    floats = _random(1, 4, 6)
    edited = floats.copy()
    edited[:, 2] += 1

    def output(x, split, join):
        heads = split(x)
        return join(attention(heads, heads, heads, causal=True).output)

    cut, view = (lambda x: split_heads(x, 2)), (lambda x: x.reshape(1, 2, 4, 3))
    back = lambda x: x.reshape(1, 4, 6)
    moved = lambda split, join: np.abs(output(edited, split, join) - output(floats, split, join)).max(axis=2)[
        0
    ]
    assert (moved(cut, join_heads)[:2] == 0).all() and moved(view, join_heads)[0] > 0
    early = floats.copy()
    early[:, :2] += 1
    assert (output(early, view, back)[0, 2:] == output(floats, view, back)[0, 2:]).all()
    assert (output(early, cut, join_heads)[0, 2:] != output(floats, cut, join_heads)[0, 2:]).all()
    order = np.arange(6).reshape(3, 2).T.ravel()  # every second feature for a head, as a permutation
    other = floats.reshape(1, 4, 3, 2).transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(other, split_heads(floats[..., order], 2))
    return (
        "head 0 of the view holds tokens 0 and 1; editing token 2 then changes the causal output of token 0"
    )


def parameters_and_flops():
    """Counts for d_model 512 and 1024 tokens with 8 and 16 heads."""
    n, d, MiB = 1024, 512, 1024**2
    assert projection_parameters(d, n_heads=8) == 4 * d * d == 1_048_576
    assert (
        projection_flops(n, d) == 8 * n * d * d == 2 * n * 1_048_576 == attention_flops(n, d) == 4 * n * n * d
    )
    assert round(projection_flops(n, d) / 1e9, 1) == 2.1 and n == 2 * d
    assert [score_bytes(n, n_heads=h) // MiB for h in (1, 8, 16)] == [4, 32, 64]
    assert (d // 8, d // 16) == (64, 32) and projection_parameters(d, n_heads=16) == 1_048_576
    assert 3 * 512 * 1024 + 1024 * 512 == 2_097_152 == 2 * 1_048_576
    assert projection_parameters(d, n_heads=8, n_kv_heads=2) == 2 * d**2 + 2 * d * 128 == 655_360
    return "1,048,576 parameters, 2.1 GFLOP twice, maps 32 MiB with 8 heads and 64 MiB with 16"


def output_projection():
    """Concatenate and project is a sum over heads; only products of matrices count."""
    n, d, h, width = 5, 12, 3, 4
    x, (W_Q, W_K, W_V, W_O) = _random(n, d), _random(4, d, d, seed=1)
    found = multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=h)
    cut = [slice(i * width, (i + 1) * width) for i in range(h)]
    terms = [found.weights[i] @ (x @ W_V[:, part]) @ W_O[part] for i, part in enumerate(cut)]
    np.testing.assert_allclose(sum(terms), found.output)
    merged = [W_V[:, part] @ W_O[part] for part in cut]
    np.testing.assert_allclose(sum(found.weights[i] @ x @ merged[i] for i in range(h)), found.output)
    assert [np.linalg.matrix_rank(M) for M in merged] == [width] * h
    without = W_O.copy()
    without[cut[1]] = 0
    np.testing.assert_allclose(
        multi_head_attention(x, W_Q, W_K, W_V, without, n_heads=h).output, terms[0] + terms[2]
    )
    joined = multi_head_attention(x, W_Q, W_K, W_V, np.eye(d), n_heads=h).output
    np.testing.assert_allclose(joined[:, :4], found.weights[0] @ (x @ W_V[:, :4]))
    assert (2 * 512 * 64, 512**2) == (65_536, 262_144)
    return "3 heads of width 4: concat @ W_O equals the sum over heads, W_V W_O of rank 4 each"


def rank_of_the_scores():
    """Ranks of scores, weights and their logarithms; favourites of heads of width 1 and 2."""
    query, key = _random(2, 50, 4)
    scores = query @ key.T
    weights = softmax(scores / 2)
    ranks = [int(np.linalg.matrix_rank(m)) for m in (scores, weights, np.log(weights))]
    assert ranks == [4, 50, 5]
    query, key = _random(2, 50, 1)
    assert len(set((query @ key.T).argmax(axis=1))) == 2
    sign, place = (-1.0) ** np.arange(50), np.arange(50)
    seen = np.where(causal_mask(50), np.outer(-sign, sign * (place + 1)), -np.inf)  # keys 1, -2, 3, -4 ...
    assert (seen.argmax(axis=1)[1:] == place[:-1]).all()
    angle = 2 * math.pi * np.arange(50) / 50
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    scores = np.roll(circle, 1, axis=0) @ circle.T  # each query points at the key before it
    assert (scores.argmax(axis=1) == (np.arange(50) - 1) % 50).all()
    return "width 4, 50 tokens: scores of rank 4, weights 50, log weights 5"


def biases_of_the_projections():
    """Biases of keys, queries and values; rotary positions and dropped weights as the exceptions."""
    q, k, v, b = _random(5, 8), _random(5, 8, seed=1), _random(5, 3, seed=2), 3 * _random(8, seed=3)
    plain = attention(q, k, v).output
    np.testing.assert_allclose(attention(q, k + b, v).output, plain)
    assert np.abs(attention(q + b, k, v).output - plain).max() > 0.1
    scores = (q + b) @ k.T - q @ k.T
    np.testing.assert_allclose(scores, np.tile(k @ b, (5, 1)))
    np.testing.assert_allclose(attention(q, k, v + b[:3]).output, plain + b[:3])
    turned = lambda k: attention(rotate(q, np.arange(5)), rotate(k, np.arange(5)), v).output
    assert np.abs(turned(k + b) - turned(k)).max() > 0.01
    nothing = attention(q, k, v + b[:3], mask=np.zeros((5, 5), dtype=bool)).output
    assert (nothing == 0).all()
    return "key bias: no effect; query bias: k·b on each key; value bias: passes through"


def importance_of_a_head():
    """Weight against size, zero against the mean, and two heads that do the same."""
    assert 0.9 * 0.01 < 0.02 * 0.1 * 5
    written = np.array([10.0, 10.0, 10.0, 10.5])  # a head that writes nearly the same for every token
    loss = lambda head: np.mean((written - head) ** 2)
    assert loss(np.zeros(4)) > 1000 * loss(np.full(4, written.mean()))
    sign = lambda one, other: np.sign(one + other)
    assert sign(0.5, 0.5) == sign(0.5, 0) == 1 and sign(0, 0) == 0
    return "0.9 on 0.01 writes under 2 % of 0.1 on 5; zero looks over 1000 times worse than the mean"


def heads_to_groups():
    """The conversion is exact where neighbours are equal; tiling is not; average against the first."""
    d, h, groups, width = 16, 8, 4, 2
    x, W_Q, W_O = _random(2, 5, d), _random(d, d, seed=1), _random(d, d, seed=2)
    pairs = lambda seed: np.repeat(_random(d, groups, 1, width, seed=seed), 2, axis=2).reshape(d, d)
    shrink = lambda W: W.reshape(d, groups, 2, width).mean(axis=2).reshape(d, groups * width)
    W_K, W_V = pairs(3), pairs(4)
    original = multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=h).output
    fewer = shrink(W_K), shrink(W_V)
    converted = multi_head_attention(x, W_Q, *fewer, W_O, n_heads=h, n_kv_heads=groups).output
    np.testing.assert_allclose(converted, original)
    query, key, value = split_heads(x @ W_Q, h), *(split_heads(x @ W, groups) for W in fewer)
    np.testing.assert_array_equal(share_heads(key, h), np.repeat(key, 2, axis=1))
    tiled = attention(query, np.tile(key, (1, 2, 1, 1)), np.tile(value, (1, 2, 1, 1))).output
    assert np.abs(join_heads(tiled) @ W_O - original).max() > 0.1
    assert np.flatnonzero(np.tile(range(4), 2) == np.repeat(range(4), 2)).tolist() == [0, 7]
    one, two = _random(2, 40)
    distance = lambda choice: np.sum((one - choice) ** 2) + np.sum((two - choice) ** 2)
    np.testing.assert_allclose(distance(one), 2 * distance((one + two) / 2))
    assert cache_bytes(1, 10, 8, width) == 2 * cache_bytes(1, 10, 4, width)
    try:
        share_heads(_random(1, 2, 3, 4), 5)
        raise AssertionError("5 query heads on 2 key/value heads ran")
    except ValueError:
        pass
    return "8 to 4 heads, equal neighbours: exact with repeat; with tile only heads 0 and 7 keep their group"


def mask_for_flattened_heads():
    """Order of the merged axis against tiled masks, on padded samples of two lengths."""
    B, h, n, width = 2, 2, 5, 3
    q, k, v = _random(3, B, h, n, width)
    mask = padding_mask([5, 3], n)
    flat = lambda a: a.reshape(B * h, *a.shape[2:])
    right = attention(q, k, v, mask=mask[:, None]).output
    per_row = lambda repeated: attention(flat(q), flat(k), flat(v), mask=repeated).output
    np.testing.assert_allclose(per_row(np.repeat(mask, h, axis=0)), flat(right))
    off = np.abs(per_row(np.tile(mask, (h, 1, 1))) - flat(right)).max(axis=(1, 2))
    assert np.flatnonzero(off).tolist() == [1, 2]
    assert np.tile([0, 1], 2).tolist() == [0, 1, 0, 1] and np.repeat([0, 1], 2).tolist() == [0, 0, 1, 1]
    unpacked = flat(right).reshape(h, B, n, width).swapaxes(0, 1)
    np.testing.assert_array_equal(unpacked[0, 1], right[1, 0])
    rows = np.arange(32)
    assert np.count_nonzero(rows // 8 == rows % 4) == 8
    return "rows 1 and 2 of 4 get the other sample's mask; with B 4 and h 8 only 8 of 32 are right"
