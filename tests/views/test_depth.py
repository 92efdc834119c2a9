"""CutTool on the Python side: its cuts, its accuracy, its words, and what it refuses."""

import numpy as np
import pytest
import traitlets

from course_utils.core import pronoun
from course_utils.models.stored import pronoun as stored
from course_utils.views.depth import SENTENCES, CutTool

WEIGHTS, RUN = stored()


@pytest.mark.parametrize("name, rows", [("whole", []), ("it cut", [7]), ("nouns cut", [1, 5]), ("both cut", [1, 5, 7])])
def test_its_accuracy_is_that_of_the_stored_run(name, rows):
    view = CutTool(WEIGHTS, cuts=[[row, 10] for row in rows])
    for model, expected in enumerate(RUN["accuracy"][name], 1):
        view.model = model
        assert abs(view.accuracy() - expected) <= 0.0051


def test_its_maps_are_those_of_the_model_with_the_cut():
    view = CutTool(WEIGHTS, model=4, chosen=1, cuts=[(7, 10)])
    words = pronoun.numbers(SENTENCES[1])
    expected = pronoun.read(pronoun.one(WEIGHTS, 3), words[None], mask=pronoun.cut([7]))
    for mine, theirs in zip(view.shown(), expected, strict=True):
        np.testing.assert_allclose(mine, theirs[0], atol=1e-5)
    assert view.shown()[0][7, 10] == 0 and not view.mask()[0, 7, 10] and view.mask()[1].all()


def test_it_says_what_is_cut_where_it_looks_and_what_is_left():
    view = CutTool(WEIGHTS, cuts=[[7, 10]])
    cut, where, score = view.says()
    assert cut == 'Cut in layer 1: "it" to "tired".' and where.startswith('In layer 2, "it" looks most at "')
    assert score == "Accuracy on 600 sentences held out: 0.500, uncut 1.000."
    view.cuts = [[i, 10] for i in range(5)]
    assert view.says()[0].endswith(', "didn\'t" to "tired" and 2 more.')
    assert CutTool(WEIGHTS).says()[0] == "Cut in layer 1: nothing."


def test_a_word_that_may_look_at_nothing_keeps_what_it_holds():
    view = CutTool(WEIGHTS, cuts=[[7, j] for j in range(11)])
    first, second = view.shown()
    assert not first[7].any() and abs(second.sum() - 11) < 1e-9


def test_the_twin_and_the_text_form_say_what_is_shown():
    view = CutTool(WEIGHTS, model=5, cuts=[[7, 10]])
    twin = view.twin()
    assert repr(view) == "CutTool(model 5 of 5, 1 cuts)" and twin.count("<figure>") == 2
    assert "Model 5, layer 1" in twin and "· means masked." in twin and len(twin.encode()) <= 40 * 1024
    assert all(sentence in twin for sentence in (view.says()[0], "sentences held out: 0.998"))


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        (dict(model=6), traitlets.TraitError, "model needs a number from 1 to 5, but it is 6"),
        (dict(chosen=4), traitlets.TraitError, "needs a place from 0 to 3, but it is 4"),
        (dict(cuts=[[11, 0]]), traitlets.TraitError, "cuts needs edges [row, column] from 0 to 10, but one is [11, 0]"),
        (dict(cuts=[[1]]), traitlets.TraitError, "but one is [1]"),
        (dict(weights=pronoun.one(WEIGHTS, 0)), ValueError, "several models of two layers"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(settings, error, says):
    with pytest.raises(error) as refused:
        CutTool(**{"weights": WEIGHTS} | settings)
    assert says in str(refused.value)
