"""From scores to weights: softmax, and two ways to look at what it does."""

from course_utils.core.arrays import cast, working


def softmax(scores, *, axis=-1):
    """Turn scores into weights that are never negative and sum to 1 along ``axis``.

    softmax(s)_i = exp(s_i - m) / sum_j exp(s_j - m), with m the largest score along the axis: taking it away
    changes nothing on paper and keeps exp from overflowing. A row of only -inf (a query that may look at
    nothing) gives zeros. Scores and weights have the same shape and dtype; integers become floats. Raises
    ValueError for an axis that is not there.

    >>> import numpy as np
    >>> softmax(np.array([1000.0, 1000.0])).tolist()
    [0.5, 0.5]
    """
    xp, (scores,), dtype = working(scores=scores)
    if not -scores.ndim <= axis < scores.ndim:
        raise ValueError(f"axis {axis} does not exist: scores is {tuple(scores.shape)}")
    if scores.shape[axis] == 0:
        return cast(xp, scores, dtype)
    largest = xp.max(scores, axis=axis, keepdims=True)
    largest = xp.where(largest == -xp.inf, xp.zeros_like(largest), largest)  # -inf - -inf would be NaN
    exponentials = xp.exp(scores - largest)
    total = xp.sum(exponentials, axis=axis, keepdims=True)
    weights = exponentials / xp.where(total == 0, xp.ones_like(total), total)
    return cast(xp, weights, dtype)


def entropy(weights, *, axis=-1):
    """Say how spread out weights are, in nats: 0 for one key only, log(n) for n equal weights.

    H = -sum_i p_i log(p_i), where 0 log(0) counts as 0. The axis goes: (..., n) gives (...).

    >>> import numpy as np
    >>> float(entropy(np.array([1.0, 0.0])))
    0.0
    """
    xp, (weights,), dtype = working(weights=weights)
    logarithms = xp.log(xp.where(weights == 0, xp.ones_like(weights), weights))
    return cast(xp, 0.0 - xp.sum(weights * logarithms, axis=axis), dtype)


def softmax_jacobian(weights):
    """Say how each weight moves when each score moves: J_ij = d p_i / d s_j = p_i (1[i=j] - p_j).

    ``weights`` (..., n) is what softmax returned; gives (..., n, n), diag(p) - p pᵀ. Its rows sum to 0: a
    weight can only grow at the cost of others.

    >>> import numpy as np
    >>> softmax_jacobian(np.array([0.5, 0.5])).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    xp, (weights,), dtype = working(weights=weights)
    column, row = weights[..., :, None], weights[..., None, :]
    identity = cast(xp, xp.arange(weights.shape[-1])[:, None] == xp.arange(weights.shape[-1]), weights.dtype)
    return cast(xp, column * identity - column * row, dtype)
