"""Tells an answer that is right from one that is wrong, and names what is wrong with it. Prints nothing."""

import ast
import contextlib

import numpy as np

from course_utils.exercises.engine import guard
from course_utils.exercises.engine.edits import told_of
from course_utils.exercises.engine.exercise import Exercise
from course_utils.exercises.engine.feedback import (
    about_value,
    clearest,
    continued,
    evidence,
    failing_property,
    printed,
    refusal_note,
    right,
)
from course_utils.exercises.engine.guard import TimeUp, guarded, matches
from course_utils.exercises.engine.recognition import agrees, find_note, name_mistakes
from course_utils.exercises.engine.registry import exercises, no_such
from course_utils.exercises.engine.verdict import Verdict
from course_utils.exercises.engine.words import paragraphs


def judge(name, answer=None):
    """Say whether ``answer`` solves the exercise ``name`` (or an Exercise): a Verdict. Prints and raises nothing.

    For a function exercise ``answer`` is the function, which is run on copies of the probes for at most two
    seconds, and as long again to find out what is wrong with it; for the others it is the value. The learner's
    own interrupt (KeyboardInterrupt) passes through.
    """
    exercise = name if isinstance(name, Exercise) else exercises().get(str(name))
    if exercise is None:
        return Verdict("not started", no_such(name))
    try:
        return _judge_function(exercise, answer) if exercise.is_function else _judge_value(exercise, answer)
    except TimeUp:
        words = "Your answer did not finish within 2 seconds. Is there a loop that never ends?"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        words = f"Your answer behaves in a way the check cannot follow ({type(error).__name__})."
    return Verdict("wrong", words)


def _judge_value(exercise, answer):
    if answer is None or answer is Ellipsis:
        return Verdict("not started", "Not started: write your answer, then run the cell again.")
    expected = exercise.solution()
    with guarded():
        given = guard.read(answer)
        if isinstance(given.value, str) and not isinstance(expected, str):
            with contextlib.suppress(ValueError, SyntaxError):
                given = guard.read(ast.literal_eval(given.value.strip()))  # "4" and "(6, 6)" are meant as numbers
    if given.problem and not isinstance(expected, str):
        wanted = "a list of numbers" if np.ndim(expected) else "a number"
        if isinstance(answer, list | tuple) and any(isinstance(entry, str) for entry in answer):
            wanted += ", without quotes"
        return Verdict("wrong", f"{guard.a(answer).capitalize()} came: write {wanted}.")
    if matches(given.value, expected, exercise.tolerance):
        return Verdict("right", right(exercise))
    for mistake in exercise.mistakes:
        slip = mistake.run()  # a tolerance for the right number may be too wide for a small one
        slack = exercise.tolerance if isinstance(slip, str) else 0.05 * float(np.abs(slip).max())
        if matches(given.value, slip, min(exercise.tolerance, slack)):
            what, ask = told_of(mistake, exercise.solution)
            return Verdict("wrong", what, (mistake.name,), ask=ask)
    return Verdict("wrong", about_value(exercise, given.value, expected))


def _judge_function(exercise, answer):
    name = exercise.name
    if answer is None or answer is Ellipsis or guard.is_stub(answer):
        return Verdict("not started", f"Not started: write {name}, then run the cell again.")
    if not callable(answer):
        came = guard.a(answer).capitalize()
        return Verdict("wrong", f"{came} came, not a function: pass the function itself, check.{name}({name}).")
    expected = exercise.expected
    with guarded() as caught:
        given = [exercise.outcome(answer, exercise.probes[0], exercise.arguments)]
        shown = printed(caught.text)
        given += [exercise.outcome(answer, arguments, exercise.arguments) for arguments in exercise.probes[1:]]
        if all(outcome.error for outcome in given):
            again = [exercise.outcome(answer, a, exercise.arguments, guard.to_tensor) for a in exercise.probes]
            if _is_for_tensors(exercise, again, expected):
                given = again
    if given[0].nothing:
        return Verdict("not started", _not_written(name, given[0]), printed=shown)
    wrong = [i for i, outcome in enumerate(given) if not agrees(exercise, outcome, expected[i])]
    if not wrong:
        return Verdict("right", right(exercise), note=refusal_note(given, expected))
    try:
        with guarded():
            note = find_note(exercise, given)
            if note is not None:
                return Verdict("right", "Right, with a note.", note=note.what)
            return _explain(exercise, answer, given, wrong, shown)
    except TimeUp:  # a slow function is run many times here: then without a name
        what = "Your function is slow, and its numbers are not right yet."
        return Verdict("wrong", what, evidence=evidence(exercise, wrong[0], given[wrong[0]]), printed=shown)


def _not_written(name, outcome):
    if not outcome.error:
        return f"Not started, it seems: {name} runs, but returns None. Did you forget return?"
    if outcome.unwritten:
        return (
            f"{name} calls {outcome.unwritten}, which is not written yet. Write that first and run its cell, then this "
            "one."
        )
    return f"Not started: write {name}, then run the cell again."


def _is_for_tensors(exercise, outcomes, expected):
    """Whether a function that fails on arrays was meant for tensors: it is right somewhere, or runs everywhere."""
    pairs = list(zip(outcomes, expected, strict=True))
    runs = all(right.error or not mine.error for mine, right in pairs)
    return runs or any(agrees(exercise, mine, right) for mine, right in pairs if not right.error)


def _explain(exercise, answer, given, wrong, shown):
    """The verdict on a function that is wrong: its mistakes by name, or the property that fails."""
    mistakes, more = name_mistakes(exercise, given)
    if not mistakes:
        what, at = failing_property(exercise, answer, given, wrong)
        return Verdict("wrong", what, evidence=evidence(exercise, at, given[at]), printed=shown)
    first, *others = mistakes
    at = clearest(exercise, given, wrong, first)
    what = f"Several things at once. Fix this first: {continued(first.what)}" if more else first.what
    return Verdict(
        "wrong",
        paragraphs(what, *(f"And this: {continued(other.what)}" for other in others)),
        tuple(mistake.name for mistake in mistakes),
        evidence(exercise, at, given[at]),
        shown,
        first.ask,
    )
