"""Stepper on the Python side: the written-out numbers, the twin, and what it refuses."""

import re

import numpy as np
import pytest
import traitlets

from course_utils.core.tokens import worked_example
from course_utils.views.example import STEPS, TITLES, Stepper

X, W = np.eye(3, 2), np.eye(2)


def small(**settings):
    given = dict(words=["a", "b", "c"], x=X, W_Q=W, W_K=W, W_V=W)
    return Stepper(**given | settings)


@pytest.mark.parametrize(
    ("step", "column", "says"),
    [
        (1, "thing", "query(machine, thing) = 0·0 + 0·1 + 1·0.5 + 1·2 + 0·1 + 1·(−0.5) + 0·(−0.5) + 1·0 = 2"),
        (2, "modifier", "key(machine, modifier) = 0·0 + 0·0 + 1·0 + 1·2 + 0·0 + 1·0 + 0·0 + 1·0 = 2"),
        (3, "process", "value(machine, process) = 0·0 + 0·1 + 1·0 + 1·(−0.5) + 0·0 + 1·0 + 0·1 + 1·0 = −0.5"),
        (4, "learning", "score(machine, learning) = 0·0 + 0.5·1 + 2·2 + 0.5·0 = 4.5"),
        (5, "learning", "scaled(machine, learning) = 4.5 / √4 = 4.5 / 2 = 2.25"),
        (6, "learning", "exponential(machine, learning) = exp(2.25) = 9.488"),
        (7, "learning", "weight(machine, learning) = 9.488 / 16.618 = 0.571"),
        (8, "feeling", "output(machine, feeling) = 0.060·0 + 0.099·2 + 0.270·0 + 0.571·0 = 0.198"),
    ],
)  # fmt: skip
def test_a_cell_is_written_out_as_on_paper(step, column, says):
    assert Stepper(step=step, row="machine", column=column).product() == says


def test_a_minus_sign_before_a_factor_stands_in_brackets():
    assert Stepper(step=4, row="I", column="love").product().startswith("score(I, love) = (−0.5)·0 + 1.5·2 + ")
    assert "exp(−0.5) = 0.607" in Stepper(step=6).product()
    assert "= −1 / √4 = −1 / 2 = −0.5" in Stepper(step=5).product()


def test_the_future_is_masked_from_the_exponentials_onwards():
    view = Stepper(causal=True, row="love", column=3)
    view.step = 5
    assert view.product().endswith("= 3 / √4 = 3 / 2 = 1.5")
    view.step = 6
    assert view.product() == "exponential(love, learning) = 0: masked, because learning comes later than love"
    view.step = 7
    assert view.product() == "weight(love, learning) = 0 / 1.368 = 0: masked"
    assert view.twin().count(">0 ·</td>") == 2 * 6  # in the exponentials and in the weights
    view.step, view.column = 8, "feeling"
    assert view.product() == "output(love, feeling) = 0.731·0 + 0.269·2 + 0·0 + 0·0 = 0.538"


def test_a_width_that_is_no_square_is_rounded():
    wide = dict(W_Q=np.eye(2, 3), W_K=np.eye(2, 3))
    view = small(step=5, **wide)
    assert view.product() == "scaled(a, a) = 1 / √3 = 1 / 1.732 = 0.577"
    assert "√3 = 1.732" in view.says[4]
    assert view.channels == ["1", "2", "3"] and view.features == ["1", "2"]


def test_what_would_look_like_zero_shows_its_first_digits():
    x = np.array([[1.0, 0.0], [0.0, 10.0]]) / 3
    view = Stepper(["a", "b"], x, W, -W, W, step=6, row=1, column=1)
    assert view.product() == "exponential(b, b) = exp(−7.857) = 0.000387"


def test_a_word_that_occurs_twice_gets_its_place():
    assert small(words=["a", "b", "a"], step=4, row=2, column=1).product().startswith("score(a at place 3, b)")


