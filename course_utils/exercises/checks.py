"""The check engine: tells an answer that is right from one that is wrong, and names what is wrong with it.

``judge`` is the door: it prints nothing and never raises. ``check.NAME(answer)`` prints its verdict.
"""

import difflib
import functools
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections import Counter
from typing import NamedTuple

import numpy as np

from course_utils.exercises import guard, log
from course_utils.exercises.guard import Outcome, TimeUp, guarded, matches

ENOUGH = 0.8  # of the probes that tell must agree before a mistake is named


class Verdict(NamedTuple):
    """``state`` is "not started", "wrong" or "right"; ``mistake`` is family/name or None."""

    state: str
    mistake: str | None
    message: str


@functools.cache
def exercises():
    """Every exercise of the course by name, found in the modules beside this one."""
    found = {}
    for module in pkgutil.iter_modules(importlib.import_module("course_utils.exercises").__path__):
        content = importlib.import_module(f"course_utils.exercises.{module.name}")
        for exercise in getattr(content, "EXERCISES", ()):
            if exercise.name in found:
                raise ValueError(f"two exercises are called {exercise.name}: give one another name")
            found[exercise.name] = exercise
    return found


def judge(name, answer=None):
    """Say whether ``answer`` solves the exercise ``name``: a Verdict. Prints nothing, raises nothing.

    For a function exercise ``answer`` is the function, which is run on copies of the probes for at most two
    seconds; for the others it is the value. The learner's own interrupt (KeyboardInterrupt) passes through.
    """
    exercise = exercises().get(name)
    if exercise is None:
        return Verdict("not started", None, _no_such(name))
    try:
        with guarded():
            return _judge_function(exercise, answer) if exercise.is_function else _judge_value(exercise, answer)
    except TimeUp:
        return Verdict("wrong", None, "Your answer did not finish within 2 seconds. Is there a loop that never ends?")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Verdict("wrong", None, f"Your answer behaves in a way the check cannot follow ({type(error).__name__}).")


def solution_source(name):
    """The reference solution as source: the function, or ``answer = ...`` for a value."""
    exercise = exercises()[name]
    if exercise.is_function:
        return textwrap.dedent(inspect.getsource(exercise.solution))
    return f"answer = {exercise.solution()!r}\n"


def _judge_value(exercise, answer):
    if answer is None or answer is Ellipsis:
        return Verdict("not started", None, "Not started: write your answer, then run the cell again.")
    given, expected = guard.read(answer), exercise.solution()
    if callable(answer):
        given = Outcome(problem="A function came: give its result, the value itself.")
    if given.problem:
        return Verdict("wrong", None, given.problem)
    if matches(given.value, expected, exercise.tolerance):
        return Verdict("right", None, _right(exercise))
    for mistake in exercise.mistakes:
        if matches(given.value, mistake.run(), exercise.tolerance):
            return Verdict("wrong", mistake.name, mistake.text)
    return Verdict("wrong", None, _about_value(exercise, given.value, expected))


def _judge_function(exercise, answer):
    if answer is None or answer is Ellipsis:
        return Verdict("not started", None, f"Not started: define {exercise.name}, then run the cell again.")
    if not callable(answer):
        called = f"check.{exercise.name}({exercise.name})"
        return Verdict(
            "wrong", None, f"A {type(answer).__name__} came, not a function: pass the function itself, {called}."
        )
    given = [guard.run(answer, arguments) for arguments in exercise.probes]
    if all(outcome.error for outcome in given):
        again = [guard.run(answer, arguments, guard.to_tensor) for arguments in exercise.probes]
        given = again if not all(outcome.error for outcome in again) else given
    if given[0].nothing:
        return Verdict(
            "not started", None, f"Not started: {exercise.call} gives nothing back yet. End it with return."
        )
    expected = _expected(exercise)
    wrong = [i for i, outcome in enumerate(given) if not _agrees(exercise, outcome, expected[i])]
    if not wrong:
        return Verdict("right", None, _right(exercise))
    # Probes go from small to large, so the first that fails is the easiest to read.
    at = next((i for i in wrong if not given[i].problem), wrong[0])
    evidence = _evidence(exercise, at, given[at], expected[at])
    mistake = _recognise(exercise, given, expected)
    if mistake is not None:
        what, question = _split_question(mistake.text)
        return Verdict("wrong", mistake.name, "\n\n".join(filter(None, (what, evidence, question))))
    what = _failing_property(exercise, answer, given, expected, wrong, at)
    return Verdict("wrong", None, "\n\n".join(filter(None, (what, evidence))))


