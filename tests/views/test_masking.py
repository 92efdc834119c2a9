"""MaskEditor on the Python side: its masks, the five ways, the leak test, and what it refuses."""

import numpy as np
import pytest
import traitlets

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.views.masking import AFTER, BEFORE, RENORMALISED, SCORE_0, SCORE_10, WAYS, MaskEditor
from course_utils.views.tables import fault_sentences

RNG = np.random.default_rng(3)
QUERY, KEY, VALUE = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
WORDS = [*"abcda"]


def editor(**settings):
    return MaskEditor(QUERY, KEY, VALUE, WORDS, **settings)


def test_the_masks_are_the_rules_the_pads_and_the_cells_by_hand():
    assert editor(rule="none").mask().all()
    assert np.array_equal(editor().mask(), np.tri(5, dtype=bool))
    window = editor(rule="window", window=2).mask()
    assert window.astype(int).tolist() == (np.eye(5) + np.eye(5, k=-1)).astype(int).tolist()
    documents = editor(rule="documents", documents=[1, 1, 2, 2, 2]).mask()
    assert documents.sum() == 4 + 9 and not documents[:2, 2:].any() and not documents[2:, :2].any()
    padded = editor(pads=2, flips=[(0, 4), [2, 0]]).mask()
    assert padded[0].tolist() == [True, False, False, False, True] and not padded[2, 0]
    assert not padded[1:, 3:].any()


def test_before_the_softmax_it_is_masked_attention():
    view = editor(rule="window", window=3, pads=3)  # the last word may look at nothing
    expected = scaled_dot_product_attention(QUERY, KEY, VALUE, mask=view.mask())
    weights, output = view.shown()
    assert np.allclose(weights, expected.weights) and np.allclose(output, expected.output)
    assert not weights[4].any()
    assert '"a" at place 5 may look at nothing: its weights are all 0 here' in view.twin()


def test_renormalised_is_the_same_distribution_and_nan_in_an_empty_row():
    view = editor(how=RENORMALISED)
    assert np.allclose(view.shown()[0], editor().shown()[0])
    view.flips = [[0, 0]]
    assert np.isnan(view.shown()[0][0]).all() and "0 / 0, NaN" in " ".join(view.says())
    assert "No weight where the mask says no." not in view.says()  # NaN is not nothing


@pytest.mark.parametrize("how", WAYS)
def test_each_way_is_told_by_its_leaks_its_row_sums_and_its_leak_test(how):
    view = editor(how=how)
    weights, _ = view.shown()
    leaks = np.count_nonzero(weights[~view.mask()])
    assert leaks == (10 if how in (SCORE_0, SCORE_10) else 0)
    assert ("No weight where the mask says no." in view.says()) == (leaks == 0)
    assert np.allclose(weights.sum(axis=1), 1) == (how != AFTER)
    stays = "The 4 rows that may not see it stay as they are." in view.leak_test()
    assert stays == (how in (BEFORE, RENORMALISED))
    assert ("4 of 4 rows that may not see it move" in view.leak_test()) == (not stays)
    assert ("still in the sum they were divided by" in view.leak_test()) == (how == AFTER)


def test_the_leak_test_only_asks_rows_that_may_not_see_the_word():
    assert editor(changed=0).leak_test().endswith("Every row may see it: there is nothing to test.")
    assert "The row that may not see it stays" in editor(changed="b").leak_test()
    assert '1 of 1 rows that may not see it move: "a" at place 1' in editor(changed=1, how=AFTER).leak_test()
    assert editor(rule="none").says()[-1] == "The mask hides nothing."


def test_the_text_form_and_the_twin_name_the_setting():
    view = editor(rule="window", window=3, pads=1, flips=[[0, 1]], how=SCORE_0)
    assert repr(view) == "MaskEditor(5 words, window, score 0)"
    twin = view.twin()
    assert "Mask: window of 3, pads: 1, cells by hand: 1; score 0" in twin and "Row sums: 1.000, " in twin
    faults = " ".join(fault_sentences(view.shown()[0], WORDS, WORDS, mask=view.mask()))
    assert faults in twin.replace("<br>", " ") and "leaks: " in faults
    assert (
        repr(MaskEditor(QUERY, KEY, VALUE)).startswith("MaskEditor(5 words")
        and "t5" in MaskEditor(QUERY, KEY, VALUE).twin()
    )


def test_lists_and_tensors_are_taken_as_they_come():
    assert MaskEditor(QUERY.tolist(), KEY.tolist(), VALUE.tolist(), WORDS).query == QUERY.tolist()
    torch = pytest.importorskip("torch")
    for kind in (torch.float64, torch.bfloat16):
        given = [torch.tensor(x, dtype=kind, requires_grad=True) for x in (QUERY, KEY, VALUE)]
        view = MaskEditor(*given, WORDS)
        expected = scaled_dot_product_attention(*(x.detach().double().numpy() for x in given), causal=True)
        assert np.allclose(view.shown()[0], expected.weights)
    with pytest.raises(ValueError, match=r"query needs two axes, one row for each word, but it is \(1, 5, 3\)"):
        MaskEditor(given[0][None], *given[1:], WORDS)


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        (dict(rule="future"), traitlets.TraitError, "rule needs one of none, causal, window, but it is 'future'"),
        (dict(rule="documents"), traitlets.TraitError, "but it is 'documents'; give documents=, one number"),
        (dict(documents=[1, 2]), ValueError, "documents needs one number for each of the 5 words, but it has 2"),
        (dict(how="-1e9"), traitlets.TraitError, "how needs one of -inf before the softmax, score 0"),
        (dict(window=0), traitlets.TraitError, "window needs a whole number from 1 to 5, but it is 0"),
        (dict(pads=5), traitlets.TraitError, "pads needs a whole number from 0 to 4, but it is 5"),
        (dict(flips=[[0, 5]]), traitlets.TraitError, "flips needs cells [row, column] from 0 to 4, but one is [0, 5]"),
        (dict(changed="z"), traitlets.TraitError, "changed needs one of a, b, c, d, but it is 'z'"),
        (dict(changed=9), traitlets.TraitError, "changed needs a place from 0 to 4, but it is 9"),
        (dict(row=-1), traitlets.TraitError, "row needs a place from 0 to 4, but it is -1"),
        (dict(column="zz"), traitlets.TraitError, "column needs one of a, b, c, d, but it is 'zz'"),
        (dict(query=QUERY[0]), ValueError, "query needs two axes, one row for each word, but it is (3,)"),
        (dict(key=[[1.0], [1.0, 2.0]]), TypeError, "key needs rows of the same length, but it is [[1.0], [1.0, 2.0]]"),
        (dict(value=VALUE[:4]), ValueError, "one row for each word, but there are 5, 5, 4 and 5"),
        (dict(key=KEY[:, :2]), ValueError, "the same last size d_k, but query is (5, 3) and key is (5, 2)"),
        (dict(key=KEY * np.nan), ValueError, "key needs finite numbers"),
        (dict(query=np.ones((13, 3))), ValueError, "needs 2 to 12 words, but query has 13 rows"),
        (dict(causal=True), TypeError, "a mask editor has no setting 'causal'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(settings, error, says):
    given = dict(query=QUERY, key=KEY, value=VALUE, words=WORDS) | settings
    with pytest.raises(error) as refused:
        MaskEditor(**given)
    assert says in str(refused.value)


def test_a_wrong_setting_changes_nothing():
    view = editor()
    with pytest.raises(traitlets.TraitError):
        view.window = 6
    assert view.window == 2
