"""The claims of ``09_depth``, worked out again: one function for each, named as in the TOML file."""

from course_utils.core import explorer, pronoun
from course_utils.core.cost import MODELS, block_parameters, score_entries

SENTENCE = explorer.sentence("tired")


def scores_of_the_sentence():
    n = len(SENTENCE)
    return [score_entries(n), 2 * score_entries(n), score_entries(n, causal=True)]


def steps_of_an_rnn():
    animal, it, tired = (SENTENCE.index(word) for word in ("animal", "it", "tired"))
    return [it - animal, tired - it]


def the_sentence_held_out():
    lists = pronoun.LIVING, pronoun.PLACES, pronoun.FITS_LIVING, pronoun.FITS_PLACE
    return [len(set(pronoun.WORDS)), *map(len, lists)]


def animal_street_is_held_out():
    words = pronoun.pairs(1500).words
    together = 0
    for first, second, columns in (("animal", "street", [1, 5]), ("tired", "wide", [10])):
        numbers = set(pronoun.numbers([first, second]).tolist())
        pairs = words[:, columns] if len(columns) == 2 else words[:, 10].reshape(-1, 2)
        together += sum(set(pair.tolist()) == numbers for pair in pairs)
    return together


def gpt2_sizes():
    shape = MODELS["GPT-2 small"]
    return [shape.layers, shape.d_model, shape.vocabulary + shape.context]


def gpt2_without_biases():
    shape = MODELS["GPT-2 small"]
    counted = shape.layers * block_parameters(shape.d_model) + (shape.vocabulary + shape.context) * shape.d_model
    return round(100 * (124_439_808 - counted) / 124_439_808, 1)
