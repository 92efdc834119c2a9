"""The learner's own copies of the lessons. What is there is never overwritten."""

import hashlib
import time

import nbformat

from course_utils import places
from course_utils.lessons import notebook

COPIED_FROM = "copied_from"  # in the copy's metadata: which state of the lesson it was made from


def update(lessons=None):
    """Copy each lesson that is not in ``work`` yet; give the copies whose lesson has changed since."""
    work = places.work()
    work.mkdir(parents=True, exist_ok=True)
    outdated = []
    for lesson in notebook.lessons() if lessons is None else lessons:
        copy = work / lesson.name
        if not copy.exists():
            _copy(lesson, copy)
        elif _origin(copy) != _state(notebook.read(lesson)):
            outdated.append(copy)
    return outdated


def fresh(lesson):
    """Set the learner's copy of ``lesson`` aside and make a clean one; give the old one's new path."""
    work = places.work()
    work.mkdir(parents=True, exist_ok=True)
    copy = work / lesson.name
    aside = None
    if copy.exists():
        aside = _unused(work, f"{lesson.stem}_{time.strftime('%Y-%m-%d_%H%M%S')}")
        copy.rename(aside)
    _copy(lesson, copy)
    return aside


def _copy(lesson, copy):
    nb = notebook.read(lesson)
    state = _state(nb)
    nb = notebook.without_outputs(nb)
    nb.metadata[COPIED_FROM] = state
    text = notebook.text(nb)
    with copy.open("x", encoding="utf-8", newline="\n") as file:  # "x" refuses to overwrite
        try:
            file.write(text)
        except BaseException:  # half a lesson would be kept for good
            copy.unlink()
            raise


def _state(nb):
    words = "\0".join(cell.source for cell in nb.cells)
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def _origin(copy):
    """What ``copy`` was made from; None if it does not say, or can no longer be read."""
    try:
        return notebook.read(copy).metadata.get(COPIED_FROM)
    except (AttributeError, KeyError, TypeError, ValueError, nbformat.ValidationError):
        return None


def _unused(folder, stem):
    path, number = folder / f"{stem}.ipynb", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}_{number}.ipynb"
    return path
