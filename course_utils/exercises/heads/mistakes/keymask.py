"""What goes wrong with the masks of multi-head attention.

``key_mask`` (batch, n_keys) is True where a key may be looked at: it belongs on the last axis of the scores
(batch, heads, n_q, n_keys), for all heads and queries of its sample.
"""

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.heads.mistakes.mha import also, attend, layer, masked_scores, on_keys, past


def tiles_the_mask(*arguments):
    """Batch and heads share one axis, and your mask is tiled along it: [m0, m1, m0, m1]. The samples need
    [m0, m0, m1, m1].

    So a sample is masked with another sample's padding. Which entries of that axis belong to sample 0?
    """
    return layer(*arguments, padding=_tiled)


def padding_hides_queries(*arguments):
    """Your padding mask lies on the queries: it empties the rows of the pads, and everyone still looks at the pads.

    A pad's own row is read by nobody. What should be hidden is the pad as a key: which axis of the scores is that?
    """
    return layer(*arguments, padding=lambda mask, h: mask[:, None, :, None])


def padding_fills_query_rows(*arguments):
    """Your padding mask lies on the queries: the rows of the pads come out even, and everyone still looks at the pads.

    A pad's own row is read by nobody. What should be hidden is the pad as a key: which axis of the scores is that?
    """
    return layer(*arguments, padding=lambda mask, h: mask[:, None, :, None], blend=_filled(-1e9))


def key_mask_on_queries_too(*arguments):
    """Your key_mask lies on the keys, as it should, and on the queries as well.

    Without a context only the pads' own rows change, which nobody reads; with one, it does not even fit. Whom
    does a key_mask speak of?
    """
    return layer(*arguments, padding=_both_ways)


def _on_queries_too_with_a_large_number(*arguments):
    return layer(*arguments, padding=_both_ways, blend=_filled(-1e9))


def _both_ways(mask, h):
    return on_keys(mask, h) & mask[:, None, :, None]


def _filled(number):
    """A blend in which a hidden score is replaced by a number."""
    return lambda q, k, v, allowed: softmax(np.where(allowed, masked_scores(q, k, True), number)) @ v


