import numpy as np
import pytest

from course_utils.core.transformer import Block, feed_forward, gelu, layer_norm, transformer_block


def test_layer_norm_gives_each_token_mean_zero_and_variance_one(array):
    x = np.random.default_rng(0).normal(3, 5, size=(2, 3, 7))
    normed = np.asarray(layer_norm(array(x)))
    np.testing.assert_allclose(normed.mean(-1), 0, atol=1e-12)
    np.testing.assert_allclose(normed.var(-1), 1, rtol=1e-5)


def test_layer_norm_scales_and_shifts_each_feature(array):
    x = array([[1.0, 3.0]])
    result = layer_norm(x, array([2.0, 10.0]), array([0.5, 1.0]), eps=0.0)
    np.testing.assert_allclose(np.asarray(result), [[-2 + 0.5, 10 + 1]])


def test_a_token_of_equal_features_gives_zeros_and_no_nan(array):
    np.testing.assert_array_equal(np.asarray(layer_norm(array([[4.0, 4.0, 4.0]]))), [[0, 0, 0]])


def test_gelu_is_x_times_the_normal_distribution(array):
    np.testing.assert_allclose(  # the distribution at 1 is 0.841345 (any table)
        np.asarray(gelu(array([-1.0, 0.0, 1.0]))), [-1 + 0.841345, 0, 0.841345], atol=1e-6
    )


def test_the_feed_forward_treats_each_token_alone(array):
    random = np.random.default_rng(1)
    x, W_1, b_1, W_2, b_2 = (random.normal(size=s) for s in ((5, 3), (3, 7), (7,), (7, 3), (3,)))
    weights = [array(w) for w in (W_1, b_1, W_2, b_2)]
    before = np.asarray(feed_forward(array(x), *weights))
    x[2] += 1
    after = np.asarray(feed_forward(array(x), *weights))
    assert (before != after).any(-1).tolist() == [False, False, True, False, False]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_the_number_type_stays(array, dtype):
    x = array([[1.0, -2.0]], dtype)
    assert layer_norm(x).dtype == x.dtype and gelu(x).dtype == x.dtype
    W, b = array([[1.0, 2.0], [3.0, 4.0]], dtype), array([0.0, 0.0], dtype)
    assert feed_forward(x, W, b, W, b).dtype == x.dtype


def test_half_precision_is_computed_in_single(array):
    x, W, b = array([[300.0]], "float16"), array([[300.0]], "float16"), array([0.0], "float16")
    given = feed_forward(x, W, b, array([[0.001]], "float16"), b, activation=lambda h: h)
    assert abs(float(given[0, 0]) - 90) < 0.2  # 90000 on the way does not fit into float16


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"W_1": (5, 8)}, r"W_1 needs shape \(4, d_hidden\), as x is \(3, 4\), but W_1 is \(5, 8\)"),
        ({"b_1": (3, 8)}, r"b_1 needs shape \(8,\), but b_1 is \(3, 8\)"),
        ({"W_2": (4, 8)}, r"W_2 needs shape \(8, 4\), but W_2 is \(4, 8\)"),
        ({"b_2": (7, 1, 4)}, r"b_2 needs shape \(4,\), but b_2 is \(7, 1, 4\)"),
    ],
)
def test_weights_that_do_not_fit_are_refused_by_name(array, changed, words):
    shapes = {"x": (3, 4), "W_1": (4, 8), "b_1": (8,), "W_2": (8, 4), "b_2": (4,)} | changed
    with pytest.raises(ValueError, match=words):
        feed_forward(**{name: array(np.ones(shape)) for name, shape in shapes.items()})


def test_a_gain_that_would_widen_is_refused(array):
    with pytest.raises(ValueError, match=r"gain needs shape \(4,\), but gain is \(2, 1, 4\)"):
        layer_norm(array(np.ones((3, 4))), array(np.ones((2, 1, 4))))


def test_norm_and_gelu_are_torchs_gradients_included():
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")
    norm = torch.nn.LayerNorm(7, dtype=torch.float64)
    torch.nn.init.normal_(norm.weight)
    torch.nn.init.normal_(norm.bias)
    x = torch.randn(2, 5, 7, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(layer_norm(x, norm.weight, norm.bias), norm(x))
    torch.testing.assert_close(gelu(x), torch.nn.GELU()(x))
    (ours,) = torch.autograd.grad(gelu(layer_norm(x)).sum(), x)
    (theirs,) = torch.autograd.grad(torch.nn.GELU()(torch.nn.functional.layer_norm(x, (7,))).sum(), x)
    torch.testing.assert_close(ours, theirs)


def copied(layer, torch):
    """The weights of a ``TransformerEncoderLayer`` as a Block."""
    W_Q, W_K, W_V = (W.mT for W in layer.self_attn.in_proj_weight.detach().chunk(3))
    return Block(
        W_Q, W_K, W_V, layer.self_attn.out_proj.weight.detach().mT,
        layer.linear1.weight.detach().mT, layer.linear1.bias.detach(),
        layer.linear2.weight.detach().mT, layer.linear2.bias.detach(),
        *(p.detach() for norm in (layer.norm1, layer.norm2) for p in (norm.weight, norm.bias)),
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["numpy", "torch"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("causal", [False, True])
def test_the_block_is_torchs_encoder_layer(kind, norm, causal):
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")
    layer = torch.nn.TransformerEncoderLayer(
        6, 2, 11, dropout=0.0, activation="gelu", batch_first=True, norm_first=norm == "pre", dtype=torch.float64
    )
    with torch.no_grad():
        for parameter in (*layer.norm1.parameters(), *layer.norm2.parameters()):
            parameter.normal_()
    x, hidden = torch.randn(3, 5, 6, dtype=torch.float64), torch.ones(5, 5, dtype=torch.bool).triu(1)
    theirs = layer(x, src_mask=hidden if causal else None).detach()  # in training mode: no fast path
    block = copied(layer, torch)
    if kind == "numpy":
        x, block, theirs = x.numpy(), Block(*(w.numpy() for w in block)), theirs.numpy()
    ours = transformer_block(x, block, n_heads=2, norm=norm, causal=causal)
    np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), atol=1e-12)


def test_an_unknown_norm_is_refused_by_name():
    with pytest.raises(ValueError, match='norm needs "pre" or "post", but it is \'mid\''):
        transformer_block(np.eye(2), None, n_heads=1, norm="mid")
