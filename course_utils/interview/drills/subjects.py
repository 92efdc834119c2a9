"""Code to be written or mended: an exercise's solution as the reference, and its own mistakes to plant in it."""

import functools
import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

from course_utils.exercises.engine.edits import Variant, answer_of, together
from course_utils.exercises.engine.exercise import Exercise, Mistake
from course_utils.exercises.engine.registry import exercises

FIELDS = {"level", "minutes", "task", "given"}


class Subject(NamedTuple):
    """An exercise as an interview task: ``task`` says what to write, ``given`` which names are there.

    ``reference`` is the code that is shown as the answer, ``plants`` the mistakes that can be planted in it.
    """

    exercise: Exercise
    level: int
    minutes: int
    task: str
    given: Sequence[str]
    reference: str
    plants: Sequence[Mistake]

    @property
    def name(self):
        return self.exercise.name

    def planted(self, *plants):
        """The reference with those mistakes in it; None where two of them cannot stand in it together."""
        runs = [plant.run for plant in plants]
        both = runs[0] if len(runs) == 1 else together(*runs) if runs else None
        return self.reference if not runs else both and both.source.strip("\n") + "\n"


@functools.cache
def subjects():
    """Every subject by the name of its exercise. Raises ValueError that names the entry and the field."""
    text = resources.files(__package__).joinpath("subjects.toml").read_text(encoding="utf-8")
    found = {}
    for name, entry in tomllib.loads(text).items():
        if name not in exercises() or set(entry) != FIELDS:
            raise ValueError(f"subjects.toml, {name}: an exercise's name is needed, with {', '.join(sorted(FIELDS))}")
        exercise = exercises()[name]
        found[name] = Subject(exercise, **entry, **_code(exercise))
    return found


def _code(exercise):
    """The solution as code that stands alone, and the mistakes that are small edits of it, one of each name."""
    variants = {m.name: m for m in reversed(exercise.mistakes) if isinstance(m.run, Variant)}
    homes = {m.run.answer for m in variants.values() if m.run.answer.function is exercise.solution}
    home = homes.pop() if homes else answer_of(exercise.solution)
    plants = [m for m in variants.values() if m.run.answer is home and all(map(_is_small, m.run.edits))]
    return {"reference": home.source.strip("\n") + "\n", "plants": plants[::-1]}


def _is_small(edit):
    """Whether an edit changes one line, or makes two of it, so that the code looks as if somebody had written it."""
    old, new = edit[:2]
    return old is not None and "\n" not in old and new.count("\n") < 2 and max(map(len, f"{new}\n".splitlines())) < 80
