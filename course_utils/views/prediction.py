"""A question on its own: what it unlocks is text."""

import traitlets as T

from course_utils.views.widget import Widget


class Prediction(Widget):
    """Ask first, tell afterwards. ``reveal`` is HTML (or plain text without "<") written by the author.

    >>> Prediction("What happens to the row sum?", "It stays 1.")
    Prediction('What happens to the row sum?')
    """

    reveal = T.Unicode("").tag(sync=True)

    def __init__(self, question, reveal="Run the next cell and compare."):
        if not question.strip():
            raise ValueError("a prediction needs a question, but it is blank: write what the learner should guess")
        super().__init__(predict=question, reveal=reveal)

    def twin(self):
        return f"<div>{self.reveal}</div>"

    def summary(self):
        return repr(self.predict)
