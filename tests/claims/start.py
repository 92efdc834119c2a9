"""The claims of ``00_start``, worked out again: one function for each, named as in the TOML file."""

import re
from pathlib import Path

import nbformat
import numpy as np

from course_utils.core.explorer import run, sentence
from course_utils.core.scores import entropy

IT, ADJECTIVE = 7, 10


def layer_1_does_not_move():
    tired, wide = (run(sentence(word))[0][IT] for word in ("tired", "wide"))
    return float(np.abs(tired - wide).max())


def layer_2_finds_the_noun():
    return [sentence(word)[run(sentence(word))[1][IT].argmax()] for word in ("tired", "wide")]


def nearly_flat():
    weights = run(sentence("tired"), sharpness=0.2)[0]
    assert weights.max(1)[IT] > 1.5 * weights.min(1)[IT], "not quite"
    return round(float(entropy(weights).mean() / np.log(11)), 3)


def ties_stay():
    weights = run(sentence("tired"), sharpness=5)[0]
    largest = weights.max(axis=1)
    ties = (np.isclose(weights, largest[:, None])).sum(axis=1) > 1
    because = weights[6]
    assert np.isclose(because[3], because[10]) and ties[6]
    return [int((largest > 0.9).sum()), int(ties.sum())]


def it_cannot_use_tired():
    return [float(weights[IT, ADJECTIVE]) for weights in run(sentence("tired"), causal=True)]


def _same_after_shuffling(causal):
    words, order = sentence("tired"), np.random.default_rng(1).permutation(11)
    plain, shuffled = run(words, causal=causal), run([words[i] for i in order], causal=causal)
    return all(np.allclose(s, p[np.ix_(order, order)]) for s, p in zip(shuffled, plain, strict=True))


def shuffle_keeps_patterns():
    return _same_after_shuffling(causal=False)


def mask_brings_order():
    return _same_after_shuffling(causal=True)


def map_has_a_direction():
    weights = run(sentence("tired"))[0]
    return [round(float(weights[IT, 1]), 3), round(float(weights[1, IT]), 3)]


def eleven_words():
    return len(sentence("tired"))


def _minutes(lessons):
    """What the map in the lesson says, added up."""
    path = Path(__file__).resolve().parents[2] / "notebooks" / "00_start.ipynb"
    cells = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    rows = dict(re.findall(r"^\| \[?(\d\d) [^|]*\| (\d+) \|", cells["next-map"], re.M))
    return sum(int(rows[lesson]) for lesson in lessons)


def half_a_day():
    return _minutes(["00", "01", "03", "04"])


def a_day():
    return _minutes([f"{number:02}" for number in range(7)])


def two_nouns():
    return run(sentence("tired"))[1][IT, [1, 5]].round(3).tolist()
