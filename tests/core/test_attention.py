import math
import tracemalloc

import numpy as np
import pytest

from course_utils.core.attention import attention_steps, scaled_dot_product_attention
from course_utils.core.masks import causal_mask

EYE, TWO = [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]]
A, B = 1.6604769, 2.3395231  # the blend of 1 and 3 with scores 1/sqrt(2) and 0, and the other way round
KEYS4, VALUES4 = [[1.0, 0], [0, 1], [1, 1], [0, 0]], [[0.0, 1], [2, 3], [4, 5], [6, 7]]
NAN, INF = math.nan, math.inf

# fmt: off
CASES = {
    "two tokens": ((EYE, EYE, TWO), {}, [[A, A + 1], [B, B + 1]]),
    "a query that may look at nothing": (
        (EYE, EYE, TWO),
        {"mask": [[True, False], [False, False]]},
        [[1, 2], [0, 0]],
    ),
    "nothing, written as a bias": ((EYE, EYE, TWO), {"bias": [[0, -INF], [-INF, -INF]]}, [[1, 2], [0, 0]]),
    "a finite bias does not hide": (
        (EYE, EYE, TWO),
        {"bias": [[0, -1.7976931348623157e308], [-1.7976931348623157e308] * 2]},
        [[1, 2], [2, 3]],
    ),
    "causal, two queries on four keys": ((EYE, KEYS4, VALUES4), {"causal": True}, [[2, 3], [3, 4]]),
    "causal, one query on a cache": (([[0.0, 0]], KEYS4, VALUES4), {"causal": True}, [[3, 4]]),
    "causal, more queries than keys": (
        ([[1.0, 0], [0, 1], [1, 1], [0, 0]], EYE, TWO),
        {"causal": True},
        [[0, 0], [0, 0], [1, 2], [2, 3]],
    ),
    "no keys": ((np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 2))), {}, [[0, 0], [0, 0]]),
    "no queries": ((np.ones((0, 3)), np.ones((4, 3)), np.ones((4, 2))), {}, np.ones((0, 2))),
    "an empty batch": (
        (np.ones((0, 2, 5, 3)), np.ones((0, 2, 5, 3)), np.ones((0, 2, 5, 4))), {}, np.ones((0, 2, 5, 4)),
    ),
    "one key": (([[5.0, -3], [1000, 2]], [[7.0, 1]], [[0.25, -8]]), {}, [[0.25, -8], [0.25, -8]]),
    "huge scores": (([[1e4, 0], [0, 1e4]], [[1e4, 0], [0, 1e4]], TWO), {}, TWO),
    "integers": (([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1, 2], [3, 4]]), {}, [[A, A + 1], [B, B + 1]]),
    "a padding mask": (
        (np.zeros((2, 1, 2, 2)), np.zeros((2, 1, 3, 2)), np.arange(12.0).reshape(2, 1, 3, 2)),
        {"mask": [[[[True, True, False]]], [[[True, False, False]]]]},
        [[[[1, 2], [1, 2]]], [[[6, 7], [6, 7]]]],
    ),
    "d_k of 1": (([[2.0], [0.0]], [[1.0], [-1.0]], TWO), {}, [[1.0359724, 2.0359724], [2, 3]]),
    "scale 0 is the mean": ((EYE, EYE, TWO), {"scale": 0.0}, [[2, 3], [2, 3]]),
    "scale -1 turns preferences round": (
        (EYE, EYE, TWO),
        {"scale": -1.0},
        [[(math.exp(-1) + 3) / (math.exp(-1) + 1), (2 * math.exp(-1) + 4) / (math.exp(-1) + 1)],
         [(1 + 3 * math.exp(-1)) / (math.exp(-1) + 1), (2 + 4 * math.exp(-1)) / (math.exp(-1) + 1)]],
    ),
    "NaN in a masked value leaks": ((EYE, EYE, [[1.0, 2], [NAN, 4]]), {"mask": [[True, False]] * 2}, [[NAN, 2]] * 2),
    "NaN in a masked key does not": ((EYE, [[1.0, 0], [NAN, 1]], TWO), {"mask": [[True, False]] * 2}, [[1, 2]] * 2),
    "NaN in a future value leaks": (
        (np.zeros((2, 2)), np.zeros((2, 2)), [[1.0, 1], [NAN, 1]]),
        {"causal": True},
        [[NAN, 1], [NAN, 1]],
    ),
    "-inf in a query spoils its own row": (([[-INF, 1], [0, 1]], EYE, TWO), {}, [[NAN, NAN], [B, B + 1]]),
    "d_v differs from d_k": ((EYE, [[1.0, 0], [0, 1], [1, 1]], [[1.0], [2], [4]]), {}, [[2.4011121], [2.6044484]]),
    "mask and causal both have to allow": (
        (np.zeros((3, 2)), np.zeros((3, 2)), [[3.0], [6], [12]]),
        {"mask": [[True] * 3, [False, True, True], [False, True, True]], "causal": True},
        [[3], [6], [9]],
    ),
}
# fmt: on