def _expected(exercise):
    """The right outputs on the probes."""
    return _outcomes(exercise.name, None)


@functools.cache
def _outcomes(name, mistake):
    """What the solution, or one of the mistakes by its place, gives on the probes."""
    exercise = exercises()[name]
    function = exercise.solution if mistake is None else exercise.mistakes[mistake].run
    return [guard.run(function, arguments) for arguments in exercise.probes]


def _agrees(exercise, outcome, expected):
    """Whether two outcomes are the same: the same error, or the same numbers and manners."""
    if outcome.error or expected.error:
        return outcome.error == expected.error
    if outcome.problem or outcome.nothing or expected.problem or expected.nothing:
        return False
    return outcome.mutated == expected.mutated and matches(outcome.value, expected.value, exercise.tolerance)


def _recognise(exercise, given, expected):
    """The mistake the outcomes look like, or None.

    Only probes that tell count: those where the learner or the mistake is wrong. All of them must agree, or
    most of them and clearly more than for any other mistake; and at least one by its numbers, because two
    functions can fail with the same exception for different reasons.
    """
    scored = []
    for place, mistake in enumerate(exercise.mistakes):
        theirs = _outcomes(exercise.name, place)
        tell = [
            i
            for i in range(len(given))
            if not _agrees(exercise, given[i], expected[i]) or not _agrees(exercise, theirs[i], expected[i])
        ]
        same = [i for i in tell if _agrees(exercise, given[i], theirs[i])]
        if any(not given[i].error for i in same):
            scored.append((len(same) / len(tell), len(same), mistake))
    scored.sort(key=lambda entry: entry[:2], reverse=True)
    if scored and scored[0][0] == 1:
        return scored[0][2]
    ahead = len(scored) < 2 or scored[0][1] > scored[1][1]
    if scored and scored[0][0] >= ENOUGH and scored[0][1] > 1 and ahead:
        return scored[0][2]
    return None


def _failing_property(exercise, answer, given, expected, wrong, at):
    """One sentence on what is wrong, for an answer that is no known mistake."""
    outcome = given[at]
    if outcome.problem:
        return outcome.problem + (f"\n  It is called as   {exercise.call}" if outcome.error == "TypeError" else "")
    if outcome.nothing:
        return "Your function gives nothing back for one input: every way through it has to end with return."
    if isinstance(outcome.value, str):
        return "Your function returned text: an array of numbers was needed."
    right = expected[at].value
    if outcome.value.shape != right.shape:
        return f"The output has shape {outcome.value.shape}, but {right.shape} is needed."
    if np.isnan(outcome.value).any() and not np.isnan(right).any():
        return "There is NaN in your output, and none in the right one. Which step can give 0/0 or inf - inf?"
    if all(matches(given[i].value, expected[i].value, exercise.tolerance) for i in wrong if given[i].value is not None):
        return "The numbers are right, but your function changes its arguments in place: work on copies."
    for i in wrong:
        if given[i].problem or given[i].nothing:
            continue
        for fails in (*exercise.properties, _ignores_an_argument(exercise, i)):
            sentence = fails(lambda *a: guard.run(answer, a).value, exercise.probes[i], given[i].value)
            if sentence:
                return sentence
    error = np.abs(outcome.value - right)
    if right.ndim == 0:
        return "The number is not right for one input."
    place = np.unravel_index(np.argmax(np.nan_to_num(error)), right.shape)
    return f"The largest difference is {error[place]:.3g}, at index {list(map(int, place))}."


def _ignores_an_argument(exercise, i):
    """A property: every argument that matters has to change the answer."""

    def fails(run, arguments, value):
        for place, name in enumerate(inspect.signature(exercise.solution).parameters):
            if place >= len(arguments) or not isinstance(arguments[place], np.ndarray):
                continue
            other = list(arguments)
            other[place] = arguments[place][..., ::-1] * 1.5 + 0.25
            right = guard.run(exercise.solution, other).value
            changes = not matches(right, _expected(exercise)[i].value, exercise.tolerance)
            theirs = run(*other)
            if changes and isinstance(theirs, np.ndarray) and matches(theirs, value, exercise.tolerance):
                return f"Your output stays the same whatever {name} is."
        return None

    return fails


