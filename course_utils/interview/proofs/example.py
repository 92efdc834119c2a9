"""The answers of ``data/questions/example.toml``, worked out: each function raises where one does not hold."""

import inspect
import math

import numpy as np

from course_utils.core.attention import attention_steps
from course_utils.core.attention import scaled_dot_product_attention as attention
from course_utils.core.cost import score_bytes, score_entries
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


def read_the_map():
    """Row "love" and the asymmetry of the worked example; a shuffle moves rows and columns only."""
    words, query, key, value, steps = _steps()
    i, love, learning = (words.index(word) for word in ("I", "love", "learning"))
    weights, scores = steps.weights, steps.scores
    assert weights[love].round(3).tolist() == [0.117, 0.043, 0.317, 0.523]
    assert round(float(weights[:, i].sum()), 3) == 0.318
    assert scores[love, learning] == scores[learning, love] == 3
    assert (scores[love, i], scores[i, love]) == (0, 3)
    assert round(float(weights[learning, love]), 3) == 0.299
    assert (scores[love, love], steps.scaled[love, love]) == (-2, -1)
    assert round(math.exp(-1), 3) == 0.368 and round(float(steps.sums[love, 0]), 3) == 8.568
    order = [2, 0, 3, 1]
    shuffled = attention(query[order], key[order], value[order]).weights
    np.testing.assert_allclose(shuffled, weights[np.ix_(order, order)])
    np.testing.assert_allclose(weights @ np.ones(4), 1)
    return (
        "love gives 0.117, 0.043, 0.317, 0.523; learning gives love 0.299; the score of love on itself is -2"
    )


def three_tokens_by_hand():
    """All weights and outputs; causal, unscaled and swapped."""
    query, key = np.array([[1.0, 0], [0, 1], [1, 1]]), np.array([[1.0, 0], [1, 1], [0, 1]])
    value = np.array([[1.0, 0], [0, 1], [2, 2]])
    steps = attention_steps(query, key, value)
    assert steps.scores.tolist() == [[1, 1, 0], [0, 1, 1], [1, 2, 1]]
    assert sorted(set(steps.scaled.round(3).ravel())) == [0, 0.707, 1.414]
    assert sorted(set(steps.exponentials.round(3).ravel())) == [1, 2.028, 4.113]
    assert steps.sums.round(3).ravel().tolist() == [5.056, 5.056, 8.169]
    rows = [[0.401, 0.401, 0.198], [0.198, 0.401, 0.401], [0.248, 0.503, 0.248]]
    assert steps.weights.round(3).tolist() == rows
    assert steps.output.round(3).tolist() == [[0.797, 0.797], [1, 1.203], [0.745, 1]]
    assert np.abs(np.array(rows) @ value - steps.output).max() < 0.0015
    causal = attention(query, key, value, causal=True)
    assert causal.output[0].tolist() == [1, 0]
    assert causal.weights[1, :2].round(3).tolist() == causal.output[1].round(3).tolist() == [0.330, 0.670]
    np.testing.assert_allclose(causal.output[2], steps.output[2])
    assert np.exp([1, 2]).round(3).tolist() == [2.718, 7.389]
    assert softmax(steps.scores[2]).round(3).tolist() == [0.212, 0.576, 0.212]
    assert attention_steps(key, query, value).scores[0].tolist() == [1, 0, 1]
    assert attention(key, query, value).output[0].round(3).tolist() == [1.203, 1]
    return "outputs (0.797, 0.797), (1.000, 1.203), (0.745, 1.000)"


def attention_with_heads_and_shapes():
    """The lines of the answer on sizes that all differ, against the reference; the size of the scores."""
    B, H, T, S, d_k, d_v = 2, 3, 4, 5, 6, 7
    rng = np.random.default_rng(0)
    sizes = ((B, H, T, d_k), (B, H, S, d_k), (B, H, S, d_v))
    query, key, value = (rng.standard_normal(size, dtype=np.float32) for size in sizes)
    scores = query @ np.swapaxes(key, -1, -2)
    assert scores.shape == (B, H, T, S)
    scores = scores / math.sqrt(query.shape[-1])
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    output = weights @ value
    assert output.shape == (B, H, T, d_v) and output.dtype == np.float32
    assert (scores / np.sqrt(6)).dtype == np.float64
    np.testing.assert_allclose(output, attention(query, key, value).output, atol=1e-6)
    np.testing.assert_allclose(attention(query, key, np.ones_like(value)).output, 1, atol=1e-6)
    assert score_bytes(1024, n_heads=12, batch=8) == 384 * 1024**2
    return "(2, 3, 4, 5) and (2, 3, 4, 7), equal to the reference; 384 MiB of scores at B 8, H 12, n 1024"


