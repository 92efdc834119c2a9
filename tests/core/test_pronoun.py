"""The pronoun task: its sentences, and what one layer cannot do with them, whatever its weights."""

import numpy as np
import pytest

from course_utils.core import pronoun
from course_utils.core.pronoun import (
    ADJECTIVE,
    IT,
    LENGTH,
    NOUNS,
    WORDS,
    Weights,
    accuracy,
    cut,
    numbers,
    one,
    pairs,
    read,
)


def random_weights(layers, seed, d=5, scale=1.0):
    rng = np.random.default_rng(seed)
    shapes = (len(WORDS), d), *[(layers, d, d)] * 3
    return Weights(*(rng.normal(size=shape) * scale for shape in shapes))


def test_twins_differ_in_the_adjective_and_the_referent_only():
    text, referent = pairs(50)
    twins = text.reshape(50, 2, LENGTH)
    assert (twins[:, 0, :ADJECTIVE] == twins[:, 1, :ADJECTIVE]).all()
    assert (twins[:, 0, ADJECTIVE] != twins[:, 1, ADJECTIVE]).all()
    assert np.array_equal(np.sort(referent.reshape(50, 2)), np.tile(NOUNS, (50, 1)))


def test_the_referent_is_the_noun_that_the_adjective_fits():
    for row, place in zip(*pairs(100), strict=True):
        words = [WORDS[number] for number in row]
        assert words == pronoun.sentence(words[1], words[5], words[10], words[3]) and len(words) == LENGTH
        assert (words[place] in pronoun.LIVING) == (words[ADJECTIVE] in pronoun.FITS_LIVING)


def test_no_combination_held_out_is_seen_in_training():
    train, test = (pairs(3000, held_out=held, seed=3).words for held in (False, True))
    for columns in ([1, 5], [10]):
        seen, held = (
            {frozenset(row.tolist()) for row in (t[:, columns] if len(columns) == 2 else t[:, 10].reshape(-1, 2))}
            for t in (train, test)
        )
        assert len(held) > 10 and not seen & held
    animal = numbers(["animal", "street", "tired", "wide"]).tolist()
    assert frozenset(animal[:2]) in {frozenset(row.tolist()) for row in test[:, [1, 5]]}


@pytest.mark.parametrize("seed", range(12))
def test_one_layer_scores_exactly_one_half_at_it_whatever_its_weights(seed):
    text, referent = pairs(200, seed=seed)
    first = read(random_weights(1, seed, scale=1 + seed % 3), text)[0]
    assert abs(accuracy(first, referent) - 0.5) < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_ratios_in_layer_1_do_not_move_with_the_adjective_and_weights_and_layer_2_do(seed):
    text = pairs(30, seed=seed).words
    first, second = read(random_weights(2, seed), text)
    ratio, weight = (f(first[:, IT].reshape(30, 2, 11)) for f in (lambda r: r[..., 1] / r[..., 5], lambda r: r[..., 1]))
    np.testing.assert_allclose(ratio[:, 0], ratio[:, 1], rtol=1e-9)
    assert not np.allclose(weight[:, 0], weight[:, 1], rtol=1e-3)
    ratio = (second[:, IT, 1] / second[:, IT, 5]).reshape(30, 2)
    assert not np.allclose(ratio[:, 0], ratio[:, 1], rtol=1e-3)


@pytest.mark.parametrize("layers", [2, 3])
def test_under_a_causal_mask_it_scores_one_half_at_any_depth(layers):
    text, referent = pairs(100)
    maps = read(random_weights(layers, 4), text, causal=True)
    assert len(maps) == layers and not maps[-1][:, IT, IT + 1 :].any()
    assert abs(accuracy(maps[-1], referent) - 0.5) < 1e-9


def test_without_the_adjective_in_layer_1_two_layers_are_one_half():
    text, referent = pairs(100)
    last = read(random_weights(2, 5), text, mask=cut([IT, *NOUNS]))[-1]
    assert abs(accuracy(last, referent) - 0.5) < 1e-9


def test_a_cut_hides_one_column_from_some_rows_of_layer_1():
    mask = cut([7, 1])
    assert mask.shape == (2, 11, 11) and (~mask).sum() == 2
    assert not mask[0, 7, 10] and not mask[0, 1, 10]
    assert cut([]).all() and (~cut([0], [2, 3], layers=3)).sum() == 2
    first = read(random_weights(2, 1), pairs(3).words, mask=mask)[0]
    assert not first[:, [1, 7], 10].any()
    np.testing.assert_allclose(first.sum(-1), 1)


def test_several_models_give_what_each_gives_alone():
    models = [random_weights(2, seed) for seed in (1, 2, 3)]
    together, (text, referent) = Weights(*map(np.stack, zip(*models, strict=True))), pairs(20)
    last = read(together, text)[-1]
    for place, alone in enumerate(models):
        np.testing.assert_allclose(last[place], read(alone, text)[-1], atol=1e-12)
        assert np.array_equal(one(together, place).embedding, alone.embedding)
    assert accuracy(last, referent).shape == (3,)


def test_accuracy_counts_the_larger_weight_and_halves_ties():
    maps = np.zeros((4, 11, 11))
    maps[0, IT, 1], maps[1, IT, 5], maps[2, IT, 1] = 0.6, 0.6, 0.6
    assert accuracy(maps, np.array([1, 5, 5, 1])) == (1 + 1 + 0 + 0.5) / 4
    assert accuracy(maps, np.array([1, 5, 5, 1]), row=ADJECTIVE) == 0.5


def test_an_unknown_word_is_refused():
    with pytest.raises(KeyError, match="zebra"):
        numbers(["the", "zebra"])
