"""The answers of ``data/questions/masking.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import attention_steps
from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.cost import score_entries
from course_utils.core.masks import causal_mask, combined_mask, document_mask, padding_mask, window_mask
from course_utils.core.scores import softmax, softmax_jacobian
from course_utils.core.tokens import worked_example


def _the_example():
    """The words of the worked example, its scaled scores and its weights without a mask."""
    words, _, x, W_Q, W_K, W_V = worked_example()
    steps = attention_steps(x @ W_Q, x @ W_K, x @ W_V)
    return words, steps.scaled, steps.weights


def _arrays(n, d=4, seed=0):
    return np.random.default_rng(seed).standard_normal((3, n, d))


def _ways(scores, mask):
    """Weights in five ways to hide what the mask does not allow."""
    zeroed = np.where(mask, softmax(scores), 0)
    return {
        "honest": softmax(np.where(mask, scores, -np.inf)),
        "score 0": softmax(np.where(mask, scores, 0)),
        "-10": softmax(np.where(mask, scores, -10)),
        "zeros after": zeroed,
        "renormalised": zeroed / zeroed.sum(axis=-1, keepdims=True),
    }


def _by(way, may_look=causal_mask):
    """An attention function that hides the future in one of these ways."""
    return lambda q, k, v: _ways(q @ k.T / math.sqrt(q.shape[1]), may_look(len(q)))[way] @ v


def _moved(f, t, only_value=False, n=6):
    """The rows of the output that move when token t is edited."""
    x = _arrays(n)
    edited = x.copy()
    edited[2 if only_value else slice(None), t] += 1
    return np.flatnonzero(np.any(f(*edited) != f(*x), axis=1)).tolist()


def _leak(f, n=6, last_only=False, parts=(0, 1, 2)):
    """The largest change of the past when the future is edited."""
    x, worst = _arrays(n), 0.0
    for t in [n - 1] if last_only else range(1, n):
        edited = x.copy()
        edited[list(parts), t:] = _arrays(n, seed=1)[list(parts), t:]
        worst = max(worst, np.abs(f(*edited)[:t] - f(*x)[:t]).max())
    return worst


def _hidden_far_above(gap, dtype):
    """Renormalised weight of the first of two visible scores 0 and 1, a hidden one ``gap`` high."""
    scores = np.array([0, 1, gap], dtype=dtype)
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - scores.max())
        weights = (exponentials / exponentials.sum(dtype=dtype))[:2]
        return float((weights / weights.sum(dtype=dtype))[0])


def allowed_pairs():
    """Pairs of a causal map of 8, and of windows of 1, 3, 4 and 8; how far 4 layers reach."""
    count = lambda mask: int(np.count_nonzero(mask))
    assert (count(causal_mask(8)), count(window_mask(8, 3)), 8 * 8) == (36, 21, 64)
    assert 8 * 9 // 2 == 36 == 64 - 28 and 1 + 2 + 6 * 3 == 24 - 3 == 21
    assert (count(window_mask(8, 8)), count(window_mask(8, 1)), count(window_mask(8, 4))) == (36, 8, 26)
    assert count(causal_mask(8)) - 8 == 28
    assert round(100 * 36 / 64) == 56 and round(100 * 1025 / 2048, 2) == 50.05
    assert np.count_nonzero(np.linalg.matrix_power(window_mask(20, 3).astype(int), 4)[-1]) == 9
    return "36 causal, 21 with a window of 3; 4 layers of it see 9 tokens"


def encoder_or_decoder():
    """Pairs of 11 words; appending a token changes old rows with both sides in view, and none of a causal model."""
    assert (score_entries(11), score_entries(11, causal=True)) == (121, 66)
    x = _arrays(6)[0]
    layer = lambda x, causal: x + attention(x, x, x, causal=causal).output
    for causal in (True, False):
        same = np.allclose(layer(x, causal)[:5], layer(x[:5], causal), atol=1e-12)  # the keys of layer 2
        assert same == causal
    with_mask, without = (attention(x, x, x, causal=causal).output for causal in (True, False))
    np.testing.assert_allclose(with_mask[-1], without[-1])
    assert not np.isclose(with_mask[:-1], without[:-1]).all(axis=1).any()
    return "121 against 66 pairs; only the causal model's old rows stay when a token is appended"


def the_future_hidden():
    """Row machine with and without the mask, what a score of 0 keeps, and a fill of -10."""
    words, scaled, weights = _the_example()
    machine, love = words.index("machine"), words.index("love")
    masked = _ways(scaled, causal_mask(4))["honest"]
    assert weights[machine].round(3).tolist() == [0.060, 0.099, 0.270, 0.571]
    assert masked[machine].round(3).tolist() == [0.140, 0.231, 0.629, 0] and masked[machine, 3] == 0
    np.testing.assert_allclose(
        masked[machine, :3] / masked[machine, 0], weights[machine, :3] / weights[machine, 0]
    )
    assert round(float(_ways(scaled, causal_mask(4))["score 0"][love, 2:].sum()), 3) == 0.594
    assert _ways(scaled, causal_mask(4))["zeros after"].sum(axis=1)[0] < 1
    assert round(math.exp(-10), 6) == 4.5e-5
    low = _ways(np.array([[-30.0, 0.0]]), np.array([[True, False]]))["-10"]
    assert low[0, 1] > 0.99
    return "row machine: 0.140, 0.231, 0.629, 0; a score of 0 would leave 0.594 on hidden words"


def loss_too_good():
    """Which rows move under each fault, and the floor of the loss on random tokens."""
    one_ahead = lambda n: np.tril(np.ones((n, n), dtype=bool), 1)
    reversed_ = lambda n: ~causal_mask(n)
    assert _moved(_by("honest"), 3) == [3, 4, 5]
    assert _moved(_by("honest", one_ahead), 3) == [2, 3, 4, 5]
    everything = lambda n: np.ones((n, n), dtype=bool)
    for f in (_by("honest", everything), _by("score 0"), _by("zeros after")):
        assert _moved(f, 3) == [0, 1, 2, 3, 4, 5]
    assert _moved(_by("zeros after"), 3, only_value=True) == [3, 4, 5]
    assert _moved(_by("honest", everything), 3, only_value=True) == [0, 1, 2, 3, 4, 5]
    assert _moved(_by("score 0"), 3, only_value=True) == [0, 1, 2, 3, 4, 5]
    assert _moved(lambda q, k, v: attention(q, k, v, mask=reversed_(len(q))).output, 3) == [0, 1, 2, 3]
    assert round(math.log(8), 3) == 2.079
    tokens = np.random.default_rng(0).integers(0, 8, (500, 9))
    looks_ahead = 40 * np.eye(9, k=1)  # a head set by hand: each place looks at the next
    losses = []
    for ahead in (0, 1):
        read = _ways(looks_ahead, np.tril(np.ones((9, 9), dtype=bool), ahead))["honest"] @ np.eye(8)[tokens]
        chance = softmax(10 * read[:, :-1])
        losses.append(-np.log(np.take_along_axis(chance, tokens[:, 1:, None], axis=2)).mean())
    assert losses[0] > math.log(8) and losses[1] < 0.01
    return f"edit token 3 of 6: honest moves 3 to 5, one ahead 2 to 5; the leak's loss is {losses[1]:.3f}"


def fill_values():
    """What each fill gives in three number types (torch for what masked_fill does)."""
    import torch

    hide = torch.tensor([False, True])
    assert float(torch.tensor(-1e9).bfloat16()) == -998_244_352
    assert torch.tensor(-1e9).half() == -math.inf and torch.finfo(torch.float16).max == 65_504
    try:
        torch.zeros(2).half().masked_fill(hide, -1e9)
        raise AssertionError("masked_fill with -1e9 ran in float16")
    except RuntimeError:
        pass
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        assert torch.softmax(torch.zeros(2, dtype=dtype).masked_fill(hide, -math.inf), 0)[1] == 0
        assert torch.softmax(torch.ones(2, dtype=dtype).masked_fill(hide, 0), 0)[1] > 0.2
    for dtype in (torch.float32, torch.bfloat16):
        assert torch.softmax(torch.zeros(2, dtype=dtype).masked_fill(hide, -1e9), 0)[1] == 0
    assert torch.softmax(torch.full((2,), -1e9), 0).tolist() == [0.5, 0.5]
    assert torch.softmax(torch.full((2,), -math.inf), 0).isnan().all()
    assert (torch.tensor([0.0, 1.0]) * -math.inf).isnan().tolist() == [True, False]
    both = torch.full((2,), torch.finfo(torch.float32).min)
    row = torch.tensor([0.0, torch.finfo(torch.float32).min]) + both
    assert torch.softmax(row, 0).tolist() == [1, 0] and row[1] == -math.inf
    empty = torch.zeros(1, 1, dtype=torch.bool)
    one = torch.ones(1, 1)
    assert torch.nn.functional.scaled_dot_product_attention(one, one, one, attn_mask=empty).item() == 0
    assert [round(_hidden_far_above(gap, np.float16), 3) for gap in (0, 15)] == [0.269, 0.263]
    assert math.isnan(_hidden_far_above(50, np.float16)) and math.isnan(_hidden_far_above(110, np.float32))
    return "float16: masked_fill with -1e9 raises; bfloat16 holds -998,244,352; an empty row becomes a mean"


def empty_row():
    """NaN by hand, a mean with -1e9, zeros with a guard; how NaN spreads."""
    mask = combined_mask(causal_mask(5), padding_mask([3], 5, side="left"))[0]
    assert np.count_nonzero(~mask.any(axis=1)) == 2
    q, k, v = _arrays(5)
    guarded = attention(q, k, v, mask=mask).output
    assert (guarded[:2] == 0).all() and np.isfinite(guarded).all()
    with np.errstate(invalid="ignore"):
        assert np.isnan(-np.inf - np.float64(-np.inf))
    assert float(softmax(np.full(4, -1e9)) @ [1, 2, 3, 4]) == 2.5
    value = v.copy()
    value[0] = np.nan  # a pad that no real row may look at
    assert np.isnan(attention(q, k, value, mask=mask).output[2:]).all()
    both = attention(
        np.stack([q, q]), np.stack([k, k]), np.stack([v, v]), mask=padding_mask([0, 5], 5)
    ).output
    assert (both[0] == 0).all()
    np.testing.assert_allclose(both[1], attention(q, k, v).output)
    return "2 of 5 rows are empty: zeros when guarded; with -1e9 the values 1 to 4 give 2.5"


def causality_test():
    """The leak test on honest and leaky attention, and what half a test misses."""
    assert _leak(_by("honest")) == 0
    one_row = lambda n: causal_mask(n) | (np.arange(n * n).reshape(n, n) == 1)  # row 0 sees token 1
    for f in (_by("score 0"), _by("zeros after"), _by("honest", one_row)):
        assert _leak(f) > 0.01
    assert _leak(_by("honest", one_row), last_only=True) == 0
    assert _leak(_by("zeros after"), parts=(2,)) == 0
    columns = lambda q, k, v: softmax(np.where(causal_mask(len(q)), q @ k.T, -np.inf), axis=0) @ v
    assert _leak(columns, parts=(1, 2)) == 0 < _leak(columns, parts=(0,))
    assert 0 < _leak(_by("renormalised")) < 1e-12
    assert (np.triu(_ways(_arrays(4)[0], causal_mask(4))["zeros after"], 1) == 0).all()
    assert _leak(lambda q, k, v: v) == 0 and 5 in _moved(_by("honest"), 0)
    return "honest: exactly 0; editing only values, or only the last token, misses a leak each"


def cached_decode_flag():
    """torch's causal flag with 1 query and 5 keys, and what chunks need."""
    import torch

    sdpa = torch.nn.functional.scaled_dot_product_attention
    q, k, _ = (torch.tensor(array) for array in _arrays(5))
    shown = sdpa(q[None, -1:], k[None], torch.eye(5, dtype=q.dtype)[None], is_causal=True)[0, 0]
    assert shown.tolist() == [1, 0, 0, 0, 0]
    q, k, v = _arrays(5)
    full = attention(q, k, v, causal=True).output
    np.testing.assert_allclose(attention(q[-1:], k, v).output, full[-1:])
    square = sdpa(*(torch.tensor(array)[None] for array in (q, k, v)), is_causal=True)[0].numpy()
    np.testing.assert_allclose(square, full)
    np.testing.assert_allclose(attention(q[2:], k, v, causal=True).output, full[2:])
    assert np.count_nonzero(~causal_mask(3, 5)) == 3
    for size in (1, 2, 3):
        cuts = range(0, 5, size)
        parts = [attention(q[i : i + size], k[: i + size], v[: i + size], causal=True).output for i in cuts]
        np.testing.assert_allclose(np.concatenate(parts), full)
    return "1 query on 5 keys: weights 1, 0, 0, 0, 0; a chunk of 3 without a mask would see 3 pairs ahead"


