"""The numbers of ``04_masking``, worked out again."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax, softmax_jacobian
from course_utils.core.tokens import worked_example


def _example():
    _, _, x, W_Q, W_K, W_V = worked_example()
    return x @ W_Q, x @ W_K, x @ W_V


def rows_on_a_cache():
    return [" ".join("x" if seen else "." for seen in row) for row in causal_mask(2, 5)]


def last_row_is_free():
    causal, free = (scaled_dot_product_attention(*_example(), causal=c).weights for c in (True, False))
    return bool(np.array_equal(causal[-1], free[-1])) and not np.allclose(causal[2], free[2])


def renormalised_is_the_same():
    random = np.random.default_rng(0)
    scores, mask = random.normal(size=(1000, 7)), random.random((1000, 7)) < 0.6
    mask[:, 0] = True
    kept = softmax(scores) * mask
    return bool(np.abs(kept / kept.sum(-1, keepdims=True) - softmax(np.where(mask, scores, -np.inf))).max() < 1e-12)


def visible_weight():
    return round(float(softmax(np.array([0.0, 1.0]))[0]), 2)


def where_float16_breaks():
    right = float(softmax(np.array([0.0, 1.0]))[0])
    for gap in range(1, 40):
        kept = np.exp(np.array([0, 1], dtype=np.float16) - np.float16(gap))
        if abs(float(kept[0] / kept.sum()) - right) > 0.005:
            return gap


def minus_inf_never_leaks():
    query, key, value = _example()
    before = scaled_dot_product_attention(query, key, value, causal=True)
    key[3], value[3] = 7, -7
    after = scaled_dot_product_attention(query, key, value, causal=True)
    jacobian = softmax_jacobian(before.weights[1])
    return [float(np.abs(after.output[:3] - before.output[:3]).max()), float(np.abs(jacobian[:, 2:]).max())]


def minus_1e9_averages():
    return softmax(np.full(4, -1e9)).tolist()


def best_loss():
    return round(math.log(12), 2)
