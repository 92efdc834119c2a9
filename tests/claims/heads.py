"""The claims of ``05_heads``, worked out again: one function for each, named as in the TOML file."""

import inspect

import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.cost import MODELS
from course_utils.core.heads import share_heads, split_heads
from course_utils.core.tokens import worked_example

WORDS, _, X, *PROJECTIONS = worked_example()
WEIGHTS = scaled_dot_product_attention(*(split_heads(X @ W, 2) for W in PROJECTIONS)).weights


def two_widths():
    pytest.importorskip("torch", reason="torch is not installed: the models are not there")
    from course_utils.models.heads import train

    options = inspect.signature(train).parameters
    width = options["width"].default
    return [width, width // 2, options["seeds"].default]


def love_in_both_heads():
    love, (I, machine, learning) = WORDS.index("love"), map(WORDS.index, ("I", "machine", "learning"))
    first, second = WEIGHTS[:, love].round(3)
    assert set(np.argsort(first)[2:]) == {I, machine} and second.argmax() == learning
    return [float(first[I]), float(first[machine]), float(second[learning])]


def zeros_make_an_even_row():
    query = split_heads(X @ PROJECTIONS[0], 2)
    assert not query[1, WORDS.index("I")].any()
    return WEIGHTS[1, WORDS.index("I")].tolist()


def sizes_of_the_shapes():
    return [5 * 6, 5 * 4]


def always_512():
    return [heads * (512 // heads) for heads in (1, 8, 64)]


def heads_of_models():
    heads = [model.n_heads for model in MODELS.values()]
    return [heads[:2], [min(heads[2:]), max(heads[2:])], sorted({model.d_head for model in MODELS.values()})]


def habit():
    return max(abs(model.n_heads * model.d_head - model.d_model) for model in MODELS.values())


def neighbours():
    return share_heads(np.arange(2)[:, None, None], 4).ravel().astype(int).tolist()


def llama_2():
    model = MODELS["Llama-2-70B"]
    return [model.n_heads, model.n_kv_heads]


def llama_3():
    model = MODELS["Llama-3-8B"]
    return [model.d_model, model.n_heads, model.d_head, model.n_kv_heads, model.layers]
