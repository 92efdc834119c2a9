"""Exercises of ``06_complexity``: costs worked out by counting. Those with code are in ``streaming``."""

import math

from course_utils.exercises.complexity.laws import has_two_parts
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise


def attention_operations():
    n, heads, d_head = 512, 12, 64
    d_model = heads * d_head
    products, each = 2, 2  # Q Kᵀ and weights V; a multiplication and its addition
    operations = products * each * n * n * d_model
    return round(operations / 1e6, 1)


def layer_flops(n, d_model):
    pairs = 2 * 2 * n * n * d_model
    projections = 4 * 2 * n * d_model * d_model
    feed_forward = 2 * 2 * n * d_model * 4 * d_model
    total = pairs + projections + feed_forward
    return total


def crossover_length():
    d_model = 512
    pairs, projections, feed_forward = 4, 8, 16  # times n² d, n d² and n d²
    others = projections + feed_forward
    factor = others // pairs
    return factor * d_model


def doubling_factor():
    n, d = 512, 768
    pairs, projections, feed_forward = 4 * n * n * d, 8 * n * d * d, 16 * n * d * d
    of_pairs = 100 * pairs / (pairs + projections + feed_forward)  # percent
    others = 100 - of_pairs
    return round((2 * others + 4 * of_pairs) / 100, 2)


def merged_sum():
    before, block = (2, 1, 4, 3), (5, 1)
    old, new = max(before), max(block)
    total = sum(math.exp(score - old) for score in before)
    shrink = math.exp(old - new)
    first, second = (math.exp(score - new) for score in block)
    added = first + second
    return round(total * shrink + added, 3)


def seven_billion_cache():
    layers, tokens, heads, d_head, size = 32, 4096, 32, 128, 2  # bytes a number
    cached = 2 * layers * tokens * heads * d_head * size
    return cached / 2**30


def published_cache():
    layers, d_model, query_heads, heads, size = 80, 8192, 64, 8, 2
    d_head = d_model // query_heads
    cached = 2 * layers * heads * d_head * size
    return round(cached / 1e6, 3)


def window_reach():
    layers, width = 4, 8
    further = width - 1  # one place in the window is the token itself
    return layers * further + 1


def _factored(n, d_model):
    return 4 * n * d_model * (n + 6 * d_model)


def _by_token(n, d_model):
    return sum(4 * n * d_model + 24 * d_model * d_model for _ in range(n))


EXERCISES = [
    Exercise(
        solution=attention_operations, tolerance=0.35, mistakes=slips("complexity/complexity", attention_operations)
    ),
    Exercise(
        solution=layer_flops,
        probes=[(2, 3), (1, 1), (5, 2), (7, 11), (512, 768), (4096, 64)],
        alternatives=[_factored, _by_token],
        properties=[has_two_parts],
        mistakes=slips("complexity/complexity", layer_flops),
    ),
    Exercise(solution=crossover_length, tolerance=0.4, mistakes=slips("complexity/complexity", crossover_length)),
    Exercise(solution=doubling_factor, tolerance=0.006, mistakes=slips("complexity/complexity", doubling_factor)),
    Exercise(solution=merged_sum, tolerance=0.0025, mistakes=slips("complexity/memory", merged_sum)),
    Exercise(solution=seven_billion_cache, tolerance=0.004, mistakes=slips("complexity/memory", seven_billion_cache)),
    Exercise(solution=published_cache, tolerance=0.0015, mistakes=slips("complexity/memory", published_cache)),
    Exercise(solution=window_reach, tolerance=0.1, mistakes=slips("complexity/memory", window_reach)),
]