def padding_and_causal():
    """Padded samples against the samples alone; left padding, NaN, OR, and a mask with axes missing."""
    lengths, n = np.array([3, 5]), 5
    pad = np.arange(n) < lengths[:, None]
    mask = causal_mask(n) & pad[:, None, :]
    assert mask.shape == (2, 5, 5) and mask[:, None].shape == (2, 1, 5, 5)
    np.testing.assert_array_equal(mask, combined_mask(causal_mask(n), padding_mask(lengths, n)))
    assert np.count_nonzero(mask, axis=(1, 2)).tolist() == [12, 15]
    q, k, v = np.random.default_rng(0).standard_normal((3, 2, n, 4))
    output, causal_only = attention(q, k, v, mask=mask).output, attention(q, k, v, causal=True).output
    for b, length in enumerate(lengths):
        alone = attention(q[b, :length], k[b, :length], v[b, :length], causal=True).output
        np.testing.assert_allclose(output[b, :length], alone)
        np.testing.assert_allclose(causal_only[b, :length], alone)
    assert not np.allclose(causal_only[0, 3:], output[0, 3:])
    assert mask.any(axis=2).all()
    left = combined_mask(causal_mask(n), padding_mask(lengths, n, side="left"))
    assert np.count_nonzero(~left.any(axis=2), axis=1).tolist() == [2, 0]
    assert (causal_mask(n) | pad[:, None, :])[0, 0, 1]  # with OR row 0 sees token 1
    bad = v.copy()
    bad[0, 4] = np.nan
    assert np.isnan(attention(q, k, bad, mask=mask).output[0, 0]).all()
    assert softmax(np.zeros(4) @ np.zeros((4, 3))).min() > 0.3
    try:
        np.broadcast_shapes(pad.shape, (2, 5, 5))
        raise AssertionError("(2, 5) broadcast")
    except ValueError:
        np.broadcast_shapes((5, 5), (5, 5, 5))  # batch 5 and n 5: no error
    return "lengths 3 and 5: 12 and 15 pairs, real rows equal the samples alone; padded left, 2 empty rows"


