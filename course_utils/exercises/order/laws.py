"""Laws that the answers to ``08_order`` have to keep: each gives a sentence when it is broken, else None."""

import numpy as np


def the_first_row_is_0_1_0_1(run, arguments, value):
    right = np.arange(value.shape[1]) % 2
    if not np.allclose(value[0], right, atol=1e-6):
        return f"Position 0 has the angle 0 everywhere, so its row is {right.tolist()}; yours is another."
    return None


def lengths_stay(run, arguments, value):
    before, after = (np.linalg.norm(a, axis=-1) for a in (arguments[0], value))
    return None if np.allclose(before, after) else "A rotation keeps the length of every vector; yours changes one."


def only_distances_count(run, arguments, value):
    *arrays, query_positions, key_positions = arguments
    moved = run(*arrays, query_positions + 100, key_positions + 100)
    if isinstance(moved, np.ndarray) and moved.shape == value.shape and not np.allclose(moved, value, atol=1e-6):
        return "Move every position by 100, and your output changes: only distances should count."
    return None


def rows_of_weights_sum_to_one(run, arguments, value):
    """For attention: with the identity as values the output is the weights."""
    query, key, _ = arguments
    n = key.shape[-2]
    weights = run(query, key, np.broadcast_to(np.eye(n), (*key.shape[:-2], n, n)).copy())
    if not isinstance(weights, np.ndarray) or weights.shape != (*query.shape[:-1], n):
        return None
    sums = weights.sum(axis=-1)
    off = sums[~np.isclose(sums, 1, atol=1e-4)]
    return f"The weights of a row have to sum to 1, but yours sum to {off[0]:.4g} here." if off.size else None


def the_past_stays(run, arguments, value):
    later = [array.copy() for array in arguments]
    for array in later:
        array[..., -1, :] += 1
    moved = run(*later)
    if isinstance(moved, np.ndarray) and not np.allclose(moved[..., :-1, :], value[..., :-1, :], atol=1e-6):
        return "Change the last token, and your earlier rows change: they have seen the future."
    return None


def earlier_rows_stay(run, arguments, value):
    """For the cache: the last row of x has no part in the outputs before it."""
    later = arguments[0].copy()
    later[-1] += 1
    moved = run(later, *arguments[1:])
    if isinstance(moved, np.ndarray) and not np.allclose(moved[:-1], value[:-1], atol=1e-6):
        return "Change the last token, and your earlier rows change: they have seen the future."
    return None


def chunks_do_not_matter(run, arguments, value):
    *arrays, chunks = arguments
    moved = run(*arrays, [sum(chunks)])
    if isinstance(moved, np.ndarray) and moved.shape == value.shape and not np.allclose(moved, value, atol=1e-6):
        return "Cut the same tokens into other chunks, and your output changes: it should not."
    return None


def pairs_are_hands_of_a_clock(run, arguments, value):
    """For the sinusoidal table: columns 2i and 2i + 1 are sine and cosine of p / 10000^(2i/d)."""
    d_model = value.shape[1]
    for pair in range(d_model // 2):
        sine, cosine = value[1, 2 * pair], value[1, 2 * pair + 1]
        if not np.isclose(sine**2 + cosine**2, 1, atol=1e-4):
            return (
                f"Columns {2 * pair} and {2 * pair + 1} should be sine and cosine of one angle. "
                f"At position 1 their squares sum to {sine**2 + cosine**2:.3f}, not to 1."
            )
        angle, right = np.arctan2(sine, cosine), 10000 ** (-2 * pair / d_model)
        if not np.isclose(angle, right, atol=1e-6):
            question = "Which base and exponent do you have there?"
            if pair == 0:  # any base to the power 0 is 1
                question = "No base and no exponent does that. What happens to p before sine and cosine?"
            return (
                f"Pair {pair} should turn by {right:.4f} from one position to the next; at position 1 "
                f"yours stands at {round(angle, 4) + 0.0:.4f}. {question}"
            )
    return None


def a_pair_turns_by_its_angle(run, arguments, value):
    """For a rotation: what becomes of single entries of 1 says which columns are a pair, and how far it turns."""
    d = arguments[0].shape[-1]
    for column in range(d // 2):
        turned = run(np.eye(d)[[column]], np.array([1]))
        if not isinstance(turned, np.ndarray) or turned.shape != (1, d):
            return None
        places = np.flatnonzero(np.abs(turned[0]) > 1e-9).tolist()
        if not set(places) <= {column, column + d // 2}:
            return (
                f"A 1 in column {column} of {d} comes out in the columns {places}. "
                f"It should come out in {column} and {column + d // 2}: they are pair {column}."
            )
        angle = np.arctan2(turned[0, column + d // 2], turned[0, column])
        right = 10000 ** (-2 * column / d)
        if not np.isclose(angle, right, atol=1e-6):
            return (
                f"At position 1 of a width of {d}, pair {column} should turn by {right:.4f}; yours turns by "
                f"{angle:.4f}. What makes that angle in your code?"
            )
    return None


def slopes_can_be_read_off(run, arguments, value):
    """For ALiBi: with equal scores, the weights of the last query say what a step further back costs each head."""
    heads, n, d = arguments[0].shape
    weights = run(np.zeros((heads, n, d)), np.ones((heads, n, d)), np.array([np.eye(n)] * heads))
    if not isinstance(weights, np.ndarray) or weights.shape != (heads, n, n) or np.any(weights[:, -1] <= 0):
        return None
    slopes = np.diff(np.log(weights[:, -1]), axis=-1)
    if not np.allclose(slopes, slopes[:, :1], atol=1e-6) or np.allclose(
        slopes[:, 0], 2.0 ** (-8 / heads * np.arange(1, heads + 1)), atol=1e-6
    ):
        return None
    told = ", ".join(f"{slope:.4g}" for slope in slopes[:, 0])
    which = f"your {heads} heads have the slopes {told}" if heads > 1 else f"your head has the slope {told}"
    return f"When all scores are equal, {which}. Head h of H should have 2^(-8h/H): what is that for the first?"
