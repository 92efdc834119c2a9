"""Two mistakes at once are both named, first what stands first; a name that is not sure is not said."""

import math

import numpy as np
import pytest

from course_utils.exercises import judge
from course_utils.exercises.engine import edits, pairs
from tests.exercises.engine.samples import scaling


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """A busy machine must not cut the search for pairs short."""
    monkeypatch.setattr(pairs, "SECONDS", 5.0)


def test_two_mistakes_are_both_named_and_the_first_step_comes_first(monkeypatch):
    verdict = judge(scaling(monkeypatch), lambda x, y: (x + y) / len(x))
    assert verdict.mistakes == ("colour/adds", "colour/forgets_the_root")
    assert verdict.what == "You add.\n\nAnd this: you divide by n." and verdict.ask == "What was asked for?"
    assert verdict.mistake == "colour/adds" and "yours" in verdict.evidence


def test_one_mistake_is_named_alone(monkeypatch):
    verdict = judge(scaling(monkeypatch), lambda x, y: (x + y) / math.sqrt(len(x)))
    assert verdict.mistakes == ("colour/adds",) and "And this" not in verdict.message


def test_zeros_nan_and_exceptions_match_no_pair(monkeypatch):
    exercise = scaling(monkeypatch)

    def fails(x, y):
        raise TypeError("no")

    for answer in (lambda x, y: np.full(len(x), np.nan), fails, lambda x, y: np.zeros(len(x) + 1)):
        assert judge(exercise, answer).mistakes == ()


def test_an_answer_that_two_pairs_explain_is_told_only_what_they_share(monkeypatch):
    exercise = scaling(monkeypatch)
    first, *others = exercise.mistakes
    both = {(first, others[0]): lambda x, y: x + 0.5, (first, others[2]): lambda x, y: x + 0.5}
    monkeypatch.setattr(pairs, "both", lambda exercise: both)
    monkeypatch.setattr(pairs, "_outcome", lambda e, pair, i: e.outcome(both[pair], e.probes[i]))
    verdict = judge(exercise, lambda x, y: x + 0.5)
    assert verdict.mistakes == (first.name,) and verdict.what.startswith("Several things at once. Fix this first: you")


def test_edits_that_meet_are_no_pair():
    assert edits.together(lambda: 1, lambda: 2) is None
    one, other = (edits.Variant(edits.answer_of(math_of_two), [edit]) for edit in (("a + b", "a"), ("+ b", "- b")))
    assert edits.together(one, other) is None


def math_of_two(a, b):
    return a + b
