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
        lesson="00_start",
        solution=shares,
        probes=[(np.array([1.0, 3.0]),), (np.array([2, 5, 3]),), (np.array([7.0]),)],
        covers="whole numbers included",
        alternatives=[lambda counts: [c / sum(counts) for c in counts]],
        mistakes=slips("start/start", shares),
        hints=[
            "A share is a part of the whole. What is the whole of [1, 3]?",
            "counts.sum() gives the total; NumPy divides every entry of an array at once.",
        ],
        given="1 3",
    ),
    Exercise(
        lesson="00_start",
        solution=left_for_the_others,
        tolerance=0.0015,
        covers="The row sums to 1, so the rest is {value}.",
        mistakes=slips("start/start", left_for_the_others),
        hints=["What does a row sum to?", "Take both nouns away from it."],
        given="1",
    ),
    Exercise(
        lesson="00_start",
        solution=twice_as_long,
        covers=(
            "Every query meets every key, its own included: {words} x {words}. Twice the words, four times the scores."
        ),
        mistakes=slips("start/start", twice_as_long),
        hints=[
            "Each word asks once: that is one row of scores.",
            "How many keys does one query meet? Its own too.",
        ],
    ),
]
