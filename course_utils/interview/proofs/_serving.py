"""The answers about serving in ``data/questions/complexity.toml``: caches, windows, drafts, devices, requests."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.blockwise import attention_in_blocks
from course_utils.core.cache import KeyValueCache
from course_utils.core.cost import attention_flops, cache_bytes, feed_forward_flops, projection_flops
from course_utils.core.heads import join_heads, multi_head_attention, share_heads, split_heads
from course_utils.core.masks import causal_mask, window_mask
from course_utils.core.scores import softmax
from course_utils.exercises.mistakes.cache import masks_only_the_first_chunk

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
