"""One round of practice, as a state that a panel or a terminal draws: ``view()`` says what to show, ``do()`` acts."""

import time
from datetime import UTC, date, datetime

import numpy as np

from course_utils.interview import catalogue, log, schedule, screens
from course_utils.interview.bank import Question, prove, questions
from course_utils.interview.stopwatch import Stopwatch, span


class Practice:
    """What the candidate is doing. Time and chance are arguments, so that a test can set both.

    ``path``   the file of the answers; None keeps nothing.
    ``now``    gives the time as an aware datetime, ``ticks`` seconds for the clock of a question.
    """

    def __init__(
        self, path=None, *, bank=None, now=lambda: datetime.now(UTC), ticks=time.monotonic, seed=None
    ):
        self.path, self.now, self.ticks = path, now, ticks
        self.rng = np.random.default_rng(seed)
        self.items = catalogue.items(questions() if bank is None else bank)
        self.notes, self.unsaved, self.message = [], [], ""
        self._home()

    def view(self):
        """What to draw, as plain data (see ``screens``)."""
        return screens.screen(self)

    # ------------------------------------------------------------ what is done

    def do(self, action, value=None):
        """One action of ``view()["actions"]``, or "tick NUMBER". What does not fit now is said, not raised.

        ``value`` is what stands in the box, if there is one: it is kept, whatever the action.
        """
        self.message = ""
        if value is not None and self.screen == "drill" and not self.done:
            self.written = str(value)
        name, _, detail = str(action).partition(" ")
        known = {key for key, _, _ in self.view()["actions"]}
        if name == "tick" and self.screen == "question" and self.step:
            self._tick(detail)
        elif action in known:
            method = getattr(self, f"_do_{name}")
            method(detail, str(value or ""))
        else:
            self.message = f"{action} is not possible here."
        return self.view()

    def _do_today(self, _, value):
        self._begin(self.today(), repeat=True)

    def _do_mock(self, minutes, value):
        self._begin(catalogue.mock(self.items, int(minutes), self.rng), limit=int(minutes))

    def _do_drill(self, kind, value):
        names = [name for name, item in self.items.items() if item.type == kind and ":" in name]
        self._begin([str(name) for name in self.rng.permutation(names)])

    def _do_date(self, _, value):
        try:
            day = date.fromisoformat(value.strip()) if value.strip() else None
        except ValueError:
            self.message = f"{value.strip()[:40]!r} is no date: write it as 2030-05-31."
            return
        if day and day < self.now().date():
            self.message = f"{day} is over: write a day to come."
            return
        self._keep({"interview": day.isoformat() if day else ""})
        self.message = self.message or (
            f"The interview is on {day}." if day else "No interview date is set now."
        )

    def _do_reveal(self, _, value):
        self.watch.pause()  # the answer was given before
        self.step += 1

    def _tick(self, number):
        points = self.current.rubric
        if not number.isdecimal() or not 1 <= int(number) <= len(points):
            self.message = f"There are the points 1 to {len(points)}."
            return
        self.ticked ^= {points[int(number) - 1]}

    def _do_proof(self, _, value):
        holds, said = prove(self.current)
        self.proof = f"{'It holds.' if holds else 'Look here:'} {said}".strip()

    def _do_check(self, _, value):
        feedback = self.current.grade(value)
        self.message = feedback.message
        if feedback.state == "unread":
            return
        self.tries += 1
        if feedback.state == "wrong":
            self.message = f"Not yet. {feedback.message}"
            self.mistakes.append(feedback.mistake)
            return
        self._finish(1.0)
        tries = "at once" if self.tries == 1 else f"after {self.tries} tries"
        self.message += f"\n\nSolved {tries}, in {span(self.watch.seconds())}. {self._again()}"
        self.message += f"\n\n{self.current.told}" if self.current.told else ""

    def _do_hint(self, _, value):
        self.hinted = True
        self.message = self.current.hint(self.written)

    def _do_give_up(self, _, value):
        self._finish(0.0)
        self.message = f"{self.current.told}\n\n{self._again()}".strip()

    def _do_next(self, _, value):
        told = ""
        if self.screen == "question":
            said, points = len(self.ticked), len(self.current.rubric)
            self._finish(said / points)
            told = f"{said} of {points} points. {self._again()}"
        self._go(self.place + 1)
        self.message = f"{told} {self.message}".strip()

    def _do_skip(self, _, value):
        self._go(self.place + 1)

    def _do_stop(self, _, value):
        if self.screen == "question" and self.ticked:  # what is ticked is an answer
            self._finish(len(self.ticked) / len(self.current.rubric))
        self.screen = "result"

    def _do_result(self, _, value):
        self.round, self.screen = [], "result"

    def _do_home(self, _, value):
        self._home()

    def _do_pause(self, _, value):
        self.paused = not self.paused
        if self.paused:
            self.watch.pause()
            self.whole.pause()
            self.message = "Paused: the clock stands still."
            return
        self.whole.go_on()
        if not self.answered():
            self.watch.go_on()

    # ------------------------------------------------------------ one after the other

    def _home(self):
        # Read anew: another notebook may have written in the meantime.
        entries, notes = log.read(self.path)
        self.entries = entries + self.unsaved
        self.notes += [note for note in notes if note not in self.notes]
        self.screen, self.queue, self.place, self.round, self.current = "start", [], 0, [], None
        self.paused, self.limit = False, None

    def _begin(self, names, limit=None, repeat=False):
        self.queue, self.round, self.limit, self.repeat = list(names), [], limit, repeat
        self.whole, self.paused = Stopwatch(self.ticks), False
        self._go(0)

    def _go(self, place):
        """To the item at that place, or to the result if there is none, or no time left."""
        self.place, self.paused = place, False
        self.whole.go_on()
        over = self.limit is not None and self.whole.seconds() >= 60 * self.limit
        if place >= len(self.queue) or over:
            self.screen = "result"
            if over and place < len(self.queue):
                self.message = f"The {self.limit} minutes are over."
            return
        item = self.items[self.queue[place]]
        self.current = item.make(self.rng, self._last_planted(item.name))
        self.screen = "question" if isinstance(self.current, Question) else "drill"
        self.watch = Stopwatch(self.ticks)
        self.step, self.ticked, self.proof, self.done, self.hinted = 0, set(), "", False, False
        self.tries, self.mistakes, self.written = 0, [], getattr(self.current, "start", "")

    def _finish(self, share):
        """Stop the clock, keep the answer, and ask again at the end what failed."""
        self.watch.pause()
        self.done = True
        item, seconds = self.current, round(self.watch.seconds())
        tries = self.tries + self.hinted
        rating = schedule.rating(share, tries=max(tries, 1), seconds=seconds, minutes=item.minutes)
        self._keep(
            {
                "item": item.name,
                "topic": item.topic,
                "type": item.type,
                "level": item.level,
                "score": round(share, 3),
                "rating": rating,
                "seconds": seconds,
                "tries": self.tries,
                "mistakes": [mistake for mistake in self.mistakes if mistake],
                "planted": list(getattr(item, "planted", ())),
            }
        )
        if self.repeat and rating == schedule.AGAIN and self.queue.count(item.name) == 1:
            self.queue.append(item.name)

    def _keep(self, entry):
        now = self.now()
        line = {"v": log.VERSION, "time": now.isoformat(timespec="seconds")} | entry
        trouble = log.append(self.path, line)
        if trouble and trouble not in self.notes:
            self.notes.append(trouble)
        parsed = log.parsed(line)
        self.entries.append(parsed)
        if trouble or self.path is None:
            self.unsaved.append(parsed)
        if "item" in entry:
            self.round.append(parsed)

    def _again(self):
        """When the item that was just answered comes again, in words."""
        now = self.now()
        card = schedule.cards(self.entries, now, log.interview_date(self.entries))[self.current.name]
        days = (card.due.date() - now.date()).days
        if self.current.name in self.queue[self.place + 1 :]:
            return "It comes once more at the end of this round."
        return f"It comes again {'tomorrow' if days <= 1 else f'in {days} days'}."

    def minutes_left(self):
        """Whole minutes left of a mock interview, or None."""
        return None if self.limit is None else max(round(self.limit - self.whole.seconds() / 60), 0)

    def answered(self):
        """Whether the clock of this item has done its work."""
        return self.done or self.screen == "question" and self.step > 0

    def _last_planted(self, name):
        found = [entry["planted"] for entry in self.entries if entry.get("item") == name]
        return found[-1] if found else ()

    def today(self):
        return schedule.today(list(self.items), self.entries, self.now(), log.interview_date(self.entries))

    def due(self):
        cards = schedule.cards(self.entries, self.now(), log.interview_date(self.entries))
        return [name for name in schedule.due(cards, self.now()) if name in self.items]
