"""The check engine: tells an answer that is right from one that is wrong, and names what is wrong with it.

``judge`` is the door: it prints nothing and never raises. ``check.NAME(answer)`` prints its verdict.
"""

import ast
import contextlib
import functools
import inspect
import textwrap
from collections import Counter
from typing import NamedTuple

import numpy as np

from course_utils.exercises.engine import guard
from course_utils.exercises.engine import progress as log
from course_utils.exercises.engine.edits import told, told_of
from course_utils.exercises.engine.feedback import (
    about_value,
    clearest,
    continued,
    evidence,
    failing_property,
    printed,
    refusal_note,
    right,
    split_question,
)
from course_utils.exercises.engine.guard import TimeUp, guarded, matches
from course_utils.exercises.engine.recognition import (
    agrees,
    expected_outcomes,
    find_note,
    name_mistake,
    outcome_of,
)
from course_utils.exercises.engine.registry import exercises, no_such, solution_source
from course_utils.exercises.engine.words import WIDTH


class Verdict(NamedTuple):
    """``state`` is "not started", "wrong" or "right"; ``mistake`` is family/name or None."""

    state: str
    mistake: str | None
    message: str


def judge(name, answer=None):
    """Say whether ``answer`` solves the exercise ``name``: a Verdict. Prints nothing, raises nothing.

    For a function exercise ``answer`` is the function, which is run on copies of the probes for at most two
    seconds, and as long again to find out what is wrong with it; for the others it is the value. The learner's
    own interrupt (KeyboardInterrupt) passes through.
    """
    exercise = exercises().get(str(name))
    if exercise is None:
        return Verdict("not started", None, no_such(name))
    try:
        return _judge_function(exercise, answer) if exercise.is_function else _judge_value(exercise, answer)
    except TimeUp:
        words = "Your answer did not finish within 2 seconds. Is there a loop that never ends?"
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        words = f"Your answer behaves in a way the check cannot follow ({type(error).__name__})."
    return Verdict("wrong", None, words)


def _judge_value(exercise, answer):
    if answer is None or answer is Ellipsis:
        return Verdict("not started", None, "Not started: write your answer, then run the cell again.")
    expected = exercise.solution()
    with guarded():
        given = guard.read(answer)
        if isinstance(given.value, str) and not isinstance(expected, str):
            with contextlib.suppress(ValueError, SyntaxError):
                given = guard.read(
                    ast.literal_eval(given.value.strip())
                )  # "4" and "(6, 6)" are meant as numbers
    if given.problem and not isinstance(expected, str):
        wanted = "a list of numbers" if np.ndim(expected) else "a number"
        if isinstance(answer, list | tuple) and any(isinstance(entry, str) for entry in answer):
            wanted += ", without quotes"
        return Verdict("wrong", None, f"{guard.a(answer).capitalize()} came: write {wanted}.")
    if matches(given.value, expected, exercise.tolerance):
        return Verdict("right", None, right(exercise))
    for mistake in exercise.mistakes:
        slip = mistake.run()  # a tolerance for the right number may be too wide for a small one
        slack = exercise.tolerance if isinstance(slip, str) else 0.05 * float(np.abs(slip).max())
        if matches(given.value, slip, min(exercise.tolerance, slack)):
            return Verdict("wrong", mistake.name, _paragraphs(*told_of(mistake, exercise.solution)))
    return Verdict("wrong", None, about_value(exercise, given.value, expected))


def _judge_function(exercise, answer):
    name = exercise.name
    if answer is None or answer is Ellipsis or guard.is_stub(answer):
        return Verdict("not started", None, f"Not started: write {name}, then run the cell again.")
    if not callable(answer):
        came = guard.a(answer).capitalize()
        words = f"{came} came, not a function: pass the function itself, check.{name}({name})."
        return Verdict("wrong", None, words)
    expected = expected_outcomes(exercise)
    with guarded() as caught:
        names = list(inspect.signature(exercise.solution).parameters)
        given = [outcome_of(exercise, answer, exercise.probes[0], names)]
        shown = printed(caught.text)
        given += [outcome_of(exercise, answer, arguments, names) for arguments in exercise.probes[1:]]
        if all(outcome.error for outcome in given):
            again = [outcome_of(exercise, answer, a, names, guard.to_tensor) for a in exercise.probes]
            if _is_for_tensors(exercise, again, expected):
                given = again
    if given[0].nothing:
        words = f"Not started: write {name}, then run the cell again."
        if given[0].unwritten:
            words = (
                f"{name} calls {given[0].unwritten}, which is not written yet. Write that first and run its cell, "
                "then this one."
            )
        if not given[0].error:
            words = f"Not started, it seems: {name} runs, but returns None. Did you forget return?"
        return Verdict("not started", None, _paragraphs(words, shown))
    wrong = [i for i, outcome in enumerate(given) if not agrees(exercise, outcome, expected[i])]
    if not wrong:
        return Verdict("right", None, _paragraphs(right(exercise), refusal_note(given, expected)))
    try:
        with guarded():
            note = find_note(exercise, given)
            if note is not None:
                return Verdict("right", None, _paragraphs("Right, with a note.", note.text))
            return _explain(exercise, answer, given, wrong, shown)
    except TimeUp:  # a slow function is run many times here: then without a name
        what = "Your function is slow, and its numbers are not right yet."
        return Verdict("wrong", None, _paragraphs(what, evidence(exercise, wrong[0], given[wrong[0]]), shown))


