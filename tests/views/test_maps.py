"""WeightMap on the Python side: what it refuses, and what it shows."""

import numpy as np
import pytest
import traitlets

from course_utils.core.masks import causal_mask
from course_utils.views.maps import WeightMap

WORDS = ["a", "b", "c"]
SQUARE = np.array([[0.5, 0.3, 0.2], [0.1, 0.9, 0.0], [0.2, 0.2, 0.6]])


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (dict(queries=WORDS), ValueError, "needs either scores or weights, but neither is given"),
        (dict(scores=SQUARE, weights=SQUARE, queries=WORDS), ValueError, "but both are given: leave one out"),
        (dict(weights=SQUARE, queries=WORDS, causal=True), ValueError, "give causal and sharpness with scores"),
        (dict(scores=SQUARE, queries=WORDS[:2]), ValueError, "one column for each key, but it is (3, 3)"),
        (dict(weights=SQUARE, queries=WORDS, keys=WORDS[:2]), ValueError, "weights needs the shape (3, 2)"),
        (dict(weights=SQUARE[None], queries=WORDS), ValueError, "choose one of the batch or of the heads, weights[0]"),
        (dict(weights="no", queries=WORDS), TypeError, "weights needs numbers"),
        (dict(weights=SQUARE, queries="a b c"), TypeError, "it is the text 'a b c': write 'a b c'.split()"),
        (dict(weights=SQUARE, queries=[1, 2, 3]), TypeError, "it holds 1: make it a text, str(1)"),
        (dict(weights=SQUARE), ValueError, "queries needs at least one word, but it is empty"),
        (dict(weights=SQUARE, queries=WORDS, mask=np.tri(3)), TypeError, "mask has dtype float64: use a boolean mask"),
        (dict(weights=SQUARE, queries=WORDS, mask=causal_mask(2)), ValueError, "mask needs the shape (3, 3)"),
        (dict(scores=np.full((3, 3), -np.inf), queries=WORDS), ValueError, "it holds -inf: hide a key with mask="),
        (dict(scores=SQUARE, queries=WORDS, sharpness=9), traitlets.TraitError, "sharpness"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(arguments, error, says):
    with pytest.raises(error) as refused:
        WeightMap(**arguments)
    assert says in str(refused.value)


def test_what_is_shown_is_the_softmax_of_the_sharpened_and_masked_scores():
    mask = np.array([[True, False, True], [False, False, False], [True, True, True]])
    weights, allowed = WeightMap(SQUARE, WORDS, mask=mask, causal=True, sharpness=2.0).shown()
    assert np.array_equal(allowed, mask & causal_mask(3))
    assert np.array_equal(weights[:2], [[1, 0, 0], [0, 0, 0]])
    exponentials = np.exp([0.4, 0.4, 1.2])
    assert np.allclose(weights[2], exponentials / exponentials.sum())


def test_the_causal_mask_is_aligned_bottom_right():
    _, allowed = WeightMap(np.zeros((2, 5)), ["d", "e"], [*"abcde"], causal=True).shown()
    assert allowed.tolist() == [[True, True, True, True, False], [True] * 5]


def test_given_arrays_are_copied_and_never_changed():
    given = SQUARE.copy()
    view = WeightMap(weights=given, queries=WORDS)
    given[0, 0] = 7
    assert view.weights[0, 0] == 0.5 and not view.weights.flags.writeable


def test_nan_and_infinity_reach_the_browser_as_texts():
    state = WeightMap(weights=[[np.nan, np.inf], [-np.inf, 1]], queries=["a", "b"]).get_state()
    assert state["weights"] == [["NaN", "Infinity"], ["-Infinity", 1.0]]


def test_tensors_are_taken_as_they_are():
    torch = pytest.importorskip("torch")
    weights = torch.tensor(SQUARE, dtype=torch.bfloat16, requires_grad=True)
    view = WeightMap(weights=weights, queries=WORDS, mask=torch.ones(3, 3, dtype=torch.bool))
    assert np.allclose(view.weights, SQUARE, atol=0.01)


def test_the_text_form_counts_queries_and_keys():
    assert repr(WeightMap(np.zeros((2, 3)), ["x", "y"], WORDS)) == "WeightMap(2 queries, 3 keys)"
