"""The answers of ``data/questions/depth.toml``, worked out: each function raises where one does not hold."""

import math
from fractions import Fraction

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.cost import (
    MODELS,
    Shape,
    block_parameters,
    cache_bytes,
    crossover,
    feed_forward_parameters,
    projection_parameters,
)
from course_utils.core.explorer import embed, run, sentence
from course_utils.core.heads import join_heads, split_heads
from course_utils.core.positions import sinusoidal_positions
from course_utils.core.scores import softmax
from course_utils.core.transformer import Block, feed_forward, layer_norm, transformer_block


def _random_block(d, seed=0):
    """A block of random weights, inner width 4 d."""
    rng = np.random.default_rng(seed)
    matrix = lambda a, b: rng.standard_normal((a, b)) / math.sqrt(a)
    projections = [matrix(d, d) for _ in range(4)]
    ones, zeros = np.ones(d), np.zeros(d)
    return Block(*projections, matrix(d, 4 * d), np.zeros(4 * d), matrix(4 * d, d), zeros, ones, zeros, ones, zeros)


def _silent(block):
    """The same block with both parts at zero."""
    return block._replace(W_O=np.zeros_like(block.W_O), W_2=np.zeros_like(block.W_2))


def _edited_tokens(n, d, row):
    """Random tokens, and the same with one changed."""
    x = _random(1, n, d, seed=7)[0]
    other = x.copy()
    other[row] += np.arange(d)
    return x, other


def _moved(one, other):
    return np.flatnonzero(np.abs(one - other).max(axis=-1) > 1e-9).tolist()


