"""The two-layer model behind the explorer of ``00_start``: one head, weights set by hand, no positions.

Sixteen features stand for what a word is (nine classes), what it is like (living, a place), what it fits and
what it wants. Every number was chosen, not trained, so that each row tells a story: layer 1 lets "it" read
the adjective, layer 2 lets "it" find the noun that the adjective fits.
"""

from typing import NamedTuple

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention

CLASSES = ["determiner", "noun", "negation", "verb", "conjunction", "pronoun", "copula", "degree", "adjective"]
FEATURES = [*CLASSES, "living", "place", "fits living", "fits place", "wants living", "wants place", "spare"]

LEXICON = {
    "the": ["determiner"],
    "animal": ["noun", "living"],
    "street": ["noun", "place"],
    "didn't": ["negation"],
    "cross": ["verb"],
    "because": ["conjunction"],
    "it": ["pronoun"],
    "was": ["copula"],
    "too": ["degree"],
    "tired": ["adjective", "fits living"],
    "wide": ["adjective", "fits place"],
}

# What each kind of query looks for: {feature of the query: {feature of the key: scaled score}}.
LOOKS_FOR_1 = {
    "determiner": {"noun": 2.5},
    "noun": {"determiner": 1, "verb": 2},
    "negation": {"verb": 3},
    "verb": {"noun": 2.5, "negation": 1.5},
    "conjunction": {"verb": 2, "adjective": 2},
    "pronoun": {"noun": 2, "living": 0.25, "adjective": 3},
    "copula": {"pronoun": 2, "adjective": 3},
    "degree": {"adjective": 3.5},
    "adjective": {"pronoun": 2, "degree": 1.5},
    "fits living": {"living": 2.5},
    "fits place": {"place": 2.5},
}
LOOKS_FOR_2 = LOOKS_FOR_1 | {"pronoun": {"noun": 2}, "wants living": {"living": 2.5}, "wants place": {"place": 2.5}}
# What a word passes on: {feature of the value's word: {feature it adds to the reader: amount}}.
PASSES_ON_1 = {"fits living": {"wants living": 2}, "fits place": {"wants place": 2}}
PASSES_ON_2 = {"living": {"living": 1}, "place": {"place": 1}}


class Layer(NamedTuple):
    """One attention layer's matrices, each (16, 16)."""

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray


def sentence(adjective):
    """The eleven words of the example; ``adjective`` is "tired" or "wide"."""
    return ["the", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", adjective]


def embed(words):
    """One row of 16 zeros and ones for each word: (n, 16). Raises KeyError for a word not in LEXICON."""
    x = np.zeros((len(words), len(FEATURES)))
    for row, word in enumerate(words):
        for feature in LEXICON[word]:
            x[row, FEATURES.index(feature)] = 1
    return x


def layers(*, keys_read_meaning=False):
    """The two layers, as a list of ``Layer``.

    ``keys_read_meaning`` makes an adjective that fits a place, "wide", half as strong a key: then layer 1 can tell
    the adjectives apart by their keys, too.
    """
    d_k = len(FEATURES)
    W_K = np.diag([float(feature in [*CLASSES, "living", "place"]) for feature in FEATURES])
    W_K[FEATURES.index("fits place"), FEATURES.index("adjective")] = -0.5 * keys_read_meaning
    # The tables hold scaled scores; attention divides by sqrt(d_k), so W_Q carries it.
    return [
        Layer(_matrix(looks_for) * np.sqrt(d_k), W_K, _matrix(passes_on))
        for looks_for, passes_on in ((LOOKS_FOR_1, PASSES_ON_1), (LOOKS_FOR_2, PASSES_ON_2))
    ]


def run(words, *, causal=False, sharpness=1.0, keys_read_meaning=False):
    """The weights of both layers, as a list of two (n, n) arrays; row i is where word i looks.

    ``sharpness`` multiplies the scaled scores. Each layer adds what it read to its input (a residual).

    >>> first, second = run(sentence("tired"))
    >>> second[7, 1].round(3)  # from "it" to "animal"
    np.float64(0.808)
    """
    chosen = layers(keys_read_meaning=keys_read_meaning)
    return maps_of(embed(words), chosen, causal=causal, sharpness=sharpness)


def maps_of(x, layers, *, masks=None, causal=False, sharpness=1.0):
    """The weights of attention layers with a residual, a list of (..., n, n); x (..., n, d), ``masks`` one a layer."""
    maps = []
    for place, (W_Q, W_K, W_V) in enumerate(layers):
        mask, scale = None if masks is None else masks[place], sharpness / np.sqrt(W_Q.shape[-1])
        step = scaled_dot_product_attention(x @ W_Q, x @ W_K, x @ W_V, mask=mask, causal=causal, scale=scale)
        x = x + step.output
        maps.append(step.weights)
    return maps


def _matrix(table):
    matrix = np.zeros((len(FEATURES), len(FEATURES)))
    for source, targets in table.items():
        for target, amount in targets.items():
            matrix[FEATURES.index(source), FEATURES.index(target)] = amount
    return matrix
