"""Explorer on the Python side: presets, the twin, and how far a word's content has to go."""

import numpy as np
import pytest
import traitlets

from course_utils.core.masks import causal_mask
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


def test_a_path_takes_as_many_layers_as_the_mask_demands():
    words = [*"abcdefg"]
    assert path_length(None, 6, 1, words) == "1"
    assert path_length(None, 4, 4, words) == "0 (the word itself)"
    assert path_length(causal_mask(7), 1, 6, words) == "1"
    assert path_length(causal_mask(7), 6, 1, words) == 'none: the mask hides "g" from "b"'
    window = np.tri(7, dtype=bool) & ~np.tri(7, k=-3, dtype=bool)  # itself and the two before
    assert path_length(window, 0, 6, words) == "3"
