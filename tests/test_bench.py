"""The bench marks what does not hold."""

import pytest

from tests.bench import beyond


@pytest.mark.parametrize(
    "measured, ratio, limit, over",
    [
        ("0.2 s", "1.31", "< 1.3", True),
        ("0.2 s", "1.29", "< 1.3", False),
        ("198 MiB", "2.0", "< 150 MiB", True),
        ("12.3 s", "9.0", "< 10 s", True),
        ("320 ms", "", "< 300 ms", True),
        ("1.20 s", "", "< 300 ms", True),
        ("30 ms", "", "< 300 ms", False),
        ("5.8 ms", "1/9", "> 10 times faster", True),
        ("5.8 ms", "1/43", "> 10 times faster", False),
        ("5.8 ms", "1.5", "", False),
    ],
)
def test_what_is_beyond_its_bound_is_marked(measured, ratio, limit, over):
    assert beyond(measured, ratio, limit) == over
