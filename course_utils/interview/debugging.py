"""Debug and implement drills: code is run apart from ours and judged by the exercise's own check."""

import linecache
import math
import re

import numpy as np

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.exercises import judge
from course_utils.exercises.guard import TimeUp, guarded
from course_utils.exercises.registry import exercises
from course_utils.interview.drill import LONGEST_CODE, Drill, Feedback
from course_utils.interview.plants import SUBJECTS

GIVEN = {"np": np, "math": math, "softmax": softmax, "causal_mask": causal_mask}
IMPORTS = {
    "np": "import numpy as np",
    "math": "import math",
    "softmax": "from course_utils.core.scores import softmax",
    "causal_mask": "from course_utils.core.masks import causal_mask",
}
TWO = 0.3  # how often two mistakes are planted
ANSWER = "<your answer>"
EVIDENCE = "The smallest input where it shows:"


def subjects():
    """The subjects whose exercise the course has, by the exercise's name."""
    return {subject.exercise: subject for subject in SUBJECTS if subject.exercise in exercises()}


def planted(subject, *plants):
    """The reference with those plants in it."""
    code = subject.reference
    for plant in plants:
        if code.count(plant.old) != 1:
            raise ValueError(
                f"{plant.old!r} has to stand once in {subject.exercise}, but it stands {code.count(plant.old)} times"
            )
        code = code.replace(plant.old, plant.new)
    return code


def implement(subject):
    """A blank page: the first line is there, the rest is the candidate's."""
    first = subject.reference.partition("\n")[0]
    return Drill(
        name=f"implement:{subject.exercise}",
        topic=subject.topic,
        type="implement",
        level=subject.level,
        minutes=subject.minutes,
        lesson=lesson(subject),
        question=f"From memory: {subject.task} {_there(subject)}",
        grade=lambda code: grade(subject, code),
        solution=subject.reference,
        box="code",
        start=f"{first}\n    ...\n",
        imports=_imports(subject),
    )


def facts(subject):
    """What is known of a debug drill before a mistake is planted."""
    return {
        "name": f"debug:{subject.exercise}",
        "topic": subject.topic,
        "type": "debug",
        "level": min(subject.level + 1, 5),
        "minutes": max(subject.minutes // 2, 5),
        "lesson": lesson(subject),
    }


def debug(subject, rng, last=()):
    """Right code with one or two mistakes planted in it, none of them in ``last``."""
    plants = choose(subject, rng, last)
    code = planted(subject, *plants)
    names = tuple(plant.mistake for plant in plants)
    texts = {mistake.name: mistake.text for mistake in exercises()[subject.exercise].mistakes}
    what = "the mistake" if len(plants) == 1 else "the two mistakes"
    symptom = _evidence(judge(subject.exercise, run(subject, code)).message)
    return Drill(
        **facts(subject),
        question=f"Find {what} in this code, and mend the code. What it should be: {subject.task}",
        grade=lambda code: grade(subject, code, names, symptom),
        solution=subject.reference,
        box="code",
        start=code,
        symptom=symptom,
        hint=lambda code: hint(subject, code),
        told="\n\n".join(f"Planted: {name}. {_first_sentence(texts[name])}" for name in names),
        planted=names,
        imports=_imports(subject),
    )


def choose(subject, rng, last=()):
    """One plant, or sometimes two that stand in different places."""
    plants = [subject.plants[i] for i in rng.permutation(len(subject.plants))]
    plants = [plant for plant in plants if plant.mistake not in last]
    first = plants[0]
    code = planted(subject, first)
    others = [
        p
        for p in plants[1:]
        if subject.reference.count(p.old) == code.count(p.old) == 1 and p.old not in first.old
    ]
    two = others and rng.random() < TWO
    return (first, others[0]) if two else (first,)


def grade(subject, code, names=(), symptom=""):
    """What the check says of the code. A planted mistake that is still there is shown, and not named."""
    try:
        function = run(subject, code)
    except Unusable as unusable:
        return Feedback("unread", str(unusable))
    verdict = judge(subject.exercise, function)
    if verdict.state == "right":
        return Feedback("right", verdict.message)
    if verdict.state == "not started":
        return Feedback("unread", verdict.message)
    if verdict.mistake in names:
        shown = _evidence(verdict.message)
        there = (
            "It still gives the numbers above."
            if shown == symptom
            else f"Something is left.\n\n{shown}".strip()
        )
        return Feedback("wrong", there, verdict.mistake)
    return Feedback("wrong", _flowing(verdict.message), verdict.mistake)


def hint(subject, code):
    """The name of what is wrong with the code as it is."""
    try:
        return _flowing(judge(subject.exercise, run(subject, code)).message.split("\n\n")[0])
    except Unusable as unusable:
        return str(unusable)


class Unusable(ValueError):
    """Code that gives no function, in one sentence."""


def run(subject, code):
    """The function that the code defines; raises Unusable."""
    name = subject.exercise
    if not code.strip():
        raise Unusable(f"Nothing is written: define {name}.")
    if len(code) > LONGEST_CODE:
        raise Unusable(f"{len(code)} characters came: write the function {name}, and nothing else.")
    # So that a message can quote the line in which something happened.
    linecache.cache[ANSWER] = (len(code), None, code.splitlines(keepends=True), ANSWER)
    names = {given: GIVEN[given] for given in subject.given} | {"__name__": "answer"}
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
    if name not in names or names[name] is GIVEN.get(name):
        raise Unusable(f"There is no function called {name} in it.")
    return names[name]


def _there(subject):
    others = [f"`{name}`" for name in subject.given]
    listed = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]}"
    return f"There {'is' if len(others) == 1 else 'are'} {listed}."


def _imports(subject):
    return sorted((IMPORTS[name] for name in subject.given), key=lambda line: line.startswith("from"))


def lesson(subject):
    """The lesson of the subject's exercise."""
    return exercises()[subject.exercise].lesson


def _flowing(message):
    """A message whose sentences run on; numbers and code, which are indented, keep their lines."""
    parts = message.split("\n\n")
    return "\n\n".join(part if "\n " in part else " ".join(part.split()) for part in parts)


def _first_sentence(text):
    return re.split(r"(?<=[.!?])\s+", " ".join(text.split()))[0]


def _evidence(message):
    """The failing input in a verdict, without the name of what is wrong."""
    found = [paragraph for paragraph in message.split("\n\n") if paragraph.startswith(EVIDENCE)]
    return found[0] if found else message.split("\n\n")[0] if "raised" in message else ""
