"""The claims of ``01_retrieval``, worked out again: one function for each, named as in the TOML file."""

import numpy as np

from course_utils.core.scores import softmax
from course_utils.core.tokens import cat, cat_projections, library
from course_utils.views.retrieval import RetrievalPlane


def always_something():
    titles, keys, values = library()
    weights = softmax(keys @ np.zeros(2))
    np.testing.assert_allclose(weights @ values, values.mean(axis=0))
    return round(1 / float(weights.max()))


def hard_slope_is_0():
    _, keys, values = library()
    queries = np.random.default_rng(0).normal(size=(1000, 2))
    before, after = (np.argmax(q @ keys.T, axis=1) for q in (queries, queries + 1e-6))
    same = before == after
    assert same.mean() > 0.99
    return float(np.abs(values[before] - values[after])[same].max())


def length_counts():
    query, near, far = np.array([1.5, 0.5]), np.array([2.0, 0.0]), np.array([-1.5, -1.0])
    assert query @ near > 0 > query @ far
    return [float(query @ (2 * key) / (query @ key)) for key in (near, far)]


def every_row_prefers_itself():
    x = np.random.default_rng(0).normal(size=(1000, 16))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return float(((x @ x.T).argmax(axis=1) == np.arange(1000)).mean())


def only_the_product():
    _, x = cat()
    W_Q, W_K, _ = cat_projections()
    return bool(np.allclose(x @ (W_Q @ W_K.T) @ x.T, (x @ W_Q) @ (x @ W_K).T))


def cat_and_sat():
    words, x = cat()
    W_Q, W_K, _ = cat_projections()
    weights = softmax(x @ W_Q @ (x @ W_K).T)
    return [words[weights[i].argmax()] for i in (1, 2)]


def lower_right_corner():
    titles, keys, values = library()
    limit = RetrievalPlane(titles, keys, values, ["food", "travel", "repair"], query=(1.5, 0.5)).limit
    weights = softmax(keys @ np.array([limit, -limit]))
    assert limit == 2.5 and weights.max() > 0.9
    return titles[weights.argmax()]
