"""The claims of ``07_interview``, worked out again: one function for each, named as in the TOML file."""

import math

from course_utils.core import cost
from course_utils.interview.bank import TYPES, questions


def seven_kinds():
    assert {question.type for question in questions().values()} == set(TYPES)
    return list(TYPES)


def the_n_squared_part():
    n, d = 7, 11
    return [
        cost.attention_flops(n, d) // (n * n * d),
        cost.projection_flops(n, d) // (n * d * d),
        cost.crossover(d) // d,
    ]


def estimate_factors():
    return math.log2(cost.cache_bytes(32, 8192, 8, 128, batch=16))
