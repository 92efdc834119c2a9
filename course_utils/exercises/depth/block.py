"""Exercises of ``09_depth``, second half: layer norm, feed-forward, and the block around attention."""

import numpy as np

from course_utils.core import transformer
from course_utils.exercises.depth.laws import (
    each_part_reads_a_normalised_copy,
    one_token_at_a_time,
    silent_parts_change_nothing,
    tokens_have_mean_0_and_variance_1,
)
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves


def layer_norm(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5)


def feed_forward(x, W_1, b_1, W_2, b_2):
    hidden = x @ W_1 + b_1
    active = np.maximum(hidden, 0)
    return active @ W_2 + b_2


def pre_norm_block(x, attend, feed):
    x = x + attend(transformer.layer_norm(x))
    return x + feed(transformer.layer_norm(x))


# Other right answers.


def norm_by_numpys_var(x):
    return (x - np.mean(x, -1, keepdims=True)) * (np.var(x, -1, keepdims=True) + 1e-5) ** -0.5


def feed_token_by_token(x, W_1, b_1, W_2, b_2):
    if x.ndim > 1:
        return np.array([feed_token_by_token(row, W_1, b_1, W_2, b_2) for row in x])
    return b_2 + sum(max(h, 0) * row for h, row in zip(x @ W_1 + b_1, W_2, strict=True))


def block_in_one_sum(x, attend, feed):
    brought = attend(transformer.layer_norm(x))
    return feed(transformer.layer_norm(brought + x)) + brought + x


# Parts of a block, known to the learner by their docstrings.


def silent(x):
    """a part that gives only zeros"""
    return np.zeros_like(x)


def means(x):
    """a part that gives each token the mean of all tokens"""
    return np.zeros_like(x) + x.mean(axis=-2, keepdims=True)


def first(x):
    """a part that gives each token twice the first token, plus 1"""
    return np.zeros_like(x) + 2 * x[..., :1, :] + 1


def squares(x):
    """a part that gives the square of each feature"""
    return x**2


def wide(x):
    """a feed-forward with random weights"""
    d = x.shape[-1]
    W_1, b_1, W_2, b_2 = halves((d, 3 * d), (3 * d,), (3 * d, d), (d,), seed=4)
    return transformer.feed_forward(x, W_1, b_1, W_2, b_2)


EXERCISES = [
    Exercise(
        solution=layer_norm,
        probes=[
            (np.array([[2.0, 4.0, 4.0, 6.0], [1.0, 0.0, 0.0, 3.0]]),),
            halves((3, 5), seed=2),
            (halves((5, 7), seed=3)[0] * 0.003 + 0.25,),
            (halves((3, 4, 6), seed=4)[0] + 3,),
            (np.array([[1.5, 1.5, 1.5], [1.0, 2.0, 6.0]]),),
            halves((2, 3, 5, 7), seed=5),
        ],
        properties=[tokens_have_mean_0_and_variance_1],
        alternatives=[norm_by_numpys_var],
        mistakes=slips("depth/norm", layer_norm),
    ),
    Exercise(
        solution=feed_forward,
        probes=[
            halves((2, 3), (3, 5), (5,), (5, 3), (3,), seed=1),
            halves((4, 2), (2, 8), (8,), (8, 2), (2,), seed=2),
            halves((5, 4), (4, 7), (7,), (7, 4), (4,), seed=3),
            halves((2, 3, 5), (5, 11), (11,), (11, 5), (5,), seed=4),
        ],
        properties=[one_token_at_a_time],
        alternatives=[feed_token_by_token],
        mistakes=slips("depth/feed", feed_forward),
    ),
    Exercise(
        solution=pre_norm_block,
        probes=[
            (*halves((2, 3), seed=1), silent, silent),
            (*halves((3, 2), seed=2), first, silent),
            (*halves((2, 4), seed=3), silent, squares),
            (*halves((3, 5), seed=4), means, squares),
            (*halves((4, 6), seed=5), first, wide),
            (*halves((2, 5, 3), seed=6), means, wide),
        ],
        properties=[silent_parts_change_nothing, each_part_reads_a_normalised_copy],
        alternatives=[block_in_one_sum],
        mistakes=slips("depth/block", pre_norm_block),
    ),
]
