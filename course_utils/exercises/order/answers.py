"""The right answers to the exercises of ``08_order``: the solutions, then other ways to be right."""

import math

import numpy as np

from course_utils.core.positions import alibi_slopes
from course_utils.core.positions import rotate as turn
from course_utils.core.scores import softmax


def sinusoidal_positions(n, d_model):
    pair = np.arange(d_model) // 2
    angles = np.arange(n)[:, None] / 10000 ** (2 * pair / d_model)
    table = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, 1::2]
    return table


def rotate(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None] * 10000.0 ** (-np.arange(half) / half)
    cosine, sine = np.cos(angles), np.sin(angles)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)


def rotary_attention(query, key, value, query_positions, key_positions):
    turned_query, turned_key = turn(query, query_positions), turn(key, key_positions)
    scores = turned_query @ turned_key.T / math.sqrt(key.shape[-1])
    return softmax(scores) @ value


def alibi_attention(query, key, value):
    heads, n, d = query.shape
    slopes = 2.0 ** (-8 / heads * np.arange(1, heads + 1))
    distance = np.arange(n)[:, None] - np.arange(n)
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(d) - slopes[:, None, None] * distance
    return softmax(np.where(distance >= 0, scores, -np.inf)) @ value


def cached_rotary_attention(x, W_Q, W_K, W_V, chunks):
    keys, values, outputs, start = [], [], [], 0
    for size in chunks:
        new = x[start : start + size]
        place = np.arange(start, start + size)
        keys.append(turn(new @ W_K, place))
        values.append(new @ W_V)
        key, value = np.concatenate(keys), np.concatenate(values)
        scores = turn(new @ W_Q, place) @ key.T / math.sqrt(W_K.shape[1])
        may_look = np.arange(len(key)) <= place[:, None]
        outputs.append(softmax(np.where(may_look, scores, -np.inf)) @ value)
        start += size
    return np.concatenate(outputs)


def score_two_places_apart():
    return round(math.cos(5 - 3), 3)


def slopes_of_eight_heads():
    return [0.5**head for head in range(1, 9)]


def pairs_that_never_turn():
    return sum(2 * math.pi * 10000 ** (2 * pair / 64) > 2048 for pair in range(32))


# Other right answers


def table_by_loops(n, d_model):
    return [
        [(math.cos if c % 2 else math.sin)(p / 10000 ** ((c - c % 2) / d_model)) for c in range(d_model)]
        for p in range(n)
    ]


def rotate_half(x, positions):
    half = x.shape[-1] // 2
    angles = np.tile(np.outer(positions, 10000.0 ** (-2 * np.arange(half) / x.shape[-1])), 2)
    return x * np.cos(angles) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(angles)


def rotate_complex(x, positions):
    half = x.shape[-1] // 2
    numbers = (x[..., :half] + 1j * x[..., half:]) * np.exp(
        1j * np.outer(positions, 10000.0 ** (-np.arange(half) / half))
    )
    return np.concatenate([numbers.real, numbers.imag], axis=-1)


def turns_the_query_by_the_difference(query, key, value, query_positions, key_positions):
    scores = [
        [float(turn(q[None], [i - j])[0] @ k) for k, j in zip(key, key_positions, strict=True)]
        for q, i in zip(query, query_positions, strict=True)
    ]
    return softmax(np.array(scores) / math.sqrt(key.shape[-1])) @ value


def alibi_by_the_key_index(query, key, value):
    heads, n, d = query.shape
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(d) + alibi_slopes(heads)[:, None, None] * np.arange(
        n
    )
    return softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf)) @ value


def the_full_pass(x, W_Q, W_K, W_V, chunks):
    place = np.arange(len(x))
    scores = turn(x @ W_Q, place) @ turn(x @ W_K, place).T / math.sqrt(W_K.shape[1])
    return softmax(np.where(place <= place[:, None], scores, -np.inf)) @ x @ W_V


def unturned_cache(x, W_Q, W_K, W_V, chunks):
    outputs, done = [], 0
    for size in chunks:
        done += size
        key, value, query = x[:done] @ W_K, x[:done] @ W_V, x[done - size : done] @ W_Q
        scores = (
            turn(query, np.arange(done - size, done)) @ turn(key, np.arange(done)).T / math.sqrt(W_K.shape[1])
        )
        outputs.append(
            softmax(np.where(np.tri(size, done, done - size, dtype=bool), scores, -np.inf)) @ value
        )
    return np.concatenate(outputs)
