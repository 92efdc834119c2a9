"""Exercises of ``06_complexity`` with code: keys that come in blocks, and keys kept in a cache."""

import inspect
import math

import numpy as np

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.exercises.complexity.mistakes import cache, online
from course_utils.exercises.engine.exercise import Exercise, Mistake, halves
from course_utils.exercises.engine.laws import follows_reordered_keys, stays_between_the_values
from course_utils.exercises.shared import core

LESSON = "06_complexity"


def online_attention(query, key, value, block):
    largest, total, output = -np.inf, 0.0, 0.0
    for start in range(0, key.shape[-2], block):
        keys, values = key[..., start : start + block, :], value[..., start : start + block, :]
        scores = query @ np.swapaxes(keys, -1, -2) / math.sqrt(key.shape[-1])
        before, largest = largest, np.maximum(largest, scores.max(axis=-1, keepdims=True))
        shrink, exponentials = np.exp(before - largest), np.exp(scores - largest)
        total = total * shrink + exponentials.sum(axis=-1, keepdims=True)
        output = output * shrink + exponentials @ values
    return output / total


def cached_attention(x, W_Q, W_K, W_V, chunks):
    key, value = x[:0] @ W_K, x[:0] @ W_V  # no rows yet
    outputs, start = [], 0
    for size in chunks:
        chunk = x[start : start + size]
        start += size
        key = np.concatenate([key, chunk @ W_K])
        value = np.concatenate([value, chunk @ W_V])
        scores = (chunk @ W_Q) @ key.T / math.sqrt(key.shape[-1])
        scores = np.where(causal_mask(size, len(key)), scores, -np.inf)
        outputs.append(softmax(scores) @ value)
    return np.concatenate(outputs)


def _all_at_once(query, key, value, block):
    return softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])) @ value


def _merged_by_logsumexp(query, key, value, block):
    """Blocks that are finished each by itself, then weighed by the share each has in the whole sum."""
    outputs, logs = [], []
    for start in range(0, key.shape[-2], block):
        part = slice(start, start + block)
        scores = query @ np.swapaxes(key[..., part, :], -1, -2) / math.sqrt(key.shape[-1])
        top = scores.max(axis=-1, keepdims=True)
        outputs.append(softmax(scores) @ value[..., part, :])
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
    scores = x @ W_Q @ (x @ W_K).T / math.sqrt(W_K.shape[1])
    return softmax(np.where(causal_mask(len(x)), scores, -np.inf)) @ (x @ W_V)


def _token_by_token(x, W_Q, W_K, W_V, chunks):
    outputs = []
    for i in range(len(x)):
        past = x[: i + 1]
        weights = softmax(x[i] @ W_Q @ (past @ W_K).T / math.sqrt(W_K.shape[1]))
        outputs.append(weights @ (past @ W_V))
    return outputs


def ones_give_ones(run, arguments, value):
    """For (query, key, value, block): where all values are 1, so is every blend of them."""
    query, key, values, block = arguments
    output = run(query, key, np.ones_like(values), block)
    if (
        isinstance(output, np.ndarray)
        and output.shape == value.shape
        and not np.allclose(output, 1, atol=1e-6)
    ):
        odd = output[~np.isclose(output, 1, atol=1e-6)][0]
        return f"Where all values are 1 the output has to be 1, but yours is {odd:.3g}: the weights do not sum to 1."
    return None


def block_does_not_matter(run, arguments, value):
    """For (query, key, value, block): all keys in one block give the same as many blocks."""
    *arrays, block = arguments
    whole = run(*arrays, arrays[1].shape[-2])
    if (
        isinstance(whole, np.ndarray)
        and whole.shape == value.shape
        and not np.allclose(whole, value, atol=1e-6)
    ):
        return f"With block = {block} your output is another than with all keys in one block; it should not matter."
    return None


