"""Runs that take too long for a lesson: what came of them, and the card that says how they were made."""

import tomllib
from importlib import resources

import numpy as np

from course_utils.core.pronoun import Weights

DATA = resources.files("course_utils") / "data"


def bugs():
    """The run of ``models/bugs.py``: ``{"card": {...}, "accuracy": {bug: {task: lowest of the seeds}}}``."""
    return _read("bugs")


def extrapolation():
    """The run of ``models/extrapolation.py``: ``{"card": {...}, "accuracy": {kind: {length: [lowest, highest]}}}``."""
    return _read("extrapolation")


def pronoun():
    """The trained models of ``models/pronoun.py``: ``Weights`` of NumPy arrays, five seeds in front, and their card."""
    with (DATA / "pronoun.npz").open("rb") as file:
        weights = Weights(**np.load(file, allow_pickle=False))
    return weights, _read("pronoun")


def pronoun_answer():
    """The run of ``models/pronoun_answer.py``: ``{"card": {...}, "accuracy": {model: [lowest, highest]}}``."""
    return _read("pronoun_answer")


def _read(name):
    return tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
