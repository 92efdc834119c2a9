"""The candidate's answers: one line of JSON each, in ``work/.interview.jsonl``. All else is worked out from it."""

from datetime import UTC, date, datetime

from course_utils import places, records

FILE = ".interview.jsonl"
VERSION = 1  # of the form of a line


def place():
    """The file if this process runs inside ``work/``, else None: a lesson in ``notebooks/`` keeps nothing."""
    return places.own(FILE)


def append(path, entry):
    """Add one line to ``path`` (None: nothing is kept); gives a sentence if it cannot be written, else ""."""
    if path is None:
        return ""
    try:
        records.append(path, entry)
    except OSError as error:
        return f"Your answers are not being saved: {path.name} cannot be written ({error.strerror}). You can go on."
    return ""


def read(path):
    """(entries, notes): each line as a dict with its time as a datetime; a note for each damaged line."""
    try:
        return records.read(path, parsed)
    except OSError as error:
        return [], [f"{path.name} cannot be read ({error.strerror}): this starts without your earlier answers."]


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
