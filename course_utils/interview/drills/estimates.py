"""Estimate drills: new numbers each time, a tolerance that is stated, and slips that are named."""

import itertools

from course_utils.core import cost
from course_utils.interview.drills.drill import Drill, Feedback, Unread, near, quantity

TOLERANCE = 0.05
APART = 0.06  # GiB and GB differ by 7 %
ASKS = {"bytes": "With its unit.", "FLOPs": "In FLOPs.", "count": ""}
UNITS = {"bytes": "B", "FLOPs": "FLOP", "count": ""}
MINUTES = 3
ROUNDS = 500  # draws until no slip lies near the right answer


def make(kind, rng):
    """A drill of that kind, with numbers for which every slip can be told from the right answer and the others."""
    for _ in range(ROUNDS):
        drawn = kind.draw(rng)
        values = [kind.value(**drawn)] + [slip.value(**drawn) for slip in kind.slips]
        if not any(near(a, b, APART) for a, b in itertools.permutations(values, 2)):
            break
    return Drill(
        name=f"estimate:{kind.name}",
        type="estimate",
        level=kind.level,
        minutes=MINUTES,
        lesson=kind.lesson,
        question=" ".join(f"{kind.words.format(**drawn)} {ASKS[kind.dimension]} Within {TOLERANCE:.0%}.".split()),
        grade=lambda text: grade(kind, drawn, text),
        solution=f"{kind.worked.format(**drawn)} = {shown(values[0], kind.dimension)}",
    )


def grade(kind, drawn, text):
    """Right within the tolerance; else the slip that gives this number, or how far off it is."""
    try:
        given = quantity(text, kind.dimension)
    except Unread as unread:
        return Feedback("unread", str(unread))
    right = kind.value(**drawn)
    if near(given, right, TOLERANCE):
        return Feedback("right", f"Right: {shown(right, kind.dimension)}.")
    close = [slip for slip in kind.slips if near(given, slip.value(**drawn), 0.01)]
    close += [slip for slip in kind.slips if near(given, slip.value(**drawn), TOLERANCE)]
    if close:
        return Feedback("wrong", close[0].text, f"estimate/{close[0].name}")
    ratio = given / right
    size = f"{ratio:.3g} times too large" if ratio > 1 else f"{1 / ratio:.3g} times too small"
    return Feedback("wrong", f"{shown(given, kind.dimension)} is {size}. Which factor is that?")


def shown(value, dimension):
    """ "2.0 GiB", "16.8 M": a number in the size that people say."""
    if value >= 1e18 or value < 1:  # a slip: no row of digits
        return f"{value:.3g} {UNITS[dimension]}".rstrip()
    if dimension == "count" and value < 1e5:
        return f"{value:,.0f}"
    return cost.readable(value, UNITS[dimension])
