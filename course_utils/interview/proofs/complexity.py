"""The answers of ``data/questions/complexity.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.blockwise import attention_in_blocks
from course_utils.core.cache import KeyValueCache
from course_utils.core.cost import (
    MODELS,
    attention_flops,
    block_parameters,
    cache_bytes,
    crossover,
    feed_forward_flops,
    projection_flops,
    score_bytes,
    score_entries,
)
from course_utils.core.heads import join_heads, multi_head_attention, share_heads, split_heads
from course_utils.core.masks import causal_mask, window_mask
from course_utils.core.scores import softmax

KiB, MiB, GiB = 2**10, 2**20, 2**30


def count_a_block():
    """Multiply-adds of every product of a block, added up from the shapes."""
    bert, llama = MODELS["BERT-base"], MODELS["Llama-3-8B"]
    n, d, wide = bert.context, bert.d_model, llama.d_model
    projections, forward, square = _projections(n, d), _products((n, d, 4 * d), (n, 4 * d, d)), _square(n, d)
    whole = projections + forward + square
    assert whole == projection_flops(n, d) + feed_forward_flops(n, d) + attention_flops(n, d)
    assert all(_square(n, d, heads) == square for heads in (2, 12, 64)) and math.isclose(square / whole, 0.1)
    grouped = projection_flops(n, wide, n_heads=llama.n_heads, n_kv_heads=llama.n_kv_heads)
    return {
        "n": bert.context, "d": bert.d_model, "layers": bert.layers, "projections": projections // (n * d * d),
        "feed_forward": forward // (n * d * d), "both": square // (n * n * d), "slip": square // (n * n * d),
        "GFLOP": np.array([square, whole]) / 1e9,
        "GFLOP_of_all_layers": bert.layers * np.array([square, whole]) / 1e9,
        "linear_percent": 100 * (whole - square) / whole, "pairs": score_entries(n, causal=True),
        "all_pairs": score_entries(n), "query_heads": llama.n_heads, "kv_heads": llama.n_kv_heads,
        "grouped": grouped // (n * wide * wide),
    }  # fmt: skip


def where_attention_overtakes():
    """Equality at 2 d and 6 d, shares at real widths."""
    bert, llama, gpt = MODELS["BERT-base"], MODELS["Llama-3-8B"], MODELS["GPT-3"]
    widths, lengths = np.array([bert.d_model, llama.d_model]), np.array([512, 4096])
    both, projections, linear = (int(flops(1, 1)) for flops in (_square, _projections, _linear))
    alone, whole = projections // both, linear // both
    for d in widths:
        assert _square(alone * d, d) == _projections(alone * d, d) and crossover(int(d)) == alone * d
        assert _square(whole * d, d) == _linear(whole * d, d) == _square(2 * whole * d, d) / 4
    share = lambda n, d: _square(n, d) / (_square(n, d) + _linear(n, d))
    np.testing.assert_allclose(share(lengths, widths[0]), lengths / (lengths + whole * widths[0]))
    gated = feed_forward_flops(1, llama.d_model, d_ff=llama.d_ff, gated=True)
    gated += projection_flops(1, llama.d_model, n_heads=llama.n_heads, n_kv_heads=llama.n_kv_heads)
    equal, limit = gated // (both * llama.d_model), _growth(10**9)
    assert 3.999 < limit < 4
    return {
        "both": both, "projections": projections, "linear": linear, "alone": alone, "whole": whole,
        "causal": 2 * whole, "widths": widths, "lengths": lengths, "doubled": 2 * lengths, "alone_at": alone * widths,
        "whole_at": whole * widths, "percent": 100 * share(lengths, widths[0]), "growth": _growth(lengths),
        "of_GPT_3": [gpt.context, gpt.d_model, math.ceil(100 * share(gpt.context, gpt.d_model))],
        "heads": [llama.n_heads, llama.n_kv_heads, llama.d_head, llama.d_ff], "MFLOP": gated / 1e6, "equal": equal,
        "equal_in_widths": equal / llama.d_model,
    }  # fmt: skip


def slope_below_two():
    """What doubling n does to the count of a block, as a factor and as a slope."""
    d, lengths = 768, np.array([512, 32_768])
    linear, square = _linear(lengths, d), _square(lengths, d)
    parts, growth = np.array([linear[0], square[0]]) / (linear[0] + square[0]), _growth(lengths, d)
    kept, equal = lambda n: n * (d + 1), crossover(d, feed_forward=True)
    plain, fused = score_bytes(2 * d) / score_bytes(d), kept(2 * d) / kept(d)
    assert math.isclose(parts @ [2, 4], growth[0]) and math.log2(fused) == 1
    return {
        "d": d, "lengths": lengths, "doubled": 2 * lengths, "linear": int(_linear(1, 1)), "both": int(_square(1, 1)),
        "parts": parts, "percent": 100 * parts, "grown": parts * [2, 4], "growth": growth, "slopes": np.log2(growth),
        "scores_grow": plain, "slope_of_plain": math.log2(plain), "equal": equal, "equal_in_widths": equal // d,
        "growth_there": _growth(equal, d),
    }  # fmt: skip


def sixteen_million_operations():
    """From the multiply-adds of one product of one head to the FLOPs of a pass."""
    bert, speed = MODELS["BERT-base"], 300e9
    n, d, layers, heads = bert.context, bert.d_model, bert.layers, bert.n_heads
    claimed, long = n * n * bert.d_head, 8 * n
    square, long_square = layers * attention_flops(n, d), layers * attention_flops(long, d)
    whole, long_whole = square + layers * _linear(n, d), long_square + layers * _linear(long, d)
    assert square / claimed == 2 * 2 * heads * layers and math.isclose(square / whole, 0.1)
    weights = block_parameters(d)
    return {
        "n": bert.context, "d": bert.d_model, "width": bert.d_head, "heads": bert.n_heads, "layers": bert.layers,
        "claimed": claimed / 1e6, "factor": square // claimed, "part": whole / claimed,
        "GFLOP": np.array([square, whole]) / 1e9, "long": 8 * n, "longer": long_square // square,
        "GFLOP_long": np.array([long_square, long_whole]) / 1e9, "percent": 100 * long_square / long_whole,
        "speed": speed / 1e9, "seconds": long_whole / speed, "weights": weights // d**2,
        "FLOPs": _linear(1, d) // d**2, "million_weights": layers * weights / 1e6,
        "MFLOP": layers * _linear(1, d) / 1e6,
    }  # fmt: skip


def score_matrix_bytes():
    """Bytes of scores, from one head to a batch in training."""
    bert, llama, n, batch, memory = MODELS["BERT-base"], MODELS["Llama-2-7B"], 4096, 8, 24e9
    heads, layers, power, long = bert.n_heads, bert.layers, n.bit_length() - 1, 8 * n
    head, tile = score_bytes(n), np.zeros((128, 128), np.float32)
    fits = math.isqrt(int(memory) // (2 * llama.n_heads * 2))  # scores and weights, 2 bytes each
    assert n == 2**power and n * n * np.float32().itemsize == head and round(head / tile.nbytes, -2) == 1000
    return {
        "n": n, "heads": heads, "batch": batch, "power": power, "power_of_square": 2 * power, "million": n * n / 1e6,
        "MB": head / 1e6, "MiB": head // MiB, "MiB_of_heads": heads * head // MiB,
        "GiB_of_batch": batch * heads * head // GiB, "layers": layers,
        "GiB_in_training": layers * batch * heads * head // GiB, "many": llama.n_heads, "fits": fits,
        "memory": memory / 1e9, "side": len(tile), "KiB_of_tile": tile.nbytes // KiB, "width": bert.d_head,
        "fewer": bert.n_heads // 2, "wider": bert.d_model // (bert.n_heads // 2),
        "MiB_of_fewer": heads // 2 * head // MiB, "long": 8 * n, "times": long // n,
        "times_memory": score_bytes(long) // head, "GiB_long": score_bytes(long) // GiB,
        "GiB_long_of_heads": heads * score_bytes(long) // GiB,
    }  # fmt: skip


def recurrent_layer():
    """Cost ratio n / d, the reach of a recurrent step, of a causal mask and of a window."""
    n, d, far = 50, 512, 4096
    assert round(n * d * d / (n * n * d)) == 10
    both, projections = _square(n, d) // 2 // (n * n * d), _projections(n, d) // 2 // (n * d * d)  # multiply-adds
    plain = _products((n, d, d), (n, d, d)) // 2 // (n * d * d)  # of the input and of the state
    assert projections > plain
    step = np.eye(n, dtype=int) + np.eye(n, k=-1, dtype=int)  # a recurrent layer moves one place a step
    mask = causal_mask(11)
    reached = np.linalg.matrix_power(mask.astype(int), len(mask)) > 0
    return {
        "n": len(step), "times": far // d, "projections": projections, "both": both, "plain": plain,
        "lstm": 4 * plain, "equal": (4 * plain - projections) // both, "steps": _layers_needed(step),
        "tokens": len(mask), "pairs": len(mask) * (len(mask) - 1), "without_path": int((~reached).sum()),
        "layers": _layers_needed(window_mask(n, 8).astype(int)),
    }  # fmt: skip


def linear_or_not():
    """Blocks give the same result; one key changes every output; how many pairs are left."""
    q, k, v = _random(3, 40, 8)
    np.testing.assert_allclose(attention_in_blocks(q, k, v, block=7), attention(q, k, v).output)
    other = k + np.eye(40)[17][:, None]  # one key moved
    linear = lambda q, k: (a := np.exp(q) @ np.exp(k).T) / a.sum(axis=1, keepdims=True) @ v
    for f in (lambda q, k: attention(q, k, v).output, linear):
        assert np.abs(f(q, other) - f(q, k)).max(axis=1).min() > 0
    n, window = 65_536, 4096
    return {
        "tokens": len(q), "width": q.shape[1],
        "ranks": [int(np.linalg.matrix_rank(m)) for m in (q @ k.T, np.exp(q @ k.T))], "n": n, "root": math.isqrt(n),
        "fewer": n * n // (n * math.isqrt(n)), "fewer_in_window": n * n // (n * window),
    }  # fmt: skip


def two_blocks_by_hand():
    """The running maximum, sum and blend of the example, in both orders, and two slips."""
    e, values = np.array([1.0, 2, 4, 1]), np.array([4.0, 1, 2, 10])
    scores, maxima = np.log(e), np.array([2.0, 4])
    np.testing.assert_allclose(np.exp(np.maximum.accumulate(scores.reshape(2, 2).max(axis=1))), maxima)
    p = np.exp(scores - np.log(maxima).repeat(2)).reshape(2, 2)
    sums, blends = p.sum(axis=1), (p * values.reshape(2, 2)).sum(axis=1)
    fade = np.exp(np.log(maxima[0]) - np.log(maxima[1]))
    total, blend = fade * sums[0] + sums[1], fade * blends[0] + blends[1]
    np.testing.assert_allclose([blend / total, e @ values / e.sum()], softmax(scores) @ values)
    later = np.exp(scores[:2] - np.log(maxima[1]))  # the other order: the maximum is known already
    np.testing.assert_allclose([sums[1] + later.sum(), blends[1] + later @ values[:2]], [total, blend])
    q, k, v = _random(3, 5, 4)
    for rescaled in ("", "total", "blend"):  # with one block all slips look right
        np.testing.assert_allclose(_tiles(q, k, v, 5, rescaled), attention(q, k, v, causal=True).output)
    return {
        "e": e, "values": values, "products": e * values, "all": e.sum(), "maxima": maxima, "p": p, "sums": sums,
        "blends": blends, "fade": fade, "faded": fade * np.array([sums[0], blends[0]]), "total": total,
        "blend": blend, "output": blend / total, "blend_not_rescaled": blends.sum(), "sum_not_rescaled": sums.sum(),
        "slips": np.array([blends.sum() / total, blend / sums.sum()]),
    }  # fmt: skip


def merge_two_workers():
    """Two parts weighted by their sums of exponentials; a plain average; an empty part."""
    e, values, heads, width = np.array([[1.0, 2], [4, 1]]), np.array([[4.0, 1], [2, 10]]), 8, 128
    sums, outputs = e.sum(axis=1), (softmax(np.log(e)) * values).sum(axis=1)
    merged = softmax(np.log(sums)) @ outputs
    np.testing.assert_allclose([softmax(np.log(e.ravel())) @ values.ravel(), sums @ outputs / sums.sum()], merged)
    assert softmax(np.array([0.7, -np.inf])).tolist() == [1, 0]
    q, k, v = _random(3, 12, 8)
    parts = [(attention(q, k[i : i + 4], v[i : i + 4]).output, q @ k[i : i + 4].T) for i in (8, 0, 4)]
    log_sums = np.stack([np.log(np.exp(s / math.sqrt(8)).sum(axis=1)) for _, s in parts], axis=-1)
    whole = np.einsum("qp,pqd->qd", softmax(log_sums), np.stack([output for output, _ in parts]))
    np.testing.assert_allclose(whole, attention(q, k, v).output)
    return {
        "e": e, "sums": sums, "outputs": outputs, "all": sums.sum(), "merged": merged, "average": outputs.mean(),
        "heads": heads, "width": width, "sent_by_head": width + 1, "sent": heads * (width + 1),
    }  # fmt: skip


def attention_in_tiles():
    """The loops of the answer, against the plain formula for several blocks and large scores."""
    (q, k), (v,), blocks, b = _random(2, 7, 4), _random(1, 7, 3), [1, 2, 3, 7, 10], 16
    for size in (1, 1000):
        plain = attention(size * q, k, v, causal=True).output
        for block in blocks:
            np.testing.assert_allclose(_tiles(size * q, k, v, block), plain, atol=1e-12)
            slip = np.abs(_tiles(q, k, v, block, "") - attention(q, k, v, causal=True).output).max()
            assert slip < 1e-12 if block >= len(q) else slip > 1e-3  # without any rescaling
    weights, s = attention(q, k, v).weights, q @ k.T / 2
    assert np.abs(1000 * s).max() > 1000
    np.testing.assert_allclose(np.exp(s - np.log(np.exp(s).sum(axis=1, keepdims=True))), weights)
    return {
        "n": len(q), "blocks": blocks, "visited": score_entries(b, causal=True), "of": score_entries(b),
        "percent": 100 * score_entries(b, causal=True) / score_entries(b),
    }  # fmt: skip


def flash_saves():
    """Bytes of a full score matrix and of a tile; the result; the FLOPs of the tiles together."""
    n, d, tile = 4096, 64, np.zeros((128, 128), np.float32)
    flops = (n // len(tile)) ** 2 * 2 * _products((len(tile), d, len(tile)))
    assert flops == attention_flops(n, d) == attention_flops(2 * n, d) / 4
    q, k, v = _random(3, 30, 8)
    np.testing.assert_allclose(attention_in_blocks(q, k, v, block=8), attention(q, k, v).output)
    return {
        "MiB": score_bytes(n) // MiB, "side": len(tile), "KiB_of_tile": tile.nbytes // KiB,
        "less": score_bytes(n) // tile.nbytes, "flops": flops // (n * n * d),
    }  # fmt: skip


def cache_and_the_square():
    """Old keys stay under a causal mask only; what generation costs with and without a cache."""
    (x,), (W,) = _random(1, 7, 6), _random(1, 6, 6, seed=1)
    second_keys = lambda x, causal: (x + attention(x @ W, x, x, causal=causal).output) @ W
    assert np.array_equal(second_keys(x[:6], True), second_keys(x, True)[:6])
    assert np.abs(second_keys(x[:6], False) - second_keys(x, False)[:6]).max() > 0.01
    bert, T = MODELS["BERT-base"], 1024
    d, steps = bert.d_model, range(1, bert.context + 1)
    with_cache = sum(_linear(1, d) + attention_flops(1, d, n_keys=t) for t in steps)
    without = sum(_linear(t, d) + attention_flops(t, d) for t in steps)
    return {
        "T": [T, 2 * T], "growth": score_entries(2 * T, causal=True) / score_entries(T, causal=True),
        "tokens": len(steps), "d": bert.d_model, "times": without / with_cache,
    }  # fmt: skip


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
    n, d = 4096, 64
    full, linear = _square(n, d) / 2, _products((d, n, d), (n, d, d)) / 2
    assert full / linear == n / d
    return {"million": np.array([linear, full]) / 1e6, "factor": full / linear}


def cache_of_a_7b_model():
    """The formula against the bytes of a cache, then the sizes of the answer."""
    cache = KeyValueCache()
    cache.append(*np.zeros((2, 3, 5, 8), dtype=np.float16))  # 3 key/value heads, 5 tokens, width 8
    assert cache.nbytes == cache_bytes(1, 5, 3, 8)
    llama, batch, few, long, batch_of_long = MODELS["Llama-2-7B"], 32, 8, 8192, 16
    n, size = llama.context, lambda n, heads: cache_bytes(llama.layers, n, heads, llama.d_head)
    weights = llama.layers * block_parameters(llama.d_model, d_ff=llama.d_ff, gated=True)
    weights += 2 * llama.vocabulary * llama.d_model
    token, grouped, all_requests = size(1, llama.n_heads), size(1, few), batch * size(n, llama.n_heads)
    assert grouped == token / 4 and 4.5 < all_requests / (2 * weights) < 5.5
    return {
        "layers": llama.layers, "heads": llama.n_heads, "width": llama.d_head, "n": n, "batch": batch,
        "numbers": token // 2, "KiB": token // KiB, "GiB": n * token // GiB, "GiB_of_batch": all_requests // GiB,
        "billion": weights / 1e9, "GB": 2 * weights / 1e9, "few": few, "KiB_of_few": grouped // KiB,
        "GiB_of_few": n * grouped / GiB, "long": long, "GiB_of_long": long * grouped // GiB,
        "batch_of_long": batch_of_long, "GiB_of_long_batch": batch_of_long * long * grouped // GiB,
        "GiB_at_128k": [size(131_072, heads) // GiB for heads in (llama.n_heads, few, 1)],
    }  # fmt: skip


def cache_eight_times_too_big():
    """The published number, the right one, and what it does to the number of requests."""
    llama, memory, long = MODELS["Llama-2-70B"], 80, 131_072
    layers, heads, kv_heads, width = llama.layers, llama.n_heads, llama.n_kv_heads, llama.d_head
    published, right = 2 * layers * llama.d_model * 2, cache_bytes(layers, 1, kv_heads, width)
    assert published == cache_bytes(layers, 1, heads, width) and published // right == heads // kv_heads
    planned, taken = (llama.context * np.array([published, right]) / GiB).tolist()
    assert published // cache_bytes(layers, 1, 1, width) == heads
    return {
        "layers": layers, "heads": heads, "kv_heads": kv_heads, "width": width, "d_model": llama.d_model,
        "channels": kv_heads * width, "MB_published": published / 1e6, "bytes": right, "MB": right / 1e6,
        "KiB": right // KiB, "factor": published // right, "n": llama.context, "planned": planned, "taken": taken,
        "admitted": memory / planned, "fit": memory / taken, "long": long, "GiB_of_long": long * right // GiB,
        "GiB_published": long * published // GiB,
    }  # fmt: skip


def add_a_cache():
    """Every way of chunking equals one pass; a mask on the first chunk only passes all but [3, 3]."""
    x, W_Q, W_K, W_V = _random(4, 6, 6)
    full, chunkings = attention(x @ W_Q, x @ W_K, x @ W_V, causal=True).output, [[6], [1] * 6, [4, 1, 1], [3, 3]]
    for chunks in chunkings:
        cache, outputs = KeyValueCache(), []
        for part in np.split(x, np.cumsum(chunks)[:-1]):
            first, (key, value) = cache.length == 0, cache.append(part @ W_K, part @ W_V)
            outputs.append([attention(part @ W_Q, key, value, causal=causal).output for causal in (True, first)])
        right, slip = np.concatenate(outputs, axis=1)
        np.testing.assert_allclose(right, full)
        assert np.allclose(slip, full) == (chunks != chunkings[-1])
    assert causal_mask(3, 6).sum() == 4 + 5 + 6 and causal_mask(1, 5).all()
    top_left, steps = np.tri(1, 5, dtype=bool), 1024
    assert top_left.tolist() == [[True, False, False, False, False]]
    np.testing.assert_allclose(attention(x[:1], x[:5], x[:5], mask=top_left).output, x[:1])
    return {
        "tokens": len(x), "chunkings": chunkings, "mask": [*causal_mask(*chunkings[-1]).shape, len(x)],
        "steps": steps, "copied": score_entries(steps, causal=True),
    }  # fmt: skip


def decode_is_memory_bound():
    """FLOPs for each byte, and milliseconds, for decode and prefill."""
    bytes_s, flops_s, weights, prompt, d, batch, cache = 2e12, 300e12, 7e9, 2048, 4096, 32, 2
    step, intensity = 2 * weights / bytes_s, lambda n: _products((n, d, d)) / (2 * (d * d + 2 * n * d))
    return {
        "TB_s": bytes_s / 1e12, "TFLOP_s": flops_s / 1e12, "billion": weights / 1e9, "balance": flops_s / bytes_s,
        "GB": 2 * weights / 1e9, "intensity_of_one": intensity(1), "ms": 1e3 * step, "per_second": 1 / step,
        "GFLOP": 2 * weights / 1e9, "ms_of_arithmetic": 1e3 * 2 * weights / flops_s, "prompt": prompt, "d": d,
        "intensity": intensity(prompt), "batch": batch, "GiB_read": batch * cache,
        "ms_of_caches": 1e3 * batch * cache * GiB / bytes_s, "GB_in_4_bits": weights / 2 / 1e9,
        "ms_in_4_bits": 1e3 * weights / 2 / bytes_s, "faster": step / (weights / 2 / bytes_s),
    }  # fmt: skip


def stored_per_token():
    """Numbers stored by each kind, and who shares with whom."""
    heads, few, width, latent, rotated = 32, 8, 128, 512, 64
    mha, gqa, mqa = (cache_bytes(1, 1, stored, width, bytes_each=1) for stored in (heads, few, 1))
    assert mha == 4 * gqa == heads * mqa
    two = np.arange(2)[:, None, None]
    shared, tiled = share_heads(two, 8), np.tile(two, (4, 1, 1))
    assert shared.shape == tiled.shape
    q, k, v = _random(1, 8, 5, 4)[0], *_random(2, 2, 5, 4, seed=1)
    grouped = q.reshape(2, 4, 5, 4)
    broadcast = attention(grouped, k[:, None], v[:, None]).output.reshape(8, 5, 4)
    np.testing.assert_allclose(broadcast, attention(q, share_heads(k, 8), share_heads(v, 8)).output)
    return {
        "heads": heads, "width": width, "few": few, "MHA": mha, "GQA": gqa, "MQA": mqa, "less": mha // mqa,
        "latent": latent, "rotated": rotated, "MLA": latent + rotated, "kv": len(two), "grouped": grouped.shape,
        "shared": shared.ravel().astype(int).tolist(), "tiled": tiled.ravel().tolist(),
    }  # fmt: skip


def pages_of_sixteen():
    """Mean waste over all lengths from 1 to the longest."""
    most, page, large, requests, prompt = 4096, 16, 64, 100, 1600
    lengths, token, pages = np.arange(1, most + 1), cache_bytes(32, 1, 8, 128), prompt // page
    paged, fixed = (-lengths % page).mean(), (most - lengths).mean()
    assert paged == (page - 1) / 2
    return {
        "most": most, "page": page, "largest_gap": int((-lengths % page).max()), "paged": paged,
        "mean": lengths.mean(), "fixed": fixed, "times": fixed / paged, "KiB": token // KiB,
        "MiB": np.array([paged, fixed]) * token / MiB, "waste_of_large": (-lengths % large).mean(),
        "requests": requests, "prompt": prompt, "pages": pages, "unshared": requests * pages,
        "GiB": (requests - 1) * pages * page * token / GiB,
    }  # fmt: skip


def first_tokens_kept():
    """Weights with a sink and without it, offsets within a cache, and 8 bits with one large entry."""
    scores, sinks, window, last, outlier, bits = np.array([2.0, -4, -4, -4]), 4, 1020, 99_999, 100, 8
    kept, step = softmax(scores), outlier / (2 ** (bits - 1) - 1)
    np.testing.assert_allclose(softmax(scores[1:]), 1 / 3)
    assert np.rint(np.array([0.39, 0.4]) / step).tolist() == [0, 1]
    return {
        "scores": scores, "kept": kept, "sinks": sinks, "largest": sinks + window - 1, "last": last, "step": step,
        "lost": math.floor(100 * step / 2) / 100,
    }  # fmt: skip


def draft_of_four():
    """The expected number of tokens, by listing every outcome, and where the gain ends."""
    expected = lambda a, drafts: sum(a**i for i in range(drafts + 1))
    gain = lambda a, drafts, c: expected(a, drafts) / (1 + drafts * c)
    a, low, k, more, cheap, dear = 0.8, 0.5, 4, 8, 0.1, 0.25
    tokens, outcomes = expected(a, k), [(a**i * (1 - a), i + 1) for i in range(k)] + [(a**k, k + 1)]
    np.testing.assert_allclose([sum(p * n for p, n in outcomes), (1 - a ** (k + 1)) / (1 - a)], tokens)
    assert gain(low, k, dear) < 1
    return {
        "a": a, "k": k, "passed": k + 1, "tokens": tokens, "alone": k * a, "surplus": tokens - 1,
        "limit": (tokens - 1) / k, "cheap": cheap, "gain": gain(a, k, cheap), "low_tokens": expected(low, k),
        "more_tokens": expected(a, more), "endless": 1 / (1 - a), "more_cost": 1 + more * cheap,
        "more_gain": gain(a, more, cheap),
    }  # fmt: skip


def heads_over_four_devices():
    """Four parts add up to the layer; taking the head by the device's number does not."""
    n_heads, n_kv, devices, d_model, layers = 8, 2, 4, 1024, 32
    x, W_Q, W_O = _random(3, 32, 32)
    W_K, W_V = _random(2, 32, 8, seed=1)
    whole = multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads=n_heads, n_kv_heads=n_kv, causal=True).output
    query, key, value = split_heads(x @ W_Q, n_heads), split_heads(x @ W_K, n_kv), split_heads(x @ W_V, n_kv)
    out = lambda own, kv: join_heads(attention(query[own], key[kv], value[kv], causal=True).output)
    parts = np.arange(n_heads).reshape(devices, -1)
    added = lambda kv: sum(out(own, kv[i]) @ np.split(W_O, devices)[i] for i, own in enumerate(parts))
    held = parts[:, 0] // (n_heads // n_kv)
    np.testing.assert_allclose(added(held), whole)
    assert not np.allclose(added(np.arange(devices) % n_kv), whole)
    return {
        "heads": n_heads, "kv_heads": n_kv, "devices": devices, "parts": parts, "held": held,
        "last": int(parts[held == 0].max()), "devices_of_0": int(np.flatnonzero(held == 0).max()),
        "copies": len(held), "duplicated": devices // n_kv, "d_model": d_model, "KiB": d_model * 2 // KiB,
        "all_reduces": 2 * layers,
    }  # fmt: skip