def _random(count, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal((count, *shape))


def _gradients(kind, seed, layers, d, n, classes=32):
    """Forward and backward through feed-forward layers: (last gradient / first, spread of the stream)."""
    rng, kept, sizes = np.random.default_rng(seed), [], []
    matrix = lambda a, b: rng.uniform(-1, 1, (a, b)) * math.sqrt(6 / (a + b))
    spread = lambda x: x.std(axis=1, keepdims=True)
    norm = lambda x: (x - x.mean(axis=1, keepdims=True)) / spread(x)
    mean = lambda x: x.mean(axis=1, keepdims=True)
    back = lambda g, x: (g - mean(g) - norm(x) * mean(g * norm(x))) / spread(x)  # through norm(x)
    x = rng.standard_normal((n, d))
    for _ in range(layers):
        W_1, W_2 = matrix(d, 4 * d), matrix(4 * d, d)
        read = norm(x) if kind == "pre" else x
        hidden = np.maximum(read @ W_1, 0)
        added = x + hidden @ W_2
        kept.append((W_1, W_2, x, read, hidden, added))
        x = norm(added) if kind == "post" else added
    readout, targets = matrix(d, classes), np.eye(classes)[rng.integers(classes, size=n)]
    last = norm(x) if kind == "pre" else x
    gradient = (softmax(last @ readout) - targets) / n @ readout.T  # of the cross-entropy
    gradient = back(gradient, x) if kind == "pre" else gradient
    for W_1, W_2, before, read, hidden, added in reversed(kept):
        gradient = back(gradient, added) if kind == "post" else gradient
        inner = (gradient @ W_2.T) * (hidden > 0)
        sizes.append(np.linalg.norm(read.T @ inner))
        gradient = gradient + (back(inner @ W_1.T, before) if kind == "pre" else inner @ W_1.T)
    return sizes[0] / sizes[-1], x.std()


TOKEN = np.array([[2.0, 4, 4, 6]])


def parts_of_a_block():
    """One token edited: which rows of attention and of the feed-forward move."""
    block, x, edited = _random_block(8), *_edited_tokens(5, 8, 3)
    feed = lambda x: feed_forward(x, *block[4:8])
    attend = lambda x: attention(x @ block.W_Q, x @ block.W_K, x @ block.W_V, causal=True).output
    rows = _moved(feed(x), feed(edited))
    assert len(rows) == 1 and _moved(attend(x), attend(edited)) == [3, 4]
    assert np.array_equal(transformer_block(x, _silent(block), n_heads=2), x)
    return {"row": rows[0], "wider": block.W_1.shape[1] // block.W_1.shape[0]}


def layer_norm_by_hand():
    """Both norms of (2, 4, 4, 6), their invariances, and a token of equal features."""
    x = TOKEN[0]
    rms = lambda x: x / np.sqrt((x**2).mean())
    for norm, sees_shift in ((lambda x: layer_norm(x[None], eps=0)[0], False), (rms, True)):
        np.testing.assert_allclose(norm(10 * x), norm(x))
        assert np.allclose(norm(x + 10), norm(x)) != sees_shift
    assert not layer_norm(np.full((1, 4), 7.0), eps=0.00001).any()
    return {
        "n": x.size,
        "sum": x.sum(),
        "mean": x.mean(),
        "deviations": x - x.mean(),
        "deviations_squared": (x - x.mean()) ** 2,
        "all_deviations": ((x - x.mean()) ** 2).sum(),
        "variance": x.var(),
        "root": x.std(),
        "layer": layer_norm(TOKEN)[0],
        "squares": x**2,
        "all_squares": (x**2).sum(),
        "mean_square": (x**2).mean(),
        "root_square": math.sqrt((x**2).mean()),
        "rms": rms(x),
        "slip": abs(x - x.mean()).max() / x.std(ddof=1),
    }


def why_residuals():
    """The spread between tokens after some random attention layers, with and without the residual."""
    first, W = _random(1, 16, 64, seed=1)[0], _random(6, 3, 64, 64) / 8
    spread = {}
    for residual in (False, True):
        x = first
        for q, k, v in W:
            x = residual * x + attention(x @ q, x @ k, x @ v).output
            x = x / np.linalg.norm(x) * 32
        spread[residual] = np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x)
    assert spread[False] < 1e-4 and spread[True] > 0.1
    weights = softmax(np.where(np.tri(6, dtype=bool), _random(1, 6, 6)[0], -np.inf))
    np.testing.assert_allclose(np.linalg.matrix_power(weights, 400), np.eye(6)[[0] * 6], atol=1e-6)
    return {"tokens": first.shape[0], "width": first.shape[1], "layers": len(W)}


def pre_or_post_norm():
    """Gradient of the last layer relative to the first, and the size of the stream, four seeds."""
    sizes, ratios, spreads = (24, 64, 96), (0.6, 1), (2.5, 3.1)  # what holds by a margin
    pre, post = ([_gradients(kind, seed, *sizes) for seed in range(4)] for kind in ("pre", "post"))
    assert all(ratio < ratios[0] and spreads[0] < size < spreads[1] for ratio, size in pre)
    assert all(ratio > ratios[1] and math.isclose(size, 1) for ratio, size in post)
    steps = _random(1, 20_000, 8)[0]
    assert abs(steps.sum(axis=1).std() / steps[:, :4].sum(axis=1).std() - math.sqrt(2)) < 0.1
    return {"sizes": sizes, "ratios": ratios, "spreads": spreads}


def weights_of_a_block():
    """12 d squared, counted from arrays, and what other choices change."""
    d, big, gpt2 = 512, MODELS["Llama-2-7B"], MODELS["GPT-2 small"]
    attend, feed, both = (
        count(d) // d**2 for count in (projection_parameters, feed_forward_parameters, block_parameters)
    )
    block, inner = _random_block(64), Fraction(feed, 3)  # three matrices, as many weights
    size = lambda fields: sum(block[i].size for i in fields)
    assert size((0, 1, 2, 3, 4, 6)) == both * 64**2 and feed / both == 2 / 3 and feed / (both + attend) == 1 / 2
    small = size((5, 7, 8, 9, 10, 11)) // 64 + attend  # biases and norms; one bias for each projection
    grouped = projection_parameters(big.d_model, n_heads=32, n_kv_heads=8)
    return {
        "attend": attend,
        "feed": feed,
        "both": both,
        "wider": block.W_1.shape[1] // 64,
        "inner": inner,
        "weights": block_parameters(d),
        "big": big,
        "big_weights": block_parameters(big.d_model) / 1e6,
        "stack": big.layers * block_parameters(big.d_model) / 1e9,
        "grouped": grouped / big.d_model**2,
        "gpt2": gpt2,
        "small": small,
        "small_weights": small * gpt2.d_model,
        "percent": 100 * small / (small + both * gpt2.d_model),
        "doubled": block_parameters(2 * d) // block_parameters(d),
        "flops": 2 * both,
        "with_encoder": both + attend,
    }


def where_the_weights_live():
    """GPT-2 small, estimated and exact, and the shares."""
    gpt2, big = MODELS["GPT-2 small"], MODELS["Llama-2-7B"]
    d, layers, rows = gpt2.d_model, gpt2.layers, gpt2.vocabulary + gpt2.context
    feed, attend, table = layers * feed_forward_parameters(d), layers * projection_parameters(d), rows * d
    total = feed + attend + table
    exact = total + layers * 13 * d + 2 * d  # biases and norms of each block, and the last norm
    assert abs((exact - total) / exact - 0.001) < 0.0001
    tables = 2 * big.vocabulary * big.d_model
    big_feed = big.layers * feed_forward_parameters(big.d_model, d_ff=big.d_ff, gated=big.gated)
    big_total = tables + big_feed + big.layers * projection_parameters(big.d_model)
    output = gpt2.vocabulary * d
    return {
        "gpt2": gpt2,
        "per_block": block_parameters(d) // d**2,
        "per_feed": feed_forward_parameters(d) // d**2,
        "rows": rows,
        "block": block_parameters(d) / 1e6,
        "blocks": (feed + attend) / 1e6,
        "feed": feed / 1e6,
        "attend": attend / 1e6,
        "table": table / 1e6,
        "total": total / 1e6,
        "exact": exact,
        "shares": [100 * part / total for part in (feed, table, attend)],
        "big": big,
        "big_shares": [math.ceil(100 * tables / big_total), 100 * big_feed / big_total],
        "output": output / 1e6,
        "separate": (total + output) / 1e6,
        "separate_share": 100 * (table + output) / (total + output),
        "unused": gpt2.context - 1,
    }


def attention_or_feed_forward():
    """Attention stays between the values; two hidden units make an exclusive or, no linear map does."""
    value, d = _random(1, 7, 3)[0], 512
    output = attention(*_random(2, 7, 4, seed=1), value).output
    assert (output <= value.max(axis=0)).all() and (output >= value.min(axis=0)).all()
    inputs, wanted = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0.0, 1, 1, 0])
    W_1, W_2 = np.array([[1.0, -1], [-1, 1]]), np.array([1.0, 1])  # two hidden units
    assert np.array_equal(np.maximum(inputs @ W_1, 0) @ W_2, wanted)
    with_one = np.column_stack([inputs, np.ones(4)])
    np.testing.assert_allclose(with_one @ np.linalg.lstsq(with_one, wanted, rcond=None)[0], 0.5)
    feed, both = feed_forward_parameters(d) // d**2, block_parameters(d) // d**2
    assert feed / both == 2 / 3
    return {"feed": feed, "both": both}


