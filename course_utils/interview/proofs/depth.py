"""The answers of ``data/questions/depth.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
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
    return Block(
        *projections, matrix(d, 4 * d), np.zeros(4 * d), matrix(4 * d, d), zeros, ones, zeros, ones, zeros
    )


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


def _gradients(kind, seed, layers=24, d=64, n=96, classes=32):
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
    feed = lambda x: feed_forward(x, block.W_1, block.b_1, block.W_2, block.b_2)
    attend = lambda x: attention(x @ block.W_Q, x @ block.W_K, x @ block.W_V, causal=True).output
    rows = {name: _moved(part(x), part(edited)) for name, part in (("attention", attend), ("feed", feed))}
    assert rows == {"attention": [3, 4], "feed": [3]} and block.W_1.shape == (8, 4 * 8)
    assert np.array_equal(transformer_block(x, _silent(block), n_heads=2), x)
    assert 3 + 1 + 1 + 1 + 2 == 8 and 3 + 1 + 1 + 1 + 3 == 9
    return "token 3 of 5 edited: the feed-forward moves row 3, causal attention rows 3 and 4"


def layer_norm_by_hand():
    """Both norms of (2, 4, 4, 6), their invariances, and a token of equal features."""
    x, centred = TOKEN[0], TOKEN[0] - 4
    assert x.mean() == 4 and (centred**2).tolist() == [4, 0, 0, 4] and x.var() == 2
    assert layer_norm(TOKEN).round(3).tolist() == [[-1.414, 0, 0, 1.414]]
    rms = lambda x: x / np.sqrt((x**2).mean())
    assert (x**2).sum() == 72 and (x**2).mean() == 18 and round(math.sqrt(18), 3) == 4.243
    assert rms(x).round(3).tolist() == [0.471, 0.943, 0.943, 1.414]
    assert round(2 / x.std(ddof=1), 3) == 1.225
    for norm, sees_shift in ((lambda x: layer_norm(x[None], eps=0)[0], False), (rms, True)):
        np.testing.assert_allclose(norm(10 * x), norm(x))
        assert np.allclose(norm(x + 10), norm(x)) != sees_shift
    assert layer_norm(np.full((1, 4), 7.0), eps=0.00001).tolist() == [[0] * 4]
    return "layer norm (-1.414, 0, 0, 1.414), RMS norm (0.471, 0.943, 0.943, 1.414)"


def why_residuals():
    """The spread between tokens after 6 random attention layers, with and without the residual."""
    first, W = _random(1, 16, 64, seed=1)[0], _random(18, 64, 64) / 8
    spread = {}
    for residual in (False, True):
        x = first
        for q, k, v in W.reshape(6, 3, 64, 64):
            x = residual * x + attention(x @ q, x @ k, x @ v).output
            x = x / np.linalg.norm(x) * 32
        spread[residual] = np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x)
    assert spread[False] < 1e-4 and spread[True] > 0.1
    weights = softmax(np.where(np.tri(6, dtype=bool), _random(1, 6, 6)[0], -np.inf))
    settled = np.linalg.matrix_power(weights, 400)
    np.testing.assert_allclose(settled, np.eye(6)[[0] * 6], atol=1e-6)
    return f"spread after 6 layers: below 0.0001 without residuals, {spread[True]:.2f} with them"


def pre_or_post_norm():
    """Gradient of the last layer relative to the first, and the size of the stream, 24 layers, four seeds."""
    pre, post = ([_gradients(kind, seed) for seed in range(4)] for kind in ("pre", "post"))
    assert all(ratio < 0.6 and 2.5 < size < 3.1 for ratio, size in pre)
    assert all(ratio > 1 and round(size, 3) == 1 for ratio, size in post)
    steps = _random(1, 20_000, 8)[0]
    assert round(float(steps.sum(axis=1).std() / steps[:, :4].sum(axis=1).std()), 1) == round(math.sqrt(2), 1)
    mean = lambda kind: np.mean([ratio for ratio, _ in kind])
    return f"last to first gradient: pre-norm {mean(pre):.2f}, post-norm {mean(post):.2f}"


def weights_of_a_block():
    """12 d squared, counted from arrays, and what other choices change."""
    size = lambda d: sum(_random_block(d)[i].size for i in (0, 1, 2, 3, 4, 6))
    assert size(64) == 12 * 64**2 and 8 / 12 == 2 / 3
    assert (
        12 * 512**2 == 3_145_728
        and round(12 * 4096**2 / 1e6) == 201
        and round(32 * 12 * 4096**2 / 1e9, 1) == 6.4
    )
    assert math.isclose(3 * 8 / 3, 8) and 2 + 2 * 8 / 32 == 2.5
    biases_and_norms = (3 + 1 + 4 + 1) + 4
    assert biases_and_norms == 13 and 13 * 768 == 9984 and round(9984 / (12 * 768**2 + 9984) * 100, 2) == 0.14
    assert size(128) / size(64) == 4 and 2 * 12 == 24 and 12 + 4 == 16 and 8 / 16 == 1 / 2
    return f"12 d squared: {12 * 512**2:,} at d = 512"


def where_the_weights_live():
    """GPT-2 small, estimated and exact, and the shares."""
    d, layers, rows = 768, 12, 50_257 + 1024
    feed, attend, embeddings = layers * 8 * d * d, layers * 4 * d * d, rows * d
    assert rows == 51_281 and round(12 * d * d / 1e6, 2) == 7.08
    assert [round(part / 1e6, 1) for part in (feed + attend, feed, attend, embeddings)] == [
        84.9,
        56.6,
        28.3,
        39.4,
    ]
    total = feed + attend + embeddings
    exact = total + layers * 13 * d + 2 * d
    assert (
        round(total / 1e6, 1) == 124.3
        and exact == 124_439_808
        and round((exact - total) / exact * 100, 1) == 0.1
    )
    assert [round(100 * part / total) for part in (feed, embeddings, attend)] == [46, 32, 23]
    large = (2 * 32_000 * 4096, 32 * 4 * 4096**2, 32 * 3 * 4096 * 11_008)
    assert large[0] / sum(large) < 0.04 and round(100 * large[2] / sum(large)) == 64
    output = 50_257 * d
    assert round(output / 1e6, 1) == 38.6 and round((total + output) / 1e6) == 163
    assert round(100 * (embeddings + output) / (total + output)) == 48 and 1024 - 1 == 1023
    return f"{exact:,} parameters, feed-forward {feed / total:.0%}"


def attention_or_feed_forward():
    """Attention stays between the values; two hidden units make an exclusive or, no linear map does."""
    value = _random(1, 7, 3)[0]
    output = attention(*_random(2, 7, 4, seed=1), value).output
    assert (output <= value.max(axis=0)).all() and (output >= value.min(axis=0)).all()
    inputs, wanted = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0.0, 1, 1, 0])
    relu = lambda x: np.maximum(x, 0)
    W_1, W_2 = np.array([[1.0, -1], [-1, 1]]), np.array([1.0, 1])
    assert np.array_equal(relu(inputs @ W_1) @ W_2, wanted) and W_1.shape[1] == 2
    with_one = np.column_stack([inputs, np.ones(4)])
    best = with_one @ np.linalg.lstsq(with_one, wanted, rcond=None)[0]
    np.testing.assert_allclose(best, 0.5)
    assert 8 / 12 == 2 / 3
    return "exclusive or: two ReLU units exact, the best linear map says 0.5 to everything"


def one_layer_cannot_point():
    """The same scores for both adjectives in random layers; the hand-set model's layers 1 and 2."""
    it, animal, street, adjective = 7, 1, 5, 10
    tired, wide = (embed(sentence(word)) for word in ("tired", "wide"))
    for seed in range(20):
        W_Q, W_K, W_V = _random(3, 16, 16, seed=seed) / 4
        maps = [attention(x @ W_Q, x @ W_K, x @ W_V) for x in (tired, wide)]
        right = [maps[0].weights[it, animal] > maps[0].weights[it, street]]
        right.append(maps[1].weights[it, street] > maps[1].weights[it, animal])
        assert np.mean(right) == 0.5
        assert np.abs(maps[0].output[it] - maps[1].output[it]).max() > 1e-3
    two_heads = lambda a, b: (softmax(np.log([2.0, 1, a])) + softmax(np.log([1.0, 2, b]))) / 2
    assert two_heads(1, 97)[0] > two_heads(1, 97)[1] and two_heads(97, 1)[0] < two_heads(97, 1)[1]  # averaged
    p = np.linspace(0.01, 0.99, 99)
    loss = -(np.log(p) + np.log(1 - p)) / 2
    assert round(p[loss.argmin()], 2) == 1 / 2 and math.isclose(loss.min(), math.log(2))
    assert round(math.log(2), 3) == 0.693
    (one, two), (one_wide, two_wide) = run(sentence("tired")), run(sentence("wide"))
    assert one[it, [animal, street]].round(3).tolist() == [0.211, 0.164]
    np.testing.assert_allclose(one[it], one_wide[it])
    assert round(two[it, animal], 3) == round(two_wide[it, street], 3) == 0.808
    assert round(one[adjective, animal], 3) == round(one_wide[adjective, street], 3) == 0.380
    return "20 random layers: each right in exactly one of the two; the hand-set layer 2: 0.808 and 0.808"


