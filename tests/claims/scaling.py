"""The claims of ``02_scaling``, worked out again: one function for each, named as in the TOML file."""

import functools
import inspect

import numpy as np
import pytest

from course_utils.core.scores import softmax, softmax_jacobian
from course_utils.views.scaling import ScalingExplorer, gradient


def variance_is_d_k():
    random = np.random.default_rng(3)
    for d_k in (16, 64, 256):
        scores = (random.normal(size=(20000, d_k)) * random.normal(size=(20000, d_k))).sum(axis=1)
        assert abs(scores.var() / d_k - 1) < 0.05
    return 1.0


def differences_sharpen():
    return softmax(np.full(3, 1000.0)).round(3).tolist()


def _largest(d_k, factor):
    random = np.random.default_rng(4)
    queries, keys = random.normal(size=(4000, 1, d_k)), random.normal(size=(4000, 12, d_k)).astype(np.float32)
    scores = (queries.astype(np.float32) * keys).sum(axis=-1)
    return float(softmax(scores * factor).max(axis=1).mean())


def only_the_root_is_steady():
    return [round(_largest(d_k, d_k**-0.5), 1) for d_k in (16, 256, 1024)]


def flat_with_d_k():
    return round(_largest(1024, 1 / 1024), 2)


@functools.cache
def _sizes():
    random = np.random.default_rng(5)
    scores = (random.normal(size=(1000, 1, 1024)) * random.normal(size=(1000, 16, 1024))).sum(axis=-1)
    return np.linalg.norm(softmax_jacobian(softmax(scores)), axis=(1, 2))


def median_row_is_frozen():
    return bool(np.median(_sizes()) < 1e-3)


def a_few_rows_spike():
    return bool((_sizes() > 0.3).mean() > 0.01)


def float16_ends():
    return float(np.finfo(np.float16).max)


@functools.cache
def _runs(*rules, **options):
    pytest.importorskip("torch", reason="torch is not installed: the trained claims are not tried")
    from course_utils.models.scaling import train

    return train(rules, d_k=64, **options)


def none_learns_without():
    accuracy = _runs("none", "1/sqrt(d_k)", "1/d_k").accuracy
    assert accuracy[0].max() < 0.7
    return (accuracy > 0.98).sum(dim=1).tolist()


def small_scores_learn():
    return int((_runs("none", embedding_spread=0.3).accuracy > 0.98).sum())


def scores_shrink_by_the_square():
    small, large = (_runs("none", embedding_spread=spread).spread.mean() for spread in (0.3, 1.0))
    return round(float(small / large), 2)


def bugs_are_learned_around():
    from course_utils.models.stored import bugs

    broken = {bug: run for bug, run in bugs()["accuracy"].items() if bug != "right"}
    assert all(run["copy"] > 0.99 for run in broken.values())
    return [sum(run["reverse"] >= 0.99 for run in broken.values()), len(broken)]


def published_gap():
    return softmax(np.array([45.2, 48.1, 51.9, 44.3])).round(4).tolist()


def a_spike_at_512():
    view = ScalingExplorer()
    sizes = {d_k: gradient(view.shown(d_k, "none")[1]) for d_k in (4, 256, 512, 1024)}
    assert sizes[512] > sizes[4] > 0.1 > max(sizes[256], sizes[1024])
    return round(float(sizes[512]), 3)


def sizes_of_the_run():
    pytest.importorskip("torch", reason="torch is not installed: the trained claims are not tried")
    from course_utils.models import scaling as model

    options = inspect.signature(model.train).parameters
    return [
        model.LENGTH, model.SYMBOLS, options["seeds"].default, options["steps"].default, model.FROZEN,
    ]  # fmt: skip
