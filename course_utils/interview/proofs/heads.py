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
    score_bytes,
)
from course_utils.core.heads import join_heads, multi_head_attention, share_heads, split_heads
from course_utils.core.masks import causal_mask, combined_mask, padding_mask
from course_utils.core.positions import rotate
from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example


def _random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def _listed(numbers):
    """Numbers as they stand in a sentence."""
    return ", ".join(map(str, numbers))


def why_heads():
    """The worked example split into two heads: scores add up, weights do not combine."""
    words, _, x, W_Q, W_K, _ = worked_example()
    query, key = x @ W_Q, x @ W_K
    per_head = split_heads(query, 2) @ np.swapaxes(split_heads(key, 2), -1, -2)
    np.testing.assert_array_equal(per_head.sum(axis=0), query @ key.T)
    weights, love = softmax(per_head / math.sqrt(2)), words.index("love")
    uniform = weights[1, words.index("I")]
    assert len(set(uniform.tolist())) == 1
    n, d, heads = 100, 512, 8
    parameters = projection_parameters(d)
    assert parameters == projection_parameters(d, n_heads=heads)
    assert projection_flops(n, d) == projection_flops(n, d, n_heads=heads)
    assert score_bytes(n, n_heads=heads) == heads * score_bytes(n)
    return {
        "width": query.shape[1],
        "one": softmax(query @ key.T / 2)[love],
        "A": weights[0, love],
        "B": weights[1, love],
        "d_head": d // heads,
        "parameters": parameters,
        "keys": len(uniform),
        "uniform": uniform[0],
    }


def two_questions_at_once():
    """One weight cannot give (3, 1); two heads come close."""
    a, b, score, off = np.array([3, 8]), np.array([5, 1]), 4, 0.01
    for w in np.linspace(0, 1, 101):
        assert np.abs(w * a + (1 - w) * b - [a[0], b[1]]).max() > 1
    near, far = softmax(np.array([score, 0.0]))
    down, up = abs(a - b)
    return {
        "a": a,
        "b": b,
        "down": down,
        "up": up,
        "half": (a + b) / 2,
        "score": score,
        "near": near,
        "far": far,
        "first": near * a[0] + far * b[0],
        "second": near * b[1] + far * a[1],
        "off": off,
        "weight": off / up,
        "gap": math.log(up / off - 1),
    }


def how_many_heads():
    """Heads and caches of published shapes."""
    bert, llama, gpt3, llama3 = (MODELS[n] for n in ("BERT-base", "Llama-2-7B", "GPT-3", "Llama-3-8B"))
    d, few = 4096, llama3.n_kv_heads
    heads = d // llama.d_head
    assert heads == llama.n_heads == llama.n_kv_heads == 4 * few
    cache = lambda kv: cache_bytes(llama.layers, llama.context, kv, llama.d_head)
    assert projection_parameters(d, n_heads=heads) == projection_parameters(d, n_heads=64)
    full, fewer = (projection_parameters(d, n_heads=heads, n_kv_heads=kv) for kv in (heads, few))
    assert full - fewer == 0.75 * 2 * d**2
    return {
        "d": d,
        "bert": bert,
        "llama": llama,
        "heads": heads,
        "few": few,
        "cache": cache(heads) / 2**30,
        "cache_few": cache(few) / 2**30,
        "cache_one": cache(1) / 2**20,
        "gpt3": gpt3.n_heads,
    }


