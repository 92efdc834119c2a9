"""The pronoun task of lesson 09: which noun does "it" mean? Sentences in minimal pairs, and the model that reads them.

"the animal didn't cross the street because it was too tired / wide": only the last word decides. Each sentence
comes with its twin, so that nothing but the adjective can help, not even which nouns were right more often.
"""

from typing import NamedTuple

import numpy as np
from array_api_compat import array_namespace

from course_utils.core.explorer import Layer, maps_of

LIVING = "animal dog cat horse child woman farmer tourist bird goat".split()
PLACES = "street road river bridge field square valley tunnel path lake".split()
FITS_LIVING = "tired hungry scared sick sleepy nervous lazy old".split()
FITS_PLACE = "wide deep muddy long narrow icy crowded steep".split()
VERBS = "cross leave enter reach".split()
WORDS = ["the", "didn't", "because", "it", "was", "too", *VERBS, *LIVING, *PLACES, *FITS_LIVING, *FITS_PLACE]
LENGTH, NOUNS, IT, ADJECTIVE = 11, (1, 5), 7, 10  # places in the sentence


class Pairs(NamedTuple):
    """Sentences: ``words`` (n, 11), numbers of WORDS; ``referent`` (n,), the place of the noun that "it" means.

    Rows 2i and 2i + 1 are twins: they differ in the adjective and in the referent only.
    """

    words: np.ndarray
    referent: np.ndarray


class Weights(NamedTuple):
    """A model of attention layers with a residual, one head, no positions; further axes in front are further models.

    ``embedding`` (..., words, d); W_Q, W_K and W_V (..., layers, d, d).
    """

    embedding: object
    W_Q: object
    W_K: object
    W_V: object


def sentence(first, second, adjective, verb="cross"):
    """The eleven words."""
    return ["the", first, "didn't", verb, "the", second, "because", "it", "was", "too", adjective]


def numbers(words):
    """Each word's number, (n,). Raises KeyError for a word that is not in WORDS."""
    places = {word: number for number, word in enumerate(WORDS)}
    return np.array([places[word] for word in words])


def pairs(count=500, *, held_out=False, seed=0):
    """``count`` minimal pairs: ``Pairs`` with 2 * count rows.

    The pairs held out have nouns and adjectives in combinations that the others never show; "animal" with
    "street" and "tired" with "wide" are among those held out.
    """
    random = np.random.default_rng(seed)
    nouns = _split([(a, b) for a in LIVING for b in PLACES], ("animal", "street"), held_out)
    adjectives = _split([(f, p) for f in FITS_LIVING for p in FITS_PLACE], ("tired", "wide"), held_out)
    words, referent = [], []
    for _ in range(count):
        living, place = nouns[random.integers(len(nouns))]
        verb, turned = VERBS[random.integers(len(VERBS))], random.integers(2)
        first, second = (place, living) if turned else (living, place)
        for adjective, meant in zip(adjectives[random.integers(len(adjectives))], (living, place), strict=True):
            words.append(numbers(sentence(first, second, adjective, verb)))
            referent.append(NOUNS[0] if meant == first else NOUNS[1])
    return Pairs(np.array(words), np.array(referent))


def one(weights, place):
    """The weights of one of several models."""
    return Weights(*(array[place] for array in weights))


def read(weights, words, *, mask=None, causal=False):
    """The weights of every layer, as a list of (..., n, 11, 11): row i is where word i looks.

    words (n, 11). ``mask`` is boolean, (layers, 11, 11), True = may look: see ``cut``.
    """
    return maps_of(weights.embedding[..., words, :], layers_of(weights), masks=mask, causal=causal)


def layers_of(weights):
    """The layers of ``weights``, as ``maps_of`` takes them."""
    number = weights.W_Q.shape[-3]
    return [Layer(*(w[..., layer, :, :][..., None, :, :] for w in weights[1:])) for layer in range(number)]


def cut(rows, columns=(ADJECTIVE,), *, layers=2):
    """The mask that hides the words at ``columns`` from those at ``rows`` in layer 1: (layers, 11, 11)."""
    mask = np.ones((layers, LENGTH, LENGTH), dtype=bool)
    mask[0][np.ix_(rows, columns)] = False
    return mask


def accuracy(last_map, referent, *, row=IT):
    """The part of the sentences in which ``row`` gives the noun that is meant more weight than the other one.

    ``last_map`` is (..., n, 11, 11), ``referent`` (n,); the result has the axes in front. Equal weights count half.
    """
    xp = array_namespace(last_map)
    gap = last_map[..., row, NOUNS[0]] - last_map[..., row, NOUNS[1]]
    sign = xp.sign(gap) * xp.asarray(np.where(np.asarray(referent) == NOUNS[0], 1.0, -1.0), dtype=gap.dtype)
    return xp.mean((sign + 1) / 2, axis=-1)


def _split(combinations, kept_back, held_out):
    """Four fifths of the combinations, in a fixed random order, or the others and the one kept back."""
    others = [c for c in combinations if c != kept_back]
    order = [others[i] for i in np.random.default_rng(1).permutation(len(others))]
    place = 4 * len(combinations) // 5
    return [*order[place:], kept_back] if held_out else order[:place]
