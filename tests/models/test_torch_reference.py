"""The adapter keeps the course's conventions; the tests of torch's own traps say why it has to."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from course_utils.core.attention import scaled_dot_product_attention  # noqa: E402
from course_utils.core.heads import multi_head_attention  # noqa: E402
from course_utils.models.torch_reference import torch_attention, torch_multi_head_attention  # noqa: E402

RANDOM = np.random.default_rng(0)
QUERY, KEY, VALUE = (RANDOM.normal(size=s) for s in ((2, 1, 7, 5), (3, 11, 5), (11, 13)))
MASK, BIAS = RANDOM.random((7, 11)) < 0.7, RANDOM.normal(size=(3, 1, 11))
MASK[2] = False
D, HEADS, N_Q, N_K = 12, 4, 5, 7
X, CONTEXT = RANDOM.normal(size=(2, N_Q, D)), RANDOM.normal(size=(2, N_K, D))
MATRICES = [RANDOM.normal(size=(D, D)) for _ in range(4)]


@pytest.mark.parametrize("mask", [None, MASK, MASK[3]])
@pytest.mark.parametrize("bias", [None, BIAS])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [None, 0.0, 1.3])
def test_torch_and_the_course_agree(mask, bias, causal, scale):
    options = {"mask": mask, "bias": bias, "causal": causal, "scale": scale}
    ours = scaled_dot_product_attention(QUERY, KEY, VALUE, **options).output
    np.testing.assert_allclose(torch_attention(QUERY, KEY, VALUE, **options), ours, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_q, n_k", [(1, 4), (7, 3), (3, 0), (0, 3)])
def test_causal_is_aligned_bottom_right_for_every_rank(n_q, n_k):
    for batch in ((), (2,), (2, 3)):
        given = [RANDOM.normal(size=(*batch, n, d)) for n, d in ((n_q, 5), (n_k, 5), (n_k, 2))]
        ours = scaled_dot_product_attention(*given, causal=True).output
        np.testing.assert_allclose(torch_attention(*given, causal=True), ours, rtol=1e-9, atol=1e-12)


def test_torchs_own_causal_flag_is_aligned_top_left():
    query, key = torch.zeros(1, 1, 3), torch.zeros(1, 4, 3)
    value = torch.arange(4.0)[None, :, None]
    flag = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    assert flag.item() == 0 and torch_attention(query, key, value, causal=True).item() == 1.5


def test_a_query_that_may_look_at_nothing_gives_zeros_and_clean_gradients():
    given = [torch.from_numpy(a.copy()).requires_grad_() for a in (QUERY, KEY, VALUE)]
    output = torch_attention(*given, mask=MASK)
    assert (output[..., 2, :] == 0).all()
    output.square().sum().backward()
    assert all(torch.isfinite(a.grad).all() for a in given)


@pytest.mark.parametrize("name, number", [("query", np.nan), ("key", np.inf), ("value", -np.inf)])
def test_numbers_that_torch_carries_too_far_are_refused(name, number):
    given = {"query": np.ones((2, 3)), "key": np.ones((2, 3)), "value": np.ones((2, 3))}
    given[name][0, 0] = number
    with pytest.raises(ValueError, match=f"{name} holds NaN or infinity"):
        torch_attention(**given)


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(TypeError, match=r"use a boolean mask \(True = may look\)"):
        torch_attention(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)), mask=np.ones((2, 2)))


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("d_context", [D, 11])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("padded", [False, True])
def test_many_heads_agree_with_the_module(crossed, d_context, causal, padded):
    context = RANDOM.normal(size=(2, N_K, d_context)) if crossed else None
    width, n_k = (d_context, N_K) if crossed else (D, N_Q)
    W_Q, W_O = MATRICES[:2]
    W_K, W_V = RANDOM.normal(size=(2, width, D))
    lengths = np.array([n_k - 2, 0])  # the second sequence is nothing but padding
    real = np.arange(n_k) < lengths[:, None] if padded else None
    given, options = (X, W_Q, W_K, W_V, W_O), {"n_heads": HEADS, "context": context, "causal": causal}
    ours = multi_head_attention(*given, mask=None if real is None else real[:, None, :], **options)
    theirs = torch_multi_head_attention(*given, key_mask=real, **options)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(other, mine, rtol=1e-9, atol=1e-12)


def test_gradients_through_the_module_are_ours_in_empty_rows_too():
    real = torch.tensor([[True] * 3 + [False] * 2, [False] * 5])
    ours, theirs = ([torch.from_numpy(a.copy()).requires_grad_() for a in (X, *MATRICES)] for _ in range(2))
    multi_head_attention(*ours, n_heads=HEADS, mask=real[:, None]).output.square().sum().backward()
    torch_multi_head_attention(*theirs, n_heads=HEADS, key_mask=real).output.square().sum().backward()
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad)


def test_other_shapes_than_the_modules_are_refused():
    with pytest.raises(ValueError, match=r"torch needs W_K of shape \(12, 12\), but W_K is \(12, 6\)"):
        torch_multi_head_attention(X, MATRICES[0], MATRICES[1][:, :6], *MATRICES[2:], n_heads=HEADS)


@pytest.fixture
def module():
    torch.manual_seed(0)
    return torch.nn.MultiheadAttention(4, 2, batch_first=True)


def test_the_modules_answer_on_nothing_but_padding_depends_on_need_weights(module):
    """torch's two ways of asking for weights disagree."""
    x, blocked = torch.randn(1, 3, 4), torch.ones(1, 3, dtype=torch.bool)
    with_weights, without = (module(x, x, x, key_padding_mask=blocked, need_weights=need)[0] for need in (True, False))
    assert with_weights.isnan().all() and (without == 0).all()


def test_the_modules_causal_hint_overrules_the_mask_or_not(module):
    """With an open mask the hint counts without weights, the mask with them."""
    x, opened = torch.randn(1, 3, 4), torch.zeros(3, 3, dtype=torch.bool)
    plain = module(x, x, x)[0]
    with_weights, without = (
        module(x, x, x, attn_mask=opened, is_causal=True, need_weights=need)[0] for need in (True, False)
    )
    torch.testing.assert_close(with_weights, plain)
    assert not torch.allclose(without, plain)