def mask_conventions():
    """A keep mask in nn.MultiheadAttention, a hide mask in the fused call, and a float mask of 1 and 0."""
    import torch

    x = torch.tensor(_arrays(3)[:1], dtype=torch.float32)
    keep = torch.tril(torch.ones(3, 3, dtype=torch.bool))
    assert torch.equal(~keep, torch.triu(torch.ones(3, 3, dtype=torch.bool), 1))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    weights = layer(x, x, x, attn_mask=keep)[1][0].detach()
    assert weights[2].isnan().all() and (weights[:2].tril() == 0).all() and (weights[:2].sum(1) > 0.99).all()
    assert (layer(x, x, x, attn_mask=~keep)[1][0].triu(1) == 0).all()
    fused = torch.nn.functional.scaled_dot_product_attention
    shown = fused(x, x, torch.eye(3)[None], attn_mask=~keep)[0]
    assert (shown.tril() == 0).all() and (shown[2] == 0).all() and (shown[:2].sum(1) > 0.99).all()
    added = fused(x, x, x, attn_mask=keep.float())[0].numpy()
    plain = x[0].numpy()
    np.testing.assert_allclose(
        added, attention(plain, plain, plain, bias=keep.float().numpy()).output, atol=1e-6
    )
    assert round(math.e, 3) == 2.718
    return "a keep mask in nn.MultiheadAttention: all weight above the diagonal, the last row NaN"


