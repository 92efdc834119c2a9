"""Laws that the answers of ``09_depth`` have to keep: each gives a sentence when it is broken, else None."""

import numpy as np

from course_utils.core.transformer import layer_norm


def always_above_0(run, arguments, value):
    return "A ratio of two weights is above 0, but yours is not." if value <= 0 else None


def the_same_key_twice(run, arguments, value):
    query, key, _ = arguments
    twice = run(query, key, key)
    if isinstance(twice, np.ndarray) and not np.allclose(twice, 1):
        return f"With the same key twice both weights are the same, so the ratio is 1. Yours is {twice:.3g}."
    return None


def the_better_key_is_ahead(run, arguments, value):
    query, key, other_key = arguments
    if query @ key > query @ other_key and value < 1:
        return "Here key fits the query better than other_key, so the ratio is above 1. Yours is below."
    return None


def one_edge_at_a_time(run, arguments, value):
    hidden = []

    def watched(mask):
        hidden.append(np.argwhere(~mask))
        return arguments[0](mask)

    run(watched)
    if all(map(len, hidden)):
        return "None of your masks is True everywhere, so what the model scores uncut is never measured."
    for edges in hidden:
        if len(edges) > 1:
            return f"One of your masks hides {len(edges)} edges at once. One edge at a time is asked."
        for layer, row, column in edges:
            if layer or column != 10:
                place = f"mask[{layer}, {row}, {column}]"
                return f"You cut {place}. Layer 1 is mask[0], and the adjective stands in column 10."
    return None


def tokens_have_mean_0_and_variance_1(run, arguments, value):
    spread = np.asarray(arguments[0]).var(axis=-1)
    if value.shape != np.shape(arguments[0]) or spread.min() < 0.1:
        return None
    if np.abs(value.mean(axis=-1)).max() > 1e-6:
        return "Each token should have mean 0 over its features, and yours has not."
    if np.abs(value.var(axis=-1) - 1).max() > 1e-3:
        return "Each token should have variance 1 over its features, and yours has not."
    return None


def one_token_at_a_time(run, arguments, value):
    x, *weights = arguments
    alone = run(x[..., :1, :], *weights)
    if isinstance(alone, np.ndarray) and not np.allclose(alone, value[..., :1, :], atol=1e-6):
        return "The first token alone gives another result than among others: here tokens should not meet."
    return None


def silent_parts_change_nothing(run, arguments, value):
    silent = lambda x: np.zeros_like(x)
    alone = run(arguments[0], silent, silent)
    if isinstance(alone, np.ndarray) and not np.allclose(alone, arguments[0]):
        return "With parts that give only zeros, x should come out exactly as it went in; yours changes it."
    return None


def each_part_reads_a_normalised_copy(run, arguments, value):
    x, *parts = arguments
    read = {"attend": [], "feed": []}

    def watched(name, part):
        return lambda x: read[name].append(np.array(x)) or part(x)

    run(x, *map(watched, read, parts))
    for name, copies in read.items():
        if len(copies) != 1:
            often = f"called {len(copies)} times" if copies else "never called"
            return f"{name} is {often} in your block. Each part works once."
    for name, copy, stream in zip(read, read.values(), (x, x + parts[0](layer_norm(x))), strict=True):
        if copy[0].shape != x.shape or not np.allclose(copy[0], layer_norm(stream), atol=1e-6):
            where = "as it comes in" if name == "attend" else "after attention"
            return f"What {name} reads is not the layer norm of the stream {where}."
    return None
