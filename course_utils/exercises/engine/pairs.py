"""Two mistakes at once: where both are edits of one right answer, an answer with both is made and compared."""

import functools
import itertools
import time

import numpy as np

from course_utils.exercises.engine import edits

SECONDS = 0.1  # for all pairs, the likely ones first; what is left is tried next time


def recognise(exercise, given, agree):
    """Two mistakes that an answer makes, first what stands first in the code; or the one that all pairs share; or [].

    The pair has to do just what the answer does, on every probe; places of ``given`` that hold None are left out.
    ``agree(outcome, other)`` compares.
    """
    probes, expected = [i for i, outcome in enumerate(given) if outcome is not None], exercise.expected
    right = {i: agree(given[i], expected[i]) for i in probes}
    if sum(_has_numbers(given[i]) for i in probes if not right[i]) < 2:
        return []
    alone = {mistake: exercise.outcomes(mistake.run) for mistake in exercise.mistakes}
    silent = {mistake: {i: agree(own[i], expected[i]) for i in probes} for mistake, own in alone.items()}
    shows = {mistake: {i: agree(given[i], own[i]) for i in probes} for mistake, own in alone.items()}
    order = sorted(probes, key=right.__getitem__)  # where the answer is wrong, first

    def plausible(one, other):
        """(for, against): on how many probes the answer does what one mistake does where the other is silent."""
        told = [
            right[i] if silent[one][i] and silent[other][i] else shows[one if silent[other][i] else other][i]
            for i in probes
            if silent[one][i] or silent[other][i]
        ]
        return sum(told), len(told) - sum(told)

    def explains(pair):
        return all(agree(given[i], _outcome(exercise, pair, i)) for i in order)

    def one_is_enough(mistake):
        return all(right[i] or shows[mistake][i] for i in probes)

    enough = {mistake for mistake in alone if one_is_enough(mistake)}
    ranked = [(*plausible(*pair), pair) for pair in both(exercise) if not enough & set(pair)]
    found, deadline = [], time.monotonic() + SECONDS
    for _, against, pair in sorted(ranked, key=lambda entry: entry[1] - entry[0]):
        if time.monotonic() > deadline:
            break
        if not (found and against) and explains(pair):
            found.append(pair)
    names = [{mistake.name for mistake in pair} for pair in found]
    shared = set.intersection(*names) if names else set()
    return [mistake for mistake in _in_order(found[0]) if mistake.name in shared] if shared else []


def _in_order(pair):
    """What stands first in the code is to be mended first."""
    return sorted(pair, key=lambda mistake: mistake.run.places[0])


def _has_numbers(outcome):
    """Whether there is something to compare: an exception, or NaN or zeros all over, can come from anything."""
    return isinstance(outcome.value, np.ndarray) and bool(np.any(np.nan_to_num(outcome.value)))


@functools.cache
def both(exercise):
    """Every two mistakes of different names that can be made in one answer, and that answer."""
    return {
        (one, other): answer
        for one, other in itertools.combinations(exercise.mistakes, 2)
        if one.name != other.name and (answer := edits.together(one.run, other.run))
    }


@functools.cache
def _outcome(exercise, pair, probe):
    """What an answer with both mistakes gives on a probe."""
    return exercise.outcome(both(exercise)[pair], exercise.probes[probe])
