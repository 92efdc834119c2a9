"""Runs that take too long for a lesson: what came of them, and the card that says how they were made."""

import tomllib
from importlib import resources


def bugs():
    """The run of ``models/bugs.py``: ``{"card": {...}, "accuracy": {bug: {task: lowest of the seeds}}}``."""
    return tomllib.loads((resources.files("course_utils") / "data" / "bugs.toml").read_text(encoding="utf-8"))
