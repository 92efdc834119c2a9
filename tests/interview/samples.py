"""A question file and a line of the log, for several tests."""

GOOD = """
[colour]
question = "Which?"
type = "explain"
level = 2
minutes = 3
brief = "Red."
full = "Red, because it is."
rubric = ["red", "warm", "not blue"]
trap = "Blue."
lesson = "01_retrieval"
no_proof = "It is a matter of taste."
[[colour.follow_ups]]
ask = "And green?"
answer = "No."
[[colour.follow_ups]]
ask = "And grey?"
answer = "Never."
"""


def entry(item="a", **changes):
    line = {
        "v": 1,
        "time": "2030-01-02T03:04:05+00:00",
        "item": item,
        "topic": "masking",
        "type": "explain",
        "level": 2,
    }
    return line | {"score": 0.5, "rating": 2, "seconds": 60, "tries": 1} | changes
