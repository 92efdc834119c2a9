"""What goes wrong when a lookup becomes soft, and when projections enter.

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


# outside_the_values(output (n_q, d_v), values (n_k, d_v)) -> boolean (n_q, d_v).


def compares_across_columns(output, values):
    """You compare with the smallest and largest entry of the whole table of values.

    Each column is blended by itself: pages on travel never mix with pages on repair. Along which axis do
    you look for the smallest?
    """
    return (output < values.min()) | (output > values.max())


def only_looks_above(output, values):
    """You find outputs above the largest value, but not those below the smallest.

    A negative weight can push a blend down. Which second comparison is missing?
    """
    return output > values.max(axis=0)


def only_looks_below(output, values):
    """You find outputs below the smallest value, but not those above the largest.

    Weights above 1 can push a blend up. Which second comparison is missing?
    """
    return output < values.min(axis=0)


def edges_count_as_outside(output, values):
    """You call an output outside when it equals the smallest or largest value.

    All weight on one key gives exactly that value, and it is a fair blend. Is "or equal" meant?
    """
    return (output <= values.min(axis=0)) | (output >= values.max(axis=0))


def tells_inside(output, values):
    """Your True and False are turned round: you mark what lies inside.

    The name says outside. Which sign turns a boolean array round?
    """
    return (output >= values.min(axis=0)) & (output <= values.max(axis=0))


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
