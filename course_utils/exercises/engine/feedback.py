"""The sentences that a learner reads beneath the name of a mistake, or instead of one."""

import inspect
import re

import numpy as np

from course_utils.exercises.engine.edits import told
from course_utils.exercises.engine.guard import matches
from course_utils.exercises.engine.recognition import COARSE, missing_numbers, places_that_show, same_numbers


def failing_property(exercise, answer, given, wrong):
    """A sentence on what is wrong, for an answer that is no known mistake, and the probe that shows it."""
    at = wrong[0]
    outcome, expected = given[at], exercise.expected
    if expected[at].error:
        instead = "your function gives nothing back" if outcome.nothing else "your function gives an answer"
        came = f"{outcome.error} came" if outcome.error else instead
        return f"This input has to be refused with a {expected[at].error}, but {came}.", at
    if outcome.problem:
        counts = re.search(r"positional argument|unexpected keyword|required keyword", outcome.problem)
        running = [i for i, other in enumerate(given) if not other.problem]
        verb = "your function runs" if set(running) & set(wrong) else "you are right"
        elsewhere = f"On other inputs {verb}, but here: " if running else ""
        words = elsewhere + outcome.problem[:1].lower() + outcome.problem[1:] if elsewhere else outcome.problem
        words, line, rest = words.partition("\n")
        words += _right_with_other_axes(exercise, wrong, at) + line + rest
        return words + (f"\n  It is called as   {exercise.call}" if counts else ""), at
    if outcome.nothing:
        return "Your function gives nothing back here: every way through it has to end with return.", at
    if isinstance(outcome.value, str):
        return "Your function returned text: an array of numbers was needed.", at
    right = expected[at].value
    if np.isnan(outcome.value).any() and not np.isnan(right).any():
        return ("There is NaN in your output, and none in the right one. Which step can give 0/0 or inf - inf?", at)
    unused = _unused_arguments(exercise, answer, given)
    if unused:
        return unused, at
    if outcome.value.shape != right.shape:
        words = f"The output has shape {outcome.value.shape}, but {right.shape} is needed."
        return words + _right_with_other_axes(exercise, wrong, at), at
    numbers = [i for i in wrong if isinstance(given[i].value, np.ndarray) and not expected[i].error]
    if all(same_numbers(exercise, given[i], expected[i]) for i in numbers):
        name = exercise.arguments[outcome.mutated[0]]
        return (f"The numbers are right, but you wrote into {name} itself, as /= and out= do. Make a new array.", at)
    for i in numbers:
        for fails in exercise.properties:
            sentence = fails(lambda *a: exercise.outcome(answer, a).value, exercise.probes[i], given[i].value)
            if sentence:
                return sentence, i
    if right.ndim == 0:
        return "The number is not right for this input.", at
    at = clearest(exercise, given, wrong)
    error = np.abs(given[at].value - expected[at].value)
    place = np.unravel_index(np.argmax(np.nan_to_num(error, nan=-1.0)), error.shape)
    size = f"{error[place]:.3g}" if np.isfinite(error[place]) else "infinite"
    return f"The largest difference is {size}, at index {list(map(int, place))}.", at


def _right_with_other_axes(exercise, wrong, at):
    """A sentence if the number of axes of the first argument decides where a function is right; else ""."""
    axes = [np.ndim(arguments[0]) for arguments in exercise.probes]
    fine = sorted({n for i, n in enumerate(axes) if i not in wrong})
    if not fine or any(axes[i] in fine for i in wrong):
        return ""
    name = exercise.arguments[0]
    counts = " or ".join(map(str, fine))
    return f" You are right where {name} has {counts} {'axis' if counts == '1' else 'axes'}; here it has {axes[at]}."


def clearest(exercise, given, wrong, mistake=None):
    """The probe that shows a mistake best: one with a difference that can be seen, and that is all its own."""
    numbers = [i for i in wrong if isinstance(given[i].value, np.ndarray)]
    own = [i for i in places_that_show(exercise, mistake, given) if i in numbers] if mistake else []
    for i in own + numbers:
        mine, right = given[i].value, exercise.expected[i].value
        if right is None or mine.shape != right.shape or not np.allclose(mine, right, rtol=0.01, atol=0.01):
            return i
    return (own or numbers or wrong)[0]


