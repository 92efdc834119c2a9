"""The slips of ``core`` in an attention that has masks, bias and scale: the same names, the same words."""

import inspect
import math

import numpy as np

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.exercises.engine.edits import table
from course_utils.exercises.engine.exercise import Mistake
from course_utils.exercises.shared import core


def _t(array):
    return np.swapaxes(array, -1, -2)


def _slip(
    known,
    *,
    factor=lambda query, key, value: 1 / math.sqrt(query.shape[-1]),
    roles=lambda query, key, value: (query, key, value),
    product=lambda query, key: query @ _t(key),
    normalise=softmax,
    blend=lambda weights, query, key, value: weights @ value,
):
    """Attention with one part replaced, under the name and with the words of ``known``."""

    def run(query, key, value, mask, bias, causal, scale):
        query, key, value = roles(query, key, value)
        scores = product(query, key) * (factor(query, key, value) if scale is None else scale)
        scores = scores + (0 if bias is None else bias)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        if causal:
            scores = np.where(causal_mask(*scores.shape[-2:]), scores, -np.inf)
        return blend(normalise(scores), query, key, value)

    return Mistake(Mistake.of(known).name, inspect.getdoc(known), run)


def _shares(scores, total, shift=0.0):
    exponentials = np.exp(scores - shift)
    return exponentials / total(exponentials)


def _row(table):
    return table.sum(axis=-1, keepdims=True)


def _over_batch(query, key, value):
    return (
        (query, key, value) if query.ndim < 3 else tuple(np.swapaxes(x, 0, -2) for x in (query, key, value))
    )


def _back(weights, query, key, value):
    return weights @ value if query.ndim < 3 else np.swapaxes(weights @ value, 0, -2)


SLIPS = [
    _slip(core.does_not_scale, factor=lambda query, key, value: 1),
    _slip(core.divides_by_d_k, factor=lambda query, key, value: 1 / key.shape[-1]),
    _slip(core.multiplies_by_the_root, factor=lambda query, key, value: math.sqrt(key.shape[-1])),
    _slip(core.scales_by_the_value_width, factor=lambda query, key, value: value.shape[-1] ** -0.5),
    _slip(core.scales_by_the_number_of_keys, factor=lambda query, key, value: key.shape[-2] ** -0.5),
    _slip(core.fourth_root_on_one_side, factor=lambda query, key, value: key.shape[-1] ** -0.25),
    _slip(
        core.scales_after_the_softmax,
        factor=lambda query, key, value: 1,
        blend=lambda weights, query, key, value: weights / math.sqrt(key.shape[-1]) @ value,
    ),
    _slip(core.softmax_over_the_queries, normalise=lambda scores: softmax(scores, axis=-2)),
    _slip(core.softmax_over_the_first_axis, normalise=lambda scores: softmax(scores, axis=0)),
    _slip(core.one_sum_for_the_whole_table, normalise=lambda s: _shares(s, np.sum, s.max())),
    _slip(core.no_softmax, normalise=lambda scores: scores),
    _slip(core.divides_by_the_plain_sum, normalise=lambda scores: scores / _row(scores)),
    _slip(core.exp_overflows, normalise=lambda scores: _shares(scores, _row)),
    _slip(core.one_maximum_for_all_rows, normalise=lambda s: _shares(s, _row, s.max())),
    _slip(core.softmax_twice, normalise=lambda scores: softmax(softmax(scores))),
    _slip(core.weights_transposed, blend=lambda weights, query, key, value: _t(weights) @ value),
    _slip(core.queries_and_keys_swapped, product=lambda query, key: key @ _t(query)),
    _slip(core.key_not_transposed, product=lambda query, key: query @ key),
    _slip(core.blends_the_keys, blend=lambda weights, query, key, value: weights @ key),
    _slip(core.blends_the_queries, blend=lambda weights, query, key, value: weights @ query),
    _slip(core.all_from_the_key, roles=lambda query, key, value: (key, key, key)),
    _slip(core.reverses_all_axes, product=lambda query, key: query @ key.T),
    _slip(core.attends_over_the_batch, roles=_over_batch, blend=_back),
    _slip(core.plain_average, product=lambda query, key: np.zeros((*query.shape[:-1], key.shape[-2]))),
    _slip(core.returns_the_weights, blend=lambda weights, query, key, value: weights),
]


def _hidden_as_zero(scores):
    return np.where(scores == -np.inf, 0.0, scores)


def _guarded(shares):
    return np.nan_to_num(shares)


ONE_TOO_MANY = table("scaling/softmax")[1][None, "one_too_many"]
# The same slips in other dress: a hidden score becomes 0 because without exp -inf is no use, or NaN is put away.
DRESSED = [
    _slip(core.no_softmax, normalise=_hidden_as_zero),
    _slip(core.divides_by_the_plain_sum, normalise=lambda s: _hidden_as_zero(s) / _row(_hidden_as_zero(s))),
    _slip(
        core.one_maximum_for_all_rows, normalise=lambda s: _guarded(_shares(s, _row, s[s > -np.inf].max()))
    ),
    Mistake(
        "softmax/one_too_many",
        ONE_TOO_MANY["what"],
        _slip(core.no_softmax, normalise=lambda scores: _shares(scores, lambda table: 1 + _row(table))).run,
        ask=ONE_TOO_MANY["ask"],
    ),
]
