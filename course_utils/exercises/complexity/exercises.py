"""Exercises of ``06_complexity``: costs worked out by counting. Those with code are in ``streaming``."""

import inspect
import math

import numpy as np

from course_utils.exercises.complexity.mistakes import complexity as mistakes
from course_utils.exercises.complexity.mistakes import memory
from course_utils.exercises.engine.exercise import Exercise, Mistake

LESSON = "06_complexity"


def attention_operations():
    return round(4 * 512**2 * 768 / 1e6, 1)


def layer_flops(n, d_model):
    pairs = 2 * 2 * n * n * d_model
    projections = 4 * 2 * n * d_model * d_model
    feed_forward = 2 * 2 * n * d_model * 4 * d_model
    return pairs + projections + feed_forward


def crossover_length():
    return 6 * 512


def doubling_factor():
    return round(layer_flops(1024, 768) / layer_flops(512, 768), 2)


def merged_sum():
    return round(sum(math.exp(score - 5) for score in (2, 1, 4, 3, 5, 1)), 3)


def seven_billion_cache():
    return 2 * 32 * 4096 * 32 * 128 * 2 / 2**30


def published_cache():
    return round(2 * 80 * 8 * 128 * 2 / 1e6, 3)


def window_reach():
    return 4 * (8 - 1) + 1


def _factored(n, d_model):
    return 4 * n * d_model * (n + 6 * d_model)


def _by_token(n, d_model):
    return sum(4 * n * d_model + 24 * d_model * d_model for _ in range(n))


def has_two_parts(run, arguments, value):
    """For (n, d_model): says what the count comes to, where it is made of n² d and n d²."""
    sizes = (768, 768), (1536, 768), (512, 384), (96, 1536)  # real widths: some divide them by heads
    counts = [run(*size) for size in sizes]
    if not all(isinstance(count, np.ndarray) and count.shape == () for count in counts):
        return None
    once, twice = (float(count) / 768**3 for count in counts[:2])
    pairs = twice / 2 - once
    rest = once - pairs
    told = [pairs * n * n * d + rest * n * d * d for n, d in sizes]
    if not np.allclose(told, np.array(counts, dtype=float), rtol=1e-6):
        return None
    off = sum(not np.isclose(*pair) for pair in ((pairs, 4), (rest, 24)))
    if not off:
        return "For widths such as 768 your count is right, for this one it is not. Where do you round, with // say?"
    both = "Both are off: how many n-by-n products are there?"
    which = "Which of the two numbers is off?" if off == 1 else both
    return f"Your count comes to {pairs:.4g} n² d + {rest:.4g} n d². {which}"


EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=attention_operations,
        tolerance=0.35,
        covers="4 x 512 x 512 x 768: two products, two operations for each term.",
        mistakes=[
            mistakes.one_product_or_multiply_adds,
            mistakes.one_product_of_multiply_adds,
            mistakes.one_head,
            mistakes.one_head_one_product,
            mistakes.the_published_count,
            mistakes.all_layers_or_full_width,
            mistakes.counts_the_projections,
            mistakes.pairs_of_features,
            mistakes.not_in_millions,
            mistakes.in_billions,
        ],
        hints=[
            "One head: 512 x 512 scores, each a sum of 64 products. Then the other product.",
            "12 heads of 64 are 768 again, so the heads drop out.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=layer_flops,
        probes=[(2, 3), (1, 1), (5, 2), (7, 11), (512, 768), (4096, 64)],
        covers="4 n² d + 8 n d² + 16 n d², short and long",
        alternatives=[_factored, _by_token],
        properties=[has_two_parts],
        mistakes=[
            mistakes.one_product_or_multiply_adds_for_pairs,
            mistakes.multiply_adds,
            mistakes.no_feed_forward_or_half_of_it_alone,
            mistakes.no_projections,
            mistakes.three_projections,
            mistakes.feed_forward_not_widened_or_multiply_adds,
            mistakes.only_the_pairs,
            mistakes.no_pairs,
            mistakes.squares_the_width_for_pairs,
            mistakes.one_token,
        ],
        hints=[
            "A product of (a, b) with (b, c) costs 2 a b c operations.",
            "Pairs: two products. Projections: four matrices. Feed-forward: two, from d_model to 4 d_model and back.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=crossover_length,
        tolerance=0.4,
        covers="4 n² d = 24 n d² at n = 6 d.",
        mistakes=[
            mistakes.against_the_projections_only,
            mistakes.against_the_feed_forward_only,
            mistakes.three_projections_only,
            mistakes.one_product_against_all,
            mistakes.multiply_adds_on_one_side,
            mistakes.width_of_another_model,
            mistakes.length_equals_width,
            mistakes.factor_only,
        ],
        hints=["Set the part with n² equal to the sum of the two others.", "Divide both sides by 4 n d."],
    ),
    Exercise(
        lesson=LESSON,
        solution=doubling_factor,
        tolerance=0.006,
        covers="0.9 x 2 + 0.1 x 4.",
        mistakes=[
            mistakes.four_times,
            mistakes.only_twice,
            mistakes.without_the_feed_forward,
            mistakes.doubles_without_the_projections,
            mistakes.doubles_with_one_product,
            mistakes.plain_average,
            mistakes.added_in_percent,
            mistakes.in_percent,
        ],
        hints=["Your layer_flops can tell: once for 512, once for 1024.", "New cost divided by old cost."],
    ),
    Exercise(
        lesson=LESSON,
        solution=merged_sum,
        tolerance=0.0025,
        covers="1.553 x 0.368 + 1 + 0.018.",
        mistakes=[
            memory.sum_not_shrunk,
            memory.sum_grown,
            memory.new_block_missing,
            memory.one_of_the_two_scores,
            memory.third_block_alone,
            memory.measured_from_four,
            memory.everything_shrunk,
            memory.second_block_forgotten,
            memory.shrunk_by_the_whole_maximum,
        ],
        hints=[
            "The maximum goes from 4 to 5: the old sum shrinks by exp(4 - 5).",
            "Then the new block, measured from 5: exp(0) and exp(-4).",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=seven_billion_cache,
        tolerance=0.004,
        covers="2 x 32 layers x 4096 tokens x 32 heads x 128 x 2 bytes = 2 GiB.",
        mistakes=[
            memory.keys_or_values,
            memory.four_bytes,
            memory.bits_for_bytes,
            memory.in_gigabytes,
            memory.in_mebibytes,
            memory.in_bytes,
            memory.one_layer_or_one_head,
            memory.heads_times_the_full_width,
            memory.one_token_only,
            memory.one_token_in_kibibytes,
        ],
        hints=[
            "One token in one layer: a key and a value, each 4096 numbers, of 2 bytes.",
            "Then 32 layers, then 4096 tokens. One GiB is 2 ** 30 bytes.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=published_cache,
        tolerance=0.0015,
        covers="2 x 80 x 8 x 128 x 2 bytes: an eighth of what was printed.",
        mistakes=[
            memory.copies_the_published_size,
            memory.half_of_the_pair,
            memory.four_bytes_a_number,
            memory.in_kilobytes,
            Mistake("memory/in_kilobytes", inspect.getdoc(memory.in_kilobytes), lambda: 327.7),
            Mistake("memory/in_kilobytes", inspect.getdoc(memory.in_kilobytes), lambda: 328),
            memory.mixes_1000_and_1024,
            memory.one_shared_head,
            memory.a_single_layer,
            memory.in_kibibytes,
            memory.bytes_of_a_token,
            memory.mebibytes_of_a_token,
        ],
        hints=["Which heads have keys and values of their own?", "8 heads of width 128, in place of 8192."],
    ),
    Exercise(
        lesson=LESSON,
        solution=window_reach,
        tolerance=0.1,
        covers="4 x 7 + 1: each layer adds seven.",
        mistakes=[
            memory.layers_times_width,
            memory.itself_forgotten,
            memory.one_layer_only,
            memory.one_more_in_each_layer,
            memory.grows_like_a_power,
            memory.window_without_itself,
            memory.both_sides,
        ],
        hints=["After one layer: itself and 7 before. After two?", "Each layer goes 7 further back."],
    ),
]
