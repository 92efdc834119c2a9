"""What lets one source serve NumPy and torch: the namespace and the number type to compute in."""

import array_api_compat.numpy  # noqa: F401  (now, and not when the first array comes: it takes a moment)
import numpy as np
from array_api_compat import array_namespace, is_array_api_obj, is_torch_namespace


def working(**arrays):
    """Make arrays ready to compute with: one kind, one floating type, never a half-precision one.

    Takes the arrays by the names their caller knows them by; gives ``(xp, arrays, dtype)``: the namespace
    to call functions of, the arrays in the type to compute in, and the type the result should have.
    float16 and bfloat16 compute in float32 and keep their own type; integers become the default float.
    Raises TypeError, by name, for what is not an array, or for NumPy mixed with torch.
    """
    for name, array in arrays.items():
        if not is_array_api_obj(array):
            raise TypeError(f"{name} is a {type(array).__name__}, not an array: wrap it in np.asarray(...) first")
    try:
        xp = array_namespace(*arrays.values())
    except TypeError:
        kinds = ", ".join(f"{name} from {type(array).__module__}" for name, array in arrays.items())
        raise TypeError(f"arrays of one kind are needed, NumPy or torch, but these are mixed: {kinds}") from None
    default = xp.asarray(0.0).dtype
    floats = [a.dtype for a in arrays.values() if xp.isdtype(a.dtype, "real floating")]
    if len(floats) < len(arrays):
        for name, array in arrays.items():
            if not xp.isdtype(array.dtype, ("bool", "integral", "real floating")):
                raise TypeError(f"{name} has dtype {array.dtype}: real numbers are needed")
        floats.append(default)
    dtype = xp.result_type(*floats)
    compute = xp.float32 if xp.finfo(dtype).bits < 32 else dtype
    return xp, [cast(xp, array, compute) for array in arrays.values()], dtype


def check_counts(**counts):
    """Refuse, by name, what is no whole number of 1 or more."""
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"{name} must be a whole number of 1 or more, but {name} is {count!r}")


def cast(xp, array, dtype):
    """The array in another number type; the same array, not a copy, where it has that type already."""
    return xp.astype(array, dtype, copy=False)


def device_of(xp, array):
    """Keyword arguments that put a new array where ``array`` lives. NumPy has only one place."""
    return {"device": array.device} if is_torch_namespace(xp) else {}
