"""The candidate's answers: one line of JSON each, in ``work/.interview.jsonl``. All else is worked out from it."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

from course_utils.exercises.engine import progress

FILE = ".interview.jsonl"
VERSION = 1  # of the form of a line


def place():
    """The file if this process runs inside ``work/``, else None: a lesson in ``notebooks/`` keeps nothing."""
    try:
        return progress.WORK / FILE if Path.cwd().is_relative_to(progress.WORK) else None
    except OSError:  # the folder is gone
        return None


def append(path, entry):
    """Add one line to ``path`` (None: nothing is kept); gives a sentence if it cannot be written, else ""."""
    if path is None:
        return ""
    try:
        progress.append_line(path, entry)
    except OSError as error:
        return f"Your answers are not being saved: {path.name} cannot be written ({error.strerror}). You can go on."
    return ""


def read(path):
    """(entries, notes): each line as a dict with its time as a datetime; a note for each damaged line."""
    try:
        lines = path.read_bytes().split(b"\n") if path is not None else []
    except FileNotFoundError:
        lines = []
    except OSError as error:
        return [], [
            f"{path.name} cannot be read ({error.strerror}): this starts without your earlier answers."
        ]
    entries, notes = [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entries.append(parsed(json.loads(line)))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            notes.append(f"Line {number} of {path.name} is damaged and left out; the other lines are used.")
    return entries, notes


def answers(entries):
    """The entries that are answers."""
    return [entry for entry in entries if "rating" in entry]


def interview_date(entries):
    """The date of the interview that was set last, or None."""
    dates = [entry["interview"] for entry in entries if "interview" in entry]
    return dates[-1] if dates else None


def parsed(found):
    """A line that has what the others rely on; raises if it has not."""
    entry = dict(found)
    entry["time"] = datetime.fromisoformat(entry["time"]).astimezone(UTC)
    if "interview" in entry:
        entry["interview"] = date.fromisoformat(entry["interview"]) if entry["interview"] else None
        return entry
    texts = all(isinstance(entry[field], str) for field in ("item", "topic", "type"))
    numbers = entry["rating"] in (1, 2, 3, 4) and entry["level"] in (1, 2, 3, 4, 5)
    if not (texts and numbers and 0 <= entry["score"] <= 1 and entry["seconds"] >= 0):
        raise ValueError
    planted = entry.get("planted")
    return entry | {"planted": [str(name) for name in planted] if isinstance(planted, list) else []}
