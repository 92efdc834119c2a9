import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.masks import causal_mask, combined_mask, document_mask, padding_mask, window_mask


def test_each_query_sees_itself_and_the_past():
    np.testing.assert_array_equal(causal_mask(5), np.tril(np.ones((5, 5), bool)))


def test_the_queries_are_the_last_of_the_keys():
    np.testing.assert_array_equal(causal_mask(1, 4), [[True] * 4])
    np.testing.assert_array_equal(causal_mask(2, 4), [[1, 1, 1, 0], [1, 1, 1, 1]])
    np.testing.assert_array_equal(causal_mask(4, 2), [[0, 0], [0, 0], [1, 0], [1, 1]])


def test_torch_knows_the_same_alignment_as_lower_right():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    bias = pytest.importorskip("torch.nn.attention.bias")
    ones = torch.zeros(1, 3, 2), torch.zeros(1, 5, 2), torch.eye(5)[None]
    theirs = torch.nn.functional.scaled_dot_product_attention(*ones, attn_mask=bias.causal_lower_right(3, 5))
    np.testing.assert_array_equal((theirs[0] > 0).numpy(), causal_mask(3, 5))


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="a mask needs counts of 0 or more, but n_queries is -1 and n_keys is -1"):
        causal_mask(-1)


def test_pads_are_hidden_as_keys_on_the_side_where_they_are():
    np.testing.assert_array_equal(padding_mask([2, 0, 3], 3)[:, 0], [[1, 1, 0], [0, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(padding_mask([2, 0, 3], 3, side="left")[:, 0], [[0, 1, 1], [0, 0, 0], [1, 1, 1]])
    assert padding_mask([2, 5], 7).shape == (2, 1, 7)


@pytest.mark.parametrize("width", [1, 3, 5, 11])
def test_a_token_sees_the_window_up_to_itself(width):
    mask = window_mask(5, width)
    assert all(mask[i, j] == (i - width < j <= i) for i in range(5) for j in range(5))


def test_documents_do_not_see_each_other():
    mask = document_mask([3, 3, 1, 3])
    np.testing.assert_array_equal(mask, [[1, 1, 0, 1], [1, 1, 0, 1], [0, 0, 1, 0], [1, 1, 0, 1]])


def test_a_key_has_to_pass_every_mask():
    both = combined_mask(causal_mask(3), None, padding_mask([3, 1], 3))
    np.testing.assert_array_equal(both[0], causal_mask(3))
    np.testing.assert_array_equal(both[1], [[1, 0, 0]] * 3)
    assert combined_mask(None) is None


@pytest.mark.parametrize("side", ["right", "left"])
def test_padding_with_the_causal_mask_equals_the_run_without_pads(side):
    # Whatever stands in the pads, here 99.
    random, n, lengths = np.random.default_rng(0), 5, [5, 3, 2]
    padded = np.full((3, n, 4), 99.0)
    for sample, length in zip(padded, lengths, strict=True):
        sample[:length] = random.normal(size=(length, 4))
        sample[:] = sample if side == "right" else np.roll(sample, n - length, axis=0)
    given = scaled_dot_product_attention(padded, padded, padded, mask=padding_mask(lengths, n, side=side), causal=True)
    for sample, output, length in zip(padded, given.output, lengths, strict=True):
        own = slice(0, length) if side == "right" else slice(n - length, n)
        alone = scaled_dot_product_attention(*[sample[own]] * 3, causal=True).output
        np.testing.assert_allclose(output[own], alone)


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: padding_mask([4], 3), r"each length must be between 0 and n_keys = 3, but lengths is \[4\]"),
        (lambda: padding_mask([1.5], 3), "lengths must be a list of whole numbers"),
        (lambda: padding_mask([1], 3, side="top"), 'side says where the pads are, "right" or "left"'),
        (lambda: window_mask(3, 0), "width must be at least 1, the token itself, but it is 0"),
        (lambda: document_mask([[1]]), "documents must have one axis"),
        (lambda: combined_mask(causal_mask(2), causal_mask(3)), r"their shapes are \(2, 2\), \(3, 3\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


@pytest.mark.parametrize("mask", [np.ones((2, 2)), [[True]]])
def test_only_boolean_arrays_are_combined(mask):
    with pytest.raises(TypeError, match="masks to combine must be boolean arrays"):
        combined_mask(mask)


def test_masks_of_torch_are_combined_too():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    both = combined_mask(torch.ones(2, 2, dtype=torch.bool), torch.from_numpy(causal_mask(2)))
    assert isinstance(both, torch.Tensor) and both.tolist() == causal_mask(2).tolist()
