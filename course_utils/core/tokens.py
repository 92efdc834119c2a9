"""The small worlds that the lessons use, all numbers set by hand."""

from typing import NamedTuple

import numpy as np


class Library(NamedTuple):
    """A shelf to look things up in: ``keys`` (6, 2) say what a book is about, ``values`` (6, 3) what it holds."""

    titles: list
    keys: np.ndarray
    values: np.ndarray


def library():
    """Six books. Keys are (nature, machines), values are pages on (food, travel, repair)."""
    books = {
        "Herbs at Home": ([2.0, 0.0], [90, 5, 5]),
        "Forest Walks": ([1.5, 0.5], [10, 85, 5]),
        "Weather by Eye": ([1.0, 1.0], [5, 60, 15]),
        "Bicycle Touring": ([0.0, 1.5], [10, 80, 40]),
        "Engines Explained": ([-1.0, 2.0], [0, 5, 95]),
        "Poems": ([-1.5, -1.0], [20, 20, 0]),
    }
    keys, values = zip(*books.values(), strict=True)
    return Library(list(books), np.array(keys), np.array(values, dtype=float))


def cat():
    """The six words of "the cat sat on the mat" and their vectors (6, 4): the same word, the same row."""
    vectors = {  # (animal, place, action, function word)
        "the": [0.0, 0.0, 0.0, 1.0],
        "cat": [2.0, 0.5, 0.0, 0.0],
        "sat": [0.5, 0.5, 2.0, 0.0],
        "on": [0.0, 1.0, 0.5, 1.0],
        "mat": [0.0, 2.0, 0.0, 0.0],
    }
    words = "the cat sat on the mat".split()
    return words, np.array([vectors[word] for word in words])


class Projections(NamedTuple):
    """The three matrices of self-attention, (d_model, d_k) twice and (d_model, d_v): ask, be found, pass on."""

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray


def cat_projections():
    """Matrices for ``cat()``, set by hand: W_Q and W_K are (4, 3) for (who, where, does), W_V is (4, 2).

    A thing asks what it does, an action asks who and where, a function word asks mostly where.
    """
    W_Q = [[0.0, 0.0, 1.5], [0.0, 0.0, 1.0], [1.0, 0.5, 0.0], [0.5, 1.0, 0.0]]
    W_K = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    W_V = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    return Projections(*map(np.array, (W_Q, W_K, W_V)))


def bank():
    """Two phrases with "bank" in them: {phrase: (words, vectors (3, 3))}; features (water, money, place)."""
    vectors = {"river": [2.0, 0.0, 0.5], "savings": [0.0, 2.0, 0.0], "the": [0.0, 0.0, 0.0], "bank": [1.0, 1.0, 1.0]}
    phrases = [["the", "river", "bank"], ["the", "savings", "bank"]]
    return {" ".join(words): (words, np.array([vectors[word] for word in words])) for words in phrases}


class Example(NamedTuple):
    """The worked example: words, features, ``x`` (4, 8), and W_Q, W_K, W_V (8, 4) each.

    The columns of W_Q and W_K are the channels (person, action, thing, modifier), those of W_V (person,
    feeling, technical, process). Every entry, query, key, value and score is a multiple of one half.
    """

    words: list
    features: list
    x: np.ndarray
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray


def worked_example():
    """Four tokens, "I love machine learning", with every number small enough to check by hand."""
    features = ["who", "act", "noun", "mod", "pos", "tech", "head", "one"]
    x = [[1, 0, 0, 0, 0, 0, 0, 1], [0, 1, 0, 0, 1, 0, 0, 1], [0, 0, 1, 1, 0, 1, 0, 1], [0, 0.5, 1, 0, 0, 1, 1, 1]]
    rows = {  # feature: its row of W_Q, of W_K, of W_V
        "who": ([-0.5, 1, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0]),
        "act": ([0, -1, 1, 0], [0, 2, 0, 0], [0, 0, 0, 1]),
        "noun": ([0, 0, 0.5, 0], [0, 0, 0.5, 0], [0, 0, 0, 0]),
        "mod": ([0, 0, 2, 0], [0, 0, 0, 2], [0, 0, 0, -0.5]),
        "pos": ([0, -0.5, 1, 0], [0, 0, 0, 0], [0, 2, 0, 0]),
        "tech": ([0, 0, -0.5, 0.5], [0, 0, 0.5, 0], [0, 0, 1, 0]),
        "head": ([0, 1.5, -0.5, 1.5], [0, 0, 1, 0], [0, 0, 0, 1]),
        "one": ([0, 0.5, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]),
    }
    W_Q, W_K, W_V = (np.array([rows[feature][i] for feature in features], dtype=float) for i in range(3))
    return Example("I love machine learning".split(), features, np.array(x, dtype=float), W_Q, W_K, W_V)
