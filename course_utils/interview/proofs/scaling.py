"""The answers of ``data/questions/scaling.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.scores import entropy, softmax, softmax_jacobian


def _scores(d_k, n_rows=20_000, n_keys=16):
    """Rows of scores, each row one random query q with its own random keys: they are normal, with spread |q|."""
    rng = np.random.default_rng(1)
    return np.sqrt(rng.chisquare(d_k, (n_rows, 1))) * rng.standard_normal((n_rows, n_keys))


def _largest(scores):
    return float(softmax(scores).max(axis=1).mean())


def _share(scores):
    """The entropy of the rows as a share of the largest possible, on average."""
    return float(entropy(softmax(scores)).mean() / math.log(scores.shape[1]))


def _lead(scores):
    """By how much the best score of a row leads the second, on average."""
    return float(np.diff(np.sort(scores, axis=1)[:, -2:]).mean())


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
    d_k, d_model = widths = (64, 512)
    scores, of_wide = _scores(d_k), _scores(d_model)
    root, n_keys = math.sqrt(d_k), scores.shape[1]
    _close(scores.std(), root, 0.1)
    _close((scores / d_k).var(), 1 / d_k, 0.001)
    assert _largest(of_wide) > _largest(scores)
    for rows in (scores / root, of_wide / math.sqrt(d_model)):
        _close(_largest(rows), 1 / 4, 0.012)
    rng = np.random.default_rng(1)
    x, W_Q, W_K = rng.standard_normal((5, 6)), rng.standard_normal((6, 4)), rng.standard_normal((6, 4))
    np.testing.assert_allclose((x @ W_Q) @ (x @ W_K).T / 2, (x @ (W_Q / 2)) @ (x @ W_K).T)
    return {
        "widths": widths,
        "root": root,
        "heads": d_model // d_k,
        "n_keys": n_keys,
        "unscaled": _largest(scores),
        "by_d_k": _largest(scores / d_k),
        "equal": 1 / n_keys,
    }


def variance_of_a_score():
    """The variance of a score for four kinds of entries."""
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 20_000, 64))
    pairs, d_k = q.shape
    scores, root = np.sum(q * k, axis=1), math.sqrt(d_k)
    _close(scores.var(), d_k, 1)
    _close(np.sum(rng.standard_normal((2, 1500, 4 * d_k)).prod(0), 1).std() / scores.std(), 2, 0.08)
    d_in = 512
    bound = 1 / math.sqrt(d_in)  # torch's nn.Linear draws from -bound to bound: variance bound² / 3
    W_Q, W_K = rng.uniform(-bound, bound, (2, d_in, d_k))
    x, y = rng.standard_normal((2, 1000, d_in))
    _close(np.sum((x @ W_Q) * (y @ W_K), axis=1).var(), d_k / 9, 0.5)
    _close(np.sum(q * q, axis=1).mean(), d_k, 0.5)
    assert d_k / root == 8
    one, other = rng.standard_normal((2, pairs, 1))
    _close(np.sum(one * other * np.ones(d_k), axis=1).var() / d_k**2, 1, 0.1)
    small = 0.3
    return {
        "d_k": d_k,
        "root": root,
        "pairs": pairs,
        "after_a_linear_layer": d_k / 9,
        "small": small,
        "of_small": small**4 * d_k,
        "of_equal_entries": d_k**2,
    }


def without_the_division():
    """Frozen rows and spikes at d_k = 512, and what small embeddings do to the spread."""
    rng = np.random.default_rng(0)
    q = rng.standard_normal((500, 1, 512), dtype=np.float32)
    k = rng.standard_normal((500, 16, 512), dtype=np.float32)
    _, n_keys, d_k = k.shape
    upstream = rng.standard_normal((500, n_keys), dtype=np.float32)
    median, high, mean = [], [], []
    for scale in (1.0, 1 / math.sqrt(d_k)):
        p = softmax((q @ k.swapaxes(1, 2))[:, 0] * scale)
        median.append(np.median(np.linalg.norm(softmax_jacobian(p), axis=(1, 2))))
        slope = p * (upstream - np.sum(p * upstream, axis=1, keepdims=True))
        of_query = np.linalg.norm((slope[:, None] @ k)[:, 0] * scale, axis=1)
        high.append(np.percentile(of_query, 90))
        mean.append(of_query.mean())
    assert median[0] < 0.002 and high[0] > 3 * high[1] and mean[0] > mean[1]
    toy_d_k, embeddings, gap = 64, 0.3, 20
    return {
        "n_keys": n_keys,
        "d_k": d_k,
        "scaled_jacobian": median[1],
        "toy_variance": embeddings**4 * toy_d_k,
        "billionths": 1e9 * softmax_jacobian(softmax(np.array([gap, 0])))[0, 0],
    }


def largest_weight_unscaled():
    """The largest of 16 weights, the lead of the best score, entropy, and more keys."""
    widths = (8, 512)
    narrow, wide = (_scores(d_k) for d_k in widths)
    many = _scores(widths[1], n_rows=1000, n_keys=1024)
    spreads, n_keys = np.sqrt(widths), wide.shape[1]
    scaled = narrow / spreads[0], wide / spreads[1]
    lead = _lead(np.random.default_rng(0).standard_normal(wide.shape))
    _close(lead, 1 / 2, 0.03)
    assert n_keys - 2 == 14
    for rows in scaled:
        _close(_largest(rows), 1 / 4, 0.012)
    _close(_share(scaled[0]), _share(scaled[1]), 0.01)
    np.testing.assert_allclose(softmax(np.full(n_keys, 1000.0)), 1 / n_keys)
    return {
        "n_keys": n_keys,
        "more_keys": many.shape[1],
        "widths": widths,
        "spreads": spreads,
        "lead": lead,
        "leads": lead * spreads,
        "against_one": 1 / (1 + np.exp(-lead * spreads)),
        "largest": [_largest(narrow), _largest(wide)],
        "equal": 1 / n_keys,
        "lead_of_many": _lead(many) / spreads[1],
        "largest_of_many": _largest(many),
        "scaled_of_many": _largest(many / spreads[1]),
        "entropies": [_share(narrow), _share(wide)],
        "scaled_entropy": _share(scaled[1]),
    }


def wrong_divisors():
    """Spread and entropy at d_k = 64 for four scales, and the Jacobian of flat rows."""
    d_model, heads = 512, 8
    d_k = d_model // heads
    scores, divisors = _scores(d_k), np.sqrt([d_k, d_model, d_k**2])
    np.testing.assert_allclose(divisors[0] / divisors[1], 1 / math.sqrt(heads))
    size = lambda divisor: np.median(np.linalg.norm(softmax_jacobian(softmax(scores[:3000] / divisor)), axis=(1, 2)))
    _close((scores * divisors[0]).std(), d_k, 1)
    n, other_d_model, other_d_k, d_v = sizes = (5, 6, 3, 2)
    assert len({n**0.5, other_d_model**0.5, d_v**0.5, other_d_k, other_d_k**0.5}) == 5
    return {
        "d_model": d_model,
        "heads": heads,
        "d_k": d_k,
        "n_keys": scores.shape[1],
        "divisors": divisors,
        "spreads": divisors[0] / divisors,
        "entropies": [_share(scores / divisor) for divisor in divisors],
        "jacobians": [size(divisor) for divisor in divisors],
        "multiplied": _largest(scores * divisors[0]),
        "sizes": sizes,
    }


def _three_lines(scores, axis=-1):
    shifted = scores - scores.max(axis=axis, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def stable_softmax():
    """The three lines on large scores, -inf and a row with nothing; the limits of exp."""
    large = 10_000
    scores = np.array([[large, large - 1, -np.inf], [-2000, -2001, -2002]])
    np.testing.assert_allclose(_three_lines(scores), softmax(scores))
    assert _three_lines(scores)[0, 2] == 0
    kinds, rows, pair, x = (np.float64, np.float32, np.float16), [[0, 1], [-2000, -2001]], [0, 2000], [0, 1000]
    limits = [int(math.log(np.finfo(kind).max)) for kind in kinds]
    left = np.max(pair - np.mean(pair))
    with np.errstate(all="ignore"):
        assert np.isnan(_three_lines(np.full(3, -np.inf))).all()
        for kind, last in zip(kinds, limits, strict=True):
            assert np.isfinite(np.exp(kind(last))) and np.isinf(np.exp(kind(last + 1)))
        both = np.exp(rows - np.max(rows))
        assert np.isnan(both / both.sum(axis=1, keepdims=True))[1].all()
        assert np.isinf(np.exp(left)) and np.log(softmax(np.array(x)))[0] == -np.inf
    logarithms = x - np.max(x) - np.log(np.sum(np.exp(x - np.max(x))))
    return {"large": large, "limits": limits, "rows": rows, "pair": pair, "left": left, "x": x, "log": logarithms[0]}


def jacobian_by_hand():
    """Softmax of [2, 1, 0], the first row of its Jacobian, and the frozen case."""
    scores, upstream, far = [2, 1, 0], (1, 0, 0), [20, 0, 0]
    p, frozen = softmax(np.array(scores)), softmax(np.array(far))
    J = softmax_jacobian(p)
    np.testing.assert_array_equal(softmax_jacobian(p.round(3))[0].round(3), J[0].round(3))
    np.testing.assert_allclose(J.sum(axis=1), 0, atol=1e-15)
    return {
        "scores": scores,
        "exponentials": np.exp(scores),
        "sum": np.exp(scores).sum(),
        "p": p,
        "rest": 1 - p[0],
        "row": J[0],
        "pay": -J[0, 1:],
        "upstream": upstream,
        "slope": J.T @ upstream,
        "far": far,
        "missing_billionths": 1e9 * (1 - frozen[0]),
        "billionths": 1e9 * softmax_jacobian(frozen)[0, 0],
    }


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
    n = 4096
    return {"n": n, "entries": n**2}


def backward_of_a_head():
    """dQ, dK and dV in matrix form against central differences, with a mask and without."""
    rng = np.random.default_rng(0)
    Q, K, V = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    dO = rng.standard_normal((4, 2))
    for causal in (False, True):
        loss = lambda Q, K, V, causal=causal: np.sum(attention(Q, K, V, causal=causal).output * dO)
        P = attention(Q, K, V, causal=causal).weights
        dP = dO @ V.T
        dS = P * (dP - np.sum(P * dP, axis=1, keepdims=True))
        assert (dS[P == 0] == 0).all()
        dQ, dK, dV = dS @ K / math.sqrt(3), dS.T @ Q / math.sqrt(3), P.T @ dO
        np.testing.assert_allclose(_numeric(lambda Q, loss=loss: loss(Q, K, V), Q), dQ, rtol=0, atol=1e-6)
        np.testing.assert_allclose(_numeric(lambda K, loss=loss: loss(Q, K, V), K), dK, rtol=0, atol=1e-6)
        np.testing.assert_allclose(_numeric(lambda V, loss=loss: loss(Q, K, V), V), dV, rtol=0, atol=1e-6)
    dP = np.ones((4, 2)) @ np.array([[1.0, 2], [2, 1], [0, 3], [3, 0], [4, -1]]).T  # equal sums of the value rows
    np.testing.assert_allclose(P * (dP - np.sum(P * dP, axis=1, keepdims=True)), 0, atol=1e-14)


def sum_backward_proves_nothing():
    """The slope of sum(weights) is 0 for right and wrong functions alike; a random weighting tells them apart."""
    rng = np.random.default_rng(0)
    scores, g = rng.uniform(1, 2, (3, 4)), rng.standard_normal((3, 4))
    wrong = (lambda s: s / s.sum(axis=1, keepdims=True), lambda s: softmax(s / 7), lambda s: np.full_like(s, 0.25))
    right = _numeric(lambda s: np.sum(softmax(s) * g), scores)
    for f in (softmax, *wrong):
        assert np.abs(_numeric(lambda s, f=f: np.sum(f(s)), scores)).max() < 1e-8
    for f in wrong:
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


def float16_before_the_softmax():
    """A score past the largest float16, the same with the query scaled first, and the steps of bfloat16."""
    vector, smaller = np.full(128, 24), np.full(128, 22)
    scale, largest = 1 / math.sqrt(len(vector)), int(np.finfo(np.float16).max)
    half, scaled = vector.astype(np.float16), (vector * scale).astype(np.float16)
    last = int(math.log(largest))
    with np.errstate(all="ignore"):
        score = np.sum(half * half, dtype=np.float16)
        assert np.isinf(score) and np.isnan(score - score) and np.isinf(score * np.float16(scale))
        assert np.isfinite(np.exp(np.float16(last))) and np.isinf(np.exp(np.float16(last + 1)))
    assert np.isfinite(np.sum(scaled * half, dtype=np.float16)) and smaller @ smaller < largest
    counted = np.array([256, 257, 258], dtype=np.float32)
    bits = counted.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000  # to the nearest bfloat16, ties to even
    found = rounded.astype(np.uint32).view(np.float32)
    assert found[0] == found[1]
    return {
        "largest": largest,
        "entries": len(vector),
        "entry": vector[0],
        "score": vector @ vector,
        "scaled_first": (vector * scale) @ vector,
        "counted": counted,
        "step": found[2] - found[1],
        "last": last,
        "exponentials": np.exp([last, last + 1]),
        "too_far": last + 1,
        "smaller": smaller[0],
        "of_smaller": smaller @ smaller,
    }


def limits_of_temperature():
    """Very hot, very cold, ties, and a lead of 5 among more and more keys."""
    tie, row = [2, 1, 2, 0], [10, 20, 30]
    np.testing.assert_allclose(softmax(np.array(tie) / 1e6), 1 / 4, atol=1e-5)
    np.testing.assert_allclose(softmax(np.array(tie) / 1e-3), [0.5, 0, 0.5, 0], atol=1e-12)
    np.testing.assert_allclose(softmax(np.full(3, 1000.0)), 1 / 3)
    flatter = np.array(row) / 100
    of_a_head, lead, lengths = 64, 5, (1_000, 100_000)
    more = lengths[1] / lengths[0]
    return {
        "tie": tie,
        "row": row,
        "sharp": softmax(np.array(row))[2],
        "flatter": flatter,
        "flat": softmax(flatter),
        "root": math.sqrt(of_a_head),
        "lengths": lengths,
        "weights": [math.exp(lead) / (math.exp(lead) + n - 1) for n in lengths],
        "more": more,
        "larger_lead": math.log(more),
    }


def a_printed_softmax():
    """The row as it should be, what the printed one would need, and the row after the division.

    Weights that are printed with a bare point come as ten-thousandths, after the division as hundredths.
    """
    scores, printed = [45.2, 48.1, 51.9, 44.3], [1, 3, 9995, 1]
    divisor, printed_scaled = 8, [15, 19, 42, 24]
    assert sum(printed) == 10_000 and printed_scaled[3] > printed_scaled[1]
    weights, scaled = softmax(np.array(scores)), np.array(scores) / divisor
    differences = np.array(scores) - max(scores)
    exponentials, rest = np.exp(differences), 10_000 - printed[2]
    assert max(exponentials[0], exponentials[3]) < 0.002
    lead, near = -differences[1], np.round(differences[1])
    return {
        "scores": scores,
        "printed": printed,
        "differences": differences,
        "lead": lead,
        "second": exponentials[1],
        "sum_of_two": 1 + exponentials[1],
        "at_most": 1 / (1 + exponentials[1]),
        "near": near,
        "of_near": math.exp(near),
        "sum": exponentials.sum(),
        "third": weights[2],
        "right": 10_000 * weights,
        "rest": rest,
        "needed": math.log(printed[2] / rest),
        "off": round(10_000 * weights[1] / printed[1], -1),
        "divisor": divisor,
        "scaled": scaled,
        "printed_scaled": printed_scaled,
        "right_scaled": 100 * softmax(scaled),
        "difference": scores[1] - scores[3],
        "scaled_difference": scaled[1] - scaled[3],
        "ratio": math.exp(scaled[1] - scaled[3]),
    }
