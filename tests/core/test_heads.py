import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.heads import join_heads, multi_head_attention, share_heads, split_heads
from course_utils.core.masks import causal_mask

RANDOM = np.random.default_rng(0)
BATCH, N_Q, N_K, D_MODEL, D_CONTEXT, D_K, D_V = 2, 5, 7, 12, 11, 3, 13


def matrices(n_heads, n_kv_heads=None, d_context=D_MODEL):
    n_kv_heads = n_kv_heads or n_heads
    shapes = (
        (D_MODEL, n_heads * D_K),
        (d_context, n_kv_heads * D_K),
        (d_context, n_kv_heads * D_V),
        (n_heads * D_V, D_MODEL),
    )
    return [RANDOM.normal(size=shape) for shape in shapes]


X, CONTEXT = RANDOM.normal(size=(BATCH, N_Q, D_MODEL)), RANDOM.normal(size=(BATCH, N_K, D_CONTEXT))


def head_by_head(x, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, context, mask):
    """The paper's formula with a loop: each head takes its own columns; neighbours share keys and values."""
    heads, all_weights = [], []
    for h in range(n_heads):
        kv = h // (n_heads // n_kv_heads)
        query = x @ W_Q[:, h * D_K : (h + 1) * D_K]
        key = context @ W_K[:, kv * D_K : (kv + 1) * D_K]
        value = context @ W_V[:, kv * D_V : (kv + 1) * D_V]
        scores = np.where(mask, query @ np.swapaxes(key, -1, -2) / D_K**0.5, -np.inf)
        exponentials = np.exp(scores)
        weights = exponentials / exponentials.sum(-1, keepdims=True)
        heads.append(weights @ value)
        all_weights.append(weights)
    return np.concatenate(heads, -1) @ W_O, np.stack(all_weights, -3)


@pytest.mark.parametrize("n_heads, n_kv_heads", [(1, 1), (4, 4), (4, 2), (6, 1)])
@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_it_is_the_papers_formula_head_by_head(array, n_heads, n_kv_heads, crossed, causal):
    context = CONTEXT if crossed else X
    given = matrices(n_heads, n_kv_heads, context.shape[-1])
    mask = causal_mask(N_Q, context.shape[-2]) if causal else np.True_
    expected = head_by_head(X, *given, n_heads, n_kv_heads, context, mask)
    options = {"n_heads": n_heads, "n_kv_heads": n_kv_heads, "causal": causal}
    found = multi_head_attention(*map(array, (X, *given)), context=array(CONTEXT) if crossed else None, **options)
    assert found.weights.shape == (BATCH, n_heads, N_Q, context.shape[-2])
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(mine), other, rtol=1e-9, atol=1e-12)


def test_splitting_cuts_the_width_and_joining_puts_it_back(array):
    x = array(RANDOM.normal(size=(2, 5, 12)))
    split = split_heads(x, 3)
    assert tuple(split.shape) == (2, 3, 5, 4)
    np.testing.assert_array_equal(np.asarray(split[1, 2, 3]), np.asarray(x[1, 3, 8:]))
    np.testing.assert_array_equal(np.asarray(join_heads(split)), np.asarray(x))


def test_neighbours_share_a_head(array):
    """4 query heads on 2; all keys equal, so that each head gives the mean of its values."""
    value = array([[[1.0], [3.0]], [[10.0], [30.0]]])
    shared = share_heads(value, 4)
    key = share_heads(array(np.zeros((2, 2, 5))), 4)
    output = scaled_dot_product_attention(array(np.zeros((4, 1, 5))), key, shared).output
    assert np.asarray(output).ravel().tolist() == [2, 2, 20, 20]