@pytest.mark.parametrize("case", CASES)
def test_the_answer_on_a_known_case(array, case):
    arguments, options, expected = CASES[case]
    options = {
        name: array(option, None if name == "mask" else "float64") if name in ("mask", "bias") else option
        for name, option in options.items()
    }
    with np.errstate(invalid="ignore"):
        output = scaled_dot_product_attention(*map(array, arguments), **options).output
    np.testing.assert_allclose(np.asarray(output), expected, rtol=1e-6, atol=1e-9)


def test_scores_beyond_float32_become_nan_and_never_a_quiet_number(array):
    huge = array([[1e20, 0.0], [0.0, 1e20]], "float32")
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isnan(np.asarray(scaled_dot_product_attention(huge, huge, array(TWO, "float32")).output)).all()


def test_float16_scores_may_pass_its_largest_number(array):
    query, key = np.full((1, 64), 300.0), np.array([[300.0], [-300.0]]) * np.ones((1, 64))
    output = scaled_dot_product_attention(*(array(a, "float16") for a in (query, key, TWO))).output
    assert str(output.dtype).endswith("float16")
    np.testing.assert_array_equal(np.asarray(output), [[1, 2]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_number_type_stays(array, dtype):
    steps = attention_steps(*(array(x, dtype) for x in (EYE, EYE, TWO)))
    assert all(str(step.dtype).endswith(dtype) for step in steps)


RANDOM = np.random.default_rng(0)
QUERY, KEY, VALUE = (RANDOM.normal(size=s) for s in ((2, 7, 3, 5), (2, 7, 11, 5), (2, 7, 11, 13)))
MASK, BIAS = RANDOM.random((3, 11)) < 0.7, RANDOM.normal(size=(2, 1, 3, 11))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [None, 1.3])
def test_torch_gives_the_same(causal, scale):
    pytest.importorskip("torch", reason="torch is not installed")
    from course_utils.models.torch_reference import torch_attention

    options = {"mask": MASK, "bias": BIAS, "causal": causal, "scale": scale}
    ours = scaled_dot_product_attention(QUERY, KEY, VALUE, **options)
    np.testing.assert_allclose(ours.output, torch_attention(QUERY, KEY, VALUE, **options), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.weights.sum(-1), 1, rtol=1e-12)


def test_gradients_are_torchs_own_and_clean_in_empty_rows():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from course_utils.models.torch_reference import torch_attention

    mask = torch.from_numpy(MASK.copy())
    mask[1] = False
    ours, theirs = ([torch.from_numpy(a.copy()).requires_grad_() for a in (QUERY, KEY, VALUE)] for _ in range(2))
    scaled_dot_product_attention(*ours, mask=mask).output.square().sum().backward()
    torch_attention(*theirs, mask=mask).square().sum().backward()
    for mine, other in zip(ours, theirs, strict=True):
        assert torch.isfinite(mine.grad).all()
        torch.testing.assert_close(mine.grad, other.grad)


def test_gradients_agree_with_small_steps():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    leaves = [torch.from_numpy(a[:1, :1].copy()).requires_grad_() for a in (QUERY, KEY, VALUE)]
    assert torch.autograd.gradcheck(lambda *x: scaled_dot_product_attention(*x, causal=True).output, leaves)


def test_the_steps_lead_to_the_output(array):
    steps = attention_steps(*map(array, (QUERY, KEY, VALUE)), mask=array(MASK), causal=True)
    scores, scaled, masked, exponentials, sums, weights, output = map(np.asarray, steps)
    np.testing.assert_allclose(scores, np.einsum("...ik,...jk->...ij", QUERY, KEY), rtol=1e-9)
    np.testing.assert_allclose(scaled, scores / np.sqrt(5))
    assert (np.isneginf(masked) == ~(MASK & causal_mask(3, 11))).all()
    np.testing.assert_allclose(exponentials, np.exp(masked))
    np.testing.assert_allclose(weights, exponentials / sums)
    np.testing.assert_allclose(output, weights @ VALUE)


def test_arguments_are_never_changed(array):
    given = [array(a) for a in (QUERY, KEY, VALUE, MASK, BIAS)]
    before = [np.array(a) for a in given]
    scaled_dot_product_attention(*given[:3], mask=given[3], bias=given[4], causal=True)
    for a, b in zip(given, before, strict=True):
        np.testing.assert_array_equal(np.asarray(a), b)


def test_a_future_token_cannot_change_the_past(array):
    x = RANDOM.normal(size=(7, 5))
    edited = x.copy()
    edited[-1] += 100
    first, second = (np.asarray(scaled_dot_product_attention(*[array(a)] * 3, causal=True).output) for a in (x, edited))
    np.testing.assert_array_equal(first[:-1], second[:-1])


def test_a_batch_is_the_same_as_its_members_one_by_one(array):
    together = np.asarray(scaled_dot_product_attention(*map(array, (QUERY, KEY, VALUE))).output)
    alone = scaled_dot_product_attention(array(QUERY[1, 4]), array(KEY[1, 4]), array(VALUE[1, 4])).output
    np.testing.assert_allclose(together[1, 4], np.asarray(alone), rtol=1e-12)


def test_a_numpy_mask_or_bias_serves_tensors_too():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.eye(3)
    weights = scaled_dot_product_attention(x, x, x, mask=causal_mask(3), bias=np.zeros((3, 3))).weights
    torch.testing.assert_close(weights, scaled_dot_product_attention(x, x, x, causal=True).weights)


def ones(*shape):
    return np.ones(shape)


# fmt: off
@pytest.mark.parametrize(
    "arguments, options, error, message",
    [
        ((ones(2, 4), ones(2, 3), ones(2, 3)), {}, ValueError,
         r"query and key need the same last size d_k, but query is \(2, 4\) and key is \(2, 3\)"),
        ((ones(2, 2), ones(3, 2), ones(2, 2)), {}, ValueError, "there are 3 keys and 2 values"),
        ((ones(2), ones(2, 2), ones(2, 2)), {}, ValueError, r"query needs at least 2 axes .* but query is \(2,\)"),
        ((ones(2, 0), ones(2, 0), ones(2, 2)), {}, ValueError, "d_k must be at least 1"),
        ((ones(2, 2, 2), ones(3, 2, 2), ones(3, 2, 2)), {}, ValueError, "need batch axes that agree, but query is"),
        ((ones(2, 2),) * 3, {"mask": ones(3, 3) > 0}, ValueError,
         r"mask must broadcast to the scores \(2, 2\), but mask is \(3, 3\)"),
        ((ones(2, 2),) * 3, {"mask": ones(5, 2, 2) > 0}, ValueError, r"but mask is \(5, 2, 2\)"),
        ((ones(2, 2),) * 3, {"bias": ones(3)}, ValueError, r"bias must broadcast to the scores \(2, 2\)"),
        ((ones(2, 2),) * 3, {"mask": np.array([[1, 0], [1, 1]])}, TypeError,
         r"mask has dtype int64: use a boolean mask \(True = may look\), or pass a float as bias="),
        ((ones(2, 2),) * 3, {"mask": ones(2, 2)}, TypeError, "mask has dtype float64: use a boolean mask"),
        ((ones(2, 2),) * 3, {"mask": [[True]]}, TypeError, "mask is a list, not an array: use a boolean mask"),
        ((ones(2, 2),) * 3, {"bias": ones(2, 2) > 0}, TypeError, "bias has dtype bool: use an array of floats"),
        ((ones(2, 2),) * 3, {"mask": True}, TypeError, "mask is a bool, not an array: use a boolean mask"),
        ((ones(2, 2),) * 3, {"bias": 0.5}, TypeError, "bias is a float, not an array: use an array of floats"),
        (([[1.0]], ones(1, 1), ones(1, 1)), {}, TypeError, "query is a list, not an array"),
        ((ones(2, 2), ones(2, 2).astype(complex), ones(2, 2)), {}, TypeError, "key has dtype complex128"),
    ],
)
# fmt: on
def test_what_does_not_fit_is_refused_by_name(arguments, options, error, message):
    with pytest.raises(error, match=message):
        scaled_dot_product_attention(*arguments, **options)


def test_numpy_and_torch_are_not_mixed():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(TypeError, match="arrays of one kind are needed, NumPy or torch, .*key from torch"):
        scaled_dot_product_attention(ones(1, 1), torch.ones(1, 1), ones(1, 1))


def test_a_score_matrix_too_large_for_a_laptop_is_refused_before_it_is_made():
    query = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), (32768, 4), (0, 0))
    message = "n = 32768 needs 4.0 GiB for one float32 score matrix; use attention_in_blocks, or raise limit="
    with pytest.raises(ValueError, match=message):
        scaled_dot_product_attention(query, query, query)
    with pytest.raises(ValueError, match="raise limit="):
        scaled_dot_product_attention(ones(5, 2), ones(5, 2), ones(5, 2), limit=199)
    assert scaled_dot_product_attention(ones(5, 2), ones(5, 2), ones(5, 2), limit=200).output.shape == (5, 2)


def test_gradients_reach_a_bias():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    arrays = [torch.from_numpy(np.random.default_rng(0).normal(size=s)) for s in ((3, 2), (5, 2), (5, 2), (3, 5))]
    bias = arrays.pop().requires_grad_()
    assert torch.autograd.gradcheck(lambda b: scaled_dot_product_attention(*arrays, bias=b).output, bias)


def test_a_bias_that_does_not_fit_is_refused_before_the_scores_are_made():
    x, bias = np.ones((2000, 1)), np.ones((3, 3))
    tracemalloc.start()
    with pytest.raises(ValueError, match="bias must broadcast"):
        scaled_dot_product_attention(x, x, x, bias=bias)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20
