"""The answers of ``data/questions/retrieval.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.scores import softmax, softmax_jacobian
from course_utils.core.tokens import cat, cat_projections


def one_row_of_attention():
    """Two keys with scores 1 and 0: shares, blend, no match, tie."""
    scores, values = np.array([1.0, 0.0]), np.array([10.0, 20.0])
    shares = softmax(scores)
    key = np.array([[3.0, 1.0], [-2.0, 5.0]])
    no_match = attention(np.zeros((1, 2)), key, values[:, None])
    assert no_match.output.item() == values.mean()
    tie, factor = np.array([1.0, 1.0]), 1000
    assert softmax(factor * tie).tolist() == [0.5, 0.5]
    return {
        "scores": scores,
        "shares": shares,
        "values": values,
        "blend": shares @ values,
        "mean": no_match.output.item(),
        "factor": factor,
    }


def query_key_value():
    """Without projections rows prefer themselves and scores are symmetric; with them neither holds."""
    x = np.random.default_rng(0).standard_normal((200, 8))
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert np.count_nonzero(softmax(unit @ unit.T).argmax(axis=1) == np.arange(200)) == 200
    W = np.random.default_rng(1).standard_normal((8, 3))
    scores = (x @ W) @ (x @ W).T
    np.testing.assert_allclose(scores, scores.T)
    assert not np.allclose(softmax(scores), softmax(scores).T)
    words, sentence = cat()
    W_Q, W_K, W_V = cat_projections()
    weights = softmax((sentence @ W_Q) @ (sentence @ W_K).T).round(3)
    i, j = words.index("cat"), words.index("sat")
    assert (weights[i, j], weights[j, i]) == (0.991, 0.566)
    assert W_Q.shape[1] == W_K.shape[1] == 3 and (sentence @ W_V).shape[1] == 2
    long_and_short = np.array([[1.0, 0.0], [2.0, 2.0]])
    assert (long_and_short @ long_and_short.T)[0].tolist() == [1, 2]
    return "200 of 200 rows of equal length prefer themselves; cat to sat 0.991, sat to cat 0.566"


def soft_not_hard():
    """A small step of the query moves the soft answer, not the hard one; the values learn under both."""
    rng = np.random.default_rng(0)
    query, key, value = rng.standard_normal(4), rng.standard_normal((6, 4)), rng.standard_normal(6)
    soft = lambda query: softmax(key @ query) @ value
    hard = lambda query: value[np.argmax(key @ query)]
    step = 1e-5 * np.eye(4)
    assert all(hard(query + d) == hard(query - d) for d in step)
    assert min(abs(soft(query + d) - soft(query - d)) for d in step) > 0
    p = softmax(key @ query)
    np.testing.assert_allclose(softmax_jacobian(p), np.diag(p * (1 - p)) - (1 - np.eye(6)) * np.outer(p, p))
    np.testing.assert_allclose(softmax(key @ query + 100), p)
    assert softmax(np.array([2.0, 1.0])).round(3).tolist() == [0.731, 0.269]
    assert round(float(softmax(np.array([20.0, 10.0]))[0]), 5) == 0.99995
    best = np.eye(6)[np.argmax(key @ query)]  # the slope of the hard answer with respect to each value
    assert sorted(best) == [0, 0, 0, 0, 0, 1] and hard(query) == best @ value
    assert softmax(np.array([0.0, -np.inf]))[1] == 0 == softmax(np.array([0.0, -1000.0]))[1]
    return "the slope of the hard answer is 0 in all 4 directions of the query, that of the soft one in none"


def lookup_by_hand():
    """Three keys and one query: scores, weights and output, and the two variations."""
    query, keys, values = np.array([1.0, 0]), np.array([[2.0, 0], [0, 3], [1, 1]]), np.array([10.0, 0, 40])
    scores = keys @ query
    assert scores.tolist() == [2, 0, 1] and np.linalg.norm(keys, axis=1).argmax() == 1
    exponentials = np.exp(scores)
    assert exponentials.round(3).tolist() == [7.389, 1, 2.718] and round(exponentials.sum(), 3) == 11.107
    weights = softmax(scores)
    assert weights.round(3).tolist() == [0.665, 0.09, 0.245]
    assert (weights * values).round(2).tolist() == [6.65, 0, 9.79] and round(weights @ values, 2) == 16.44
    shares = scores / scores.sum()
    assert shares.round(3).tolist() == [0.667, 0, 0.333] and round(shares @ values, 9) == 20
    longer = softmax(scores * [2, 1, 1])
    assert round(longer[0], 3) == 0.936 and round(longer @ values, 2) == 11.23
    scaled = scores / math.sqrt(2)
    assert scaled.round(3).tolist() == [1.414, 0, 0.707]
    assert softmax(scaled).round(3).tolist() == [0.576, 0.14, 0.284]
    assert round(softmax(scaled) @ values, 2) == 17.12
    return "weights 0.665, 0.090, 0.245; output 16.44, with a longer key 11.23, with the scale 17.12"


def self_or_cross():
    """Shapes of cross-attention; self-attention is the case of one source; the causal flag cuts the source."""
    rng = np.random.default_rng(0)
    x, context = rng.standard_normal((3, 8)), rng.standard_normal((7, 12))
    W_Q, W_K, W_V = rng.standard_normal((8, 4)), rng.standard_normal((12, 4)), rng.standard_normal((12, 5))
    found = attention(x @ W_Q, context @ W_K, context @ W_V)
    assert found.weights.shape == (3, 7) and found.output.shape[0] == 3
    assert attention(x, x, x).weights.shape == (3, 3)
    causal = attention(x @ W_Q, context @ W_K, context @ W_V, causal=True).weights
    assert np.count_nonzero(causal[0] == 0) == 2
    return "3 queries on 7 keys: weights (3, 7); the causal flag would hide 2 source tokens from the first"


def write_cross_attention():
    """Every shape of the answer, its two checks, and what swapped sources do."""
    rng = np.random.default_rng(0)
    x, context = rng.standard_normal((3, 8)), rng.standard_normal((7, 12))
    W_Q, W_K, W_V = rng.standard_normal((8, 4)), rng.standard_normal((12, 4)), rng.standard_normal((12, 6))
    query, key, value = x @ W_Q, context @ W_K, context @ W_V
    assert (query.shape, key.shape, value.shape) == ((3, 4), (7, 4), (7, 6))
    weights = softmax(query @ key.T / math.sqrt(4))
    assert weights.shape == (3, 7) and (weights @ value).shape == (3, 6)
    np.testing.assert_allclose(weights @ value, attention(query, key, value).output)
    np.testing.assert_allclose(weights @ np.ones((7, 6)), 1)
    order = rng.permutation(7)
    np.testing.assert_allclose(attention(query, key[order], value[order]).output, weights @ value)
    assert [W.size for W in (W_Q, W_K, W_V)] == [32, 48, 72] and W_Q.size + W_K.size + W_V.size == 152
    try:
        context @ W_Q
        raise AssertionError("swapped sources ran")
    except ValueError:
        pass
    assert attention(rng.standard_normal((7, 4)), query, query).output.shape[0] == 7
    return (
        "(3, 4), (7, 4), (7, 6), weights (3, 7), output (3, 6); ones stay ones; 152 numbers in the matrices"
    )


def only_the_product_matters():
    """R on one side and its inverse on the other change both matrices and no score."""
    rng = np.random.default_rng(0)
    x, W_Q, W_K = rng.standard_normal((5, 6)), rng.standard_normal((6, 2)), rng.standard_normal((6, 2))
    scores = (x @ W_Q) @ (x @ W_K).T
    stretch = np.diag([3.0, 0.5])
    other_Q, other_K = W_Q @ stretch, W_K @ np.linalg.inv(stretch).T
    np.testing.assert_allclose((x @ other_Q) @ (x @ other_K).T, scores)
    assert not np.allclose(np.linalg.norm(other_Q), np.linalg.norm(W_Q))
    assert np.linalg.matrix_rank(W_Q @ W_K.T) == 2
    slope = rng.standard_normal((5, 5))  # of a loss with respect to the scores
    assert not np.allclose(x.T @ slope @ (x @ W_K), x.T @ slope @ (x @ other_K))  # that of W_Q differs
    turn = lambda angle: np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    with_positions = lambda R: W_Q @ R @ turn(1.0) @ np.linalg.inv(R) @ W_K.T
    np.testing.assert_allclose(with_positions(turn(0.4)), with_positions(np.eye(2)))
    assert not np.allclose(with_positions(stretch), with_positions(np.eye(2)))
    assert (2 * 512 * 64, 64**2, 2 * 512 * 64 - 64**2, 512**2) == (65_536, 4_096, 61_440, 262_144)
    return "other W_Q and W_K, the same 25 scores; 61,440 of 65,536 parameters are free"


def three_views_of_a_score():
    """Equal keys: a Gaussian kernel; other keys: times exp(|k|²/2); the additive form needs 64 times the memory."""
    rng = np.random.default_rng(0)
    query, keys = rng.standard_normal(8), rng.standard_normal((10, 8))
    gauss = lambda keys: np.exp(-np.sum((keys - query) ** 2, axis=1) / 2)
    unit = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    np.testing.assert_allclose(softmax(unit @ query), gauss(unit) / gauss(unit).sum())
    assert not np.allclose(softmax(keys @ query), gauss(keys) / gauss(keys).sum())
    prior = gauss(keys) * np.exp(np.sum(keys**2, axis=1) / 2)
    np.testing.assert_allclose(softmax(keys @ query), prior / prior.sum())
    assert (512 * 512 * 64, 512 * 512) == (16_777_216, 262_144)
    q, two = np.array([1.0, 0.0]), np.array([[2.0, 2.0], [1.0, 0.0]])
    assert (two @ q).tolist() == [2, 1]
    assert (two @ q / np.linalg.norm(two, axis=1)).round(2).tolist() == [0.71, 1]
    return "10 keys of equal length: softmax of the dot products is the Gaussian kernel, to rounding"


def first_token_sink():
    """Low scores do not silence a head; a sink does; without it the weight is shared out."""
    low = np.full(3, -4.0)
    np.testing.assert_allclose(softmax(low), 1 / 3)
    np.testing.assert_allclose(softmax(-low), 1 / 3)
    with_sink = softmax(np.array([2.0, *low]))
    assert with_sink.round(3).tolist() == [0.993, 0.002, 0.002, 0.002]
    assert softmax(low).round(3).tolist() == [0.333] * 3
    found = softmax(np.array([2.0, 8.0, -4, -4]))
    assert found.round(3).tolist() == [0.002, 0.998, 0, 0]
    with_one = np.exp(low) / (1 + np.exp(low).sum())
    assert round(float(with_one.sum()), 3) == 0.052
    np.testing.assert_allclose(with_one, softmax(np.array([0.0, *low]))[1:])
    return "a sink takes 0.993; without it three keys go from 0.002 to 0.333 each"


def attention_or_search():
    """One good document among a million equal ones: its weight, and what a selection changes."""
    weight = lambda gap, others: math.exp(gap) / (math.exp(gap) + others)
    assert round(weight(5, 999_999), 5) == 0.00015
    assert round(math.log(1_000_000), 1) == 13.8 and round(weight(13.8, 999_999), 1) == 0.5
    assert round(weight(5, 19), 3) == 0.887
    assert round(weight(15, 999_999), 2) == 0.77
    return "a gap of 5 gives 0.00015 among a million, 0.887 among 20"