def the_weight_moved():
    """Weights and ratio with scores ln 3, ln 2 and ln 1 or ln 5; when no weight moves."""
    tired, wide = softmax(np.log([3.0, 2, 1])), softmax(np.log([3.0, 2, 5]))
    assert tired.round(2).tolist() == [0.5, 0.33, 0.17] and wide.round(2).tolist() == [0.3, 0.2, 0.5]
    ratios = tired[0] / tired[1], wide[0] / wide[1]
    np.testing.assert_allclose(ratios, 1.5)
    np.testing.assert_allclose(wide[:2] / tired[:2], 6 / 10)
    assert 6 / 10 == 0.6
    hidden = [softmax(np.where([True, True, False], np.log([3.0, 2, last]), -np.inf)) for last in (1, 5)]
    assert np.array_equal(*hidden)
    sigmoid = lambda scores: 1 / (1 + np.exp(-scores))
    assert np.array_equal(sigmoid(np.log([3.0, 2, 1]))[:2], sigmoid(np.log([3.0, 2, 5]))[:2])
    return f"0.50 becomes {wide[0]:.2f}, animal to street stays {ratios[0]:.1f} and {ratios[1]:.1f}"


def decoder_at_it():
    """The hand-set model with a causal mask: row "it" is the same for both adjectives, the adjective's is not."""
    words = sentence("tired")
    assert (words.index("it") + 1, len(words)) == (8, 11)
    it, animal, street, adjective = 7, 1, 5, 10
    maps = run(words, causal=True), run(sentence("wide"), causal=True)
    for layer in (0, 1):
        assert np.array_equal(maps[0][layer][it], maps[1][layer][it]) and maps[0][layer][it, adjective] == 0
    assert maps[0][0][it, [animal, street]].round(3).tolist() == [0.415, 0.323]
    assert maps[0][1][it, [animal, street]].round(3).tolist() == [0.356, 0.356]
    points = [map_[0][adjective, animal] > map_[0][adjective, street] for map_ in maps]
    assert points == [True, False]
    x, edited = _edited_tokens(11, 8, 10)
    for depth in range(80):
        x, edited = (
            transformer_block(rows, _random_block(8, depth), n_heads=2, causal=True) for rows in (x, edited)
        )
    assert _moved(x, edited) == [10]
    return "80 causal layers: an edit of word 11 moves row 11 only"


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
    assert q.shape == (3, 5, 4)
    y = x + join_heads(attention(q, k, v, causal=True).output) @ block.W_O
    h = layer_norm(y, block.gain_2, block.shift_2)
    np.testing.assert_allclose(y + feed_forward(h, *block[4:8]), forward(x, block))
    slab = (x @ block.W_V).reshape(3, 5, 4)  # the reshape without a swap: right shape, other content
    assert slab.shape == v.shape and not np.allclose(slab, split_heads(x @ block.W_V, 3))
    return "identity with silent parts, no row before the edited one moves, a batch equals its sequences"


