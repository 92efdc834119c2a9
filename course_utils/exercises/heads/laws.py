"""Laws of multi-head attention, for answers that are no known mistake: each gives a sentence when it is broken.

The arguments are (x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context); see ``properties``.
"""

import numpy as np

X, MASK, CONTEXT, CAUSAL = 0, 7, 8, 6


def samples_stay_apart(run, arguments, value):
    """Another first sample changes nothing in the last."""
    changed = _changed(arguments, lambda array: np.concatenate([array[:1] + 1, array[1:]]))
    if _differ(run(*changed), value, np.s_[-1]):
        return "When the first sample of the batch changes, so does your output for the last. They should not meet."
    return None


def rows_follow_their_tokens(run, arguments, value):
    """Without a causal mask, tokens in another order give the same rows, in that order."""
    if arguments[CAUSAL]:
        return None
    backwards = list(_changed(arguments, lambda array: array[:, ::-1]))
    if arguments[MASK] is not None:
        backwards[MASK] = arguments[MASK][:, ::-1]
    if _differ(run(*backwards), value[:, ::-1]):
        return (
            "When the tokens are listed backwards, the rows of your output should come backwards, too, with the same "
            "numbers. Yours change: something in your layer depends on the place of a token, also when causal is False."
        )
    return None


def the_future_stays_hidden(run, arguments, value):
    """With a causal mask, another last token changes the last row only; rows of pads, which nobody reads, aside."""
    if not arguments[CAUSAL]:
        return None
    changed = _changed(arguments, lambda array: np.concatenate([array[:, :-1], array[:, -1:] + 1], axis=1))
    earlier = np.ones(value.shape[:2], dtype=bool) if arguments[MASK] is None else arguments[MASK].copy()
    earlier[:, -1] = False
    if _differ(run(*changed), value, earlier):
        return "causal is True, but when the last token changes, so do rows before it. Where do they see it?"
    return None


def pads_do_not_matter(run, arguments, value):
    """What stands in a pad changes no row but its own."""
    mask = arguments[MASK]
    if mask is None:
        return None
    place = X if arguments[CONTEXT] is None else CONTEXT
    changed = list(arguments)
    changed[place] = arguments[place] + ~mask[:, :, None]
    rows = np.s_[:] if place == CONTEXT else mask
    if _differ(run(*changed), value, rows):
        return "When a pad changes, so do rows of real tokens. A key that key_mask hides should not matter at all."
    return None


def equal_tokens_give_their_value(run, arguments, value):
    """If all tokens are the same, a blend of their values is that value: the weights sum to 1."""
    x, _, _, W_V, W_O, *_ = arguments
    equal = _changed(arguments, lambda array: np.broadcast_to(array[:, :1], array.shape).copy())
    token = (equal[X] if equal[CONTEXT] is None else equal[CONTEXT])[:, :1]
    if _differ(run(*equal), np.broadcast_to(token @ W_V @ W_O, value.shape)):
        return (
            "When all tokens are the same, every blend of their values is that one value, times W_O. Yours is not: "
            "do the weights of each head sum to 1 over the keys, and is each head's value in its place?"
        )
    return None


# Laws of grouped-query attention: (query, key, value), each (batch, heads, n, d).


def weights_sum_to_one(run, arguments, value):
    """Values that are all 1 blend to 1."""
    query, key, values = arguments
    ones = run(query, key, np.ones_like(values))
    if _differ(ones, np.ones_like(value)):
        return "Where all values are 1, every blend of them is 1. Yours is not: over what do your weights sum to 1?"
    return None


def heads_stay_apart(run, arguments, value):
    """Another query in head 0 changes nothing in the other heads."""
    query, key, values = arguments
    changed = np.concatenate([query[:, :1] + 1, query[:, 1:]], axis=1)
    if _differ(run(changed, key, values), value, np.s_[:, 1:]):
        return "When query head 0 changes, so do other heads of your output. Each head attends by itself."
    return None


def keys_come_in_any_order(run, arguments, value):
    """The keys and their values listed backwards change nothing."""
    query, key, values = arguments
    if _differ(run(query, key[:, :, ::-1], values[:, :, ::-1]), value):
        return "Your output changes when the keys and their values are listed in another order; it should not."
    return None


def _changed(arguments, change):
    """The arguments with x, and the context if there is one, changed."""
    changed = list(arguments)
    changed[X] = change(arguments[X])
    if arguments[CONTEXT] is not None:
        changed[CONTEXT] = change(arguments[CONTEXT])
    return changed


def _differ(output, value, rows=np.s_[:]):
    """Whether an output of the same shape has other numbers in some rows; not if there is none to compare."""
    if not isinstance(output, np.ndarray) or output.shape != value.shape:
        return False
    return not np.allclose(output[rows], value[rows], atol=1e-6, equal_nan=True)
