"""What comes in, checked: words and matrices, refused with a sentence that says what to do."""

import numpy as np


def words(name, given):
    """A list of texts, or TypeError."""
    if isinstance(given, str):
        raise TypeError(f"{name} needs a list of words, but it is the text {given!r}: write {given!r}.split()")
    given = list(given)
    wrong = [word for word in given if not isinstance(word, str)]
    if wrong:
        raise TypeError(f"{name} needs a list of words, but it holds {wrong[0]!r}: make it a text, str({wrong[0]!r})")
    if not given:
        raise ValueError(f"{name} needs at least one word, but it is empty")
    return given


def shape_of(name, given):
    """The shape of an array, a tensor or lists, or TypeError if the lists are not equally long."""
    try:
        return tuple(np.shape(given))
    except ValueError:
        raise TypeError(f"{name} needs rows of the same length, but it is {given!r:.60}") from None


def matrix(name, given, shape, meaning):
    """A read-only float array of that shape, or an error that says what each side stands for."""
    try:
        array = np.array(_numpy(given), dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} needs numbers, {meaning}, but it is {type(given).__name__}: {given!r:.60}") from None
    _check_shape(name, array, shape, meaning)
    return _kept(array)


def finite(name, given, shape, meaning, remedy):
    """The same, and no NaN or infinity."""
    array = matrix(name, given, shape, meaning)
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)][0]
        raise ValueError(f"{name} needs finite numbers, but it holds {bad}: {remedy}")
    return array


def mask(given, shape, meaning):
    """A read-only boolean array of that shape, or an error."""
    array = np.array(_numpy(given))
    if array.dtype != bool:
        raise TypeError(f"mask has dtype {array.dtype}: use a boolean mask (True = may look), for example mask == 1")
    _check_shape("mask", array, shape, meaning)
    return _kept(array)


def rows(array):
    """An array as lists that survive JSON: NaN and infinities become texts."""
    if array is None or array.dtype == bool:
        return None if array is None else array.tolist()
    return [
        [x if np.isfinite(x) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(x), "NaN") for x in row]
        for row in array.tolist()
    ]


def _numpy(given):
    """A tensor as an array, without importing torch."""
    if not hasattr(given, "detach"):
        return given
    tensor = given.detach().cpu()
    return (tensor.double() if tensor.is_floating_point() else tensor).numpy()


def _check_shape(name, array, shape, meaning):
    if array.shape != shape:
        remedy = f"; choose one of the batch or of the heads, {name}[0]" if array.ndim > len(shape) else ""
        raise ValueError(f"{name} needs the shape {shape}, {meaning}, but it is {array.shape}{remedy}")


def _kept(array):
    array.setflags(write=False)
    return array
