"""What goes wrong when a lookup becomes soft.

The lookups take one query (d_k,) or several (n_q, d_k), with keys (n_k, d_k) and values (n_k, d_v).
"""

import math

import numpy as np

from course_utils.core.scores import softmax


def blends_with_raw_scores(query, keys, values):
    """Your blend uses the scores themselves as weights; there is no softmax.

    Scores can be negative and add up to anything. What turns them into shares that sum to 1?
    """
    return query @ keys.T @ values


def divides_by_the_sum_of_scores(query, keys, values):
    """You divide the scores by their sum. They then sum to 1, but some are negative.

    A share below zero takes contents *out* of the blend. What makes every score positive first?
    """
    scores = query @ keys.T
    return scores / scores.sum(axis=-1, keepdims=True) @ values


def takes_the_best_match(query, keys, values):
    """You return the value of the best match only: a hard lookup.

    The runners-up should get a share too. Which function gives every key a weight?
    """
    return values[np.argmax(query @ keys.T, axis=-1)]


def blends_the_keys(query, keys, values):
    """Your weights are fine, but they blend the keys. The values never enter.

    Keys are for matching. What is it that the reader takes home?
    """
    return softmax(query @ keys.T) @ keys


def plain_average(query, keys, values):
    """Every value gets the same share, whatever the query asks for.

    That is the plain average. Where does the query come in?
    """
    return np.zeros(query.shape[:-1] + (1,)) + values.mean(axis=0)


def returns_the_weights(query, keys, values):
    """You return the weights. They say how much to take of each value, but nothing was taken yet.

    What is left to do with them and the values?
    """
    return softmax(query @ keys.T)


def exponentials_not_divided(query, keys, values):
    """You take exponentials, but never divide them by their sum.

    The weights are positive and still add up to anything. What are they shares of?
    """
    return np.exp(query @ keys.T) @ values


def multiplies_without_adding(query, keys, values):
    """Each value is multiplied by its weight, but the results are not added up.

    A blend is one row for each query. Over what do you still have to sum?
    """
    return softmax(query @ keys.T)[..., None] * values


def scales_the_scores(query, keys, values):
    """You divide the scores by sqrt(d_k). That is what transformers do, and lesson 02 shows why.

    Here the plain dot product is asked for. Can you leave the scale out?
    """
    return softmax(query @ keys.T / math.sqrt(keys.shape[-1])) @ values


def softmax_over_the_queries(queries, keys, values):
    """Your softmax runs down the columns, so the queries share out each key between them.

    Each query should share out the keys: its own row sums to 1. Which axis holds the keys?
    """
    return softmax(queries @ keys.T, axis=0) @ values


def one_sum_for_the_whole_table(queries, keys, values):
    """All your weights together sum to 1: one sum was used for the whole table.

    Each query makes its own blend. Over what should the sum run?
    """
    exponentials = np.exp(queries @ keys.T)
    return exponentials / exponentials.sum() @ values


def sums_lose_their_axis(queries, keys, values):
    """Your sums lie in a row, so the entry of key j is divided by the sum of query j.

    With as many queries as keys nothing complains. How do you keep the sums in a column?
    """
    exponentials = np.exp(queries @ keys.T)
    return exponentials / exponentials.sum(axis=-1) @ values


def weights_turned_round(queries, keys, values):
    """Your table of weights is transposed before it meets the values.

    Row i should say what query i takes. Whose row is it after the transpose?
    """
    return softmax(queries @ keys.T).T @ values


def keys_ask_the_queries(queries, keys, values):
    """You compute keys times queries, so each row belongs to a key.

    Rows should belong to the one who asks. Which of the two comes first in the product?
    """
    return softmax(keys @ queries.T) @ values


# Values


def divides_the_scores():
    """1.0 comes from 1 / (1 + 0): the scores themselves, divided by their sum.

    The exponentials come first. What is exp(0)?
    """
    return 1.0


def halves():
    """One half each would need equal scores.

    Here one is 1 and the other 0. What does exp turn them into?
    """
    return 0.5


def weight_of_the_other():
    """0.269 is the weight of the other key.

    The larger score gets the larger weight. Which key has score 1?
    """
    return 1 / (1 + math.e)


def not_divided_yet():
    """2.718 is exp(1), not yet a share.

    By what do you divide it, so that both weights add up to 1?
    """
    return math.e


def scores_of_widths():
    """(3, 3) compares features with features: that is the shape of Qᵀ K.

    Scores compare tokens with tokens. How many tokens ask, and how many are asked?
    """
    return (3, 3)


def scores_like_queries():
    """(6, 3) is the shape of the queries before they meet the keys.

    In the product Q Kᵀ the width 3 is summed over. What is left?
    """
    return (6, 3)


def output_as_wide_as_x():
    """(6, 5) is the shape of x; the values are narrower.

    Values are x W_V, and W_V has 2 columns. How wide is a blend of them?
    """
    return (6, 5)


def output_as_wide_as_keys():
    """(6, 3) has the width of the keys. They decide the weights and then drop out.

    What is blended has another width. Which one?
    """
    return (6, 3)


def output_like_scores():
    """(6, 6) is the shape of the weights.

    They still multiply the values, (6, 2). What shape does that product have?
    """
    return (6, 6)


def blames_the_inputs():
    """Line 1 only names the inputs.

    Look at what should sum to 1. Which line decides that?
    """
    return 1


def blames_scores():
    """Line 2 is fine: one row of scores for each query, one column for each key.

    Look at what should sum to 1. Which line decides that?
    """
    return 2


def blames_exponentials():
    """Line 3 is fine: exponentials are positive, as weights have to be.

    Look at what should sum to 1. Which line decides that?
    """
    return 3


def blames_the_blend():
    """Line 5 is fine: weights times values, one blend for each query.

    The weights were off before they came here. Which line decided what they sum to?
    """
    return 5
