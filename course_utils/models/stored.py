"""Runs that take too long for a lesson: what came of them, and the card that says how they were made."""

import tomllib
from importlib import resources

import numpy as np

from course_utils.core.pronoun import Weights


def bugs():
    """The run of ``models/bugs.py``: ``{"card": {...}, "accuracy": {bug: {task: lowest of the seeds}}}``."""
    return tomllib.loads((resources.files("course_utils") / "data" / "bugs.toml").read_text(encoding="utf-8"))


def extrapolation():
    """The run of ``models/extrapolation.py``: ``{"card": {...}, "accuracy": {kind: {length: [lowest, highest]}}}``."""
    file = resources.files("course_utils") / "data" / "extrapolation.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def pronoun():
    """The trained models of ``models/pronoun.py``: ``Weights`` of NumPy arrays, five seeds in front, and their card."""
    folder = resources.files("course_utils") / "data"
    with (folder / "pronoun.npz").open("rb") as file:
        weights = Weights(**np.load(file, allow_pickle=False))
    return weights, tomllib.loads((folder / "pronoun.toml").read_text(encoding="utf-8"))


def pronoun_answer():
    """The run of ``models/pronoun_answer.py``: ``{"card": {...}, "accuracy": {model: [lowest, highest]}}``."""
    file = resources.files("course_utils") / "data" / "pronoun_answer.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
