"""The answers of ``data/questions/order.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.masks import causal_mask
from course_utils.core.positions import alibi_bias, alibi_slopes, rotate, sinusoidal_positions
from course_utils.core.scores import softmax


def invariant_or_equivariant():
    """A permuted input gives permuted outputs, until a causal mask is there."""
    W, x = _random(3, 6, 6), _random(1, 3, 6, seed=1)[0]  # dog bites man
    order = [2, 1, 0]
    plain, turned = _attend(x, W), _attend(x[order], W)
    np.testing.assert_allclose(turned.output, plain.output[order])
    np.testing.assert_allclose(turned.weights, plain.weights[order][:, order])
    np.testing.assert_allclose(turned.output.mean(axis=0), plain.output.mean(axis=0))
    assert np.abs(turned.output - plain.output).max() > 0.1  # not invariant
    causal = [_attend(rows, W, mask=causal_mask(3)).output for rows in (x[order], x[:])]
    broken = np.abs(causal[0] - causal[1][order]).max()
    assert broken > 0.1 and causal_mask(3)[1].sum() == 2
    moved = causal_mask(3)[order][:, order]
    np.testing.assert_allclose(_attend(x[order], W, mask=moved).output, causal[1][order])
    return f"without a mask equal to rounding; with a causal mask they differ by {broken:.1f}"


def decoder_without_positions():
    """The last token after one and two causal layers, two earlier tokens swapped; and a clock from the mask."""
    layers, x = _random(2, 3, 8, 8) / 3, _random(1, 5, 8, seed=1)[0]
    swapped = x[[2, 1, 0, 3, 4]]

    def run(x, depth, causal=True):
        for W in layers[:depth]:
            x = x + _attend(x, W, causal=causal).output
        return x

    one, two = (np.abs(run(x, depth)[-1] - run(swapped, depth)[-1]).max() for depth in (1, 2))
    assert one < 1e-14 and two > 1e-3
    np.testing.assert_allclose(run(swapped, 2, False), run(x, 2, False)[[2, 1, 0, 3, 4]])
    located = run(x + sinusoidal_positions(5, 8), 1)[-1] - run(swapped + sinusoidal_positions(5, 8), 1)[-1]
    assert np.abs(located).max() > 1e-3
    clock = attention(np.zeros((1001, 1)), np.zeros((1001, 1)), np.eye(1001)[:, :1], causal=True).output[:, 0]
    np.testing.assert_allclose(clock, 1 / np.arange(1, 1002))
    assert round(clock[3], 9) == 0.25 and round((clock[999] - clock[1000]) * 1e6) == 1
    return f"the last token moves by less than 1e-14 after one layer and by {two:.2f} after two"


def sinus_rows_by_hand():
    """Rows 0, 1 and 2 for d_model = 4, their dot products, and the slip with columns."""
    rows = sinusoidal_positions(3, 4)
    assert rows.round(3).tolist() == [[0, 1, 0, 1], [0.841, 0.54, 0.01, 1], [0.909, -0.416, 0.02, 1]]
    assert round(10_000 ** (2 / 4)) == 100 and round(2 * math.pi, 2) == 6.28 and round(200 * math.pi) == 628
    assert round(rows[0] @ rows[1], 3) == round(rows[1] @ rows[2], 3) == 1.54
    assert math.isclose(rows[0] @ rows[1], math.cos(1) + math.cos(0.01))
    assert round(math.sin(math.pi - 1), 3) == 0.841
    slip = 1 / 10_000 ** (4 / 4)
    assert slip == 0.0001 and round(math.sin(slip), 3) == 0
    return "rows " + "; ".join(" ".join(f"{entry:.3f}" for entry in row) for row in rows)


def shift_is_a_rotation():
    """One matrix moves every row by 3 places; content plus position gives scores that are not relative."""
    rows, angles = sinusoidal_positions(120, 8), 3 * 10_000.0 ** (-np.arange(4) / 4)
    turn = np.zeros((8, 8))
    for i, angle in enumerate(angles):
        c, s = math.cos(angle), math.sin(angle)
        turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    np.testing.assert_allclose(rows[:117] @ turn.T, rows[3:], atol=1e-12)
    (x, y), W = _random(2, 8), _random(2, 8, 8, seed=1)
    score = lambda m, n: (x + rows[m]) @ W[0] @ W[1].T @ (y + rows[n])
    terms = [a @ W[0] @ W[1].T @ b for a in (x, rows[7]) for b in (y, rows[4])]
    assert len(terms) == 4 and math.isclose(sum(terms), score(7, 4))
    changed = abs(score(7, 4) - score(107, 104))
    assert changed > 0.1 and np.isfinite(sinusoidal_positions(10**5, 8)).all()
    return f"one rotation fits all rows; a shift by 100 still changes the score by {changed:.1f}"


def rotary_sees_the_offset():
    """Scores at shifted positions, lengths, turned values, and the slowest pair."""
    q, k, v = _random(3, 1, 64)
    score = lambda m, n: (rotate(q, np.array([m])) @ rotate(k, np.array([n])).T).item()
    same = [score(*places) for places in ((3, 1), (103, 101), (5000, 4998))]
    np.testing.assert_allclose(same, same[0])
    assert abs(score(3, 2) - same[0]) > 0.1
    np.testing.assert_allclose(np.linalg.norm(rotate(q, np.array([77]))), np.linalg.norm(q))
    assert np.abs(rotate(v, np.array([3])) - rotate(v, np.array([103]))).max() > 0.1
    only_query = [rotate(q, np.array([m])) @ k.T for m in (3, 103)]
    assert abs(only_query[0] - only_query[1]).item() > 0.1
    speed = 10_000 ** (-31 / 32)
    assert round(speed, 6) == 0.000133 and round(2 * math.pi / speed) == 47_117
    bits = np.float32(257).view(np.uint32)  # bfloat16 keeps the upper 16 of them, rounded
    upper = (bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    assert np.uint32(upper).view(np.float32) == 256
    return f"positions (3, 1), (103, 101) and (5000, 4998): {same[0]:.6f} each"


def rotary_by_hand():
    """Quarter turns of q = (3, 1) against k = (2, 1)."""
    q, k = np.array([3, 1]), np.array([2, 1])
    turned = lambda x, place: np.linalg.matrix_power(np.array([[0, -1], [1, 0]]), place % 4) @ x
    score = lambda m, n: turned(q, m) @ turned(k, n)
    assert [turned(q, m).tolist() for m in range(4)] == [[3, 1], [-1, 3], [-3, -1], [1, -3]]
    scores = [int(score(m, 0)) for m in range(4)]
    assert scores == [7, 1, -7, -1] and sum(scores) / 4 == 0
    assert score(5, 4) == score(3, 2) == score(5, 0) == score(1, 0) == 1 and score(4, 0) == 7
    assert turned(k, 2).tolist() == [-2, -1] and turned(q, 3) @ k == -1 and score(0, 1) == score(3, 0) == -1
    assert turned(q, -1).tolist() == [1, -3]
    return f"0, 1, 2, 3 places after: {scores}"


def rotary_and_three_tests():
    """Doing nothing passes shift and length, and fails the three tests; turning only the query fails the shift."""
    places = np.arange(2.0)
    assert rotate(np.array([[0, 0], [1.0, 0]]), places)[1].round(3).tolist() == [0.54, 0.841]
    basis = lambda i: rotate(np.eye(4)[i : i + 1], np.array([1])).round(3)[0].tolist()
    assert basis(0) == [0.54, 0, 0.841, 0] and basis(1) == [0, 1, 0, 0.01]
    q, k = _random(2, 1, 4)

    def passed(turn_q, turn_k):
        score = lambda m, n: (turn_q(q, np.array([m])) @ turn_k(k, np.array([n])).T).item()
        known = np.allclose(turn_q(np.array([[1.0, 0]]), np.array([1])), [[0.5403023, 0.8414710]])
        length = np.isclose(np.linalg.norm(turn_q(q, np.array([9]))), np.linalg.norm(q))
        speeds = turn_q(np.eye(4)[1:2], np.array([1])).round(3)[0].tolist() == [0, 1, 0, 0.01]
        shift = np.isclose(score(5, 3), score(105, 103))
        return [
            bool(test) for test in (shift, length, known, not np.isclose(score(5, 3), score(5, 4)), speeds)
        ]

    nothing, backwards = lambda x, places: x, lambda x, places: rotate(x, -places)
    assert passed(rotate, rotate) == [True] * 5
    assert passed(nothing, nothing) == [True, True, False, False, False]
    assert passed(rotate, nothing)[0] is False and passed(backwards, backwards)[0] is True
    assert np.array_equal(rotate(q, np.array([0])), q)
    return "doing nothing passes shift and length, fails value, sensitivity and speeds"


def alibi_by_hand():
    """Slopes of 8 and 4 heads, the bias at distance 5, and what the softmax makes of it."""
    slopes = alibi_slopes(8)
    assert slopes.tolist() == [1 / 2**i for i in range(1, 9)] and slopes[-1] == 1 / 256 and 2.0**-8 == 1 / 256
    bias = alibi_bias(8, 6)[[0, -1], 5, 0]
    assert bias.round(4).tolist() == [-2.5, -0.0195]
    assert np.exp(bias).round(3).tolist() == [0.082, 0.981] and np.exp(bias[0]) < 1 / 10
    assert (1 / slopes[[0, -1]]).tolist() == [2, 256] and alibi_slopes(4).tolist() == [
        1 / 4,
        1 / 16,
        1 / 64,
        1 / 256,
    ]
    assert round(-2.5 / math.sqrt(64), 2) == -0.31 and [1 / 2**i for i in range(8)][-1] == 1 / 128
    x = _random(2, 6, 4)
    key_only = slopes[0] * np.arange(6.0)[None] + np.zeros((6, 1))
    for given in (x[0], 3 * x[1]):
        right = attention(given, x[1], x[0], bias=alibi_bias(8, 6)[0], causal=True).output
        np.testing.assert_allclose(attention(given, x[1], x[0], bias=key_only, causal=True).output, right)
    return f"distance 5: bias {bias[0]:.1f} and {bias[1]:.4f}, weight times 0.082 and 0.981"


def three_ways_to_tell_order():
    """Shift all positions by 100: which scores and which values change."""
    x, W, places = _random(1, 5, 8)[0], _random(3, 8, 8, seed=1), np.arange(5)

    def scores(kind, shift):
        table = sinusoidal_positions(200, 8)[places + shift] if kind == "table" else 0
        q, k = (x + table) @ W[0], (x + table) @ W[1]
        if kind == "rotary":
            q, k = rotate(q, places + shift), rotate(k, places + shift)
        bias = alibi_bias(2, 5 + shift)[0][shift:, shift:] if kind == "alibi" else 0
        return q @ k.T / math.sqrt(8) + bias

    moves = {kind: np.abs(scores(kind, 0) - scores(kind, 100)).max() for kind in ("table", "rotary", "alibi")}
    assert moves["table"] > 0.1 and moves["rotary"] < 1e-9 and moves["alibi"] < 1e-9
    both_sides = alibi_bias(2, 5)[0]
    assert np.array_equal(both_sides, both_sides.T)  # the absolute distance: left and right look the same
    places = [np.abs(((x + sinusoidal_positions(2, 8)[place]) - x) @ W[2]).max() for place in (0, 1)]
    assert min(places) > 0.1  # what is added reaches the values
    return "shifted by 100, the scores move with a table ({table:.1f}), not with rotary or ALiBi".format(
        **moves
    )


def beyond_the_trained_length():
    """Pairs that do not finish a turn, and the angle between neighbours after interpolation."""
    wavelengths = 2 * math.pi * 10_000 ** (np.arange(32) / 32)
    unfinished = [int((wavelengths > length).sum()) for length in (2048, 8192)]
    assert unfinished == [11, 7] and 8192 / 2048 == 4
    x, trained = np.array([[1.0, 0]]), 2047
    assert np.allclose(rotate(x, np.array([1 / 4])), [[math.cos(0.25), math.sin(0.25)]])
    slow = wavelengths[-11:]
    assert all(2 * math.pi * 8191 / slow > 2 * math.pi * trained / slow) and 8191 / 4 < 2048
    return (
        f"{unfinished[0]} of 32 pairs do not finish a turn within 2,048 tokens, {unfinished[1]} within 8,192"
    )


def decode_speaks_nonsense():
    """8 tokens at once against 6, 1 and 1 with positions that go on, and that restart."""
    x, W = _random(1, 8, 8)[0], _random(3, 8, 8, seed=1) / 3
    q, k, v = (x @ projection for projection in W)
    places = np.arange(8)
    full = attention(rotate(q, places), rotate(k, places), v, causal=True).output

    def step(i, query_place, key_places):
        query = rotate(q[i : i + 1], np.array([query_place]))
        return attention(query, rotate(k[: i + 1], key_places), v[: i + 1]).output[0]

    for i in (6, 7):
        np.testing.assert_allclose(step(i, i, places[: i + 1]), full[i])
        assert np.abs(step(i, 0, places[: i + 1]) - full[i]).max() > 1e-2
    np.testing.assert_allclose(
        attention(rotate(q[:6], places[:6]), rotate(k[:6], places[:6]), v[:6], causal=True)[0], full[:6]
    )
    assert 6 - 5 == 1 and 0 - 5 == -5
    restarted = np.array([*range(6), 0, 0])  # both new tokens stand where the first one does
    assert restarted[6] == restarted[7] == restarted[0] == 0
    assert np.abs(step(7, 0, restarted) - full[7]).max() > 1e-2
    return "rows 6 and 7 equal the full pass with positions 6 and 7, and not with 0"


def checkpoint_in_the_other_layout():
    """The column order that turns neighbours into halves; what differs without it, and from where on."""
    q, k = _random(2, 6, 8)
    order, places = [0, 2, 4, 6, 1, 3, 5, 7], np.arange(6)

    def neighbours(x, places, base=10_000.0):
        angles = places[:, None] * base ** (-np.arange(4) / 4)
        a, b = x[:, 0::2], x[:, 1::2]
        turned = a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)
        return np.stack(turned, axis=-1).reshape(x.shape)

    wanted = neighbours(q, places) @ neighbours(k, places).T
    np.testing.assert_allclose(rotate(q[:, order], places) @ rotate(k[:, order], places).T, wanted)
    mixed = rotate(q, places) @ rotate(k, places).T
    off = [np.abs(np.diagonal(mixed - wanted, -distance)).mean() for distance in range(6)]
    assert off[0] < 1e-12 and off[1] > 0.1
    two_heads = np.concatenate([np.array(order), 8 + np.array(order)])
    assert sorted(two_heads[:8]) == list(range(8)) and [2 * i for i in range(8)] != two_heads[:8].tolist()
    first_pair = [neighbours(q, places, base)[:, :2] for base in (1e4, 500_000)]
    assert np.array_equal(*first_pair) and np.array_equal(rotate(q, places)[0], q[0])
    assert softmax(np.array([[-3.7]])).item() == 1
    return f"scores one place apart are off by {off[1]:.1f} on average; with columns {order} equal"


def rotate_before_projecting():
    """A turn and a stretch in both orders; scores after a common shift; a W that commutes."""
    turn, stretch = np.array([[0.0, -1], [1, 0]]), np.diag([2.0, 1])
    assert (stretch @ turn @ [1, 0]).tolist() == [0, 1] and (turn @ stretch @ [1, 0]).tolist() == [0, 2]
    (x, y), W = _random(2, 1, 8), _random(2, 8, 8, seed=1)
    at = lambda x, place: rotate(x, np.array([place]))
    before = [(at(x, m) @ W[0] @ (at(y, m - 2) @ W[1]).T).item() for m in (5, 6)]
    after = [(at(x @ W[0], m) @ at(y @ W[1], m - 2).T).item() for m in (5, 6)]
    assert math.isclose(*after) and abs(before[0] - before[1]) > 0.1
    allowed = np.array([[0.7, -1.3], [1.3, 0.7]])
    np.testing.assert_allclose(allowed @ turn, turn @ allowed)
    return f"a shift by one moves the score by {abs(before[0] - before[1]):.1f} if x is turned, else by 0"


def price_of_order():
    """Parameters, FLOPs and bytes of each kind."""
    n, d, heads = 1024, 768, 12
    assert n * d == 786_432 and round(n * d / 124e6 * 100, 2) == 0.63
    rotary, pair = 3 * 2 * n * d, 4 + 2
    assert pair == 6 and rotary == 6 * n * d and math.isclose(rotary / (24 * n * d * d), 1 / (4 * d))
    assert round(rotary / (24 * n * d * d) * 100, 2) == 0.03
    assert round(heads * n * n / (4 * n * n * d) * 100, 1) == 0.4
    assert heads * n * n * 4 == 48 * 2**20 and round(131_072 * d / 1e6) == 101
    assert n * 64 * 4 == 256 * 2**10
    return f"table {n * d:,} parameters; rotary {rotary:,} FLOPs a layer"


def from_8k_to_128k():
    """The base that slows the slowest pair 16 times, and what grows with the length."""
    factor, width = 131_072 / 8192, 128
    base = 10_000 * factor ** (width / (width - 2))
    slowest = lambda base: base ** (-(width - 2) / width)
    speed = lambda base, i: base ** (-i / 64)
    passed = lambda base: [i for i in range(50, 64) if speed(10_000, i) < factor * speed(base, i) - 1e-9]
    assert factor == 16 and round(base, -3) == 167_000 and math.isclose(slowest(10_000) / slowest(base), 16)
    assert 1 / factor == 0.0625 and base**0 == 1
    pairs = 2 * math.pi * 10_000 ** (np.arange(64) / 64)
    assert np.flatnonzero(pairs > 8192).tolist() == list(range(50, 64)) and 64 - 50 == 14
    enough = 10_000 * factor ** (64 / 50)
    assert round(enough, -3) == 348_000 and (len(passed(base)), passed(enough)) == (13, [])
    token = 2 * 32 * 8 * 128 * 2
    assert token == 128 * 2**10 and 131_072 * token == 16 * 2**30 and 8192 * token == 2**30
    share = lambda n, d=4096: n / (n + 6 * d)
    assert factor**2 == 256 and (round(share(8192) * 100), round(share(131_072) * 100)) == (25, 84)
    return f"base {base:,.0f} slows the slowest pair 16 times and leaves the fastest"


def _attend(x, W, **options):
    return attention(*(x @ projection for projection in W), **options)


def _random(count, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal((count, *shape))
