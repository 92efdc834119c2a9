import math

import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.cache import KeyValueCache
from course_utils.core.positions import alibi_bias, alibi_slopes, rotate, sinusoidal_positions


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


# ---------------------------------------------------------------- sinusoidal


@pytest.mark.parametrize("d_model", [4, 7, 1])
def test_even_columns_are_sines_and_odd_columns_the_cosines_of_the_same_angle(d_model):
    table = sinusoidal_positions(5, d_model)
    by_hand = [
        [(math.cos if c % 2 else math.sin)(p / 10000 ** ((c - c % 2) / d_model)) for c in range(d_model)]
        for p in range(5)
    ]
    assert table.shape == (5, d_model)
    np.testing.assert_allclose(table, by_hand, atol=1e-15)


def test_a_shift_turns_every_pair_by_the_same_angle_wherever_it_starts():
    table, shift = sinusoidal_positions(101, 6), 3
    for pair in range(3):
        angle = shift / 10000 ** (2 * pair / 6)
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        columns = table[:, 2 * pair : 2 * pair + 2]
        np.testing.assert_allclose(columns[shift:], columns[:-shift] @ turn.T, atol=1e-13)


def test_a_table_without_places_is_empty_and_without_width_is_refused():
    assert sinusoidal_positions(0, 4).shape == (0, 4)
    with pytest.raises(ValueError, match="d_model must be a whole number of 1 or more, but d_model is 0"):
        sinusoidal_positions(3, 0)
    with pytest.raises(ValueError, match="n must be a whole number of 1 or more, but n is 2.5"):
        sinusoidal_positions(2.5, 4)


# ---------------------------------------------------------------- rotary


def test_a_pair_turns_by_its_position(array):
    turned = rotate(array([[1.0, 0.0]]), array([1]))
    np.testing.assert_allclose(np.asarray(turned), [[math.cos(1), math.sin(1)]])


def test_pairs_are_half_the_width_apart_and_turn_ever_more_slowly():
    x = np.zeros((4, 6))
    x[0, 0] = x[1, 1] = x[2, 2] = x[3, 5] = 1
    turned = rotate(x, np.full(4, 7))
    for row, pair in enumerate((0, 1, 2)):
        angle = 7 * 10000 ** (-2 * pair / 6)
        assert np.flatnonzero(turned[row]).tolist() == [pair, pair + 3]
        np.testing.assert_allclose(turned[row, [pair, pair + 3]], [math.cos(angle), math.sin(angle)])
    angle = 7 * 10000 ** (-4 / 6)
    np.testing.assert_allclose(turned[3, [2, 5]], [-math.sin(angle), math.cos(angle)])


def test_only_the_distance_counts_in_a_score(array):
    query, key = array(normal(1, 64)), array(normal(1, 64, seed=1))

    def score(i, j):
        return float((rotate(query, array([i])) @ rotate(key, array([j])).T)[0, 0])

    assert score(3, 1) == pytest.approx(score(103, 101)) == pytest.approx(score(5000, 4998))
    assert abs(score(3, 1) - score(3, 2)) > 1e-3


def test_lengths_stay_and_position_zero_changes_nothing(array):
    x = normal(2, 3, 5, 8)
    turned = np.asarray(rotate(array(x), array(np.arange(5))))
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1))
    np.testing.assert_array_equal(turned[..., 0, :], x[..., 0, :])


def test_each_sentence_may_have_positions_of_its_own(array):
    x = normal(2, 3, 5, 4)
    places = np.array([[0, 1, 2, 3, 4], [7, 8, 9, 10, 11]])
    turned = np.asarray(rotate(array(x), array(places[:, None])))
    for sentence in range(2):
        np.testing.assert_allclose(turned[sentence], rotate(x[sentence], places[sentence]))


