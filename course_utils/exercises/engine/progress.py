"""The learner's progress: one line of JSON a check, in ``work/.progress.jsonl`` and nowhere else."""

import errno
import json
import os
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
        append_line(FILE, entry)
    except OSError as error:
        _say(f"Your progress is not being saved: {FILE.name} cannot be written ({error.strerror}).")


def append_line(path, entry):
    """Add one line of JSON to a file, made if it is not there. Raises OSError if it cannot be written whole.

    The line is one write to the end of the file, so that two notebooks never mix theirs.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # A line that was cut short (a full disk, a crash) must not swallow this one.
    torn = path.exists() and _last_byte(path) not in (b"", b"\n")
    line = b"\n" * torn + json.dumps(entry, ensure_ascii=False).encode() + b"\n"
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
    try:
        if os.write(file, line) < len(line):
            raise OSError(errno.ENOSPC, "the disk is full")
    finally:
        os.close(file)


def _last_byte(path):
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return b""
        file.seek(-1, os.SEEK_END)
        return file.read(1)


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
