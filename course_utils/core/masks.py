"""Who may look at whom: boolean masks, True = may look."""

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
        raise ValueError(
            f"a mask needs counts of 0 or more, but n_queries is {n_queries} and n_keys is {n_keys}"
        )
    positions = np.arange(n_queries) + (n_keys - n_queries)
    return np.arange(n_keys) <= positions[:, None]