def test_a_larger_base_turns_more_slowly():
    x = np.ones((1, 4))
    np.testing.assert_allclose(
        rotate(x, [1], base=100.0)[0, [1, 3]], [math.cos(0.1) - math.sin(0.1), math.cos(0.1) + math.sin(0.1)]
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_number_type_stays(array, dtype):
    x = array([[1.0, 2.0]], dtype)
    assert rotate(x, array([3])).dtype == x.dtype


def test_gradients_flow_and_nothing_is_changed():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: rotate(x, torch.arange(3)), x)
    y = normal(3, 4)
    before = y.copy()
    rotate(y, np.arange(3))
    np.testing.assert_array_equal(y, before)


@pytest.mark.parametrize(
    ("shape", "positions", "says"),
    [
        ((2, 3), [0, 1], r"an even d, but x is \(2, 3\)"),
        ((4,), [0, 1], r"x needs shape \(..., n, d\) with an even d, but x is \(4,\)"),
        ((2, 4), [0, 1, 2], r"each of the 2 tokens is needed, .* but positions is \(3,\) and x is \(2, 4\)"),
        ((3, 4), [[0, 1, 2]] * 2, r"but positions is \(2, 3\) and x is \(3, 4\)"),
        ((2, 2, 3, 4), [[0, 1, 2]] * 2, r"but positions is \(2, 3\) and x is \(2, 2, 3, 4\)"),
        ((2, 4), 1, r"but positions is \(\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(array, shape, positions, says):
    with pytest.raises(ValueError, match=says):
        rotate(array(np.zeros(shape)), array(positions))


@pytest.mark.parametrize("chunks", [[6], [1] * 6, [4, 1, 1], [3, 3], [2, 2, 2]], ids=str)
def test_with_a_cache_any_chunks_give_the_full_pass(array, chunks):
    query, key, value = array(normal(6, 4)), array(normal(6, 4, seed=1)), array(normal(6, 3, seed=2))
    full = scaled_dot_product_attention(rotate(query, np.arange(6)), rotate(key, np.arange(6)), value, causal=True)
    cache, start = KeyValueCache(), 0
    for size in chunks:
        new, place = slice(start, start + size), np.arange(start, start + size)
        keys, values = cache.append(rotate(key[new], place), value[new])
        output = scaled_dot_product_attention(rotate(query[new], place), keys, values, causal=True).output
        np.testing.assert_allclose(np.asarray(output), np.asarray(full.output)[new], atol=1e-12)
        start += size


# ---------------------------------------------------------------- ALiBi


def test_eight_heads_have_the_slopes_of_the_paper():
    assert alibi_slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    assert alibi_slopes(16)[[0, 1]].tolist() == pytest.approx([2**-0.5, 2**-1])


def test_the_bias_is_minus_slope_times_distance():
    bias = alibi_bias(2, 4)
    assert bias.shape == (2, 4, 4)
    assert (bias == bias.swapaxes(1, 2)).all()  # distance counts in both directions
    assert (bias[0, 3] == [-3 / 16, -2 / 16, -1 / 16, 0]).all() and (bias[1, 3] == bias[0, 3] / 16).all()


def test_near_keys_win_when_all_scores_are_equal(array):
    x = array(np.zeros((2, 5, 3)))
    weights = np.asarray(scaled_dot_product_attention(x, x, x, bias=alibi_bias(2, 5), causal=True).weights)
    assert (np.diff(weights[:, 4], axis=-1) > 0).all()
    np.testing.assert_allclose(weights[0, 4, 1:] / weights[0, 4, :-1], math.exp(1 / 16))


@pytest.mark.parametrize("n_heads", [0, 3, 12])
def test_a_head_count_that_is_no_power_of_two_is_refused(n_heads):
    with pytest.raises(ValueError, match=f"n_heads is {n_heads}: use a power of two"):
        alibi_bias(n_heads, 4)


def test_positions_of_a_batch_are_shared_by_its_heads(array):
    x, positions = array(np.random.default_rng(0).normal(size=(2, 5, 3, 4))), np.array([[0, 1, 2], [7, 8, 9]])
    given = np.asarray(rotate(x, array(positions[:, None].tolist())))
    for sample in range(2):
        alone = np.asarray(rotate(x[sample], array(positions[sample].tolist())))
        np.testing.assert_allclose(given[sample], alone, atol=1e-12)
