"""What goes wrong when counts become shares."""

import numpy as np


def divides_by_the_largest(counts):
    """You divide by the largest count, so the largest share is always 1.

    Shares have to add up to 1 together. What do yours add up to?
    """
    return counts / counts.max()


def divides_by_how_many(counts):
    """You divide by how many counts there are, not by what they add up to.

    With other counts the result no longer sums to 1. What is the total of [1, 3]?
    """
    return counts / len(counts)


def in_percent(counts):
    """These are percentages: they add up to 100.

    Shares add up to 1. What would you change in the last step?
    """
    return 100 * counts / counts.sum()


def rounded(counts):
    """Your shares are whole numbers: // divides and then rounds down.

    Nearly every share becomes 0. Which operator keeps the fraction?
    """
    return counts // counts.sum()


def forgets_to_divide(counts):
    """The counts come back as they went in.

    They add up to the total, not to 1. What turns a count into its part of the total?
    """
    return np.asarray(counts)


def counts_only_others():
    """110 leaves out the word itself: each word also meets its own key.

    How many keys does each of the 11 queries meet?
    """
    return 110


def counts_the_words_twice():
    """22 adds the queries and the keys: 11 + 11.

    Every query meets every key. How many pairs are there?
    """
    return 22


def counts_causal_pairs():
    """66 is how many pairs the causal mask leaves, with each word seeing itself and what came before.

    The question is about all pairs. How many does one full row have?
    """
    return 66


def counts_both_layers():
    """242 counts both layers; the question is about one.

    How many scores does one layer compute?
    """
    return 242
