"""What goes wrong with a cache of keys and values: ``f(x, W_Q, W_K, W_V, chunks)``, one causal head, no positions."""

import math

import numpy as np

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax


def _chunks(x, chunks):
    start = 0
    for size in chunks:
        yield x[start : start + size]
        start += size


def _attend(query, key, value, allowed=None, scale=None):
    """Attention with any mask; a query that may look at nothing gives zeros."""
    scores = query @ key.T * (1 / math.sqrt(key.shape[-1]) if scale is None else scale)
    return softmax(scores if allowed is None else np.where(allowed, scores, -np.inf)) @ value


def _cached(x, W_Q, W_K, W_V, chunks, mask, scale=None):
    """The right loop, with the mask from ``mask(call, n_queries, n_keys)``."""
    key, value = np.zeros((0, W_K.shape[1])), np.zeros((0, W_V.shape[1]))
    outputs = []
    for call, chunk in enumerate(_chunks(x, chunks)):
        key, value = np.concatenate([key, chunk @ W_K]), np.concatenate([value, chunk @ W_V])
        outputs.append(_attend(chunk @ W_Q, key, value, mask(call, len(chunk), len(key)), scale))
    return np.concatenate(outputs)


def _right(call, n_queries, n_keys):
    return causal_mask(n_queries, n_keys)


def never_masks(x, W_Q, W_K, W_V, chunks):
    """No mask is applied: in a chunk of several tokens, each sees the later ones of the same chunk.

    With chunks of one token nobody notices. Who may see whom inside a chunk of three?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, lambda call, n_queries, n_keys: None)


def masks_only_the_first_chunk(x, W_Q, W_K, W_V, chunks):
    """Only the first chunk is masked. In a later one, each token sees the later tokens of its own chunk.

    The mask was made for as many queries as keys. How many keys does the second chunk look at?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, lambda call, n, m: None if call else _right(call, n, m))


def first_chunk_not_masked(x, W_Q, W_K, W_V, chunks):
    """The first chunk, the prompt, is not masked; later ones are.

    An empty cache does not mean that there is no future to hide. Who may see whom inside the prompt?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, lambda call, n, m: _right(call, n, m) if call else None)


def mask_aligned_at_the_top(x, W_Q, W_K, W_V, chunks):
    """The first query of each chunk sees key 0 only, as if the chunk stood at the beginning.

    Your mask counts the queries from 0, but older tokens lie in the cache. At which position does the chunk begin?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, lambda call, n, m: np.tril(np.ones((n, m), dtype=bool)))


def offset_counts_the_chunks(x, W_Q, W_K, W_V, chunks):
    """Your mask moves on by one with every call, whatever the size of the chunk.

    With chunks of one token that happens to fit. How many tokens lie in the cache after a chunk of four?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, lambda call, n, m: np.tril(np.ones((n, m), dtype=bool), call))


def sees_one_ahead(x, W_Q, W_K, W_V, chunks):
    """Each token sees one token too many: the next one of its chunk.

    The last key a token may see is itself. Where should the mask's edge run?
    """
    return _cached(
        x, W_Q, W_K, W_V, chunks, lambda call, n, m: np.tril(np.ones((n, m), dtype=bool), m - n + 1)
    )


def hides_the_token_itself(x, W_Q, W_K, W_V, chunks):
    """Each token sees the earlier ones but not itself, and the first sees nothing.

    A token may look at itself. Where should the mask's edge run?
    """
    return _cached(
        x, W_Q, W_K, W_V, chunks, lambda call, n, m: np.tril(np.ones((n, m), dtype=bool), m - n - 1)
    )


def no_scale(x, W_Q, W_K, W_V, chunks):
    """The cache works, but the scores are not divided by sqrt(d_k).

    What does attention do to the scores before the softmax?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, _right, scale=1.0)


