import numpy as np
import pytest

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.cache import KeyValueCache

RANDOM = np.random.default_rng(0)
QUERY, KEY, VALUE = (RANDOM.normal(size=s) for s in ((2, 3, 7, 5), (2, 3, 7, 5), (2, 3, 7, 11)))


@pytest.mark.parametrize("chunks", [[7], [1] * 7, [5, 1, 1], [3, 4], [2, 2, 2, 1], [0, 7]])
def test_any_chunking_equals_the_full_causal_pass(array, chunks):
    """With the causal mask aligned bottom-right."""
    cache, outputs, start = KeyValueCache(), [], 0
    for n in chunks:
        new = slice(start, start + n)
        keys, values = cache.append(array(KEY[..., new, :]), array(VALUE[..., new, :]))
        output = scaled_dot_product_attention(array(QUERY[..., new, :]), keys, values, causal=True).output
        outputs.append(np.asarray(output))
        start += n
        assert cache.length == start
    full = scaled_dot_product_attention(QUERY, KEY, VALUE, causal=True).output
    np.testing.assert_allclose(np.concatenate(outputs, axis=-2), full, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(np.asarray(keys), KEY)
    np.testing.assert_array_equal(np.asarray(values), VALUE)


@pytest.mark.parametrize("dtype, bytes_each", [("float16", 2), ("float32", 4), ("float64", 8)])
def test_the_bytes_are_those_of_the_tokens(array, dtype, bytes_each):
    cache = KeyValueCache()
    assert (cache.length, cache.nbytes) == (0, 0)
    for n in (3, 1, 1):
        keys, values = cache.append(array(KEY[..., :n, :], dtype), array(VALUE[..., :n, :], dtype))
        assert str(keys.dtype).endswith(dtype) and str(values.dtype).endswith(dtype)
    assert cache.nbytes == 2 * 3 * 5 * (5 + 11) * bytes_each
    assert repr(cache) == f"KeyValueCache(length=5, nbytes={480 * bytes_each})"


def test_the_cache_keeps_its_own_numbers(array):
    """Neither the arrays given nor those given back earlier change it, or are changed, later on."""
    cache = KeyValueCache()
    key, value = array(KEY.copy()), array(VALUE)
    early, _ = cache.append(key, value)
    key[...] = 99.0  # the array given, not the cache
    np.testing.assert_array_equal(np.asarray(early), KEY)
    for _ in range(20):
        late, _ = cache.append(array(KEY), array(VALUE))
    np.testing.assert_array_equal(np.asarray(early), KEY)
    np.testing.assert_array_equal(np.asarray(late), np.concatenate([KEY] * 21, axis=-2))


def test_appending_copies_each_token_a_few_times_and_not_once_for_every_later_one():
    """Every move to a larger store copies all tokens so far; doubling makes the moves rare."""
    cache, homes, copied = KeyValueCache(), set(), 0
    one = np.ones((1, 2))
    for n in range(1000):
        keys, _ = cache.append(one, one)
        home = keys.__array_interface__["data"][0]
        if home not in homes:
            homes.add(home)
            copied += n
    assert copied < 2 * 1000 and len(homes) <= 12


def test_an_answer_is_no_copy_of_the_past():
    cache = KeyValueCache()
    cache.append(np.ones((5, 3)), np.ones((5, 3)))
    keys, values = cache.append(np.ones((1, 3)), np.ones((1, 3)))
    assert keys.base is not None and values.base is not None


def ones(*shape):
    return np.ones(shape)


# fmt: off
@pytest.mark.parametrize("key, value, error, message", [
    ([[1.0]], ones(2, 1, 5), TypeError, "key is a list, not an array"),
    (ones(3), ones(2, 1, 5), ValueError, r"key needs axes \(..., tokens, width\), but key is \(3,\)"),
    (ones(2, 1, 4), ones(2, 1, 5), ValueError,
     r"the cache holds keys of shape \(2, n, 3\), but key is \(2, 1, 4\)"),
    (ones(1, 1, 3), ones(1, 1, 5), ValueError, r"the cache holds keys of shape \(2, n, 3\), but key is \(1, 1, 3\)"),
    (ones(2, 1, 3), ones(2, 1, 4), ValueError, r"the cache holds values of shape \(2, n, 5\)"),
    (ones(2, 1, 3), ones(2, 2, 5), ValueError, r"number of tokens, but key is \(2, 1, 3\) and value is \(2, 2, 5\)"),
    (ones(2, 1, 3).astype("float32"), ones(2, 1, 5), TypeError,
     "the cache holds numpy.ndarray of type float64, but key is numpy.ndarray of type float32"),
])
# fmt: on
def test_what_does_not_fit_is_refused_by_name_and_changes_nothing(key, value, error, message):
    cache = KeyValueCache()
    cache.append(ones(2, 4, 3), ones(2, 4, 5))
    with pytest.raises(error, match=message):
        cache.append(key, value)
    assert cache.length == 4
    keys, _ = cache.append(ones(2, 1, 3), ones(2, 1, 5))
    assert keys.shape == (2, 5, 3)


def test_tensors_that_carry_gradients_are_refused():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    key = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(ValueError, match=r"key carries gradients, .* give key.detach\(\)"):
        KeyValueCache().append(key, torch.ones(2, 3))
    cache = KeyValueCache()
    cache.append(torch.ones(2, 3), torch.ones(2, 3))
    with pytest.raises(TypeError, match="the cache holds torch.Tensor .* but key is numpy.ndarray"):
        cache.append(ones(2, 3), ones(2, 3))
