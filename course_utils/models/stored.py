"""Runs that take too long for a lesson: what came of them, and the card that says how they were made."""

import tomllib
from importlib import resources

import numpy as np

from course_utils.core.pronoun import Weights

RUNS = resources.files("course_utils") / "data" / "runs"


def bugs():
    """The run of ``models/scaling_bugs.py``: ``{"card": {...}, "accuracy": {bug: {task: lowest of the seeds}}}``."""
    return _read("scaling_bugs")


def extrapolation():
    """The run of ``models/order.py``: ``{"card": {...}, "accuracy": {kind: {length: [lowest, highest]}}}``."""
    return _read("order")


def pronoun():
    """The trained models of ``models/depth.py``: ``Weights`` of NumPy arrays, five seeds in front, and their card."""
    with (RUNS / "depth.npz").open("rb") as file:
        weights = Weights(**np.load(file, allow_pickle=False))
    return weights, _read("depth")


def pronoun_answer():
    """The run of ``models/depth_answer.py``: ``{"card": {...}, "accuracy": {model: [lowest, highest]}}``."""
    return _read("depth_answer")


def _read(name):
    return tomllib.loads((RUNS / f"{name}.toml").read_text(encoding="utf-8"))