def _unused_arguments(exercise, answer, given):
    """A sentence if the output stays the same whatever some argument is, on every probe; else None."""
    names = [
        name
        for place, name in enumerate(exercise.arguments)
        if isinstance(exercise.probes[0][min(place, len(exercise.probes[0]) - 1)], np.ndarray)
    ]
    unused = [name for place, name in enumerate(names) if _never_matters(exercise, answer, given, place)]
    if unused and unused == names:
        came = [outcome.value for outcome in given if isinstance(outcome.value, np.ndarray)]
        if not any(map(np.any, came)):
            what = "zeros" if any(value.size for value in came) else "an empty array"
            return f"Your function gives {what}, whatever comes in. Where is what you compute kept?"
        return "Your function gives the same whatever comes in. Does it use variables of the notebook instead?"
    return f"Your output stays the same whatever {unused[0]} is." if unused else None


def _never_matters(exercise, answer, given, place):
    """Whether random numbers in place of one argument change the right output and never this one."""
    random, told = np.random.default_rng(0), False
    for i, arguments in enumerate(exercise.probes):
        if not isinstance(given[i].value, np.ndarray) or place >= len(arguments):
            continue
        if not isinstance(arguments[place], np.ndarray):
            continue
        others = list(arguments)
        others[place] = arguments[place] + random.normal(size=np.shape(arguments[place]))
        right = exercise.outcome(exercise.solution, others)
        if matches(right.value, exercise.expected[i].value, exercise.tolerance):
            continue
        theirs = exercise.outcome(answer, others).value
        if not isinstance(theirs, np.ndarray) or not matches(theirs, given[i].value, exercise.tolerance):
            return False
        told = True
    return told


def evidence(exercise, at, outcome):
    """The failing input, with the learner's row beside the right one."""
    if outcome.problem and outcome.error not in ("ValueError", "IndexError"):
        return ""  # the numbers of the input have nothing to do with it
    lines = ["The smallest input where it shows:"]
    for name, argument in zip(exercise.arguments, exercise.probes[at], strict=False):
        if argument is not None:  # an option that is not used here
            lines.append(_labelled(f"  {name} = ", argument))
    if exercise.reads:
        return "\n".join(lines)
    expected = exercise.expected[at]
    right, yours = expected.value, outcome.value
    if expected.error:
        lines.append(f"  right: a {expected.error}")
    elif isinstance(yours, np.ndarray):
        where = ""
        if yours.shape == right.shape and right.ndim:
            slack = max(exercise.tolerance, COARSE if expected.coarse else 0)
            close = np.isclose(yours, right, rtol=1e-5, atol=slack, equal_nan=True)
            if close.all():
                return ""  # only its arguments were changed
            seen = ~np.isclose(yours, right, rtol=0.01, atol=0.01, equal_nan=True)  # a difference that can be seen
            row = tuple(np.argwhere(seen if seen.any() else ~close)[0][:-1])
            where = f"row {', '.join(map(str, row))}: " if row else ""
            yours, right = yours[row], right[row]
        if expected.boolean:
            right = right != 0
            yours = yours != 0 if np.isin(yours, (0, 1)).all() else yours
        digits = next((d for d in range(3, 9) if _text(yours, d) != _text(right, d)), 3)
        lines.append(_labelled(f"  {where}yours ", yours, digits))
        lines.append(_labelled(f"  {where}right ", right, digits))
    return "\n".join(lines)


def _labelled(label, array, digits=3):
    """An array printed after a label, its rows under each other; only its shape if it is large.

    A function is known by the first line of its docstring.
    """
    if callable(array):
        return label + inspect.getdoc(array).splitlines()[0]
    array = np.asarray(array)
    text = f"array of shape {array.shape}" if array.size > 24 else _text(array, digits)
    text = re.sub(r"\n\s*\n", "\n", text)  # no empty lines between the parts of an array with many axes
    return label + text.replace("\n", "\n" + " " * len(label))


