"""What goes wrong in the entropy of weights: entropy(weights), (..., n) to (...)."""

import numpy as np


def entropy_without_minus(weights):
    """Your entropy is negative: logarithms of numbers below 1 are negative.

    Spread should be 0 for one key only, and grow. Which sign is missing?
    """
    return np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=-1)


def zero_times_log_zero(weights):
    """There is NaN where a weight is 0: log(0) is minus infinity, and 0 times infinity is undefined.

    A weight of 0 adds nothing to the spread. How can you keep log from seeing it?
    """
    return -np.sum(weights * np.log(weights), axis=-1)


def entropy_in_bits(weights):
    """You use the logarithm to base 2, which gives bits.

    That is a fair unit; here nats are asked for, with log(n) as the largest value. Which logarithm gives that?
    """
    return -np.sum(weights * np.log2(np.where(weights > 0, weights, 1)), axis=-1)


def entropy_of_everything(weights):
    """You sum over all rows, and one number comes out.

    Each row has an entropy of its own. Along which axis do you sum?
    """
    return -np.sum(weights * np.log(np.where(weights > 0, weights, 1)))


def entropy_unweighted(weights):
    """You add up -log(p) without weighting it by p.

    Rare keys then count most. How often does each key come up?
    """
    return -np.sum(np.log(np.where(weights > 0, weights, 1)), axis=-1)


def entropy_down_the_columns(weights):
    """You sum down the columns, over the queries.

    The entropy tells how one query spreads its attention. Which axis holds the keys?
    """
    return -np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=0)


def minus_and_zero_missing(weights):
    """Two things: your entropy is negative, and where a weight is 0 there is NaN, because log(0) is minus infinity.

    Logarithms of numbers below 1 are negative. Which sign is missing?
    """
    return np.sum(weights * np.log(weights), axis=-1)


def entropy_to_base_ten(weights):
    """You use the logarithm to base 10.

    Nats are asked for, with log(n) as the largest value. Which logarithm gives that?
    """
    return -np.sum(weights * np.log10(np.where(weights > 0, weights, 1)), axis=-1)
