"""What goes wrong when softmax is computed block by block: ``f(query, key, value, block)``, any batch axes."""

import math

import numpy as np

from course_utils.core.scores import softmax


def _t(array):
    return np.swapaxes(array, -1, -2)


def _blocks(key, value, block):
    """Keys and values, ``block`` tokens at a time; the last block may be shorter."""
    for start in range(0, key.shape[-2], block):
        part = slice(start, start + block)
        yield key[..., part, :], value[..., part, :]


def _scores(query, key):
    return query @ _t(key) / math.sqrt(key.shape[-1])


def _online(
    query,
    key,
    value,
    block,
    *,
    on_sum=True,
    on_output=True,
    sign=1,
    start=-np.inf,
    own=False,
    late=False,
    together=False,
):
    """The loop, with a switch for each thing that can go missing.

    ``own``: the maximum is the block's own, not the running one. ``late``: the block's exponentials are
    still measured from the maximum before it. ``together``: one sum for all queries.
    """
    top = np.full((*query.shape[:-1], 1), start)
    total, output = 0.0, 0.0
    for keys, values in _blocks(key, value, block):
        scores = _scores(query, keys)
        block_top = scores.max(axis=-1, keepdims=True)
        new = block_top if own else np.maximum(top, block_top)
        e = np.exp(scores - (top if late and np.isfinite(top).all() else new))
        shrink = np.exp(sign * (top - new)) if np.isfinite(top).all() else 0.0
        total = total * (shrink if on_sum else 1) + (e.sum() if together else e.sum(axis=-1, keepdims=True))
        output = output * (shrink if on_output else 1) + e @ values
        top = new
    return output, total


def nothing_rescaled(query, key, value, block):
    """When a block brings a larger maximum, you go on adding to the old sum and the old output as they are.

    They were measured from the old maximum, the new block is measured from the new one. By which factor do the
    two differ?
    """
    output, total = _online(query, key, value, block, on_sum=False, on_output=False)
    return output / total


def output_not_rescaled(query, key, value, block):
    """You rescale the running sum when the maximum grows, but not the running output.

    Both are sums of the same exponentials. What has to happen to the output, then?
    """
    output, total = _online(query, key, value, block, on_output=False)
    return output / total


def sum_not_rescaled(query, key, value, block):
    """You rescale the running output when the maximum grows, but not the running sum it is divided by.

    Both are sums of the same exponentials. What has to happen to the sum, then?
    """
    output, total = _online(query, key, value, block, on_sum=False)
    return output / total


def averages_the_blocks(query, key, value, block):
    """You take a softmax in each block and average the results, so every block has the same say.

    A block of poor matches then counts as much as a block of good ones. What tells how much a block should count?
    """
    parts = [softmax(_scores(query, k)) @ v for k, v in _blocks(key, value, block)]
    return sum(parts) / len(parts)


def averages_by_the_number_of_keys(query, key, value, block):
    """You take a softmax in each block and weigh the results by the number of keys in the block.

    Ten poor matches then count more than one good one. What tells how much a block should count?
    """
    parts = [softmax(_scores(query, k)) @ v * k.shape[-2] for k, v in _blocks(key, value, block)]
    return sum(parts) / key.shape[-2]


def adds_the_blocks(query, key, value, block):
    """You take a softmax in each block and add the results up, so the weights of a row sum to the number of blocks.

    Over all keys together they should sum to 1. Which sum should each exponential be divided by?
    """
    return sum(softmax(_scores(query, k)) @ v for k, v in _blocks(key, value, block))


def never_divides(query, key, value, block):
    """You blend with the exponentials, and nothing is divided by their sum.

    Even one block alone does not come out. What are the weights of a row supposed to sum to?
    """
    return _online(query, key, value, block)[0]


def divides_in_every_block(query, key, value, block):
    """You divide by the running sum inside the loop, and the next block is added to what is divided already.

    The first blocks are divided again and again. After which block is the sum complete?
    """
    top, total, output = -np.inf, 0.0, 0.0
    for keys, values in _blocks(key, value, block):
        scores = _scores(query, keys)
        new = np.maximum(top, scores.max(axis=-1, keepdims=True))
        e, shrink = np.exp(scores - new), np.exp(top - new)
        total = total * shrink + e.sum(axis=-1, keepdims=True)
        output = (output * shrink + e @ values) / total
        top = new
    return output


def divides_by_the_last_sum(query, key, value, block):
    """You divide by the sum of the last block only; the blocks before it are missing in the sum.

    The output holds all blocks. What should the sum hold?
    """
    output, _ = _online(query, key, value, block)
    for keys, _ in _blocks(key, value, block):
        last = _scores(query, keys)
    largest = _scores(query, key).max(axis=-1, keepdims=True)
    return output / np.exp(last - largest).sum(axis=-1, keepdims=True)


def rescales_the_other_way(query, key, value, block):
    """Your factor is turned round: when the maximum grows, the old sum and output grow as well.

    A larger maximum makes every exponential smaller. Is exp(new - old) below or above 1?
    """
    output, total = _online(query, key, value, block, sign=-1)
    return output / total


