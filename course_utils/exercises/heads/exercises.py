"""Exercises of ``05_heads`` on cutting and joining. The whole layer is in ``layer``, shared heads in ``grouped``."""

import numpy as np

from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, halves


def shape_of_head_scores():
    x, context, n_heads = (2, 7, 30), (2, 11, 30), 5
    batch, n, n_context = x[0], x[1], context[1]
    return (batch, n_heads, n, n_context)


def split_heads(x, n_heads):
    cut = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return np.swapaxes(cut, -3, -2)


def join_heads(x):
    tokens_first = np.swapaxes(x, -3, -2)
    return tokens_first.reshape(*tokens_first.shape[:-2], -1)


def line_that_mixes_tokens():
    return 5


def _by_slices(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=-3)


def _by_einsum_of_names(x, n_heads):
    *batch, n, d = x.shape
    return np.einsum("...nhd->...hnd", x.reshape(*batch, n, n_heads, d // n_heads))


def _by_concatenating(x):
    return np.concatenate([x[..., h, :, :] for h in range(x.shape[-3])], axis=-1)


EXERCISES = [
    Exercise(solution=shape_of_head_scores, mistakes=slips("heads/heads", shape_of_head_scores)),
    Exercise(
        solution=split_heads,
        probes=[
            (np.array([[1.0, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]), 2),
            (np.arange(24.0).reshape(4, 6), 2),
            (np.arange(60.0).reshape(2, 5, 6), 3),
            (*halves((5, 3, 8), seed=1), 4),
            (*halves((2, 3, 7, 10), seed=2), 5),
            (*halves((2, 4, 6), seed=3), 1),
        ],
        alternatives=[_by_slices, _by_einsum_of_names],
        mistakes=slips("heads/heads", split_heads),
    ),
    Exercise(
        solution=join_heads,
        probes=[
            (np.array([[[1.0, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]]),),
            (np.arange(24.0).reshape(3, 2, 4),),
            *((array,) for array in halves((2, 3, 5, 4), (5, 2, 7, 3), (2, 3, 4, 7, 5), (2, 1, 4, 3), seed=4)),
        ],
        alternatives=[_by_concatenating],
        mistakes=slips("heads/heads", join_heads),
    ),
    Exercise(solution=line_that_mixes_tokens, mistakes=slips("heads/heads", line_that_mixes_tokens)),
]
