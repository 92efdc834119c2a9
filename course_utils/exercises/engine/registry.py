"""All exercises of the course, found by themselves in the folders of the topics."""

import difflib
import functools
import importlib
import inspect
import pkgutil
import textwrap


@functools.cache
def exercises():
    """Every exercise of the course by name: those of each module's list ``EXERCISES``."""
    found = {}
    package = importlib.import_module("course_utils.exercises")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        content = importlib.import_module(module.name)
        for exercise in getattr(content, "EXERCISES", ()):
            if exercise.name in found:
                raise ValueError(f"two exercises are called {exercise.name}: give one another name")
            found[exercise.name] = exercise
    return found


def solution_source(name):
    """The reference solution as source: the function, or ``answer = ...`` for a value."""
    exercise = exercises()[name]
    if exercise.is_function:
        return textwrap.dedent(inspect.getsource(exercise.solution))
    return f"answer = {exercise.solution()!r}\n"


def no_such(name):
    near = difflib.get_close_matches(str(name), exercises(), 1)
    return f"There is no exercise called {name}." + (f" Did you mean {near[0]}?" if near else "")
