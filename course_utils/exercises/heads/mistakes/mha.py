"""What goes wrong in multi-head attention: x (batch, n_q, d_model) in, the same shape out.

Each mistake is ``layer`` with one part changed. Those of the masks are in ``keymask``, those
of plain attention in ``perhead``.
"""

import numpy as np

from course_utils.core.scores import softmax
from course_utils.exercises.engine.exercise import Mistake


def also(known, run):
    """Another way to make a known mistake: the same name and words."""
    known = Mistake.of(known)
    return Mistake(known.name, known.text, run)


# The parts, as they should be. q, k and v are (batch, heads, tokens, width).


def split(x, n_heads):
    return x.reshape(*x.shape[:2], n_heads, -1).transpose(0, 2, 1, 3)


def join(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def on_keys(key_mask, n_heads):
    return key_mask[:, None, None, :]


def past(n_q, n_k):
    return np.tril(np.ones((n_q, n_k), dtype=bool), n_k - n_q)


def blend_values(q, k, v, allowed):
    return softmax(masked_scores(q, k, allowed)) @ v


def masked_scores(q, k, allowed, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    return np.where(allowed, scores, -np.inf)


def attend(q, k, v, n_heads, causal, key_mask, split=split, join=join, blend=blend_values, padding=on_keys):
    """The joined heads, before W_O."""
    allowed = np.array(True)
    if causal:
        allowed = allowed & past(q.shape[1], k.shape[1])
    if key_mask is not None:
        allowed = allowed & padding(key_mask, n_heads)
    return join(blend(split(q, n_heads), split(k, n_heads), split(v, n_heads), allowed))


def layer(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None, **parts):
    context = x if context is None else context
    return attend(x @ W_Q, context @ W_K, context @ W_V, n_heads, causal, key_mask, **parts) @ W_O


# Splitting and joining.


def splits_without_the_transpose(*arguments):
    """You split with one reshape to (batch, heads, n, d_head). The shape is as it should be, the content is not.

    reshape fills the new array in reading order, so one "head" is a slab of tokens, cut up, and they mix. In
    which order do the numbers of x lie in memory?
    """
    return layer(*arguments, split=_slabs)


def joins_without_the_transpose(*arguments):
    """You join with one reshape of (batch, heads, n, d_head): the first row is made of head 0's first tokens.

    Tokens and heads change places, in silence. Which two axes must lie side by side before they become one?
    """
    return layer(*arguments, join=_unslab)


def splits_and_joins_without_the_transpose(*arguments):
    """Neither your split nor your join moves an axis: both only reshape.

    They undo each other, so all shapes fit, but in between a "head" holds pieces of other tokens. What would a
    causal layer see, then?
    """
    return layer(*arguments, split=_slabs, join=_unslab)


def takes_every_nth_feature(*arguments):
    """Your heads take every n_heads-th feature, '(d h)'. That is a valid layout elsewhere, with matrices to match.

    Asked here is the usual one, '(h d)': head 0 has the first d_head features in one piece. Which of the two new
    axes has to come first in the reshape?
    """
    return layer(
        *arguments,
        split=lambda x, h: x.reshape(*x.shape[:2], -1, h).transpose(0, 3, 1, 2),
        join=lambda x: x.transpose(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], -1),
    )


def joins_feature_by_feature(*arguments):
    """You split right, but you join with the heads behind the features: a row alternates between heads.

    W_O expects all features of head 0 first, then those of head 1. In which order do the axes have to stand?
    """
    return layer(*arguments, join=lambda x: x.transpose(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], -1))


def heads_look_at_each_other(*arguments):
    """Your heads stand behind the tokens, (batch, n, heads, d_head), so within each token its heads look at each other.

    @ and the softmax work on the last two axes, and no token sees another. Which two axes should be the last?
    """
    return layer(
        *arguments,
        split=lambda x, h: x.reshape(*x.shape[:2], h, -1),
        join=lambda x: x.reshape(*x.shape[:2], -1),
    )


def one_large_head(*arguments):
    """You do not split at all: there is one head as wide as all of them, and n_heads never enters.

    It has one row of weights for each query. How many should there be?
    """
    return layer(*arguments, split=lambda x, h: x[:, None])


def _slabs(x, n_heads):
    return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


