"""Debug and implement drills: code is run apart from ours and judged by the exercise's own check."""

import linecache
import re

from course_utils.core import scores
from course_utils.exercises import judge
from course_utils.exercises.engine.guard import TimeUp, guarded
from course_utils.interview.drills import given
from course_utils.interview.drills.drill import LONGEST_CODE, Drill, Feedback

TWO = 0.3  # how often two mistakes are planted
ANSWER = "<your answer>"
CHANGED = "The numbers are right, but the caller's array is no longer the same after the call."


def implement(subject):
    """A blank page: the first line is there, the rest is the candidate's."""
    first = next(line for line in subject.reference.splitlines() if line.startswith(f"def {subject.name}("))
    return Drill(
        name=f"implement:{subject.name}",
        type="implement",
        level=subject.level,
        minutes=subject.minutes,
        lesson=subject.exercise.lesson,
        question=f"From memory: {subject.task} {given.told(subject.given)}",
        grade=lambda code: grade(subject, code),
        solution=subject.reference,
        box="code",
        start=f"{first}\n    ...\n",
        imports=given.imports(subject.given),
    )


def facts(subject):
    """What is known of a debug drill before a mistake is planted."""
    return {
        "name": f"debug:{subject.name}",
        "type": "debug",
        "level": min(subject.level + 1, 5),
        "minutes": max(subject.minutes // 2, 5),
        "lesson": subject.exercise.lesson,
    }


def debug(subject, rng, last=()):
    """Right code with one or two mistakes planted in it, none of them in ``last``."""
    plants = choose(subject, rng, last)
    code = subject.planted(*plants)
    what = "the mistake" if len(plants) == 1 else "the two mistakes"
    symptom = _symptom(judge(subject.exercise, run(subject, code)))
    return Drill(
        **facts(subject),
        question=f"Find {what} in this code, and mend the code. What it should be: {subject.task} "
        + given.told(subject.given),
        grade=lambda code: grade(subject, code, plants, symptom),
        solution=subject.reference,
        box="code",
        start=code,
        symptom=symptom,
        hint=lambda code: hint(subject, code, plants),
        told="\n\n".join(f"Planted: {plant.name}. {plant.what}" for plant in plants),
        planted=tuple(plant.name for plant in plants),
        imports=given.imports(subject.given),
    )


def choose(subject, rng, last=()):
    """One plant, or sometimes two that stand in different places; none of ``last``, whatever family it is from."""
    plants = [subject.plants[i] for i in rng.permutation(len(subject.plants))]
    used = {_kind(name) for name in last}
    first, *others = [plant for plant in plants if _kind(plant.name) not in used] or plants
    second = next((plant for plant in others if subject.planted(first, plant)), None)
    return (first, second) if second and rng.random() < TWO else (first,)


def grade(subject, code, plants=(), symptom=""):
    """What the check says of the code. A planted mistake that is still there is shown, and not named."""
    try:
        function = run(subject, code)
    except Unusable as unusable:
        return Feedback("unread", str(unusable))
    verdict = judge(subject.exercise, function)
    if verdict.state != "wrong":
        return Feedback("right" if verdict.state == "right" else "unread", _here(verdict.message))
    name, shown = _planted_name(subject, code, plants, verdict), _symptom(verdict)
    if name and (shown or verdict.mistake):
        same = "That is still so." if shown == CHANGED else "It still gives the numbers above."
        left = f"Something is left.\n\n{shown}".strip()
        return Feedback("wrong", same if shown and shown == symptom else left, name)
    return Feedback("wrong", verdict.message, name or verdict.mistake)


def hint(subject, code, plants=()):
    """The name of what is wrong with the code as it is: a planted mistake as long as one is there."""
    try:
        verdict = judge(subject.exercise, run(subject, code))
    except Unusable as unusable:
        return str(unusable)
    name = _planted_name(subject, code, plants, verdict) if verdict.state == "wrong" else None
    if name is None or name == verdict.mistake:
        return _here(verdict.what)
    return next(plant.what for plant in plants if plant.name == name)


def _planted_name(subject, code, plants, verdict):
    """The planted mistake to speak of: the one judged, unless its line is mended and another's is not; or None."""
    there = [plant.name for plant in plants if _still_there(subject, code, plants, plant)]
    if verdict.mistake in [plant.name for plant in plants] and (verdict.mistake in there or not there):
        return verdict.mistake
    return there[0] if there else None


def _still_there(subject, code, plants, plant):
    """Whether a line stands in the code as it was planted, alone or with the other plant in it, too."""
    lines = _lines(code)
    others = [other for other in plants if other is not plant]
    together = _lines(subject.planted(*plants)) - _lines(subject.planted(*others))
    alone = _lines(subject.planted(plant)) - _lines(subject.reference)
    return bool(lines & (together | alone))


def _lines(code):
    return {line.strip() for line in code.splitlines()}


def _kind(mistake):
    return mistake.partition("/")[2]


class Unusable(ValueError):
    """Code that gives no function, in one sentence."""


def run(subject, code):
    """The function that the code defines; raises Unusable."""
    name = subject.name
    if not code.strip():
        raise Unusable(f"Nothing is written: define {name}.")
    if len(code) > LONGEST_CODE:
        raise Unusable(f"{len(code)} characters came: write the function {name}, and nothing else.")
    # So that a message can quote the line in which something happened.
    linecache.cache[ANSWER] = (len(code), None, code.splitlines(keepends=True), ANSWER)
    names = {known: given.NAMES[known] for known in subject.given} | {"__name__": "answer"}
    try:
        with guarded():
            exec(compile(code, ANSWER, "exec"), names)
    except SyntaxError as error:
        raise Unusable(f"Line {error.lineno} is not Python yet: {error.msg}.") from None
    except TimeUp:
        raise Unusable("The code did not finish within 2 seconds, before the function was called.") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Unusable(f"The code raised {type(error).__name__} before {name} was called: {error}") from None
    if name not in names or names[name] in (given.softmax, scores.softmax):
        raise Unusable(f"There is no function called {name} in it.")
    if not callable(names[name]):
        raise Unusable(f"{name} is no function, but of type {type(names[name]).__name__}: begin with def {name}(...).")
    return names[name]


def _symptom(verdict):
    """The failing input in a verdict, or what happened instead; without the name of what is wrong."""
    if verdict.evidence or not verdict.mistake:
        return verdict.evidence or verdict.what
    return CHANGED if _kind(verdict.mistake) == "works_in_place" else ""


def _here(text):
    """What the check says where there is no cell to run."""
    text = re.sub(r",? (then|and) run (the|its) cell( again)?", ", then check", text)
    return text.replace("then check, then this one", "then check")
