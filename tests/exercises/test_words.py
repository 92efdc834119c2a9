"""The numbers in hints, verdicts and quizzes are filled in, or listed where they stand: none changes unnoticed."""

import pytest

from course_utils.exercises.engine import edits
from course_utils.exercises.engine.quizzes import quizzes
from course_utils.exercises.engine.registry import exercises
from course_utils.exercises.engine.words import NUMBER
from tests.literals import unlisted

EXERCISES = [exercise for name, exercise in exercises().items() if name not in quizzes()]
TABLES = {path: {name: entry for (_, name), entry in edits.table(path)[1].items()} for path in edits.tables()}


def of_entry(entry):
    return [entry.get(field, "") for field in ("what", "ask", "note")]


def of_quiz(entry):
    slips = [mistake[field] for mistake in entry["mistakes"] for field in ("what", "ask")]
    return [entry["text"], *entry["options"].values(), entry["because"], *entry["hints"], *slips]


@pytest.mark.parametrize("path", TABLES)
def test_each_number_in_the_words_of_a_slip_is_filled_in_or_listed(path):
    problems = {name: unlisted(of_entry(entry), entry.get("given", "")) for name, entry in TABLES[path].items()}
    assert not {name: problem for name, problem in problems.items() if problem}


def test_each_number_in_the_words_of_an_exercise_or_a_quiz_is_filled_in_or_listed():
    problems = {e.name: unlisted([e.covers, *e.hints], e.given) for e in EXERCISES}
    problems |= {name: unlisted(of_quiz(entry), entry.get("given", "")) for name, entry in quizzes().items()}
    assert not {name: problem for name, problem in problems.items() if problem}


def test_a_changed_number_is_noticed():
    entries = [entry for table in TABLES.values() for entry in table.values()][::7]
    told = [(of_entry(entry), entry.get("given", "")) for entry in entries]
    told += [([exercise.covers, *exercise.hints], exercise.given) for exercise in EXERCISES[::3]]
    changed = 0
    for texts, given in told:
        for place, text in enumerate(texts):
            for number in NUMBER.finditer(text):
                if text.rfind("{", 0, number.start()) <= text.rfind("}", 0, number.start()):
                    other = f"{text[: number.start()]}{number[0]}7{text[number.end() :]}"
                    assert unlisted([*texts[:place], other, *texts[place + 1 :]], given)
                    changed += 1
    assert changed > 20