def _unslab(x):
    return x.reshape(x.shape[0], x.shape[2], -1)


def every_head_is_the_first(x, W_Q, W_K, W_V, W_O, n_heads, *rest):
    """All your heads are the same: each takes the first d_head columns of W_Q, W_K and W_V.

    Then several heads see no more than one. Which columns belong to head 1?
    """
    first = (np.tile(W[:, : W.shape[1] // n_heads], n_heads) for W in (W_Q, W_K, W_V))
    return layer(x, *first, W_O, n_heads, *rest)


# What follows the heads.


def forgets_W_O(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """You return the joined heads; W_O never enters.

    Side by side, the heads do not mix: the first features know of head 0 only. Which product is missing?
    """
    context = x if context is None else context
    return attend(x @ W_Q, context @ W_K, context @ W_V, n_heads, causal, key_mask)


def one_average_map(*arguments):
    """All your heads use one map, the average of their weights. (nn.MultiheadAttention returns this average.)

    It is a fine picture, but each head blends by its own map. Along which axis do you average?
    """

    def blend(q, k, v, allowed):
        return softmax(masked_scores(q, k, allowed)).mean(axis=1, keepdims=True) @ v

    return layer(*arguments, blend=blend)


def unpacks_heads_before_the_batch(*arguments):
    """Batch and heads shared one axis, batch first, and you unpack it as (heads, batch).

    Samples then get heads of other samples, without any error. Which of the two varies faster along that axis?
    """

    def join(x):
        batch, heads, n, width = x.shape
        return x.reshape(heads, batch, n, width).transpose(1, 2, 0, 3).reshape(batch, n, -1)

    return layer(*arguments, join=join)


# The matrices and where they belong.


def matrices_transposed(x, W_Q, W_K, W_V, W_O, *rest):
    """You multiply by the transposed matrices, x @ W.T. Square ones let that pass without an error.

    nn.Linear stores its weight turned round and needs it; here W_Q is (d_model, n_heads * d_k). Which product
    fits that?
    """
    return layer(x, W_Q.T, W_K.T, W_V.T, W_O.T, *rest)


def W_O_transposed(x, W_Q, W_K, W_V, W_O, *rest):
    """You multiply by the transpose of W_O. It is (n_heads * d_v, d_model): one row for each joined feature.

    When it is square, nothing complains. Which of its axes has to meet the features?
    """
    return layer(x, W_Q, W_K, W_V, W_O.T, *rest)


def queries_and_keys_swapped(x, W_Q, W_K, W_V, W_O, *rest):
    """W_Q and W_K have changed places: your queries are made with W_K and your keys with W_Q.

    In self-attention each table of scores is then transposed. Which matrix belongs to the one who asks?
    """
    return layer(x, W_K, W_Q, W_V, W_O, *rest)


def values_use_W_K(x, W_Q, W_K, W_V, W_O, *rest):
    """What your heads blend are the keys, x @ W_K; W_V never enters.

    What is matched and what is passed on are then the same. From which product should the values come?
    """
    return layer(x, W_Q, W_K, W_K, W_O, *rest)


def queries_use_W_K(x, W_Q, W_K, W_V, W_O, *rest):
    """Your queries are made with W_K, so W_Q never enters.

    Asking and being found become the same thing. Which line was copied?
    """
    return layer(x, W_K, W_K, W_V, W_O, *rest)


def keys_use_W_Q(x, W_Q, W_K, W_V, W_O, *rest):
    """Your keys are made with W_Q, so W_K never enters.

    Asking and being found become the same thing. Which line was copied?
    """
    return layer(x, W_Q, W_Q, W_V, W_O, *rest)


# Cross-attention.


def sources_swapped(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """The context asks and x answers: the output has a row for each token of the context.

    It should have one for each token of x. From which of the two do the queries come?
    """
    if context is None:
        return layer(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask)
    return layer(context, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask, x)


def ignores_the_context(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """The context never enters: keys and values come from x, which is self-attention.

    Which of the three should be made from the context, if there is one?
    """
    return layer(x, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask)


def only_the_context(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    """Where there is a context, x never enters: queries, keys and values all come from the context.

    Who asks?
    """
    return layer(x if context is None else context, W_Q, W_K, W_V, W_O, n_heads, causal, key_mask)
