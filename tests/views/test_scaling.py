"""ScalingExplorer on the Python side: its draw, its verdicts, the twin, and what it refuses."""

import json
import re

import numpy as np
import pytest
import traitlets

from course_utils.views.scaling import RULES, WIDTHS, ScalingExplorer, gradient, verdict


def test_the_scores_are_dot_products_of_the_first_coordinates_times_the_rule():
    view = ScalingExplorer(d_k=16, n_keys=5)
    query, keys = np.array(view.query), np.array(view.key_vectors)
    assert keys.shape == (5, 1024)
    by_hand = np.array([sum(query[k] * key[k] for k in range(16)) for key in keys])
    for rule, factor in (("none", 1), ("1/sqrt(d_k)", 1 / 4), ("1/d_k", 1 / 16)):
        view.rule = rule
        scores, weights = view.shown()
        assert np.allclose(scores, by_hand * factor)
        assert np.allclose(weights, np.exp(scores) / np.exp(scores).sum())


def test_the_draw_is_always_the_same_and_more_keys_only_add_some():
    few, many = ScalingExplorer(n_keys=3), ScalingExplorer(n_keys=8)
    assert few.query == many.query and few.key_vectors == many.key_vectors[:3]


@pytest.mark.parametrize("d_k", WIDTHS)
def test_the_draw_is_typical_its_spread_is_near_the_root_of_the_width(d_k):
    scores, _ = ScalingExplorer(d_k=d_k).shown()
    assert 0.75 < scores.std() / np.sqrt(d_k) < 1.1


def test_without_a_scale_the_weights_freeze_by_d_k_they_flatten_by_its_root_they_stay():
    view = ScalingExplorer()
    for d_k in (64, 256, 1024):
        none, root, whole = (view.shown(d_k, rule)[1] for rule in RULES)
        assert verdict(none).startswith("Saturated:") and gradient(none) < 0.03
        assert verdict(root).startswith("In between:") and gradient(root) > 0.3
        assert verdict(whole).startswith("Nearly flat:") and whole.max() < 0.16


def test_a_verdict_follows_its_limits():
    assert verdict(np.array([0.96, 0.04])).startswith("Saturated: one key takes nearly all")
    assert verdict(np.array([0.95, 0.05])).startswith("In between:")
    assert verdict(np.full(8, 1 / 8)).startswith("Nearly flat:")


def test_the_gradient_is_the_norm_of_all_entries_of_the_jacobian():
    assert gradient(np.array([0.5, 0.5])) == 0.5  # four entries of a quarter
    assert gradient(np.array([1.0, 0.0])) == 0


@pytest.mark.parametrize("rule", RULES)
def test_the_twin_shows_the_numbers(rule):
    view = ScalingExplorer(d_k=256, rule=rule)
    scores, weights = view.shown()
    first, second, third = re.findall("<table>.*?</table>", view.twin())
    cells = re.findall(r"<td style=[^>]*>([^<]+)</td>", first)
    assert np.abs(np.array(cells[::2], float) - scores).max() <= 0.005 + 1e-9
    assert np.abs(np.array(cells[1::2], float) - weights).max() <= 0.0005 + 1e-9
    readouts = (f"{scores.std():.2f}", f"{weights.max():.3f}", " of at most 2.08 nats", f"{gradient(weights):.4f}")
    assert all(text in second for text in readouts)
    assert third.count("▸") == 1 and f"▸ {weights.max():.3f}, {gradient(weights):.4f}" in third
    assert verdict(weights) in view.twin()


def test_the_state_stays_small():
    for n_keys, most in ((8, 80), (16, 150)):
        state = ScalingExplorer(n_keys=n_keys).get_state(["query", "key_vectors"])
        assert len(json.dumps(state)) < most * 1024


def test_the_text_form_names_the_setting():
    assert repr(ScalingExplorer()) == "ScalingExplorer(8 keys, d_k 64, rule none)"


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        (dict(d_k=48), traitlets.TraitError, "d_k needs a power of two from 1 to 1024, but it is 48: try 64"),
        (dict(d_k=0), traitlets.TraitError, "but it is 0: try 1"),
        (dict(d_k=2048), traitlets.TraitError, "but it is 2048: try 1024"),
        (dict(d_k=8.5), traitlets.TraitError, "d_k"),
        (dict(rule="sqrt"), traitlets.TraitError, "rule needs one of none, 1/sqrt(d_k), 1/d_k, but it is 'sqrt'"),
        (dict(rule=None), traitlets.TraitError, "but it is None"),
        (dict(n_keys=1), ValueError, "n_keys needs a whole number from 2 to 16, but it is 1"),
        (dict(n_keys=3.5), ValueError, "but it is 3.5"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_a_sentence(settings, error, says):
    with pytest.raises(error) as refused:
        ScalingExplorer(**settings)
    assert says in str(refused.value)


def test_a_wrong_setting_changes_nothing():
    view = ScalingExplorer()
    with pytest.raises(traitlets.TraitError):
        view.d_k = 65
    with pytest.raises(traitlets.TraitError):
        view.rule = "1/d"
    assert (view.d_k, view.rule) == (64, "none")
