"""The exercise of ``05_heads`` that counts: the whole layer, with masks, padding and a context."""

import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves
from course_utils.exercises.heads import laws
from course_utils.exercises.heads.exercises import join_heads, split_heads


def multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    context = x if context is None else context
    query = split_heads(x @ W_Q, n_heads)
    key = split_heads(context @ W_K, n_heads)
    value = split_heads(context @ W_V, n_heads)
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    allowed = np.ones(scores.shape, dtype=bool)
    if causal:
        allowed = np.tril(allowed)
    if key_mask is not None:
        allowed = allowed & key_mask[:, None, None, :]
    scores = np.where(allowed, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    joined = join_heads(weights @ value)
    return joined @ W_O


def _mask_by_mask(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Each mask by itself, with a number of its own for what is hidden."""
    context = x if context is None else context
    query, key, value = (split_heads(a, n_heads) for a in (x @ W_Q, context @ W_K, context @ W_V))
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -math.inf)
    if key_mask is not None:
        scores = np.where(key_mask[:, None, None, :], scores, -1e9)
    return join_heads(softmax(scores) @ value) @ W_O


def _head_by_head(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """The joined heads as a list, and the rows of W_O that belong to each: by a loop over the heads."""
    context = x if context is None else context
    parts = zip(*(np.split(W, n_heads, axis=1) for W in (W_Q, W_K, W_V)), strict=True)
    heads = []
    for q, k, v in parts:
        scores = (x @ q) @ np.swapaxes(context @ k, 1, 2) / math.sqrt(q.shape[1])
        hidden = np.zeros(scores.shape, dtype=bool)
        if causal:
            hidden = hidden | (np.arange(scores.shape[2]) > np.arange(scores.shape[1])[:, None])
        if key_mask is not None:
            hidden = hidden | ~key_mask[:, None, :]
        heads.append(softmax(np.where(hidden, -1e9, scores)) @ (context @ v))
    return heads, np.split(W_O, n_heads)


def _by_loop(*arguments):
    heads, _ = _head_by_head(*arguments)
    return np.concatenate(heads, axis=-1) @ arguments[4]


def _sum_of_projected_heads(*arguments):
    return sum(head @ W for head, W in zip(*_head_by_head(*arguments), strict=True))


def _by_einsum(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    context = x if context is None else context
    Q, K, V = (W.reshape(W.shape[0], n_heads, -1) for W in (W_Q, W_K, W_V))
    query, key, value = (np.einsum("bnd,dhk->bhnk", source, W) for source, W in ((x, Q), (context, K), (context, V)))
    scores = np.einsum("bhik,bhjk->bhij", query, key) * query.shape[-1] ** -0.5
    allowed = np.ones(scores.shape, dtype=bool) if key_mask is None else key_mask[:, None, None, :]
    if causal:
        allowed = np.tril(allowed & np.ones(scores.shape, dtype=bool))
    weights = softmax(scores) * allowed  # zeroed and renormalised is the same, on scores of ordinary size
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.einsum("bhij,bhjv,hvd->bid", weights, value, W_O.reshape(n_heads, -1, W_O.shape[1]))


def _transposed_in_one_axis(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Keys in rows and queries in columns, and batch and heads in one axis."""
    context, batch = (x if context is None else context), len(x)
    query, key, value = (
        split_heads(source @ W, n_heads).reshape(batch * n_heads, source.shape[1], -1)
        for source, W in ((x, W_Q), (context, W_K), (context, W_V))
    )
    scores = key @ np.swapaxes(query, 1, 2) / math.sqrt(key.shape[-1])
    if causal:
        scores = np.where(np.tri(*scores.shape[:0:-1], dtype=bool).T, scores, -np.inf)
    if key_mask is not None:
        scores = np.where(np.repeat(key_mask, n_heads, axis=0)[:, :, None], scores, -np.inf)
    blended = np.swapaxes(softmax(scores, axis=1), 1, 2) @ value
    return join_heads(blended.reshape(batch, n_heads, x.shape[1], -1)) @ W_O


def hidden_neighbour(seed):
    """Causal, with a pad between real tokens, which copies its neighbour so that the first row it shows in is real."""
    x, *others = small((2, 4, 6), 6, 6, 3, seed=seed, causal=True, lengths=(4, 2))
    x[0, 1] = x[0, 0]
    others[6] = np.array([[True, False, True, True], [True, True, False, False]])
    return (x, *others)


def low(seed):
    """Causal, padded, and every score about -200: the first feature of a head is 20 in a query and -20 in a key.

    d_k = 4, so that the scores are exact in float32, too.
    """
    x, W_Q, W_K, *others = small((2, 4, 5), 12, 9, 3, seed=seed, causal=True, lengths=(3, 4))
    x[:, :, -1] = 1
    for W, number in ((W_Q, 20), (W_K, -20)):
        W[:, ::4] = 0
        W[-1, ::4] = number
    return (x, W_Q, W_K, *others)


def small(x, d_q, d_v, n_heads, seed, *, causal=None, lengths=None, n_context=None):
    """Arguments with small entries, so that no softmax is near one-hot; ``lengths`` are those of the keys."""
    d_model = x[-1]
    shapes = [x, (d_model, d_q), (d_model, d_q), (d_model, d_v), (d_v, d_model)]
    context = (x[0], n_context, d_model) if n_context else x
    *arrays, other = (array / 2 for array in halves(*shapes, context, seed=seed))
    arrays[1:3] = arrays[1] * 2, arrays[2] * 2
    mask = None if lengths is None else np.arange(context[1]) < np.array(lengths)[:, None]
    return (*arrays, n_heads, causal, mask, other if n_context else None)


LAYERS = [
    small((2, 3, 2), 2, 2, 2, seed=2),
    small((2, 5, 4), 4, 4, 2, seed=2),  # square, to tell a transpose by its numbers
    small((2, 7, 5), 9, 6, 3, seed=3),
    small((2, 5, 3), 4, 6, 2, seed=4, causal=True),
    small((3, 5, 4), 4, 4, 2, seed=5, lengths=(3, 5, 2)),
    small((2, 3, 5), 6, 4, 2, seed=6, n_context=6),
    small((2, 3, 4), 4, 4, 2, seed=7, n_context=6, lengths=(4, 6)),
    small((3, 3, 4), 4, 4, 2, seed=8, n_context=5, lengths=(3, 5, 2)),  # as many samples as queries
    hidden_neighbour(seed=9),
    low(seed=10),
]
# Slips of attention that are named better by mistakes of heads, or not to be seen there.
NOT_IN_HEADS = [
    "attends_over_the_batch",
    "divides_by_two",
    "dot_pairs_all_batches",
    "exp_overflows",
    "hides_the_future",
    "one_maximum_for_all_rows",
    "reverses_all_axes",
    "scales_by_the_number_of_queries",
    "scales_by_the_second_axis",
    "takes_the_best_match",
]
HELPERS = [split_heads, join_heads]
NOT_IN_LAYERS = [*NOT_IN_HEADS, "blends_the_keys", "key_not_transposed", "returns_the_weights"]


def _in_float32(x, W_Q, W_K, W_V, W_O, *rest):
    *arrays, n_heads, causal, key_mask, context = (x, W_Q, W_K, W_V, W_O, *rest)
    arrays = (array.astype(np.float32) for array in arrays)
    context = None if context is None else context.astype(np.float32)
    return multi_head_attention(*arrays, n_heads, causal, key_mask, context).astype(np.float32)


EXERCISES = [
    Exercise(
        solution=multi_head_attention,
        probes=LAYERS,
        alternatives=[
            _mask_by_mask,
            _by_loop,
            _sum_of_projected_heads,
            _by_einsum,
            _transposed_in_one_axis,
            _in_float32,
        ],
        notes=slips("heads/notes", multi_head_attention),
        properties=[
            laws.samples_stay_apart,
            laws.rows_follow_their_tokens,
            laws.the_future_stays_hidden,
            laws.pads_do_not_matter,
            laws.equal_tokens_give_their_value,
        ],
        mistakes=[
            *slips("heads/mha", multi_head_attention, helpers=HELPERS),
            *slips("heads/keymask", multi_head_attention, others=[_mask_by_mask], helpers=HELPERS),
            *slips("heads/perhead", multi_head_attention, helpers=HELPERS),
            *slips("attention", multi_head_attention, without=NOT_IN_LAYERS, helpers=HELPERS),
        ],
    )
]
