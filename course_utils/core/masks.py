"""Who may look at whom: boolean masks, True = may look."""

import functools
import operator

import numpy as np


def causal_mask(n_queries, n_keys=None):
    """The mask that hides the future: boolean (n_queries, n_keys), True = may look.

    The queries are the *last* of the keys (aligned bottom-right): with 1 query on 4 keys it sees all four,
    as a token generated with a cache must. torch's ``is_causal`` is aligned top-left: there it would see
    only the first. Without ``n_keys`` the mask is square and the two agree.

    A NumPy array; ``torch.from_numpy`` makes it a tensor. Raises ValueError for a negative count.

    >>> causal_mask(2, 3).astype(int).tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    n_keys = n_queries if n_keys is None else n_keys
    if n_queries < 0 or n_keys < 0:
        raise ValueError(f"a mask needs counts of 0 or more, but n_queries is {n_queries} and n_keys is {n_keys}")
    positions = np.arange(n_queries) + (n_keys - n_queries)
    return np.arange(n_keys) <= positions[:, None]


def padding_mask(lengths, n_keys, *, side="right"):
    """The mask that hides padding: boolean (batch, 1, n_keys), True = may look.

    ``lengths`` (batch,) has the number of real tokens of each sample; the other keys are pads, behind them
    (``side="right"``) or before them ("left"). The middle axis stands for all queries: pads are hidden as
    keys. What a pad gets as a query is nobody's business. Raises ValueError for a length that does not fit.

    >>> padding_mask([3, 1], 3).astype(int).tolist()
    [[[1, 1, 1]], [[1, 0, 0]]]
    """
    lengths = np.asarray(lengths)
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu":
        raise ValueError(f"lengths must be a list of whole numbers, one for each sample, but it is {lengths!r}")
    if np.any(lengths < 0) or np.any(lengths > n_keys):
        raise ValueError(f"each length must be between 0 and n_keys = {n_keys}, but lengths is {lengths.tolist()}")
    if side not in ("right", "left"):
        raise ValueError(f'side says where the pads are, "right" or "left", but it is {side!r}')
    keys = np.arange(n_keys)
    real = keys < lengths[:, None] if side == "right" else keys >= n_keys - lengths[:, None]
    return real[:, None, :]


def window_mask(n, width):
    """The causal mask that reaches back ``width`` keys only, itself included: i - width < j <= i.

    Boolean (n, n), True = may look. Raises ValueError for a width below 1: a token would not see itself.

    >>> window_mask(4, 2).astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    if width < 1:
        raise ValueError(f"width must be at least 1, the token itself, but it is {width}")
    return causal_mask(n) & (np.arange(n) > np.arange(n)[:, None] - width)


def document_mask(documents):
    """The mask that keeps documents packed into one sequence apart: boolean (n, n), True = may look.

    ``documents`` (n,) has for each token the number of its document.

    >>> document_mask([0, 0, 1]).astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    """
    documents = np.asarray(documents)
    if documents.ndim != 1:
        raise ValueError(f"documents must have one axis, a number for each token, but it is {documents.shape}")
    return documents[:, None] == documents


def combined_mask(*masks):
    """One mask from several: a query may look where *all* of them say so. ``None`` is left out.

    The masks are boolean and broadcast; without any, the result is None. Raises TypeError for a mask that is
    not boolean and ValueError for shapes that do not fit.

    >>> combined_mask(causal_mask(2), padding_mask([1], 2)).astype(int).tolist()
    [[[1, 0], [1, 0]]]
    """
    masks = [mask for mask in masks if mask is not None]
    for mask in masks:
        if str(getattr(mask, "dtype", "")).removeprefix("torch.") != "bool":
            kind = getattr(mask, "dtype", type(mask).__name__)
            raise TypeError(f"masks to combine must be boolean arrays (True = may look), but one is {kind}")
    try:
        np.broadcast_shapes(*(tuple(mask.shape) for mask in masks))
    except ValueError:
        shapes = ", ".join(str(tuple(mask.shape)) for mask in masks)
        raise ValueError(f"masks to combine must broadcast, but their shapes are {shapes}") from None
    return functools.reduce(operator.and_, masks) if masks else None
