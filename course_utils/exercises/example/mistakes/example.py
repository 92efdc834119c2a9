"""What goes wrong when the worked example is done by hand; with *core* these are its fingerprints."""

import math

import numpy as np

from course_utils.core.scores import softmax


def scales_by_the_root_of_d_model(query, key, value):
    """You divide by sqrt(8): d_model, the width of a token.

    The dot product runs over the width of a key. How wide is a key here?
    """
    return softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(8)) @ value


def queries_from_W_K(query, key, value):
    """These are the numbers you get when keys are compared with keys: W_K used for the query as well.

    Take the row of Q for the one who asks. Which table did you read from?
    """
    return softmax(key @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])) @ value


def keys_from_W_Q(query, key, value):
    """These are the numbers you get when queries are compared with queries: W_Q used for the keys as well.

    Take the rows of K for those who are asked. Which table did you read from?
    """
    return softmax(query @ np.swapaxes(query, -1, -2) / math.sqrt(key.shape[-1])) @ value


def exponentials_not_divided(query, key, value):
    """That is a step too early: the exponentials are there, but nothing is divided by their sum yet.

    The four weights of a row sum to 1. What do the exponentials sum to?
    """
    return np.exp(query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1])) @ value


def scores_before_the_scale(query, key, value):
    """These follow from the scores as they stand: scale, exp and division are still missing.

    What comes first, after the scores?
    """
    return query @ np.swapaxes(key, -1, -2) @ value


# Values


def score_the_other_way():
    """4 is the score of "learning" looking at "machine".

    The one who looks gives the query. Whose row of Q do you need?
    """
    return 4.0


def score_scaled_already():
    """2.25 is the scaled score; the scores come one step before.

    What is the dot product before it is divided by sqrt(d_k) = 2?
    """
    return 2.25


def score_of_two_queries():
    """1.75 is the dot product of two rows of Q.

    The one who is looked at gives a key. From which table do you take the second row?
    """
    return 1.75


def score_of_two_keys():
    """2 is the dot product of two rows of K.

    The one who looks gives a query. From which table do you take the first row?
    """
    return 2.0


def score_without_projections():
    """3 is the dot product of the two rows of X, before any projection.

    Which two tables are made from X, for asking and for being found?
    """
    return 3.0


def counts_one_head():
    """262144 is one head: 512 times 512.

    Every head has a table of its own. How many heads does the layer have?
    """
    return 512 * 512


def counts_the_vectors():
    """393216 is 512 times 768, the size of the token vectors.

    Scores are for pairs of tokens. How many pairs do 512 tokens make?
    """
    return 512 * 768


def counts_pairs_of_widths():
    """7077888 is 12 times 768 times 768: pairs of features.

    Scores compare tokens with tokens. How many tokens are there?
    """
    return 12 * 768 * 768


def counts_all_layers():
    """37748736 counts twelve layers; the question is about one.

    How many tables does a single layer have?
    """
    return 12 * 12 * 512 * 512


def counts_one_row():
    """6144 is one row for each head: 12 times 512.

    Every token is a query, and has a row. How many rows does a table have?
    """
    return 12 * 512


def copies_the_published_row():
    """0.295 is what was printed; these scaled scores give another number.

    The largest scaled score of the row is this one, 0.8. Can its weight be smaller than that of 0.55?
    """
    return 0.295


def scales_once_more():
    """You divided by 2 once more; these scores are scaled already.

    What is the next step after scaling?
    """
    return float(softmax(np.array([0.55, 0.45, 0.2, 0.8]) / 2)[3])


def takes_the_scale_back():
    """You used the scores before scaling, twice as large.

    Softmax is taken of the scaled scores. Which row is it?
    """
    return float(softmax(np.array([0.55, 0.45, 0.2, 0.8]) * 2)[3])


def divides_the_scaled_scores():
    """You divided the scaled score by the sum of the row: no exponentials.

    What comes before the division in a softmax?
    """
    return 0.4
