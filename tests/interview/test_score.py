"""The result by topic, type and level, and what it advises."""

from course_utils.interview import score
from course_utils.interview.log import parsed
from tests.interview.samples import entry


def answers(*rows):
    return [
        parsed(entry(item, topic=topic, type=kind, level=level, score=points))
        for item, topic, kind, level, points in rows
    ]


ROUND = answers(("a", "masking", "explain", 1, 1.0), ("b", "masking", "debug", 3, 0.5), ("c", "heads", "debug", 3, 0.0))


def test_every_group_has_its_mean():
    lines = {(line.group, line.name): (line.count, line.score) for line in score.table(ROUND)}
    assert lines == {
        ("topic", "heads"): (1, 0.0),
        ("topic", "masking"): (2, 0.75),
        ("type", "debug"): (2, 0.25),
        ("type", "explain"): (1, 1.0),
        ("level", "1"): (1, 1.0),
        ("level", "3"): (2, 0.25),
    }


def test_the_advice_names_the_strongest_the_weakest_and_what_next():
    told = " ".join(score.advice(ROUND, {"c": "05_heads", "b": "04_masking"}))
    assert "3 answers, 50% of the points. Strongest: type explain (100%). Weakest: topic heads (0%)." in told
    assert "To repeat: c, b. Next: read 05_heads and 04_masking again" in told


def test_what_is_to_be_repeated_is_named_in_words():
    missed = answers(("by hand:softmax_row", "scaling", "by hand", 1, 0.0))
    assert "To repeat: by hand: softmax row." in score.advice(missed, {})


def test_only_the_last_answer_to_a_question_is_to_be_repeated():
    twice = [*ROUND, *answers(("c", "heads", "debug", 3, 1.0), ("b", "masking", "debug", 3, 1.0))]
    assert "Next: a level higher" in " ".join(score.advice(twice, {}))


def test_nothing_answered_and_no_difference():
    assert score.advice([], {}) == ["Nothing is answered yet."]
    told = " ".join(score.advice(ROUND[:1], {}))
    assert told.startswith("1 answer, 100%") and "Weakest" not in told
