"""Every planted mistake is judged as itself, and every reference is right."""

import pytest

from course_utils.exercises import judge
from course_utils.interview.drills import debugging
from course_utils.interview.drills.plants import SUBJECTS

PLANTS = [(subject, plant) for subject in SUBJECTS for plant in subject.plants]
every_subject = pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.exercise)


@every_subject
def test_the_reference_is_right(subject):
    assert debugging.grade(subject, subject.reference).state == "right"


@pytest.mark.parametrize("subject, plant", PLANTS, ids=[f"{s.exercise}-{p.mistake}" for s, p in PLANTS])
def test_planted_code_is_judged_wrong_by_its_name(subject, plant):
    verdict = judge(subject.exercise, debugging.run(subject, debugging.planted(subject, plant)))
    assert (verdict.state, verdict.mistake) == ("wrong", plant.mistake)
