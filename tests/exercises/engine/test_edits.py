"""A mistake is made in the source of the solution; what cannot be made is refused, with its file and its name."""

import numpy as np
import pytest

from course_utils.exercises import judge
from course_utils.exercises.engine import edits
from tests.exercises.engine.samples import AREA, TABLE, area, made, scaled, scaling


def test_an_edit_makes_the_wrong_function_and_leaves_the_right_one_alone(monkeypatch):
    exercise = scaling(monkeypatch)
    adds = next(mistake for mistake in exercise.mistakes if mistake.name == "colour/adds")
    x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 6.0, 7.0, 8.0])
    assert np.allclose(adds.run(x, y), (x + y) / 2) and np.allclose(scaled(x, y), x * y / 2)
    assert "x + y" in adds.run.source and "x * y" not in adds.run.source


def test_further_ways_come_to_the_same_mistake(monkeypatch):
    names = [mistake.name for mistake in scaling(monkeypatch).mistakes]
    assert names.count("colour/forgets_the_root") == 2


def helper(x):
    return x + 1


def user(x):
    return helper(x) * 2


def test_an_edit_reaches_a_helper_and_only_in_the_wrong_answer():
    wrong = edits.Variant(edits.answer_of(user, (helper,)), [("x + 1", "x - 1")])
    assert (wrong(3), user(3), helper(3)) == (4, 8, 4)


def test_what_is_returned_is_an_expression_of_the_answers_own_variables():
    assert edits.Variant(edits.answer_of(area), [(None, "2 * (width + height)")])() == 20
    assert edits.worked_out(area) == {"width": 3, "height": 7, "value": 21}


def test_words_are_filled_with_the_number_of_the_mistake(monkeypatch):
    verdict = judge(made(monkeypatch, AREA, area), 10.5)
    assert verdict.mistakes == ("colour/half",)
    assert (verdict.what, verdict.ask) == ("10.5 is half of 21.", "What shape has sides of 3 and 7?")


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('"x * y"', '"x - y"', "art/colour.toml, adds: 'x - y' has to stand 1 times in scaled, but it stands 0"),
        ('["x * y", "x + y"]', '["x", "z"]', "art/colour.toml, adds: 'x' has to stand 1 times in scaled, but it"),
        ('what = "You add."', 'waht = "You add."', "art/colour.toml, adds: waht is no field; there are as, ask, edit"),
        ('what = "You add."\n', "", "art/colour.toml, adds: what is missing"),
        ('ask = "What was asked for?"', 'ask = " "', "art/colour.toml, adds: ask is missing"),
        ('edit = ["x * y", "x + y"]', "value = 3", "art/colour.toml, adds: a bare value needs a reason"),
        ('edit = ["x * y", "x + y"]', "", "art/colour.toml, adds: one of edit, returns, value, function is needed"),
        ('edit = ["x * y"', 'returns = "x"\nedit = ["x * y"', "adds: one of edit, returns, value, function is needed"),
        ('edit = ["x * y", "x + y"]', 'function = "adds"', "art/colour.toml, adds: no function adds is given"),
        ("[adds]", 'name = "x"\n[adds]', "art/colour.toml: name stands outside an entry"),
        ("[adds]", "[adds", "art/colour.toml: this is no valid TOML"),
    ],
)
def test_a_bad_entry_is_refused_with_its_file_and_its_name(old, new, words, monkeypatch):
    assert old in TABLE
    with pytest.raises(ValueError) as refused:
        made(monkeypatch, TABLE.replace(old, new, 1), scaled, probes=[(np.ones(2), np.ones(2))])
    assert words in str(refused.value)


def test_a_name_that_the_table_does_not_have_is_refused(monkeypatch):
    monkeypatch.setattr(edits, "table", lambda path: edits.read_table(path, TABLE))
    with pytest.raises(ValueError, match="art/colour.toml has no adds_up"):
        edits.slips("art/colour", scaled, without=["adds_up"])


def test_a_group_is_for_the_exercise_of_its_name():
    text = TABLE.replace("[adds]", "[scaled.adds]").replace("[forgets_the_root]", "[other.forgets_the_root]")
    family, entries = edits.read_table("art/colour", 'family = "light"\n' + text)
    assert family == "light" and [group for group, _ in entries] == ["scaled", "other", None, None]


def test_an_unknown_name_in_the_words_says_where(monkeypatch):
    exercise = made(monkeypatch, AREA.replace("{right}", "{rihgt}"), area)
    with pytest.raises(ValueError, match="colour/half: nothing is called {rihgt}; there are height, right, value"):
        edits.told_of(exercise.mistakes[0], area)