def residual_from_the_copy():
    """The reviewed block with silent parts, and with an input ten times as large."""
    block = _random_block(4)
    feed = lambda x: feed_forward(x, *block[4:8])
    attend = lambda x: attention(x @ block.W_Q, x @ block.W_K, x @ block.W_V).output @ block.W_O

    def reviewed(x, attend, feed):
        h = layer_norm(x, eps=0)
        x = h + attend(h)
        h = layer_norm(x, eps=0)
        return h + feed(h)

    nothing = lambda x: 0
    assert reviewed(TOKEN, nothing, nothing).round(3).tolist() == [[-1.414, 0, 0, 1.414]]
    assert np.array_equal(transformer_block(TOKEN, _silent(block), n_heads=1), TOKEN)
    np.testing.assert_allclose(reviewed(10 * TOKEN, attend, feed), reviewed(TOKEN, attend, feed))
    difference = transformer_block(10 * TOKEN, block, n_heads=1) - transformer_block(TOKEN, block, n_heads=1)
    assert np.abs(difference).max() > 10
    lost = lambda x, attend, feed: x + feed(x + attend(x))
    assert np.array_equal(lost(TOKEN, attend, nothing), TOKEN)  # with the feed-forward at zero it shows
    np.testing.assert_allclose(lost(TOKEN, nothing, feed), TOKEN + feed(TOKEN))
    return "silent parts: it gives (-1.414, 0, 0, 1.414), a pre-norm block gives (2, 4, 4, 6) back"


