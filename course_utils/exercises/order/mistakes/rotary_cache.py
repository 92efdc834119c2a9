"""What goes wrong in a key-value cache with rotary positions: ``f(x, W_Q, W_K, W_V, chunks)``, causal, one head."""

import functools
import math

import numpy as np

from course_utils.core.positions import rotate
from course_utils.core.scores import softmax


def _bottom_right(size, n_keys):
    return np.arange(n_keys) <= np.arange(n_keys - size, n_keys)[:, None]


def _in_chunks(x, W_Q, W_K, W_V, chunks, *, offset=sum, query_offset=None, may=None, turn=rotate, scale=True):
    """Attention chunk by chunk. ``offset`` and ``query_offset`` take the sizes of the chunks before and say where
    this one starts; ``may`` takes (size, n_keys, whether it is the first chunk)."""
    keys, values, outputs, start = [], [], [], 0
    for count, size in enumerate(chunks):
        new, before = x[start : start + size], list(chunks[:count])
        keys.append(turn(new @ W_K, offset(before) + np.arange(size)))
        values.append(new @ W_V)
        query = turn(new @ W_Q, (query_offset or offset)(before) + np.arange(size))
        key, value = np.concatenate(keys), np.concatenate(values)
        allowed = may(size, len(key), count == 0) if may else _bottom_right(size, len(key))
        scores = query @ key.T / (math.sqrt(key.shape[-1]) if scale else 1.0)
        outputs.append(softmax(np.where(allowed, scores, -np.inf)) @ value)
        start += size
    return np.concatenate(outputs)


def a_chunk_sees_its_own_future(x, W_Q, W_K, W_V, chunks):
    """There is no mask in your chunks: a chunk of several tokens sees its own future. One token at a time hides it.

    A prompt is read as one long chunk, so it suffers most. Which keys may the first token of a chunk see?
    """
    return _in_chunks(x, W_Q, W_K, W_V, chunks, may=lambda size, n_keys, first: np.full((size, n_keys), True))


def only_the_first_chunk_is_masked(x, W_Q, W_K, W_V, chunks):
    """Your first chunk is masked, the later ones are not: where queries and keys differ in number, the mask is gone.

    Inside a later chunk there is a future, too. Which keys may its first token see?
    """
    return _in_chunks(
        x, W_Q, W_K, W_V, chunks,
        may=lambda size, n_keys, first: _bottom_right(size, n_keys) if first else np.full((size, n_keys), True),
    )  # fmt: skip


def the_mask_starts_at_the_top_left(x, W_Q, W_K, W_V, chunks):
    """Your mask starts at the top left: the first token of a later chunk sees key 0 only, as torch's is_causal does.

    That is valid where queries and keys begin together. Here the queries are the *last* of the keys: at which
    position does the first of them stand?
    """
    return _in_chunks(
        x, W_Q, W_K, W_V, chunks, may=lambda size, n_keys, first: np.tri(size, n_keys, dtype=bool)
    )


def queries_start_at_zero(x, W_Q, W_K, W_V, chunks):
    """The queries of each chunk are turned from position 0, while the keys stand where they should.

    A new token then looks far away from its own past. How many tokens lie before it?
    """
    return _in_chunks(x, W_Q, W_K, W_V, chunks, query_offset=lambda before: 0)


def positions_restart_in_every_chunk(x, W_Q, W_K, W_V, chunks):
    """Positions restart at 0 in every chunk, for queries and keys. One token at a time, all stand at position 0.

    Distances across chunks are lost. What does a chunk have to know about those before it?
    """
    return _in_chunks(x, W_Q, W_K, W_V, chunks, offset=lambda before: 0)


def offset_counts_the_calls(x, W_Q, W_K, W_V, chunks):
    """Your offset grows by 1 for each chunk, however many tokens it holds. Chunks of one token hide it.

    After a prompt of 4 tokens, the next one stands at position 4. By how much has the offset grown?
    """
    return _in_chunks(x, W_Q, W_K, W_V, chunks, offset=len)