@pytest.mark.parametrize("step", range(1, 9))
def test_the_twin_shows_the_step_the_weights_and_the_output(step):
    view = Stepper(step=step, row=2, column=1)
    twin, (result, left, right, _) = view.twin(), STEPS[step - 1]
    captions = re.findall("<caption>(.*?)</caption>", twin)
    expected = dict.fromkeys(name for name in (left, right, result, "weights", "output") if name)
    assert [caption.lower() for caption in captions] == [name.lower() for name in expected]
    assert f"Step {step} of 8: {TITLES[step - 1]}." in twin and view.product() in twin
    assert len(twin.encode()) <= 20 * 1024
    for table, name in zip(re.findall("<table>.*?</table>", twin), expected, strict=True):
        array = view.arrays()[name]
        cells = [float(text.replace("−", "-")) for text in re.findall(r"<td style=[^>]*>([^<]+)</td>", table)]
        if name == "exponentials" and step == 7:
            array = np.hstack([array, view.arrays()["sums"]])
        assert np.abs(np.reshape(cells, array.shape) - array).max() <= 0.0005 + 1e-9
        assert table.count("▸") == (name == result)


def test_the_defaults_are_the_worked_example():
    view, example = Stepper(), worked_example()
    assert view.words == example.words and view.features == example.features
    assert all(np.array_equal(getattr(view, name), getattr(example, name)) for name in ("x", "W_Q", "W_K", "W_V"))
    assert repr(view) == "Stepper(4 words, step 1)"


def test_the_place_can_be_set_by_number_and_by_name():
    view = Stepper()
    view.row, view.column, view.step = "machine", "thing", 8
    assert (view.row, view.column, view.step) == (2, 2, 8)
    view.column = "feeling"
    assert view.column == 1
    for name, value, says in (
        ("row", "dog", "row needs one of I, love, machine, learning, but it is 'dog'"),
        ("row", 4, "row needs a place from 0 to 3, but it is 4"),
        ("column", "action", "column needs one of person, feeling, technical, process, but it is 'action'"),
        ("column", -1, "column needs a place from 0 to 3, but it is -1"),
        ("step", 9, "step"),
        ("step", 0, "step"),
    ):
        with pytest.raises(traitlets.TraitError) as refused:
            setattr(view, name, value)
        assert says in str(refused.value)


def test_a_step_with_fewer_columns_shows_its_last():
    view = small(step=4, column=2)
    assert view.product().startswith("score(a, c)")
    view.step = 8
    assert view.product().startswith("output(a, 2)")


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (dict(words="I love"), TypeError, "words needs a list of words, but it is the text 'I love'"),
        (dict(words=["I", "love"]), ValueError, "x needs the shape (2, 8), one row for each word and"),
        (dict(x=np.ones(4)), ValueError, "x needs the shape (4, 4)"),
        (dict(x="no"), TypeError, "x needs numbers"),
        (dict(x=[[1, 2], [3]]), TypeError, "x needs numbers"),
        (dict(x=np.full((4, 8), np.nan)), ValueError, "x needs finite numbers, but it holds nan"),
        (dict(W_Q=np.ones((4, 8))), ValueError, "W_Q needs the shape (8, 8), one row for each feature of x"),
        (dict(W_K=np.ones((8, 3))), ValueError, "W_K needs the shape (8, 4), one row for each feature of x and,"),
        (dict(W_V=np.ones((8, 40))), ValueError, "W_V is (8, 40), but a stepper shows 1 to 12 rows and columns"),
        (dict(features=["a"]), ValueError, "features needs 8 names, one for each column of x, but there are 1"),
        (dict(channels=["a", "b"]), ValueError, "channels needs 4 names, one for each column of W_Q, but there are 2"),
        (dict(W_K=np.full((8, 4), 9.0)), ValueError, "a stepper needs scaled scores from -15 to 15"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(arguments, error, says):
    with pytest.raises(error) as refused:
        Stepper(**arguments)
    assert says in str(refused.value)
