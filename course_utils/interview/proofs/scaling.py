"""The answers of ``data/questions/scaling.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.scores import entropy, softmax, softmax_jacobian


def _scores(d_k, n_rows=3000, n_keys=16, seed=0):
    """Rows of scores: each row one random query and its own random keys."""
    rng = np.random.default_rng(seed)
    query = rng.standard_normal((n_rows, d_k), dtype=np.float32)
    key = lambda: rng.standard_normal((n_rows, d_k), dtype=np.float32)
    return np.stack([np.sum(query * key(), axis=1) for _ in range(n_keys)], axis=1)


def _largest(scores):
    return float(softmax(scores).max(axis=1).mean())


def _share(scores):
    """The entropy of the rows as a share of the largest possible, on average."""
    return float(entropy(softmax(scores)).mean() / math.log(scores.shape[1]))


def _close(found, said, within):
    assert abs(found - said) <= within, f"{found:.4f} is not {said}"


def _numeric(f, x, step=1e-6):
    """Central differences of the number f(x) with respect to each entry of x."""
    slope = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        d = np.zeros_like(x)
        d[i] = step
        slope[i] = (f(x + d) - f(x - d)) / (2 * step)
    return slope


def root_of_d_k():
    """Largest weight at two widths under three rules, and the division folded into W_Q."""
    at_64, at_512 = _scores(64), _scores(512, n_rows=400)
    _close(at_64.std(), 8, 0.1)
    _close(_largest(at_64), 0.84, 0.015)
    assert _largest(at_512) > _largest(at_64)
    for rows in (at_64 / 8, at_512 / math.sqrt(512)):
        _close(_largest(rows), 0.25, 0.012)
    _close((at_64 / 64).var(), 1 / 64, 0.001)
    _close(_largest(at_64 / 64), 0.08, 0.005)
    assert round(1 / 16, 2) == 0.06 and 512 // 8 == 64
    rng = np.random.default_rng(1)
    x, W_Q, W_K = rng.standard_normal((5, 6)), rng.standard_normal((6, 4)), rng.standard_normal((6, 4))
    np.testing.assert_allclose((x @ W_Q) @ (x @ W_K).T / 2, (x @ (W_Q / 2)) @ (x @ W_K).T)
    return "largest of 16 weights at d_k 64: 0.84 unscaled, a quarter by sqrt(d_k), 0.08 by d_k"


def variance_of_a_score():
    """The variance of a score for four kinds of entries."""
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 20_000, 64))
    scores = np.sum(q * k, axis=1)
    _close(scores.var(), 64, 1)
    _close(np.sum(rng.standard_normal((2, 1500, 256)).prod(0), 1).std() / scores.std(), 2, 0.08)
    bound = 1 / math.sqrt(512)  # torch's nn.Linear draws from -bound to bound: variance bound² / 3
    W_Q, W_K = rng.uniform(-bound, bound, (2, 512, 64))
    x, y = rng.standard_normal((2, 1000, 512))
    _close(np.sum((x @ W_Q) * (y @ W_K), axis=1).var(), 64 / 9, 0.5)
    assert round(64 / 9, 1) == 7.1
    _close(np.sum(q * q, axis=1).mean(), 64, 0.5)
    assert 64 / math.sqrt(64) == 8 and round(0.3**4 * 64, 2) == 0.52
    one, other = rng.standard_normal((2, 20_000, 1))
    _close(np.sum(one * other * np.ones(64), axis=1).var() / 4096, 1, 0.1)
    return f"variance of 20000 scores at d_k = 64: {scores.var():.1f}; after a default linear layer about 7"


def without_the_division():
    """Frozen rows and spikes at d_k = 512, and what small embeddings do to the spread."""
    rng = np.random.default_rng(0)
    q = rng.standard_normal((500, 1, 512), dtype=np.float32)
    k = rng.standard_normal((500, 16, 512), dtype=np.float32)
    upstream = rng.standard_normal((500, 16), dtype=np.float32)
    median, high, mean = {}, {}, {}
    for scale in (1.0, 1 / math.sqrt(512)):
        p = softmax((q @ k.swapaxes(1, 2))[:, 0] * scale)
        median[scale] = np.median(np.linalg.norm(softmax_jacobian(p), axis=(1, 2)))
        slope = p * (upstream - np.sum(p * upstream, axis=1, keepdims=True))
        of_query = np.linalg.norm((slope[:, None] @ k)[:, 0] * scale, axis=1)
        high[scale], mean[scale] = np.percentile(of_query, 90), of_query.mean()
    scaled = 1 / math.sqrt(512)
    assert median[1.0] < 0.002
    _close(median[scaled], 0.30, 0.01)
    assert high[1.0] > 3 * high[scaled] and mean[1.0] > mean[scaled]
    assert round(0.3**4 * 64, 2) == 0.52
    assert f"{softmax_jacobian(softmax(np.array([20.0, 0.0])))[0, 0]:.0e}" == "2e-09"
    return "d_k 512, the median row reacts below 0.002 against 0.30; the steepest rows react more than scaled ones"


def largest_weight_unscaled():
    """The largest of 16 weights, the lead of the best score, entropy, and more keys."""
    assert (round(math.sqrt(8), 1), round(math.sqrt(512), 1)) == (2.8, 22.6)
    best = np.sort(np.random.default_rng(0).standard_normal((10_000, 16)), axis=1)[:, -2:]
    lead = float(np.diff(best).mean())
    _close(lead, 0.48, 0.015)
    assert round(0.48 * math.sqrt(8), 1) == 1.4 and round(0.48 * math.sqrt(512)) == 11
    assert round(1 / (1 + math.exp(-1.4)), 2) == 0.80 and round(1 / (1 + math.exp(-11)), 5) == 0.99998
    at_8, at_512 = _scores(8, n_rows=10_000), _scores(512, n_rows=400)
    _close(_largest(at_8), 0.56, 0.01)
    _close(_largest(at_512), 0.95, 0.015)
    for rows in (at_8 / math.sqrt(8), at_512 / math.sqrt(512)):
        _close(_largest(rows), 0.25, 0.012)
    for rows, share in ((at_8, 0.47), (at_512, 0.05), (at_512 / math.sqrt(512), 0.85)):
        _close(_share(rows), share, 0.01)
    np.testing.assert_allclose(softmax(np.full(16, 1000.0)), 1 / 16)
    many = np.random.default_rng(1).standard_normal((400, 1024))  # a score of width 512 is as good as normal
    _close(float(np.diff(np.sort(many, axis=1)[:, -2:]).mean()), 0.3, 0.03)
    _close(_largest(many * math.sqrt(512)), 0.90, 0.015)
    _close(_largest(many), 0.02, 0.005)
    return "largest of 16 weights on average: 0.56 at d_k 8, 0.95 at 512, a quarter at both with the division"


def wrong_divisors():
    """Spread and entropy at d_k = 64 for four scales, and the Jacobian of flat rows."""
    scores = _scores(64)
    assert 8 / 64 == 0.125 and round(math.sqrt(512), 1) == 22.6
    assert round(8 / math.sqrt(512), 3) == round(1 / math.sqrt(8), 3) == 0.354
    for divisor, share in ((8, 0.85), (math.sqrt(512), 0.98)):
        _close(_share(scores / divisor), share, 0.01)
    _close(_share(scores / 64), 0.997, 0.001)
    size = lambda divisor: np.median(np.linalg.norm(softmax_jacobian(softmax(scores / divisor)), axis=(1, 2)))
    _close(size(64), 0.24, 0.01)
    _close(size(8), 0.30, 0.01)
    _close((scores * 8).std(), 64, 1)
    _close(_largest(scores * 8), 0.98, 0.01)
    assert len({round(divisor, 3) for divisor in (3**0.5, 5**0.5, 6**0.5, 2**0.5, 3)}) == 5
    return "share of log 16: 0.85 by sqrt(d_k), 0.98 by sqrt(d_model), 0.997 by d_k"


def stable_softmax():
    """The three lines on large scores, -inf and a row with nothing; the limits of exp."""

    def three_lines(scores, axis=-1):
        shifted = scores - scores.max(axis=axis, keepdims=True)
        exponentials = np.exp(shifted)
        return exponentials / exponentials.sum(axis=axis, keepdims=True)

    scores = np.array([[1e4, 1e4 - 1, -np.inf], [-2000, -2001, -2002]])
    np.testing.assert_allclose(three_lines(scores), softmax(scores))
    assert three_lines(scores)[0, 2] == 0
    with np.errstate(all="ignore"):
        assert np.isnan(three_lines(np.full(3, -np.inf))).all()
        for kind, last in ((np.float64, 709), (np.float32, 88), (np.float16, 11)):
            assert np.isfinite(np.exp(kind(last))) and np.isinf(np.exp(kind(last + 1)))
        both = np.exp(np.array([[0.0, 1], [-2000, -2001]]) - 1)
        assert np.isnan(both / both.sum(axis=1, keepdims=True))[1].all()
        assert np.isinf(np.exp(np.array([0.0, 2000]) - 1000)).tolist() == [False, True]
        x = np.array([0.0, 1000])
        assert np.log(softmax(x))[0] == -np.inf
    assert (x - x.max() - np.log(np.exp(x - x.max()).sum()))[0] == -1000
    return "right for 10,000 and -inf, NaN for a row of only -inf; exp ends at 709, 88 and 11"


def jacobian_by_hand():
    """Softmax of [2, 1, 0], the first row of its Jacobian, and the frozen case."""
    p = softmax(np.array([2.0, 1.0, 0.0]))
    assert p.round(3).tolist() == [0.665, 0.245, 0.09] and round(float(np.exp([2, 1, 0]).sum()), 3) == 11.107
    assert np.exp([2, 1]).round(3).tolist() == [7.389, 2.718]
    J = softmax_jacobian(p)
    assert J[0].round(3).tolist() == [0.223, -0.163, -0.06]
    by_printed = [0.665 * (1 - 0.665), -0.665 * 0.245, -0.665 * 0.090]
    assert [round(entry, 3) for entry in by_printed] == [0.223, -0.163, -0.06]
    np.testing.assert_allclose(J.sum(axis=1), 0, atol=1e-15)
    assert (J.T @ [1, 0, 0]).round(3).tolist() == [0.223, -0.163, -0.06]
    frozen = softmax(np.array([20.0, 0.0, 0.0]))
    assert f"{1 - frozen[0]:.0e}" == f"{softmax_jacobian(frozen)[0, 0]:.0e}" == "4e-09"
    return "p = 0.665, 0.245, 0.090; first row of the Jacobian 0.223, -0.163, -0.060"


def gradient_of_the_scores():
    """The row formula equals the full Jacobian; its sum is 0; the sum in it is dO·o."""
    rng = np.random.default_rng(0)
    P, V, dO = softmax(rng.standard_normal((5, 7))), rng.standard_normal((7, 3)), rng.standard_normal((5, 3))
    dP = dO @ V.T
    dS = P * (dP - (dP * P).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(dS, (softmax_jacobian(P) @ dP[..., None])[..., 0])
    np.testing.assert_allclose(dS.sum(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose((dP * P).sum(axis=1), (dO * (P @ V)).sum(axis=1))
    assert np.abs((dP * P * (1 - P)).sum(axis=1)).min() > 0.01  # the sigmoid's formula
    assert 4096**2 == 16_777_216
    return f"5 rows of 7: equal to the full Jacobian within {np.abs(dS.sum(axis=1)).max():.0e}"


def backward_of_a_head():
    """dQ, dK and dV in matrix form against central differences, with a mask and without."""
    rng = np.random.default_rng(0)
    Q, K, V = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    dO = rng.standard_normal((4, 2))

    def off(causal):
        loss = lambda Q, K, V: np.sum(attention(Q, K, V, causal=causal).output * dO)
        P = attention(Q, K, V, causal=causal).weights
        dP = dO @ V.T
        dS = P * (dP - np.sum(P * dP, axis=1, keepdims=True))
        assert (dS[P == 0] == 0).all()
        dQ, dK, dV = dS @ K / math.sqrt(3), dS.T @ Q / math.sqrt(3), P.T @ dO
        return max(
            np.abs(dQ - _numeric(lambda Q: loss(Q, K, V), Q)).max(),
            np.abs(dK - _numeric(lambda K: loss(Q, K, V), K)).max(),
            np.abs(dV - _numeric(lambda V: loss(Q, K, V), V)).max(),
        )

    worst = max(off(False), off(True))
    assert worst < 1e-6
    equal_sums = np.ones((4, 2)) @ np.array([[1.0, 2], [2, 1], [0, 3], [3, 0], [4, -1]]).T
    P = attention(Q, K, V).weights
    dS = P * (equal_sums - np.sum(P * equal_sums, axis=1, keepdims=True))
    np.testing.assert_allclose(dS, 0, atol=1e-14)
    return f"formulas and central differences agree within {worst:.0e}, causal or not"


def sum_backward_proves_nothing():
    """The slope of sum(weights) is 0 for right and wrong functions alike; a random weighting tells them apart."""
    rng = np.random.default_rng(0)
    scores, g = rng.uniform(1, 2, (3, 4)), rng.standard_normal((3, 4))
    wrong = {
        "plain sum": lambda s: s / s.sum(axis=1, keepdims=True),
        "temperature 7": lambda s: softmax(s / 7),
        "1/n": lambda s: np.full_like(s, 0.25),
    }
    right = _numeric(lambda s: np.sum(softmax(s) * g), scores)
    assert np.abs(_numeric(lambda s: np.sum(softmax(s)), scores)).max() < 1e-8
    for f in wrong.values():
        assert np.abs(_numeric(lambda s, f=f: np.sum(f(s)), scores)).max() < 1e-8
        assert np.abs(_numeric(lambda s, f=f: np.sum(f(s) * g), scores) - right).max() > 0.01
    p = softmax(scores)
    formula = p * (g - np.sum(p * g, axis=1, keepdims=True))
    assert np.abs(formula - right).max() < 1e-9
    in_32 = lambda s: np.sum(softmax(s.astype(np.float32)) * g.astype(np.float32))
    noisy = _numeric(in_32, scores.astype(np.float32), step=np.float32(1e-6))
    assert np.max(np.abs(noisy - formula) / np.abs(formula)) > 0.1
    value = rng.standard_normal((4, 2))
    assert np.abs(_numeric(lambda s: np.sum(softmax(s) @ value), scores)).max() > 0.01
    assert np.abs(_numeric(lambda s: np.sum(softmax(s) @ np.ones((4, 2))), scores)).max() < 1e-8
    return f"sum: slope 0 for softmax and {len(wrong)} wrong functions; random weighting: all {len(wrong)} differ"


def float16_before_the_softmax():
    """A score past 65,504, the same with the query scaled first, and the steps of bfloat16."""
    entry, scale = np.float16(24), np.float16(1 / math.sqrt(128))
    assert float(np.finfo(np.float16).max) == 65_504 and 24 * 24 * 128 == 73_728 and 22 * 22 * 128 == 61_952
    with np.errstate(all="ignore"):
        score = np.sum(np.full(128, entry * entry, dtype=np.float16), dtype=np.float16)
        assert np.isinf(score) and np.isnan(score - score) and np.isinf(score * scale)
        assert np.isfinite(np.exp(np.float16(11))) and np.isinf(np.exp(np.float16(12)))
    assert np.isfinite(np.sum(np.full(128, entry * scale * entry, dtype=np.float16), dtype=np.float16))
    assert round(24 * 24 * 128 / math.sqrt(128)) == 6_517
    assert (round(math.exp(11)), round(math.exp(12))) == (59_874, 162_755)
    bits = np.array([256, 257, 258], dtype=np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000  # to the nearest bfloat16, ties to even
    assert rounded.astype(np.uint32).view(np.float32).tolist() == [256, 256, 258]
    return "73,728 is inf in float16; with the query scaled first it is 6,517; bfloat16 takes 257 for 256"


def limits_of_temperature():
    """Very hot, very cold, ties, and a lead of 5 among more and more keys."""
    scores = np.array([2.0, 1.0, 2.0, 0.0])
    np.testing.assert_allclose(softmax(scores / 1e6), 0.25, atol=1e-5)
    np.testing.assert_allclose(softmax(scores / 1e-3), [0.5, 0, 0.5, 0], atol=1e-12)
    row = np.array([10.0, 20.0, 30.0])
    assert round(float(softmax(row)[2]), 5) == 0.99995
    assert softmax(row / 100).round(2).tolist() == [0.30, 0.33, 0.37]
    np.testing.assert_allclose(softmax(np.full(3, 1000.0)), 1 / 3)
    assert math.sqrt(64) == 8
    weight = lambda n: math.exp(5) / (math.exp(5) + n - 1)
    assert (round(weight(1_000), 2), round(weight(100_000), 4)) == (0.13, 0.0015)
    assert round(math.log(100), 1) == 4.6
    return "hot: 0.25 each; cold: 0.5, 0, 0.5, 0; [10, 20, 30] gives 0.99995, a hundredth of it 0.37"


def a_printed_softmax():
    """The row as it should be, what the printed one would need, and the row after the division."""
    scores = np.array([45.2, 48.1, 51.9, 44.3])
    assert (scores - 51.9).round(1).tolist() == [-6.7, -3.8, 0, -7.6]
    assert round(math.exp(-3.8), 3) == 0.022 and round(math.exp(-4), 3) == 0.018
    assert max(math.exp(-6.7), math.exp(-7.6)) < 0.002 and round(1 / 1.022, 2) == 0.98
    assert round(1 / 1.024, 2) == 0.98 and round(float(np.exp(scores - 51.9).sum()), 3) == 1.024
    weights = softmax(scores)
    assert weights.round(4).tolist() == [0.0012, 0.0218, 0.9765, 0.0005]
    assert round(math.log(0.9995 / 0.0005), 1) == 7.6 and round(weights[1] / 0.0003, -1) == 70
    scaled = softmax(scores / 8)
    assert (scores / 8).round(2).tolist() == [5.65, 6.01, 6.49, 5.54]
    assert scaled.round(2).tolist() == [0.18, 0.25, 0.41, 0.16]
    assert scores[3] < scores[1] and 0.24 > 0.19
    assert round(3.8 / 8, 3) == 0.475 and round(float(scaled[1] / scaled[3]), 1) == 1.6
    assert round(0.0001 + 0.0003 + 0.9995 + 0.0001, 4) == 1
    return "the row is .0012 .0218 .9765 .0005, after the division .18 .25 .41 .16"