def measures_from_the_old_maximum(query, key, value, block):
    """You shrink what is old, but the exponentials of the new block are still measured from the old maximum.

    Both have to be measured from the same number. Which line comes first: the new maximum, or exp?
    """
    output, total = _online(query, key, value, block, late=True)
    return output / total


def own_maximum_not_rescaled(query, key, value, block):
    """Each block is measured from its own maximum, and then the blocks are added as if it were one and the same.

    exp(5 - 5) and exp(1 - 1) are both 1, though the scores 5 and 1 differ. From which maximum should both be
    measured?
    """
    output, total = _online(query, key, value, block, own=True, on_sum=False, on_output=False)
    return output / total


def forgets_the_larger_maximum(query, key, value, block):
    """You measure from each block's own maximum, also where an earlier block had a larger one.

    On paper that is right. But a block far below makes the factor exp(old - new) overflow, and the output NaN.
    Which of the two maxima should go on?
    """
    output, total = _online(query, key, value, block, own=True)
    return output / total


def no_maximum(query, key, value, block):
    """You add up exp(score) as it is. Large scores overflow, and infinity over infinity is NaN.

    On paper nothing has to be rescaled then. What keeps exp from overflowing?
    """
    exponentials = np.exp(_scores(query, key))
    return exponentials @ value / exponentials.sum(axis=-1, keepdims=True)


def maximum_starts_too_high(query, key, value, block):
    """Your running maximum starts at a number, such as 0, and stays there when all scores are below it.

    Where they are far below, every exponential becomes 0, and 0/0 is NaN. What number is below every score?
    """
    output, total = _online(query, key, value, block, start=0.0)
    return output / total


def one_maximum_for_all_queries(query, key, value, block):
    """You keep one running maximum for the whole table. Rows far below it become 0/0, which is NaN.

    Each query is a softmax of its own. How many maxima do you need?
    """
    scores = _scores(query, key)
    e = np.exp(scores - scores.max())
    return e @ value / e.sum(axis=-1, keepdims=True)


def last_block_only(query, key, value, block):
    """Your output is the attention over the last block; the blocks before it are forgotten.

    A line replaces the output where it should add, or the maximum is never updated: exp(-inf - new) is 0, and wipes
    out what was carried. Which of the two is it in your loop?
    """
    for keys, values in _blocks(key, value, block):
        output = softmax(_scores(query, keys)) @ values
    return output


def first_block_only(query, key, value, block):
    """Your output is the attention over the first block; no later block enters.

    Every query has to see every key. Does your loop run to the end of the keys?
    """
    return softmax(_scores(query, key[..., :block, :])) @ value[..., :block, :]


def last_keys_left_out(query, key, value, block):
    """Your blocks are all full, so the keys left at the end are never seen.

    n_k // block rounds down. What happens to 7 keys in blocks of 3?
    """
    whole = max(key.shape[-2] // block * block, min(block, key.shape[-2]))  # one block at least
    return softmax(_scores(query, key[..., :whole, :])) @ value[..., :whole, :]


def _last_keys_left_out_of_arrays(query, key, value, block):
    """The same with a loop that may not run at all: 0/0, NaN in arrays and an exception in floats."""
    shape = *query.shape[:-1], value.shape[-1]
    return last_keys_left_out(query, key, value, block) if key.shape[-2] >= block else np.full(shape, np.nan)


def _last_keys_left_out_of_floats(query, key, value, block):
    return last_keys_left_out(query, key, value, block) if key.shape[-2] >= block else 0.0 / 0.0


def blocks_overlap(query, key, value, block):
    """Each of your blocks takes one key more, so the first key of the next block counts twice.

    In Python, key[a:b] ends before b. Where does the next block begin?
    """
    parts = [
        np.arange(start, min(start + block + 1, key.shape[-2])) for start in range(0, key.shape[-2], block)
    ]
    twice = np.concatenate(parts)
    return softmax(_scores(query, key[..., twice, :])) @ value[..., twice, :]


def one_sum_for_all_queries(query, key, value, block):
    """Your running sum adds up the exponentials of all queries together.

    Each query is a softmax of its own. Along which axis do you sum?
    """
    output, total = _online(query, key, value, block, together=True)
    return output / total


def halves_with_every_block(query, key, value, block):
    """Each block is averaged with what came before, half and half: the last block has half of the say.

    A block of poor matches should count little, whenever it comes. What tells how much a block should count?
    """
    output = None
    for keys, values in _blocks(key, value, block):
        part = softmax(_scores(query, keys)) @ values
        output = part if output is None else (output + part) / 2
    return output


def each_block_of_queries_its_own(query, key, value, block):
    """Each block of queries sees only the keys of the same block.

    Cut the keys, not who sees whom: every query meets every block of keys. Which two loops, or which one, is that?
    """
    if query.shape[-2] != key.shape[-2]:
        return first_block_only(query, key, value, block)
    queries = [query[..., start : start + block, :] for start in range(0, query.shape[-2], block)]
    parts = zip(queries, _blocks(key, value, block), strict=True)
    return np.concatenate([softmax(_scores(q, k)) @ v for q, (k, v) in parts], axis=-2)
