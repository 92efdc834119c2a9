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


# leak_test(attention)


def _changes(attention, *, edit=slice(None), rows=lambda now: slice(0, now), places=range(1, 6)):
    """The largest change of some rows, for each place from which on the future is edited."""
    random = np.random.default_rng(0)
    before, found = random.normal(size=(3, 6, 4)), []
    for now in places:
        after = before.copy()
        after[edit, now:] = random.normal(size=after[edit, now:].shape)
        found.append(np.abs(attention(*after)[rows(now)] - attention(*before)[rows(now)]).max())
    return found


def finds_a_leak_everywhere(attention):
    """Your test finds a leak in every attention, clean ones included: so rows were compared that may well change.

    They do if they were edited themselves, if the past was edited too, or if the second run has other arrays from
    the start. Which rows must stay the same when only the tokens from place t on are edited?
    """
    return max(_changes(attention, rows=lambda now: slice(None)))


def finds_no_leak_anywhere(attention):
    """Your test says 0 whatever the attention does, as if both runs got the same arrays.

    after = before is a second name for one array, and an edit in place changes both. How do you get a copy?
    """
    return 0.0


def edits_only_the_last_token(attention):
    """Your test sees what the last token does to the others, and nothing else.

    Here the second token sees the third. Do you try every place, and keep the largest of all changes, not the last?
    """
    return _changes(attention)[-1]


def stops_at_the_first_place(attention):
    """Your test sees only whether the first token is changed by those after it.

    A return inside the loop ends it in the first round, and row 0 is not the only past. Do you try every place, and
    compare all rows before it?
    """
    return _changes(attention)[0]


def leaves_out_the_first_place(attention):
    """Your test never asks whether the *first* token sees the second: it begins one place too late.

    range(2, n) leaves out the place 1. How many tokens are the past when everything from place 1 on is edited?
    """
    return max(_changes(attention, places=range(2, 6)))


def misses_single_leaks(attention):
    """Your test finds leaks that show at every place, and misses one that shows at a single place only.

    Each token has its own future. Do you try every place, and keep the largest of all changes?
    """
    return max(_changes(attention, places=[3]))


def edits_only_the_values(attention):
    """A leak through the sum of the softmax escapes your test: only the values seem to be edited.

    Zeros after the softmax leak just that way, through the keys. What else of a future token reaches the scores?
    """
    return max(_changes(attention, edit=slice(2, 3)))


def keeps_the_queries(attention):
    """A leak through later *queries* escapes your test: keys and values are edited, queries stay as they are.

    If the softmax runs over the queries, a later query moves earlier rows. What does a future token consist of?
    """
    return max(_changes(attention, edit=slice(1, 3)))


def rounds_the_change_away(attention):
    """Small leaks escape your test: it sees none where hidden scores are set to -10: less than a thousandth.

    Where nothing leaks, the past does not change at all. How small a change can you tell from 0?
    """
    return round(max(_changes(attention)), 2)


def says_the_opposite(attention):
    """Your answer is turned round: 0 for a leak, and more for none.

    The *change* was asked for. What is it when nothing leaks?
    """
    return float(max(_changes(attention)) < 1e-9)