def offset_grows_twice(x, W_Q, W_K, W_V, chunks):
    """Your offset grows by a chunk's size twice, which leaves a gap between the old tokens and the new ones.

    After a prompt of 4 tokens, the next one stands at position 4. How often is the 4 added in your code?
    """
    return _in_chunks(x, W_Q, W_K, W_V, chunks, offset=lambda before: 2 * sum(before))


def prompt_counts_twice(x, W_Q, W_K, W_V, chunks):
    return _in_chunks(x, W_Q, W_K, W_V, chunks, offset=lambda before: sum(before) + sum(before[:1]))


def _full_pass(query, key, value, allowed=None):
    """All rows at once; without ``allowed``, causal."""
    allowed = np.tri(len(query), dtype=bool) if allowed is None else allowed
    return softmax(np.where(allowed, query @ key.T / math.sqrt(key.shape[-1]), -np.inf)) @ value


def _one_chunk_late(chunks):
    """For each row, the place after the last of its chunk; and where it stands if its chunk begins there."""
    end = np.repeat(np.cumsum(chunks), chunks)
    return end, end + np.concatenate([np.arange(size) for size in chunks])


def offset_grows_too_early(x, W_Q, W_K, W_V, chunks):
    """Your offset grows before it is used: a first chunk of 4 stands at 4 to 7, not at 0 to 3.

    Where all chunks have one size, all are moved alike and distances stay, so nothing may show. Which comes first in
    your loop, the places of a chunk or the next start?
    """
    place = _one_chunk_late(chunks)[1]
    return _full_pass(rotate(x @ W_Q, place), rotate(x @ W_K, place), x @ W_V)


def offset_too_early_in_the_mask(x, W_Q, W_K, W_V, chunks):
    end, place = _one_chunk_late(chunks)
    allowed = np.arange(len(x)) < end[:, None]
    return _full_pass(rotate(x @ W_Q, place), rotate(x @ W_K, place), x @ W_V, allowed)


def x_is_turned_before_the_projections(x, W_Q, W_K, W_V, chunks):
    """You turn the rows of x, before W_Q and W_K, which then mix the pairs of columns.

    Two rotations cancel in a score only where they meet. What should be turned: x, or what becomes of it?
    """
    turned = rotate(x, np.arange(len(x)))
    return _full_pass(turned @ W_Q, turned @ W_K, x @ W_V)


def values_from_turned_x(x, W_Q, W_K, W_V, chunks):
    turned = rotate(x, np.arange(len(x)))
    return _full_pass(turned @ W_Q, turned @ W_K, turned @ W_V)


def only_the_query_is_turned(x, W_Q, W_K, W_V, chunks):
    """Only the queries are turned; the keys go into the cache as they are.

    A score then depends on where the query stands, not on the distance. What else has to turn?
    """
    return _full_pass(rotate(x @ W_Q, np.arange(len(x))), x @ W_K, x @ W_V)


def only_the_key_is_turned(x, W_Q, W_K, W_V, chunks):
    """Only the keys are turned; the queries stay as they are.

    A score then depends on where the key stands, not on the distance. What else has to turn?
    """
    return _full_pass(x @ W_Q, rotate(x @ W_K, np.arange(len(x))), x @ W_V)


def cached_keys_turn_again(x, W_Q, W_K, W_V, chunks):
    """Keys that were turned when they came into the cache are turned again: at position p they stand at 2p and more.

    Either keep them unturned and turn all of them once, or turn only the new ones. What does your cache hold?
    """
    cache, values, outputs = np.zeros((0, W_K.shape[1])), np.zeros((0, W_V.shape[1])), []
    for size in chunks:
        start = len(cache)
        new, place = x[start : start + size], np.arange(start, start + size)
        cache = np.concatenate([cache, rotate(new @ W_K, place)])
        values = np.concatenate([values, new @ W_V])
        scores = rotate(new @ W_Q, place) @ rotate(cache, np.arange(len(cache))).T / math.sqrt(W_K.shape[1])
        outputs.append(softmax(np.where(_bottom_right(size, len(cache)), scores, -np.inf)) @ values)
    return np.concatenate(outputs)


