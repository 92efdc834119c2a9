"""The claims of ``03_example``, worked out again: one function for each, named as in the TOML file."""

import numpy as np

from course_utils.core.attention import attention_steps
from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example
from course_utils.exercises.example.exercises import FRESH

WORDS, _, X, W_Q, W_K, W_V = worked_example()
STEPS = attention_steps(X @ W_Q, X @ W_K, X @ W_V)
LOVE, MACHINE, LEARNING = (WORDS.index(word) for word in ("love", "machine", "learning"))


def sizes():
    for array in (X, W_Q, W_K, W_V, X @ W_Q, X @ W_K, X @ W_V, STEPS.scores):
        np.testing.assert_array_equal(2 * array, np.round(2 * array))
    return [X.shape[1], W_Q.shape[1], W_V.shape[1]]


def love_looks_at_learning():
    row = STEPS.weights[LOVE].round(3)
    assert row.argmax() == LEARNING
    return [float(row[LEARNING]), float(STEPS.scores[LOVE, LOVE]), float(row[LOVE])]


def row_of_machine():
    return [*STEPS.scaled[MACHINE].tolist(), *STEPS.exponentials[MACHINE].round(3).tolist()]


def row_of_learning():
    return STEPS.scores[LEARNING].tolist()


def fresh_query():
    return FRESH[0].tolist()


def no_row_prefers_itself():
    assert (STEPS.weights.argmax(axis=1) != np.arange(4)).all()
    return STEPS.weights.diagonal().round(3).tolist()


def a_direction():
    return STEPS.weights[[LOVE, LEARNING], [LEARNING, LOVE]].round(3).tolist()


def published_rows():
    scaled = [[0.6, 0.4, 0.25, 0.45], [0.3, 0.75, 0.15, 0.35], [0.2, 0.35, 0.9, 0.3], [0.55, 0.45, 0.2, 0.8]]
    return softmax(np.array(scaled)).round(3).tolist()


def bert_base():
    return 12 * 64
