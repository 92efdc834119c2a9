"""What goes wrong with the ratio of two weights in a row: ``f(query, key, other_key)``."""

import math

import numpy as np


def _scores(query, key, other_key):
    return query @ key / math.sqrt(len(query)), query @ other_key / math.sqrt(len(query))


def ratio_of_the_scores(query, key, other_key):
    """You divide one score by the other. A score is not a weight yet: it may be 0 or negative.

    Softmax takes exp of each score, then divides the row by its sum. What is left when you divide two of its weights?
    """
    first, second = _scores(query, key, other_key)
    return first / second


def difference_of_the_scores(query, key, other_key):
    """You return the difference of the scaled scores. That is the logarithm of what is asked for.

    Two equal scores give 0 here, but equal weights have the ratio 1. Which function turns a score into a share?
    """
    first, second = _scores(query, key, other_key)
    return first - second


def does_not_scale(query, key, other_key):
    """Your scores are not divided by sqrt(d_k), so the ratio is that of a much sharper row.

    Attention scales before its softmax. By how much, for this query?
    """
    return np.exp(query @ key - query @ other_key)


def divides_by_d_k(query, key, other_key):
    """You divide by d_k, not by its square root, so the ratio comes out too close to 1.

    The spread of a dot product grows like sqrt(d_k). What does attention divide by?
    """
    return np.exp((query @ key - query @ other_key) / len(query))


def other_way_round(query, key, other_key):
    """Your ratio is upside down: the weight on other_key over the weight on key.

    With a key that fits the query better than the other one, the ratio should be above 1. Which one is on top?
    """
    first, second = _scores(query, key, other_key)
    return np.exp(second - first)


def share_of_the_two(query, key, other_key):
    """You return what key gets if the two share out a total of 1 between them. That is never above 1.

    A ratio compares the two with each other: with equal scores it is 1. What do you divide by?
    """
    first, second = _scores(query, key, other_key)
    return 1 / (1 + np.exp(second - first))


def other_key_is_not_used(query, key, other_key):
    """You return exp of one score. That is what a weight is before it is divided by the sum of its row.

    The sum is the same for both weights, so it drops out of the ratio, but the other exponential does not.
    Where is it?
    """
    return np.exp(_scores(query, key, other_key)[0])


def by_two_exponentials(query, key, other_key):
    """Right on paper. One remark: each exponential alone overflows for large scores: NumPy then gives inf, inf / inf
    is NaN, and math.exp stops with an error. Take the difference of the scores first, then one exponential.
    """
    first, second = _scores(query, key, other_key)
    return np.exp(first) / np.exp(second)


def by_two_of_maths(query, key, other_key):
    first, second = _scores(query, key, other_key)
    return math.exp(first) / math.exp(second)  # raises OverflowError, where NumPy gives inf
