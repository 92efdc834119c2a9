import numpy as np
import pytest

from course_utils.core.masks import causal_mask


def test_each_query_sees_itself_and_the_past():
    np.testing.assert_array_equal(causal_mask(5), np.tril(np.ones((5, 5), bool)))


def test_the_queries_are_the_last_of_the_keys():
    np.testing.assert_array_equal(causal_mask(1, 4), [[True] * 4])
    np.testing.assert_array_equal(causal_mask(2, 4), [[1, 1, 1, 0], [1, 1, 1, 1]])
    np.testing.assert_array_equal(causal_mask(4, 2), [[0, 0], [0, 0], [1, 0], [1, 1]])


def test_torch_knows_the_same_alignment_as_lower_right():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    bias = pytest.importorskip("torch.nn.attention.bias")
    ones = torch.zeros(1, 3, 2), torch.zeros(1, 5, 2), torch.eye(5)[None]
    theirs = torch.nn.functional.scaled_dot_product_attention(*ones, attn_mask=bias.causal_lower_right(3, 5))
    np.testing.assert_array_equal((theirs[0] > 0).numpy(), causal_mask(3, 5))


def test_a_negative_count_is_refused():
    with pytest.raises(
        ValueError, match="a mask needs counts of 0 or more, but n_queries is -1 and n_keys is -1"
    ):
        causal_mask(-1)
