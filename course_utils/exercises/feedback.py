"""The sentences that a learner reads beneath the name of a mistake, or instead of one."""

import inspect
import re

import numpy as np

from course_utils.exercises import guard
from course_utils.exercises.guard import matches
from course_utils.exercises.recognition import expected_outcomes


def failing_property(exercise, answer, given, expected, wrong, at):
    """One sentence on what is wrong, for an answer that is no known mistake."""
    outcome = given[at]
    if outcome.problem:
        return outcome.problem + (
            f"\n  It is called as   {exercise.call}" if outcome.error == "TypeError" else ""
        )
    if outcome.nothing:
        return "Your function gives nothing back for one input: every way through it has to end with return."
    if isinstance(outcome.value, str):
        return "Your function returned text: an array of numbers was needed."
    right = expected[at].value
    if outcome.value.shape != right.shape:
        return f"The output has shape {outcome.value.shape}, but {right.shape} is needed."
    if np.isnan(outcome.value).any() and not np.isnan(right).any():
        return "There is NaN in your output, and none in the right one. Which step can give 0/0 or inf - inf?"
    if all(
        matches(given[i].value, expected[i].value, exercise.tolerance)
        for i in wrong
        if given[i].value is not None
    ):
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
            changes = not matches(right, expected_outcomes(exercise)[i].value, exercise.tolerance)
            theirs = run(*other)
            if changes and isinstance(theirs, np.ndarray) and matches(theirs, value, exercise.tolerance):
                return f"Your output stays the same whatever {name} is."
        return None

    return fails


def evidence(exercise, at, outcome, expected):
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
    text = np.array2string(
        array, precision=3, suppress_small=bool(np.all(np.abs(array) < 1e4)), max_line_width=90
    )
    return label + text.replace("\n", "\n" + " " * len(label))


def about_value(exercise, value, expected):
    """A sentence on a value that is no known mistake."""
    if isinstance(expected, str):
        return f'Answer with one of the letters, in quotes, as in check.{exercise.name}("a").'
    if isinstance(value, str):
        return "Text came: write the number without quotes."
    expected = np.asarray(expected, dtype=float)
    if value.shape != expected.shape:
        wanted = f"{expected.size} numbers" if expected.ndim else "one number"
        came = f"{value.size} numbers" if value.ndim else "one number"
        return f"{wanted.capitalize()} were needed, but {came} came.".replace(
            "One number were", "One number was"
        )
    if np.isnan(value).any():
        return "NaN came: it means that some step was undefined, such as 0/0."
    if not expected.ndim:
        side = "small" if value < expected else "large"
        return f"{value:g} is too {side}, and not one of the usual slips. Which step did you do last?"
    off = int(np.sum(~np.isclose(value, expected, rtol=0, atol=exercise.tolerance)))
    return f"{off} of the {expected.size} numbers are not right yet. Which one are you least sure of?"


def right(exercise):
    if not exercise.is_function:
        return "Right." + (f" {exercise.covers}" if exercise.covers else "")
    count = len(exercise.probes)
    return f"Right: {count} of {count} probes" + (f", {exercise.covers}." if exercise.covers else ".")


def split_question(text):
    """A mistake's text without the question at its end, and that question."""
    last = re.split(r"(?<=[.:!])\s+", text.strip())[-1]
    return text.removesuffix(last).rstrip(), " ".join(last.split())
