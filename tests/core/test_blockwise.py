import tracemalloc

import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.blockwise import attention_in_blocks

RANDOM = np.random.default_rng(0)


def inputs(n_q, n_k, *, batch=((2, 1), (3,), ())):
    widths = (n_q, 5), (n_k, 5), (n_k, 13)
    return [RANDOM.normal(size=(*b, *w)) for b, w in zip(batch, widths, strict=True)]


@pytest.mark.parametrize("n_q, n_k", [(7, 7), (7, 11), (11, 7), (1, 11), (0, 3), (3, 0), (131, 137)])
@pytest.mark.parametrize("block", [1, 3, 7, 128])
@pytest.mark.parametrize("causal", [False, True])
def test_it_is_attention_whatever_the_block(array, n_q, n_k, block, causal):
    """Sizes the block does not divide, batches that broadcast, more queries than keys (rows of zeros), none at all."""
    if n_q == 131 and block < 7:
        block += 36  # small blocks are tried on the small sizes
    given = inputs(n_q, n_k)
    expected = scaled_dot_product_attention(*given, causal=causal).output
    output = np.asarray(attention_in_blocks(*map(array, given), block=block, causal=causal))
    assert output.shape == (2, 3, n_q, 13)
    np.testing.assert_allclose(output, expected, rtol=1e-9, atol=1e-12)
    if causal and n_q > n_k:
        assert (output[..., : n_q - n_k, :] == 0).all()


@pytest.mark.parametrize("scale", [0.0, -1.0, 1.3])
def test_the_scale_is_used(array, scale):
    given = inputs(7, 11)
    expected = scaled_dot_product_attention(*given, scale=scale).output
    np.testing.assert_allclose(attention_in_blocks(*map(array, given), block=3, scale=scale), expected, rtol=1e-9)


@pytest.mark.parametrize("rising", [1, -1])
def test_scores_that_rise_or_fall_by_thousands_from_block_to_block(array, rising):
    """The largest score comes first or last: what was blended before fades to nothing, or stays."""
    query, value = np.ones((1, 1)), RANDOM.normal(size=(9, 2))
    key = rising * np.arange(9.0)[:, None] * 1000
    output = attention_in_blocks(*map(array, (query, key, value)), block=2, scale=1.0)
    np.testing.assert_allclose(np.asarray(output), value[-1:] if rising > 0 else value[:1], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_number_type_stays(array, dtype):
    given = [array(a, dtype) for a in inputs(7, 11)]
    output = attention_in_blocks(*given, block=4, causal=True)
    assert str(output.dtype).endswith(dtype)
    expected = scaled_dot_product_attention(*given, causal=True).output
    np.testing.assert_allclose(
        np.asarray(output), np.asarray(expected), rtol=2e-3 if dtype == "float16" else 1e-4, atol=1e-6
    )


def test_integers_become_floats(array):
    given = [array(np.array(a)) for a in ([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 2], [3, 4]])]
    expected = scaled_dot_product_attention(*given).output
    np.testing.assert_allclose(attention_in_blocks(*given, block=1), expected, rtol=1e-6)


def test_a_row_whose_scores_are_all_minus_infinity_gives_zeros(array):
    given = [array(a) for a in ([[1.0], [0.5]], [[-np.inf]] * 3, [[2.0]] * 3)]
    assert np.asarray(attention_in_blocks(*given, block=2)).tolist() == [[0.0], [0.0]]


def test_arguments_are_never_changed(array):
    given = [array(a) for a in inputs(7, 11)]
    before = [np.array(a) for a in given]
    attention_in_blocks(*given, block=3, causal=True)
    for a, b in zip(given, before, strict=True):
        np.testing.assert_array_equal(np.asarray(a), b)


def test_gradients_flow():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    given = [torch.from_numpy(a).requires_grad_() for a in inputs(7, 5, batch=((2,), (), (2,)))]
    assert torch.autograd.gradcheck(lambda *a: attention_in_blocks(*a, block=3, causal=True), given)


def extra_memory(call):
    """The most bytes held while ``call`` runs, above those held before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("causal", [False, True])
def test_extra_memory_grows_with_the_output_and_not_with_the_scores(causal):
    """Beside the output there are a few blocks of scores, as many for 2048 tokens as for 512."""
    beside = []
    for n in (512, 2048):
        given = [RANDOM.normal(size=(n, 8)).astype(np.float32) for _ in range(3)]
        peak = extra_memory(lambda given=given: attention_in_blocks(*given, block=64, causal=causal))
        plain = extra_memory(lambda given=given: scaled_dot_product_attention(*given))
        beside.append(peak - n * (8 + 1) * 4)  # the output, and one number a query
        assert peak < plain / (10 if n == 512 else 80)
    assert beside[1] < 1.1 * beside[0] < 8 * 64 * 64 * 4


@pytest.mark.parametrize("block", [0, -1, 2.0, True, None])
def test_a_block_that_is_no_count_is_refused(block):
    with pytest.raises(ValueError, match="block must be a whole number of 1 or more, but block is"):
        attention_in_blocks(*inputs(7, 11), block=block)


def test_shapes_that_do_not_fit_are_refused_by_name():
    with pytest.raises(ValueError, match="there are 3 keys and 2 values"):
        attention_in_blocks(np.ones((2, 2)), np.ones((3, 2)), np.ones((2, 2)))
    with pytest.raises(TypeError, match="query is a list"):
        attention_in_blocks([[1.0]], np.ones((1, 1)), np.ones((1, 1)))
