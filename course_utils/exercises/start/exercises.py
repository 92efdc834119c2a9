"""Exercises of ``00_start``."""

import numpy as np

from course_utils.exercises.engine.exercise import Exercise
from course_utils.exercises.start.mistakes import start as mistakes


def shares(counts):
    return counts / counts.sum()


def left_for_the_others():
    return round(1 - 0.808 - 0.087, 3)


def twice_as_long():
    return 22 * 22


EXERCISES = [
    Exercise(
        lesson="00_start",
        solution=shares,
        probes=[(np.array([1.0, 3.0]),), (np.array([2, 5, 3]),), (np.array([7.0]),)],
        covers="whole numbers included",
        alternatives=[lambda counts: [c / sum(counts) for c in counts]],
        mistakes=[
            mistakes.divides_by_the_largest,
            mistakes.divides_by_how_many,
            mistakes.in_percent,
            mistakes.rounded,
            mistakes.forgets_to_divide,
        ],
        hints=[
            "A share is a part of the whole. What is the whole of [1, 3]?",
            "counts.sum() gives the total; NumPy divides every entry of an array at once.",
        ],
    ),
    Exercise(
        lesson="00_start",
        solution=left_for_the_others,
        tolerance=0.0015,
        covers="The row sums to 1, so the rest is 0.105.",
        mistakes=[
            mistakes.forgets_the_street,
            mistakes.adds_up_the_two,
            mistakes.shares_the_rest_out,
            mistakes.goes_beyond_one,
        ],
        hints=["What does a row sum to?", "Take both nouns away from it."],
    ),
    Exercise(
        lesson="00_start",
        solution=twice_as_long,
        covers="Every query meets every key, its own included: 22 x 22. Twice the words, four times the scores.",
        mistakes=[
            mistakes.doubles_the_scores,
            mistakes.counts_eleven_words,
            mistakes.counts_only_others,
            mistakes.counts_the_words,
            mistakes.counts_the_words_twice,
            mistakes.counts_causal_pairs,
            mistakes.counts_both_layers,
        ],
        hints=[
            "Each word asks once: that is one row of scores.",
            "How many keys does one query meet? Its own too.",
        ],
    ),
]
