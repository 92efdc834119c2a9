"""What goes wrong with the options of attention: ``f(query, key, value, mask, bias, causal, scale)``."""

import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.masking.mistakes.masking import filled, future, may_look, scaled, scores_of

# All of them


def ignores_all_options(query, key, value, mask, bias, causal, scale):
    """This is attention without any mask: mask, bias, causal and scale come in and are not used.

    Each is one line between the scores and the softmax. Which will you take first?
    """
    return filled(query, key, value, None, None, False, None)


# Bias and scale


def bias_scaled(query, key, value, mask, bias, causal, scale):
    """The bias is added before the scale, so it is divided with the scores.

    A mask of -inf survives that, a finite bias does not. What is scaled first?
    """
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return filled(query, key, value, mask, None if bias is None else bias * factor, causal, scale)


def ignores_the_bias(query, key, value, mask, bias, causal, scale):
    """The bias has no effect.

    It is an array of floats, or None. Where do the scores meet it?
    """
    return filled(query, key, value, mask, None, causal, scale)


def bias_after_the_softmax(query, key, value, mask, bias, causal, scale):
    """The bias is added to the weights, after the softmax: rows no longer sum to 1.

    It is meant to move scores. Before which step is it added?
    """
    weights = softmax(
        np.where(may_look(scaled(query, key, scale), mask, causal), scaled(query, key, scale), -np.inf)
    )
    return (weights + (0 if bias is None else bias)) @ value


def ignores_the_scale(query, key, value, mask, bias, causal, scale):
    """The argument scale is not used: whatever comes in, you multiply by 1/sqrt(d_k).

    1/sqrt(d_k) is meant for scale=None. What if a number comes?
    """
    return filled(query, key, value, mask, bias, causal, None)


def divides_by_the_scale(query, key, value, mask, bias, causal, scale):
    """A scale that is given divides the scores.

    scale stands for 1/sqrt(d_k): it is a factor. Is 1.3 then to make the scores larger or smaller?
    """
    return filled(query, key, value, mask, bias, causal, None if scale is None else 1 / scale)


def scales_twice(query, key, value, mask, bias, causal, scale):
    """The scores are scaled twice: once by scale, or what stands for it, and once more by 1/sqrt(d_k).

    Where scale is None that is 1/d_k. Which of the two lines is one too many?
    """
    factor = 1 / math.sqrt(query.shape[-1])
    return filled(query, key, value, mask, bias, causal, factor * (factor if scale is None else scale))


# Manners


def mutates_mask(query, key, value, mask, bias, causal, scale):
    """Your numbers are right, but the caller's mask has changed: you wrote the future into it.

    The next call with the same mask will hide more than it should. How do you combine the two without &=?
    """
    output = filled(query, key, value, mask, bias, causal, scale)
    if mask is not None and causal:
        mask &= future(scaled(query, key, scale))
    return output


def int_truncation(query, key, value, mask, bias, causal, scale):
    """For whole numbers as input, your output is cut to whole numbers.

    np.zeros_like(value) has the type of value. Which type do weights need?
    """
    return filled(query, key, value, mask, bias, causal, scale).astype(value.dtype)


# Empty rows


def renormalises_an_empty_row(query, key, value, mask, bias, causal, scale):
    """A query that may look at nothing gives NaN: after the zeros, the sum of its row is 0, and 0/0 is not a number.

    Such a query should get zeros. How do you notice its row before you divide?
    """
    scores = scores_of(query, key, bias, scale)
    kept = softmax(scores) * may_look(scores, mask, causal)
    return kept / kept.sum(axis=-1, keepdims=True) @ value


def guard_hides_an_overflow(query, key, value, mask, bias, causal, scale):
    """exp() overflows or underflows, the row becomes NaN, and then your guard for empty rows turns it into zeros.

    Zeros are right for a row without a key, not for a row with large scores. What is taken away from each row first?
    """
    scores = scores_of(query, key, bias, scale)
    exponentials = np.exp(np.where(may_look(scores, mask, causal), scores, -np.inf))
    return np.nan_to_num(exponentials / exponentials.sum(axis=-1, keepdims=True)) @ value


# Right on paper, and fragile: accepted with a note


def zeroes_and_renormalises(query, key, value, mask, bias, causal, scale):
    """The hidden weights are taken out after exp, and the rest divided by its own sum: the same distribution, on paper.

    It breaks where a hidden score is far above the visible ones: they all underflow to 0, and 0/0 is NaN. One probe
    has a gap of 1000; float16 breaks from about 15. -inf before the softmax never does, and is one line shorter.
    """
    scores = scores_of(query, key, bias, scale)
    allowed = may_look(scores, mask, causal)
    kept = softmax(scores) * allowed
    total = kept.sum(axis=-1, keepdims=True)
    empty = ~allowed.any(axis=-1, keepdims=True)
    return kept / np.where(empty, 1, total) @ value


def zeroes_renormalises_and_guards(query, key, value, mask, bias, causal, scale):
    """The hidden weights are taken out after exp, and the rest divided by its own sum: the same distribution, on paper.

    It breaks where a hidden score is far above the visible ones: they all underflow to 0, and the row comes out as
    zeros. One probe has a gap of 1000. -inf before the softmax never breaks, and is one line shorter.
    """
    scores = scores_of(query, key, bias, scale)
    kept = softmax(scores) * may_look(scores, mask, causal)
    total = kept.sum(axis=-1, keepdims=True)
    return kept / np.where(total == 0, 1, total) @ value