def every_position_at_once():
    """Each row of a causal pass equals the run on its prefix, through two layers; without the mask it does not."""
    x = _arrays(7)[0]

    def two_layers(x, causal):
        for _ in range(2):
            x = x + attention(x, x, x, causal=causal).output
        return x

    off = lambda causal: max(
        np.abs(two_layers(x[:t], causal) - two_layers(x, causal)[:t]).max() for t in range(1, 7)
    )
    assert off(True) < 1e-12 and off(False) > 0.01
    return "6 prefixes of 7 tokens, 2 layers: equal to the full pass to rounding, but not without the mask"


def masking_after_the_softmax():
    """Renormalised it is the same distribution, until numbers underflow; not renormalised it leaks."""
    _, scaled, _ = _the_example()
    weights = _ways(scaled, causal_mask(4))
    np.testing.assert_allclose(weights["renormalised"], weights["honest"], atol=1e-15)
    assert weights["zeros after"].sum(axis=1).round(3).tolist() == [0.074, 0.160, 0.429, 1]
    assert _leak(_by("zeros after")) > 0.01
    half, single = (
        lambda gap, dtype=dtype: _hidden_far_above(gap, dtype) for dtype in (np.float16, np.float32)
    )
    assert round(half(0), 3) == 0.269 and round(half(15), 3) == 0.263 and half(18) == 0
    assert math.isnan(half(50)) and round(single(88), 3) == 0.269 and math.isnan(single(110))
    q, k, v = _arrays(4)
    weights, mask = softmax(q @ k.T / 2), causal_mask(4)
    no_values = np.stack([weights[i] @ (v * mask[i][:, None]) for i in range(4)])
    np.testing.assert_allclose(no_values, _by("zeros after")(q, k, v))
    assert (softmax_jacobian(weights[0])[0, 1:] < 0).all()
    return (
        "the same to rounding; float16 0.263 at a gap of 15 and NaN at 50; not renormalised: rows from 0.074"
    )


