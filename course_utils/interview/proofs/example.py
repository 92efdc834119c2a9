"""The answers of ``data/questions/example.toml``, worked out: each function raises where one does not hold."""

import math

import numpy as np

from course_utils.core.attention import attention_steps
from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.cost import MODELS, score_bytes, score_entries
from course_utils.core.heads import split_heads
from course_utils.core.masks import causal_mask
from course_utils.core.pronoun import ADJECTIVE, IT, numbers, one, read, sentence
from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example


def _steps():
    words, _, x, W_Q, W_K, W_V = worked_example()
    query, key, value = x @ W_Q, x @ W_K, x @ W_V
    return words, query, key, value, attention_steps(query, key, value)


def _raises(f):
    try:
        f()
    except ValueError:
        return True
    return False


def _missed(wrong, *arrays, by=np.allclose):
    """The names of the wrong versions whose output has the right shape, and passes a comparison with the right one."""
    right = attention(*arrays).output
    found = {name: _output(f, *arrays) for name, f in wrong.items()}
    return {name for name, output in found.items() if output.shape == right.shape and by(output, right)}


def _output(f, *arrays):
    try:
        return np.asarray(f(*arrays))
    except (ValueError, IndexError):
        return np.zeros(0)


def read_the_map():
    """Row "love" and the asymmetry of the worked example; a shuffle moves rows and columns only."""
    words, query, key, value, steps = _steps()
    i, love, learning = (words.index(word) for word in ("I", "love", "learning"))
    weights, scores = steps.weights, steps.scores
    order = [2, 0, 3, 1]
    shuffled = attention(query[order], key[order], value[order]).weights
    np.testing.assert_allclose(shuffled, weights[np.ix_(order, order)])
    np.testing.assert_allclose(weights @ np.ones(len(words)), 1)
    assert scores[love, learning] == scores[learning, love]
    return {
        "n": len(words),
        "of_love": weights[love],
        "learning_to_love": weights[learning, love],
        "column_of_I": weights[:, i].sum(),
        "both_score": scores[love, learning],
        "love_scores_I": scores[love, i],
        "I_scores_love": scores[i, love],
        "on_itself": scores[love, love],
        "scaled": steps.scaled[love, love],
        "exponential": steps.exponentials[love, love],
        "sum": steps.sums[love, 0],
    }


def three_tokens_by_hand():
    """All weights and outputs; causal, unscaled and swapped."""
    queries, keys, values = [(1, 0), (0, 1), (1, 1)], [(1, 0), (1, 1), (0, 1)], [(1, 0), (0, 1), (2, 2)]
    query, key, value = (np.array(rows, dtype=float) for rows in (queries, keys, values))
    steps, swapped = attention_steps(query, key, value), attention_steps(key, query, value)
    assert np.abs(steps.weights.round(3) @ value - steps.output).max() < 0.0015
    causal = attention(query, key, value, causal=True)
    np.testing.assert_array_equal(causal.output[0], values[0])
    np.testing.assert_allclose(causal.output[2], steps.output[2])
    whole = lambda rows: [tuple(map(int, row)) for row in rows]
    return {
        "queries": queries,
        "keys": keys,
        "values": values,
        "d_k": query.shape[1],
        "scale": 1 / math.sqrt(query.shape[1]),
        "scores": whole(steps.scores),
        "scaled": np.unique(steps.scaled),
        "exponentials": np.unique(steps.exponentials),
        "sums": steps.sums[:, 0],
        "weights": steps.weights,
        "output": steps.output,
        "least": value.min(),
        "most": value.max(),
        "swapped_scores": whole(swapped.scores),
        "swapped": swapped.output,
        "causal": causal.weights[1],
        "causal_output": causal.output[1],
        "unscaled_exponentials": np.exp(steps.scores[2]),
        "unscaled": softmax(steps.scores[2]),
    }


def attention_with_heads_and_shapes():
    """The lines of the answer on sizes that all differ, against the reference; the size of the scores."""
    B, H, T, S, d_k, d_v = sizes = (2, 3, 4, 5, 6, 7)
    rng = np.random.default_rng(0)
    shapes = ((B, H, T, d_k), (B, H, S, d_k), (B, H, S, d_v))
    query, key, value = (rng.standard_normal(shape, dtype=np.float32) for shape in shapes)
    scores = query @ np.swapaxes(key, -1, -2)
    assert scores.shape == (B, H, T, S)
    scores = scores / math.sqrt(query.shape[-1])
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    output = weights @ value
    assert output.shape == (B, H, T, d_v) and output.dtype == np.float32
    assert (scores / np.sqrt(d_k)).dtype == np.float64
    np.testing.assert_allclose(output, attention(query, key, value).output, atol=1e-6)
    np.testing.assert_allclose(attention(query, key, np.ones_like(value)).output, 1, atol=1e-6)
    batch, heads, n = 8, 12, 1024
    return {
        "sizes": sizes,
        "batch": batch,
        "heads": heads,
        "n": n,
        "bytes_each": scores.itemsize,
        "MiB": score_bytes(n, n_heads=heads, batch=batch) / 1024**2,
    }


