"""The claims of ``06_complexity``, worked out again: one function for each, named as in the TOML file."""

import math
import tracemalloc

import numpy as np

from course_utils.core.cost import (
    MODELS,
    block_parameters,
    cache_bytes,
    crossover,
    feed_forward_flops,
    projection_flops,
)
from course_utils.core.cost import attention_flops as pairs
from course_utils.exercises.complexity.streaming import online_attention

LLAMA = MODELS["Llama-2-7B"]


def _layer(n, d):
    return pairs(n, d) + projection_flops(n, d) + feed_forward_flops(n, d)


def two_blocks():
    return round(sum(math.exp(score - 4) for score in (2, 1, 4, 3)), 3)


def exponentials():
    return [round(math.exp(-1), 3), round(math.exp(-4), 3)]


def formula_crossovers():
    for n, rest in (
        (256, projection_flops(256, 128)),
        (768, projection_flops(768, 128) + feed_forward_flops(768, 128)),
    ):
        assert pairs(n, 128) == rest
    return [crossover(128), crossover(128, feed_forward=True)]


def share_of_pairs():
    return [round(100 * pairs(n, d) / _layer(n, d), 1) for n, d in ((512, 768), (2048, 12288))]


def twice_the_tokens():
    return _layer(1024, 768) / _layer(512, 768)


def seven_billion():
    return cache_bytes(LLAMA.layers, 4096, LLAMA.n_kv_heads, LLAMA.d_head) / 2**30


def weights_of_seven_billion():
    cache = cache_bytes(LLAMA.layers, 4096, LLAMA.n_kv_heads, LLAMA.d_head, batch=32) / 2**30
    block = block_parameters(LLAMA.d_model, n_heads=LLAMA.n_heads, d_ff=LLAMA.d_ff, gated=LLAMA.gated)
    weights = LLAMA.layers * block + 2 * LLAMA.vocabulary * LLAMA.d_model
    return [round(cache), round(2 * weights / 2**30, 1)]


def published_cache():
    printed = 2 * 80 * 8192 * 2
    return [round(printed / 1e6, 2), printed // cache_bytes(80, 1, 8, 128)]


def gpu_balance():
    return [round(312 / 2.0), round(989 / 3.35)]


def bert_positions():
    return MODELS["BERT-base"].context


def _extra_mebibytes(dtype, block):
    arrays = np.random.default_rng(0).normal(size=(3, 1600, 128)).astype(dtype)
    tracemalloc.start()
    online_attention(*arrays, block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def memory_of_blocks():
    blocks = [_extra_mebibytes(dtype, 128) for dtype in (np.float32, np.float64)]
    return [max(blocks) < 10, _extra_mebibytes(np.float32, 1600) > 20]


def rank_of_linear_attention():
    query, key = np.random.default_rng(0).normal(size=(2, 40, 4)) ** 2 + 0.01  # phi is positive
    rank = int(np.linalg.matrix_rank(query @ key.T))
    query[-1], key[:, 0], key[3] = ([1, 1e-9, 1e-9, 1e-9], 1e-9, [1, 1, 1, 1])  # the last token looks up token 3
    weights = query[-1] @ key.T
    return [rank, bool(weights[3] / weights.sum() > 0.99)]
