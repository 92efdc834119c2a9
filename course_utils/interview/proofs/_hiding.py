"""Ways to hide the future, and what they let through: tools of the proofs on masking."""

import math

import numpy as np

from course_utils.core.attention import attention_steps
from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example


def the_example():
    """The words of the worked example, its scaled scores and its weights without a mask."""
    words, _, x, W_Q, W_K, W_V = worked_example()
    steps = attention_steps(x @ W_Q, x @ W_K, x @ W_V)
    return words, steps.scaled, steps.weights


def arrays(n, d=4, seed=0):
    return np.random.default_rng(seed).standard_normal((3, n, d))


def ways(scores, mask):
    """Weights in five ways to hide what the mask does not allow."""
    zeroed = np.where(mask, softmax(scores), 0)
    return {
        "honest": softmax(np.where(mask, scores, -np.inf)),
        "score 0": softmax(np.where(mask, scores, 0)),
        "-10": softmax(np.where(mask, scores, -10)),
        "zeros after": zeroed,
        "renormalised": zeroed / zeroed.sum(axis=-1, keepdims=True),
    }


def by(way, may_look=causal_mask):
    """An attention function that hides the future in one of these ways."""
    return lambda q, k, v: ways(q @ k.T / math.sqrt(q.shape[1]), may_look(len(q)))[way] @ v


def moved(f, t, only_value=False, n=6):
    """The rows of the output that move when token t is edited."""
    x = arrays(n)
    edited = x.copy()
    edited[2 if only_value else slice(None), t] += 1
    return np.flatnonzero(np.any(f(*edited) != f(*x), axis=1)).tolist()


def leak(f, n=6, last_only=False, parts=(0, 1, 2)):
    """The largest change of the past when the future is edited."""
    x, worst = arrays(n), 0.0
    for t in [n - 1] if last_only else range(1, n):
        edited = x.copy()
        edited[list(parts), t:] = arrays(n, seed=1)[list(parts), t:]
        worst = max(worst, np.abs(f(*edited)[:t] - f(*x)[:t]).max())
    return worst


def hidden_far_above(gap, dtype):
    """Renormalised weight of the first of two visible scores 0 and 1, a hidden one ``gap`` high."""
    scores = np.array([0, 1, gap], dtype=dtype)
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - scores.max())
        weights = (exponentials / exponentials.sum(dtype=dtype))[:2]
        return float((weights / weights.sum(dtype=dtype))[0])