def four_tokens_hide():
    """What 4 tokens with d_k = d_v = 4 cannot see, and 5 tokens with d_k 3 and d_v 2 can."""
    _, query, key, value, steps = _steps()
    d_model, (n, d_k), d_v = len(worked_example().features), query.shape, value.shape[1]
    off = lambda divisor: np.abs(attention(query, key, value, scale=1 / divisor).output - steps.output).max()
    assert n == d_k == d_v and off(math.sqrt(n)) == off(2) == 0 and min(off(math.sqrt(d_model)), off(d_k)) > 0.1
    assert (query @ key).shape == (query @ key.T).shape and not np.allclose(query @ key, query @ key.T)
    rng = np.random.default_rng(0)
    sizes = (5, 6, 3, 2)
    other_n, other_d_model, other_d_k, other_d_v = sizes
    query, key = rng.standard_normal((2, other_n, other_d_k))
    value = rng.standard_normal((other_n, other_d_v))
    right = attention(query, key, value).output
    for divisor in (math.sqrt(other_n), math.sqrt(other_d_v), math.sqrt(other_d_model), 2):
        assert np.abs(attention(query, key, value, scale=1 / divisor).output - right).max() > 0.01
    assert _raises(lambda: query @ key)
    x = rng.standard_normal((2, 5, 6))
    np.testing.assert_array_equal(split_heads(x, 1), x.reshape(2, 1, 5, 6))
    assert not np.allclose(split_heads(x, 2), x.reshape(2, 2, 5, 3))
    np.testing.assert_array_equal(softmax(steps.scores[None], axis=0), 1)  # over a batch of 1
    return {"n": n, "d_model": d_model, "d_k": d_k, "root": math.sqrt(n), "sizes": sizes, "samples": len(x)}


def attends_to_itself():
    """The diagonal of the worked example, of X Xᵀ, and what hiding it does to a causal map."""
    words, query, key, value, steps = _steps()
    n, x = len(words), worked_example().x
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert (softmax(unit @ unit.T).argmax(axis=1) == np.arange(n)).all()
    others = causal_mask(n) & ~np.eye(n, dtype=bool)
    hidden = attention(query, key, value, mask=others)
    assert not others[0].any() and (hidden.output[0] == 0).all() and hidden.weights[1].argmax() == 0
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.exp(np.full(n, -np.inf) - -np.inf)).all()
    return {
        "n": n,
        "diagonal": steps.weights.diagonal(),
        "prefer_themselves": np.count_nonzero(steps.weights.argmax(axis=1) == np.arange(n)),
        "of_the_other": hidden.weights[1, 0],
    }


def order_within_a_row():
    """The printed row breaks the order; the right one, its ratios, and scores back from weights.

    The example prints numbers with a bare point: scores, weights and gaps come as the digits behind it.
    """
    scores, printed = [55, 45, 2, 8], [301, 273, 131, 295]
    given = np.array([float(f".{digits}") for digits in scores])
    right = softmax(given)
    assert sum(printed) == 1000 and np.argmax(printed) == 0 and right.argmax() == 3
    np.testing.assert_allclose(softmax(np.log(right)), right)
    gap, to_the_last = given[0] - given[1], given[3] - given[0]
    return {
        "scores": scores,
        "printed": printed,
        "right": 1000 * right,
        "gap": 10 * gap,
        "ratio": math.exp(gap),
        "printed_ratio": printed[0] / printed[1],
        "to_the_last": 100 * to_the_last,
        "ratio_to_the_last": math.exp(to_the_last),
        "from_weights": math.log(right[3].round(3) / right[0].round(3)),
    }


def softmax_down_the_columns():
    """Row sums of three slips, read off with values of all 1."""
    words, _, _, _, steps = _steps()
    n = len(words)
    columns = softmax(steps.scaled, axis=0) @ np.ones(n)
    flat = softmax(np.zeros((n, n)))
    np.testing.assert_allclose((flat / flat.sum()).sum(axis=1), 1 / n)
    np.testing.assert_allclose(softmax(steps.scaled / 9).sum(axis=1), 1)
    return {
        "n": n,
        "sums": columns,
        "total": columns.sum(),
        "zeroed": np.where(causal_mask(n), steps.weights, 0).sum(axis=1),
        "one_sum_for_all": 1 / n,
    }


def transpose_of_a_batch():
    """.T on three axes: an error, a broadcast, and silent nonsense; swapaxes and einsum agree."""
    x, cube = (np.random.default_rng(0).standard_normal(shape) for shape in ((2, 5, 4), (3, 3, 3)))
    single = x[:1, :4]
    assert _raises(lambda: x @ x.T)
    right = cube @ np.swapaxes(cube, -1, -2)
    assert (cube @ cube.T).shape == right.shape and not np.allclose(cube @ cube.T, right)
    edited = cube.copy()
    edited[1] += 1
    assert not np.allclose((edited @ edited.T)[0], (cube @ cube.T)[0])
    np.testing.assert_array_equal((edited @ np.swapaxes(edited, -1, -2))[0], right[0])
    np.testing.assert_allclose(np.einsum("bqd,bkd->bqk", cube, cube), right)
    return {
        "batch": x.shape,
        "reversed": x.T.shape,
        "single": single.shape,
        "single_reversed": single.T.shape,
        "broadcast": (single @ single.T).shape,
        "cube": cube.shape,
        "cube_reversed": cube.T.shape,
    }


