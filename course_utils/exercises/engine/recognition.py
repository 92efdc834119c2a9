"""Which known mistakes an answer makes: the answer and every mistake run side by side on the probes."""

import functools
import re

import numpy as np

from course_utils.exercises.engine import guard, pairs

ENOUGH = 0.8  # of the probes that tell must agree before a mistake is named
COARSE = 0.02  # what float16 may be off by


def find_note(exercise, given):
    """What to say of an answer that is right, but for one thing that ``exercise.notes`` knows; or None."""
    for note in exercise.notes:
        if all(map(functools.partial(agrees, exercise), given, exercise.outcomes(note.run))):
            return note
    return None


def places_that_show(exercise, mistake, given):
    """The probes on which an answer does what the mistake does; those where no other known mistake does first."""
    doing = [
        {other for other in exercise.mistakes if agrees(exercise, mine, exercise.outcomes(other.run)[i])}
        for i, mine in enumerate(given)
    ]
    return sorted((i for i, found in enumerate(doing) if mistake in found), key=lambda i: len(doing[i]) > 1)


def name_mistakes(exercise, given):
    """The mistakes an answer makes, first what to mend first, and whether there are more that have no name here."""
    expected = exercise.expected
    mistake = _recognise(exercise, given, expected)
    if mistake is not None:
        return [mistake], False
    found = pairs.recognise(exercise, given, functools.partial(agrees, exercise))
    if found:
        return found, len(found) == 1
    # A second mistake may raise an error on some probes (a batch, say) or give NaN; the first shows on the others.
    rest = _without_accidents(given, expected)
    mistake = _recognise(exercise, rest, expected, least=2)
    found = [mistake] if mistake is not None else []
    if None in rest and not found:
        found = pairs.recognise(exercise, rest, functools.partial(agrees, exercise))
    return [mistake for mistake in found if not _is_cleared(exercise, mistake, given, expected)], True


def _is_cleared(exercise, mistake, given, expected):
    """Whether the answer is right on a probe where the mistake alone would be wrong."""
    return any(
        agrees(exercise, mine, right) and not agrees(exercise, other, right)
        for mine, other, right in zip(given, exercise.outcomes(mistake.run), expected, strict=True)
    )


def _without_accidents(outcomes, expected):
    """The outcomes without errors, and without NaN where none belongs: the other mistake shows on the rest."""

    def accident(mine, right):
        made = isinstance(mine.value, np.ndarray) and np.isnan(mine.value).any()
        return bool(mine.error) or (made and right.value is not None and not np.isnan(right.value).any())

    return [None if accident(*pair) else pair[0] for pair in zip(outcomes, expected, strict=True)]


def _recognise(exercise, given, expected, least=1):
    """The mistake the outcomes look like, or None; places that hold None are left out.

    Only probes that tell count: those where the learner or the mistake is wrong. All of them must agree, or
    most of them; in both cases clearly more than for any mistake of another name, because the places left out can
    be the very ones that tell the two apart. ``least`` must agree by their numbers, or all by the words of their
    exceptions, shapes and all: two functions can fail with the same exception for different reasons.
    """
    scored = []
    for mistake in exercise.mistakes:
        theirs = exercise.outcomes(mistake.run)
        tell = [
            i
            for i, outcome in enumerate(given)
            if outcome is not None
            and not (agrees(exercise, outcome, expected[i]) and agrees(exercise, theirs[i], expected[i]))
        ]
        same = [i for i in tell if agrees(exercise, given[i], theirs[i])]
        if mistake.exact and len(same) < len(tell):
            continue
        by_numbers = sum(not given[i].error for i in same)
        by_words = len(same) if all(_same_words(given[i], theirs[i]) for i in same) else 0
        if max(by_numbers, by_words) >= least:
            scored.append((len(same) / len(tell), len(same), mistake))
    scored.sort(key=lambda entry: entry[:2], reverse=True)
    if not scored:
        return None
    share, count, mistake = scored[0]
    others = [entry for entry in scored if entry[2].name != mistake.name]
    if share == 1:
        return None if None in given and others and others[0][0] == 1 else mistake
    ahead = not others or count > others[0][1]
    return mistake if share >= ENOUGH and count > 1 and ahead else None


def _same_words(mine, theirs):
    """Whether two exceptions say the same; the learner's own line comes after the first."""
    return mine.problem.partition("\n")[0] == theirs.problem.partition("\n")[0]


def refuses(outcome):
    """Whether an input is refused: with words of one's own, with assert, or by NumPy or torch as they stumble."""
    return outcome.error in ("ValueError", "AssertionError", "RuntimeError")


def missing_numbers(outcome, expected):
    """The numbers that an expected refusal names, and this one does not."""
    mine, theirs = (re.findall(r"\d+", o.problem.partition("\n")[0]) for o in (outcome, expected))
    return [number for number in theirs if number not in mine]


def agrees(exercise, outcome, expected):
    """Whether two outcomes are the same: the same error, or the same numbers and manners."""
    if expected.error and expected.on_purpose:
        return refuses(outcome)
    if outcome.error or expected.error:
        return outcome.error == expected.error and not outcome.on_purpose
    if outcome.problem or outcome.nothing or expected.problem or expected.nothing:
        return False
    return outcome.mutated == expected.mutated and same_numbers(exercise, outcome, expected)


def same_numbers(exercise, outcome, expected):
    """Whether the numbers of two outcomes are the same, as far as their number type can tell."""
    tolerance = max(exercise.tolerance, COARSE if expected.coarse else 0)
    return guard.matches(outcome.value, expected.value, tolerance)
