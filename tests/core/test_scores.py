import math

import numpy as np
import pytest

from course_utils.core.scores import entropy, softmax, softmax_jacobian


def test_weights_are_shares_in_the_ratio_of_exponentials(array):
    weights = np.asarray(softmax(array([[0.0, math.log(3)], [5.0, 5.0]])))
    np.testing.assert_allclose(weights, [[0.25, 0.75], [0.5, 0.5]], rtol=1e-12)


def test_any_axis_can_be_shared_out(array):
    scores = np.arange(30.0).reshape(2, 3, 5) / 7
    for axis in (0, 1, 2, -1, -2):
        np.testing.assert_allclose(np.asarray(softmax(array(scores), axis=axis)).sum(axis), 1, rtol=1e-12)


def test_adding_a_number_to_all_scores_changes_nothing(array):
    scores = np.array([[0.5, -2.0, 3.0]])
    np.testing.assert_allclose(softmax(array(scores)), softmax(array(scores + 1000)), rtol=1e-9)


def test_huge_scores_do_not_overflow(array):
    np.testing.assert_array_equal(np.asarray(softmax(array([1e300, -1e300]))), [1, 0])
    np.testing.assert_array_equal(np.asarray(softmax(array([[0.0, 1.0], [-2000.0, -2000.0]])))[1], [0.5, 0.5])


def test_a_row_that_may_look_at_nothing_gets_zeros(array):
    np.testing.assert_array_equal(np.asarray(softmax(array([[-np.inf, -np.inf], [0.0, -np.inf]]))), [[0, 0], [1, 0]])


def test_nan_and_plus_infinity_are_never_made_quiet(array):
    assert np.isnan(np.asarray(softmax(array([np.nan, 0.0])))).all()
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.asarray(softmax(array([np.inf, 0.0])))).all()


def test_no_scores_give_no_weights(array):
    assert softmax(array(np.empty((2, 0)))).shape == (2, 0)
    assert softmax(array(np.empty((0, 3)))).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_number_type_stays(array, dtype):
    scores = array([1.0, 2.0], dtype)
    for result in (softmax(scores), entropy(softmax(scores)), softmax_jacobian(softmax(scores))):
        assert result.dtype == scores.dtype


def test_bfloat16_keeps_its_type():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert softmax(torch.tensor([1.0, 2.0], dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_integers_become_the_default_float(array):
    np.testing.assert_allclose(np.asarray(softmax(array([0, 0, 0, 0]))), 0.25)


def test_half_precision_is_computed_in_float32(array):
    scores = array([12.0, 11.0], "float16")  # exp(12) is beyond float16
    np.testing.assert_allclose(np.asarray(softmax(scores)), [1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))], rtol=1e-3)


def test_entropy_runs_from_zero_to_log_n(array):
    np.testing.assert_allclose(np.asarray(entropy(array([[1.0, 0, 0, 0], [0.25] * 4]))), [0, math.log(4)], atol=1e-12)


def test_the_jacobian_is_how_weights_move(array):
    scores, step = np.array([0.3, -1.0, 2.0]), 1e-6
    moved = [(softmax(scores + step * e) - softmax(scores - step * e)) / (2 * step) for e in np.eye(3)]
    jacobian = np.asarray(softmax_jacobian(softmax(array(scores))))
    np.testing.assert_allclose(jacobian, np.array(moved).T, atol=1e-9)
    np.testing.assert_allclose(jacobian.sum(-1), 0, atol=1e-12)


def test_gradients_flow_as_in_torch_and_stay_clean_in_empty_rows():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    ours = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
    theirs = ours.detach().clone().requires_grad_()
    factor = torch.randn(5, 7, dtype=torch.float64)
    (softmax(ours) * factor).sum().backward()
    (theirs.softmax(-1) * factor).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    empty = torch.zeros(1, 3, requires_grad=True)
    softmax(torch.where(torch.zeros(1, 3, dtype=torch.bool), empty, -torch.inf)).sum().backward()
    assert torch.equal(empty.grad, torch.zeros(1, 3))


def test_what_is_no_array_is_refused_by_name():
    with pytest.raises(TypeError, match=r"scores is a list, not an array: wrap it in np.asarray\(\.\.\.\) first"):
        softmax([1.0, 2.0])
    with pytest.raises(ValueError, match=r"axis 5 does not exist: scores is \(2, 2\)"):
        softmax(np.eye(2), axis=5)
    with pytest.raises(ValueError, match=r"axis -1 does not exist: scores is \(\)"):
        softmax(np.array(1.0))
    with pytest.raises(TypeError, match="scores has dtype complex128: real numbers are needed"):
        softmax(np.array([1j]))
