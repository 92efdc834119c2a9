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

    @property
    def topic(self):
        return topic_of(self.lesson)


def topic_of(lesson):
    """The word of a lesson: "masking" for 04_masking."""
    return lesson.partition("_")[2]


SMALLEST, LARGEST = 1e-30, 1e30  # what lies beyond is a slip in the exponent
PREFIXES = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
PREFIXES |= {"kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15}
PREFIXES |= {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
BINARY = {f"{p}i": 1024.0**i for i, p in enumerate("kmgtp", 1)}
BINARY |= {f"{p}bi": 1024.0**i for i, p in enumerate(("ki", "me", "gi", "te", "pe"), 1)}
# Of each dimension: what may stand in front of its noun, and the noun; FLOPs and counts may go without.
KNOWN = {"bytes": PREFIXES | BINARY, "FLOPs": PREFIXES | {"b": 1e9}, "count": PREFIXES | {"b": 1e9}}
NOUNS = {
    "bytes": r"(bytes?|b)",
    "FLOPs": r"(flops?|(floatingpoint)?operations?|ops?)",
    "count": r"(parameters?|params?|weights?|entries|entry|elements?|pairs?|scores?|tokens?|numbers?)",
}
ASKED = {"bytes": "bytes are", "FLOPs": "FLOPs are", "count": "a count is"}
EXAMPLE = {"bytes": "2 GiB", "FLOPs": "3.2 GFLOP", "count": "16.8 M"}
TIMES = r"\s*[*x×·⋅]\s*"


def quantity(text, dimension):
    """The number that ``text`` means, in bytes, FLOPs or as a count; raises Unread. "2 GiB" is 2147483648."""
    text = _short(text, f"one number, such as {EXAMPLE[dimension]}").rstrip(" .")
    match = re.fullmatch(r"[~≈]?\s*([-+\d.,_^*x×·⋅eE ]*\d)\s*([^\W\d].*)?", text)
    if not match:
        raise Unread(f"{_brief(text)} is no number: write one such as {EXAMPLE[dimension]}.")
    number, unit = _product(match[1]), (match[2] or "").strip()
    if number <= 0:
        raise Unread("The number has to be above 0.")
    if re.search(r"/|\bper\b", unit.lower()):
        raise Unread(f"{_brief(unit)} is a rate: the amount is asked for, such as {EXAMPLE[dimension]}.")
    return _sensible(number * _factor(unit, dimension))


def _factor(written, dimension):
    """How many bytes, FLOPs or things one of the unit is."""
    unit = re.sub(r"[\s-]+", "", written).lower()
    front = re.sub(NOUNS[dimension] + "$", "", unit)
    if dimension == "bytes" and ("bit" in unit or re.fullmatch("[KMGTP]i?b", written)):
        raise Unread(f"{_brief(written)} counts bits: give bytes, such as {EXAMPLE['bytes']}.")
    if dimension == "bytes" and front == unit and unit in PREFIXES:
        raise Unread(f"The unit is missing: write, for example, {EXAMPLE[dimension]}.")
    if front in KNOWN[dimension]:
        return KNOWN[dimension][front]
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


def _product(text):
    """A float from one number or several multiplied: "3.2 x 10^9", "2 * 32 * 2^13"."""
    factors = re.split(TIMES, text.replace("**", "^").strip())
    return _sensible(math.prod(_number(factor) for factor in factors))


def _number(text):
    """A float from "1,024", "1 024", "2^30", "2**30", "1e9" or "0.5"; another blank in it is refused."""
    plain = text.strip().replace("_", "").replace("**", "^")
    power = re.fullmatch(r"(\d{1,6})\s*\^\s*([+-]?\d{1,3})", plain)
    if power:
        return _sensible(_power(int(power[1]), int(power[2])))
    for mark in ", ":
        if re.fullmatch(rf"\d{{1,3}}({mark}\d{{3}})+(\.\d+)?", plain):
            plain = plain.replace(mark, "")
    try:
        number = float(plain)
    except ValueError:
        point = ": write 4.5, not 4,5" if "," in plain else ""
        point = point or (": write it without blanks, such as 3e6" if " " in plain else "")
        raise Unread(f"{_brief(text)} cannot be read as a number{point}.") from None
    return _sensible(number)


def _sensible(number):
    """The number, if anybody can have meant it: no message has to show hundreds of digits."""
    if not abs(number) <= LARGEST:  # NaN, too
        raise Unread("That number is too large to be meant: check the exponent.")
    if 0 < abs(number) < SMALLEST:
        raise Unread("That number is too small to be meant: check the exponent.")
    return number


def _power(base, exponent):
    try:
        return float(base) ** exponent
    except (OverflowError, ZeroDivisionError):
        return math.inf


def near(a, b, tolerance):
    """Whether two numbers are the same within a share of the second."""
    return abs(a - b) <= tolerance * abs(b)