def zeroes_the_padded_values(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """The pads add nothing to your output, but they still take their share: the weights left over sum to less than 1.

    So it is when their values are set to 0, or their weights after the softmax. At which step do you hide a key
    so that its share goes to the others?
    """
    context = x if context is None else context
    value = context @ W_V
    if key_mask is not None:
        value = value * key_mask[:, :, None]
    return attend(x @ W_Q, context @ W_K, value, n_heads, causal, None) @ W_O


def ignores_the_padding(*arguments):
    """key_mask changes nothing: the pads are looked at like real tokens.

    What a sample gets then depends on how long its neighbours in the batch are. Where does key_mask come in?
    """
    return layer(*arguments, padding=lambda mask, h: np.array(True))


def one_mask_for_all_samples(*arguments):
    """All your samples are hidden by the key_mask of the first.

    The lengths of texts in a batch differ. Which axis of key_mask are the samples, and where does it go?
    """
    return layer(*arguments, padding=lambda mask, h: mask[0])


def takes_the_batch_for_queries(*arguments):
    """Your (batch, n_keys) mask meets the scores as if its first axis were the queries.

    With as many samples as queries nothing complains, and query i gets the padding of sample i; else it raises.
    Where have axes of size 1 to go?
    """
    return layer(*arguments, padding=lambda mask, h: mask)


def mask_upside_down(*arguments):
    """You hide the keys that are True in key_mask, and keep the pads.

    Here True means: may look. (nn.MultiheadAttention has it the other way round.) What does your mask say of a pad?
    """
    return layer(*arguments, padding=lambda mask, h: on_keys(~mask, h))


def hides_with_a_score_of_zero(*arguments):
    """A hidden key has a score of about 0 in your code, so it still gets weight: exp(0) is 1.

    That is so for a score times 0, and for 1e-9. Which score has the exponential 0?
    """
    return layer(*arguments, blend=_filled(0))


def hides_with_minus_ten(*arguments):
    """A hidden key has a score in your code that real scores can come near, or fall below: then it gets their weight.

    So it is with -10, and with -100 when a row's scores are as low as that. Which score has the exponential 0,
    whatever the others are?
    """
    return layer(*arguments, blend=_filled(-10))


def empties_the_rows_of_pads(*arguments):
    """You hide the pads as keys, which is asked for, and as queries too: their rows have no key left, and 0/0 is NaN.

    Nobody reads a pad's own row. Does it need a mask?
    """
    return rows_of_pads_zeroed(*arguments) + np.where(_pads(*arguments), np.nan, 0)


def rows_of_pads_zeroed(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """You hide the pads as queries, too. Nobody reads their rows, so that is allowed, and not needed.

    Mind that such a row has no key left: a softmax without a guard makes NaN of it.
    """
    arguments = x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context
    return np.where(_pads(*arguments), 0, layer(*arguments))


def rows_of_pads_averaged(*arguments):
    """You hide the pads as queries, too. Nobody reads their rows, so that is allowed, and not needed.

    Mind that such a row has no key left: with -1e9 it becomes the average of all keys, the hidden ones included.
    """
    if arguments[8] is not None:
        return layer(*arguments)
    return layer(*arguments, blend=_filled(-1e9), padding=_both_ways)


def _pads(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Which rows of the output belong to pads of x, (batch, n_q, 1)."""
    none = np.zeros((*x.shape[:2], 1), dtype=bool)
    return none if key_mask is None or context is not None else ~key_mask[:, :, None]


def either_mask_is_enough(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Where both masks are there, you hide a key only if both hide it: they are joined with OR.

    A key may be looked at if it is real and not in the future. Which operator says that?
    """
    if not causal or key_mask is None:
        return layer(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context)
    earlier = past(x.shape[1], x.shape[1])
    return layer(
        x, W_Q, W_K, W_V, W_O, n_heads, False, key_mask, padding=lambda mask, h: on_keys(mask, h) | earlier
    )


def padding_replaces_causal(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """With a key_mask, causal is forgotten: then every token sees the future.

    Both may be asked for at once. Does your code come past both, or stop after the first?
    """
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, causal and key_mask is None, key_mask, context)


def causal_replaces_padding(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """When causal is True, the key_mask is forgotten: then the pads are looked at.

    Both may be asked for at once. Does your code come past both, or stop after the first?
    """
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, causal, None if causal else key_mask, context)


def ignores_causal(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """causal=True changes nothing: every token still sees the future.

    Where does causal come into your code?
    """
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, False, key_mask, context)


def always_causal(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Your layer hides the future always, also when causal is False.

    Where does causal come into your code?
    """
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, True, key_mask, context)


def always_causal_from_the_top_left(
    x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None
):
    """Your layer hides keys by a triangle always, also when causal is False, and in a context, too.

    A context is no future: each query may look at all of it. Where does causal come into your code?
    """
    n_keys = (x if context is None else context).shape[1]
    mask = np.ones((len(x), n_keys), dtype=bool) if key_mask is None else key_mask
    triangle = np.tri(x.shape[1], n_keys) > 0
    return layer(
        x, W_Q, W_K, W_V, W_O, n_heads, False, mask, context, padding=lambda m, h: on_keys(m, h) & triangle
    )


def hides_itself_too(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Your causal mask hides the token itself as well, so the first one has nothing left to look at.

    A token may look at itself. Does your triangle contain the diagonal?
    """
    return _triangle(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context, np.tri(x.shape[1], k=-1) > 0)


def sees_one_token_ahead(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Your causal mask leaves one future token open, the very one that would have to be predicted.

    Which diagonal is the last that may stay?
    """
    return _triangle(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context, np.tri(x.shape[1], k=1) > 0)


def hides_the_past(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """With causal=True your tokens see the future and not the past: the triangle is upside down.

    Row 0 may see key 0 only. Which half of the square is that?
    """
    return _triangle(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context, np.tri(x.shape[1]).T > 0)


def _tiled(key_mask, n_heads):
    return np.tile(key_mask, (n_heads, 1)).reshape(len(key_mask), n_heads, 1, -1)


def _triangle(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context, triangle, **parts):
    """The layer with another triangle where it is causal."""
    if not causal:
        return layer(x, W_Q, W_K, W_V, W_O, n_heads, False, key_mask, context, **parts)
    mask = np.ones(x.shape[:2], dtype=bool) if key_mask is None else key_mask
    parts["padding"] = lambda m, h: on_keys(m, h) & triangle
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, False, mask, **parts)


# The same mistakes, made another way: in one of the two masks only, or with a number for -inf.


def _fills(causal_number, padding_number):
    """The layer in which each of the two masks replaces a hidden score by a number of its own."""

    def run(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
        def blend(q, k, v, allowed):
            scores = masked_scores(q, k, True)
            if causal:
                scores = np.where(past(*scores.shape[-2:]), scores, causal_number)
            if key_mask is not None:
                scores = np.where(on_keys(key_mask, n_heads), scores, padding_number)
            return softmax(scores) @ v

        return layer(x, W_Q, W_K, W_V, W_O, n_heads, False, None, context, blend=blend)

    return run


def _other_triangle(draw, **parts):
    """The layer with a triangle drawn by another function of n where it is causal."""

    def run(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
        triangle = draw(x.shape[1]) > 0
        return _triangle(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, context, triangle, **parts)

    return run


def _upside_down_with_a_large_number(*arguments):
    return layer(*arguments, padding=lambda mask, h: on_keys(~mask, h), blend=_filled(-1e9))


NEVER = -1e9
MADE_ANOTHER_WAY = [
    also(key_mask_on_queries_too, _on_queries_too_with_a_large_number),
    also(mask_upside_down, _upside_down_with_a_large_number),
    also(hides_with_a_score_of_zero, _fills(0, NEVER)),
    also(hides_with_a_score_of_zero, _fills(NEVER, 0)),
    *(also(hides_with_minus_ten, _fills(*pair)) for n in (-10, -100) for pair in ((n, NEVER), (NEVER, n))),
    *(also(hides_with_minus_ten, _fills(n, n)) for n in (-12, -15, -100)),
    also(hides_itself_too, _other_triangle(lambda n: np.tri(n, k=-1), blend=_filled(NEVER))),
    also(hides_the_past, _other_triangle(lambda n: np.tri(n, k=-1).T)),
    also(hides_the_past, _other_triangle(lambda n: np.tri(n, k=-1).T, blend=_filled(NEVER))),
]
