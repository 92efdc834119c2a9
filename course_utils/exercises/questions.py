"""Multiple-choice questions: ``data/questions/<topic>.toml`` as exercises, and ``ask`` to show one."""

import functools
import tomllib
from importlib import resources

from course_utils.exercises.exercise import Exercise, Mistake

FIELDS = {"lesson", "text", "right", "because", "hints", "options", "mistakes"}


@functools.cache
def questions():
    """Every question by name: a dict of the fields. Raises ValueError that names the file and the entry."""
    found = {}
    folder = resources.files("course_utils") / "data" / "questions"
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".toml"):
            continue
        for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
            where = f"{file.name}, question {name}"
            if set(entry) != FIELDS or not all(entry.values()):
                odd = sorted(set(entry) ^ FIELDS) or [key for key in entry if not entry[key]]
                raise ValueError(f"{where}: each of {sorted(FIELDS)} is needed once, look at {odd}")
            wrong = set(entry["options"]) - {entry["right"]}
            if entry["right"] not in entry["options"] or {m["option"] for m in entry["mistakes"]} != wrong:
                raise ValueError(
                    f"{where}: each wrong option needs a mistake, and the right one must be an option"
                )
            found[name] = entry | {"topic": file.name.removesuffix(".toml")}
    return found


def ask(name):
    """Print a question and its options. The answer goes to ``check.NAME("letter")``."""
    question = questions()[name]
    print(question["text"])
    for letter, option in question["options"].items():
        print(f"  {letter}  {option}")
    print()


def _exercise(name, entry):
    mistakes = [
        Mistake(f"{entry['topic']}/{m['name']}", m["text"], lambda m=m: m["option"])
        for m in entry["mistakes"]
    ]
    return Exercise(
        lesson=entry["lesson"],
        name=name,
        solution=lambda: entry["right"],
        covers=entry["because"],
        hints=entry["hints"],
        mistakes=mistakes,
    )


EXERCISES = [_exercise(name, entry) for name, entry in questions().items()]
