"""The learner's progress: one line of JSON a check, in ``work/.progress.jsonl`` and nowhere else."""

import json
import time
from pathlib import Path

import course_utils

WORK = Path(course_utils.__file__).resolve().parents[1] / "work"
FILE = WORK / ".progress.jsonl"

_started = time.monotonic()
_told = set()


def append(**entry):
    """Add one line: time, the given fields, and the seconds since the last check in this kernel.

    Does nothing when the notebook runs outside ``work/``. If the file cannot be written, says so once.
    """
    global _started
    try:
        if not Path.cwd().is_relative_to(WORK):
            return
    except OSError:  # the folder is gone
        return
    now = time.monotonic()
    entry = {"time": time.strftime("%Y-%m-%dT%H:%M:%S%z")} | entry | {"seconds": round(now - _started)}
    _started = now
    try:
        torn = FILE.exists() and FILE.read_bytes()[-1:] not in (b"", b"\n")
        with FILE.open("a", encoding="utf-8") as file:
            # A line that was cut short (a full disk, a crash) must not swallow this one.
            file.write("\n" * torn + json.dumps(entry) + "\n")
    except OSError as error:
        _say(f"Your progress is not being saved: {FILE.name} cannot be written ({error.strerror}).")


def read():
    """All entries, as dicts. A line that cannot be read is left out, and named once."""
    try:
        lines = FILE.read_bytes().splitlines()
    except OSError:
        return []
    entries = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            if line.strip() and not isinstance(entry["exercise"], str):
                raise ValueError
            entries.append(entry)
        except (ValueError, KeyError, TypeError):
            if line.strip():
                _say(f"Line {number} of {FILE.name} is damaged and left out; the other lines are used.")
    return entries


def attempts(exercise):
    """How often an exercise was answered, right or wrong, in this working copy."""
    return sum(entry["exercise"] == exercise and entry.get("state") != "not started" for entry in read())


def _say(sentence):
    """Print a sentence once in a kernel."""
    if sentence not in _told:
        _told.add(sentence)
        print(sentence)
