"""Exercises of ``06_complexity``: costs worked out by counting. Those with code are in ``streaming``."""

import math

from course_utils.exercises.complexity.laws import has_two_parts
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise

LESSON = "06_complexity"


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
        lesson=LESSON,
        solution=attention_operations,
        tolerance=0.35,
        covers="{products} x {each} x {n} x {n} x {d_model}: two products, two operations for each term.",
        mistakes=slips("complexity/complexity", attention_operations),
        hints=[
            "One head: {n} x {n} scores, each a sum of {d_head} products. Then the other product.",
            "{heads} heads of {d_head} are {d_model} again, so the heads drop out.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=layer_flops,
        probes=[(2, 3), (1, 1), (5, 2), (7, 11), (512, 768), (4096, 64)],
        covers="4 n² d + 8 n d² + 16 n d², short and long",
        alternatives=[_factored, _by_token],
        properties=[has_two_parts],
        mistakes=slips("complexity/complexity", layer_flops),
        hints=[
            "A product of (a, b) with (b, c) costs 2 a b c operations.",
            "Pairs: two products. Projections: four matrices. Feed-forward: two, from d_model to 4 d_model and back.",
        ],
        given="4 8 16 2 4",
    ),
    Exercise(
        lesson=LESSON,
        solution=crossover_length,
        tolerance=0.4,
        covers="{pairs} n² d = {others} n d² at n = {factor} d.",
        mistakes=slips("complexity/complexity", crossover_length),
        hints=["Set the part with n² equal to the sum of the two others.", "Divide both sides by {pairs} n d."],
    ),
    Exercise(
        lesson=LESSON,
        solution=doubling_factor,
        tolerance=0.006,
        covers="2 x {others:.0f} % + 4 x {of_pairs:.0f} %.",
        mistakes=slips("complexity/complexity", doubling_factor),
        hints=["Your layer_flops can tell: once for {n}, once for 1024.", "New cost divided by old cost."],
        given="2 4 1024",
    ),
    Exercise(
        lesson=LESSON,
        solution=merged_sum,
        tolerance=0.0025,
        covers="{total:.3f} x {shrink:.3f} + {first:.0f} + {second:.3f}.",
        mistakes=slips("complexity/memory", merged_sum),
        hints=[
            "The maximum goes from {old} to {new}: the old sum shrinks by exp({old} - {new}).",
            "Then the new block, measured from {new}: exp(0) and exp(-4).",
        ],
        given="0 4",
    ),
    Exercise(
        lesson=LESSON,
        solution=seven_billion_cache,
        tolerance=0.004,
        covers="2 x {layers} layers x {tokens} tokens x {heads} heads x {d_head} x {size} bytes = {value:.0f} GiB.",
        mistakes=slips("complexity/memory", seven_billion_cache),
        hints=[
            "One token in one layer: a key and a value, each 4096 numbers, of {size} bytes.",
            "Then {layers} layers, then {tokens} tokens. One GiB is 2 ** 30 bytes.",
        ],
        given="2 4096 2 30",
    ),
    Exercise(
        lesson=LESSON,
        solution=published_cache,
        tolerance=0.0015,
        covers="2 x {layers} x {heads} x {d_head} x {size} bytes: an eighth of what was printed.",
        mistakes=slips("complexity/memory", published_cache),
        hints=[
            "Which heads have keys and values of their own?",
            "{heads} heads of width {d_head}, in place of {d_model}.",
        ],
        given="2",
    ),
    Exercise(
        lesson=LESSON,
        solution=window_reach,
        tolerance=0.1,
        covers="{layers} x {further} + 1: each layer adds seven.",
        mistakes=slips("complexity/memory", window_reach),
        hints=["After one layer: itself and {further} before. After two?", "Each layer goes {further} further back."],
        given="1",
    ),
]
