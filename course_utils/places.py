"""Where things are: the course, its lessons, and the learner's own work. Whoever needs to know asks here."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"


def work():
    """The folder of what is the learner's: copies of the lessons, progress, answers, drills."""
    return ROOT / "work"


def own(name):
    """The path of a file in ``work()`` if this process runs inside it; None elsewhere: a lesson keeps nothing there."""
    try:
        return work() / name if Path.cwd().is_relative_to(work()) else None
    except OSError:  # the folder is gone
        return None