def the_whole_cache_turns_at_every_step(x, W_Q, W_K, W_V, chunks):
    cache, values, outputs = np.zeros((0, W_K.shape[1])), np.zeros((0, W_V.shape[1])), []
    for size in chunks:
        start = len(cache)
        new = x[start : start + size]
        cache = np.concatenate([cache, new @ W_K])
        cache = rotate(cache, np.arange(len(cache)))
        values = np.concatenate([values, new @ W_V])
        scores = rotate(new @ W_Q, np.arange(start, len(cache))) @ cache.T / math.sqrt(W_K.shape[1])
        outputs.append(softmax(np.where(_bottom_right(size, len(cache)), scores, -np.inf)) @ values)
    return np.concatenate(outputs)


def the_cache_is_replaced(x, W_Q, W_K, W_V, chunks):
    """Each chunk replaces the cache, or stands in front of it, where the mask hides the old: the past is forgotten.

    One token at a time, each token sees only itself and gets its own value. Which keys does a later chunk see?
    """
    outputs, start = [], 0
    for size in chunks:
        outputs.append(_in_chunks(x[start : start + size], W_Q, W_K, W_V, [size]))
        start += size
    return np.concatenate(outputs)


def new_keys_come_first(x, W_Q, W_K, W_V, chunks):
    """The new keys stand before the cached ones, and the mask counts on the opposite.

    One token at a time hides it, because it may see everything. In which order does the mask expect the keys?
    """
    outputs, start = [], 0
    key, value = np.zeros((0, W_K.shape[1])), np.zeros((0, W_V.shape[1]))
    for size in chunks:
        new, place = x[start : start + size], np.arange(start, start + size)
        key = np.concatenate([rotate(new @ W_K, place), key])
        value = np.concatenate([new @ W_V, value])
        scores = rotate(new @ W_Q, place) @ key.T / math.sqrt(key.shape[-1])
        outputs.append(softmax(np.where(_bottom_right(size, len(key)), scores, -np.inf)) @ value)
        start += size
    return np.concatenate(outputs)


def nothing_is_turned(x, W_Q, W_K, W_V, chunks):
    """Your cache is right, but query and key are never turned: it is causal attention without positions.

    Rotary positions are asked for. Which two arrays have to turn, and by what?
    """
    return _in_chunks(x, W_Q, W_K, W_V, chunks, turn=lambda x, positions: x)


def values_are_turned(x, W_Q, W_K, W_V, chunks):
    """Your values are turned as well, so what is blended depends on where a token stands.

    The weights know about places already. Which two of query, key and value meet in a score?
    """
    value, place = x @ W_V, np.arange(len(x))
    even = value.shape[1] // 2 * 2  # an odd column is left as it is
    value[:, :even] = rotate(value[:, :even], place)
    return _full_pass(rotate(x @ W_Q, place), rotate(x @ W_K, place), value)


def with_turn(turn):
    """The cache with another rotation."""
    return functools.partial(_in_chunks, turn=turn)


def does_not_scale(x, W_Q, W_K, W_V, chunks):
    """Cache and positions are right, but the scores are not divided by sqrt(d_k).

    A rotation keeps lengths, so it does not shrink the scores for you. What comes between scores and softmax?
    """
    return _in_chunks(x, W_Q, W_K, W_V, chunks, scale=False)


def divides_by_d_k(x, W_Q, W_K, W_V, chunks):
    """Cache and positions are right, but the scores are divided by d_k, not by its square root.

    Which power of d_k brings the spread of a score back to 1?
    """
    return does_not_scale(x, W_Q / W_K.shape[1], W_K, W_V, chunks)
