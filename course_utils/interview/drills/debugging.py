"""Debug and implement drills: code is run apart from ours and judged by the exercise's own check."""

import linecache
import re

from course_utils.core import scores
from course_utils.exercises import judge
from course_utils.exercises.engine.feedback import split_question
from course_utils.exercises.engine.guard import TimeUp, guarded
from course_utils.exercises.engine.registry import exercises
from course_utils.interview.drills import given
from course_utils.interview.drills.drill import LONGEST_CODE, Drill, Feedback
from course_utils.interview.drills.plants import SUBJECTS

TWO = 0.3  # how often two mistakes are planted
ANSWER = "<your answer>"
EVIDENCE = "The smallest input where it shows:"
CHANGED = "The numbers are right, but the caller's array is no longer the same after the call."


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
    texts = _texts(subject)
    what = "the mistake" if len(plants) == 1 else "the two mistakes"
    symptom = _evidence(judge(subject.exercise, run(subject, code)))
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
        told="\n\n".join(f"Planted: {name}. {_first_sentence(texts[name])}" for name in names),
        planted=names,
        imports=given.imports(subject.given),
    )


def choose(subject, rng, last=()):
    """One plant, or sometimes two that stand in different places; none of ``last``, whatever family it is from."""
    plants = [subject.plants[i] for i in rng.permutation(len(subject.plants))]
    used = {_kind(name) for name in last}
    plants = [plant for plant in plants if _kind(plant.mistake) not in used] or plants
    first = plants[0]
    code = planted(subject, first)
    others = [
        p
        for p in plants[1:]
        if subject.reference.count(p.old) == code.count(p.old) == 1 and p.old not in first.old
    ]
    two = others and rng.random() < TWO
    return (first, others[0]) if two else (first,)


def grade(subject, code, plants=(), symptom=""):
    """What the check says of the code. A planted mistake that is still there is shown, and not named."""
    try:
        function = run(subject, code)
    except Unusable as unusable:
        return Feedback("unread", str(unusable))
    verdict = judge(subject.exercise, function)
    if verdict.state != "wrong":
        return Feedback("right" if verdict.state == "right" else "unread", _here(verdict.message))
    name, shown = _planted_name(subject, code, plants, verdict), _evidence(verdict)
    if name and (shown or verdict.mistake):
        same = "That is still so." if shown == CHANGED else "It still gives the numbers above."
        left = f"Something is left.\n\n{shown}".strip()
        return Feedback("wrong", same if shown and shown == symptom else left, name)
    return Feedback("wrong", _flowing(verdict.message), name or verdict.mistake)


def hint(subject, code, plants=()):
    """The name of what is wrong with the code as it is: a planted mistake as long as one is there."""
    try:
        verdict = judge(subject.exercise, run(subject, code))
    except Unusable as unusable:
        return str(unusable)
    name = _planted_name(subject, code, plants, verdict) if verdict.state == "wrong" else None
    if name is None or name == verdict.mistake:
        return _flowing(_here(verdict.message).split("\n\n")[0])
    return _flowing(split_question(_texts(subject)[name])[0])


def _planted_name(subject, code, plants, verdict):
    """The planted mistake to speak of: the one judged, unless its line is mended and another's is not; or None."""
    there = [plant.mistake for plant in plants if _still_there(subject, code, plants, plant)]
    if verdict.mistake in [plant.mistake for plant in plants] and (verdict.mistake in there or not there):
        return verdict.mistake
    return there[0] if there else None


def _still_there(subject, code, plants, plant):
    """Whether a line stands in the code as it was planted, alone or with the other plant in it, too."""
    lines = {line.strip() for line in code.splitlines()}
    others = [other for other in plants if other is not plant]
    for before, after in (
        (planted(subject, *others), planted(subject, *plants)),
        (subject.reference, planted(subject, plant)),
    ):
        mended = {line.strip() for line in before.splitlines()}
        if any(line.strip() in lines - mended for line in after.splitlines()):
            return True
    return False


def _kind(mistake):
    return mistake.partition("/")[2]


def _texts(subject):
    return {mistake.name: mistake.text for mistake in exercises()[subject.exercise].mistakes}


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
        raise Unusable(
            f"{name} is no function, but of type {type(names[name]).__name__}: begin with def {name}(...)."
        )
    return names[name]


def lesson(subject):
    """The lesson of the subject's exercise."""
    return exercises()[subject.exercise].lesson


def _flowing(message):
    """A message whose sentences run on; numbers and code, which are indented, keep their lines."""
    parts = message.split("\n\n")
    return "\n\n".join(part if "\n " in part else " ".join(part.split()) for part in parts)


def _first_sentence(text):
    return re.split(r"(?<=[.!?])\s+", " ".join(text.split()))[0]


def _evidence(verdict):
    """The failing input in a verdict, or what happened instead; without the name of what is wrong."""
    paragraphs = verdict.message.split("\n\n")
    found = [paragraph for paragraph in paragraphs if paragraph.startswith(EVIDENCE)]
    if found or "raised" in paragraphs[0]:
        return (found or paragraphs)[0]
    return CHANGED if _kind(verdict.mistake or "") == "works_in_place" else ""


def _here(message):
    """A message of the check where there is no cell to run."""
    return re.sub(r",? (then|and) run (the|its) cell( again)?", ", then check", message).replace(
        "then check, then this one", "then check"
    )
