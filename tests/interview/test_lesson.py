"""What the lesson's quiz says of a published estimate."""

from course_utils.core.cost import cache_bytes
from course_utils.exercises.engine.quizzes import quizzes


def test_the_published_cache_is_eight_times_too_large():
    published = 2 * 80 * 8192 * 2
    assert published == 8 * cache_bytes(80, 1, 8, 8192 // 64)
    question = quizzes()["offer_cache"]
    assert "2 x 80 x 8192 x 2 bytes" in question["text"] and question["options"][question["right"]].startswith(
        "8 times"
    )
