"""The claims of ``08_order``, worked out again: one function for each, named as in the TOML file."""

import math

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.positions import rotate, sinusoidal_positions
from course_utils.exercises.order.exercises import score_two_places_apart
from course_utils.models.stored import extrapolation
from course_utils.views.order import OrderMap

ACCURACY = extrapolation()["accuracy"]
SWAP = np.eye(4)[[2, 1, 0, 3]]


def _layers(seed):
    """A random sentence of four, and a function that puts it through some layers of random weights."""
    random = np.random.default_rng(seed)
    weights = random.normal(size=(3, 3, 6, 6)) / math.sqrt(6)

    def run(x, count, causal):
        for W_Q, W_K, W_V in weights[:count]:
            x = x + scaled_dot_product_attention(x @ W_Q, x @ W_K, x @ W_V, causal=causal).output
        return x

    return random.normal(size=(4, 6)), run


def last_token():
    told = []
    for count in (1, 2):
        gaps = []
        for seed in range(20):
            x, run = _layers(seed)
            gaps.append(np.abs(run(x, count, True)[-1] - run(SWAP @ x, count, True)[-1]).max())
        assert max(gaps) < 1e-12 or min(gaps) > 1e-3
        told.append(min(gaps) > 1e-3)
    return told


def any_matrices():
    same = []
    for seed in range(20):
        for count in (1, 2, 3):
            x, run = _layers(seed)
            before, after = run(x, count, False), run(SWAP @ x, count, False)
            pairs = (after, SWAP @ before), (after.mean(0), before.mean(0)), (after, before)
            same.append([np.allclose(*pair) for pair in pairs])
    assert len({tuple(row) for row in same}) == 1
    return same[0]


def same_angle():
    table = sinusoidal_positions(200, 6)
    for pair in range(3):
        angles = np.unwrap(np.arctan2(table[:, 2 * pair], table[:, 2 * pair + 1]))
        np.testing.assert_allclose((angles[3:] - angles[:-3]) * 10000 ** (2 * pair / 6), 3)
    return 3


def one_radian():
    turned = rotate(np.array([[1.0, 0.0]]), [1])[0]
    score = rotate(np.array([[1.0, 0.0]]), [5]) @ rotate(np.array([[1.0, 0.0]]), [3]).T
    assert round(score.item(), 3) == score_two_places_apart()
    return [round(math.atan2(turned[1], turned[0]), 12), round(score.item(), 3)]


def only_distance():
    random = np.random.default_rng(0)
    for _ in range(50):
        query, key = random.normal(size=(2, 1, 64))
        i, j, shift = random.integers(0, 5000, size=3)
        here = rotate(query, [i]) @ rotate(key, [j]).T
        there = rotate(query, [i + shift]) @ rotate(key, [j + shift]).T
        np.testing.assert_allclose(here, there, atol=1e-8)
    return True


def no_full_turn():
    turns = 2048 * 10000 ** (-np.arange(0, 64, 2) / 64) / (2 * math.pi)
    return [len(turns), int((turns < 1).sum())]


def fail_at_twice():
    return [64 / 32, all(ACCURACY[kind]["64"][1] < 0.1 for kind in ("learned", "sinusoidal"))]


def rotary_collapses():
    rotary = ACCURACY["rotary"]
    return [64 / 32, rotary["64"][0] > 0.9, 256 / 32, rotary["256"][1] < 0.25]


def clipped_holds():
    longest = learned_rows() - 1
    row = ACCURACY[f"rotary, distances clipped at {longest}"]
    return [longest, all(low > 0.98 for low, _ in row.values())]


def alibi_holds():
    return all(low > 0.98 for low, _ in ACCURACY["ALiBi"].values())


def without_positions():
    none = ACCURACY["none"]
    return [none["32"][0] > 0.8, none["128"][1] < 0.25]


def today_keeps_its_row():
    random = np.random.default_rng(8)  # as in the lesson
    x = random.normal(size=(4, 6))
    W_Q, W_K, _ = random.normal(size=(3, 6, 6)) / math.sqrt(6)
    words = ["dog", "bites", "man", "today"]
    view = OrderMap(x @ W_Q, x @ W_K, words, order=[2, 1, 0, 3], causal=True)
    masked = view.changed()[0]
    view.causal, view.positions = False, True
    return [masked, view.changed()[0]]


def learned_rows():
    training = extrapolation()["card"]["training"]
    return int(training.removeprefix("length ").split(",")[0])
