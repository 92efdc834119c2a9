"""What goes wrong in rotary positions: ``f(x, positions)``, and attention with them.

The first half turns ``x``; ``inside`` puts such a function into attention. The second half is
``f(query, key, value, query_positions, key_positions)``.
"""

import math

import numpy as np

from course_utils.core.positions import rotate
from course_utils.core.scores import softmax


def _turn(x, angles):
    """Each pair (i, i + d/2) turned by its angle; angles (n, d/2)."""
    half = x.shape[-1] // 2
    first, second, cosine, sine = x[..., :half], x[..., half:], np.cos(angles), np.sin(angles)
    return np.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)


def _angles(x, positions, base=10000.0, power=2.0):
    d = x.shape[-1]
    return np.asarray(positions)[..., None] * base ** (-power * np.arange(d // 2) / d)


def neighbours_are_paired(x, positions):
    """You pair neighbours, columns (0, 1), (2, 3) and so on. That layout is valid: the paper, GPT-J and Meta's Llama
    code use it.

    Weights in one layout do not fit the other, and the half-split one is asked for here: the partner of column i
    stands half a width further on. Which column turns with column 0?
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    cosine, sine = np.cos(_angles(x, positions)), np.sin(_angles(x, positions))
    return np.stack([even * cosine - odd * sine, even * sine + odd * cosine], axis=-1).reshape(x.shape)


def takes_neighbours_and_returns_halves(x, positions):
    """You take the pairs from neighbours, (0, 1), (2, 3) and so on, but put them back half a width apart.

    Query and key are mixed up alike, so scores are those of the paper's layout, a valid one. Here position 0 has to
    leave x as it is. Which two columns make pair 0 in the half-split layout?
    """
    even, odd = x[..., 0::2], x[..., 1::2]
    return _turn(np.concatenate([even, odd], axis=-1), _angles(x, positions))


def turns_the_other_way(x, positions):
    """Your pairs turn the other way, by minus the angle. That convention is valid, too, if query and key share it.

    Trained weights expect one direction: here (1, 0) at position 1 becomes (cos 1, sin 1). Which sine has the minus?
    """
    return _turn(x, -_angles(x, positions))


def sine_and_cosine_swapped(x, positions):
    """Sine and cosine have changed places, so position 0 turns every pair by a quarter, and later ones turn back.

    In a score only differences are left, and there it looks like turning the other way. What is the cosine of 0?
    """
    return _turn(x, np.pi / 2 - _angles(x, positions))


def angles_fall_twice_as_fast(x, positions):
    """Your exponent is doubled: np.arange(0, d, 2) is 2i already, and another 2 stands before it.

    Scores still depend on the distance only, but the slow pairs stand nearly still. What should the exponent of the
    last pair be close to?
    """
    return _turn(x, _angles(x, positions, power=4.0))


def angles_fall_half_as_fast(x, positions):
    """Your exponent is i/d, or your base is 100, which is the same: the slow pairs turn up to a hundred times too fast.

    There are d/2 pairs, the exponent of the last comes near 1, and the base has four zeros. Which of the two is another
    in your code?
    """
    return _turn(x, _angles(x, positions, power=1.0))


def base_500000(x, positions):
    """Your base is 500000. Llama 3 uses that, so that its slow pairs last for longer texts; it is valid there.

    Base and weights belong together, and 10000 is asked for here. What happens to the angle of pair 0 if you change it?
    """
    return _turn(x, _angles(x, positions, base=500000.0))


def base_1000(x, positions):
    """Your base is 1000. Every pair but the first turns too fast, and the slow ones come round too soon.

    The longest wavelength should be near 10000 times 2 pi. How many zeros does the base have?
    """
    return _turn(x, _angles(x, positions, base=1000.0))


def angles_grow(x, positions):
    """Your angles grow from pair to pair: the power of 10000 multiplies where it should divide.

    The last pair should be the slowest. Which sign does the exponent need?
    """
    return _turn(x, _angles(x, positions, power=-2.0))


def one_speed_for_all_pairs(x, positions):
    """All your pairs turn by the position itself, at one speed. After 2 pi places they all come round together.

    A clock with one hand cannot tell the hour and the minute. What makes pair i slower than pair 0?
    """
    return _turn(x, _angles(x, positions, power=0.0))


def speeds_of_the_other_layout(x, positions):
    """Your speeds come twice each, side by side, as neighbours need them, but your pairs are half a width apart.

    The two columns of a pair then turn at two speeds, and lengths do not stay. Which columns have to share an angle?
    """
    half = x.shape[-1] // 2
    angles = np.repeat(_angles(x, positions), 2, axis=-1)
    partner = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angles) + partner * np.sin(angles)


def the_minus_is_missing(x, positions):
    """Both your sines are added. That is no rotation: lengths change, and so does the size of the scores.

    A quarter turn takes (0, 1) to (-1, 0). Which of the two sums needs a minus for that?
    """
    half = x.shape[-1] // 2
    partner = np.concatenate([x[..., half:], x[..., :half]], axis=-1)
    angles = np.tile(_angles(x, positions), 2)
    return x * np.cos(angles) + partner * np.sin(angles)


def positions_restart(x, positions):
    """You count the rows 0, 1, 2, and never look at the positions you are given.

    A token that comes later, alone, is row 0 of its array, but it stands at position 7, say. Where does your code
    read where a token stands?
    """
    return _turn(x, _angles(x, np.arange(x.shape[-2])))


def positions_do_not_enter(x, positions):
    """The positions change nothing: what comes out is what came in.

    Then a key far away looks like the same key nearby. Where should the positions come in?
    """
    return x + 0.0


def inside(turn):
    """Attention that turns query and key with ``turn``."""

    def attend(query, key, value, query_positions, key_positions):
        return _attend(turn(query, query_positions), turn(key, key_positions), value)

    return attend


NOT_TURNED = """Query and key are never turned: your output is that of attention without positions.

A key far away then looks like the same key nearby. Which two arrays should turn, and by what?"""

BOTH_WAYS = """Your pairs turn the other way, by minus the angle, or sine and cosine have changed places: in a score
the two are the same. Query and key still agree, so it is a valid convention elsewhere.

Here (1, 0) at position 1 becomes (cos 1, sin 1). What does your rotation make of it?"""


# Attention


def _attend(query, key, value):
    return softmax(query @ key.T / math.sqrt(key.shape[-1])) @ value


def only_the_query_is_turned(query, key, value, query_positions, key_positions):
    """Only the query is turned, so a score depends on where the query stands, not on the distance to the key.

    Move both by 100 places, and your output changes. What else has to turn for the difference to be left?
    """
    return _attend(rotate(query, query_positions), key, value)


def only_the_key_is_turned(query, key, value, query_positions, key_positions):
    """Only the key is turned, so a score depends on where the key stands, not on its distance from the query.

    Move both by 100 places, and your output changes. What else has to turn for the difference to be left?
    """
    return _attend(query, rotate(key, key_positions), value)


def values_are_turned(query, key, value, query_positions, key_positions):
    """Your values are turned as well. The weights are right, but what they blend has changed with its position.

    Move all tokens by 100 places, and the output moves. Which part of attention should know about places?
    """
    if value.shape[-1] % 2:
        value = np.concatenate([rotate(value[:, :-1], key_positions), value[:, -1:]], axis=-1)
    else:
        value = rotate(value, key_positions)
    return _attend(rotate(query, query_positions), rotate(key, key_positions), value)


def does_not_scale(query, key, value, query_positions, key_positions):
    """The rotation is there, but the scores are not divided by sqrt(d_k), so the softmax is too sharp.

    A rotation keeps lengths, so it does not shrink the scores for you. What comes between scores and softmax?
    """
    return softmax(rotate(query, query_positions) @ rotate(key, key_positions).T) @ value


def divides_by_d_k(query, key, value, query_positions, key_positions):
    """The rotation is there, but the scores are divided by d_k, not by its square root.

    Which power of d_k brings the spread of a score back to 1?
    """
    scores = rotate(query, query_positions) @ rotate(key, key_positions).T / key.shape[-1]
    return softmax(scores) @ value


def hides_the_future(query, key, value, query_positions, key_positions):
    """Your queries see only keys at or before their own place: that is a causal mask.

    Here every query may look at every key, and the order comes from the rotation alone. Which line hides some?
    """
    query, key = rotate(query, query_positions), rotate(key, key_positions)
    may = np.asarray(key_positions) <= np.asarray(query_positions)[:, None]
    return softmax(np.where(may, query @ key.T / math.sqrt(key.shape[-1]), -np.inf)) @ value


def softmax_over_the_queries(query, key, value, query_positions, key_positions):
    """Your softmax runs over the queries, so the columns of the weights sum to 1 and the rows do not.

    Each query shares out its attention over the keys. Which axis are the keys?
    """
    query, key = rotate(query, query_positions), rotate(key, key_positions)
    return softmax(query @ key.T / math.sqrt(key.shape[-1]), axis=0) @ value