def test_torch_shares_heads_the_same_way():
    """torch's own enable_gqa, which the adapter leaves out."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    query, key, value = (torch.from_numpy(RANDOM.normal(size=(2, h, 5, 3))) for h in (6, 2, 2))
    theirs = torch.nn.functional.scaled_dot_product_attention(query, key, value, enable_gqa=True)
    ours = scaled_dot_product_attention(query, share_heads(key, 6), share_heads(value, 6)).output
    torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("rows", [1, N_Q])
def test_each_sequence_has_its_own_mask_and_all_heads_use_it(array, rows):
    mask = np.arange(N_Q) < np.array([3, 4])[:, None, None]
    mask = np.broadcast_to(mask, (BATCH, rows, N_Q))
    output, weights = multi_head_attention(*map(array, (X, *matrices(4))), n_heads=4, mask=array(mask))
    weights = np.asarray(weights)
    for b, seen in enumerate((3, 4)):
        assert (weights[b, ..., :seen] > 0).all() and (weights[b, ..., seen:] == 0).all()


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_and_causal_together_equal_the_run_without_padding(array, side):
    """What stands in the pads (99) cannot matter, on either side."""
    given = list(map(array, matrices(4)))
    alone = np.asarray(multi_head_attention(array(X[:1]), *given, n_heads=4, causal=True).output)
    pads, real = np.full((1, 2, D_MODEL), 99.0), np.ones((1, 1, N_Q), dtype=bool)
    parts = [pads, X[:1]] if side == "left" else [X[:1], pads]
    hidden = np.zeros((1, 1, 2), dtype=bool)
    mask = np.concatenate([hidden, real] if side == "left" else [real, hidden], axis=-1)
    padded = multi_head_attention(
        array(np.concatenate(parts, axis=1)), *given, n_heads=4, mask=array(mask), causal=True
    )
    output = np.asarray(padded.output)
    np.testing.assert_allclose(output[:, 2:] if side == "left" else output[:, :N_Q], alone, rtol=1e-9)
    if side == "left":
        assert (output[:, :2] == 0).all()  # a pad before all words may look at nothing


def test_heads_cost_the_same_but_do_not_say_the_same(array):
    """One wide head and four narrow ones have the same matrices, and another output."""
    given = [array(RANDOM.normal(size=(12, 12))) for _ in range(4)]
    one, four = (np.asarray(multi_head_attention(array(X), *given, n_heads=h).output) for h in (1, 4))
    assert one.shape == four.shape and not np.allclose(one, four)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_number_type_stays(array, dtype):
    given = [array(a, dtype) for a in (X, *matrices(4, 2))]
    found = multi_head_attention(*given, n_heads=4, n_kv_heads=2)
    assert all(str(a.dtype).endswith(dtype) for a in found)
    if dtype == "float16":  # computed in float32: only the last step rounds
        wide = multi_head_attention(*(array(np.asarray(a), "float32") for a in given), n_heads=4, n_kv_heads=2)
        np.testing.assert_allclose(np.asarray(found.output), np.asarray(wide.output).astype("float16"), rtol=2e-3)


def test_arguments_are_never_changed_and_gradients_flow():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    given = [torch.from_numpy(a.copy()).requires_grad_() for a in (X[:1, :3], *matrices(4, 2))]
    before = [a.detach().clone() for a in given]
    call = lambda *a: multi_head_attention(*a, n_heads=4, n_kv_heads=2, causal=True).output
    assert torch.autograd.gradcheck(call, given)
    assert all(torch.equal(a, b) for a, b in zip(given, before, strict=True))


def ones(*shape):
    return np.ones(shape)


FITTING = {"x": ones(2, 5, 12), "W_Q": ones(12, 8), "W_K": ones(12, 8), "W_V": ones(12, 20), "W_O": ones(20, 12)}


# fmt: off
@pytest.mark.parametrize(
    "changed, error, message",
    [
        ({"n_heads": 5, "n_kv_heads": 2}, ValueError, "5 query heads cannot share 2 key/value heads: choose"),
        ({"n_heads": 3}, ValueError, "W_Q has 8 columns, which 3 heads cannot divide evenly: choose n_heads"),
        ({"n_heads": 0}, ValueError, "n_heads must be a whole number of 1 or more, but n_heads is 0"),
        ({"n_kv_heads": 1.5}, ValueError, "n_kv_heads must be a whole number of 1 or more, but n_kv_heads is 1.5"),
        ({"x": ones(12)}, ValueError, r"x needs at least 2 axes \(tokens, width\), but x is \(12,\)"),
        ({"W_Q": ones(11, 8)}, ValueError,
         r"W_Q needs one row for each of the 12 features of x, but W_Q is \(11, 8\) and x is \(2, 5, 12\)"),
        ({"context": ones(2, 7, 9)}, ValueError,
         r"W_K needs one row for each of the 9 features of context, but W_K is \(12, 8\)"),
        ({"W_K": ones(12, 12)}, ValueError,
         r"W_Q \(12, 8\) gives 4 of 2 and W_K \(12, 12\) gives 4 of 3: give W_K 8 columns"),
        ({"W_V": ones(12, 6)}, ValueError, "W_V has 6 columns, which 4 heads cannot divide"),
        ({"W_O": ones(8, 12)}, ValueError, r"W_O needs n_heads \* d_v = 4 \* 5 = 20 rows, but W_O is \(8, 12\)"),
        ({"W_O": ones(20)}, ValueError, r"W_O must be a matrix with 2 axes, but W_O is \(20,\)"),
        ({"context": ones(3, 7, 12)}, ValueError, "x and context need batch axes that agree"),
        ({"mask": ones(2, 1, 5, 5) > 0}, ValueError,
         r"mask must broadcast to the scores \(2, 5, 5\), but mask is \(2, 1, 5, 5\)"),
        ({"mask": ones(5, 5)}, TypeError, "mask has dtype float64: use a boolean mask"),
        ({"W_V": [[1.0]]}, TypeError, "W_V is a list, not an array"),
        ({"limit": 799, "context": ones(2, 7, 12)}, ValueError, "n = 7 needs 0.0 GiB .* raise limit="),
        ({"limit": 799, "context": ones(2, 3, 12)}, ValueError, "n = 5 needs 0.0 GiB .* raise limit="),
    ],
)
# fmt: on
def test_what_does_not_fit_is_refused_by_name(changed, error, message):
    given = {**FITTING, "n_heads": 4, **changed}
    arrays = [given.pop(name) for name in FITTING]
    with pytest.raises(error, match=message):
        multi_head_attention(*arrays, **given)


def test_scores_too_large_are_refused_before_anything_is_projected():
    def huge(*shape):
        return np.lib.stride_tricks.as_strided(np.ones(1, np.float32), shape, (0,) * len(shape))

    W = huge(64, 64)
    with pytest.raises(ValueError, match="attention_in_blocks"):
        multi_head_attention(huge(10**9, 64), W, W, W, W, n_heads=4)


@pytest.mark.parametrize("call, message", [
    (lambda: split_heads(ones(5, 7), 2), r"a width d that 2 heads divide, but x is \(5, 7\)"),
    (lambda: join_heads(ones(5, 7)), r"x needs axes \(..., n_heads, n, d_head\), but x is \(5, 7\)"),
    (lambda: share_heads(ones(2, 5, 3), 5), "5 query heads cannot share 2 key/value heads"),
    (lambda: share_heads(ones(5, 3), 5), r"but key is \(5, 3\)"),
])  # fmt: skip
def test_heads_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