def serve_128k():
    """Gibibytes and requests after each step."""
    n, layers, heads, width, memory, window, bandwidth = 131_072, 80, 8, 128, 160, 4096, 2e12
    token, full_layers, short = cache_bytes(layers, 1, heads, width), layers // 4, 2048
    full = cache_bytes(layers, n, heads, width) / GiB
    kept = cache_bytes(full_layers, n, heads, width) / GiB
    windows = cache_bytes(layers - full_layers, window, heads, width) / GiB
    sizes = np.array([full, full / 2, kept + windows, (kept + windows) / 2])
    return {
        "n": n, "layers": layers, "heads": heads, "width": width, "memory": memory, "KiB": token // KiB, "GiB": sizes,
        "requests": (memory // sizes).astype(int), "window": window, "full_layers": full_layers,
        "window_layers": layers - full_layers, "kept": kept, "windows": windows, "GB": full * GiB / 1e9,
        "ms": 1e3 * sizes * GiB / bandwidth, "as_many": n // short,
    }  # fmt: skip


def long_documents():
    """The shares, bytes and pairs of long documents."""
    n, layers, d, window, heads, few, width = 100_000, 32, 4096, 4096, 32, 8, 128
    square, linear = attention_flops(n, d), projection_flops(n, d) + feed_forward_flops(n, d)
    pairs = lambda w: w * n - w * (w - 1) // 2
    assert pairs(n) == score_entries(n, causal=True) and layers * (window - 1) > n
    q, k, v = _random(3, 20, 4)
    plain = attention(q, k, v, causal=True).output
    np.testing.assert_allclose(attention_in_blocks(q, k, v, block=6, causal=True), plain)
    assert np.abs(attention(q, k, v, mask=window_mask(20, 5)).output - plain).max() > 0.1
    return {
        "n": n, "layers": layers, "d": d, "percent": 100 * square / (square + linear),
        "GiB_of_scores": score_bytes(n, bytes_each=2) / GiB,
        "GiB": np.array([cache_bytes(layers, n, stored, width) for stored in (heads, few)]) / GiB, "window": window,
        "fewer": pairs(n) / pairs(window), "reach": layers * (window - 1), "between": layers - 1,
    }  # fmt: skip


def reach_of_a_window():
    """Who reaches the last token, by following the mask layer by layer."""
    w, layers, many, wide, long = 4, 3, 32, 4096, 131_072
    mask = window_mask(40, w).astype(int)
    reach = [int((np.linalg.matrix_power(mask, depth) > 0)[-1].sum()) for depth in range(1, layers + 1)]
    formula = lambda layers, w: layers * (w - 1) + 1
    assert reach == [formula(depth, w) for depth in range(1, layers + 1)]
    paths = np.linalg.matrix_power(mask, layers)[-1, -reach[-1]]  # the number of paths from the far end
    assert paths == 1
    for causal in (True, False):  # token 0 sees all and is seen by all, where the mask allows it
        sees = (mask if causal else mask | mask.T) > 0
        sees[:, 0], sees[0] = True, sees[0] if causal else True
        assert (np.linalg.matrix_power(sees.astype(int), 2)[-1] > 0).all() != causal
    return {
        "w": w, "layers": layers, "reach": reach, "back": [tokens - 1 for tokens in reach], "wide": wide,
        "far": formula(many, wide), "paths": w**layers, "slip": layers * w, "pairs": int(window_mask(10, w).sum()),
        "all_pairs": score_entries(10, causal=True), "less": long // wide,
    }  # fmt: skip


def _products(*shapes):
    """FLOPs of matrix products (a, b) @ (b, c): a multiply and an add for each term."""
    return sum(2 * a * b * c for a, b, c in shapes)


def _projections(n, d):
    return _products(*[(n, d, d)] * 4)


def _linear(n, d):
    return _projections(n, d) + _products((n, d, 4 * d), (n, 4 * d, d))


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


def _tiles(q, k, v, block, rescaled=("total", "blend")):
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
            total = total * (factor if "total" in rescaled else 1) + p.sum(axis=1, keepdims=True)
            blend = blend * (factor if "blend" in rescaled else 1) + p @ v[columns]
            m = new_m
        output[rows[:, 0]] = blend / total
    return output
