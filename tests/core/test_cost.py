import math

import numpy as np
import pytest

from course_utils.core import cost
from course_utils.core.cache import KeyValueCache
from course_utils.core.cost import MODELS, readable


@pytest.mark.parametrize("n_q, n_k", [(1, 1), (11, 11), (5, 7), (7, 5), (1, 13)])
def test_score_entries_are_what_the_mask_allows(n_q, n_k):
    allowed = sum(j - i <= n_k - n_q for i in range(n_q) for j in range(n_k))
    assert cost.score_entries(n_q, n_keys=n_k) == n_q * n_k
    assert cost.score_entries(n_q, n_keys=n_k, n_heads=3, causal=True) == 3 * allowed


def test_entries_of_the_sentence():
    assert [cost.score_entries(n, causal=c) for n in (11, 10, 22) for c in (False, True)] == [
        121, 66, 100, 55, 484, 253,
    ]  # fmt: skip


@pytest.mark.parametrize("n, gibibytes", [(1024, 0.00390625), (4096, 0.0625), (16384, 1), (32768, 4), (65536, 16)])
def test_bytes_of_one_score_matrix(n, gibibytes):
    """In float32; twice that in float64, half in float16."""
    assert cost.score_bytes(n) == gibibytes * 2**30
    assert cost.score_bytes(n, bytes_each=8) == 2 * cost.score_bytes(n) == 4 * cost.score_bytes(n, bytes_each=2)


def test_heads_multiply_the_scores_and_nothing_else():
    for h in (1, 2, 4, 8, 64):
        assert cost.projection_parameters(512, n_heads=h) == 4 * 512**2 == 1_048_576
        assert cost.score_bytes(1024, n_heads=h) == h * 4 * 1024**2
    assert cost.score_entries(4096) == 16_777_216 and cost.score_bytes(4096) == 64 * 2**20
    assert round(cost.score_bytes(4096, n_heads=12) / 1e6) == 805


def test_the_longest_sequence_whose_scores_and_weights_fit():
    """32 heads, bfloat16, two arrays at once, one layer at a time."""
    both = lambda n: 2 * cost.score_bytes(n, n_heads=32, bytes_each=2)
    assert both(13_693) <= 24e9 < both(13_694)
    assert both(25_000) <= 80e9 < both(25_001)


@pytest.mark.parametrize("n, d", [(3, 5), (7, 2), (512, 768)])
def test_flops_are_counted_by_hand(n, d):
    matmul = lambda rows, inner, columns: 2 * rows * inner * columns
    assert cost.attention_flops(n, d) == matmul(n, d, n) + matmul(n, n, d) == 4 * n**2 * d
    assert cost.attention_flops(1, d, n_keys=n) == 4 * n * d
    assert cost.attention_flops(n, d, causal=True) == 2 * n * (n + 1) * d
    assert cost.projection_flops(n, d) == 4 * matmul(n, d, d) == 8 * n * d**2
    assert cost.feed_forward_flops(n, d) == matmul(n, d, 4 * d) + matmul(n, 4 * d, d) == 16 * n * d**2


def total(n, d):
    return cost.attention_flops(n, d) + cost.projection_flops(n, d) + cost.feed_forward_flops(n, d)


@pytest.mark.parametrize(
    "n, d, percent",
    [(512, 768, 10.0), (4096, 768, 47.1), (512, 512, 14.3), (1024, 768, 18.2), (2048, 12288, 2.7), (4096, 4096, 14.3)],
)
def test_the_share_of_the_quadratic_part(n, d, percent):
    assert round(100 * 4 * n**2 * d / (4 * n**2 * d + 24 * n * d**2), 1) == percent
    assert round(100 * cost.attention_flops(n, d) / total(n, d), 1) == percent


def test_bert_base_in_full():
    assert 12 * cost.attention_flops(512, 768) == 9_663_676_416
    assert round(12 * total(512, 768) / 1e9, 1) == 96.6
    assert 12 * cost.attention_flops(512, 768) == 512**2 * 64 * 2 * 2 * 144  # one head's QKᵀ, times all the rest


@pytest.mark.parametrize("n, times", [(512, 2.20), (2048, 2.62), (4096, 2.94), (32768, 3.75)])
def test_doubling_n_multiplies_a_layer(n, times):
    assert round(total(2 * n, 768) / total(n, 768), 2) == times


@pytest.mark.parametrize("d", [64, 512, 768, 1024, 4096, 12288])
def test_at_the_crossover_both_sides_cost_the_same(d):
    n = cost.crossover(d)
    assert n == 2 * d and cost.attention_flops(n, d) == cost.projection_flops(n, d)
    n = cost.crossover(d, feed_forward=True)
    assert n == 6 * d and 2 * cost.attention_flops(n, d) == total(n, d)


def test_the_crossover_of_a_model_with_few_key_heads_and_gates():
    m, n = MODELS["Llama-3-8B"], 26_624
    rest = cost.projection_flops(n, m.d_model, n_heads=m.n_heads, n_kv_heads=m.n_kv_heads)
    rest += cost.feed_forward_flops(n, m.d_model, d_ff=m.d_ff, gated=m.gated)
    assert cost.attention_flops(n, m.d_model) == rest