def _evidence(exercise, at, outcome, expected):
    """The smallest failing input, with the learner's row beside the right one."""
    names = inspect.signature(exercise.solution).parameters
    lines = ["The smallest input where it shows:"]
    for name, argument in zip(names, exercise.probes[at], strict=False):
        lines.append(_labelled(f"  {name} = ", argument))
    right = expected.value
    if isinstance(outcome.value, np.ndarray) and outcome.value.shape == right.shape and right.ndim:
        close = np.isclose(outcome.value, right, rtol=1e-5, atol=exercise.tolerance, equal_nan=True)
        row = np.argwhere(~close)[0][:-1] if not close.all() else np.zeros(right.ndim - 1, int)
        where = f"row {', '.join(map(str, row))}: " if row.size else ""
        lines.append(_labelled(f"  {where}yours ", outcome.value[tuple(row)]))
        lines.append(_labelled(f"  {where}right ", right[tuple(row)]))
    elif isinstance(outcome.value, np.ndarray):
        lines.append(_labelled("  yours ", outcome.value))
        lines.append(_labelled("  right ", right))
    return "\n".join(lines)


def _labelled(label, array):
    """An array printed after a label, its rows under each other; only its shape if it is large."""
    array = np.asarray(array)
    if array.size > 24:
        return f"{label}array of shape {array.shape}"
    text = np.array2string(array, precision=3, suppress_small=bool(np.all(np.abs(array) < 1e4)), max_line_width=90)
    return label + text.replace("\n", "\n" + " " * len(label))


def _about_value(exercise, value, expected):
    """A sentence on a value that is no known mistake."""
    if isinstance(expected, str):
        return f"Answer with one of the letters, in quotes, as in check.{exercise.name}(\"a\")."
    if isinstance(value, str):
        return "Text came: write the number without quotes."
    expected = np.asarray(expected, dtype=float)
    if value.shape != expected.shape:
        wanted = f"{expected.size} numbers" if expected.ndim else "one number"
        came = f"{value.size} numbers" if value.ndim else "one number"
        return f"{wanted.capitalize()} were needed, but {came} came.".replace("One number were", "One number was")
    if np.isnan(value).any():
        return "NaN came: it means that some step was undefined, such as 0/0."
    if not expected.ndim:
        side = "small" if value < expected else "large"
        return f"{value:g} is too {side}, and not one of the usual slips. Which step did you do last?"
    off = int(np.sum(~np.isclose(value, expected, rtol=0, atol=exercise.tolerance)))
    return f"{off} of the {expected.size} numbers are not right yet. Which one are you least sure of?"


def _right(exercise):
    if not exercise.is_function:
        return "Right." + (f" {exercise.covers}" if exercise.covers else "")
    count = len(exercise.probes)
    return f"Right: {count} of {count} probes" + (f", {exercise.covers}." if exercise.covers else ".")


def _split_question(text):
    """A mistake's text without the question at its end, and that question."""
    last = re.split(r"(?<=[.:!])\s+", text.strip())[-1]
    return text.removesuffix(last).rstrip(), " ".join(last.split())


def _no_such(name):
    near = difflib.get_close_matches(str(name), exercises(), 1)
    return f"There is no exercise called {name}." + (f" Did you mean {near[0]}?" if near else "")


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
    print(verdict.message if verdict.state != "wrong" else f"Not yet. {verdict.message}")
    if verdict.state == "wrong":
        print(f'\nA hint, if you want one: hint("{name}")')


def hint(name):
    """Print the next hint for an exercise; they come one at a time."""
    exercise = exercises().get(name)
    if exercise is None:
        print(_no_such(name))
        return
    step = min(_hints[name], len(exercise.hints) - 1)
    _hints[name] += 1
    print(f"Hint {step + 1} of {len(exercise.hints)}: {exercise.hints[step]}")


def show_solution(name):
    """Print the reference solution, once you have tried at least once."""
    if name not in exercises():
        print(_no_such(name))
    elif _attempts[name] or log.attempts(name):
        print(solution_source(name), end="")
    else:
        print(f"Try it once first: run check.{name}(...) with an answer of yours, right or wrong.")
