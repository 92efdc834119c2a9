"""Laws of masking, for answers that are no known mistake: each gives a sentence when it is broken."""

import numpy as np


def an_option_changes_nothing(solution, probes):
    """An option that is given, and makes on none of the probes the difference that it should."""

    def law(run, arguments, value):
        for place, name in enumerate(("mask", "bias", "causal", "scale"), start=3):
            off = False if name == "causal" else None
            if arguments[place] is not off and all(_unmoved(solution, run, probe, place, off) for probe in probes):
                return f"{name} changes nothing: your answer is the same without it."
        return None

    return law


def _unmoved(solution, run, arguments, place, off):
    """Whether an answer stays the same without an option; True where it should, or where nothing can be said."""
    without = [*arguments[:place], off, *arguments[place + 1 :]]
    if np.allclose(solution(*without), solution(*arguments)):
        return True
    one, other = run(*arguments), run(*without)
    arrays = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    return not arrays or np.array_equal(one, other, equal_nan=True)


def says_what_it_misses(run, arguments, value):
    """Which kind of attention it judges the other way."""
    (attention,) = arguments
    what = attention.__doc__.strip().rstrip(".")
    if np.ndim(value) == 0 and value:
        return f"Your test reports a leak in an attention that has none: {what}. What else changed than the future?"
    return f"Your test finds no leak in an attention that has one: {what}. Which edit would show it?"
