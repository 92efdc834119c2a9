"""Files of records: one line of JSON each, added at the end, so that nothing that was written is ever lost."""

import errno
import json
import os


def append(path, entry):
    """Add one line to a file, made if it is not there. Raises OSError if it cannot be written whole.

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


def read(path, check):
    """(records, notes): what ``check`` makes of each line, and a sentence for each line that is damaged.

    ``check(found)`` gives the record, or raises if the line has not what it should. No file is no records; raises
    OSError where there is one that cannot be read.
    """
    try:
        lines = path.read_bytes().split(b"\n") if path is not None else []
    except FileNotFoundError:
        lines = []
    records, notes = [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            records.append(check(json.loads(line)))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            notes.append(f"Line {number} of {path.name} is damaged and left out; the other lines are used.")
    return records, notes


def _last_byte(path):
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return b""
        file.seek(-1, os.SEEK_END)
        return file.read(1)
