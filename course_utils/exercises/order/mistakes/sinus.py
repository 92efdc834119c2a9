"""What goes wrong in the sinusoidal table: ``f(n, d_model)``."""

import numpy as np


def _table(angles):
    """Sines in the even columns, cosines in the odd ones, of angles (n, d_model) for each column."""
    return np.where(np.arange(angles.shape[1]) % 2 == 0, np.sin(angles), np.cos(angles))


def _pairs(d_model):
    return np.arange(d_model) // 2


def every_column_counts_as_a_pair(n, d_model):
    """You double the number of the *column*, so the angles fall twice as fast, and a cosine turns slower than its sine.

    Columns 2 and 3 are one pair and share an angle. Which number do the two have in common?
    """
    return _table(np.arange(n)[:, None] / 10000 ** (2 * np.arange(d_model) / d_model))


def sine_and_cosine_at_different_speeds(n, d_model):
    """Each column has a speed of its own, so no cosine belongs to the sine beside it.

    A shift is a rotation only if both turn by the same angle. Which two columns have to share one?
    """
    return _table(np.arange(n)[:, None] / 10000 ** (np.arange(d_model) / d_model))


def angles_fall_half_as_fast(n, d_model):
    """Your exponent is i/d, or your base is 100, which is the same: the slow hands turn up to a hundred times too fast.

    The exponent runs from 0 to nearly 1, and the base has four zeros. Which of the two is another in your code?
    """
    return _table(np.arange(n)[:, None] / 10000 ** (_pairs(d_model) / d_model))


def base_1000(n, d_model):
    """Your base is 1000. Every pair but the first turns too fast, and the slow ones come round too soon.

    The longest wavelength should be near 10000 times 2 pi. How many zeros does the base have?
    """
    return _table(np.arange(n)[:, None] / 1000 ** (2 * _pairs(d_model) / d_model))


def floor_after_the_division(n, d_model):
    """Your exponent is rounded down: a / d // 2 is (a / d) // 2, and its result is a whole number.

    In most widths the speeds then fall by the factor e from pair to pair, however many pairs there are. Where do the
    brackets belong?
    """
    return _table(np.arange(n)[:, None] * np.exp(_pairs(d_model) * (-np.log(10000.0) / d_model // 2)))


def base_and_exponent_swapped(n, d_model):
    """Base and exponent have changed places, so all pairs but the first turn at nearly the same speed.

    The speeds should fall by the same *factor* from pair to pair. Which of the two numbers stays fixed?
    """
    return _table(np.arange(n)[:, None] * (2 * _pairs(d_model) / d_model) ** 1e-4)


def angles_grow(n, d_model):
    """You multiply the position by the power of 10000, so the later pairs race instead of slowing down.

    The last pair should hardly move from one position to the next. What does the formula do with the power?
    """
    return _table(np.arange(n)[:, None] * 10000 ** (2 * _pairs(d_model) / d_model))


def halves_side_by_side(n, d_model):
    """All your sines stand on the left, all cosines on the right. That layout is valid, and some libraries use it.

    The paper's layout is asked for here: sines and cosines take turns. Which columns are the cosines?
    """
    table = _table(np.arange(n)[:, None] / 10000 ** (2 * _pairs(d_model) / d_model))
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def halves_of_even_width(n, d_model):
    angles = np.arange(n)[:, None] / 10000 ** (2 * np.arange(d_model // 2) / d_model)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def halves_with_the_slowest_at_10000(n, d_model):
    """All your sines stand on the left, all cosines on the right, and the exponent runs up to 1, not nearly 1.

    Tensor2Tensor's table is like that, and valid. The paper's is asked for here: by what does it divide 2i?
    """
    pair = np.arange(d_model // 2)
    angles = np.arange(n)[:, None] / 10000 ** (pair / max(d_model // 2 - 1, 1))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def pads_an_odd_width(n, d_model):
    """For an odd width you make the table one column wider and cut that off again, and your powers use the wider width.

    So all pairs but the first are a little too fast, in odd widths only. Which width does the formula divide by?
    """
    return _table(np.arange(n)[:, None] / 10000 ** (2 * _pairs(d_model) / (d_model + d_model % 2)))


def cosines_first(n, d_model):
    """Cosines stand in your even columns, sines in the odd ones. A model could live with that.

    In the paper's layout, asked for here, position 0 reads 0, 1, 0, 1. With which of the two does it start?
    """
    angles = np.arange(n)[:, None] / 10000 ** (2 * _pairs(d_model) / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.cos(angles), np.sin(angles))


def starts_at_one(n, d_model):
    """Your positions start at 1, so every row is the one that belongs to the next token.

    The first row should be 0, 1, 0, 1, and so on. At which position are all sines 0?
    """
    return _table(np.arange(1, n + 1)[:, None] / 10000 ** (2 * _pairs(d_model) / d_model))


def one_row_for_all(n, d_model):
    """Every row of your table is the same: one position was picked, and each token gets it.

    Added to all tokens, that tells nobody where it stands. How many different rows does the table need?
    """
    return np.repeat(_table(n / 10000 ** (2 * _pairs(d_model)[None] / d_model)), n, axis=0)


def sines_only(n, d_model):
    """There are sines in all your columns. A sine alone rises and falls through the same number twice in a turn.

    With its cosine it fixes the angle, and a shift becomes a rotation. Which columns are the cosines?
    """
    return np.sin(np.arange(n)[:, None] / 10000 ** (2 * _pairs(d_model) / d_model))


def as_many_cosines_as_sines(n, d_model):
    """You make as many cosines as sines. With an odd d_model there is one odd column fewer, and they do not fit.

    Even widths hide it. How many odd numbers lie below 7, and how many even ones?
    """
    table = np.zeros((n, d_model))
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


def stacked_pairs(n, d_model):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


def as_many_sines_as_cosines(n, d_model):
    """You make d_model // 2 sines. With an odd d_model the last column is a sine, too, and it has no numbers.

    Even widths hide it. How many even numbers lie below 7, and how many odd ones?
    """
    table = np.zeros((n, d_model))
    angles = np.arange(n)[:, None] / 10000 ** (2 * np.arange(d_model // 2) / d_model)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table
