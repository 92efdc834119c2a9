"""The question bank: ``data/questions/<topic>.toml``, read, refused by name where something is missing, and proven."""

import contextlib
import functools
import importlib
import io
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

import numpy as np

from course_utils.exercises.engine.words import fill

TYPES = ("explain", "derive", "by hand", "implement", "debug", "estimate", "design")
NEEDED = {"question", "type", "level", "minutes", "brief", "full", "rubric", "follow_ups", "trap", "lesson"}
OPTIONAL = {"misconception", "proof", "no_proof", "given"}


class BankError(ValueError):
    """A question file that cannot be used: the sentence names the file, the entry and the field."""


@dataclass(frozen=True)
class FollowUp:
    ask: str
    answer: str


@dataclass(frozen=True)
class Question:
    """One interview question. ``brief`` is the 20-second answer, ``full`` the one for two minutes.

    ``proof`` names the function in ``proofs/<topic>.py`` that shows the answer to be true; where there is nothing
    to run, ``no_proof`` says why. The texts hold ``{names}`` of what the proof finds: ``filled`` puts it in. ``given``
    lists, in order, the numbers that stand in the texts as they are.
    """

    name: str
    topic: str
    question: str
    type: str
    level: int
    minutes: int
    brief: str
    full: str
    rubric: Sequence[str]
    follow_ups: Sequence[FollowUp]
    trap: str
    lesson: str
    misconception: str | None = None
    proof: str | None = None
    no_proof: str | None = None
    given: str = ""

    @property
    def texts(self):
        """Every text of the question by the name of its place, in order."""
        places = {"question": self.question, "brief": self.brief, "full": self.full}
        places |= {f"point {number} of rubric": point for number, point in enumerate(self.rubric, 1)}
        places |= {"trap": self.trap}
        for number, follow_up in enumerate(self.follow_ups, 1):
            places |= {f"ask of follow_up {number}": follow_up.ask, f"answer of follow_up {number}": follow_up.answer}
        return places


@functools.cache
def questions():
    """Every question of the course by name."""
    return load(resources.files("course_utils") / "data" / "questions")


def load(folder):
    """The questions of every file in a folder. Raises BankError, also if two have one name, or if there are none."""
    found = {}
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")] if folder.is_dir() else []
    if not files:
        raise BankError(f"{folder} holds no questions; fetch the course again")
    for file in sorted(files, key=lambda file: file.name):
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise BankError(f"{file.name}: this is no UTF-8 text; save it again as UTF-8") from None
        except OSError as error:
            raise BankError(f"{file.name} cannot be read ({error.strerror}); fetch the course again") from None
        of_file = read_questions(file.name, text)
        if not of_file:
            raise BankError(f"{file.name} holds no question; fetch the course again")
        for name, question in of_file.items():
            if name in found:
                raise BankError(f"{file.name}, question {name}: {found[name].topic}.toml has one of that name, too")
            found[name] = question
    return found


def read_questions(file, text):
    """The questions in one file, by name."""
    try:
        entries = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BankError(f"{file}{_entry_at(text, error)}: {_told(error)}") from None
    topic = file.removesuffix(".toml")
    return {name: _question(name, topic, entry) for name, entry in entries.items()}


def prove(question):
    """Run the proof of a question. Gives (whether it holds, what it found, or why it does not hold)."""
    try:
        found = _found(question.topic, question.proof)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("course_utils"):
            raise
        return False, f"This proof needs {error.name}, which is not installed here."
    except AssertionError as error:
        return False, f"It does not hold: {str(error).strip() or 'an assertion failed'}".rstrip(".") + "."
    except Exception as error:
        return False, f"The proof stopped with {type(error).__name__}: {error}"
    lines = [f"{name.replace('_', ' ')}: {_short(value)}" for name, value in found.items()]
    return True, "\n".join(lines) or "It holds."


@functools.cache
def filled(question):
    """The question with what its proof finds in its texts. Raises BankError for a name that the proof does not give."""
    found = _found(question.topic, question.proof) if question.proof else {}

    def put(place, text):
        try:
            return fill(text, found, f"{question.topic}.toml, question {question.name}, {place}")
        except ValueError as error:
            raise BankError(str(error)) from None

    texts = {place: put(place, text) for place, text in question.texts.items()}
    return replace(
        question,
        **{field: texts[field] for field in ("question", "brief", "full", "trap")},
        rubric=tuple(texts[f"point {i} of rubric"] for i, _ in enumerate(question.rubric, 1)),
        follow_ups=tuple(
            FollowUp(texts[f"ask of follow_up {i}"], texts[f"answer of follow_up {i}"])
            for i, _ in enumerate(question.follow_ups, 1)
        ),
    )