def _is_for_tensors(exercise, outcomes, expected):
    """Whether a function that fails on arrays was meant for tensors: it is right somewhere, or runs everywhere."""
    runs = all(right.error or not mine.error for mine, right in zip(outcomes, expected, strict=True))
    return runs or any(
        agrees(exercise, mine, right)
        for mine, right in zip(outcomes, expected, strict=True)
        if not right.error
    )


def _explain(exercise, answer, given, wrong, shown):
    """The verdict on a function that is wrong: its mistake by name, or the property that fails."""
    mistake, one_of_several = name_mistake(exercise, answer, given, expected_outcomes(exercise))
    if mistake is None:
        what, at = failing_property(exercise, answer, given, wrong)
        return Verdict("wrong", None, _paragraphs(what, evidence(exercise, at, given[at]), shown))
    at = clearest(exercise, given, wrong, mistake)
    what, question = (mistake.what, mistake.ask) if mistake.ask else split_question(mistake.text)
    if one_of_several:
        what = f"Several things at once. Fix this first: {continued(what)}"
    return Verdict(
        "wrong", mistake.name, _paragraphs(what, evidence(exercise, at, given[at]), shown, question)
    )


def _paragraphs(*texts):
    return "\n\n".join(filter(None, texts))


class _Checks:
    """``check.NAME(answer)``: prints what ``judge(NAME, answer)`` says, and keeps a line in the progress log."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return functools.partial(_print_verdict, name)

    def __dir__(self):
        return sorted(exercises())

    def __repr__(self):
        return "check.NAME(answer), where NAME is one of the exercises"


check = _Checks()
_attempts = Counter()
_hints = Counter()


def _print_verdict(name, answer=None):
    verdict = judge(name, answer)
    exercise = exercises().get(name)
    if exercise is None:
        print(verdict.message)
        return
    _attempts[name] += verdict.state != "not started"
    log.append(
        lesson=exercise.lesson,
        exercise=name,
        state=verdict.state,
        mistake=verdict.mistake,
        attempt=max(_attempts[name], log.attempts(name) + (verdict.state != "not started")),
    )
    message = verdict.message if verdict.state != "wrong" else f"Not yet. {verdict.message}"
    print("\n\n".join(map(_set, message.split("\n\n"))))
    if verdict.state == "wrong":
        print(f'\nA hint, if you want one: hint("{name}")')


def _set(paragraph):
    """A paragraph in lines that fit the page; one with numbers or code in it, which are indented, keeps its own."""
    if "\n " in paragraph:
        return paragraph
    return textwrap.fill(" ".join(paragraph.split()), WIDTH)


def hint(name):
    """Print the next hint for an exercise, by its name or function; they come one at a time."""
    name = getattr(name, "__name__", name)
    exercise = exercises().get(name)
    if exercise is None:
        print(no_such(name))
        return
    step = min(_hints[name], len(exercise.hints) - 1)
    _hints[name] += 1
    text = exercise.hints[step]
    if not exercise.is_function:
        text = told(exercise, text)
    print(f"Hint {step + 1} of {len(exercise.hints)}: {text}")


def show_solution(name):
    """Print the reference solution, once you have tried at least once."""
    name = getattr(name, "__name__", name)
    if name not in exercises():
        print(no_such(name))
    elif _attempts[name] or log.attempts(name):
        print(solution_source(name), end="")
    else:
        print(f"Try it once first: run check.{name}(...) with an answer of yours, right or wrong.")
