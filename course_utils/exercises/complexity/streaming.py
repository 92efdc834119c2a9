"""Exercises of ``06_complexity`` with code: keys that come in blocks, and keys kept in a cache."""

import math

import numpy as np

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.exercises.complexity.laws import (
    block_does_not_matter,
    chunks_do_not_matter,
    ones_give_ones,
    past_stays,
    without_block,
)
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.engine.laws import follows_reordered_keys, stays_between_the_values


def online_attention(query, key, value, block):
    largest, total, output = -np.inf, 0.0, 0.0
    for start in range(0, key.shape[-2], block):
        keys, values = key[..., start : start + block, :], value[..., start : start + block, :]
        scores = query @ np.swapaxes(keys, -1, -2) / math.sqrt(key.shape[-1])
        before, largest = largest, np.maximum(largest, scores.max(axis=-1, keepdims=True))
        shrink = np.exp(before - largest)
        exponentials = np.exp(scores - largest)
        total = total * shrink + exponentials.sum(axis=-1, keepdims=True)
        output = output * shrink + exponentials @ values
    return output / total


def cached_attention(x, W_Q, W_K, W_V, chunks):
    key, value = x[:0] @ W_K, x[:0] @ W_V  # no rows yet
    outputs, start = [], 0
    for size in chunks:
        chunk = x[start : start + size]
        start += size
        query = chunk @ W_Q
        key = np.concatenate([key, chunk @ W_K])
        value = np.concatenate([value, chunk @ W_V])
        scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
        allowed = causal_mask(size, len(key))
        scores = np.where(allowed, scores, -np.inf)
        weights = softmax(scores, axis=-1)
        outputs.append(weights @ value)
    return np.concatenate(outputs)


def _all_at_once(query, key, value, block):
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    weights = softmax(scores, axis=-1)
    return weights @ value


def _merged_by_logsumexp(query, key, value, block):
    """Blocks that are finished each by itself, then weighed by the share each has in the whole sum."""
    outputs, logs = [], []
    for start in range(0, key.shape[-2], block):
        part = slice(start, start + block)
        scores = query @ np.swapaxes(key[..., part, :], -1, -2) / math.sqrt(key.shape[-1])
        top = scores.max(axis=-1, keepdims=True)
        outputs.append(softmax(scores, axis=-1) @ value[..., part, :])
        logs.append(top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))
    shares = softmax(np.stack(logs), axis=0)
    return (shares * np.stack(outputs)).sum(axis=0)


def _normalised_as_it_goes(query, key, value, block):
    """Keeps the output divided, and takes the division back before the next block is added."""
    top, total, output = -np.inf, 0.0, 0.0
    for start in range(0, key.shape[-2], block):
        part = slice(start, start + block)
        scores = query @ np.swapaxes(key[..., part, :], -1, -2) / math.sqrt(key.shape[-1])
        new = np.maximum(top, scores.max(axis=-1, keepdims=True))
        e, old = np.exp(scores - new), total * np.exp(top - new)
        total = old + e.sum(axis=-1, keepdims=True)
        output = output * (old / total) + e @ value[..., part, :] / total
        top = new
    return output


def _full_pass(x, W_Q, W_K, W_V, chunks):
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    allowed = causal_mask(len(x))
    scores = np.where(allowed, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    return weights @ value


def _token_by_token(x, W_Q, W_K, W_V, chunks):
    outputs = []
    for i in range(len(x)):
        past = x[: i + 1]
        weights = softmax(x[i] @ W_Q @ (past @ W_K).T / math.sqrt(W_K.shape[1]))
        outputs.append(weights @ (past @ W_V))
    return outputs


OTHERS = (_all_at_once, _merged_by_logsumexp)  # some mistakes are edits of these
NAMED_HERE = ("exp_overflows", "one_maximum_for_all_rows")  # by the table of this exercise
FIT_CHUNKS = (
    "multiplies_by_the_root",
    "scales_by_the_value_width",
    "scales_by_the_number_of_keys",
    "scales_by_the_number_of_queries",
    "divides_by_two",
    "fourth_root_on_one_side",
    "scales_after_the_softmax",
    "one_sum_for_the_whole_table",
    "softmax_twice",
    "queries_and_keys_swapped",
    "weights_transposed",
    "plain_average",
    "takes_the_best_match",
    "returns_the_weights",
)

# Scores all far above 0, all far below it, and falling from block to block.
FAR_APART = (
    np.array([[1000.0, 0.0], [-1500.0, 0.0], [0.0, 1500.0]]),
    np.array([[1.0, 2.0], [1.1, 1.9], [1.0, 0.5], [1.0, 0.4], [1.1, 0.0]]),
    np.eye(5),
)
WEIGHTS = halves((5, 3), (5, 3), (5, 2), seed=21)


def _cache_probe(n, chunks, seed):
    return (*halves((n, 5), seed=seed), *WEIGHTS, chunks)


EXERCISES = [
    Exercise(
        solution=online_attention,
        probes=[
            (*halves((1, 2), (4, 2), (4, 1), seed=11), 2),
            (*halves((3, 2), (5, 2), (5, 4), seed=12), 5),
            (*halves((3, 5), (7, 5), (7, 2), seed=13), 3),
            (*halves((7, 3), (7, 3), (7, 2), seed=17), 1),
            (*halves((2, 3, 5), (2, 7, 5), (2, 7, 11), seed=14), 4),
            (*halves((2, 3), (5, 3), (5, 2), seed=15), 8),
            (*FAR_APART, 2),
        ],
        properties=[
            ones_give_ones,
            block_does_not_matter,
            *map(without_block, (stays_between_the_values, follows_reordered_keys)),
        ],
        alternatives=[*OTHERS, _normalised_as_it_goes],
        mistakes=[
            *slips("complexity/online", online_attention, others=OTHERS),
            *slips("attention", online_attention, without=NAMED_HERE, others=OTHERS),
        ],
    ),
    Exercise(
        solution=cached_attention,
        probes=[
            _cache_probe(3, [1, 2], 31),
            _cache_probe(6, [6], 32),
            _cache_probe(6, [1] * 6, 33),
            _cache_probe(6, [4, 1, 1], 34),
            _cache_probe(6, [3, 3], 35),
            _cache_probe(6, [2, 2, 2], 36),
            _cache_probe(7, [1, 4, 2], 37),
        ],
        properties=[past_stays, chunks_do_not_matter],
        alternatives=[_full_pass, _token_by_token],
        mistakes=[
            *slips("complexity/cache", cached_attention),
            *slips("attention", cached_attention, only=FIT_CHUNKS, others=[_full_pass]),
        ],
    ),
]
