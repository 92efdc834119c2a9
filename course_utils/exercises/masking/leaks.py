"""The attentions that a test for leaks is tried on: four without a leak, ten with one."""

import math

import numpy as np

from course_utils.core.masks import causal_mask, window_mask
from course_utils.core.scores import softmax


def _scaled(query, key):
    return query @ key.T / math.sqrt(query.shape[-1])


def _under(query, key, mask, fill=-np.inf):
    return np.where(mask(len(query)), _scaled(query, key), fill)


# Without a leak


def causal(query, key, value):
    """causal attention as it should be."""
    return softmax(_under(query, key, causal_mask)) @ value


def narrow(query, key, value):
    """a causal window of two keys."""
    return softmax(_under(query, key, lambda n: window_mask(n, 2))) @ value


def strict(query, key, value):
    """a causal mask that hides the diagonal, too: strange, but no leak."""
    return softmax(_under(query, key, lambda n: causal_mask(n) & ~np.eye(n, dtype=bool))) @ value


def past_average(query, key, value):
    """the plain average of the past."""
    return np.cumsum(value, axis=0) / np.arange(1, len(value) + 1)[:, None]


# With one


def open_to_all(query, key, value):
    """no mask at all."""
    return softmax(_scaled(query, key)) @ value


def one_ahead(query, key, value):
    """each token sees one token ahead."""
    return softmax(_under(query, key, lambda n: np.tril(np.ones((n, n), bool), k=1))) @ value


def zeroed_afterwards(query, key, value):
    """weights set to 0 after the softmax: the future is in the sum."""
    return softmax(_scaled(query, key)) * causal_mask(len(query)) @ value


def zero_scores(query, key, value):
    """hidden scores set to 0."""
    return softmax(_under(query, key, causal_mask, fill=0.0)) @ value


def minus_ten(query, key, value):
    """hidden scores set to -10."""
    return softmax(_under(query, key, causal_mask, fill=-10.0)) @ value


def over_queries(query, key, value):
    """the softmax over the queries: later queries are in the sum."""
    return softmax(_under(query, key, causal_mask), axis=0) @ value


def only_the_first_sees(query, key, value):
    """only the first token sees the second; all others are honest."""

    def mask(n):
        allowed = causal_mask(n)
        allowed[:1, 1:2] = True
        return allowed

    return softmax(_under(query, key, mask)) @ value


def only_the_second_sees(query, key, value):
    """only the second token sees the third; all others are honest."""

    def mask(n):
        allowed = causal_mask(n)
        allowed[1:2, 2:3] = True
        return allowed

    return softmax(_under(query, key, mask)) @ value


def only_the_last_but_one_sees(query, key, value):
    """only the last token but one sees the last; all others are honest."""

    def mask(n):
        allowed = causal_mask(n)
        allowed[-2:, -1:] = True
        return allowed

    return softmax(_under(query, key, mask)) @ value


def centred_values(query, key, value):
    """an honest mask, but the mean of all values is taken away first."""
    return softmax(_under(query, key, causal_mask)) @ (value - value.mean(axis=0))


ATTENTIONS = [
    open_to_all,
    causal,
    one_ahead,
    zero_scores,
    minus_ten,
    zeroed_afterwards,
    over_queries,
    only_the_first_sees,
    only_the_second_sees,
    only_the_last_but_one_sees,
    centred_values,
    narrow,
    strict,
    past_average,
]
