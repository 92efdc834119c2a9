"""What goes wrong when spread is measured: entropy, the Jacobian, scaled scores, variance."""

import math

import numpy as np

# entropy(weights): (..., n) -> (...)


def entropy_without_minus(weights):
    """Your entropy is negative: logarithms of numbers below 1 are negative.

    Spread should be 0 for one key only, and grow. Which sign is missing?
    """
    return np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=-1)


def zero_times_log_zero(weights):
    """There is NaN where a weight is 0: log(0) is minus infinity, and 0 times infinity is undefined.

    A weight of 0 adds nothing to the spread. How can you keep log from seeing it?
    """
    return -np.sum(weights * np.log(weights), axis=-1)


def entropy_in_bits(weights):
    """You use the logarithm to base 2, which gives bits.

    That is a fair unit; here nats are asked for, with log(n) as the largest value. Which logarithm gives that?
    """
    return -np.sum(weights * np.log2(np.where(weights > 0, weights, 1)), axis=-1)


def entropy_of_everything(weights):
    """You sum over all rows, and one number comes out.

    Each row has an entropy of its own. Along which axis do you sum?
    """
    return -np.sum(weights * np.log(np.where(weights > 0, weights, 1)))


def entropy_unweighted(weights):
    """You add up -log(p) without weighting it by p.

    Rare keys then count most. How often does each key come up?
    """
    return -np.sum(np.log(np.where(weights > 0, weights, 1)), axis=-1)


def entropy_down_the_columns(weights):
    """You sum down the columns, over the queries.

    The entropy tells how one query spreads its attention. Which axis holds the keys?
    """
    return -np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=0)


# jacobian(weights): (n,) -> (n, n)


def only_the_diagonal(weights):
    """You give p(1 - p) for each weight: how it moves with its *own* score.

    Raising one score also lowers all other weights. Where are they in your answer?
    """
    return weights * (1 - weights)


def diagonal_matrix(weights):
    """Your matrix has p(1 - p) on the diagonal and 0 elsewhere, as if the weights did not share.

    If one weight grows, what happens to the others, when the sum stays 1?
    """
    return np.diag(weights * (1 - weights))


def only_the_outer_product(weights):
    """You give -p pᵀ only: every weight would fall when any score rises, its own included.

    Each row has to sum to 0. What is missing on the diagonal?
    """
    return -np.outer(weights, weights)


def outer_product_added(weights):
    """You add p pᵀ, so all weights would grow together.

    They share out 1. Which sign do the entries beside the diagonal need?
    """
    return np.diag(weights) + np.outer(weights, weights)


def identity_for_diag(weights):
    """You take away p pᵀ from the identity, so a weight of 0 would still move.

    A key without weight hardly reacts to its score. What belongs on the diagonal instead of 1?
    """
    return np.eye(len(weights)) - np.outer(weights, weights)


def jacobian_negative(weights):
    """All your signs are turned round: a weight would fall when its own score rises.

    Which of the two terms comes first?
    """
    return np.outer(weights, weights) - np.diag(weights)


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
    """4096 is 64 squared, as if every term were 64 times as large.

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
