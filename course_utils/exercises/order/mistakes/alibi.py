"""What goes wrong in attention with ALiBi: ``f(query, key, value)``, each (heads, n, d), causal."""

import math

import numpy as np

from course_utils.core.positions import alibi_slopes
from course_utils.core.scores import softmax


def _attend(query, key, value, slopes, *, causal=True, scaled=True):
    """Causal attention with -slope * distance on the scaled scores."""
    place = np.arange(key.shape[-2])
    bias = -np.reshape(slopes, (-1, 1, 1)) * (place[:, None] - place)
    root = math.sqrt(key.shape[-1]) if scaled else 1.0
    scores = query @ np.swapaxes(key, -1, -2) / root + bias
    return softmax(np.where(place <= place[:, None], scores, -np.inf) if causal else scores) @ value


def far_keys_are_favoured(query, key, value):
    """Your bias grows with the distance, so the keys furthest away get the most.

    ALiBi punishes distance. Which sign does slope times distance need?
    """
    return _attend(query, key, value, -alibi_slopes(len(query)))


def slopes_start_at_one(query, key, value):
    """Your first head has the slope 1: the heads are counted from 0, and 2 to the power 0 is 1.

    With 8 heads the slopes run from 1/2 to 1/256. At which number does the count of the heads begin?
    """
    n = len(query)
    return _attend(query, key, value, 2.0 ** (-8 / n * np.arange(n)))


def one_slope_for_all_heads(query, key, value):
    """All your heads have the same slope, so all of them see equally far.

    Some heads should look near, others far. What makes the slope of the second head?
    """
    return _attend(query, key, value, np.full(len(query), alibi_slopes(len(query))[0]))


def one_slope_the_last(query, key, value):
    return _attend(query, key, value, np.full(len(query), alibi_slopes(len(query))[-1]))


def slopes_of_eight_heads(query, key, value):
    """Your slopes are 1/2, 1/4, 1/8 and so on, which fits 8 heads only.

    With fewer heads each step is larger, so that the last slope is always 1/256. How does the number of heads
    come into yours?
    """
    return _attend(query, key, value, 0.5 ** np.arange(1, len(query) + 1))


def exponents_are_whole_numbers(query, key, value):
    """Your exponents are rounded to whole numbers, as // and int do. Up to 8 heads nothing shows: they are whole there.

    With 16 heads the exponents go in steps of one half. What becomes of 8 * 1 / 16 in your code?
    """
    heads = len(query)
    return _attend(query, key, value, 2.0 ** (-8 * np.arange(1, heads + 1) // heads))


def exponents_rounded_the_other_way(query, key, value):
    heads = len(query)
    return _attend(query, key, value, 2.0 ** -(8 * np.arange(1, heads + 1) // heads))


def step_is_a_whole_number(query, key, value):
    heads = len(query)
    return _attend(query, key, value, 2.0 ** -(8 // heads * np.arange(1, heads + 1)))


def slopes_in_reverse(query, key, value):
    """Your slopes run from the smallest to the largest. A model trained that way would not mind.

    The paper's order is asked for here: the first head looks nearest. Which head gets the steepest slope?
    """
    return _attend(query, key, value, alibi_slopes(len(query))[::-1])


def bias_is_divided_too(query, key, value):
    """You add the bias before you divide by sqrt(d_k), so it is divided as well, and distance hardly counts.

    The slopes are meant for scaled scores. What comes first, then?
    """
    return _attend(query, key, value, alibi_slopes(len(query)) / math.sqrt(key.shape[-1]))


def bias_is_left_out(query, key, value):
    """Your output is that of causal attention without a bias: distance costs nothing.

    The weights of ten equal keys are all the same then. Where do the slopes come in?
    """
    return _attend(query, key, value, np.zeros(len(query)))


def the_future_is_rewarded(query, key, value):
    """There is no causal mask, and a key in the future has a negative distance: it is paid for being ahead.

    The past alone is asked for. What do future scores have to become before the softmax?
    """
    return _attend(query, key, value, alibi_slopes(len(query)), causal=False)


def the_future_is_seen(query, key, value):
    """Your bias punishes distance in both directions, and nothing hides the future.

    That is a variant for encoders. The past alone is asked for here: what do future scores have to become?
    """
    n = key.shape[-2]
    distance = np.abs(np.arange(n)[:, None] - np.arange(n))
    bias = -alibi_slopes(len(query))[:, None, None] * distance
    return softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1]) + bias) @ value


def hides_the_token_itself(query, key, value):
    """Your mask hides the token itself as well: only distances above 0 are left, and the first token sees nothing.

    A token may look at itself, at distance 0. Which comparison lets 0 pass?
    """
    place = np.arange(key.shape[-2])
    bias = -alibi_slopes(len(query))[:, None, None] * (place[:, None] - place)
    scores = query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1]) + bias
    return softmax(np.where(place < place[:, None], scores, -np.inf)) @ value


def does_not_scale(query, key, value):
    """The bias is there, but the scores are not divided by sqrt(d_k), so they drown it.

    The slopes are meant for scores of size 1. What comes between scores and bias?
    """
    return _attend(query, key, value, alibi_slopes(len(query)), scaled=False)
