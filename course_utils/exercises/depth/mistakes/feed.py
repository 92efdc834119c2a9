"""What goes wrong in the feed-forward part: ``f(x, W_1, b_1, W_2, b_2)``."""

import numpy as np

from course_utils.core.transformer import gelu


def _relu(x):
    return np.maximum(x, 0)


def no_activation(x, W_1, b_1, W_2, b_2):
    """Nothing is bent between the two products, so they are one matrix, W_1 W_2, however wide it is inside.

    A linear map can be folded into the next one. What makes the hidden width worth its price?
    """
    return (x @ W_1 + b_1) @ W_2 + b_2


def gelu_for_relu(x, W_1, b_1, W_2, b_2):
    """You bend with GELU, the soft version that GPT-2 and BERT use. It is valid there.

    Here ReLU is asked for: weights trained with one give other numbers in the other. What does ReLU do to -0.5?
    """
    return gelu(x @ W_1 + b_1) @ W_2 + b_2


def relu_at_the_end(x, W_1, b_1, W_2, b_2):
    """You bend after the second product, not after the first. What goes back to the stream is then never negative.

    A stream that can only grow cannot take anything back. Which of the two products is the wide one, where
    the bend belongs?
    """
    return _relu((x @ W_1 + b_1) @ W_2 + b_2)


def relu_twice(x, W_1, b_1, W_2, b_2):
    """You bend twice, and the second bend cuts everything negative out of the result.

    The block adds this result to the stream, up or down. How many bends does the formula have?
    """
    return _relu(_relu(x @ W_1 + b_1) @ W_2 + b_2)


def relu_on_the_input(x, W_1, b_1, W_2, b_2):
    """You bend the input, before the first product. What is negative in x is lost before anyone has read it.

    The hidden features are what should be switched on and off. After which product do they exist?
    """
    return (_relu(x) @ W_1 + b_1) @ W_2 + b_2


def first_bias_is_missing(x, W_1, b_1, W_2, b_2):
    """The first bias does not enter. It sets the point at which a hidden feature switches on.

    Without it every feature switches at 0. Where does b_1 belong?
    """
    return _relu(x @ W_1) @ W_2 + b_2


def second_bias_is_missing(x, W_1, b_1, W_2, b_2):
    """The second bias does not enter, so a token with no active hidden feature gives zeros.

    What is added after the product with W_2?
    """
    return _relu(x @ W_1 + b_1) @ W_2


def first_bias_after_the_bend(x, W_1, b_1, W_2, b_2):
    """You add the first bias after the bend. It then moves the hidden features, but never switches one on or off.

    What should decide whether a feature is above 0?
    """
    return (_relu(x @ W_1) + b_1) @ W_2 + b_2


def adds_the_residual(x, W_1, b_1, W_2, b_2):
    """You add x itself. The block does that already, so it would be added twice.

    This function gives only what goes *onto* the stream. Which term is one too many?
    """
    return x + _relu(x @ W_1 + b_1) @ W_2 + b_2


def sigmoid_for_relu(x, W_1, b_1, W_2, b_2):
    """You bend with a sigmoid: every hidden feature ends between 0 and 1, and large ones look alike.

    ReLU keeps what is positive as it is. What does it give for 3?
    """
    return 1 / (1 + np.exp(-(x @ W_1 + b_1))) @ W_2 + b_2


def normalised_inside(x, W_1, b_1, W_2, b_2):
    """You normalise x first. In a block that is right, but it is the block's work, and it would happen twice.

    This function is called with a token that is normalised already. Which step is one too many?
    """
    x = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    return _relu(x @ W_1 + b_1) @ W_2 + b_2
