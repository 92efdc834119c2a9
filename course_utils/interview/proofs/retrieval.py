"""The answers of ``data/questions/retrieval.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.cost import score_entries
from course_utils.core.scores import softmax, softmax_jacobian
from course_utils.core.tokens import cat, cat_projections


def one_row_of_attention():
    """Two keys with scores 1 and 0: shares, blend, no match, tie."""
    scores, values = np.array([1.0, 0.0]), np.array([10.0, 20.0])
    shares = softmax(scores)
    key = np.array([[3.0, 1.0], [-2.0, 5.0]])
    no_match = attention(np.zeros((1, 2)), key, values[:, None])
    assert no_match.output.item() == values.mean()
    tie = np.array([1.0, 1.0])
    assert softmax(1000 * tie).tolist() == [0.5, 0.5]
    return dict(scores=scores, shares=shares, values=values, blend=shares @ values, mean=no_match.output.item())


def query_key_value():
    """Without projections rows prefer themselves and scores are symmetric; with them neither holds."""
    x = np.random.default_rng(0).standard_normal((200, 8))
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    W = np.random.default_rng(1).standard_normal((8, 3))
    scores = (x @ W) @ (x @ W).T
    np.testing.assert_allclose(scores, scores.T)
    assert not np.allclose(softmax(scores), softmax(scores).T)
    words, sentence = cat()
    query, key, value = (sentence @ W for W in cat_projections())
    found = attention(query, key, value, scale=1)
    i, j = words.index("cat"), words.index("sat")
    rows = [(1, 0), (2, 2)]
    return {
        "tokens": len(x),
        "on_the_diagonal": np.count_nonzero(softmax(unit @ unit.T).argmax(axis=1) == np.arange(len(x))),
        "cat_to_sat": found.weights[i, j],
        "sat_to_cat": found.weights[j, i],
        "d_k": key.shape[1],
        "d_v": value.shape[1],
        "wide": found.output.shape[1],
        "rows": rows,
        "of_the_first": np.array(rows) @ rows[0],
    }


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
    best = np.eye(6)[np.argmax(key @ query)]  # the slope of the hard answer with respect to each value
    assert hard(query) == best @ value
    assert softmax(np.array([0.0, -np.inf]))[1] == 0 == softmax(np.array([0.0, -1000.0]))[1]
    scores = np.array([2, 1])
    return {"scores": scores, "weights": softmax(scores), "nearly_one": softmax(10 * scores)[0]}


def lookup_by_hand():
    """Three keys and one query: scores, weights and output, and the two variations."""
    query, keys, values = (1, 0), [(2, 0), (0, 3), (1, 1)], (10, 0, 40)
    scores = np.array(keys) @ query
    assert np.linalg.norm(keys, axis=1).argmax() == scores.argmin()
    weights, by_the_sum = softmax(scores), scores / scores.sum()
    longer = [(2 * keys[0][0], keys[0][1]), *keys[1:]]
    of_longer = softmax(np.array(longer) @ query)
    scaled = attention(np.array([query]), np.array(keys), np.array(values)[:, None])
    return {
        "query": query,
        "keys": keys,
        "values": values,
        "scores": scores,
        "exponentials": np.exp(scores),
        "sum": np.exp(scores).sum(),
        "weights": weights,
        "parts": weights * values,
        "output": weights @ values,
        "by_the_sum": by_the_sum,
        "output_by_the_sum": by_the_sum @ values,
        "longer": longer[0],
        "longer_score": np.dot(longer[0], query),
        "longer_weight": of_longer[0],
        "longer_output": of_longer @ values,
        "d_k": len(query),
        "scaled": scores / math.sqrt(len(query)),
        "scaled_weights": scaled.weights[0],
        "scaled_output": scaled.output.item(),
    }


def self_or_cross():
    """Shapes of cross-attention; self-attention is the case of one source; the causal flag cuts the source."""
    rng = np.random.default_rng(0)
    x, context = rng.standard_normal((3, 8)), rng.standard_normal((7, 12))
    W_Q, W_K, W_V = rng.standard_normal((8, 4)), rng.standard_normal((12, 4)), rng.standard_normal((12, 5))
    found = attention(x @ W_Q, context @ W_K, context @ W_V)
    assert found.weights.shape == (len(x), len(context)) and attention(x, x, x).weights.shape == (len(x), len(x))
    causal = attention(x @ W_Q, context @ W_K, context @ W_V, causal=True).weights
    assert np.count_nonzero(causal[0] == 0) == 2
    return {"targets": len(x), "sources": len(context), "rows": len(found.output)}


def write_cross_attention():
    """Every shape of the answer, its two checks, and what swapped sources do."""
    rng = np.random.default_rng(0)
    x, context = rng.standard_normal((3, 8)), rng.standard_normal((7, 12))
    W_Q, W_K, W_V = rng.standard_normal((8, 4)), rng.standard_normal((12, 4)), rng.standard_normal((12, 6))
    query, key, value = x @ W_Q, context @ W_K, context @ W_V
    weights = softmax(query @ key.T / math.sqrt(key.shape[1]))
    np.testing.assert_allclose(weights @ value, attention(query, key, value).output)
    np.testing.assert_allclose(weights @ np.ones(value.shape), 1)
    order = rng.permutation(len(context))
    np.testing.assert_allclose(attention(query, key[order], value[order]).output, weights @ value)
    try:
        context @ W_Q
        raise AssertionError("swapped sources ran")
    except ValueError:
        pass
    sizes = [W.size for W in (W_Q, W_K, W_V)]
    return {
        "x": x.shape,
        "context": context.shape,
        "W_Q": W_Q.shape,
        "W_K": W_K.shape,
        "W_V": W_V.shape,
        "query": query.shape,
        "key": key.shape,
        "value": value.shape,
        "weights": weights.shape,
        "output": (weights @ value).shape,
        "rows_when_swapped": len(attention(rng.standard_normal((7, 4)), query, query).output),
        "sizes": sizes,
        "total": sum(sizes),
    }


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
    d_model, d_k = shape = (512, 64)
    parameters = 2 * d_model * d_k
    return {"shape": shape, "parameters": parameters, "R": d_k**2, "free": parameters - d_k**2, "M": d_model**2}


def three_views_of_a_score():
    """Equal keys: a Gaussian kernel; other keys: times exp(|k|²/2); the additive form needs a vector for each pair."""
    rng = np.random.default_rng(0)
    query, keys = rng.standard_normal(8), rng.standard_normal((10, 8))
    gauss = lambda keys: np.exp(-np.sum((keys - query) ** 2, axis=1) / 2)
    unit = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    np.testing.assert_allclose(softmax(unit @ query), gauss(unit) / gauss(unit).sum())
    assert not np.allclose(softmax(keys @ query), gauss(keys) / gauss(keys).sum())
    prior = gauss(keys) * np.exp(np.sum(keys**2, axis=1) / 2)
    np.testing.assert_allclose(softmax(keys @ query), prior / prior.sum())
    sizes, q, two = (512, 512, 64), (1, 0), [(2, 2), (1, 0)]
    dots = np.array(two) @ q
    return {
        "sizes": sizes,
        "hidden": math.prod(sizes),
        "scores": score_entries(sizes[0], n_keys=sizes[1]),
        "q": q,
        "keys": two,
        "dots": dots,
        "cosines": dots / np.linalg.norm(two, axis=1),
    }


def first_token_sink():
    """Low scores do not silence a head; a sink does; without it the weight is shared out."""
    scores, found = np.array([2.0, -4, -4, -4]), np.array([2.0, 8, -4, -4])
    low = scores[1:]
    for row in (low, -low):
        np.testing.assert_allclose(softmax(row), 1 / 3)
    with_one = np.exp(low) / (1 + np.exp(low).sum())
    np.testing.assert_allclose(with_one, softmax(np.array([0.0, *low]))[1:])
    return {
        "sink": scores[0],
        "low": low[0],
        "high": -low[0],
        "weights": softmax(scores),
        "found": found.max(),
        "weight_of_found": softmax(found).max(),
        "with_one": with_one.sum(),
        "without_a_sink": softmax(low)[0],
        "difference": np.ptp(low),
    }


def attention_or_search():
    """One good document among a million equal ones: its weight, and what a selection changes."""
    row = np.zeros(10**6)
    row[0] = 5
    top, for_a_half = row[:20], math.log(len(row))
    assert abs(softmax(row / row[0] * for_a_half)[0] - 0.5) < 1e-6
    return {
        "gap": row[0],
        "others": len(row) - 1,
        "weight": softmax(row)[0],
        "for_a_half": for_a_half,
        "top": len(top),
        "weight_in_the_top": softmax(top)[0],
        "larger_gap": (3 * row)[0],
        "larger_weight": softmax(3 * row)[0],
    }
