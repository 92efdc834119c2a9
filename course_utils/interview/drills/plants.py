"""Code to be written or mended: a readable reference for each exercise, and mistakes to plant in it.

A plant is an edit of one line. A test proves each: the reference is judged right, the edited code is judged wrong
with the plant's name.
"""

from collections.abc import Sequence
from typing import NamedTuple

from course_utils.interview.drills import references


class Plant(NamedTuple):
    """``old`` stands once in the reference; ``new`` in its place makes the mistake ``mistake``."""

    mistake: str
    old: str
    new: str


class Subject(NamedTuple):
    """An exercise as an interview task: ``task`` says what to write, ``given`` which names are there."""

    exercise: str
    topic: str
    level: int
    minutes: int
    task: str
    given: Sequence[str]
    reference: str
    plants: Sequence[Plant]


SUBJECTS = [
    Subject(
        exercise="softmax",
        topic="scaling",
        level=2,
        minutes=8,
        task=(
            "softmax along `axis`, for scores of any shape, also of size 1000 or -2000. It gives a new array of the "
            "same shape."
        ),
        given=["np"],
        reference=references.SOFTMAX,
        plants=[
            Plant("softmax/forgets_the_maximum", "x - x.max(axis=axis, keepdims=True)", "x"),
            Plant("softmax/one_maximum_for_all", "x.max(axis=axis, keepdims=True)", "x.max()"),
            Plant("softmax/loses_the_axis", "sum(axis=axis, keepdims=True)", "sum(axis=axis)"),
            Plant("softmax/takes_the_smallest_away", "x.max(", "x.min("),
            Plant("softmax/takes_the_mean_away", "x.max(", "x.mean("),
            Plant("softmax/takes_the_largest_size_away", "x.max(", "np.abs(x).max("),
            Plant("softmax/columns_by_default", "axis=-1", "axis=0"),
            Plant("softmax/works_in_place", "shifted = x - x.max(axis=axis, keepdims=True)",
                  "shifted = np.subtract(x, x.max(axis=axis, keepdims=True), out=x)"),
        ],
    ),
    Subject(
        exercise="attention",
        topic="example",
        level=2,
        minutes=12,
        task=(
            "Scaled dot-product attention. query (..., n_q, d_k), key (..., n_k, d_k), value (..., n_k, d_v), any "
            "batch axes. Give the output only, (..., n_q, d_v). Say the shape after each line."
        ),
        given=["np", "math", "softmax"],
        reference=references.ATTENTION,
        plants=[
            Plant("core/does_not_scale", "scores / math.sqrt(d_k)", "scores"),
            Plant("core/divides_by_d_k", "math.sqrt(d_k)", "d_k"),
            Plant("core/multiplies_by_the_root", "scores / math", "scores * math"),
            Plant("core/scales_by_the_value_width", "d_k = query.shape[-1]", "d_k = value.shape[-1]"),
            Plant("core/scales_by_the_number_of_keys", "d_k = query.shape[-1]", "d_k = key.shape[-2]"),
            Plant("core/scales_by_the_number_of_queries", "d_k = query.shape[-1]", "d_k = query.shape[-2]"),
            Plant("core/scales_by_the_second_axis", "d_k = query.shape[-1]", "d_k = query.shape[1]"),
            Plant("core/softmax_over_the_queries", "softmax(scaled, axis=-1)", "softmax(scaled, axis=-2)"),
            Plant("core/softmax_over_the_first_axis", "softmax(scaled, axis=-1)", "softmax(scaled, axis=0)"),
            Plant("core/softmax_twice", "return weights @ value", "return softmax(weights) @ value"),
            Plant("core/weights_transposed", "return weights @", "return np.swapaxes(weights, -1, -2) @"),
            Plant("core/queries_and_keys_swapped", "query @ np.swapaxes(key, -1, -2)",
                  "key @ np.swapaxes(query, -1, -2)"),
            Plant("core/blends_the_keys", "weights @ value", "weights @ key"),
            Plant("core/reverses_all_axes", "np.swapaxes(key, -1, -2)", "key.T"),
        ],
    ),
    Subject(
        exercise="masked_attention",
        topic="masking",
        level=3,
        minutes=20,
        task=(
            "Attention with masks. mask (boolean, True = may look) broadcasts to the scores; bias is added to the "
            "scaled scores; causal is aligned bottom-right; scale replaces 1/sqrt(d_k). A query that may look at "
            "nothing gives zeros, and `softmax` does that for a row of -inf; `causal_mask` is aligned bottom-right. "
            "Give the output only."
        ),
        given=["np", "math", "softmax", "causal_mask"],
        reference=references.MASKED,
        plants=[
            Plant("core/does_not_scale", "1 / math.sqrt(query.shape[-1])", "1"),
            Plant("core/divides_by_d_k", "math.sqrt(query.shape[-1])", "query.shape[-1]"),
            Plant("core/softmax_over_the_queries", "axis=-1", "axis=-2"),
            Plant("masking/mask_inverted", "allowed & mask", "allowed & ~mask"),
            Plant("masking/multiplies_the_scores", "np.where(allowed, scores, -np.inf)", "scores * allowed"),
            Plant("masking/fills_with_minus_10", "-np.inf", "-10"),
            Plant("masking/fills_with_minus_1e4", "-np.inf", "-1e4"),
            Plant("masking/fills_with_minus_1e9", "-np.inf", "-1e9"),
            Plant("masking/causal_replaces_the_mask", "allowed & causal_mask", "causal_mask"),
            Plant("masking/mask_replaces_causal", "    if causal:", "    elif causal:"),
            Plant("masking/causal_top_left", "causal_mask(*scores.shape[-2:])",
                  "np.tri(*scores.shape[-2:], dtype=bool)"),
            Plant("masking/causal_upside_down", "& causal_mask(*scores.shape[-2:])",
                  "& causal_mask(*scores.shape[-2:])[::-1, ::-1]"),
            Plant("core/softmax_twice", "return weights @", "return softmax(weights) @"),
        ],
    ),
    Subject(
        exercise="multi_head_attention",
        topic="heads",
        level=3,
        minutes=20,
        task=(
            "Multi-head attention. x (batch, n, d_model), W_Q, W_K, W_V (d_model, n_heads * d_head), W_O back to "
            "d_model. context replaces x for keys and values; key_mask (batch, n_keys) is True for real tokens; causal "
            "hides later tokens. Give the output only, (batch, n, d_model). Say the shape after each line."
        ),
        given=["np", "math", "softmax"],
        reference=references.MULTI_HEAD,
        plants=[
            Plant("mha/splits_without_the_transpose", "n, n_heads, width // n_heads).swapaxes(1, 2)",
                  "n_heads, n, width // n_heads)"),
            Plant("mha/joins_without_the_transpose", "output.swapaxes(1, 2).reshape(", "output.reshape("),
            Plant("mha/forgets_W_O", "return joined @ W_O", "return joined"),
            Plant("mha/values_use_W_K", "split(source @ W_V)", "split(source @ W_K)"),
            Plant("mha/queries_use_W_K", "split(x @ W_Q)", "split(x @ W_K)"),
            Plant("mha/keys_use_W_Q", "split(source @ W_K)", "split(source @ W_Q)"),
            Plant("mha/ignores_the_context", "split(source @ W_K), split(source @ W_V)",
                  "split(x @ W_K), split(x @ W_V)"),
            Plant("keymask/padding_hides_queries", "key_mask[:, None, None, :]", "key_mask[:, None, :, None]"),
            Plant("keymask/mask_upside_down", "& key_mask", "& ~key_mask"),
            Plant("keymask/hides_itself_too", "np.tril(allowed)", "np.tril(allowed, k=-1)"),
            Plant("keymask/sees_one_token_ahead", "np.tril(allowed)", "np.tril(allowed, k=1)"),
            Plant("keymask/hides_the_past", "np.tril(allowed)", "np.triu(allowed)"),
            Plant("perhead/scales_by_d_model", "math.sqrt(query.shape[-1])", "math.sqrt(x.shape[-1])"),
            Plant("perhead/softmax_over_the_heads", "-np.inf))", "-np.inf), axis=1)"),
            Plant("core/does_not_scale", " / math.sqrt(query.shape[-1])", ""),
        ],
    ),
    Subject(
        exercise="grouped_query_attention",
        topic="heads",
        level=3,
        minutes=15,
        task=(
            "Grouped-query attention. query (batch, heads, n_q, d_k), key and value (batch, kv_heads, n_k, ...): "
            "neighbouring query heads share a key/value head, [0, 0, 1, 1]. Counts that do not divide raise a "
            "ValueError whose words name both numbers. Give the output only."
        ),
        given=["np", "math", "softmax"],
        reference=references.GROUPED,
        plants=[
            Plant("gqa/tiles_the_values_only", "np.repeat(value, group, axis=1)", "np.tile(value, (1, group, 1, 1))"),
            Plant("gqa/tiles_the_keys_only", "np.repeat(key, group, axis=1)", "np.tile(key, (1, group, 1, 1))"),
            Plant("core/does_not_scale", " / math.sqrt(query.shape[-1])", ""),
            Plant("core/divides_by_d_k", "math.sqrt(query.shape[-1])", "query.shape[-1]"),
            Plant("core/softmax_over_the_queries", "softmax(scores)", "softmax(scores, axis=-2)"),
            Plant("core/softmax_twice", "weights @ values", "softmax(weights) @ values"),
            Plant("core/blends_the_keys", "weights @ values", "weights @ keys"),
        ],
    ),
    Subject(
        exercise="online_attention",
        topic="complexity",
        level=4,
        minutes=25,
        task=(
            "Attention that sees the keys `block` at a time and never holds the whole score matrix. The last block may "
            "be shorter. query (..., n_q, d_k), key (..., n_k, d_k), value (..., n_k, d_v). The result is exact."
        ),
        given=["np", "math"],
        reference=references.ONLINE,
        plants=[
            Plant("online/output_not_rescaled", "output = output * shrink + ", "output = output + "),
            Plant("online/sum_not_rescaled", "total = total * shrink + ", "total = total + "),
            Plant("online/forgets_the_larger_maximum", "np.maximum(top, scores.max(axis=-1, keepdims=True))",
                  "scores.max(axis=-1, keepdims=True)"),
            Plant("online/divides_by_the_last_sum", "total = total * shrink + ", "total = "),
            Plant("online/never_divides", "return output / total", "return output"),
            Plant("core/does_not_scale", " / math.sqrt(key.shape[-1])", ""),
        ],
    ),
    Subject(
        exercise="cached_attention",
        topic="complexity",
        level=4,
        minutes=25,
        task=(
            "Causal attention of one head with a key-value cache. x (n, d_model) arrives in chunks of the given sizes; "
            "each chunk attends to all keys so far. Give all outputs, (n, d_v): they equal those of one full pass. "
            "`causal_mask` is aligned bottom-right."
        ),
        given=["np", "math", "softmax", "causal_mask"],
        reference=references.CACHED,
        plants=[
            Plant("cache/never_masks", "np.where(allowed, scores, -np.inf)", "scores"),
            Plant("cache/mask_aligned_at_the_top", "causal_mask(size, len(key))", "np.tri(size, len(key)) > 0"),
            Plant("cache/queries_use_W_K", "chunk @ W_Q", "chunk @ W_K"),
            Plant("cache/blends_the_keys", "weights @ value", "weights @ key"),
            Plant("cache/no_scale", " / math.sqrt(key.shape[-1])", ""),
            Plant("cache/divides_by_d_k", "math.sqrt(key.shape[-1])", "key.shape[-1]"),
            Plant("cache/scales_by_d_model", "math.sqrt(key.shape[-1])", "math.sqrt(x.shape[-1])"),
            Plant("cache/keys_in_front_values_behind", "[key, chunk @ W_K]", "[chunk @ W_K, key]"),
            Plant("cache/keys_behind_values_in_front", "[value, chunk @ W_V]", "[chunk @ W_V, value]"),
            Plant("cache/softmax_over_the_queries", "-np.inf))", "-np.inf), axis=-2)"),
        ],
    ),
]  # fmt: skip
