"""A small exercise with a table of its own, so that the engine is tried without any topic."""

import math

import numpy as np

from course_utils.exercises.engine import edits
from course_utils.exercises.engine.exercise import Exercise

TABLE = """
[adds]
edit = ["x * y", "x + y"]
what = "You add."
ask = "What was asked for?"

[forgets_the_root]
edit = ["math.sqrt(n)", "n"]
ways = ["product / n"]
what = "You divide by n."
ask = "Which power is it?"

[turns_it_round]
edit = ["product / ", "product[::-1] / "]
what = "Your output is turned round."
ask = "Which comes first?"

[returns_nothing_of_it]
returns = "0 * product"
what = "Your output is zero."
ask = "Where is the product?"
"""


def scaled(x, y):
    n = len(x)
    product = x * y
    return product / math.sqrt(n)


def area():
    width, height = 3, 7
    return width * height


AREA = """
[half]
returns = "width * height / 2"
what = "{value:.1f} is half of {right}."
ask = "What shape has sides of {width} and {height}?"
"""


def made(monkeypatch, text, solution, **settings):
    """An exercise whose mistakes are those of a table given as text."""
    monkeypatch.setattr(edits, "table", lambda path: edits.read_table(path, text))
    return Exercise(solution, "00_start", ["Try."], mistakes=edits.slips("art/colour", solution), **settings)


def scaling(monkeypatch):
    probes = [(np.arange(1.0, 4.0), np.array([2.0, 5.0, 3.0])), (np.arange(1.0, 6.0), np.full(5, 3.0))]
    return made(monkeypatch, TABLE, scaled, probes=probes)
