"""What goes wrong in attention with masks: ``f(query, key, value, mask, bias, causal, scale)``.

The plain slips of attention without masks are in ``core``; ``masked`` carries them over.
"""

import math

import numpy as np

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax


def _t(array):
    return np.swapaxes(array, -1, -2)


def scaled(query, key, scale):
    return query @ _t(key) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)


def future(scores):
    return causal_mask(*scores.shape[-2:])


def may_look(scores, mask, causal, past=future):
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else np.broadcast_to(mask, scores.shape)
    return allowed & past(scores) if causal else allowed


def scores_of(query, key, bias, scale):
    return scaled(query, key, scale) + (0 if bias is None else bias)


def filled(query, key, value, mask, bias, causal, scale, fill=-np.inf, past=future):
    scores = scores_of(query, key, bias, scale)
    return softmax(np.where(may_look(scores, mask, causal, past), scores, fill)) @ value


# The mask


def mask_inverted(query, key, value, mask, bias, causal, scale):
    """Your mask is turned round: what should be hidden is seen, and what should be seen is hidden.

    In this course, and in torch's fused call, True means "may look"; nn.MultiheadAttention says it the other
    way round. What does your line do where the mask is True?
    """
    scores = scores_of(query, key, bias, scale)
    allowed = np.ones(scores.shape, dtype=bool) if mask is None else ~np.broadcast_to(mask, scores.shape)
    return softmax(np.where(allowed & future(scores) if causal else allowed, scores, -np.inf)) @ value


def everything_inverted(query, key, value, mask, bias, causal, scale):
    """Mask and future are combined as they should be, and then the result is used the other way round.

    True means "may look". Which branch of your np.where keeps the score?
    """
    scores = scores_of(query, key, bias, scale)
    allowed = may_look(scores, mask, causal)
    hidden = ~allowed if (mask is None and not causal) else allowed
    return softmax(np.where(hidden, -np.inf, scores)) @ value


def ignores_the_mask(query, key, value, mask, bias, causal, scale):
    """The mask has no effect: hidden keys are seen as before.

    It comes in as an argument. In which line does it reach the scores?
    """
    return filled(query, key, value, None, bias, causal, scale)


def masks_after_the_softmax(query, key, value, mask, bias, causal, scale):
    """You set weights to 0 after the softmax. The row no longer sums to 1, and the hidden key still counts.

    It took its share of the sum before it was set to 0: whoever edits it moves the other weights. What would a
    score have to be for its weight to come out as 0 by itself?
    """
    scores = scores_of(query, key, bias, scale)
    return (softmax(scores) * may_look(scores, mask, causal)) @ value


def multiplies_the_scores(query, key, value, mask, bias, causal, scale):
    """A hidden score becomes 0, or as good as 0, and exp(0) is 1: the key keeps a weight.

    A fill of 1e-9 does the same; it is a tiny positive number. Which score has the weight 0?
    """
    scores = scores_of(query, key, bias, scale)
    return softmax(scores * may_look(scores, mask, causal)) @ value


def fills_with_minus_10(query, key, value, mask, bias, causal, scale):
    """You fill with -10. A hidden key keeps a weight of about exp(-10), and more where the scores are low.

    A leak of a few hundred-thousandths trains, passes a glance, and is a leak. Which number is small enough always?
    """
    return filled(query, key, value, mask, bias, causal, scale, fill=-10.0)


def fills_with_minus_1e4(query, key, value, mask, bias, causal, scale):
    """You fill with a number that a score can pass: where the real scores are lower, the hidden key wins.

    Here one row has all its scores near -20000. Which number is below every score?
    """
    return filled(query, key, value, mask, bias, causal, scale, fill=-1e4)


def fills_with_minus_1e9(query, key, value, mask, bias, causal, scale):
    """A query that may look at nothing gets the plain average of all values, the hidden ones included.

    That is what a large but finite fill does: the same number for all keys of the row, and equal scores share
    equally. What should such a query get, and which line sees to it?
    """
    return filled(query, key, value, mask, bias, causal, scale, fill=-1e9)


def fills_with_plus_inf(query, key, value, mask, bias, causal, scale):
    """You fill with *plus* infinity. The hidden key wins everything, and infinity over infinity is NaN.

    -float("-inf") is positive, too. Which sign makes exp go to 0?
    """
    return _naive(_masked(query, key, mask, bias, causal, scale, np.inf)) @ value


def adds_the_mask(query, key, value, mask, bias, causal, scale):
    """The mask is added as 0 and 1: visible keys get 1 more, and the hidden ones stay where they were.

    What is added has to be 0 for a visible key. And for a hidden one?
    """
    scores = scores_of(query, key, bias, scale)
    for allowed in (mask, future(scores) if causal else None):
        scores = scores if allowed is None else scores + allowed
    return softmax(scores) @ value


def combines_with_or(query, key, value, mask, bias, causal, scale):
    """With mask and causal together, a key is hidden only if *both* hide it.

    A pad in the past, or a real token in the future, gets through. Must a key pass one of the two, or both?
    """
    scores = scores_of(query, key, bias, scale)
    allowed = may_look(scores, mask, causal)
    if causal and mask is not None:
        allowed = future(scores) | mask
    return softmax(np.where(allowed, scores, -np.inf)) @ value