def four_tokens_hide():
    """What 4 tokens with d_k = d_v = 4 cannot see, and 5 tokens with d_k 3 and d_v 2 can."""
    _, query, key, value, steps = _steps()
    assert query.shape == key.shape == value.shape == (4, 4)
    off = lambda divisor: np.abs(attention(query, key, value, scale=1 / divisor).output - steps.output).max()
    assert off(math.sqrt(4)) == off(2) == 0
    assert min(off(math.sqrt(8)), off(4)) > 0.1
    assert (query @ key).shape == (query @ key.T).shape and not np.allclose(query @ key, query @ key.T)
    rng = np.random.default_rng(0)
    query, key, value = rng.standard_normal((5, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    right = attention(query, key, value).output
    for divisor in (math.sqrt(5), math.sqrt(2), math.sqrt(6), 2):
        assert np.abs(attention(query, key, value, scale=1 / divisor).output - right).max() > 0.01
    assert _raises(lambda: query @ key)
    x = rng.standard_normal((2, 5, 6))
    np.testing.assert_array_equal(split_heads(x, 1), x.reshape(2, 1, 5, 6))
    assert not np.allclose(split_heads(x, 2), x.reshape(2, 2, 5, 3))
    np.testing.assert_array_equal(softmax(steps.scores[None], axis=0), 1)  # over a batch of 1
    return "with 4 tokens sqrt(n), sqrt(d_v) and 2 are off by 0; with n 5, d_k 3, d_v 2 all of them show"


def attends_to_itself():
    """The diagonal of the worked example, of X Xᵀ, and what hiding it does to a causal map."""
    _, query, key, value, steps = _steps()
    assert steps.weights.diagonal().round(3).tolist() == [0.074, 0.043, 0.270, 0.141]
    assert np.count_nonzero(steps.weights.argmax(axis=1) == np.arange(4)) == 0
    x = worked_example().x
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert (softmax(unit @ unit.T).argmax(axis=1) == np.arange(4)).all()
    others = causal_mask(4) & ~np.eye(4, dtype=bool)
    hidden = attention(query, key, value, mask=others)
    assert not others[0].any() and (hidden.output[0] == 0).all()
    assert hidden.weights[1].tolist() == [1, 0, 0, 0]
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(np.full(4, -np.inf) - np.max(np.full(4, -np.inf)))
    assert np.isnan(exponentials).all()
    return "diagonal 0.074, 0.043, 0.270, 0.141: no row prefers itself; without it causal row 0 is empty"


def order_within_a_row():
    """The printed row breaks the order; the right one, its ratios, and scores back from weights."""
    scores, printed = np.array([0.55, 0.45, 0.2, 0.8]), np.array([0.301, 0.273, 0.131, 0.295])
    assert round(printed.sum(), 3) == 1 and scores.argmax() != printed.argmax()
    right = softmax(scores)
    assert right.round(3).tolist() == [0.257, 0.232, 0.181, 0.330]
    assert (round(math.exp(0.1), 3), round(0.301 / 0.273, 3)) == (1.105, 1.103)
    assert round(0.8 - 0.55, 2) == 0.25 and round(math.exp(0.25), 3) == 1.284
    assert right.argmax() == 3 and printed.argmax() == 0
    assert round(math.log(0.330 / 0.257), 2) == 0.25
    np.testing.assert_allclose(softmax(np.log(right)), right)
    return "right: .257 .232 .181 .330; the largest score, .8, has the largest weight"


def softmax_down_the_columns():
    """Row sums of three slips, read off with values of all 1."""
    _, _, _, _, steps = _steps()
    columns = softmax(steps.scaled, axis=0) @ np.ones(4)
    assert columns.round(3).tolist() == [0.757, 0.731, 1.236, 1.276]
    assert round(float(columns.sum()), 3) == 4
    flat = softmax(np.zeros((4, 4)))
    zeroed = np.where(causal_mask(4), steps.weights, 0).sum(axis=1)
    assert zeroed.round(3).tolist() == [0.074, 0.160, 0.429, 1]
    np.testing.assert_allclose((flat / flat.sum()).sum(axis=1), 0.25)
    np.testing.assert_allclose(softmax(steps.scaled / 9).sum(axis=1), 1)
    return "row sums 0.757, 0.731, 1.236, 1.276; they add up to 4"


def transpose_of_a_batch():
    """.T on three axes: an error, a broadcast, and silent nonsense; swapaxes and einsum agree."""
    x = np.random.default_rng(0).standard_normal((2, 5, 4))
    assert x.T.shape == (4, 5, 2) and _raises(lambda: x @ x.T)
    assert (x[:1, :4] @ x[:1, :4].T).shape == (4, 4, 1)
    cube = np.random.default_rng(1).standard_normal((3, 3, 3))
    right = cube @ np.swapaxes(cube, -1, -2)
    assert (cube @ cube.T).shape == right.shape and not np.allclose(cube @ cube.T, right)
    edited = cube.copy()
    edited[1] += 1
    assert not np.allclose((edited @ edited.T)[0], (cube @ cube.T)[0])
    np.testing.assert_array_equal((edited @ np.swapaxes(edited, -1, -2))[0], right[0])
    np.testing.assert_allclose(np.einsum("bqd,bkd->bqk", cube, cube), right)
    return "(2, 5, 4) raises, (1, 4, 4) gives (4, 4, 1), (3, 3, 3) runs and mixes samples"


def trace_at_real_size():
    """Numbers and bytes of one layer of BERT-base at 512 tokens."""
    n, d_model, heads, MiB = 512, 768, 12, 1024**2
    assert d_model // heads == 64 and n * d_model == 393_216 and 4 * n * d_model == 1.5 * MiB
    assert n * 64 == 32_768 and 4 * n * 64 == 128 * 1024
    assert score_entries(n) == 262_144 and score_bytes(n) == MiB
    assert score_entries(n, n_heads=heads) == 3_145_728 and score_bytes(n, n_heads=heads) == 12 * MiB
    assert (
        heads * n / d_model == 8 and 2 * 12 == 24 and 2 * score_bytes(n, n_heads=heads, batch=32) == 768 * MiB
    )
    assert score_entries(64, n_heads=heads) == 64 * d_model
    assert 4 * 4096 * d_model == 12 * MiB and score_bytes(4096, n_heads=heads) == 768 * MiB
    return "x 1.5 MiB, one head's query 128 KiB, all weights 12 MiB"


def tests_before_training():
    """The catalogue's wrong versions of attention against shape, row sums, and numbers on sizes that all differ."""
    from course_utils.exercises.shared import core as catalogue
    from course_utils.models.stored import bugs

    assert len(bugs()["accuracy"]) == 10 and all(run["copy"] == 1 for run in bugs()["accuracy"].values())

    wrong = {
        name: f
        for name, f in inspect.getmembers(catalogue, inspect.isfunction)
        if f.__module__ == catalogue.__name__ and not name.startswith("_")
    }
    rng = np.random.default_rng(0)
    square = rng.standard_normal((3, 4, 4))
    query, key, value = (rng.standard_normal(size) for size in ((2, 4, 3), (2, 5, 3), (2, 5, 2)))
    right, on_square = attention(query, key, value).output, attention(*square).output

    def output(f, *arrays):
        try:
            return np.asarray(f(*arrays))
        except (ValueError, IndexError):
            return np.zeros(0)

    same = lambda found, right: found.shape == right.shape and np.allclose(found, right)
    shaped = [name for name, f in wrong.items() if output(f, *square).shape == on_square.shape]
    sums = [n for n, f in wrong.items() if same(output(f, *square[:2], np.ones((4, 4))), np.ones((4, 4)))]
    missed_square = [name for name, f in wrong.items() if same(output(f, *square), on_square)]
    missed = [name for name, f in wrong.items() if same(output(f, query, key, value), right)]
    assert len(shaped) > 0.9 * len(wrong) and "divides_by_d_k" in sums
    assert "scales_by_the_number_of_keys" in missed_square and len(missed) < len(missed_square)
    assert set(missed) <= {"exp_overflows", "one_maximum_for_all_rows"}
    return f"{len(wrong)} wrong versions: {len(shaped)} pass by shape, {len(missed)} by numbers on sizes that differ"


def weights_as_explanations():
    """Weight times length of the value, two weight rows with one output, and a cut edge of a trained model."""
    from course_utils.models.stored import pronoun

    words, _, _, value, steps = _steps()
    assert round(0.9 * 0.01, 3) == 0.009 and 0.1 * 5 == 0.5 and 0.009 / (0.009 + 0.5) < 0.02
    i, love = words.index("I"), words.index("love")
    share = steps.weights[love] * np.linalg.norm(value, axis=1)
    assert steps.weights[love, [love, i]].round(3).tolist() == [0.043, 0.117]
    assert share[[love, i]].round(3).tolist() == [0.096, 0.117]
    rng = np.random.default_rng(0)
    weights, values = softmax(rng.standard_normal(6)), rng.standard_normal((6, 3))
    fixed = np.vstack([values.T, np.ones(6)])  # the output and the sum: 4 equations for 6 weights
    free = np.linalg.svd(fixed)[2][np.linalg.matrix_rank(fixed) :]
    assert fixed.shape[0] == 4 and len(free) == 2
    other = weights + 0.5 * weights.min() / np.abs(free[0]).max() * free[0]
    assert (other > 0).all() and not np.allclose(other, weights)
    np.testing.assert_allclose([*(other @ values), other.sum()], [*(weights @ values), 1])
    models, card = pronoun()
    looks = read(one(models, 2), numbers(sentence("animal", "street", "wide"))[None])[0][0, IT, ADJECTIVE]
    assert round(float(looks), 3) == 0.999 and card["accuracy"]["it cut"][2] == 97 / 100
    W_O = np.diag([0.0, 1, 1])
    assert np.linalg.norm(0.9 * np.array([5.0, 0, 0]) @ W_O) == 0
    return "0.9 on a value of 0.01 is under 2 %; 6 tokens, 3 wide: a family of 2 dimensions with one output"
