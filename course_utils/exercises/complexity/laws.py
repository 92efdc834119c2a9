"""Laws that the answers of ``06_complexity`` have to keep: each gives a sentence when it is broken, else None."""

import numpy as np


def has_two_parts(run, arguments, value):
    """For (n, d_model): says what the count comes to, where it is made of n² d and n d²."""
    sizes = (768, 768), (1536, 768), (512, 384), (96, 1536)  # real widths: some divide them by heads
    counts = [run(*size) for size in sizes]
    if not all(isinstance(count, np.ndarray) and count.shape == () for count in counts):
        return None
    once, twice = (float(count) / 768**3 for count in counts[:2])
    pairs = twice / 2 - once
    rest = once - pairs
    told = [pairs * n * n * d + rest * n * d * d for n, d in sizes]
    if not np.allclose(told, np.array(counts, dtype=float), rtol=1e-6):
        return None
    off = sum(not np.isclose(*pair) for pair in ((pairs, 4), (rest, 24)))
    if not off:
        return "For widths such as 768 your count is right, for this one it is not. Where do you round, with // say?"
    both = "Both are off: how many n-by-n products are there?"
    which = "Which of the two numbers is off?" if off == 1 else both
    return f"Your count comes to {pairs:.4g} n² d + {rest:.4g} n d². {which}"


def ones_give_ones(run, arguments, value):
    """For (query, key, value, block): where all values are 1, so is every blend of them."""
    query, key, values, block = arguments
    output = run(query, key, np.ones_like(values), block)
    if isinstance(output, np.ndarray) and output.shape == value.shape and not np.allclose(output, 1, atol=1e-6):
        odd = output[~np.isclose(output, 1, atol=1e-6)][0]
        return f"Where all values are 1 the output has to be 1, but yours is {odd:.3g}: the weights do not sum to 1."
    return None


def block_does_not_matter(run, arguments, value):
    """For (query, key, value, block): all keys in one block give the same as many blocks."""
    *arrays, block = arguments
    whole = run(*arrays, arrays[1].shape[-2])
    if isinstance(whole, np.ndarray) and whole.shape == value.shape and not np.allclose(whole, value, atol=1e-6):
        return f"With block = {block} your output is another than with all keys in one block; it should not matter."
    return None


def past_stays(run, arguments, value):
    """For (x, ..., chunks): another last token changes nothing before it."""
    x, *rest = arguments
    other = x.copy()
    other[-1] += 1
    edited = run(other, *rest)
    if isinstance(edited, np.ndarray) and edited.shape == value.shape:
        moved = np.flatnonzero(~np.isclose(edited[:-1], value[:-1], atol=1e-6).all(axis=-1))
        if moved.size:
            return f"Row {moved[0]} changes when the last token changes: it sees its future."
    return None


def chunks_do_not_matter(run, arguments, value):
    """For (x, ..., chunks): one chunk gives the same as many."""
    *arrays, chunks = arguments
    whole = run(*arrays, [len(arrays[0])])
    if isinstance(whole, np.ndarray) and whole.shape == value.shape and not np.allclose(whole, value, atol=1e-6):
        return f"With chunks = {chunks} your output is another than with one chunk; it should not matter."
    return None


def without_block(law):
    """A law of (query, key, value), for functions that take a block as well."""
    return lambda run, arguments, value: law(lambda *a: run(*a, arguments[3]), arguments[:3], value)
