"""OrderMap on the Python side: what moves with a word, what changes, and what is refused."""

import itertools

import numpy as np
import pytest
import traitlets

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.positions import rotate
from course_utils.views.order import FIRST, OrderMap
from tests.browser.examples import order_map

ORDERS = [list(order) for order in itertools.permutations(range(4))]


def test_the_weights_are_attentions_in_every_order_and_setting():
    view = order_map(sharpness=1.3)
    for order in ORDERS:
        for view.causal, view.positions in itertools.product((False, True), repeat=2):
            query, key = np.array(view.query)[order], np.array(view.key_vectors)[order]
            if view.positions:
                query, key = rotate(query, np.arange(4)), rotate(key, np.arange(4))
            right = scaled_dot_product_attention(query, key, key, causal=view.causal, scale=1.3 / 2).weights
            np.testing.assert_allclose(view.shown(order)[0], right, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_without_mask_and_positions_every_row_moves_with_its_word(order):
    view = order_map(order=order)
    assert view.changed()[0] == []
    assert "A' = P A Pᵀ" in view.sentence() or order == [0, 1, 2, 3]


def test_with_a_causal_mask_a_row_stays_if_the_same_words_lie_before_it():
    view = order_map(order=[2, 1, 0, 3], causal=True)  # man bites dog today
    assert view.changed()[0] == [0, 1, 2]
    assert view.sentence().endswith('3 of 4 rows, "man", "bites", "dog".')
    view.order = [1, 0, 2, 3]
    assert view.changed()[0] == [0, 1]


def test_with_positions_rows_change_unless_all_distances_stay():
    view = order_map(order=[2, 1, 0, 3], positions=True)
    assert view.changed()[0] == [0, 1, 2, 3]
    view.order = [0, 1, 2, 3]
    assert view.sentence() == FIRST and view.changed() == ([], 0.0)


def test_the_same_word_twice_is_told_by_its_place():
    view = OrderMap(np.eye(4)[:3], np.eye(4)[:3], ["the", "cat", "the"], order=[2, 0, 1], causal=True)
    assert '"the" at place 3' in view.sentence()


def test_the_twin_shows_the_map_as_it_stands_and_what_the_sentence_says():
    view = order_map(order=[2, 1, 0, 3], causal=True, focus="dog")
    twin = view.twin()
    assert twin.count("<table") == 1 and "man bites dog today (causal)" in twin and "3 of 4 rows" in twin
    for number in view.shown()[0][2, :3]:
        assert f">{number:.2f}<" in twin
    view.order, view.causal = [0, 1, 2, 3], False
    assert view.twin().count("<table") == 2 and "moved with its word" in view.twin()  # turned round beside it


def test_the_text_form_counts_the_words():
    assert repr(order_map()) == "OrderMap(4 words)"


SQUARE = np.eye(4)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (dict(query=np.ones((4, 3))), ValueError, "even d, one row for each word, but it is (4, 3)"),
        (dict(query=np.ones(4)), ValueError, "but it is (4,)"),
        (dict(query=np.ones((3, 4))), ValueError, "query needs the shape (4, 4), one row for each word"),
        (dict(query=[[1.0], [1.0, 2.0]]), TypeError, "query needs rows of the same length"),
        (dict(key=np.ones((4, 2))), ValueError, "key needs the shape (4, 4)"),
        (dict(key=np.full((4, 4), np.nan)), ValueError, "key needs finite numbers"),
        (dict(words="abcd"), TypeError, "words needs a list of words"),
        (dict(order=[0, 1, 2]), traitlets.TraitError, "each place from 0 to 3 once, but it is [0, 1, 2]"),
        (dict(order=[0, 1, 2, 2]), traitlets.TraitError, "but it is [0, 1, 2, 2]"),
        (dict(focus="cat"), traitlets.TraitError, "focus needs one of a, b, c, d, but it is 'cat'"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(arguments, error, says):
    with pytest.raises(error) as refused:
        OrderMap(**{"query": SQUARE, "key": SQUARE, "words": [*"abcd"], **arguments})
    assert says in str(refused.value)
