"""What goes wrong in a test for leaks, ``f(attention)``; and the attentions it is tried on."""

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


def renormalised(query, key, value):
    """zeros after the softmax, renormalised: the same on paper, with rounding in the last digits."""
    kept = softmax(_scaled(query, key).astype(np.float32)) * causal_mask(len(query))
    return kept / kept.sum(axis=-1, keepdims=True) @ value.astype(np.float32)


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
    only_the_second_sees,
    only_the_last_but_one_sees,
    centred_values,
    narrow,
    strict,
    renormalised,
    past_average,
]


# leak_test(attention)


def _changes(attention, *, n=6, edit=slice(None), rows=lambda now: slice(0, now), places=None):
    """The change of some rows for each place from which on the future is edited."""
    random = np.random.default_rng(0)
    before, found = random.normal(size=(3, n, 4)), []
    for now in places or range(1, n):
        after = before.copy()
        new = random.normal(size=after[edit, now:].shape)
        after[edit, now:] = new
        found.append(np.abs(attention(*after)[rows(now)] - attention(*before)[rows(now)]).max())
    return found


def finds_a_leak_everywhere(attention):
    """Your test finds a leak in every attention: it compares rows that may change, the edited ones or those after them.

    Which rows must stay the same when the tokens from place t on are edited?
    """
    return max(_changes(attention, rows=lambda now: slice(None)))


def edits_only_the_last_token(attention):
    """You edit the last token only. A leak that shows a middle token its neighbour escapes.

    Here only the second token sees the third. For which places do you have to try it?
    """
    return max(_changes(attention, places=[5]))


def edits_only_the_values(attention):
    """You edit the values only. A leak through the sum of the softmax is in the keys.

    Zeros after the softmax leak just that way. What else of a future token reaches the scores?
    """
    return max(_changes(attention, edit=slice(2, 3)))


def keeps_the_queries(attention):
    """You edit keys and values, and leave the queries as they are.

    If the softmax runs over the queries, a later *query* moves earlier rows. What does a future token consist of?
    """
    return max(_changes(attention, edit=slice(1, 3)))


def looks_at_one_place_only(attention):
    """You try one place in the middle. Leaks elsewhere escape.

    Each token has its own future. How many places are there to try?
    """
    return max(_changes(attention, places=[3]))


def rounds_the_change_away(attention):
    """Your test does not see small leaks: -10 for a hidden score leaks a few hundred-thousandths.

    Rounding here comes in the fifteenth digit. How small a change can still be told from 0?
    """
    return round(max(_changes(attention)), 3)


def says_the_opposite(attention):
    """Your answer is turned round: 0 for a leak, and more for none.

    The *change* was asked for. What is it when nothing leaks?
    """
    return float(max(_changes(attention)) < 1e-6)


def finds_no_leak_anywhere(attention):
    """Your test finds no leak, whatever the attention does: both runs get the same arrays, or nearly the same.

    after = before is a second name for one array, and an edit of 1e-9 drowns in rounding. How do you get a copy?
    """
    return 0.0
