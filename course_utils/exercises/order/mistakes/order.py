"""Values of lesson 08 that come out when a step is left out."""

import math


def score_of_the_sum():
    """That is the cosine of 8: you added the two positions.

    Turn both by 100 more and a sum would change, a score does not. Which combination of 5 and 3 stays?
    """
    return math.cos(8)


def score_by_the_sine():
    """That is the sine of the angle between them.

    A dot product of two unit vectors is 1 if they point the same way. Which function is 1 at angle 0?
    """
    return math.sin(2)


def score_of_the_query_alone():
    """That is the cosine of 5: only the query has been turned.

    The key stands at position 3 and turns, too. What angle is left between the two?
    """
    return math.cos(5)


def score_of_the_key_alone():
    """That is the cosine of 3: only the key has been turned.

    The query stands at position 5 and turns, too. What angle is left between the two?
    """
    return math.cos(3)


def score_without_turning():
    """1 is the score if nothing turns, and nearly 1 if you take the angle as degrees.

    They are two places apart, and the first pair turns by one radian a place. What is the angle between them?
    """
    return 1.0


def score_without_its_sign():
    """The size is right, but your score is positive.

    Two radians are more than a quarter turn. Which sign has the cosine of such an angle?
    """
    return -math.cos(2)


def slopes_begin_at_one():
    """You begin with 1: that is 2 to the power 0.

    The heads count from 1, and the last of eight gets 1/256. What does the first get?
    """
    return [0.5**head for head in range(8)]


def slopes_fall_evenly():
    """Your slopes fall by equal steps. In ALiBi each is the one before times the same factor.

    The first is 1/2 and the last 1/256, with seven steps between. Which factor is it?
    """
    return [(8 - head) / 16 for head in range(8)]


def slopes_are_exponents():
    """These are the exponents. Each slope is 2 to the power of *minus* its exponent.

    What is 2 to the power of -1?
    """
    return [1, 2, 3, 4, 5, 6, 7, 8]


def slopes_with_a_minus():
    """Your slopes are below 0. ALiBi subtracts slope times distance, so with these it would reward distance.

    Where does the minus stand, in the exponent or before the power?
    """
    return [-(0.5**head) for head in range(1, 9)]


def _pairs(length):
    return sum(length < 10000 ** (2 * pair / 64) for pair in range(32))


def counts_the_pairs_that_do_turn():
    """You counted the pairs that complete a turn.

    The slow ones are asked for: those whose wavelength is longer than 2048. How many are left of the 32?
    """
    return 32 - _pairs(2048 / (2 * math.pi))


def counts_columns():
    """You counted columns: each pair has two.

    A head of width 64 has 32 pairs. How many pairs are your columns?
    """
    return 2 * _pairs(2048 / (2 * math.pi))


def forgets_two_pi():
    """You compared 10000^(2i/64) with 2048 as it stands: that is the length of one *radian*.

    A full turn is 2 pi radians. How long is the wavelength, then?
    """
    return _pairs(2048)


def twice_the_length():
    """That is the number for a text of 4096 tokens, twice as long.

    Longer texts let more pairs complete a turn. With which length do you have to compare?
    """
    return _pairs(4096 / (2 * math.pi))
