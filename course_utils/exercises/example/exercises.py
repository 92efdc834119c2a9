"""Exercises of ``03_example``: cells of the worked example by hand, then the whole function."""

import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.core.tokens import worked_example
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise, Mistake, halves
from course_utils.exercises.engine.laws import follows_reordered_keys, stays_between_the_values

HAND = 0.0015  # three decimals, with room for rounding on the way

_, _, X, W_Q, W_K, W_V = worked_example()
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
FRESH = np.array([[0.5, 0.0, 1.0, 1.0]])
MACHINE, LEARNING = 2, 3
WIDTH, LAYERS = 768, 12  # of the model whose scores are counted


def attention(query, key, value):
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])
    weights = softmax(scores, axis=-1)
    return weights @ value


def score_machine_learning():
    return float(Q[MACHINE] @ K[LEARNING])


def weight_machine_learning():
    exponentials = np.exp(Q[MACHINE] @ K.T / math.sqrt(K.shape[-1]))
    total = exponentials.sum()
    return round(float(exponentials[LEARNING] / total), 3)


def weights_of_learning():
    exponentials = np.exp(Q[LEARNING] @ K.T / math.sqrt(K.shape[-1]))
    total = exponentials.sum()
    return [round(float(one / total), 3) for one in exponentials[1:3]]


def fresh_weights():
    weights = attention(FRESH, K, np.eye(len(K)))[0]
    return [round(float(weight), 3) for weight in weights]


def fresh_output():
    output = attention(FRESH, K, V)[0]
    return [round(float(entry), 3) for entry in output]


def scores_at_real_size():
    heads, tokens = 12, 512
    return heads * tokens * tokens


def published_row():
    scaled = np.array([0.55, 0.45, 0.2, 0.8])
    weights = softmax(scaled)
    return round(float(weights[3]), 3)


def _scale_on_the_query(query, key, value):
    return softmax((query / math.sqrt(query.shape[-1])) @ np.swapaxes(key, -1, -2)) @ value


def _fourth_roots_on_both(query, key, value):
    root = key.shape[-1] ** -0.25
    return softmax((query * root) @ np.swapaxes(key * root, -1, -2)) @ value


def _by_einsum(query, key, value):
    scores = np.einsum("...id,...jd->...ij", query, key) / math.sqrt(key.shape[-1])
    return np.einsum("...ij,...jv->...iv", softmax(scores), value)


def _computed_transposed(query, key, value):
    scores = key @ np.swapaxes(query, -1, -2) / math.sqrt(key.shape[-1])
    return np.swapaxes(softmax(scores, axis=-2), -1, -2) @ value


def _by_loop(query, key, value):
    if query.ndim > 2:
        return np.array([_by_loop(*parts) for parts in zip(query, key, value, strict=True)])
    return np.array([softmax(key @ q / math.sqrt(len(q))) @ value for q in query])


# Their sentences speak of code, or of another step than the one that is done by hand.
NOT_BY_HAND = {
    "all_from_the_key",
    "blends_the_keys",
    "blends_the_queries",
    "divides_by_two",
    "hides_the_future",
    "plain_average",
    "takes_the_best_match",
}


IN_ATTENTION = slips("attention", attention)
BY_HAND = [slip for slip in IN_ATTENTION if slip.name.partition("/")[2] not in NOT_BY_HAND]
BY_HAND += slips("example/steps", attention)


def fingerprints(query, key, value, cell, right):
    """The mistakes whose number in ``cell`` of the output tells them from the right one and from each other.

    With ``value`` the identity, the output is the weights.
    """
    found, numbers = [], [np.asarray(right)]
    for slip in BY_HAND:
        try:
            with np.errstate(all="ignore"):
                number = np.asarray(slip.run(query, key, value)[cell])
        except (ValueError, IndexError):
            continue  # it does not run on these shapes
        if number.shape != numbers[0].shape or not np.isfinite(number).all():
            continue
        if all(np.abs(number - other).max() > 2.1 * HAND for other in numbers):
            numbers.append(number)
            found.append(Mistake(slip.name, slip.what, lambda n=number: n, ask=slip.ask))
    return found


WEIGHTS = Q, K, np.eye(4)

EXERCISES = [
    Exercise(solution=score_machine_learning, mistakes=slips("example/example", score_machine_learning)),
    Exercise(
        solution=weight_machine_learning,
        tolerance=HAND,
        mistakes=fingerprints(*WEIGHTS, (MACHINE, LEARNING), weight_machine_learning()),
    ),
    Exercise(
        solution=weights_of_learning,
        tolerance=HAND,
        mistakes=fingerprints(*WEIGHTS, (LEARNING, slice(1, 3)), weights_of_learning()),
    ),
    Exercise(solution=fresh_weights, tolerance=HAND, mistakes=fingerprints(FRESH, K, np.eye(4), 0, fresh_weights())),
    Exercise(solution=fresh_output, tolerance=HAND, mistakes=fingerprints(FRESH, K, V, 0, fresh_output())),
    Exercise(
        solution=attention,
        probes=[
            halves((2, 2), (3, 2), (3, 1), seed=1),
            halves((3, 3), (3, 3), (3, 3), seed=2),  # square, to tell a transpose by its numbers
            halves((5, 3), (5, 3), (5, 2), seed=3),
            halves((2, 5), (7, 5), (7, 3), seed=4),
            halves((2, 3, 5), (2, 7, 5), (2, 7, 11), seed=5),
            halves((3, 3, 3), (3, 3, 3), (3, 3, 3), seed=6),
            (np.array([[900.0, 0.0], [0.0, 0.5]]), np.array([[2.0, 1.0], [1.9, 3.0], [-2.0, 1.0]]), np.eye(3)),
        ],
        properties=[stays_between_the_values, follows_reordered_keys],
        alternatives=[_scale_on_the_query, _fourth_roots_on_both, _by_einsum, _computed_transposed, _by_loop],
        mistakes=IN_ATTENTION,
    ),
    Exercise(solution=scores_at_real_size, mistakes=slips("example/example", scores_at_real_size)),
    Exercise(solution=published_row, tolerance=HAND, mistakes=slips("example/example", published_row)),
]
