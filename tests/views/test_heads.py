"""HeadGrid on the Python side: it shows what it is given, says where the heads look, and refuses what does not fit."""

import numpy as np
import pytest
import traitlets

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.views.heads import MEAN, NO_HEAD, HeadGrid

WORDS = [*"abca"]


def weights(heads=3, n_q=4, n_k=4, seed=0):
    return softmax(np.random.default_rng(seed).normal(size=(heads, n_q, n_k)) * 2)


def one_hot(*places):
    """One head for each place: every query looks at that key alone."""
    return np.stack([np.tile(np.eye(4)[place], (4, 1)) for place in places])


def test_the_mean_is_one_more_map_and_said_to_be_no_head():
    given = weights()
    view = HeadGrid(given, WORDS, mean=True, head=3)
    assert view.names == ["head 0", "head 1", "head 2", MEAN]
    assert np.allclose(view.maps[3], given.mean(axis=0))
    assert NO_HEAD in view.twin()
    view.head = 0
    assert NO_HEAD not in view.twin()
    assert repr(view) == "HeadGrid(3 heads, 4 queries, 4 keys)"


def test_where_the_heads_look_is_counted_without_the_mean():
    view = HeadGrid(one_hot(1, 1, 2, 0, 3), WORDS, mean=True, focus="b")
    assert view.agreement() == (
        'Of 5 heads, "b" looks most at "b" in 2, at "a" at place 1 in 1, at "c" in 1, elsewhere in 1.'
    )
    assert HeadGrid(one_hot(2), WORDS).agreement() == 'Of 1 head, "a" at place 1 looks most at "c" in 1.'
    assert HeadGrid(np.zeros((2, 4, 4)), WORDS, focus=1).agreement() == 'In no head does "b" look anywhere.'
    assert HeadGrid(np.full((2, 4, 4), np.nan), WORDS).most(0) is None


def test_the_twin_tells_the_row_in_every_head_and_shows_one():
    view = HeadGrid(weights(), WORDS, names=["x", "y", "z"], head=1, focus="c")
    twin = view.twin()
    assert "The row of" in twin and "Weights: y" in twin and "Weights: x" not in twin
    for head in range(3):
        key, weight = view.most(head)
        assert f"({weight:.3f})" in twin
    assert all(f">{number:.2f}" in twin for number in view.maps[1].ravel())


def test_queries_and_keys_may_differ_and_a_mask_shows_leaks():
    view = HeadGrid(weights(2, 2, 3), ["x", "y"], keys=["p", "q", "r"], mask=causal_mask(2, 3))
    assert "1 leak: " in view.twin() and repr(view) == "HeadGrid(2 heads, 2 queries, 3 keys)"


def test_given_arrays_are_copied_and_lists_and_tensors_are_taken():
    given = weights()
    view = HeadGrid(given, WORDS)
    given[0, 0, 0] = 7
    assert view.maps[0][0, 0] < 1
    assert HeadGrid([[[1.0]]], ["a"]).maps[0].tolist() == [[1.0]]
    torch = pytest.importorskip("torch")
    assert np.allclose(HeadGrid(torch.tensor(weights(), requires_grad=True), WORDS).maps, weights())


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (dict(weights=weights()[0]), ValueError, "(n_heads, n_q, n_k) with 1 to 16 heads, but it is (4, 4)"),
        (dict(weights=weights()[None]), ValueError, "but it is (1, 3, 4, 4); of a batch choose one, weights[0]"),
        (dict(weights=weights(17)), ValueError, "1 to 16 heads, but it is (17, 4, 4)"),
        (dict(weights=[[[1.0], [1.0, 2.0]]]), TypeError, "weights needs rows of the same length"),
        (dict(words=["a"]), ValueError, "weights[0] needs the shape (1, 1), one row for each query"),
        (dict(words="abca"), TypeError, "words needs a list of words, but it is the text 'abca'"),
        (dict(words=[*"abcdefghijklmnopqrstuvwxyz"]), ValueError, "at most 24 words on a side, but there are 26"),
        (dict(names=["x"]), ValueError, "names needs one name for each of the 3 heads, but it has 1"),
        (dict(mask=np.tri(4)), TypeError, "mask has dtype float64: use a boolean mask"),
        (dict(head=3), traitlets.TraitError, "head needs a place from 0 to 2, but it is 3"),
        (dict(focus="z"), traitlets.TraitError, "but it is 'z'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(arguments, error, says):
    with pytest.raises(error) as refused:
        HeadGrid(**(dict(weights=weights(), words=WORDS) | arguments))
    assert says in str(refused.value)