def one_layer_cannot_point():
    """The same scores for both adjectives in random layers; the hand-set model's layers 1 and 2."""
    it, animal, street, adjective = 7, 1, 5, 10
    tired, wide = (embed(sentence(word)) for word in ("tired", "wide"))
    shares = set()
    for seed in range(20):
        W_Q, W_K, W_V = _random(3, 16, 16, seed=seed) / 4
        maps = [attention(x @ W_Q, x @ W_K, x @ W_V) for x in (tired, wide)]
        points = [m.weights[it, animal] > m.weights[it, street] for m in maps]
        shares.add(np.mean([points[0], not points[1]]))
        assert np.abs(maps[0].output[it] - maps[1].output[it]).max() > 1e-3
    assert len(shares) == 1
    two_heads = lambda a, b: (softmax(np.log([2.0, 1, a])) + softmax(np.log([1.0, 2, b]))) / 2
    assert two_heads(1, 97)[0] > two_heads(1, 97)[1] and two_heads(97, 1)[0] < two_heads(97, 1)[1]  # averaged
    p = np.linspace(0.01, 0.99, 99)
    loss = -(np.log(p) + np.log(1 - p)) / 2
    assert math.isclose(p[loss.argmin()], 1 / 2)
    (one, two), (one_wide, two_wide) = run(sentence("tired")), run(sentence("wide"))
    np.testing.assert_allclose(one[it], one_wide[it])
    np.testing.assert_allclose(two[it, animal], two_wide[it, street])
    np.testing.assert_allclose(one[adjective, animal], one_wide[adjective, street])
    return {
        "right": shares.pop(),
        "loss": loss.min(),
        "first": one[it, [animal, street]],
        "second": two[it, animal],
        "own": one[adjective, animal],
    }


