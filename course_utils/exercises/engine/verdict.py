"""What a check says of an answer, in parts."""

from dataclasses import dataclass

from course_utils.exercises.engine.words import paragraphs


@dataclass(frozen=True)
class Verdict:
    """What a check says of an answer.

    ``state``     "not started", "wrong" or "right".
    ``mistakes``  the full names (family/name) of all mistakes that are recognised, first what to mend first.
    ``what``      what the answer does, or what was covered.
    ``evidence``  the smallest failing input, with the learner's row beside the right one.
    ``printed``   what the learner's function printed on the first input.
    ``ask``       one question that leads on.
    ``note``      what to know of an answer that is right.
    """

    state: str
    what: str
    mistakes: tuple = ()
    evidence: str = ""
    printed: str = ""
    ask: str = ""
    note: str = ""

    @property
    def mistake(self):
        """The name of the mistake to mend first, or None."""
        return self.mistakes[0] if self.mistakes else None

    @property
    def message(self):
        """All of it, as paragraphs."""
        printed = f"Your function printed, on the first input:\n{self.printed}" if self.printed else ""
        return paragraphs(self.what, self.evidence, printed, self.note, self.ask)