def four_bugs_in_a_small_gpt():
    """Each test of the answer on a right head and on one with the bug it is meant to find."""
    loss = lambda logits, targets: -np.log(softmax(logits)[np.arange(len(targets)), targets]).mean()
    assert round(loss(np.zeros((4, 50_257)), np.array([1, 5, 7, 11])), 2) == 10.82
    assert round(loss(np.zeros((4, 8)), np.array([1, 5, 7, 3])), 2) == 2.08 == round(math.log(8), 2)
    tokens = np.array([3, 1, 4, 1, 5, 2, 6])
    copies = 50 * np.eye(8)[tokens]
    assert loss(copies, tokens) < 1e-9 and loss(copies[:-1], tokens[1:]) > math.log(8)
    x, edited = _edited_tokens(6, 8, 5)
    past = np.tri(6, dtype=bool)

    def head(x, fill=-np.inf, n_heads=2, swap=True):
        split = (lambda x: split_heads(x, n_heads)) if swap else (lambda x: x.reshape(n_heads, 6, -1))
        q = split(x)
        return join_heads(softmax(np.where(past, q @ q.swapaxes(-1, -2), fill)) @ q)

    assert _moved(head(x), head(edited)) == [5]
    assert _moved(head(x, fill=0), head(edited, fill=0)) == [0, 1, 2, 3, 4, 5]
    leaks = lambda n_heads: _moved(
        head(x, swap=False, n_heads=n_heads), head(edited, swap=False, n_heads=n_heads)
    )
    assert leaks(1) == [5] and min(leaks(2)) < 5
    swapped, table = x[[1, 0, 2, 3, 4, 5]], sinusoidal_positions(6, 8)
    assert _moved(head(x), head(swapped))[-1] < 5 and 5 in _moved(head(x + table), head(swapped + table))
    return "a mask of 0 moves all 6 rows, a reshape without swap leaks with 2 heads and not with 1"


def design_a_1b_decoder():
    """The numbers of the design, from depth and width."""
    d, layers, n = 2048, 20, 8192
    assert round(12 * d * d / 1e6) == 50 and round(layers * 12 * d * d / 1e9, 3) == 1.007 and 16 * 128 == d
    blocks, embedding = layers * (2 + 2 * 4 / 16 + 8) * d * d, 32_000 * d
    total = blocks + embedding
    assert 2 + 2 * 4 / 16 == 2.5 and 2.5 + 8 == 10.5
    assert [round(part / 1e6) for part in (blocks, embedding, total)] == [881, 66, 946] and round(
        2 * total / 1e9, 1
    ) == 1.9
    token = lambda heads: 2 * layers * heads * 128 * 2
    assert token(4) == 40 * 2**10 and n * token(4) == 320 * 2**20 and n * token(16) / 2**30 == 1.25
    share = lambda d: n / (n + 6 * d)
    assert 6 * d == 12_288 and (round(share(d), 2), round(share(1024), 2)) == (0.4, 0.57)
    assert 32 * 64 == d and 32 / 16 == 2 and 80 * 12 * 1024**2 == layers * 12 * d * d and 80 / layers == 4
    work = 6 * total * 20e9
    assert round(work / 1e20, 2) == 1.14 and round(work / 150e12, -3) == 757_000
    assert round(work / 150e12 / 86_400, 1) == 8.8
    return f"{total / 1e6:.0f} million parameters, {token(4) // 2**10} KiB of cache a token"