def the_weight_moved():
    """Weights and ratio when the adjective's score changes; when no weight moves."""
    before, after = np.array([3, 2, 1]), np.array([3, 2, 5])  # the exponentials of the scores
    tired, wide = softmax(np.log(before)), softmax(np.log(after))
    ratios = tired[0] / tired[1], wide[0] / wide[1]
    np.testing.assert_allclose(*ratios)
    factor = before.sum() / after.sum()
    np.testing.assert_allclose(wide[:2] / tired[:2], factor)
    hidden = [softmax(np.where([True, True, False], np.log(scores), -np.inf)) for scores in (before, after)]
    assert np.array_equal(*hidden)
    sigmoid = lambda scores: 1 / (1 + np.exp(-scores))
    assert np.array_equal(sigmoid(np.log(before))[:2], sigmoid(np.log(after))[:2])
    return {
        "before": before,
        "after": after,
        "tired": tired,
        "wide": wide,
        "ratios": ratios,
        "sums": (before.sum(), after.sum()),
        "factor": factor,
    }


def decoder_at_it():
    """The hand-set model with a causal mask: row "it" is the same for both adjectives, the adjective's is not."""
    words, depths = sentence("tired"), range(80)
    it, animal, street, adjective = (words.index(word) for word in ("it", "animal", "street", "tired"))
    maps = run(words, causal=True), run(sentence("wide"), causal=True)
    for layer in (0, 1):
        assert np.array_equal(maps[0][layer][it], maps[1][layer][it]) and maps[0][layer][it, adjective] == 0
    points = [one[adjective, animal] > one[adjective, street] for one, _ in maps]
    assert points == [True, False]
    x, edited = _edited_tokens(11, 8, adjective)
    for depth in depths:
        x, edited = (transformer_block(rows, _random_block(8, depth), n_heads=2, causal=True) for rows in (x, edited))
    assert _moved(x, edited) == [adjective]
    one, two = (layer[it, [animal, street]] for layer in maps[0])
    np.testing.assert_allclose(*two)
    return {"it": it + 1, "adjective": adjective + 1, "deep": len(depths), "first": one, "second": two[0]}


def block_from_memory():
    """The tests of the answer on the course's block: identity, causality, locality, batch."""
    block, x, edited = _random_block(12), *_edited_tokens(5, 12, 4)
    forward = lambda x, block: transformer_block(x, block, n_heads=3, causal=True)
    assert np.array_equal(forward(x, _silent(block)), x)
    assert _moved(forward(x, block), forward(edited, block)) == [4]
    local = block._replace(W_O=np.zeros_like(block.W_O))
    both_ways = [transformer_block(rows, local, n_heads=3) for rows in (x, edited)]
    assert _moved(*both_ways) == [4]
    np.testing.assert_allclose(forward(np.stack([x, edited]), block)[1], forward(edited, block))
    h = layer_norm(x, block.gain_1, block.shift_1)
    q, k, v = (split_heads(h @ W, 3) for W in (block.W_Q, block.W_K, block.W_V))
    y = x + join_heads(attention(q, k, v, causal=True).output) @ block.W_O
    h = layer_norm(y, block.gain_2, block.shift_2)
    np.testing.assert_allclose(y + feed_forward(h, *block[4:8]), forward(x, block))
    slab = (x @ block.W_V).reshape(3, 5, 4)  # the reshape without a swap: right shape, other content
    assert slab.shape == v.shape and not np.allclose(slab, split_heads(x @ block.W_V, 3))


def residual_from_the_copy():
    """The reviewed block with silent parts, and with an input ten times as large."""
    block, nothing = _random_block(4), lambda x: 0
    feed = lambda x: feed_forward(x, *block[4:8])
    attend = lambda x: attention(x @ block.W_Q, x @ block.W_K, x @ block.W_V).output @ block.W_O
    half = lambda x, part: layer_norm(x, eps=0) + part(layer_norm(x, eps=0))
    reviewed = lambda x, attend, feed: half(half(x, attend), feed)
    kept = transformer_block(TOKEN, _silent(block), n_heads=1)
    assert np.array_equal(kept, TOKEN)
    np.testing.assert_allclose(reviewed(10 * TOKEN, attend, feed), reviewed(TOKEN, attend, feed))
    difference = transformer_block(10 * TOKEN, block, n_heads=1) - transformer_block(TOKEN, block, n_heads=1)
    assert np.abs(difference).max() > 10
    lost = lambda x, attend, feed: x + feed(x + attend(x))
    assert np.array_equal(lost(TOKEN, attend, nothing), TOKEN)  # with the feed-forward at zero it shows
    np.testing.assert_allclose(lost(TOKEN, nothing, feed), TOKEN + feed(TOKEN))
    return {"x": kept[0], "norm": reviewed(TOKEN, nothing, nothing)[0]}


