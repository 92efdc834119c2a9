"""The result of a round, and of everything so far: by topic, type and level; strongest, weakest, what next."""

from typing import NamedTuple

from course_utils.interview.log import answers


class Line(NamedTuple):
    """``score`` is the mean share of the points, from 0 to 1, of ``count`` that were asked."""

    group: str
    name: str
    count: int
    score: float


def table(entries, left_out=()):
    """The lines of every topic, type and level that was asked, in this order."""
    found = []
    for group in ("topic", "type", "level"):
        scores = {}
        for entry in [*answers(entries), *left_out]:
            scores.setdefault(entry[group], []).append(entry["score"])
        for name in sorted(scores):
            found.append(Line(group, str(name), len(scores[name]), sum(scores[name]) / len(scores[name])))
    return found


def latest(done):
    """Of each question or drill only the last answer: what holds now."""
    return list({entry["item"]: entry for entry in done}.values())


def strongest_and_weakest(lines):
    """Two lines among topics and types, or (None, None) if they do not differ; more answers decide a tie."""
    lines = [line for line in lines if line.group != "level"]
    if not lines or max(line.score for line in lines) == min(line.score for line in lines):
        return None, None
    return (
        max(lines, key=lambda line: (line.score, line.count)),
        min(lines, key=lambda line: (line.score, -line.count)),
    )


def advice(entries, lessons, left_out=()):
    """Sentences: strongest, weakest, what next. ``lessons`` is {item: lesson}; ``left_out`` counts as 0."""
    given = answers(entries)
    done = [*given, *left_out]
    if not done:
        return ["Nothing is answered yet."]
    lines = table(entries, left_out)
    best, worst = strongest_and_weakest(lines)
    mean = sum(entry["score"] for entry in done) / len(done)
    told = [f"{len(given)} answer{'s' * (len(given) != 1)}, {mean:.0%} of the points."]
    if left_out:
        told[0] = told[0].replace(",", f", {len(left_out)} left out,", 1)
    if best:
        told.append(f"Strongest: {_named(best)}. Weakest: {_named(worst)}.")
    missed = sorted((entry for entry in latest(done) if entry["score"] < 0.75), key=lambda entry: entry["score"])
    if missed:
        worst = [entry["item"] for entry in missed[:3]]
        told.append(f"To repeat: {', '.join(map(readable, worst))}.")
        places = dict.fromkeys(lessons[name] for name in worst if name in lessons)
        told += [f"Next: read {' and '.join(places)} again, and then say the answers aloud."] if places else []
    else:
        told.append("Next: a level higher, or a mock interview against the clock.")
    return told


def readable(item):
    """An item's name in words.

    >>> readable("by hand:softmax_row")
    'by hand: softmax row'
    """
    return item.replace("_", " ").replace(":", ": ")


def _named(line):
    return f"{line.group} {line.name} ({line.score:.0%})"
