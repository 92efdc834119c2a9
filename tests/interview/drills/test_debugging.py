"""What can be planted is judged as itself, apart from the course's own names too, and every reference is right.

The mistakes are the exercise's own, each recognised in ``test_every_exercise``: some of each subject do here.
"""

import pytest

from course_utils.exercises import judge
from course_utils.interview.drills import debugging
from course_utils.interview.drills.subjects import subjects

PLANTS = [(subject, plant) for subject in subjects().values() for plant in subject.plants[::5]]


@pytest.mark.parametrize("subject", subjects().values(), ids=subjects())
def test_the_reference_is_right(subject):
    assert debugging.grade(subject, subject.reference).state == "right" and len(subject.plants) > 5


@pytest.mark.parametrize("subject, plant", PLANTS, ids=[f"{s.name}-{p.name}" for s, p in PLANTS])
def test_planted_code_is_judged_wrong_by_its_name(subject, plant):
    verdict = judge(subject.exercise, debugging.run(subject, subject.planted(plant)))
    assert (verdict.state, verdict.mistake) == ("wrong", plant.name)
