"""RetrievalPlane on the Python side: what it refuses, and what it keeps."""

import numpy as np
import pytest

from course_utils.core.tokens import library
from course_utils.views.retrieval import RetrievalPlane

SHELF = library()
NAMES = ["food", "travel", "repair"]


def plane(**changes):
    given = dict(titles=SHELF.titles, keys=SHELF.keys, values=SHELF.values, value_names=NAMES)
    return RetrievalPlane(**given | changes)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (dict(keys=SHELF.values), "keys needs the shape (6, 2), one row of two numbers for each title"),
        (dict(values=SHELF.keys), "values needs the shape (6, 3)"),
        (dict(query=(1, 2, 3)), "query needs the shape (2,)"),
        (dict(query=(1, np.nan)), "query needs finite numbers, but it holds nan"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(changes, says):
    with pytest.raises(ValueError) as refused:
        plane(**changes)
    assert says in str(refused.value)


def test_the_score_is_the_plain_dot_product():
    scores, weights, blend = plane(query=(2, -1), sharpness=0.5).shown()
    assert scores.tolist() == [4.0, 2.5, 1.0, -1.5, -4.0, -2.0]
    by_hand = np.exp(scores / 2) / np.exp(scores / 2).sum()
    assert np.allclose(weights, by_hand)
    assert np.allclose(blend, (by_hand[:, None] * SHELF.values).sum(axis=0))


def test_the_twin_shows_scores_weights_and_the_blend():
    twin = plane().twin()
    _, weights, blend = plane().shown()
    for number in [*(f"{weight:.2f}" for weight in weights), *(f"{mix:.1f}" for mix in blend), "-2.50"]:
        assert f">{number}<" in twin
    assert "Herbs at Home" in twin and "What you get back" in twin


def test_the_plane_has_room_for_every_key_and_the_query():
    assert plane().limit == 2.5
    assert plane(query=(-4, 0)).limit == 4.5