def four_bugs_in_a_small_gpt():
    """Each test of the answer on a right head and on one with the bug it is meant to find."""
    loss = lambda logits, targets: -np.log(softmax(logits)[np.arange(len(targets)), targets]).mean()
    vocabulary, few = MODELS["GPT-2 small"].vocabulary, 8
    floor, floor_of_few = (loss(np.zeros((4, V)), np.array([1, 5, 7, 3])) for V in (vocabulary, few))
    tokens = np.array([3, 1, 4, 1, 5, 2, 6])
    copies = 50 * np.eye(few)[tokens]
    assert loss(copies, tokens) < 1e-9 and loss(copies[:-1], tokens[1:]) > floor_of_few
    x, edited = _edited_tokens(6, 8, 5)

    def rows(fill=-np.inf, n_heads=2, swap=True, edited=edited, table=0):
        split = (lambda x: split_heads(x, n_heads)) if swap else (lambda x: x.reshape(n_heads, 6, -1))
        hidden = lambda q: np.where(np.tri(6, dtype=bool), q @ q.swapaxes(-1, -2), fill)
        yield from _moved(*(join_heads(softmax(hidden(split(x))) @ split(x)) for x in (x + table, edited + table)))

    assert [*rows()] == [5] and [*rows(fill=0)] == [0, 1, 2, 3, 4, 5]
    assert [*rows(swap=False, n_heads=1)] == [5] and min(rows(swap=False)) < 5
    swapped = x[[1, 0, 2, 3, 4, 5]]
    assert max(rows(edited=swapped)) < 5 == max(rows(edited=swapped, table=sinusoidal_positions(6, 8)))
    return {"vocabulary": vocabulary, "floor": floor, "few": len(copies[0]), "floor_of_few": floor_of_few}


def design_a_1b_decoder():
    """The numbers of the design, from depth and width."""
    model = Shape(20, 2048, 16, 4, 128, 4 * 2048, False, 8192, 32_000)  # 8 d², as a gated part of 8/3 d has them
    d, kv, deeper, days, MiB = (
        model.d_model,
        {"n_heads": model.n_heads, "n_kv_heads": model.n_kv_heads},
        80,
        86_400,
        2**20,
    )
    attend, feed = projection_parameters(d, **kv), feed_forward_parameters(d)
    blocks, embedding = model.layers * (attend + feed), model.vocabulary * d
    total, frame = blocks + embedding, model.layers * block_parameters(d)
    cache = lambda n, heads: cache_bytes(model.layers, n, heads, model.d_head)
    share = lambda d: 100 * model.context / (model.context + crossover(d, feed_forward=True))
    assert 4 * cache(1, model.n_kv_heads) == cache(1, model.n_heads) and model.n_heads * model.d_head == d
    assert deeper * block_parameters(d // 2) == frame and deeper == 4 * model.layers
    tokens, speed = 20, 150  # billions, TFLOP/s
    work = 6 * total * tokens * 1e9
    seconds = work / (speed * 1e12)
    return {
        "model": model,
        "per_block": block_parameters(d) // d**2,
        "per_attend": projection_parameters(d) // d**2,
        "per_grouped": attend / d**2,
        "per_feed": feed // d**2,
        "per_both": (attend + feed) / d**2,
        "block": block_parameters(d) / 1e6,
        "frame": frame / 1e9,
        "blocks": blocks / 1e6,
        "embedding": embedding / 1e6,
        "total": total / 1e6,
        "bytes": 2 * total / 1e9,
        "token": cache(1, model.n_kv_heads) / 2**10,
        "request": cache(model.context, model.n_kv_heads) / MiB,
        "full": cache(model.context, model.n_heads) / 2**30,
        "equal": crossover(d, feed_forward=True),
        "per_equal": crossover(d, feed_forward=True) // d,
        "share": share(d),
        "share_deep": share(d // 2),
        "split": (2 * model.n_heads, model.d_head // 2),
        "work": work / 1e20,
        "seconds": round(seconds, -3),
        "days": seconds / days,
    }
