"""What goes wrong with scaled scores and their variance."""

import math

import numpy as np

from course_utils.core.scores import softmax

# scaled_scores(query, key)


def scores_unscaled(query, key):
    """These are the plain scores: nothing is divided.

    Their spread grows with d_k. By what do you divide to bring it back to 1?
    """
    return query @ np.swapaxes(key, -1, -2)


def scores_over_d_k(query, key):
    """You divide by d_k, not by its square root.

    The variance of a score is d_k. What is its standard deviation?
    """
    return query @ np.swapaxes(key, -1, -2) / key.shape[-1]


def scores_over_root_n(query, key):
    """You divide by the square root of the number of keys.

    A score is one dot product, however many others there are. How many terms does it sum?
    """
    return query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-2])


def scores_times_root(query, key):
    """You multiply by sqrt(d_k); dividing by d_k ** -0.5 does that, too.

    The spread should shrink. Which sign does the power need?
    """
    return query @ np.swapaxes(key, -1, -2) * math.sqrt(key.shape[-1])


def scores_reverse_all_axes(query, key):
    """.T turns round all axes of a batched array, the batch included.

    How do you swap the last two axes only?
    """
    return query @ key.T / math.sqrt(key.shape[-1])


def scores_turned_round(query, key):
    """Your table is transposed: each row belongs to a key.

    Rows belong to the one who asks. Which comes first in the product?
    """
    return key @ np.swapaxes(query, -1, -2) / math.sqrt(key.shape[-1])


def scores_over_eight(query, key):
    """You divide by 8, which is right for d_k = 64 only.

    d_k can be read off the arrays. Which of their sizes is it?
    """
    return query @ np.swapaxes(key, -1, -2) / 8


def scores_over_root_n_q(query, key):
    """You divide by the square root of the number of queries.

    A score is one dot product, however many others there are. How many terms does it sum?
    """
    return query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[-2])


def softmax_already(query, key):
    """These are weights: you have taken the softmax already.

    Here only the scaled scores are asked for. Which line is one too many?
    """
    return softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(key.shape[-1]))


# variance_of_scores(query, key): (n, d_k) twice -> a number


def deviation_for_variance(query, key):
    """This is the standard deviation, the square root of what was asked.

    The variance is the mean of the *squared* distances from the mean. Which NumPy method gives it?
    """
    return (query * key).sum(axis=-1).std()


def variance_of_products(query, key):
    """You measure the variance of single products, before they are summed.

    A score is the sum of d_k of them. Along which axis do you sum first?
    """
    return (query * key).var()


def variance_of_all_pairs(query, key):
    """You take every query with every key.

    Row i of the queries belongs to row i of the keys here: n scores, not n times n. Which product pairs rows?
    """
    return (query @ key.T).var()


def sums_the_wrong_axis(query, key):
    """You sum over the pairs, not over the d_k terms of each dot product.

    A score sums along the width of its vectors. Which axis is that?
    """
    return (query * key).sum(axis=0).var()


def mean_of_scores(query, key):
    """This is the mean of the scores; it is near 0 whatever d_k is.

    The question is how far they spread around it. Which number tells that?
    """
    return (query * key).sum(axis=-1).mean()


def divides_by_n_minus_1(query, key):
    """You divide by n - 1, as for an estimate from a sample.

    The text asks for the mean of the squared distances, divided by n. Which option of your function says so?
    """
    return (query * key).sum(axis=-1).var(ddof=1)


def the_theory_instead(query, key):
    """You return d_k, the variance that theory promises.

    Here it is to be measured from these rows. What are the n scores?
    """
    return query.shape[-1]


def variance_of_one_number(query, key):
    """You sum everything into one number, and one number has no variance.

    There is one score for each row. Along which axis do you sum?
    """
    return (query * key).sum().var()


# Values


def variance_is_the_root():
    """8 is the standard deviation, the square root of 64.

    Variances of independent terms add up. How many terms of variance 1 are there?
    """
    return 8


def variance_stays_one():
    """1 would be the variance of one product, or of the scores after scaling.

    A score is a sum of 64 products. What happens to variances when independent terms are added?
    """
    return 1


def variance_of_d_model():
    """512 is a usual d_model, the width of a token.

    The dot product runs over the width of one head. How wide is a key here?
    """
    return 512


def variance_squared():
    """4096 is 64 squared, as if all 64 terms were the same number.

    Terms that are independent partly cancel. What adds up for them: values, or variances?
    """
    return 4096


def copies_the_published_weight():
    """0.9995 is the number that was printed. It does not follow from these scores.

    The gap between the two best scores is 3.8. What is exp(-3.8), and what share does that leave to the best?
    """
    return 0.9995


def softmax_of_scaled_instead():
    """You scaled the scores first; here the row without scaling is asked for.

    Take the softmax of the four numbers as they stand. What is the largest weight now?
    """
    scores = np.exp((np.array([45.2, 48.1, 51.9, 44.3]) - 51.9) / 8)
    return float(scores[2] / scores.sum())


def share_of_the_scores():
    """You divided the score by the sum of the scores.

    The exponentials come first. What remains when you take 51.9 away from all four?
    """
    return 51.9 / (45.2 + 48.1 + 51.9 + 44.3)
