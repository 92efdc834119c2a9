"""The learner's progress: one line of JSON a check, in ``work/.progress.jsonl`` and nowhere else."""

import time

from course_utils import places, records

FILE = ".progress.jsonl"

_started = time.monotonic()
_told = set()


def append(**entry):
    """Add one line: time, the given fields, and the seconds since the last check in this kernel.

    Does nothing when the notebook runs outside ``work/``. If the file cannot be written, says so once.
    """
    global _started
    path = places.own(FILE)
    if path is None:
        return
    now = time.monotonic()
    entry = {"time": time.strftime("%Y-%m-%dT%H:%M:%S%z")} | entry | {"seconds": round(now - _started)}
    _started = now
    try:
        records.append(path, entry)
    except OSError as error:
        _say(f"Your progress is not being saved: {FILE} cannot be written ({error.strerror}).")


def read():
    """All entries, as dicts. A line that cannot be read is left out, and named once."""
    try:
        entries, notes = records.read(places.work() / FILE, _checked)
    except OSError:
        return []
    for note in notes:
        _say(note)
    return entries


def attempts(exercise):
    """How often an exercise was answered, right or wrong, in this working copy."""
    return sum(entry["exercise"] == exercise and entry.get("state") != "not started" for entry in read())


def _checked(entry):
    if not isinstance(entry["exercise"], str):
        raise ValueError
    return entry


def _say(sentence):
    """Print a sentence once in a kernel."""
    if sentence not in _told:
        _told.add(sentence)
        print(sentence)
