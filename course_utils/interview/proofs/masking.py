"""The answers of ``data/questions/masking.toml``, worked out: each function raises where one does not hold."""

import math
from importlib.util import find_spec

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
    """Weights in four ways to hide what the mask does not allow."""
    zeroed = np.where(mask, softmax(scores), 0)
    return {
        "honest": softmax(np.where(mask, scores, -np.inf)),
        "score 0": softmax(np.where(mask, scores, 0)),
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
    """Pairs of a causal map and of windows; how far the layers of a window reach."""
    n, width, layers = 8, 3, 4
    count = lambda mask: int(np.count_nonzero(mask))
    causal, window, corner = score_entries(n, causal=True), count(window_mask(n, width)), width * (width - 1) // 2
    assert count(causal_mask(n)) == count(window_mask(n, n)) == causal == n * (n + 1) // 2
    full_rows = count(window_mask(n, width).sum(axis=1) == width)
    assert window == n * width - corner == 1 + 2 + full_rows * width
    share = lambda n: 100 * score_entries(n, causal=True) / score_entries(n)
    return {
        "n": n,
        "next": n + 1,
        "width": width,
        "layers": layers,
        "causal": causal,
        "all": score_entries(n),
        "future": score_entries(n) - causal,
        "window": window,
        "full_rows": full_rows,
        "full": full_rows * width,
        "rectangle": n * width,
        "corner": corner,
        "diagonal": count(window_mask(n, 1)),
        "no_diagonal": causal - n,
        "slip": count(window_mask(n, width + 1)),
        "share": share(n),
        "share_long": share(1024),
        "sees": count(np.linalg.matrix_power(window_mask(20, width).astype(int), layers)[-1]),
    }


def encoder_or_decoder():
    """Pairs of 11 words; appending a token changes old rows with both sides in view, and none of a causal model."""
    n, x = 11, _arrays(6)[0]
    layer = lambda x, causal: x + attention(x, x, x, causal=causal).output
    for causal in (True, False):
        same = np.allclose(layer(x, causal)[:5], layer(x[:5], causal), atol=1e-12)  # the keys of layer 2
        assert same == causal
    with_mask, without = (layer(x, causal) for causal in (True, False))
    np.testing.assert_allclose(with_mask[-1], without[-1])
    assert not np.isclose(with_mask[:-1], without[:-1]).all(axis=1).any()
    return {"encoder": score_entries(n), "decoder": score_entries(n, causal=True)}


def the_future_hidden():
    """Row machine with and without the mask, what a score of 0 keeps, and a fill of -10."""
    words, scaled, weights = _the_example()
    ways, row, fill = _ways(scaled, causal_mask(4)), words.index("machine"), -10.0
    plain, masked = weights[row], ways["honest"][row]
    np.testing.assert_allclose(masked[:3] / masked[0], plain[:3] / plain[0])
    assert masked[3] == 0 and ways["zeros after"].sum(axis=1)[0] < 1
    below = softmax(np.array([3 * fill, fill]))  # a visible score of -30, and a hidden one
    assert below[1] > 0.99
    return {
        "plain": plain,
        "masked": masked,
        "kept": ways["score 0"][words.index("love"), 2:].sum(),
        "fill": fill,
        "little": math.exp(fill),
    }


def loss_too_good():
    """Which rows move under each fault, and the floor of the loss on random tokens."""
    n, edited, symbols = 6, 3, 8
    everything = lambda n: np.ones((n, n), dtype=bool)
    faults = {
        "honest": _by("honest"),
        "ahead": _by("honest", lambda n: np.tril(everything(n), 1)),
        "zeros": _by("zeros after"),
        "none": _by("honest", everything),
        "score 0": _by("score 0"),
        "reversed": lambda q, k, v: attention(q, k, v, mask=~causal_mask(len(q))).output,
    }
    rows = {name: _moved(f, edited, n=n) for name, f in faults.items()}
    by_value = {name: _moved(f, edited, only_value=True, n=n) for name, f in faults.items()}
    assert rows["zeros"] == rows["none"] == rows["score 0"] == by_value["none"] == by_value["score 0"] == list(range(n))
    assert by_value["zeros"] == rows["honest"]
    tokens = np.random.default_rng(0).integers(0, symbols, (500, 9))
    looks_ahead = 40 * np.eye(9, k=1)  # a head set by hand: each place looks at the next
    losses = []
    for ahead in (0, 1):
        read = _ways(looks_ahead, np.tril(everything(9), ahead))["honest"] @ np.eye(symbols)[tokens]
        chance = softmax(10 * read[:, :-1])
        losses.append(-np.log(np.take_along_axis(chance, tokens[:, 1:, None], axis=2)).mean())
    assert losses[0] > math.log(symbols) and losses[1] < 0.01
    return {
        "edited": rows["honest"][0],
        "honest": rows["honest"],
        "ahead": (rows["ahead"][0], rows["ahead"][-1]),
        "reversed": (rows["reversed"][0], rows["reversed"][-1]),
        "still": [row for row in range(n) if row not in rows["reversed"]],
        "symbols": symbols,
        "floor": math.log(symbols),
    }


def fill_values():
    """What each fill gives in three number types; torch confirms what its functions do."""
    fill, gaps, largest = np.float32(-1e9), (15, 50, 110), float(np.finfo(np.float16).max)
    stored = np.uint32((int(fill.view(np.uint32)) + 2**15) >> 16 << 16).view(np.float32)  # rounded to bfloat16
    for low in (fill, stored, -np.inf):
        assert softmax(np.array([0, low]))[1] == 0 and softmax(np.array([1.0, 0]))[1] > 0.2
    assert softmax(np.full(2, fill)).tolist() == [0.5, 0.5] and -fill > largest
    with np.errstate(all="ignore"):
        assert fill.astype(np.float16) == -np.inf and np.isnan(0 * fill.astype(np.float16))
        lowest = np.finfo(np.float32).min
        row = np.array([0, lowest], dtype=np.float32) + lowest  # two masks: one hides the first key, both the second
        assert softmax(row).tolist() == [1, 0] and row[1] == -np.inf
    assert math.isnan(_hidden_far_above(gaps[1], np.float16)) and math.isnan(_hidden_far_above(gaps[2], np.float32))
    if find_spec("torch"):
        import torch

        assert float(torch.tensor(-1e9).bfloat16()) == stored
        try:
            torch.zeros(2).half().masked_fill(torch.tensor([False, True]), -1e9)
            raise AssertionError("masked_fill with -1e9 ran in float16")
        except RuntimeError:
            pass
        assert torch.softmax(torch.full((2,), -math.inf), 0).isnan().all()
        one, empty = torch.ones(1, 1), torch.zeros(1, 1, dtype=torch.bool)
        assert torch.nn.functional.scaled_dot_product_attention(one, one, one, attn_mask=empty).item() == 0
    return {
        "largest": largest,
        "stored": float(stored),
        "gaps": gaps,
        "right": _hidden_far_above(0, np.float16),
        "wrong": _hidden_far_above(gaps[0], np.float16),
    }


def empty_row():
    """NaN by hand, a mean with -1e9, zeros with a guard; how NaN spreads."""
    pad, values = padding_mask([3], 5, side="left"), [1, 2, 3, 4]
    mask = combined_mask(causal_mask(5), pad)[0]
    assert np.count_nonzero(~mask.any(axis=1)) == 2
    q, k, v = _arrays(5)
    guarded = attention(q, k, v, mask=mask).output
    assert (guarded[:2] == 0).all() and np.isfinite(guarded).all()
    nothing = np.full(4, -np.inf)
    with np.errstate(invalid="ignore"):
        assert np.isnan(nothing - nothing.max()).all()
    v_bad = v.copy()
    v_bad[0] = np.nan  # a pad that no real row may look at
    assert np.isnan(attention(q, k, v_bad, mask=mask).output[2:]).all()
    both = attention(np.stack([q, q]), np.stack([k, k]), np.stack([v, v]), mask=padding_mask([0, 5], 5)).output
    assert (both[0] == 0).all()
    np.testing.assert_allclose(both[1], attention(q, k, v).output)
    return {"real": int(pad.sum()), "n": pad.size, "values": values, "mean": softmax(np.full(4, -1e9)) @ values}


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


def cached_decode_flag():
    """A triangle from the top left with 1 query and 5 keys, and what chunks need."""
    n, sizes = 5, (1, 2, 3)
    q, k, v = _arrays(n)
    full = attention(q, k, v, causal=True).output
    top_left = attention(q[-1:], k, v, mask=np.tri(1, n, dtype=bool))
    np.testing.assert_allclose(attention(q[-1:], k, v).output, full[-1:])
    np.testing.assert_allclose(attention(q, k, v, mask=np.tri(n, dtype=bool)).output, full)
    for size in sizes:
        cuts = range(0, n, size)
        parts = [attention(q[i : i + size], k[: i + size], v[: i + size], causal=True).output for i in cuts]
        np.testing.assert_allclose(np.concatenate(parts), full)
    if find_spec("torch"):
        import torch

        sdpa = torch.nn.functional.scaled_dot_product_attention
        for query, expected in ((q[-1:], top_left.output), (q, full)):
            given = (torch.tensor(array)[None] for array in (query, k, v))
            np.testing.assert_allclose(sdpa(*given, is_causal=True)[0].numpy(), expected)
    return {
        "n": len(k),
        "shown": top_left.weights[0],
        "chunk": sizes[-1],
        "ahead": int(np.count_nonzero(~causal_mask(sizes[-1], n))),
        "sizes": sizes,
    }


def padding_and_causal():
    """Padded samples against the samples alone; left padding, NaN, OR, and a mask with axes missing."""
    lengths, n = np.array([3, 5]), 5
    pad = np.arange(n) < lengths[:, None]
    mask = causal_mask(n) & pad[:, None, :]
    assert mask.shape == (2, n, n) and mask[:, None].shape == (2, 1, n, n)
    np.testing.assert_array_equal(mask, combined_mask(causal_mask(n), padding_mask(lengths, n)))
    q, k, v = np.random.default_rng(0).standard_normal((3, 2, n, 4))
    output, causal_only = attention(q, k, v, mask=mask).output, attention(q, k, v, causal=True).output
    for b, length in enumerate(lengths):
        alone = attention(q[b, :length], k[b, :length], v[b, :length], causal=True).output
        np.testing.assert_allclose(output[b, :length], alone)
        np.testing.assert_allclose(causal_only[b, :length], alone)
    assert not np.allclose(causal_only[0, 3:], output[0, 3:])
    left = combined_mask(causal_mask(n), padding_mask(lengths, n, side="left"))
    assert mask.any(axis=2).all() and np.count_nonzero(~left.any(axis=2), axis=1).tolist() == [2, 0]
    assert (causal_mask(n) | pad[:, None, :])[0, 0, 1]  # with OR row 0 sees token 1
    bad = v.copy()
    bad[0, 4] = np.nan
    assert np.isnan(attention(q, k, bad, mask=mask).output[0, 0]).all()
    assert attention(q, 0 * k, v).weights.min() > 0.19  # keys of zeros take their share
    try:
        np.broadcast_shapes(pad.shape, mask.shape)
        raise AssertionError(f"{pad.shape} broadcast")
    except ValueError:
        np.broadcast_shapes((n, n), (n, n, n))  # batch 5 and n 5: no error
    return {"lengths": lengths, "batch": len(lengths), "n": pad.shape[1], "pairs": mask.sum(axis=(1, 2))}


def mask_conventions():
    """A hide mask read as a keep mask, a float mask of 1 and 0; torch confirms which call reads which."""
    n, x = 3, _arrays(3)[0]
    keep = causal_mask(n)
    assert np.array_equal(~keep, np.triu(np.ones((n, n), dtype=bool), 1))
    shown = attention(x, x, x, mask=~keep)
    sees = [np.flatnonzero(row) for row in shown.weights]
    assert not sees[2].size and (shown.output[2] == 0).all() and (shown.weights[:2].sum(axis=1) > 0.99).all()
    added, hidden = softmax(np.array([1.0, 0.0]))  # of two equal scores
    if find_spec("torch"):
        import torch

        tensor, torch_keep = torch.tensor(x)[None], torch.tensor(keep)
        fused = lambda mask: torch.nn.functional.scaled_dot_product_attention(*[tensor] * 3, attn_mask=mask)[0].numpy()
        np.testing.assert_allclose(fused(~torch_keep), shown.output)
        np.testing.assert_allclose(fused(torch_keep.double()), attention(x, x, x, bias=keep.astype(float)).output)
        layer = torch.nn.MultiheadAttention(4, 1, batch_first=True, dtype=tensor.dtype)
        weights = layer(*[tensor] * 3, attn_mask=torch_keep)[1][0].detach()
        assert weights[2].isnan().all() and (weights[:2].tril() == 0).all()
        assert (layer(*[tensor] * 3, attn_mask=~torch_keep)[1][0].triu(1) == 0).all()
    return {"first": sees[0], "second": sees[1], "times": added / hidden}


def every_position_at_once():
    """Each row of a causal pass equals the run on its prefix, through two layers; without the mask it does not."""
    x = _arrays(7)[0]
    layer = lambda x, causal: x + attention(x, x, x, causal=causal).output
    two_layers = lambda x, causal: layer(layer(x, causal), causal)
    gap = lambda t, causal: np.abs(two_layers(x[:t], causal) - two_layers(x, causal)[:t]).max()
    off = lambda causal: max(gap(t, causal) for t in range(1, len(x)))
    assert off(True) < 1e-12 and off(False) > 0.01


def masking_after_the_softmax():
    """Renormalised it is the same distribution, until numbers underflow; not renormalised it leaks."""
    _, scaled, _ = _the_example()
    ways = _ways(scaled, causal_mask(4))
    np.testing.assert_allclose(ways["renormalised"], ways["honest"], atol=1e-15)
    assert _leak(_by("zeros after")) > 0.01
    half, single = (lambda gap, dtype=dtype: _hidden_far_above(gap, dtype) for dtype in (np.float16, np.float32))
    gaps, gaps_single = (15, 18, 50), (88, 110)
    assert half(gaps[1]) == 0 and math.isnan(half(gaps[2])) and math.isnan(single(gaps_single[1]))
    right, wrong = half(0), half(gaps[0])
    assert abs(single(gaps_single[0]) - right) < 0.001 < right - wrong
    q, k, v = _arrays(4)
    weights, mask = softmax(q @ k.T / 2), causal_mask(4)
    no_values = np.stack([weights[i] @ (v * mask[i][:, None]) for i in range(4)])
    np.testing.assert_allclose(no_values, _by("zeros after")(q, k, v))
    assert (softmax_jacobian(weights[0])[0, 1:] < 0).all()
    sums = ways["zeros after"].sum(axis=1)
    return {"sums": sums, "gaps": gaps, "gaps_single": gaps_single, "right": right, "wrong": wrong}


def dropout_on_weights():
    """Row sums under dropout, dropped scores, and the fused call, which has no evaluation mode."""
    p, rows, keys = 0.2, 4000, 8
    rng, factor = np.random.default_rng(0), 1 / (1 - p)
    sums = (softmax(rng.standard_normal((rows, keys))) * (rng.random((rows, keys)) >= p) * factor).sum(axis=1)
    assert sums.min() < 0.7 and sums.max() > 1.2
    assert softmax(np.array([0.0, 0, 3]))[:2].min() > 0
    if find_spec("torch"):
        import torch

        x = torch.ones(1, 64, 8)
        assert torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.5).std() > 0
    return {"rows": len(sums), "factor": factor, "mean": sums.mean(), "spread": sums.std()}


def packed_documents():
    """Pairs, independence, and each document as if it were alone."""
    lengths, x = (3, 2), _arrays(5)
    mask = causal_mask(5) & document_mask(np.repeat([0, 1], lengths))
    each = [score_entries(n, causal=True) for n in lengths]
    assert np.count_nonzero(mask) == sum(each) and mask.diagonal().all()
    edited = x.copy()
    edited[:, :3] += 1
    full = attention(*x, mask=mask).output
    np.testing.assert_array_equal(attention(*edited, mask=mask).output[3:], full[3:])
    np.testing.assert_allclose(attention(*x[:, 3:], causal=True).output, full[3:])
    assert not np.allclose(attention(*edited, causal=True).output[3:], attention(*x, causal=True).output[3:])
    size = 512
    four, one = 4 * score_entries(size, causal=True), score_entries(4 * size, causal=True)
    assert abs(four / one - 1 / 4) < 0.001
    return {
        "lengths": lengths,
        "each": each,
        "packed": sum(each),
        "plain": score_entries(5, causal=True),
        "whole": 4 * size,
        "four": four,
        "one": one,
    }
