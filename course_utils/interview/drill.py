"""A task that code grades, and what comes back: numbers and units are read here."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LONGEST_LINE = 200  # characters of an answer in one line
LONGEST_CODE = 20_000


class Feedback(NamedTuple):
    """``state`` is "right", "wrong" or "unread": what cannot be read costs no try."""

    state: str
    message: str
    mistake: str | None = None


class Unread(ValueError):
    """An answer that cannot be read, in one sentence with what to write instead."""


@dataclass(frozen=True)
class Drill:
    """``box`` is "line" or "code"; ``start`` stands in it. ``grade(text)`` gives a Feedback.

    ``symptom`` is shown with the task, ``hint(text)`` on request, ``solution`` and ``told`` once it is solved or
    given up. ``planted`` are the mistakes in the start, ``imports`` the lines that give what code may use.
    """

    name: str
    topic: str
    type: str
    level: int
    minutes: int
    lesson: str
    question: str
    grade: Callable
    solution: str
    box: str = "line"
    start: str = ""
    symptom: str = ""
    hint: Callable | None = None
    told: str = ""
    planted: Sequence[str] = ()
    imports: Sequence[str] = ()


THOUSANDS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "t": 1e12, "p": 1e15}
THOUSANDS |= {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
BYTES = {"b": 1, "byte": 1, "bytes": 1}
BYTES |= {f"{p}b": 1000**i for i, p in enumerate("kmgt", 1)} | {
    f"{p}ib": 1024**i for i, p in enumerate("kmgt", 1)
}
FLOPS = {f"{p}flop{s}": THOUSANDS[p] for p in ("", "k", "m", "g", "t", "p") for s in ("", "s")}
NOUNS = r"(parameters?|params?|entries|entry|scores?|tokens?|numbers?)"
ASKED = {"bytes": "bytes are", "FLOPs": "FLOPs are", "count": "a count is"}
EXAMPLE = {"bytes": "2 GiB", "FLOPs": "3.2 GFLOP", "count": "16.8 M"}


def quantity(text, dimension):
    """The number that ``text`` means, in bytes, FLOPs or as a count; raises Unread. "2 GiB" is 2147483648."""
    text = _short(text, f"one number, such as {EXAMPLE[dimension]}")
    match = re.fullmatch(r"[~≈]?\s*([-+\d.,_^*eE ]*\d)\s*([^\W\d].*)?", text)
    if not match:
        raise Unread(f"{_brief(text)} is no number: write one such as {EXAMPLE[dimension]}.")
    number, unit = _number(match[1]), re.sub(r"\s+", "", match[2] or "").lower()
    if number <= 0:
        raise Unread("The number has to be above 0.")
    if "/" in unit or "per" in unit:
        raise Unread(f"{_brief(match[2])} is a rate: the amount is asked for, such as {EXAMPLE[dimension]}.")
    return number * _factor(unit, match[2], dimension)


def _factor(unit, written, dimension):
    """How many bytes, FLOPs or things one of the unit is."""
    if dimension == "count":
        unit = re.sub(NOUNS + "$", "", unit)
    known = {"bytes": BYTES, "FLOPs": FLOPS | THOUSANDS, "count": THOUSANDS}[dimension]
    if unit in known:
        return known[unit]
    if "bit" in unit:
        raise Unread(f"{_brief(written)} counts bits: give bytes, such as {EXAMPLE['bytes']}.")
    if not unit or dimension == "bytes" and unit in THOUSANDS:
        raise Unread(f"The unit is missing: write, for example, {EXAMPLE[dimension]}.")
    raise Unread(
        f"The unit {_brief(written)} does not fit: {ASKED[dimension]} asked for, such as {EXAMPLE[dimension]}."
    )


def numbers(text, count):
    """``count`` numbers from one line, with or without commas and brackets; raises Unread."""
    text = _short(text, f"{count} numbers, such as {' '.join(['0.25'] * count)}")
    found = re.split(r"[\s,;]+", text.strip("[]() ,;"))
    if len(found) != count:
        came = "one number" if len(found) == 1 else f"{len(found)} numbers"
        raise Unread(f"{count} numbers are asked for, with a point for decimals, but {came} came.")
    return [_number(word) for word in found]


def _short(text, wanted):
    text = str(text or "").strip()
    if not text:
        raise Unread(f"Nothing came: write {wanted}.")
    if len(text) > LONGEST_LINE:
        raise Unread(f"A text of {len(text)} characters came: write {wanted}.")
    return text


def _brief(text):
    return repr(text if len(text) <= 30 else f"{text[:30]}...")


def _number(text):
    """A float from "1,024", "2^30", "2**30", "1e9" or "0.5"."""
    plain = text.replace(" ", "").replace("_", "")
    power = re.fullmatch(r"(\d{1,6})(?:\^|\*\*)(\d{1,3})", plain)
    if power:
        plain = str(_power(int(power[1]), int(power[2])))
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    try:
        number = float(plain)
    except ValueError:
        point = ": write 4.5, not 4,5" if "," in plain else ""
        raise Unread(f"{_brief(text)} cannot be read as a number{point}.") from None
    if not math.isfinite(number):
        raise Unread("That number is too large to be meant: check the exponent.")
    return number


def _power(base, exponent):
    try:
        return float(base) ** exponent
    except OverflowError:
        return math.inf


def near(a, b, tolerance):
    """Whether two numbers are the same within a share of the second."""
    return abs(a - b) <= tolerance * abs(b)