def past_stays(run, arguments, value):
    """For (x, ..., chunks): another last token changes nothing before it."""
    x, *rest = arguments
    other = x.copy()
    other[-1] += 1
    edited = run(other, *rest)
    if isinstance(edited, np.ndarray) and edited.shape == value.shape:
        moved = np.flatnonzero(~np.isclose(edited[:-1], value[:-1], atol=1e-6).all(axis=-1))
        if moved.size:
            return f"Row {moved[0]} changes when the last token changes: it sees its future."
    return None


def chunks_do_not_matter(run, arguments, value):
    """For (x, ..., chunks): one chunk gives the same as many."""
    *arrays, chunks = arguments
    whole = run(*arrays, [len(arrays[0])])
    if (
        isinstance(whole, np.ndarray)
        and whole.shape == value.shape
        and not np.allclose(whole, value, atol=1e-6)
    ):
        return f"With chunks = {chunks} your output is another than with one chunk; it should not matter."
    return None


def _without_block(law):
    """A law of (query, key, value), for functions that take a block as well."""
    return lambda run, arguments, value: law(lambda *a: run(*a, arguments[3]), arguments[:3], value)


def _with_block(function):
    """A mistake of plain attention, made by a function that takes a block as well."""
    return Mistake(
        f"core/{function.__name__}",
        inspect.getdoc(function),
        lambda query, key, value, block: function(query, key, value),
    )


def _also(mistake, run):
    """Another way into the same mistake, under its name."""
    return Mistake(Mistake.of(mistake).name, inspect.getdoc(mistake), run)


def _own(module):
    """All mistakes of a module, in its order."""
    return [
        f for n, f in vars(module).items() if n[0] != "_" and getattr(f, "__module__", "") == module.__name__
    ]


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
        lesson=LESSON,
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
        covers="one block, blocks of one key, blocks that do not divide n_k, batches, huge scores",
        properties=[
            ones_give_ones,
            block_does_not_matter,
            *map(_without_block, (stays_between_the_values, follows_reordered_keys)),
        ],
        repairs=[
            lambda query, key, value, block: (query / math.sqrt(query.shape[-1]), key, value, block),
            lambda query, key, value, block: (query * math.sqrt(query.shape[-1]), key, value, block),
        ],
        alternatives=[_all_at_once, _merged_by_logsumexp, _normalised_as_it_goes],
        mistakes=[
            *_own(online),
            _also(online.last_keys_left_out, online._last_keys_left_out_of_arrays),
            _also(online.last_keys_left_out, online._last_keys_left_out_of_floats),
            *map(
                _with_block,
                [
                    core.does_not_scale,
                    core.divides_by_d_k,
                    core.multiplies_by_the_root,
                    core.scales_by_the_value_width,
                    core.hides_the_future,
                    core.no_softmax,
                    core.blends_the_keys,
                    core.plain_average,
                    core.returns_the_weights,
                ],
            ),
        ],
        hints=[
            "Carry three things from block to block: the largest score, the sum, the output. Start with -inf, 0, 0.",
            "In each block: scores, new maximum, the factor exp(old - new) for what is carried, then add the block.",
            "max and sum with axis=-1, keepdims=True, so that each query has its own. Divide once, after the loop.",
        ],
    ),
    Exercise(
        lesson=LESSON,
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
        covers="one chunk, single tokens, a prompt and then tokens, equal and unequal chunks",
        properties=[past_stays, chunks_do_not_matter],
        repairs=[
            lambda x, W_Q, W_K, W_V, chunks: (x, W_Q / math.sqrt(W_Q.shape[1]), W_K, W_V, chunks),
            lambda x, W_Q, W_K, W_V, chunks: (x, W_Q * math.sqrt(W_Q.shape[1]), W_K, W_V, chunks),
        ],
        alternatives=[_full_pass, _token_by_token],
        mistakes=_own(cache),
        hints=[
            "For each chunk: project it, put its keys and values behind those in the cache, then attend.",
            "The mask is causal_mask(queries of the chunk, keys in the cache): the chunk's tokens are the last keys.",
            "Collect the outputs in a list, and np.concatenate them at the end.",
        ],
    ),
]