def multi_head_from_memory():
    """The lines of the answer against the reference, padded lengths and several heads; W_O and the scale."""
    x, h, wrong = _random(2, 5, 6), 3, 8
    B, n, d = x.shape
    W_Q, W_K, W_V, W_O = _random(4, d, d, seed=1)
    mask = combined_mask(causal_mask(n), padding_mask([5, 3], n))
    q, k, v = x @ W_Q, x @ W_K, x @ W_V
    cut = lambda a: a.reshape(B, n, h, -1).swapaxes(1, 2)
    scores = cut(q) @ cut(k).swapaxes(-1, -2) / math.sqrt(d // h)
    assert cut(q).shape == (B, h, n, d // h) and scores.shape == (B, h, n, n)
    weights = softmax(np.where(mask[:, None], scores, -np.inf))
    out = (weights @ cut(v)).swapaxes(1, 2).reshape(B, n, d)
    layer = lambda **options: multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=h, **options)
    np.testing.assert_allclose(out @ W_O, layer(mask=mask).output)
    other = v.copy()
    other[..., 2:] += 1  # values of heads 1 and 2: without W_O the features of head 0 stay
    moved = (weights @ cut(other)).swapaxes(1, 2).reshape(B, n, d) - out
    assert (moved[..., :2] == 0).all() and np.abs(moved @ W_O).min() > 0
    assert layer(context=_random(B, 7, d, seed=2)).weights.shape == (B, h, n, 7)
    return {"B": B, "n": n, "d": len(W_O), "h": scores.shape[1], "heads": wrong, "times": math.sqrt(wrong)}


def view_without_transpose():
    """What one reshape puts into a head, and what it does to causality."""
    x = np.arange(24).reshape(1, 4, 6)
    cut, view = (lambda x: split_heads(x, 2)), (lambda x: x.reshape(1, 2, 4, 3))
    assert view(x).shape == cut(x).shape
    np.testing.assert_array_equal(cut(x)[0, 0], x[0, :, :3])
    np.testing.assert_array_equal(x.reshape(1, 1, 4, 6), split_heads(x, 1))
    tokens = [np.unique(head // 6) for head in view(x)[0]]
    floats = _random(1, 4, 6)
    output = lambda x, split, join: join(attention(*[split(x)] * 3, causal=True).output)
    back, edit = (lambda x: x.reshape(1, 4, 6)), lambda rows: floats + np.isin(range(4), rows)[:, None]
    change = lambda rows, *ways: (output(edit(rows), *ways) != output(floats, *ways)).any(axis=(0, 2))
    moved = lambda rows, *ways: np.flatnonzero(change(rows, *ways)).tolist()
    assert moved(tokens[1][0], cut, join_heads) == tokens[1].tolist() and moved(tokens[1][0], view, join_heads)[0] == 0
    assert moved(tokens[0], view, back) == tokens[0].tolist() and moved(tokens[0], cut, join_heads) == [0, 1, 2, 3]
    order = np.arange(6).reshape(3, 2).T.ravel()  # every second feature for a head, as a permutation
    other = floats.reshape(1, 4, 3, 2).transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(other, split_heads(floats[..., order], 2))
    return {"n": x.shape[1], "d": x.shape[2], "h": len(tokens), "first": tokens[0], "second": tokens[1]}


def parameters_and_flops():
    """Counts for d_model 512 and 1024 tokens with 8 and 16 heads."""
    n, d, heads, more, kv, MiB = 1024, 512, 8, 16, 2, 1024**2
    parameters, projections, pairs = projection_parameters(d), projection_flops(n, d), attention_flops(n, d)
    assert parameters == projection_parameters(d, n_heads=heads) == projection_parameters(d, n_heads=more)
    assert projections == pairs == 2 * n * parameters and n == 2 * d
    inner = d // heads * more
    wide = 3 * d * inner + inner * d
    assert wide == 2 * parameters
    return {
        "n": n,
        "d": d,
        "heads": heads,
        "more": more,
        "parameters": parameters,
        "millions": parameters / 1e6,
        "per_dd": parameters // d**2,
        "per_ndd": projections // (n * d**2),
        "per_nnd": pairs // (n**2 * d),
        "projections": projections / 1e9,
        "pairs": pairs / 1e9,
        "map": score_bytes(n) / MiB,
        "maps": score_bytes(n, n_heads=heads) / MiB,
        "more_maps": score_bytes(n, n_heads=more) / MiB,
        "d_head": d // heads,
        "narrow": d // more,
        "inner": inner,
        "wide": wide,
        "kv_width": kv * d // heads,
        "grouped": projection_parameters(d, n_heads=heads, n_kv_heads=kv),
    }


def output_projection():
    """Concatenate and project is a sum over heads; only products of matrices count."""
    n, d, h, width = 5, 12, 3, 4
    x, (W_Q, W_K, W_V, W_O) = _random(n, d), _random(4, d, d, seed=1)
    layer = lambda W_O: multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=h)
    found = layer(W_O)
    cut = [slice(i * width, (i + 1) * width) for i in range(h)]
    terms = [found.weights[i] @ (x @ W_V[:, part]) @ W_O[part] for i, part in enumerate(cut)]
    np.testing.assert_allclose(sum(terms), found.output)
    merged = [W_V[:, part] @ W_O[part] for part in cut]
    np.testing.assert_allclose(sum(found.weights[i] @ x @ merged[i] for i in range(h)), found.output)
    assert [np.linalg.matrix_rank(M) for M in merged] == [width] * h
    without = W_O.copy()
    without[cut[1]] = 0
    np.testing.assert_allclose(layer(without).output, terms[0] + terms[2])
    np.testing.assert_allclose(layer(np.eye(d)).output[:, cut[0]], found.weights[0] @ (x @ W_V[:, cut[0]]))
    d_model, d_head = 512, 64
    return {"width": d // h, "last": cut[0].stop - 1, "apart": 2 * d_model * d_head, "merged": d_model**2}


def rank_of_the_scores():
    """Ranks of scores, weights and their logarithms; favourites of heads of width 1 and 2."""
    query, key = _random(2, 50, 4)
    n, width = query.shape
    scores = query @ key.T
    weights = softmax(scores / 2)
    ranks = [int(np.linalg.matrix_rank(m)) for m in (scores, weights, np.log(weights))]
    assert ranks == [width, n, width + 1]
    query, key = _random(2, n, 1)
    sign, place = (-1.0) ** np.arange(n), np.arange(n)
    keys = sign * (place + 1)
    seen = np.where(causal_mask(n), np.outer(-sign, keys), -np.inf)
    assert (seen.argmax(axis=1)[1:] == place[:-1]).all()
    angle = 2 * math.pi * place / n
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    scores = np.roll(circle, 1, axis=0) @ circle.T  # each query points at the key before it
    assert (scores.argmax(axis=1) == (place - 1) % n).all()
    return {"n": n, "width": width, "ranks": ranks, "first": len(set((query @ key.T).argmax(axis=1))), "keys": keys[:4]}


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
    assert (attention(q, k, v + b[:3], mask=np.zeros((5, 5), dtype=bool)).output == 0).all()


def importance_of_a_head():
    """Weight against size, zero against the mean, and two heads that do the same."""
    sharp, flat = (0.9, 0.01), (0.1, 5)  # weight, and length of the value
    percent = 100 * math.prod(sharp) / math.prod(flat)
    written = np.array([10.0, 10.0, 10.0, 10.5])  # a head that writes nearly the same for every token
    loss = lambda head: np.mean((written - head) ** 2)
    assert loss(np.zeros(4)) > 1000 * loss(np.full(4, written.mean()))
    sign = lambda one, other: np.sign(one + other)
    assert sign(0.5, 0.5) == sign(0.5, 0) == 1 and sign(0, 0) == 0
    return {"sharp": sharp, "flat": flat, "percent": math.ceil(percent)}


def heads_to_groups():
    """The conversion is exact where neighbours are equal; tiling is not; average against the first."""
    d, h, groups, width = 16, 8, 4, 2
    size = h // groups
    x, W_Q, W_O = _random(2, 5, d), _random(d, d, seed=1), _random(d, d, seed=2)
    pairs = lambda seed: np.repeat(_random(d, groups, 1, width, seed=seed), size, axis=2).reshape(d, d)
    shrink = lambda W: W.reshape(d, groups, size, width).mean(axis=2).reshape(d, groups * width)
    W_K, W_V = pairs(3), pairs(4)
    original = multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=h).output
    fewer = shrink(W_K), shrink(W_V)
    converted = multi_head_attention(x, W_Q, *fewer, W_O, n_heads=h, n_kv_heads=groups).output
    np.testing.assert_allclose(converted, original)
    query, key, value = split_heads(x @ W_Q, h), *(split_heads(x @ W, groups) for W in fewer)
    np.testing.assert_array_equal(share_heads(key, h), np.repeat(key, size, axis=1))
    tiled = attention(query, np.tile(key, (1, size, 1, 1)), np.tile(value, (1, size, 1, 1))).output
    assert np.abs(join_heads(tiled) @ W_O - original).max() > 0.1
    one, two = _random(2, 40)
    distance = lambda choice: np.sum((one - choice) ** 2) + np.sum((two - choice) ** 2)
    np.testing.assert_allclose(distance(one), 2 * distance((one + two) / 2))
    assert cache_bytes(1, 10, h, width) == 2 * cache_bytes(1, 10, groups, width)
    try:
        share_heads(_random(1, 2, 3, 4), 5)
        raise AssertionError("5 query heads on 2 key/value heads ran")
    except ValueError:
        pass
    repeat, tile = np.repeat(range(groups), size), np.tile(range(groups), size)
    return {
        "h": h,
        "groups": groups,
        "size": size,
        "repeat": _listed(repeat),
        "tile": _listed(tile),
        "start": _listed(repeat[:4]),
        "kept": np.flatnonzero(tile == repeat),
    }


def mask_for_flattened_heads():
    """Order of the merged axis against tiled masks, on padded samples of two lengths."""
    q, k, v = _random(3, 2, 2, 5, 3)
    B, h, n, _ = q.shape
    mask = padding_mask([5, 3], n)
    flat = lambda a: a.reshape(B * h, *a.shape[2:])
    right = attention(q, k, v, mask=mask[:, None]).output
    per_row = lambda repeated: attention(flat(q), flat(k), flat(v), mask=repeated).output
    np.testing.assert_allclose(per_row(np.repeat(mask, h, axis=0)), flat(right))
    wrong = np.flatnonzero(np.abs(per_row(np.tile(mask, (h, 1, 1))) - flat(right)).max(axis=(1, 2)))
    unpacked = flat(right).reshape(h, B, n, -1).swapaxes(0, 1)
    np.testing.assert_array_equal(unpacked[0, 1], right[1, 0])
    samples, heads = 4, 8
    kept = np.arange(samples * heads) // heads == np.arange(samples * heads) % samples
    assert np.mean(kept) == 1 / 4 and len(set(kept.reshape(samples, heads).sum(axis=1))) == 1
    return {
        "B": B,
        "h": h,
        "order": ", ".join(f"sample {b} head {i}" for b in range(B) for i in range(h)),
        "tile": _listed(np.tile(range(B), h)),
        "repeat": _listed(np.repeat(range(B), h)),
        "wrong": wrong,
        "count": len(wrong),
        "rows": B * h,
        "samples": samples,
        "heads": heads,
        "kept": int(kept.sum()),
        "each": int(kept[:heads].sum()),
    }