@pytest.mark.parametrize(
    "name, attention, feed_forward, everything",
    [
        ("BERT-base", 28.3, 56.6, None),
        ("GPT-2 small", 28.3, 56.6, None),
        ("GPT-3", 57982.1, 115964.1, 175e9),
        ("Llama-2-7B", 2147.5, 4328.5, 6.7e9),
        ("Llama-2-70B", 12079.6, 56371.4, 69e9),
        ("Llama-3-8B", 1342.2, 5637.1, 8.0e9),
    ],
)
def test_parameters_of_published_models(name, attention, feed_forward, everything):
    m = MODELS[name]
    assert m.d_head * m.n_heads == m.d_model and m.n_heads % m.n_kv_heads == 0
    heads = {"n_heads": m.n_heads, "n_kv_heads": m.n_kv_heads}
    parts = (
        m.layers * cost.projection_parameters(m.d_model, **heads),
        m.layers * cost.feed_forward_parameters(m.d_model, d_ff=m.d_ff, gated=m.gated),
    )
    assert [round(part / 1e6, 1) for part in parts] == [attention, feed_forward]
    blocks = m.layers * cost.block_parameters(m.d_model, **heads, d_ff=m.d_ff, gated=m.gated)
    assert blocks == sum(parts)
    if everything:  # the size in the model's name or paper, with its embeddings
        tables = m.vocabulary * m.d_model * (2 if m.gated else 1)
        assert math.isclose(blocks + tables, everything, rel_tol=0.01)


def test_a_block_is_twelve_d_squared():
    assert cost.block_parameters(768) == 12 * 768**2
    assert cost.block_parameters(768, d_ff=2048, gated=True) == 12 * 768**2  # 3 * 8/3 = 8


@pytest.mark.parametrize(
    "name, kibibytes_a_token, gibibytes",
    [("Llama-2-7B", 512, 2.0), ("Llama-3-8B", 128, 0.5), ("GPT-2 small", 36, 0.140625)],
)
def test_bytes_of_a_cache(name, kibibytes_a_token, gibibytes):
    m = MODELS[name]
    size = lambda n: cost.cache_bytes(m.layers, n, m.n_kv_heads, m.d_head)
    assert size(1) == kibibytes_a_token * 2**10 and size(4096) == gibibytes * 2**30
    assert cost.cache_bytes(m.layers, 1, 1, m.d_head) * m.n_kv_heads == size(1)  # multi-query
    assert cost.cache_bytes(m.layers, 1, m.n_kv_heads, m.d_head, batch=3, bytes_each=4) == 6 * size(1)


def test_the_formula_and_the_cache_agree():
    cache = KeyValueCache()
    cache.append(*[np.ones((5, 3, 11, 7), dtype=np.float16)] * 2)
    assert cache.nbytes == cost.cache_bytes(1, 11, 3, 7, batch=5)


@pytest.mark.parametrize(
    "number, unit, text",
    [
        (2**31, "B", "2.0 GiB"), (1023, "B", "1023 B"), (1024, "B", "1.0 KiB"), (1024 * 1024 - 1, "B", "1.0 MiB"),
        (16_777_216, "", "16.8 M"), (999, "", "999"), (0, "", "0"), (999_960, "", "1.0 M"), (12.5, "", "12.5"),
        (9_663_676_416, "FLOP", "9.7 GFLOP"), (5e18, "FLOP", "5000.0 PFLOP"), (np.int64(1536), "B", "1.5 KiB"),
    ],
)  # fmt: skip
def test_numbers_are_shown_in_few_letters(number, unit, text):
    assert readable(number, unit) == text


# fmt: off
@pytest.mark.parametrize("call, message", [
    (lambda: cost.score_entries(0), "n must be a whole number of 1 or more, but n is 0"),
    (lambda: cost.score_entries(-3, causal=True), "n must be .* but n is -3"),
    (lambda: cost.score_entries(3, n_keys=2.5), "n_keys must be .* but n_keys is 2.5"),
    (lambda: cost.score_entries(True), "n must be .* but n is True"),
    (lambda: cost.score_bytes(3, batch=0), "batch must be"),
    (lambda: cost.attention_flops(3, "4"), "d_model must be .* but d_model is '4'"),
    (lambda: cost.projection_flops(0, 4), "n must be"),
    (lambda: cost.projection_flops(3, 4, n_heads=3), "d_model must be a multiple of n_heads"),
    (lambda: cost.projection_parameters(12, n_heads=6, n_kv_heads=4), "and n_heads of n_kv_heads, but d_model is 12"),
    (lambda: cost.feed_forward_flops(3, 4, d_ff=0), "d_ff must be"),
    (lambda: cost.cache_bytes(2, 3, 0, 4), "n_kv_heads must be"),
    (lambda: cost.crossover(-1), "d_model must be"),
    (lambda: readable(-1), "number must be 0 or more, but number is -1"),
])
# fmt: on
def test_nonsense_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_crossover_with_shared_heads_is_where_both_cost_the_same():
    for name in ("Llama-2-70B", "Llama-3-8B"):
        shape = cost.MODELS[name]
        heads = {"n_heads": shape.n_heads, "n_kv_heads": shape.n_kv_heads}
        n = cost.crossover(shape.d_model, **heads)
        assert cost.attention_flops(n, shape.d_model) == cost.projection_flops(n, shape.d_model, **heads)
    assert cost.crossover(4096, n_heads=32, n_kv_heads=8) == 4096 + 8 * 128
