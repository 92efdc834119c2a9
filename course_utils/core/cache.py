"""Keys and values kept while a model generates: the past is projected once, not again for every new token."""

import math

from array_api_compat import array_namespace, is_array_api_obj

from course_utils.core.arrays import device_of


class KeyValueCache:
    """All keys and values so far, of one layer. Append those of the new tokens, attend to what comes back.

    Works because attention is causal: a new token changes nothing about the keys and values before it.
    ``length`` counts the tokens, ``nbytes`` the bytes their keys and values take. For generating, not for
    training: tensors that carry gradients are refused.

    >>> import numpy as np
    >>> cache = KeyValueCache()
    >>> keys, values = cache.append(np.ones((2, 3)), np.ones((2, 5)))
    >>> keys, values = cache.append(np.ones((1, 3)), np.ones((1, 5)))
    >>> keys.shape, values.shape, cache.length, cache.nbytes
    ((3, 3), (3, 5), 3, 192)
    """

    def __init__(self):
        self.length = 0
        self._key = self._value = None  # room for more tokens than there are, doubled when it is full

    def append(self, key, value):
        """Add key (..., n, d_k) and value (..., n, d_v) of n new tokens; gives (all keys, all values).

        What comes back are views of the cache: read them, do not write into them. The arrays given are copied.
        Raises TypeError or ValueError, by name, where kind, number type or shape differ from those so far.
        """
        for name, array, store in (("key", key, self._key), ("value", value, self._value)):
            _check(name, array, store)
        if key.shape[:-1] != value.shape[:-1]:
            raise ValueError(
                "key and value need the same batch axes and number of tokens, "
                f"but key is {tuple(key.shape)} and value is {tuple(value.shape)}"
            )
        self._key = _store(self._key, self.length, key)
        self._value = _store(self._value, self.length, value)
        self.length += key.shape[-2]
        return self._key[..., : self.length, :], self._value[..., : self.length, :]

    @property
    def nbytes(self):
        """Bytes of the keys and values of all tokens so far (not of the room kept for more)."""
        if self._key is None:
            return 0
        return sum(
            math.prod(store.shape[:-2]) * self.length * store.shape[-1] * store.dtype.itemsize
            for store in (self._key, self._value)
        )

    def __repr__(self):
        return f"KeyValueCache(length={self.length}, nbytes={self.nbytes})"


def _store(store, length, new):
    """The store with the new tokens written behind the first ``length``; a larger one if they do not fit."""
    xp, needed = array_namespace(new), length + new.shape[-2]
    if store is None or needed > store.shape[-2]:
        # Twice the size, so that n tokens cost about 2 n copies and not n * n / 2.
        room = (*new.shape[:-2], max(needed, 2 * length), new.shape[-1])
        larger = xp.empty(room, dtype=new.dtype, **device_of(xp, new))
        if store is not None:
            larger[..., :length, :] = store[..., :length, :]
        store = larger
    store[..., length:needed, :] = new
    return store


def _check(name, array, store):
    if not is_array_api_obj(array):
        raise TypeError(f"{name} is a {type(array).__name__}, not an array: wrap it in np.asarray(...) first")
    if array.ndim < 2:
        raise ValueError(f"{name} needs axes (..., tokens, width), but {name} is {tuple(array.shape)}")
    if getattr(array, "requires_grad", False):
        raise ValueError(f"{name} carries gradients, and a cache is for generating: give {name}.detach()")
    if store is None:
        return
    if type(store) is not type(array) or store.dtype != array.dtype:
        raise TypeError(
            f"the cache holds {_kind(store)} of type {store.dtype}, but {name} is {_kind(array)} of type {array.dtype}"
        )
    (*batch, _, width), (*new_batch, _, new_width) = store.shape, array.shape
    if batch != new_batch or width != new_width:
        fits = ", ".join(map(str, (*batch, "n", width)))
        raise ValueError(f"the cache holds {name}s of shape ({fits}), but {name} is {tuple(array.shape)}")


def _kind(array):
    return f"{type(array).__module__}.{type(array).__name__}"