def causal_replaces_the_mask(query, key, value, mask, bias, causal, scale):
    """As soon as causal is True, the mask is forgotten.

    Both can be there: padding and causal, in every batch that is trained. How do you keep both?
    """
    return filled(query, key, value, None if causal else mask, bias, causal, scale)


def mask_replaces_causal(query, key, value, mask, bias, causal, scale):
    """As soon as there is a mask, causal is forgotten, and the future shows.

    Both can be there: padding and causal, in every batch that is trained. How do you keep both?
    """
    return filled(query, key, value, mask, bias, causal and mask is None, scale)


def mask_on_queries(query, key, value, mask, bias, causal, scale):
    """Your mask hides queries, not keys: whole rows are emptied, and pads are still looked at.

    The last axis of the weights belongs to the keys. Which axis of your mask meets it?
    """
    return filled(query, key, value, None if mask is None else _t(mask), bias, causal, scale)


def empty_row_nan(query, key, value, mask, bias, causal, scale):
    """A query that may look at nothing gives NaN: its scores are all -inf, and -inf minus -inf is not a number.

    NaN then spreads through every later layer. torch's fused call gives zeros there, and so should you. How do you
    notice such a row?
    """
    return _naive(_masked(query, key, mask, bias, causal, scale, -np.inf)) @ value


def adds_minus_1e9(query, key, value, mask, bias, causal, scale):
    """A query that may look at nothing looks at everything, as if there were no mask: -1e9 was added to all its scores.

    The same number added to a whole row cancels in the softmax. What should such a query get, and how do you see to it?
    """
    scores = scores_of(query, key, bias, scale)
    return softmax(scores + np.where(may_look(scores, mask, causal), 0, -1e9)) @ value


def two_masks_of_minus_1e9(query, key, value, mask, bias, causal, scale):
    """Mask and future each add -1e9. A key that both hide falls below one that only one of them hides.

    In a row where no key is left, the softmax then chooses among the hidden ones. What if you first combine the
    masks as booleans, and fill once?
    """
    scores = scores_of(query, key, bias, scale)
    for allowed in (mask, future(scores) if causal else None):
        scores = scores if allowed is None else scores + np.where(allowed, 0, -1e9)
    return softmax(scores) @ value


def two_masks_added(query, key, value, mask, bias, causal, scale):
    """Two very negative masks are added. A key that both hide falls below one that only one of them hides.

    In a row where no key is left, the softmax then chooses among the hidden ones. What if you first combine the
    masks as booleans, and fill once?
    """
    scores = scores_of(query, key, bias, scale)
    lowest = np.finfo(np.float64).min / 4
    for allowed in (mask, future(scores) if causal else None):
        if allowed is not None:
            scores = scores + np.where(allowed, 0, lowest)
    return softmax(scores) @ value


# The future


def causal_ignored(query, key, value, mask, bias, causal, scale):
    """causal=True changes nothing: the future stays visible.

    The flag comes in. Where is it used?
    """
    return filled(query, key, value, mask, bias, False, scale)


def causal_strict(query, key, value, mask, bias, causal, scale):
    """With causal, a token cannot see itself, and the first one sees nothing at all.

    "But it must not see the word it has to guess": the *targets* are shifted by one, not the mask. Does the diagonal
    belong to the past?
    """
    return filled(query, key, value, mask, bias, causal, scale, past=lambda s: _past(s, -1))


def causal_leak_1(query, key, value, mask, bias, causal, scale):
    """With causal, each token sees one token of the future: the very one it has to predict.

    np.tril(..., k=1) does this. Up to which key may query i look?
    """
    return filled(query, key, value, mask, bias, causal, scale, past=lambda s: _past(s, 1))


def causal_top_left(query, key, value, mask, bias, causal, scale):
    """With fewer queries than keys, your triangle starts at the top left, as if the queries were the first tokens.

    With a cache they are the last ones, and torch's is_causal has the same trap: one new token sees key 0 only. By
    how much does the triangle have to move?
    """
    return filled(
        query, key, value, mask, bias, causal, scale, past=lambda s: np.tril(np.ones(s.shape[-2:], bool))
    )


def causal_only_square(query, key, value, mask, bias, causal, scale):
    """The future is hidden only if there are as many queries as keys.

    Three new tokens on a cache must not see each other's future either. What is the place of query i among the keys?
    """
    square = query.shape[-2] == key.shape[-2]
    return filled(query, key, value, mask, bias, causal and square, scale)


def causal_first_key_only(query, key, value, mask, bias, causal, scale):
    """With causal, every query sees the first key only: each row of your triangle is its first row.

    That happens when the triangle is built from other axes. Which two axes are queries and keys?
    """
    return filled(
        query, key, value, mask, bias, causal, scale, past=lambda s: np.arange(s.shape[-1])[None] == 0
    )


def causal_upside_down(query, key, value, mask, bias, causal, scale):
    """With causal, the past is hidden and the future shows: you kept the other triangle.

    Row i is a query. Which keys j may it see, those with j <= i or with j >= i?
    """
    return filled(
        query, key, value, mask, bias, causal, scale, past=lambda s: np.triu(np.ones(s.shape[-2:], bool))
    )


def _past(scores, ahead):
    n_queries, n_keys = scores.shape[-2:]
    return np.tril(np.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries + ahead)


def _masked(query, key, mask, bias, causal, scale, fill):
    scores = scores_of(query, key, bias, scale)
    return np.where(may_look(scores, mask, causal), scores, fill)


def _naive(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
