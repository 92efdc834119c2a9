import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from course_utils.core.attention import scaled_dot_product_attention  # noqa: E402
from course_utils.models.blockwise import trainable_attention_in_blocks  # noqa: E402

RANDOM = np.random.default_rng(0)


def leaves(n_q, n_k, batch=((2, 1), (3,), ()), dtype=torch.float64):
    widths = (n_q, 5), (n_k, 5), (n_k, 13)
    arrays = [RANDOM.normal(size=(*b, *w)) for b, w in zip(batch, widths, strict=True)]
    return [torch.from_numpy(a).to(dtype).requires_grad_() for a in arrays]


@pytest.mark.parametrize("n_q, n_k", [(7, 7), (7, 11), (11, 7), (1, 11), (3, 0), (0, 3)])
@pytest.mark.parametrize("block", [1, 4, 128])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [None, -1.3])
def test_output_and_gradients_are_those_of_attention(n_q, n_k, block, causal, scale):
    """Sizes the block does not divide, batches that broadcast, queries that see nothing."""
    ours = leaves(n_q, n_k)
    plain = [a.detach().clone().requires_grad_() for a in ours]
    mine = trainable_attention_in_blocks(*ours, block=block, causal=causal, scale=scale)
    theirs = scaled_dot_product_attention(*plain, causal=causal, scale=scale).output
    torch.testing.assert_close(mine, theirs)
    weights = torch.from_numpy(RANDOM.normal(size=mine.shape))
    (mine * weights).sum().backward()
    (theirs * weights).sum().backward()
    for a, b in zip(ours, plain, strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_gradients_agree_with_small_steps():
    given = leaves(7, 5, batch=((2,), (), (2,)))
    call = lambda *a: trainable_attention_in_blocks(*a, block=3, causal=True)
    assert torch.autograd.gradcheck(call, given)


def test_half_precision_keeps_its_type():
    given = leaves(7, 11, dtype=torch.bfloat16)
    output = trainable_attention_in_blocks(*given, block=4)
    output.sum().backward()
    assert output.dtype == torch.bfloat16 and all(a.grad.dtype == torch.bfloat16 for a in given)


def test_what_is_kept_for_the_backward_pass_grows_with_n():
    """Counted: query, key, value, output and one number a query. Attention as on paper keeps n * n more."""
    for n in (64, 256):
        given = leaves(n, n, batch=((), (), ()))
        ours = kept(lambda given=given: trainable_attention_in_blocks(*given, block=32, causal=True))
        plain = kept(lambda given=given: scaled_dot_product_attention(*given, causal=True))
        assert ours == n * (5 + 5 + 13 + 13 + 1) < n * n < plain


def kept(call):
    """How many numbers torch keeps for the backward pass of ``call``."""
    numbers = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: numbers.append(t.numel()) or t, lambda t: t):
        call()
    return sum(numbers)


def test_shapes_that_do_not_fit_are_refused_by_name():
    with pytest.raises(ValueError, match="there are 3 keys and 2 values"):
        trainable_attention_in_blocks(torch.ones(2, 2), torch.ones(3, 2), torch.ones(2, 2))
    with pytest.raises(ValueError, match="block must be a whole number"):
        trainable_attention_in_blocks(*leaves(3, 3), block=0)
