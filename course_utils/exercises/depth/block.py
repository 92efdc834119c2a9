"""Exercises of ``09_depth``, second half: layer norm, feed-forward, and the block around attention."""

from functools import partial

import numpy as np

from course_utils.core.transformer import feed_forward as of_the_course
from course_utils.core.transformer import layer_norm
from course_utils.exercises.depth.exercises import LESSON, again, answers
from course_utils.exercises.depth.mistakes import block, feed, norm
from course_utils.exercises.engine.exercise import Exercise, halves


def _tokens_have_mean_0_and_variance_1(run, arguments, value):
    spread = np.asarray(arguments[0]).var(axis=-1)
    if value.shape != np.shape(arguments[0]) or spread.min() < 0.1:
        return None
    if np.abs(value.mean(axis=-1)).max() > 1e-6:
        return "Each token should have mean 0 over its features, and yours has not."
    if np.abs(value.var(axis=-1) - 1).max() > 1e-3:
        return "Each token should have variance 1 over its features, and yours has not."
    return None


def _one_token_at_a_time(run, arguments, value):
    x, *weights = arguments
    alone = run(x[..., :1, :], *weights)
    if isinstance(alone, np.ndarray) and not np.allclose(alone, value[..., :1, :], atol=1e-6):
        return "The first token alone gives another result than among others: here tokens should not meet."
    return None


def _silent_parts_change_nothing(run, arguments, value):
    silent = lambda x: np.zeros_like(x)
    alone = run(arguments[0], silent, silent)
    if isinstance(alone, np.ndarray) and not np.allclose(alone, arguments[0]):
        return "With parts that give only zeros, x should come out exactly as it went in; yours changes it."
    return None


def _each_part_reads_a_normalised_copy(run, arguments, value):
    x, *parts = arguments
    read = {"attend": [], "feed": []}

    def watched(name, part):
        return lambda x: read[name].append(np.array(x)) or part(x)

    run(x, *map(watched, read, parts))
    for name, copies in read.items():
        if len(copies) != 1:
            often = f"called {len(copies)} times" if copies else "never called"
            return f"{name} is {often} in your block. Each part works once."
    for name, copy, stream in zip(read, read.values(), (x, x + parts[0](layer_norm(x))), strict=True):
        if copy[0].shape != x.shape or not np.allclose(copy[0], layer_norm(stream), atol=1e-6):
            where = "as it comes in" if name == "attend" else "after attention"
            return f"What {name} reads is not the layer norm of the stream {where}."
    return None


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
    return of_the_course(x, W_1, b_1, W_2, b_2)


EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=answers.layer_norm,
        probes=[
            (np.array([[2.0, 4.0, 4.0, 6.0], [1.0, 0.0, 0.0, 3.0]]),),
            halves((3, 5), seed=2),
            (halves((5, 7), seed=3)[0] * 0.003 + 0.25,),
            (halves((3, 4, 6), seed=4)[0] + 3,),
            (np.array([[1.5, 1.5, 1.5], [1.0, 2.0, 6.0]]),),
            halves((2, 3, 5, 7), seed=5),
        ],
        covers="batches, small features, a token of equal features",
        properties=[_tokens_have_mean_0_and_variance_1],
        alternatives=[answers.norm_by_numpys_var],
        mistakes=[
            norm.variance_with_n_minus_1,
            norm.eps_outside_the_root,
            again(norm.eps_outside_the_root, partial(norm.eps_outside_the_root, eps=1e-6)),
            norm.no_eps,
            norm.another_eps,
            *(
                again(norm.another_eps, partial(norm.another_eps, eps=eps))
                for eps in (1e-3, 1e-4, 1e-8, 1e-12)
            ),
            norm.over_the_tokens,
            norm.over_the_first_axis,
            norm.over_the_second_axis,
            norm.one_mean_for_everything,
            norm.mean_is_not_subtracted,
            norm.scaled_but_not_centred,
            norm.divided_by_the_variance,
            norm.only_centred,
            norm.brought_to_length_one,
        ],
        hints=[
            "Mean and variance over axis=-1, with keepdims=True so that they fit against x again.",
            "The variance is the mean of the squares of x - mean. eps = 1e-5 goes under the root.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.feed_forward,
        probes=[
            halves((2, 3), (3, 5), (5,), (5, 3), (3,), seed=1),
            halves((4, 2), (2, 8), (8,), (8, 2), (2,), seed=2),
            halves((5, 4), (4, 7), (7,), (7, 4), (4,), seed=3),
            halves((2, 3, 5), (5, 11), (11,), (11, 5), (5,), seed=4),
        ],
        covers="batches, any hidden width",
        properties=[_one_token_at_a_time],
        alternatives=[answers.feed_token_by_token],
        mistakes=[
            feed.no_activation,
            feed.gelu_for_relu,
            feed.relu_at_the_end,
            feed.relu_twice,
            feed.relu_on_the_input,
            feed.first_bias_is_missing,
            feed.second_bias_is_missing,
            feed.first_bias_after_the_bend,
            feed.adds_the_residual,
            feed.sigmoid_for_relu,
            feed.normalised_inside,
        ],
        hints=[
            "Three steps: into the hidden width, bend, back. Each product has its bias.",
            "ReLU is np.maximum(..., 0): it keeps what is positive.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.pre_norm_block,
        probes=[
            (*halves((2, 3), seed=1), silent, silent),
            (*halves((3, 2), seed=2), first, silent),
            (*halves((2, 4), seed=3), silent, squares),
            (*halves((3, 5), seed=4), means, squares),
            (*halves((4, 6), seed=5), first, wide),
            (*halves((2, 5, 3), seed=6), means, wide),
        ],
        covers="silent parts, parts that move and parts that bend, a batch",
        properties=[_silent_parts_change_nothing, _each_part_reads_a_normalised_copy],
        alternatives=[answers.block_in_one_sum],
        mistakes=[
            block.norm_after_the_sum,
            block.residual_around_the_norm,
            block.no_residual,
            block.no_residual_around_attention,
            block.no_residual_around_the_feed_forward,
            block.attention_is_not_added,
            block.feed_forward_is_missing,
            block.attention_is_missing,
            block.residual_twice,
            block.second_residual_from_the_start,
            block.side_by_side,
            block.feed_forward_first,
            block.second_norm_is_missing,
            block.first_norm_is_missing,
            block.no_norm,
            block.norm_on_what_a_part_gives,
            block.normalised_once_more,
            block.one_norm_for_both,
        ],
        hints=[
            "Two lines, one for each part. In both, x stays on the left of a +, as it is.",
            "attend reads a normalised copy of x; what it gives is added to x. Then the same for feed.",
        ],
    ),
]