def divides_by_d_k(x, W_Q, W_K, W_V, chunks):
    """The cache works, but the scores are divided by d_k, not by its square root.

    Which power of d_k brings the spread of a score back to 1?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, _right, scale=1 / W_K.shape[1])


def scales_by_d_model(x, W_Q, W_K, W_V, chunks):
    """The cache works, but you divide by the root of d_model, the width of x.

    The dot product runs over the width of a key. How wide is a key?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, _right, scale=x.shape[1] ** -0.5)


def overwrites_the_cache(x, W_Q, W_K, W_V, chunks):
    """New keys and values replace the old ones, or stand in front, where the mask hides the old: the past is forgotten.

    With chunks of one token, each output is just its own value. Which keys are left for a later chunk to see?
    """
    parts = _chunks(x, chunks)
    return np.concatenate([_attend(p @ W_Q, p @ W_K, p @ W_V, causal_mask(len(p))) for p in parts])


def overwrites_and_never_masks(x, W_Q, W_K, W_V, chunks):
    """Every chunk sees itself and nothing else, its own future included: two things at once.

    Begin with the first: new keys replace the old ones. What should happen to the old keys?
    """
    return np.concatenate([_attend(p @ W_Q, p @ W_K, p @ W_V) for p in _chunks(x, chunks)])


def _new_first(x, W_Q, W_K, W_V, chunks, keys=True, values=True):
    key, value, outputs = x[:0] @ W_K, x[:0] @ W_V, []
    for chunk in _chunks(x, chunks):
        key = np.concatenate([chunk @ W_K, key] if keys else [key, chunk @ W_K])
        value = np.concatenate([chunk @ W_V, value] if values else [value, chunk @ W_V])
        outputs.append(_attend(chunk @ W_Q, key, value, causal_mask(len(chunk), len(key))))
    return np.concatenate(outputs)


def puts_the_new_in_front(x, W_Q, W_K, W_V, chunks):
    """New keys and values are put in front of the old ones, and the mask takes the last rows for the new.

    With chunks of one token everything may be seen, so nothing shows. At which end does the mask expect the chunk?
    """
    return _new_first(x, W_Q, W_K, W_V, chunks)


def keys_in_front_values_behind(x, W_Q, W_K, W_V, chunks):
    """New keys go in front, new values behind: key and value of a token lie in different rows.

    A weight found with one token's key then takes another token's value. In which order should both lie?
    """
    return _new_first(x, W_Q, W_K, W_V, chunks, values=False)


def keys_behind_values_in_front(x, W_Q, W_K, W_V, chunks):
    """New values go in front, new keys behind: key and value of a token lie in different rows.

    A weight found with one token's key then takes another token's value. In which order should both lie?
    """
    return _new_first(x, W_Q, W_K, W_V, chunks, keys=False)


def stores_too_late(x, W_Q, W_K, W_V, chunks):
    """You look first and store afterwards, so no token of a chunk sees its own chunk, not even itself.

    The very first chunk then finds an empty cache. What belongs first?
    """
    key, value, outputs = x[:0] @ W_K, x[:0] @ W_V, []
    for chunk in _chunks(x, chunks):
        outputs.append(_attend(chunk @ W_Q, key, value))
        key, value = np.concatenate([key, chunk @ W_K]), np.concatenate([value, chunk @ W_V])
    return np.concatenate(outputs)


