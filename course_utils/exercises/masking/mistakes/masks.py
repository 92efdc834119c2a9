"""What goes wrong when masks are built."""

import numpy as np

from course_utils.core.masks import causal_mask

# causal_mask(n_queries, n_keys)


def _triangle(n_queries, n_keys, k=0):
    return np.tril(np.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries + k)


def top_left(n_queries, n_keys):
    """Your triangle starts in the top left corner, as if the queries were the first tokens.

    torch's is_causal does that, too, and there it is valid. Here the queries are the *last* of the keys, as with a
    cache: what should one query on four keys see?
    """
    return np.tril(np.ones((n_queries, n_keys), dtype=bool))


def hides_itself(n_queries, n_keys):
    """The diagonal is hidden: a token cannot see itself, and the first one sees nothing.

    Each token may look at itself and at the past. Is it j < i, or j <= i?
    """
    return _triangle(n_queries, n_keys, -1)


def sees_one_ahead(n_queries, n_keys):
    """Each query sees one key of the future: the token it should predict.

    Look at the first row of a square mask. How many True should it have?
    """
    return _triangle(n_queries, n_keys, 1)


def upper_triangle(n_queries, n_keys):
    """You kept the upper triangle: each query sees itself and the future.

    Row i is a query. Which keys come before it?
    """
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries)


def polarity_reversed(n_queries, n_keys):
    """Your mask says where a query may *not* look: True and False have changed places.

    nn.MultiheadAttention wants it that way; in this course, and in torch's fused call, True means "may look". Which
    one is it on the diagonal?
    """
    return ~_triangle(n_queries, n_keys)


def upper_triangle_hidden(n_queries, n_keys):
    """True marks what is hidden, as masked_fill wants it, and the triangle starts in the top left corner.

    Here True means "may look", and the queries are the last of the keys. What should one query on four keys get?
    """
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=1)


def all_visible(n_queries, n_keys):
    """Every query sees every key: nothing is hidden.

    What may the first of four tokens see?
    """
    return np.ones((n_queries, n_keys), dtype=bool)


def zeros_and_minus_infinity(n_queries, n_keys):
    """You return what is *added* to scores, 0 and -inf. That is a bias, and it would do.

    Here a mask is asked for: True where a query may look. Which comparison gives it?
    """
    return np.where(_triangle(n_queries, n_keys), 0.0, -np.inf)


def square_of_queries(n_queries, n_keys):
    """Your mask is as wide as there are queries.

    Each row says which *keys* may be seen. How many columns does it need?
    """
    return causal_mask(n_queries)


def square_of_keys(n_queries, n_keys):
    """Your mask has a row for each key.

    Only the last of the tokens ask. How many rows does it need?
    """
    return causal_mask(n_keys)


# window_mask(n, width)


def window_one_too_wide(n, width):
    """Your window holds one key more than its width: i - width itself is in it.

    np.triu with -width does that. With a width of 1, what should a token see?
    """
    i, j = np.arange(n)[:, None], np.arange(n)
    return (i - width <= j) & (j <= i)


def window_without_itself(n, width):
    """The token itself is outside its window, and the first token sees nothing.

    The window ends at the token. Does it include it?
    """
    i, j = np.arange(n)[:, None], np.arange(n)
    return (i - width <= j) & (j < i)


def window_too_narrow(n, width):
    """The token itself is missing from your window: with a width of 1 nobody sees anything.

    The window ends at the token. Is it j < i, or j <= i?
    """
    i, j = np.arange(n)[:, None], np.arange(n)
    return (i - width < j) & (j < i)


def window_open_ahead(n, width):
    """Your window has a beginning and no end: the whole future is in it.

    One condition says how far back. Which one is missing?
    """
    i, j = np.arange(n)[:, None], np.arange(n)
    return i - j < width


def window_ignored(n, width):
    """The width has no effect: this is the whole causal mask.

    How far back may token 5 look with a width of 2?
    """
    return causal_mask(n)


def window_to_both_sides(n, width):
    """Your window reaches into the future as well.

    That is right for an encoder. Here the window is causal: which keys have to go?
    """
    i, j = np.arange(n)[:, None], np.arange(n)
    return np.abs(i - j) < width


def window_ahead(n, width):
    """Your window looks ahead: each token sees itself and the tokens after it.

    Rows are queries. Is j before i here, or after it?
    """
    i, j = np.arange(n)[:, None], np.arange(n)
    return (i <= j) & (j < i + width)


def window_polarity_reversed(n, width):
    """True and False have changed places: your mask marks what is hidden.

    In this course True means "may look". Which one is it on the diagonal?
    """
    i, j = np.arange(n)[:, None], np.arange(n)
    return ~((i - width < j) & (j <= i))


# padding_mask(lengths, n_keys)


def _real(lengths, n_keys):
    return np.arange(n_keys) < np.asarray(lengths)[:, None]


def pads_visible(lengths, n_keys):
    """Your mask is True where the pads are.

    True means "may look". Who may be looked at, the tokens or the pads?
    """
    return ~_real(lengths, n_keys)[:, None, :]


def padding_without_query_axis(lengths, n_keys):
    """The axis of the queries is missing: your mask has two axes, (batch, keys).

    Against scores (batch, n_q, n_k) NumPy would read it as (n_q, n_k), and mask one sample with another's pads where
    the sizes happen to fit. Where does an axis of size 1 have to go?
    """
    return _real(lengths, n_keys)


def padding_on_the_query_axis(lengths, n_keys):
    """Your mask hides queries: the axis of size 1 is the last one.

    Pads must not be looked *at*. Which axis of the scores belongs to the keys?
    """
    return _real(lengths, n_keys)[:, :, None]


def one_token_too_many(lengths, n_keys):
    """One pad of each sample stays visible.

    Counting starts at 0: which is the last real token of a sample of length 3?
    """
    return (np.arange(n_keys) <= np.asarray(lengths)[:, None])[:, None, :]


def one_token_too_few(lengths, n_keys):
    """The last real token of each sample is hidden with the pads.

    Counting starts at 0: which is the last real token of a sample of length 3?
    """
    return (np.arange(n_keys) < np.asarray(lengths)[:, None] - 1)[:, None, :]


def pads_on_the_left(lengths, n_keys):
    """Your pads come first, before the tokens.

    Both sides are used in practice; here the pads come after the tokens. Which keys of a sample of length 2 are real?
    """
    return (np.arange(n_keys) >= n_keys - np.asarray(lengths)[:, None])[:, None, :]


def padding_square(lengths, n_keys):
    """Your mask has a row for each query, and there are as many as keys.

    How many queries come is not known here. Which size fits any number of them?
    """
    return np.repeat(_real(lengths, n_keys)[:, None, :], n_keys, axis=1)
