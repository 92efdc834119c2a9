"""Laws that answers have to keep: each gives a sentence when it is broken, else None."""

import numpy as np


def rows_sum_to_one(run, arguments, value):
    """For weights: every row sums to 1, along the axis that is the second argument, or the last."""
    axis = arguments[1] if len(arguments) > 1 else -1
    sums = np.ravel(np.sum(value, axis=axis))
    off = sums[~np.isclose(sums, 1, atol=1e-4)]
    return f"The weights of a row have to sum to 1, but yours sum to {off[0]:.4g} here." if off.size else None


def never_negative(run, arguments, value):
    """For weights: none is below 0."""
    return f"A weight is never negative, but one of yours is {np.min(value):.3f}." if np.min(value) < -1e-9 else None


def stays_between_the_values(run, arguments, value):
    """For a blend, with the values last among the arguments: every entry lies between their smallest and largest."""
    values = np.asarray(arguments[-1])
    low, high = values.min(axis=-2, keepdims=value.ndim > 1), values.max(axis=-2, keepdims=value.ndim > 1)
    if value.shape[-1] != values.shape[-1] or (np.all(value >= low - 1e-9) and np.all(value <= high + 1e-9)):
        return None
    return "A blend stays between the smallest and the largest value of each column, but yours leaves that range."


def follows_reordered_keys(run, arguments, value):
    """For (query, key, value): listing the keys and their values in another order changes nothing."""
    query, key, values = arguments
    other = run(query, key[..., ::-1, :], values[..., ::-1, :])
    if isinstance(other, np.ndarray) and other.shape == value.shape and not np.allclose(other, value, atol=1e-6):
        return "Your output changes when the keys and their values are listed in another order; it should not."
    return None
