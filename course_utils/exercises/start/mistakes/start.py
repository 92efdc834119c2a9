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
    """462 leaves out the word itself: each word also meets its own key.

    How many keys does each of the 22 queries meet?
    """
    return 22 * 21


def doubles_the_scores():
    """242 is twice the number for eleven words.

    There are twice as many queries, and each meets twice as many keys. By how much does the product grow?
    """
    return 2 * 121


def counts_the_words_twice():
    """44 adds the queries and the keys: 22 + 22.

    Every query meets every key. How many pairs are there?
    """
    return 44


def counts_causal_pairs():
    """253 is how many pairs the causal mask leaves, with each word seeing itself and what came before.

    The question is about all pairs. How many does one full row have?
    """
    return 22 * 23 // 2


def counts_both_layers():
    """968 counts both layers; the question is about one.

    How many scores does one layer compute?
    """
    return 2 * 22 * 22


def counts_eleven_words():
    """121 is the number for the sentence in the explorer.

    This one is twice as long. How many words ask, and how many are asked?
    """
    return 121


def counts_the_words():
    """22 is how many words there are.

    Each of them asks every word. How many scores is that?
    """
    return 22


def forgets_the_street():
    """0.192 is what is left after "animal"; "street" has a share, too.

    What do you have to take away from 1, then?
    """
    return 1 - 0.808


def adds_up_the_two():
    """0.895 is what the two nouns have together.

    The row sums to 1. What remains for the others?
    """
    return 0.808 + 0.087


def shares_the_rest_out():
    """0.012 is the share of one of the nine words, if the rest is shared out evenly.

    The question is about all nine together. How much is left before it is shared out?
    """
    return round((1 - 0.808 - 0.087) / 9, 3)


def goes_beyond_one():
    """A row sums to 1, so nothing more than 1 can be given away.

    How much of the 1 is already given to the two nouns?
    """
    return 1 + 0.808 + 0.087
