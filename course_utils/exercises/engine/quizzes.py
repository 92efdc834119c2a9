"""Choices and blanks, from ``quizzes.toml`` and ``recall.toml`` in the folder of each topic."""

import functools
import tomllib
from importlib import resources

from course_utils.exercises.engine.exercise import Exercise, Mistake

FIELDS = {"lesson", "text", "right", "because", "hints", "options", "mistakes"}
SLIP = {"option", "name", "what", "ask"}


@functools.cache
def quizzes():
    """Every question by name: a dict of its fields, and of its ``topic``."""
    found = {}
    for topic, text in _of_the_topics("quizzes.toml"):
        found |= read_quizzes(topic, text)
    return found


def read_quizzes(topic, text):
    """The questions of one topic. Raises ValueError that names the file, the question and the field."""
    found = tomllib.loads(text)
    for name, entry in found.items():
        where = f"{topic}/quizzes.toml, question {name}"
        odd = sorted(FIELDS ^ (set(entry) - {"given"})) or [field for field in sorted(entry) if not entry[field]]
        if odd:
            raise ValueError(f"{where}: look at {', '.join(odd)}; needed are {', '.join(sorted(FIELDS))}, not empty")
        if entry["right"] not in entry["options"]:
            raise ValueError(f"{where}: the right answer {entry['right']} is none of its options")
        if {m["option"] for m in entry["mistakes"]} != set(entry["options"]) - {entry["right"]}:
            raise ValueError(f"{where}: each wrong option needs one mistake, and the right one none")
        for slip in entry["mistakes"]:
            if set(slip) != SLIP or not all(slip.values()):
                raise ValueError(f"{where}: a mistake needs {', '.join(sorted(SLIP))}, not empty, and nothing else")
        entry["topic"] = topic
    return found


@functools.cache
def recalls():
    """The free recall of each topic: ``blanks`` to fill and the full ``text``."""
    found = {topic: tomllib.loads(text) for topic, text in _of_the_topics("recall.toml")}
    for topic, entry in found.items():
        if set(entry) != {"blanks", "text"} or "___" not in entry["blanks"] or not entry["text"].strip():
            raise ValueError(f"{topic}/recall.toml: blanks (with ___) and text are needed, and nothing else")
    return found


def _of_the_topics(name):
    """(topic, text) of the file of that name in the folder of each topic that has one."""
    for folder in sorted(resources.files("course_utils.exercises").iterdir(), key=lambda entry: entry.name):
        if (folder / name).is_file():
            yield folder.name, (folder / name).read_text(encoding="utf-8")


def _exercise(name, entry):
    mistakes = [
        Mistake(f"{entry['topic']}/{slip['name']}", slip["what"], lambda s=slip: s["option"], ask=slip["ask"])
        for slip in entry["mistakes"]
    ]
    return Exercise(
        lesson=entry["lesson"],
        name=name,
        solution=lambda: entry["right"],
        covers=entry["because"],
        hints=entry["hints"],
        mistakes=mistakes,
    )


EXERCISES = [_exercise(name, entry) for name, entry in quizzes().items()]
