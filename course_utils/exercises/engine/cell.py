"""What a learner calls in a cell: ``check``, ``hint``, ``show_solution``, ``ask``, ``recall``. All printing is here."""

import functools
import html
import textwrap
from collections import Counter

from course_utils.exercises.engine import progress
from course_utils.exercises.engine.edits import told
from course_utils.exercises.engine.judge import judge
from course_utils.exercises.engine.quizzes import quizzes, recalls
from course_utils.exercises.engine.registry import exercises, no_such, solution_source
from course_utils.exercises.engine.words import WIDTH, in_lines


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
_said = set()


def _print_verdict(name, answer=None):
    verdict = judge(name, answer)
    exercise = exercises().get(name)
    if exercise is None:
        print(verdict.message)
        return
    tried = verdict.state != "not started"
    _attempts[name] += tried
    _say_once(
        progress.append(
            lesson=exercise.lesson,
            exercise=name,
            state=verdict.state,
            mistake=verdict.mistake,
            attempt=max(_attempts[name], _logged(name) + tried),
        )
    )
    wrong = verdict.state == "wrong"
    print(in_lines(f"Not yet. {verdict.message}" if wrong else verdict.message))
    if wrong:
        print(f'\nA hint, if you want one: hint("{name}")')


def hint(name):
    """Print the next hint for an exercise, by its name or function; they come one at a time."""
    name = getattr(name, "__name__", name)
    exercise = exercises().get(name)
    if exercise is None:
        print(no_such(name))
        return
    step = min(_hints[name], len(exercise.hints) - 1)
    _hints[name] += 1
    print(f"Hint {step + 1} of {len(exercise.hints)}: {told(exercise, exercise.hints[step])}")


def show_solution(name):
    """Print the reference solution, once you have tried at least once."""
    name = getattr(name, "__name__", name)
    if name not in exercises():
        print(no_such(name))
    elif _attempts[name] or _logged(name):
        print(solution_source(name), end="")
    else:
        print(f"Try it once first: run check.{name}(...) with an answer of yours, right or wrong.")


def ask(name):
    """Print a question and its options. The answer goes to ``check.NAME("letter")``."""
    question = quizzes().get(name)
    if question is None:
        print(f"There is no question called {name}. There are: {', '.join(quizzes())}.")
        return
    print("\n".join(textwrap.fill(line, WIDTH) for line in question["text"].splitlines()))
    for letter, option in question["options"].items():
        print(textwrap.fill(f"{letter}  {option}", WIDTH, initial_indent="  ", subsequent_indent="     "))
    print()


def recall(topic):
    """A box with blanks to fill from memory; the full text opens when something is written down."""
    from course_utils.views.prediction import Prediction  # here, so that a check alone needs no widgets

    return Prediction(recalls()[topic]["blanks"], html.escape(recalls()[topic]["text"], quote=False))


def _logged(name):
    """How often an exercise was answered, right or wrong, in this working copy."""
    entries, notes = progress.read()
    for note in notes:
        _say_once(note)
    return sum(entry["exercise"] == name and entry.get("state") != "not started" for entry in entries)


def _say_once(sentence):
    """Print a sentence once in a kernel."""
    if sentence and sentence not in _said:
        _said.add(sentence)
        print(sentence)