def _found(topic, proof):
    """What a proof finds: values by name."""
    module = importlib.import_module(f"course_utils.interview.proofs.{topic}")
    with contextlib.redirect_stdout(io.StringIO()):
        return getattr(module, proof)() or {}


def _short(value):
    """A number, or numbers, with so many digits as can be read."""
    if isinstance(value, bool | str):
        return str(value)
    with np.printoptions(precision=4, suppress=True, threshold=24):
        return f"{value:,.5g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _question(name, topic, entry):
    def refuse(what):
        raise BankError(f"{topic}.toml, question {name}: {what}")

    if not isinstance(entry, Mapping):
        refuse("this stands outside a question; begin each one with [its_name]")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        refuse("a name is made of small letters, digits and _")
    for field in sorted(set(entry) - NEEDED - OPTIONAL):
        refuse(f"{field} is no field; there are {', '.join(sorted(NEEDED | OPTIONAL))}")
    for field in sorted(NEEDED - set(entry)):
        refuse(f"{field} is missing")
    for field in sorted(set(entry) - {"level", "minutes", "rubric", "follow_ups"}):
        _needs_text(refuse, field, entry[field])
    if entry["type"] not in TYPES:
        refuse(f"type is {entry['type']!r}; the types are {', '.join(TYPES)}")
    for field, largest in (("level", 5), ("minutes", 60)):
        if type(entry[field]) is not int or not 1 <= entry[field] <= largest:
            refuse(f"{field} is {entry[field]!r}; a whole number from 1 to {largest} is needed")
    if not re.fullmatch(r"\d\d_[a-z_]+", entry["lesson"]):
        refuse(f"lesson is {entry['lesson']!r}; it looks like 04_masking")
    if ("proof" in entry) == ("no_proof" in entry):
        refuse("either proof (a function's name) or no_proof (the reason) is needed, and not both")
    return Question(
        name=name,
        topic=topic,
        **entry | {"rubric": _rubric(refuse, entry["rubric"]), "follow_ups": _follow_ups(refuse, entry["follow_ups"])},
    )


def _needs_text(refuse, field, value):
    if not isinstance(value, str) or not value.strip():
        refuse(f"{field} is {value!r}; a text that is not empty is needed")


def _rubric(refuse, points):
    if not isinstance(points, list) or not 3 <= len(points) <= 6:
        refuse("rubric needs a list of 3 to 6 points")
    for number, point in enumerate(points, 1):
        _needs_text(refuse, f"point {number} of rubric", point)
    if len(set(points)) < len(points):
        refuse("two points of rubric are the same")
    return tuple(points)


def _follow_ups(refuse, entries):
    fit = isinstance(entries, list) and len(entries) == 2
    if not fit or any(not isinstance(entry, Mapping) or set(entry) != {"ask", "answer"} for entry in entries):
        refuse("follow_ups needs two entries, each with ask and answer and nothing else")
    for number, entry in enumerate(entries, 1):
        for field in ("ask", "answer"):
            _needs_text(refuse, f"{field} of follow_up {number}", entry[field])
    if entries[0]["ask"] == entries[1]["ask"]:
        refuse("both follow_ups ask the same")
    return tuple(FollowUp(**entry) for entry in entries)


def _entry_at(text, error):
    """ ", question NAME" for the last heading before the place of the error, if it says where it is."""
    place = re.search(r"line (\d+)", str(error))
    lines = text.splitlines()[: int(place[1])] if place else text.splitlines()
    headings = re.findall(r"^\[+\s*\"?([\w-]+)", "\n".join(lines), re.MULTILINE)
    return f", question {headings[-1]}" if headings else ""


def _told(error):
    """What tomllib says, with the two commonest slips in plain words."""
    text = str(error)
    place = re.search(r"\(at (.+)\)$", text)
    where = f" ({place[1]})" if place else ""
    if "Cannot overwrite a value" in text:
        return f"a field stands here twice{where}"
    if "Cannot declare" in text:
        return f"a question of that name stands here twice{where}"
    return f"this is no valid TOML: {text}"