def dropout_on_weights():
    """Row sums under dropout, dropped scores, and the fused call, which has no evaluation mode."""
    import torch

    rng = np.random.default_rng(0)
    weights = softmax(rng.standard_normal((4000, 8)))
    sums = (weights * (rng.random((4000, 8)) >= 0.2) * 1.25).sum(axis=1)
    assert 1 / (1 - 0.2) == 1.25 and round(sums.mean(), 1) == 1 and abs(sums.mean() - 1) < 0.01
    assert abs(sums.std() - 0.24) < 0.01 and sums.min() < 0.7 and sums.max() > 1.2
    assert softmax(np.array([0.0, 0, 3]))[:2].min() > 0
    x = torch.ones(1, 64, 8)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        assert torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5).std() > 0
    return f"row sums: mean {sums.mean():.2f}, standard deviation {sums.std():.2f}"


def packed_documents():
    """Pairs, independence, and each document as if it were alone."""
    mask = causal_mask(5) & document_mask([0, 0, 0, 1, 1])
    assert (np.count_nonzero(mask), np.count_nonzero(causal_mask(5)), 6 + 3) == (9, 15, 9)
    x = _arrays(5)
    edited = x.copy()
    edited[:, :3] += 1
    full = attention(*x, mask=mask).output
    np.testing.assert_array_equal(attention(*edited, mask=mask).output[3:], full[3:])
    np.testing.assert_allclose(attention(*x[:, 3:], causal=True).output, full[3:])
    assert not np.allclose(attention(*edited, causal=True).output[3:], attention(*x, causal=True).output[3:])
    four, one = 4 * score_entries(512, causal=True), score_entries(2048, causal=True)
    assert (four, one) == (525_312, 2_098_176) and round(four / one, 2) == 0.25
    assert mask.diagonal().all()
    return "9 of 15 pairs; four documents of 512: 525,312 pairs instead of 2,098,176"
