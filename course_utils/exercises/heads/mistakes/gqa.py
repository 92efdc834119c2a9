"""What goes wrong when query heads share keys and values: query, key and value are (batch, heads, n, d)."""

import numpy as np

from course_utils.core.scores import softmax


def attend(query, key, value):
    return softmax(query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5) @ value


def group(query, key):
    """How many query heads share a key head."""
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} query heads cannot share {key.shape[1]} key/value heads")
    return query.shape[1] // key.shape[1]


def tiles_the_heads(query, key, value):
    """Your key/value heads come in turn, [0, 1, 0, 1]: query head 1 reads head 1 instead of head 0.

    The shapes are as they should be, but a model trained with groups of neighbours gets other heads. Which function
    repeats each one before it goes to the next?
    """
    times = (1, group(query, key), 1, 1)
    return attend(query, np.tile(key, times), np.tile(value, times))


def tiles_the_values_only(query, key, value):
    """Keys and values are repeated in different orders: your maps are right, and they blend values of other heads.

    A weight belongs to a key and to its value. In which order do the value heads stand?
    """
    g = group(query, key)
    return attend(query, np.repeat(key, g, axis=1), np.tile(value, (1, g, 1, 1)))


def tiles_the_keys_only(query, key, value):
    """Keys and values are repeated in different orders: your values are right, the maps belong to other heads.

    A weight belongs to a key and to its value. In which order do the key heads stand?
    """
    g = group(query, key)
    return attend(query, np.tile(key, (1, g, 1, 1)), np.repeat(value, g, axis=1))


def rounds_the_group_down(query, key, value):
    """5 query heads on 2 key/value heads get an answer from you: the size of a group was rounded down.

    Some query heads then share what nobody meant them to share, in silence. What should a caller hear instead?
    """
    size = max(query.shape[1] // key.shape[1], 1)
    place = np.minimum(np.arange(query.shape[1]) // size, key.shape[1] - 1)
    return attend(query, key[:, place], value[:, place])


def rounds_the_group_up(query, key, value):
    """5 query heads on 2 key/value heads get an answer from you: the groups are not all of one size.

    Some query heads then share what nobody meant them to share, in silence. What should a caller hear instead?
    """
    place = np.arange(query.shape[1]) * key.shape[1] // query.shape[1]
    return attend(query, key[:, place], value[:, place])


def repeats_the_tokens(query, key, value):
    """You repeat along the axis of the tokens: each key is there several times, and the heads are still too few.

    With one key/value head it even gives the right numbers. Which axis are the heads?
    """
    g = group(query, key)
    return attend(query, np.repeat(key, g, axis=2), np.repeat(value, g, axis=2))


def repeats_the_features(query, key, value):
    """You repeat along the last axis: each key becomes wider than the query it has to meet, and no head is added.

    So it is with axis=-1, and with np.tile and one number. Which axis are the heads?
    """
    g = group(query, key)
    return attend(query, np.repeat(key, g, axis=-1), np.repeat(value, g, axis=-1))


def repeats_the_batch(query, key, value):
    """You repeat along the axis of the batch: the keys have more samples than the queries, and still too few heads.

    The axes are (batch, heads, n, d). Which number has the heads?
    """
    g = group(query, key)
    return attend(query, np.repeat(key, g, axis=0), np.repeat(value, g, axis=0))


def averages_the_heads(query, key, value):
    """You average the key/value heads, so all query heads share one.

    That turns a model into multi-query attention before it is trained further; here each group has its own head.
    Which heads belong to the first query head?
    """
    group(query, key)
    return attend(query, key.mean(axis=1, keepdims=True), value.mean(axis=1, keepdims=True))


def takes_the_first_head(query, key, value):
    """All your query heads use key/value head 0, and the others never enter.

    That is right if there is only one. Which query heads belong to head 1?
    """
    group(query, key)
    return attend(query, key[:, :1], value[:, :1])


def keeps_one_query_head_of_each_group(query, key, value):
    """Your output has as many heads as there are key/value heads: the other query heads are gone.

    Keys and values are shared, the queries are not. How many heads should come out?
    """
    return attend(query[:, :: group(query, key)], key, value)


def leaves_the_heads_unshared(query, key, value):
    """You let NumPy match the heads: 1 key/value head fits any number, but 2 do not fit 4, and nothing says why.

    Broadcasting repeats an axis of size 1 only. How does each query head get its own copy?
    """
    return attend(query, key, value)


def hides_the_future(query, key, value):
    """Each query sees only the keys up to its own place: that is a causal mask.

    Nobody asked for one here: every query may look at every key. Which line hides some?
    """
    g = group(query, key)
    key, value = np.repeat(key, g, axis=1), np.repeat(value, g, axis=1)
    scores = query @ np.swapaxes(key, -1, -2) / query.shape[-1] ** 0.5
    return softmax(np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)) @ value


def reverses_all_axes(query, key, value):
    """.T turns round *all* axes of an array: with four of them, the batch and the heads as well.

    @ needs the last two exchanged and the others where they are. Which function takes two axes by their numbers?
    """
    g = group(query, key)
    return softmax(query @ np.repeat(key, g, axis=1).T / query.shape[-1] ** 0.5) @ np.repeat(value, g, axis=1)
