"""What goes wrong when softmax is written by hand: ``f(x, axis=-1)``."""

import numpy as np


def forgets_the_maximum(x, axis=-1):
    """exp() overflows: a score of 1000 becomes infinity, and infinity divided by infinity is NaN.

    Softmax depends on differences only. What could you take away from every score before exp()?
    """
    e = np.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def one_maximum_for_all(x, axis=-1):
    """You take away one maximum, the largest number of the whole array.

    A row that lies far below it becomes all zeros, and 0/0 is NaN. Whose maximum does each row need?
    """
    e = np.exp(x - x.max())
    return e / e.sum(axis=axis, keepdims=True)


def one_sum_for_all(x, axis=-1):
    """All numbers of your array together sum to 1: you divide by one sum for everything.

    Each row should sum to 1 by itself. Along which axis do you sum?
    """
    e = np.exp(x - x.max())
    return e / e.sum()


def ignores_the_axis(x, axis=-1):
    """Your function always works along the last axis, whatever axis says.

    With axis=0 each column should sum to 1. Where does axis come into your code?
    """
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def columns_by_default(x, axis=0):
    """Without being told an axis, your function works down the columns.

    Each row holds one query's scores, and should sum to 1. What is the default of axis?
    """
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def loses_the_axis(x, axis=-1):
    """Your sum has lost an axis, so each column, not each row, is divided by one of the sums.

    In a square array nothing complains; in others the shapes do not fit. Which option of sum() keeps the axis?
    """
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis)


def one_too_many(x, axis=-1):
    """There is an extra 1 in your denominator, so the rows sum to less than 1.

    Some models want that, so that a query may look at nothing. What should a row sum to here?
    """
    e = np.exp(x)
    return e / (1 + e.sum(axis=axis, keepdims=True))


def one_too_many_after_the_maximum(x, axis=-1):
    """There is an extra 1 in your denominator, added after the maximum was taken away.

    The rows sum to less than 1, by an amount that depends on the maximum. What should a row sum to?
    """
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / (1 + e.sum(axis=axis, keepdims=True))


def small_number_in_the_denominator(x, axis=-1):
    """You add a small number to the denominator, and it is large enough to change the answer.

    Once the maximum is taken away, the sum is at least 1. Against what does the small number protect?
    """
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-2)


def works_in_place(x, axis=-1):
    """Your numbers are right, but the caller's array is changed: -= and out= write into the argument.

    Whoever gave you the scores may need them again. How do you make a new array instead?
    """
    x -= x.max(axis=axis, keepdims=True)
    np.exp(x, out=x)
    return x / x.sum(axis=axis, keepdims=True)


def forgets_to_divide(x, axis=-1):
    """Your numbers are exponentials, not yet shares: the largest of each row is 1.

    A row should sum to 1. What is the last step?
    """
    return np.exp(x - x.max(axis=axis, keepdims=True))


def divides_without_exp(x, axis=-1):
    """You divide the scores by their sum, without exp(). Negative scores then give negative weights.

    A weight is never negative. What makes every score positive, and keeps the order?
    """
    return x / x.sum(axis=axis, keepdims=True)


def takes_the_smallest_away(x, axis=-1):
    """You take away the smallest score of each row, so the largest exponent is still as large as their distance.

    With scores of 0 and 2000, exp() overflows as before. What should the largest exponent be?
    """
    e = np.exp(x - x.min(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def takes_the_mean_away(x, axis=-1):
    """You take away the mean of each row, so the largest score can still be far above 0.

    With scores of 0 and 2000, exp() overflows as before. What should the largest exponent be?
    """
    e = np.exp(x - x.mean(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def takes_the_largest_size_away(x, axis=-1):
    """You take away the largest *size*, abs(x), so a row of very negative scores sinks twice as deep.

    Its exponentials are all 0, and 0/0 is NaN. What is the largest score of such a row?
    """
    e = np.exp(x - np.abs(x).max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def loses_both_axes(x, axis=-1):
    """Neither the maximum nor the sum keeps its axis, so both meet the columns instead of the rows.

    In a square array nothing complains; in others the shapes do not fit. Which option keeps the axis?
    """
    e = np.exp(x - x.max(axis=axis))
    return e / e.sum(axis=axis)
