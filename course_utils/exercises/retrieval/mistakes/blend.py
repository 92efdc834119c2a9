"""What goes wrong in telling a fair blend: outside_the_values(output (n_q, d_v), values (n_k, d_v)) -> boolean."""

ROUNDING = 1e-9


def compares_across_columns(output, values):
    """You compare with the smallest and largest entry of the whole table of values.

    Each column is blended by itself: pages on travel never mix with pages on repair. Along which axis do
    you look for the smallest?
    """
    return (output < values.min() - ROUNDING) | (output > values.max() + ROUNDING)


def smallest_of_each_row(output, values):
    """You take the smallest and largest of each row, with axis=1. A row is one key.

    A blend mixes the keys, column by column. Which axis runs over the keys?
    """
    return (output < values.min(axis=1) - ROUNDING) | (output > values.max(axis=1) + ROUNDING)


def takes_first_and_last(output, values):
    """You compare with the first and the last value of each column, as if the values were sorted.

    They come in any order. What gives the smallest of a column, wherever it stands?
    """
    return (output < values[0] - ROUNDING) | (output > values[-1] + ROUNDING)


def only_looks_above(output, values):
    """You find outputs above the largest value, but not those below the smallest.

    A negative weight can push a blend down. Which second comparison is missing?
    """
    return output > values.max(axis=0) + ROUNDING


def only_looks_below(output, values):
    """You find outputs below the smallest value, but not those above the largest.

    Weights above 1 can push a blend up. Which second comparison is missing?
    """
    return output < values.min(axis=0) - ROUNDING


def edges_count_as_outside(output, values):
    """You call an output outside when it equals the smallest or largest value.

    All weight on one key gives exactly that value, and it is a fair blend. Is "or equal" meant?
    """
    return (output <= values.min(axis=0)) | (output >= values.max(axis=0))


def no_room_for_rounding(output, values):
    """You leave no room for rounding: a blend of 0.1 and 0.1 can come out as 0.1 and a tiny bit.

    A right blend would then count as outside. How much room did the text ask you to leave?
    """
    return (output < values.min(axis=0)) | (output > values.max(axis=0))


def tells_inside(output, values):
    """Your True and False are turned round: you mark what lies inside.

    The name says outside. Which sign turns a boolean array round?
    """
    return (output >= values.min(axis=0) - ROUNDING) & (output <= values.max(axis=0) + ROUNDING)
