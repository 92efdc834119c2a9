"""The questions as an Anki deck. A question keeps its note whatever its words become: ids come from its name."""

import os
from pathlib import Path

import genanki

from course_utils.exercises.engine.words import as_html
from course_utils.interview.bank import filled

COURSE = "self-attention course"
# Fixed for good: with other numbers Anki would take the cards for new ones, and their progress would be lost.
MODEL_ID, DECK_ID = 1_607_392_319, 2_059_400_110
FIELDS = ["Question", "Facts", "Brief", "Full", "Points", "Follow-ups", "Trap", "Lesson"]
FRONT = '<div class="facts">{{Facts}}</div><div class="question">{{Question}}</div><p class="say">Answer aloud.</p>'
BACK = (
    "{{FrontSide}}<hr id=answer><h4>20 seconds</h4>{{Brief}}<h4>2 minutes</h4>{{Full}}<h4>Key points</h4>{{Points}}"
    "<h4>Follow-ups</h4>{{Follow-ups}}<h4>Trap</h4>{{Trap}}<p class=facts>{{Lesson}}</p>"
)
CSS = """
.card { font: 18px/1.45 system-ui, sans-serif; text-align: left; max-width: 44em; margin: 0 auto; padding: 0.5em; }
.facts, .say { color: #666; font-size: 0.8em; } .nightMode .facts, .nightMode .say { color: #aaa; }
.question { font-size: 1.15em; margin: 0.6em 0; } h4 { margin: 1em 0 0.2em; }
code { font-family: ui-monospace, monospace; font-size: 0.95em; white-space: pre-wrap; }
"""


class _Note(genanki.Note):
    """A note whose id comes from the question's name, not from its words."""

    @property
    def guid(self):
        return genanki.guid_for(COURSE, self.fields[-1])


def write(questions, file, *, timestamp):
    """Write the deck to ``file``; gives the number of questions. ``timestamp`` is the time in seconds since 1970.

    Anki changes a note it has only for one that is newer, so each export needs its own time.
    """
    model = genanki.Model(
        MODEL_ID,
        "Self-attention interview question",
        fields=[{"name": name} for name in [*FIELDS, "Name"]],
        templates=[{"name": "Question", "qfmt": FRONT, "afmt": BACK}],
        css=CSS,
    )
    deck = genanki.Deck(DECK_ID, "Self-attention interview")
    for question in questions.values():
        tags = [question.topic, question.type.replace(" ", "-"), f"level-{question.level}"]
        deck.add_note(_Note(model=model, fields=fields(filled(question)), tags=tags))
    # First beside it: a disk that is full must not leave half a deck in place of a whole one.
    part = Path(f"{file}.part")
    try:
        genanki.Package(deck).write_to_file(part, timestamp=timestamp)
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
    return len(questions)


def fields(question):
    """The fields of a note, as HTML."""
    points = "".join(f"<li>{as_html(point)}</li>" for point in question.rubric)
    follow_ups = "".join(f"<p><b>{as_html(f.ask)}</b><br>{as_html(f.answer)}</p>" for f in question.follow_ups)
    facts = f"{question.type}, level {question.level}, {question.minutes} min"
    texts = [question.question, facts, question.brief, question.full]
    return [
        *map(as_html, texts),
        f"<ul>{points}</ul>",
        follow_ups,
        *map(as_html, (question.trap, question.lesson, question.name)),
    ]
