"""The trainer in a notebook: ``trainer()`` shows the panel and joins it to a round of practice."""

from course_utils.interview import log
from course_utils.interview.practice import Practice
from course_utils.views.interview import Trainer


def trainer():
    """The interview trainer. In your copy in ``work/`` answers are kept; elsewhere nothing is.

    Where no browser runs the panel (a stored page), a first question stands in its place.
    """
    practice = Practice(log.place())
    return Trainer(practice.view(), practice.do, preview())


def preview():
    """The first question as someone new sees it: the same every day, whatever was answered."""
    return Practice(None).do("today")
