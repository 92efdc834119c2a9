"""The exercise of ``04_masking`` that counts: attention with mask, bias, future and scale."""

import math

import numpy as np

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.masking import laws


def masked_attention(query, key, value, mask=None, bias=None, causal=False, scale=None):
    scale = 1 / math.sqrt(key.shape[-1]) if scale is None else scale
    scores = query @ np.swapaxes(key, -1, -2) * scale
    if bias is not None:
        scores = scores + bias
    allowed = np.ones(scores.shape, dtype=bool)
    if mask is not None:
        allowed = allowed & mask
    if causal:
        allowed = allowed & causal_mask(*scores.shape[-2:])
    scores = np.where(allowed, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    return weights @ value


def _scales_the_query_first(query, key, value, mask=None, bias=None, causal=False, scale=None):
    query = query * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    return masked_attention(query, key, value, mask, bias, causal, 1.0)


def _fourth_roots_on_both(query, key, value, mask=None, bias=None, causal=False, scale=None):
    root = query.shape[-1] ** -0.25 if scale is None else scale**0.5
    return masked_attention(query * root, key * root, value, mask, bias, causal, 1.0)


def _adds_minus_infinity(query, key, value, mask=None, bias=None, causal=False, scale=None):
    scores = np.einsum("...id,...jd->...ij", query, key).astype(np.float64)
    scores *= 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    if causal:
        allowed = allowed & causal_mask(*scores.shape[-2:])
    scores = scores + (0 if bias is None else bias) + np.where(allowed, 0.0, -np.inf)
    exponentials = np.exp(scores - np.nan_to_num(scores.max(axis=-1, keepdims=True), neginf=0.0))
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(exponentials / exponentials.sum(axis=-1, keepdims=True)) @ value


def _lowest_number_then_zeros(query, key, value, mask=None, bias=None, causal=False, scale=None):
    scores = query @ np.swapaxes(key, -1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    scores = scores + (0 if bias is None else bias)
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    if causal:
        allowed = allowed & causal_mask(*scores.shape[-2:])
    weights = softmax(np.where(allowed, scores, np.finfo(scores.dtype).min))
    return weights * allowed @ value


def _query_by_query(query, key, value, mask=None, bias=None, causal=False, scale=None):
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    batch, n_q, n_k = query.shape[:-2], query.shape[-2], key.shape[-2]
    mask = np.broadcast_to(True if mask is None else mask, (*batch, n_q, n_k))
    bias = np.broadcast_to(0 if bias is None else bias, (*batch, n_q, n_k))
    output = np.zeros((*batch, n_q, value.shape[-1]))
    for place in np.ndindex(*batch, n_q):
        sample, i = place[:-1], place[-1]
        seen = [j for j in range(n_k) if mask[place][j] and (not causal or j <= i + n_k - n_q)]
        if seen:
            scores = key[sample][seen] @ query[place] * scale + bias[place][seen]
            output[place] = softmax(scores) @ value[sample][seen]
    return output


EMPTIED = np.array([[False, False, True], [True, True, False], [True, False, True]])
LOW = (
    np.array([[-200.0, 0.0, 0.0, 0.0], [-200.0, 2.0, 0.0, 0.0]]),
    np.array([[200.0, 0.0, 0.5, 0.0], [200.01, 1.0, 0.0, 0.0], [190.0, 0.0, 1.0, 0.0]]),
    np.array([[1.0, 0.0], [0.0, 1.0], [0.5, -2.0]]),
    np.array([[True, True, False], [True, True, False]]),
)

PROBES = [
    (*halves((2, 2), (3, 2), (3, 1), seed=1), None, None, False, None),
    (
        *halves((2, 4), (3, 4), (3, 5), seed=2),
        np.array([[True, False, True], [False, True, True]]),
        *(None, False, None),
    ),
    (*halves((3, 2), (3, 2), (3, 4), seed=3), None, None, True, None),
    (*halves((3, 4), (3, 4), (3, 2), seed=4), EMPTIED, None, True, None),
    (*halves((3, 4), (6, 4), (6, 2), seed=5), None, None, True, None),
    (*halves((1, 3), (4, 3), (4, 5), seed=12), None, None, True, None),
    (*halves((2, 5, 3), (2, 7, 3), (2, 7, 11), seed=6), np.arange(7) < np.array([[[7]], [[4]]]), *(None, False, None)),
    (*halves((2, 4, 3), (2, 4, 3), (2, 4, 5), seed=7), np.arange(4) < np.array([[[4]], [[2]]]), *(None, True, None)),
    (*halves((3, 3, 3), (3, 3, 3), (3, 3, 3), seed=8), None, None, False, None),
    (*halves((3, 4), (5, 4), (5, 2), seed=9), None, *halves((3, 5), seed=10), False, None),
    (*halves((2, 3), (5, 3), (5, 4), seed=11), None, None, False, 1.3),
    (
        *halves((2, 3, 4), (2, 5, 4), (2, 5, 7), seed=13),
        np.arange(5) > np.array([[[0]], [[1]]]),
        *halves((2, 3, 5), seed=14),
        *(True, 0.7),
    ),
    (
        np.array([[1, 0, 2], [0, -1, 1]]),
        np.array([[1, 1, 0], [0, 2, 1], [-1, 0, 1], [2, 0, 0]]),
        np.array([[1, 4], [2, 3], [5, -1], [0, 2]]),
        *(None, None, False, None),
    ),
    (
        *(np.array(array, dtype=np.float16) for array in ([[4, 4, 1], [0, 1, 2]], [[4, 4, 0], [4, 3, 1], [0, 1, 1]])),
        np.array([[1, 0.5], [-1, 2], [0.5, 0]], dtype=np.float16),
        np.array([[True, True, False], [False, True, True]]),
        *(None, False, None),
    ),
    (
        np.array([[900.0, 0.0], [0.0, 0.5]]),
        np.array([[2.0, 1.0], [1.9, 3.0], [-2.0, 1.0]]),
        np.eye(3),
        *(None, None, False, None),
    ),
    (*LOW, None, False, None),
]

# Slips of attention whose words are not true of attention with masks.
NOT_HERE = ["hides_the_future"]

EXERCISES = [
    Exercise(
        solution=masked_attention,
        probes=PROBES,
        alternatives=[
            _scales_the_query_first,
            _fourth_roots_on_both,
            _adds_minus_infinity,
            _lowest_number_then_zeros,
            _query_by_query,
        ],
        properties=[laws.an_option_changes_nothing(masked_attention, PROBES[:-1])],
        notes=slips("masking/notes", masked_attention),
        mistakes=[
            *slips("attention", masked_attention, without=NOT_HERE),
            *slips("masking/masking", masked_attention),
            *slips("masking/options", masked_attention),
        ],
    )
]
