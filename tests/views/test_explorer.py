"""Explorer on the Python side: presets, the twin, and how far a word's content has to go."""

import numpy as np
import pytest
import traitlets

from course_utils.core import pronoun
from course_utils.core.masks import causal_mask
from course_utils.models.stored import pronoun as stored
from course_utils.views.explorer import SHUFFLED, Explorer, path_length


def test_it_starts_in_layer_one_at_it():
    view = Explorer()
    assert (view.layer, view.focus, view.example, view.sharpness) == (1, 7, "tired", 1.0)
    assert not view.causal and not view.shuffle


def test_every_setting_can_be_given_and_set():
    view = Explorer(layer=2, focus="animal", example="wide", sharpness=0.2, causal=True, shuffle=True)
    assert (view.layer, view.focus, view.example, view.sharpness) == (2, 1, "wide", 0.2)
    view.focus = "wide"
    assert view.focus == 10
    for name, value in (("layer", 3), ("sharpness", 0.1), ("example", "tall"), ("focus", "dog")):
        with pytest.raises(traitlets.TraitError):
            setattr(view, name, value)


def test_layer_one_cannot_tell_the_examples_apart_and_layer_two_can():
    for layer, animal in ((1, (0.21, 0.21)), (2, (0.81, 0.09))):
        for example, weight in zip(("tired", "wide"), animal, strict=True):
            words, weights, _ = Explorer(layer=layer, example=example).shown()
            assert round(weights[words.index("it"), words.index("animal")], 2) == weight


def test_the_shuffle_is_an_order_of_all_words():
    assert sorted(SHUFFLED) == list(range(11)) and SHUFFLED != list(range(11))
    words, weights, _ = Explorer(layer=2, shuffle=True).shown()
    straight = Explorer(layer=2).shown()[1]
    assert np.allclose(weights, straight[np.ix_(SHUFFLED, SHUFFLED)])


def test_the_twin_says_what_the_widget_says():
    twin = Explorer(layer=2).twin()
    assert '"it" looks most at "animal" (0.808), "street" (0.087)' in twin
    assert "11 × 11 = 121 in this layer, 242 in both" in twin and 'Path length from "tired": 1.' in twin
    assert "66 of 121 needed" in Explorer(causal=True).twin()
    assert 'none: the mask hides "tired" from "it"' in Explorer(causal=True).twin()
    assert len(twin.encode()) <= 40 * 1024


def test_keys_that_read_the_meaning_move_the_weight_and_not_the_ratio():
    rows = {}
    for example in ("tired", "wide"):
        row = Explorer(example=example, keys_read_meaning=True).shown()[1][7]
        rows[example] = row[1], row[1] / row[5]
    assert round(rows["tired"][0], 3) == 0.211 and round(rows["wide"][0], 3) == 0.323
    np.testing.assert_allclose(rows["tired"][1], rows["wide"][1], rtol=1e-12)


def test_trained_weights_are_read_as_the_model_reads_them():
    weights = pronoun.one(stored()[0], 1)
    view = Explorer(trained=weights, layer=2, example="wide")
    words = pronoun.numbers(pronoun.sentence("animal", "street", "wide"))
    np.testing.assert_allclose(view.shown()[1], pronoun.read(weights, words[None])[1][0], atol=1e-5)
    assert "; trained" in view.twin()


def test_weights_that_do_not_fit_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"one model of two layers.* embedding is \(5, 46, 16\)"):
        Explorer(trained=stored()[0])
    with pytest.raises(ValueError, match="keys_read_meaning belongs to the weights set by hand"):
        Explorer(trained=pronoun.one(stored()[0], 0), keys_read_meaning=True)


def test_a_path_takes_as_many_layers_as_the_mask_demands():
    words = [*"abcdefg"]
    assert path_length(None, 6, 1, words) == "1"
    assert path_length(None, 4, 4, words) == "0 (the word itself)"
    assert path_length(causal_mask(7), 1, 6, words) == "1"
    assert path_length(causal_mask(7), 6, 1, words) == 'none: the mask hides "g" from "b"'
    window = np.tri(7, dtype=bool) & ~np.tri(7, k=-3, dtype=bool)  # itself and the two before
    assert path_length(window, 0, 6, words) == "3"
