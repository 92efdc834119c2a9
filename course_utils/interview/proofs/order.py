"""The answers of ``data/questions/order.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.cost import attention_flops, cache_bytes, feed_forward_flops, projection_flops
from course_utils.core.masks import causal_mask
from course_utils.core.positions import alibi_bias, alibi_slopes, rotate, sinusoidal_positions

KiB, MiB, GiB = 2**10, 2**20, 2**30


def invariant_or_equivariant():
    """A permuted input gives permuted outputs, until a causal mask is there."""
    W, x = _random(3, 6, 6), _random(1, 3, 6, seed=1)[0]  # dog bites man
    order, mask = [2, 1, 0], causal_mask(3)
    plain, turned = _attend(x, W), _attend(x[order], W)
    np.testing.assert_allclose(turned.output, plain.output[order])
    np.testing.assert_allclose(turned.weights, plain.weights[order][:, order])
    np.testing.assert_allclose(turned.output.mean(axis=0), plain.output.mean(axis=0))
    assert np.abs(turned.output - plain.output).max() > 0.1  # not invariant
    causal = [_attend(rows, W, mask=mask).output for rows in (x[order], x)]
    broken = np.abs(causal[0] - causal[1][order]).max()
    assert broken > 0.1 and mask[1].sum() == 2
    np.testing.assert_allclose(_attend(x[order], W, mask=mask[order][:, order]).output, causal[1][order])
    return {"difference_under_a_causal_mask": broken}


def decoder_without_positions():
    """The last token after one and two causal layers, two earlier tokens swapped; and a clock from the mask."""
    layers, x, swap = _random(2, 3, 8, 8) / 3, _random(1, 5, 8, seed=1)[0], [2, 1, 0, 3, 4]
    moved = lambda x, depth: np.abs(_layers(x, layers[:depth])[-1] - _layers(x[swap], layers[:depth])[-1]).max()
    assert moved(x, 1) < 1e-14 and moved(x, 2) > 1e-3
    np.testing.assert_allclose(_layers(x[swap], layers, causal=False), _layers(x, layers, causal=False)[swap])
    table = sinusoidal_positions(5, 8)
    assert np.abs(_layers(x + table, layers[:1])[-1] - _layers(x[swap] + table, layers[:1])[-1]).max() > 1e-3
    start = np.eye(1001)[:, :1]
    clock = attention(0 * start, 0 * start, start, causal=True).output[:, 0]
    np.testing.assert_allclose(clock, 1 / np.arange(1, 1002))
    assert round((clock[999] - clock[1000]) * 1e6) == 1
    return {"fourth": clock[3], "far": len(clock) - 1, "next": len(clock)}


def sinus_rows_by_hand():
    """Rows 0, 1 and 2 for d_model = 4, their dot products, and the slip with columns."""
    rows = sinusoidal_positions(3, 4)
    base, width = 10_000, rows.shape[1]
    slower, slip = base ** (2 / width), 1 / base ** (4 / width)
    np.testing.assert_allclose([rows[0] @ rows[1], rows[1] @ rows[2]], math.cos(1) + math.cos(1 / slower))
    assert math.isclose(math.sin(math.pi - 1), rows[1, 0])
    return {
        "rows": rows, "width": width, "base": base, "slower": slower, "speed": 1 / slower, "twice": 2 / slower,
        "turns": 2 * math.pi * np.array([1, slower]), "dot": rows[0] @ rows[1], "slip": slip, "third": math.sin(slip),
    }  # fmt: skip


def shift_is_a_rotation():
    """One matrix moves every row by 3 places; content plus position gives scores that are not relative."""
    rows, shift, turn = sinusoidal_positions(120, 8), 100, np.zeros((8, 8))
    for i, angle in enumerate(3 * 10_000.0 ** (-np.arange(4) / 4)):
        c, s = math.cos(angle), math.sin(angle)
        turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    np.testing.assert_allclose(rows[:-3] @ turn.T, rows[3:], atol=1e-12)
    (x, y), (W_Q, W_K) = _random(2, 8), _random(2, 8, 8, seed=1)
    score = lambda m, n: (x + rows[m]) @ W_Q @ W_K.T @ (y + rows[n])
    terms = [a @ W_Q @ W_K.T @ b for a in (x, rows[7]) for b in (y, rows[4])]
    assert len(terms) == 4 and math.isclose(sum(terms), score(7, 4))
    moved = abs(score(7, 4) - score(7 + shift, 4 + shift))
    assert moved > 0.1 and np.isfinite(sinusoidal_positions(10**5, 8)).all()
    return {"a_shift_moves_the_score_by": moved}


def rotary_sees_the_offset():
    """Scores at shifted positions, lengths, turned values, and the slowest pair."""
    q, k, v = _random(3, 1, 64)
    at = lambda x, place: rotate(x, np.array([place]))
    score, places = lambda m, n: (at(q, m) @ at(k, n).T).item(), [[3, 1], [103, 101], [5000, 4998]]
    np.testing.assert_allclose([score(*pair) for pair in places], score(3, 1))
    assert abs(score(3, 2) - score(3, 1)) > 0.1
    np.testing.assert_allclose(np.linalg.norm(at(q, 77)), np.linalg.norm(q))
    assert np.abs(at(v, 3) - at(v, 103)).max() > 0.1 and abs(at(q, 3) @ k.T - at(q, 103) @ k.T).item() > 0.1
    base, pairs = 10_000, q.shape[1] // 2
    speed = base ** -((pairs - 1) / pairs)
    bits = np.float32(257).view(np.uint32)  # bfloat16 keeps the upper 16 of them, rounded
    upper = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return {
        "places": places, "width": q.shape[1], "slowest": pairs - 1, "pairs": pairs, "speed": speed,
        "turn": 2 * math.pi / speed, "rounded": int(np.uint32(upper).view(np.float32)),
    }  # fmt: skip


def rotary_by_hand():
    """Quarter turns of q = (3, 1) against k = (2, 1)."""
    q, k, quarter = np.array([3, 1]), np.array([2, 1]), np.array([[0, -1], [1, 0]])
    turned = lambda x, place: np.linalg.matrix_power(quarter, place % 4) @ x
    score = lambda m, n: int(turned(q, m) @ turned(k, n))
    scores, turns = [score(m, 0) for m in range(4)], np.array([turned(q, m) for m in range(4)])
    assert score(5, 4) == score(3, 2) == score(5, 0) == scores[1] and score(4, 0) == scores[0]
    assert score(0, 1) == scores[3] and turned(q, -1).tolist() == turns[3].tolist()
    return {
        "q": q, "k": k, "turns": turns, "terms": turns * k, "differ": abs(turns[3] * k), "scores": scores,
        "key": turned(k, 2), "at_key": turns[3] * turned(k, 2), "again": score(3, 2),
        "unturned": int(turned(q, 3) @ k), "before": score(0, 1), "mean": sum(scores) / 4,
    }  # fmt: skip


def rotary_and_three_tests():
    """Doing nothing passes shift and length, and fails the three tests; turning only the query fails the shift."""
    nothing, backwards = lambda x, places: x, lambda x, places: rotate(x, -places)
    assert _passed(rotate, rotate) == [True] * 5
    assert _passed(nothing, nothing) == [True, True, False, False, False]
    assert _passed(rotate, nothing)[0] is False and _passed(backwards, backwards)[0] is True
    x = _random(1, 1, 4)[0]
    assert np.array_equal(rotate(x, np.array([0])), x)
    return {
        "turned": rotate(np.array([[1.0, 0]]), np.array([1]))[0], "fast": rotate(np.eye(4)[:1], np.array([1]))[0],
        "slow": rotate(np.eye(4)[1:2], np.array([1]))[0], "speed": 10_000 ** (-2 / x.shape[1]),
    }  # fmt: skip


def alibi_by_hand():
    """Slopes of 8 and 4 heads, the bias at a distance, and what the softmax makes of it."""
    heads, few, distance, d_k = 8, 4, 5, 64
    slopes, fewer = alibi_slopes(heads), alibi_slopes(few)
    bias = alibi_bias(heads, distance + 1)[[0, -1], distance, 0]
    np.testing.assert_allclose(slopes, 2.0 ** -np.arange(1, heads + 1))
    assert np.exp(bias[0]) < 1 / 10 and fewer[-1] == slopes[-1] and fewer[0] == 2 ** (-8 / few)
    x = _random(2, 6, 4)
    for query in (x[0], 3 * x[1]):  # slope times j, the key's index, is the same
        right = attention(query, x[1], x[0], bias=alibi_bias(heads, 6)[0], causal=True).output
        keys_only = slopes[0] * np.arange(6.0)[None] + np.zeros((6, 1))
        np.testing.assert_allclose(attention(query, x[1], x[0], bias=keys_only, causal=True).output, right)
    return {
        "heads": heads, "distance": distance, "parts": 1 / slopes, "bias": bias, "factors": np.exp(bias),
        "starts_at_one": 2 ** (heads - 1), "divided": bias[0] / math.sqrt(d_k), "parts_of_few": 1 / fewer,
    }  # fmt: skip


def three_ways_to_tell_order():
    """Shift all positions by 100: which scores and which values change."""
    x, W, places, shift = _random(1, 5, 8)[0], _random(3, 8, 8, seed=1), np.arange(5), 100
    table, bias = sinusoidal_positions(200, 8), alibi_bias(2, 5 + shift)[0]
    with_table = lambda places: (x + table[places]) @ W[0] @ ((x + table[places]) @ W[1]).T
    rotary = lambda places: rotate(x @ W[0], places) @ rotate(x @ W[1], places).T
    alibi = lambda places: x @ W[0] @ (x @ W[1]).T + bias[np.ix_(places, places)]
    moved = [np.abs(scores(places) - scores(places + shift)).max() for scores in (with_table, rotary, alibi)]
    assert moved[0] > 0.1 and max(moved[1:]) < 1e-9
    assert np.array_equal(bias, bias.T)  # the absolute distance: left and right look the same
    assert np.abs(table[:2] @ W[2]).max(axis=1).min() > 0.1  # what is added reaches the values
    return {"scores_of_table_rotary_and_alibi_move_by": np.array(moved)}


def beyond_the_trained_length():
    """Pairs that do not finish a turn, and the angle between neighbours after interpolation."""
    trained, long, width = 2048, 8192, 64
    wavelengths = 2 * math.pi * 10_000 ** (np.arange(width // 2) / (width // 2))
    unfinished = [int((wavelengths > length).sum()) for length in (trained, long)]
    factor = long // trained
    angle = math.atan2(*rotate(np.array([[1.0, 0]]), np.array([1 / factor]))[0, ::-1])
    assert (long - 1) / factor < trained
    return {
        "trained": trained, "long": long, "last": trained - 1, "width": width, "pairs": len(wavelengths),
        "unfinished": unfinished, "factor": factor, "angle": angle,
    }  # fmt: skip


def decode_speaks_nonsense():
    """8 tokens at once against 6, 1 and 1 with positions that go on, and that restart."""
    cached, x, W = 6, _random(1, 8, 8)[0], _random(3, 8, 8, seed=1) / 3
    (q, k, v), places = (x @ projection for projection in W), np.arange(len(x))
    full = attention(rotate(q, places), rotate(k, places), v, causal=True).output
    step = lambda i, place, key_places: attention(
        rotate(q[i : i + 1], np.array([place])), rotate(k[: i + 1], key_places[: i + 1]), v[: i + 1]
    ).output[0]
    for i in (cached, cached + 1):
        np.testing.assert_allclose(step(i, i, places), full[i])
        assert np.abs(step(i, 0, places) - full[i]).max() > 1e-2
    prompt = attention(rotate(q, places)[:cached], rotate(k, places)[:cached], v[:cached], causal=True)
    np.testing.assert_allclose(prompt.output, full[:cached])
    restarted = np.array([*range(cached), 0, 0])  # both new tokens stand where the first one does
    assert np.abs(step(cached + 1, 0, restarted) - full[cached + 1]).max() > 1e-2
    return {
        "cached": places[cached], "tokens": len(x), "nearest": places[cached - 1],
        "back": places[cached] - places[cached - 1], "offset": restarted[cached] - places[cached - 1],
    }  # fmt: skip


def checkpoint_in_the_other_layout():
    """The column order that turns neighbours into halves; what differs without it, and from where on."""
    q, k = _random(2, 6, 8)
    order, places, base = [*range(0, 8, 2), *range(1, 8, 2)], np.arange(6), 500_000
    wanted = _neighbours(q, places) @ _neighbours(k, places).T
    np.testing.assert_allclose(rotate(q[:, order], places) @ rotate(k[:, order], places).T, wanted)
    mixed = rotate(q, places) @ rotate(k, places).T
    off = [np.abs(np.diagonal(mixed - wanted, -distance)).mean() for distance in (0, 1)]
    assert off[0] < 1e-12 and off[1] > 0.1 and np.array_equal(rotate(q, places)[0], q[0])
    assert np.array_equal(_neighbours(q, places)[:, :2], _neighbours(q, places, base)[:, :2])
    return {"width": len(order), "order": order}


def rotate_before_projecting():
    """A turn and a stretch in both orders; scores after a common shift; a W that commutes."""
    turn, stretch, x = np.array([[0, -1], [1, 0]]), np.array([2, 1]), np.array([1, 0])
    (a, b), W = _random(2, 1, 8), _random(2, 8, 8, seed=1)
    at = lambda x, place: rotate(x, np.array([place]))
    before = [(at(a, m) @ W[0] @ (at(b, m - 2) @ W[1]).T).item() for m in (5, 6)]
    after = [(at(a @ W[0], m) @ at(b @ W[1], m - 2).T).item() for m in (5, 6)]
    assert math.isclose(*after) and abs(before[0] - before[1]) > 0.1
    allowed = np.array([[0.7, -1.3], [1.3, 0.7]])
    np.testing.assert_allclose(allowed @ turn, turn @ allowed)
    return {
        "x": x, "stretch": stretch, "turned": turn @ x, "turned_first": stretch * (turn @ x),
        "stretched": stretch * x, "stretched_first": turn @ (stretch * x),
    }  # fmt: skip


def price_of_order():
    """Parameters, FLOPs and bytes of each kind."""
    layers, d, heads, n, parameters, long, pair = 12, 768, 12, 1024, 124e6, 131_072, 4 + 2
    rotary, linear = pair // 2 * 2 * n * d, projection_flops(n, d) + feed_forward_flops(n, d)
    assert math.isclose(rotary / linear, 1 / (4 * d))
    return {
        "layers": layers, "d": d, "heads": heads, "n": n, "million": parameters / 1e6, "table": n * d,
        "percent": 100 * n * d / parameters, "pair": pair, "each": pair // 2, "rotary": rotary // (n * d),
        "linear": linear // (n * d * d), "rotary_percent": 100 * rotary / linear,
        "alibi_percent": 100 * heads * n * n / attention_flops(n, d), "both": attention_flops(n, d) // (n * n * d),
        "MiB": heads * n * n * 4 // MiB, "long": long, "million_long": long * d / 1e6, "width": d // heads,
        "KiB": n * d // heads * 4 // KiB,
    }  # fmt: skip


def from_8k_to_128k():
    """The base that slows the slowest pair 16 times, and what grows with the length."""
    n, long, layers, heads, width, base, d = 8192, 131_072, 32, 8, 128, 10_000, 4096
    factor, pairs = long // n, np.arange(width // 2)
    speed = lambda base: base ** (-pairs / len(pairs))
    slow = pairs[2 * math.pi / speed(base) > n]
    some, enough = base * factor ** (width / (width - 2)), base * factor ** (len(pairs) / slow[0])
    passed = lambda new: [i for i in slow if speed(base)[i] < factor * speed(new)[i] - 1e-9]
    assert math.isclose(speed(base)[-1] / speed(some)[-1], factor)
    assert not passed(enough) and slow.tolist() == list(range(slow[0], len(pairs)))
    token, rest = cache_bytes(layers, 1, heads, width), projection_flops(1, d) + feed_forward_flops(1, d)
    share = lambda n: attention_flops(n, d) / (attention_flops(n, d) + n * rest)
    return {
        "n": n, "long": long, "layers": layers, "heads": heads, "width": width, "base": base, "factor": factor,
        "squeezed": 1 / factor, "pairs": len(pairs), "slow": slow, "many": len(slow), "passed": len(passed(some)),
        "exponent": width - 2, "some": 1000 * round(some / 1000), "enough": 1000 * round(enough / 1000),
        "about": 10_000 * round(enough / 10_000), "KiB": token // KiB, "GiB": [n * token // GiB, long * token // GiB],
        "square": attention_flops(long, d) // attention_flops(n, d),
        "percent": 100 * np.array([share(n), share(long)]),
    }  # fmt: skip


def _attend(x, W, **options):
    return attention(*(x @ projection for projection in W), **options)


def _layers(x, layers, causal=True):
    """A stack of attention layers with a residual each."""
    for W in layers:
        x = x + _attend(x, W, causal=causal).output
    return x


def _passed(turn_q, turn_k):
    """Whether two turns pass: shift, length, a known value, sensitivity to the key's place, the pairs' speeds."""
    (q, k), one = _random(2, 1, 4), np.array([1])
    score = lambda m, n: (turn_q(q, np.array([m])) @ turn_k(k, np.array([n])).T).item()
    tests = [
        np.isclose(score(5, 3), score(105, 103)),
        np.isclose(np.linalg.norm(turn_q(q, np.array([9]))), np.linalg.norm(q)),
        np.allclose(turn_q(np.array([[1.0, 0]]), one), [math.cos(1), math.sin(1)]),
        not np.isclose(score(5, 3), score(5, 4)),
        np.allclose(turn_q(np.eye(4)[1:2], one), [0, math.cos(0.01), 0, math.sin(0.01)]),
    ]
    return [bool(test) for test in tests]


def _neighbours(x, places, base=10_000.0):
    """Rotary positions in the other layout: columns 2 i and 2 i + 1 are a pair."""
    angles = places[:, None] * base ** (-np.arange(4) / 4)
    a, b = x[:, 0::2], x[:, 1::2]
    turned = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)
    return np.stack(turned, axis=-1).reshape(x.shape)


def _random(count, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal((count, *shape))
