"""What goes wrong in layer normalisation without parameters: ``f(x)``."""

import numpy as np

EPS = 1e-5


def _normed(x, axis=-1):
    centred = x - x.mean(axis=axis, keepdims=True)
    return centred / np.sqrt(x.var(axis=axis, keepdims=True) + EPS)


def variance_with_n_minus_1(x):
    """Your variance divides by n - 1, as for an estimate from a sample. Layer norm describes the token as it is.

    The variance of your rows comes out below 1, the more so the narrower the token. What is the plain mean
    of the squares?
    """
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, ddof=1, keepdims=True) + EPS)


def eps_outside_the_root(x, eps=EPS):
    """You add eps to the standard deviation, after the root. Some well-known code does, and trained weights notice.

    For a token with small features it makes a real difference: inside the root, 0.00001 counts as 0.003.
    Where does eps stand in the formula above?
    """
    return (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + eps)


def no_eps(x):
    """There is no eps. A token whose features are all equal has variance 0, and 0 / 0 is NaN.

    Such a token is rare, but one NaN spreads to everything that reads it. What keeps the divisor above 0?
    """
    return (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)


def another_eps(x, eps=1e-6):
    """Your eps is another, or none enters the root. Models do differ here: BERT has 1e-12, T5 1e-6, GPT-2 1e-5.

    It belongs to the weights, and 0.00001 is asked for. For which tokens does it show?
    """
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


def over_the_tokens(x):
    """You normalise over the axis of tokens: each feature gets mean 0 across the sentence.

    Then a token's numbers depend on the other tokens, in a causal model even on later ones. Which axis
    belongs to one token?
    """
    return _normed(x, axis=-2)


def over_the_first_axis(x):
    """You normalise over the first axis. In a batch that is the batch: sentences now depend on one another.

    That is batch normalisation, which behaves differently once the batch is another. Which axis belongs to one token?
    """
    return _normed(x, axis=0)


def over_the_second_axis(x):
    """You normalise over axis 1. For one sentence that is the features, but in a batch axis 1 holds the tokens.

    Then a token's numbers depend on the other tokens. Which axis holds the features, whatever stands before it?
    """
    return _normed(x, axis=1)


def one_mean_for_everything(x):
    """You take one mean and one variance of the whole array, so all tokens and all sentences share them.

    Change one token, and every other moves. Over which axis does each token have its own?
    """
    return _normed(x, axis=None)


def mean_is_not_subtracted(x):
    """You divide by the root mean square and leave the mean in. That is RMS norm, valid in many recent models.

    Here layer norm is asked for: every token should come out with mean 0. What is missing before the division?
    """
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + EPS)


def divided_by_the_variance(x):
    """You divide by the variance, not by its root. A token twice as large comes out half as large.

    The result should not depend on the size at all. What has the same unit as the features?
    """
    return (x - x.mean(axis=-1, keepdims=True)) / (x.var(axis=-1, keepdims=True) + EPS)


def only_centred(x):
    """You take away the mean, but the size of the token stays as it was.

    Multiply the input by 10, and your output is ten times as large. What has to be divided out?
    """
    return x - x.mean(axis=-1, keepdims=True)


def brought_to_length_one(x):
    """Your tokens have length 1. Their variance is then 1/d, so wider tokens get smaller features.

    Layer norm makes the *mean* of the squares 1, not their sum. Which of the two did you take?
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).sum(axis=-1, keepdims=True) + EPS)


def scaled_but_not_centred(x):
    """You divide by the standard deviation, but the mean is still in there.

    A constant added to all features should not matter, and in your output it does. What comes before the division?
    """
    return x / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)
