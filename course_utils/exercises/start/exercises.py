"""Exercises of ``00_start``: what a share is, what a row of weights leaves, how many scores there are."""

import numpy as np

from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.exercise import Exercise


def shares(counts):
    return counts / counts.sum()


def left_for_the_others():
    animal, street = 0.808, 0.087
    return round(1 - animal - street, 3)


def twice_as_long():
    words = 22
    return words * words


EXERCISES = [
    Exercise(
        solution=shares,
        probes=[(np.array([1.0, 3.0]),), (np.array([2, 5, 3]),), (np.array([7.0]),)],
        alternatives=[lambda counts: [c / sum(counts) for c in counts]],
        mistakes=slips("start/start", shares),
    ),
    Exercise(solution=left_for_the_others, tolerance=0.0015, mistakes=slips("start/start", left_for_the_others)),
    Exercise(solution=twice_as_long, mistakes=slips("start/start", twice_as_long)),
]