def last_chunk_only(x, W_Q, W_K, W_V, chunks):
    """You return the output of the last chunk only; those before it are gone.

    Every token should have a row in the result. Where do you collect the outputs?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, _right)[-chunks[-1] :]


def first_rows_again(x, W_Q, W_K, W_V, chunks):
    """Every chunk is taken from the beginning of x, so the first tokens come again and again.

    The second chunk begins where the first one ended. What has to move on?
    """
    again = [x[:size] for size in chunks]
    return _cached(np.concatenate(again), W_Q, W_K, W_V, chunks, _right)


def softmax_over_the_queries(x, W_Q, W_K, W_V, chunks):
    """Your softmax runs over the queries of a chunk: in a chunk of one token, every weight is 1.

    Each query shares out its attention over the keys. Which axis are the keys?
    """
    key, value, outputs = x[:0] @ W_K, x[:0] @ W_V, []
    for chunk in _chunks(x, chunks):
        key, value = np.concatenate([key, chunk @ W_K]), np.concatenate([value, chunk @ W_V])
        scores = chunk @ W_Q @ key.T / math.sqrt(key.shape[1])
        scores = np.where(causal_mask(len(chunk), len(key)), scores, -np.inf)
        outputs.append(softmax(scores, axis=0) @ value)
    return np.concatenate(outputs)


def queries_use_W_K(x, W_Q, W_K, W_V, chunks):
    """Your queries are made with W_K, so W_Q never enters.

    Who asks, and with which of the three matrices?
    """
    return _cached(x, W_K, W_K, W_V, chunks, _right)


def blends_the_keys(x, W_Q, W_K, W_V, chunks):
    """Your weights are right, but they blend the cached keys; the values never enter.

    Two things are kept in the cache. Which one is taken home?
    """
    return _cached(x, W_Q, W_K, W_K, chunks, _right)


def values_not_projected(x, W_Q, W_K, W_V, chunks):
    """You blend the rows of x, not the values x @ W_V.

    Which matrix is left over in your code?
    """
    return _cached(x, W_Q, W_K, np.eye(x.shape[1]), chunks, _right)


def _other_weights(x, W_Q, W_K, W_V, chunks, weigh):
    """The right loop, with the weights from ``weigh(scores, allowed)``."""
    key, value, outputs = x[:0] @ W_K, x[:0] @ W_V, []
    for chunk in _chunks(x, chunks):
        key, value = np.concatenate([key, chunk @ W_K]), np.concatenate([value, chunk @ W_V])
        scores = chunk @ W_Q @ key.T / math.sqrt(key.shape[1])
        outputs.append(weigh(scores, causal_mask(len(chunk), len(key))) @ value)
    return np.concatenate(outputs)


def hidden_scores_are_zero(x, W_Q, W_K, W_V, chunks):
    """A hidden score becomes 0 here, and exp(0) is 1: the future still has a weight.

    With chunks of one token nothing is hidden, and nothing shows. Which score has the weight 0?
    """
    return _other_weights(x, W_Q, W_K, W_V, chunks, lambda scores, allowed: softmax(scores * allowed))


def zeros_after_the_softmax(x, W_Q, W_K, W_V, chunks):
    """The future gets weight 0 after the softmax, so the rows no longer sum to 1.

    It has had its share of the sum by then. Where does the mask belong?
    """
    return _other_weights(x, W_Q, W_K, W_V, chunks, lambda scores, allowed: softmax(scores) * allowed)


def mask_turned_round(x, W_Q, W_K, W_V, chunks):
    """Your mask hides the past and shows the future.

    In causal_mask, True means "may look". Which scores become -inf?
    """
    return _other_weights(
        x, W_Q, W_K, W_V, chunks, lambda scores, allowed: softmax(np.where(allowed, -np.inf, scores))
    )


def last_row_of_each_chunk(x, W_Q, W_K, W_V, chunks):
    """You keep the last row of each chunk only.

    That is all a model needs to go on writing, but every token was asked. How many rows has a chunk of three?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, _right)[np.cumsum(chunks) - 1]


def first_chunk_only(x, W_Q, W_K, W_V, chunks):
    """You return the output of the first chunk only.

    A return inside the loop ends it. Where do you collect the outputs?
    """
    return _cached(x, W_Q, W_K, W_V, chunks, _right)[: chunks[0]]


def starts_at_the_last_size(x, W_Q, W_K, W_V, chunks):
    """A chunk starts at the size of the chunk before it, which fits for the second chunk only.

    With three chunks of two tokens, the third is the second again. Where does the third begin?
    """
    starts = [0, *chunks[:-1]]
    rows = [x[start : start + size] for start, size in zip(starts, chunks, strict=True)]
    return _cached(np.concatenate(rows), W_Q, W_K, W_V, list(map(len, rows)), _right)
