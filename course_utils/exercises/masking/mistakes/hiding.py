"""What goes wrong when masks are counted, or used by hand."""

import numpy as np

from course_utils.core.scores import softmax

# allowed_pairs()


def counts_all_pairs():
    """You count every pair: 64, and 24 for three keys each.

    The first words have fewer words before them. How many keys may the first word see?
    """
    return [64, 24]


def leaves_out_the_diagonal():
    """You leave out the pairs of a word with itself.

    A word may look at itself: the first one has nothing else. How many pairs are on the diagonal?
    """
    return [28, 13]


def counts_one_key_more():
    """The causal count is right; in the window you count three keys *besides* the word itself.

    A window of 3 has the word itself in it. How many others are left?
    """
    return [36, 26]


# causal_row()


def keeps_the_old_weights():
    """These are the weights of the unmasked row, cut off. They do not sum to 1.

    What the fourth word had is shared out among the three. By which sum do you divide?
    """
    return [0.060, 0.099, 0.270]


def sees_the_fourth_key():
    """Four numbers came: the row of the unmasked map.

    The fourth word is the future. How many words may "machine" see?
    """
    return [0.060, 0.099, 0.270, 0.571]


def gives_the_hidden_a_zero_score():
    """You gave the hidden word the score 0, and exp(0) = 1 went into the sum.

    It should not count at all. Which three numbers make up the sum?
    """
    return [round(float(w), 3) for w in softmax(np.array([0.0, 0.5, 1.5, 0.0]))[:3]]


def shares_equally():
    """You shared out equally: a third each.

    The scores of the three are different. Which has the largest exponential?
    """
    return [0.333, 0.333, 0.333]


# zero_is_no_mask()


def thinks_zero_is_zero():
    """You say that the hidden words get nothing. That would be so if the score were -inf.

    Their score is 0. What is exp(0)?
    """
    return 0.0


def counts_one_hidden_key():
    """That is the weight of one hidden word.

    How many words of the row are in the future?
    """
    return round(float(1 / (3 + np.exp(-1))), 3)


def keeps_the_real_scores():
    """These are the weights without any mask.

    The two scores were replaced by 0. What are the four exponentials now?
    """
    return round(float(softmax(np.array([0.0, -1.0, 1.0, 1.5]))[2:].sum()), 3)