def _text(array, digits):
    small = array.dtype.kind == "b" or bool(np.all(np.abs(array) < 1e4))
    array = array + 0.0 if array.dtype.kind == "f" else array  # no "-0."
    return np.array2string(array, precision=digits, suppress_small=small, max_line_width=90)


def about_value(exercise, value, expected):
    """A sentence on a value that is no known mistake."""
    if isinstance(expected, str):  # whatever came
        return f'Answer with one of the letters, in quotes, as in check.{exercise.name}("a").'
    if isinstance(value, str):
        whole = "tuple, such as (4, 7)" if isinstance(expected, tuple) else "list of numbers, such as [1, 2]"
        return f"Text came: write {'a ' + whole if np.ndim(expected) else 'the number'}, without quotes."
    expected = np.asarray(expected, dtype=float)
    if value.shape != expected.shape:
        if value.size == expected.size > 1:
            return f"One flat list of {expected.size} numbers was needed, but yours has the shape {value.shape}."
        if not expected.ndim and value.size > 1:
            return "A comma makes several numbers of one: write 4.5, not 4,5, and large numbers without commas."
        wanted = f"{expected.size} numbers were" if expected.ndim else "One number was"
        came = "one number" if not value.ndim else "a list" if not expected.ndim else f"{value.size}"
        return f"{wanted} needed, but {came} came."
    if np.isnan(value).any():
        return "NaN came: it means that some step was undefined, such as 0/0."
    if np.all(expected < 1) and matches(np.asarray(value / 100), expected, 0.01):
        return "That is a percentage. What is it as a share of 1?"
    if np.all(np.abs(expected) < 10) and exercise.tolerance < 0.005 and matches(value, expected.round(2), 1e-9):
        return "Right to two decimals, and more are asked for."
    if expected.ndim and matches(np.sort(value), np.sort(expected), exercise.tolerance):
        return "These are the right numbers, in another order. Which comes first?"
    if matches(value, expected, max(0.01, 0.02 * np.abs(expected).max())):
        return "Close. " + (
            "Can you give it exactly?" if np.all(expected == expected.round()) else "Did you round on the way?"
        )
    if not expected.ndim:
        return f"{value:.10g} is too {'small' if value < expected else 'large'}. Which step did you do last?"
    off = int(np.sum(~np.isclose(value, expected, rtol=0, atol=exercise.tolerance)))
    which = "One number is" if off == 1 else f"{off} numbers are"
    return f"{which} not right yet, out of {expected.size}. Of which are you least sure?"


def right(exercise):
    """The sentence for a right answer: what was covered."""
    if not exercise.is_function:
        return f"Right. {told(exercise, exercise.covers)}".strip()
    count = len(exercise.probes)
    return f"Right: {count} of {count} probes" + (f", {exercise.covers}." if exercise.covers else ".")


def refusal_note(given, expected):
    """What to say of inputs that were refused in a way that will do, but could be better; "" if there is nothing."""
    pairs = [(mine, right) for mine, right in zip(given, expected, strict=True) if right.on_purpose]
    for mine, right in pairs:
        if not mine.on_purpose:
            return (
                "A note: what cannot work is refused here by NumPy, by accident and over shapes. On other inputs it "
                "may not stumble at all. Raise an error of your own, with the numbers in it."
            )
        missing = " and ".join(missing_numbers(mine, right))
        if missing:
            return f"A note: the words of your {mine.error} could name {missing}, for whoever reads them."
    return ""


def printed(text):
    """What the learner's function printed on the first probe, for below the verdict; "" if nothing."""
    if not text.strip():
        return ""
    return "\n".join(f"  {line}" for line in text.rstrip().splitlines()[:8])


def continued(text):
    """A text for behind a colon: its first letter small, unless its first word is a name such as W_Q or NaN."""
    word = text.split()[0]
    is_name = word[1:] != word[1:].lower() or "_" in word or (len(word) == 1 and word != "A")
    return text if is_name else text[:1].lower() + text[1:]
