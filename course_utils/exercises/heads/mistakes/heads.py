"""What goes wrong when heads are cut and joined, and when their shapes are told."""

import numpy as np

# split_heads(x, n_heads): x (..., n, d_model)


def cuts_without_moving_the_axis(x, n_heads):
    """Your heads have the shape (..., n_heads, n, d_head), but one reshape cannot get there: the content is not.

    It fills the new array in reading order, so head 0 holds the first tokens whole instead of a part of each. Into
    which two numbers should the width be cut first, and what is left to move?
    """
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2], -1)


def leaves_the_heads_behind_the_tokens(x, n_heads):
    """Your cut is right, but the heads stand behind the tokens: (..., n, n_heads, d_head).

    @ works on the last two axes, so each token's heads would look at each other. Which two axes change places?
    """
    return x.reshape(*x.shape[:-1], n_heads, -1)


def deals_the_features_out(x, n_heads):
    """Head 0 takes every n_heads-th feature, '(d h)'. That is a valid layout elsewhere, with matrices to match.

    Asked here is the usual one, '(h d)': each head has its features in one piece. Which of the two new axes comes
    first in the reshape?
    """
    return np.moveaxis(x.reshape(*x.shape[:-1], -1, n_heads), -1, -3)


def swaps_the_wrong_axes(x, n_heads):
    """You exchange the last two axes after the cut, so your heads stand last: (..., n, d_head, n_heads).

    Wanted is (..., n_heads, n, d_head). After the cut there is (..., n, n_heads, d_head): which two change places?
    """
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -1, -2)


def turns_each_head_round(x, n_heads):
    """Your heads are in front, but inside each, tokens and features have changed places: (..., n_heads, d_head, n).

    A row should be a token. Which axes have moved that should stay?
    """
    return np.swapaxes(cuts_right(x, n_heads), -1, -2)


def cuts_the_tokens(x, n_heads):
    """You cut the tokens into groups, not the width: a head has some of the tokens, with all their features.

    Every head should see every token. Which axis is to be cut?
    """
    return x.reshape(*x.shape[:-2], n_heads, x.shape[-2] // n_heads, x.shape[-1])


def takes_the_count_for_the_width(x, n_heads):
    """You use n_heads as the width of a head, so there are d_model / n_heads heads.

    n_heads says how many there are. How wide is one, then?
    """
    return np.swapaxes(x.reshape(*x.shape[:-1], -1, n_heads), -3, -2)


def cuts_right(x, n_heads):
    return np.swapaxes(x.reshape(*x.shape[:-1], n_heads, -1), -3, -2)


# join_heads(x): x (..., n_heads, n, d_head)


def joins_without_moving_the_axis(x):
    """You reshape straight away. The shape is as it should be, but the first row is made of head 0's first tokens.

    reshape keeps the reading order. Which two axes have to lie side by side, the heads first, before they merge?
    """
    return x.reshape(*x.shape[:-3], x.shape[-2], -1)


def joins_feature_by_feature(x):
    """Your rows alternate between the heads: first feature of each head, then the second of each.

    split_heads gave head 0 the first d_head features. In which order do the heads and features have to stand?
    """
    return np.moveaxis(x, -3, -1).reshape(*x.shape[:-3], x.shape[-2], -1)


def adds_the_heads(x):
    """You add the heads, so the width stays d_head and nobody can tell them apart any more.

    Adding comes later, inside the product with W_O. How wide is a token when its heads lie side by side?
    """
    return x.sum(axis=-3)


def averages_the_heads(x):
    """You average the heads, so the width stays d_head and nobody can tell them apart any more.

    W_O would have nothing left to weigh. How wide is a token when its heads lie side by side?
    """
    return x.mean(axis=-3)


def joins_below_each_other(x):
    """You put the heads below each other: there are n_heads times as many rows.

    There should be one row for each token. Along which axis do the heads of a token lie side by side?
    """
    return x.reshape(*x.shape[:-3], -1, x.shape[-1])


def does_not_merge(x):
    """Your heads stand behind the tokens, but they are still an axis of their own.

    Two axes are left to become one. Which function does that without moving a number?
    """
    return np.swapaxes(x, -3, -2)


# shape_of_head_scores: x (2, 7, 30), context (2, 11, 30), 5 heads


def one_map_for_all_heads():
    """There is one table for all heads here.

    Each head scores by itself. How many tables has a sample, then?
    """
    return (2, 7, 11)


def scores_of_the_whole_width():
    """This is a shape of queries, cut into heads: its last axis counts features.

    A score belongs to a query and a key. What does the last axis of the scores count?
    """
    return (2, 5, 7, 6)


def scores_among_x():
    """Here x looks at itself.

    The keys come from the context. How many are there?
    """
    return (2, 5, 7, 7)


def keys_look_at_queries():
    """Here the context asks: its 11 tokens have a row each.

    Rows belong to those who ask. Who is that?
    """
    return (2, 5, 11, 7)


def heads_after_the_tokens():
    """Here the heads stand behind the queries.

    @ works on the last two axes and takes all before them as batch. Where do the heads stand, then?
    """
    return (2, 7, 5, 11)


# rank_of_scores: 20 tokens, d_model 24, 6 heads


def rank_of_the_tokens():
    """The table has 20 rows, but it is a product of two narrow ones.

    A product has no more rank than its inner size. What is the inner size of Q Kᵀ in one head?
    """
    return 20


def rank_of_the_model():
    """24 is the width of all heads together.

    One head has only its part of it. What is the inner size of Q Kᵀ in one head?
    """
    return 24


def rank_of_the_heads():
    """6 is the number of heads.

    Each head makes its own table. What is the inner size of Q Kᵀ in one of them?
    """
    return 6


# line_that_mixes_tokens


def blames_the_inputs():
    """Line 1 makes queries, keys and values: x @ W is the usual form.

    A row of the output must depend on no token it may not see. Which line puts one in all the same?
    """
    return 1


def blames_the_split():
    """Line 2 cuts the width, then moves the heads in front of the tokens: both steps are there.

    What comes in (batch, heads, n, d_head) has to go back the same way. Which line does not?
    """
    return 2


def blames_the_weights():
    """Line 3 scales by the width of one head and runs softmax over the keys, with the future hidden.

    So the weights are right. Which later line brings tokens into a row that the weights kept out?
    """
    return 3


def blames_the_blend():
    """In line 4 tokens meet as they should, by their weights, and the shape is (batch, heads, n, d_head).

    The next step should make (batch, n, d_model). In which order do the axes stand there?
    """
    return 4


def blames_W_O():
    """Line 6 multiplies each row by W_O: it mixes features of one row, never two rows.

    So the rows were made before. Which line makes them?
    """
    return 6