def trace_at_real_size():
    """Numbers and bytes of one layer of BERT-base at 512 tokens."""
    bert, MiB = MODELS["BERT-base"], 1024**2
    n, d_model, heads, width = bert.context, bert.d_model, bert.n_heads, bert.d_model // bert.n_heads
    of_x, weights, longer = 4 * n * d_model, score_bytes(n, n_heads=heads), 8 * n
    assert weights / of_x == heads * n / d_model == 8 and heads == 12
    assert score_entries(width, n_heads=heads) == width * d_model
    return {
        "n": n,
        "d_model": d_model,
        "heads": heads,
        "layers": bert.layers,
        "width": width,
        "x": n * d_model,
        "x_MiB": of_x / MiB,
        "query": n * width,
        "query_KiB": 4 * n * width / 1024,
        "of_a_head": score_entries(n),
        "of_a_head_MiB": score_bytes(n) / MiB,
        "weights": score_entries(n, n_heads=heads),
        "millions": score_entries(n, n_heads=heads) / 1e6,
        "weights_MiB": weights / MiB,
        "both_MiB": 2 * weights / MiB,
        "batch_MiB": 2 * score_bytes(n, n_heads=heads, batch=32) / MiB,
        "longer": longer,
        "x_times": longer / n,
        "weights_times": score_bytes(longer, n_heads=heads) / weights,
        "longer_x_MiB": 4 * longer * d_model / MiB,
        "longer_weights_MiB": score_bytes(longer, n_heads=heads) / MiB,
    }


def tests_before_training():
    """The catalogue's wrong versions of attention against shape, row sums, and numbers on sizes that all differ."""
    from course_utils.exercises.example.exercises import IN_ATTENTION
    from course_utils.models.stored import bugs

    copied = [run["copy"] for run in bugs()["accuracy"].values()]
    assert len(copied) == 10
    wrong = {slip.name.partition("/")[2]: slip.run for slip in IN_ATTENTION}
    rng = np.random.default_rng(0)
    square = rng.standard_normal((3, 4, 4))
    query, key, value = (rng.standard_normal(size) for size in ((2, 4, 3), (2, 5, 3), (2, 5, 2)))

    missed, missed_on_square = _missed(wrong, query, key, value), _missed(wrong, *square)
    assert len(_missed(wrong, *square, by=lambda *_: True)) > 0.9 * len(wrong)
    assert "divides_by_d_k" in _missed(wrong, *square[:2], np.ones((4, 4)))
    assert "scales_by_the_number_of_keys" in missed_on_square and len(missed) < len(missed_on_square)
    assert missed <= {"exp_overflows", "one_maximum_for_all_rows"}
    return {
        "batch": len(query),
        "n_q": query.shape[1],
        "n_k": key.shape[1],
        "d_k": key.shape[2],
        "d_v": value.shape[2],
        "square": square.shape[2],
        "copied": 100 * min(copied),
    }


def weights_as_explanations():
    """Weight times length of the value, two weight rows with one output, and a cut edge of a trained model."""
    from course_utils.models.stored import pronoun

    two, lengths = [0.9, 0.1], [0.01, 5]
    products = np.multiply(two, lengths)
    assert products[0] / products.sum() < 0.02
    words, _, _, value, steps = _steps()
    i, love = words.index("I"), words.index("love")
    share = steps.weights[love] * np.linalg.norm(value, axis=1)
    rng = np.random.default_rng(0)
    weights, values = softmax(rng.standard_normal(6)), rng.standard_normal((6, 3))
    fixed = np.vstack([values.T, np.ones(len(values))])  # the output and the sum
    free = np.linalg.svd(fixed)[2][np.linalg.matrix_rank(fixed) :]
    assert len(free) == 2
    other = weights + 0.5 * weights.min() / np.abs(free[0]).max() * free[0]
    assert (other > 0).all() and not np.allclose(other, weights)
    np.testing.assert_allclose([*(other @ values), other.sum()], [*(weights @ values), 1])
    models, card = pronoun()
    looks = read(one(models, 2), numbers(sentence("animal", "street", "wide"))[None])[0][0, IT, ADJECTIVE]
    W_O = np.diag([0.0, 1, 1])
    assert np.linalg.norm(0.9 * np.array([5.0, 0, 0]) @ W_O) == 0
    return {
        "two": two,
        "lengths": lengths,
        "products": products,
        "on_itself": steps.weights[love, love],
        "on_I": steps.weights[love, i],
        "on_itself_times_length": share[love],
        "on_I_times_length": share[i],
        "tokens": len(values),
        "wide": values.shape[1],
        "fixed": len(fixed),
        "looks": float(looks),
        "right_when_cut": 100 * card["accuracy"]["it cut"][2],
    }
