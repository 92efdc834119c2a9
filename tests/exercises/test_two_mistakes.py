"""Answers written apart from the solutions, with two mistakes each: both are named, and nothing else."""

import math

import numpy as np
import pytest

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.exercises import judge
from course_utils.exercises.engine import pairs


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """A busy machine must not cut the search for pairs short."""
    monkeypatch.setattr(pairs, "SECONDS", 5.0)


def turned(array):
    return np.swapaxes(array, -1, -2)


def filled_and_top_left(query, key, value, mask=None, bias=None, causal=False, scale=None):
    scores = query @ turned(key) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    scores = scores if bias is None else scores + bias
    scores = scores if mask is None else np.where(mask, scores, -1e9)
    return softmax(np.where(np.tri(*scores.shape[-2:]) > 0, scores, -1e9) if causal else scores) @ value


def wide_root_and_no_output(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    source = x if context is None else context
    q, k, v = (
        a.reshape(len(a), -1, n_heads, a.shape[-1] // n_heads).swapaxes(1, 2)
        for a in (x @ W_Q, source @ W_K, source @ W_V)
    )
    scores = q @ turned(k) / math.sqrt(x.shape[-1])
    allowed = np.tri(*scores.shape[-2:]) > 0 if causal else np.ones(scores.shape[-2:], dtype=bool)
    allowed = allowed if key_mask is None else allowed & key_mask[:, None, None, :]
    blend = softmax(np.where(allowed, scores, -np.inf)) @ v
    return blend.swapaxes(1, 2).reshape(len(x), x.shape[1], -1)


def tiled_and_sharp(query, key, value):
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} heads on {key.shape[1]}")
    groups = (1, query.shape[1] // key.shape[1], 1, 1)
    return softmax(query @ turned(np.tile(key, groups))) @ np.tile(value, groups)


def never_divided_and_sharp(query, key, value, block):
    top, output = -np.inf, 0.0
    for keys, values in (
        (key[..., i : i + block, :], value[..., i : i + block, :]) for i in range(0, key.shape[-2], block)
    ):
        scores = query @ turned(keys)
        before, top = top, np.maximum(top, scores.max(axis=-1, keepdims=True))
        output = output * np.exp(before - top) + np.exp(scores - top) @ values
    return output


def keys_ask_and_new_keys_in_front(x, W_Q, W_K, W_V, chunks):
    outputs, at = [], 0
    keys, values = x[:0] @ W_K, x[:0] @ W_V
    for size in chunks:
        new, at = x[at : at + size], at + size
        keys, values = np.vstack([new @ W_K, keys]), np.vstack([values, new @ W_V])
        scores = np.where(causal_mask(size, at), new @ W_K @ keys.T / math.sqrt(keys.shape[1]), -np.inf)
        outputs.append(softmax(scores) @ values)
    return np.vstack(outputs)


ANSWERS = [
    ("attention", lambda q, k, v: softmax(q @ k.T) @ v, {"core/does_not_scale", "core/reverses_all_axes"}),
    (
        "attention",
        lambda q, k, v: softmax(q @ turned(k) / k.shape[-1]) @ k,
        {"core/divides_by_d_k", "core/blends_the_keys"},
    ),
    (
        "self_attention",
        lambda x, W_Q, W_K, W_V: softmax(x @ W_K @ (x @ W_K).T) @ x,
        {"projections/queries_use_W_K", "projections/values_not_projected"},
    ),
    (
        "softmax",
        lambda x, axis=-1: np.exp(x) / np.exp(x).sum(),
        {"softmax/forgets_the_maximum", "softmax/one_sum_for_all"},
    ),
    ("causal_mask", lambda n, m: np.triu(np.ones((n, m), dtype=bool)), {"masks/top_left", "masks/upper_triangle"}),
    ("masked_attention", filled_and_top_left, {"masking/fills_with_minus_1e9", "masking/causal_top_left"}),
    ("multi_head_attention", wide_root_and_no_output, {"perhead/scales_by_d_model", "mha/forgets_W_O"}),
    ("grouped_query_attention", tiled_and_sharp, {"gqa/tiles_the_heads", "core/does_not_scale"}),
    ("online_attention", never_divided_and_sharp, {"online/never_divides", "core/does_not_scale"}),
    (
        "cached_attention",
        keys_ask_and_new_keys_in_front,
        {"cache/queries_use_W_K", "cache/keys_in_front_values_behind"},
    ),
]


@pytest.mark.parametrize("name, answer, both", ANSWERS, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(ANSWERS)])
def test_both_mistakes_are_named(name, answer, both):
    verdict = judge(name, answer)
    assert set(verdict.mistakes) == both and "And this: " in verdict.what


def test_rounding_is_no_missing_scale():
    rounds = lambda q, k, v: softmax(np.round(q @ turned(k) / math.sqrt(k.shape[-1]), 2)) @ v
    verdict = judge("attention", rounds)
    assert (verdict.state, verdict.mistakes) == ("wrong", ())


def test_one_half_as_a_power_is_taken_for_what_it_does():
    verdict = judge("attention", lambda q, k, v: softmax(q @ turned(k) / (k.shape[-1] ** 1 / 2)) @ v)
    assert verdict.mistakes == ("core/divides_by_half_of_d_k",)
