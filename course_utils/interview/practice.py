"""One round of practice, as a state that a panel or a terminal draws: ``view()`` says what to show, ``do()`` acts."""

import time
from datetime import UTC, date, datetime

import numpy as np

from course_utils.interview import catalogue, log, schedule, screens
from course_utils.interview.bank import Question, prove, questions
from course_utils.interview.stopwatch import Stopwatch, span

SLIP = 0.25  # what each try in vain costs, and the hint; a drill that is solved in the end keeps as much


class Practice:
    """What the candidate is doing. Time and chance are arguments, so that a test can set both.

    ``path``   the file of the answers; None keeps nothing.
    ``now``    gives the time as an aware datetime, ``ticks`` seconds for the clock of a question.
    """

    def __init__(self, path=None, *, bank=None, now=lambda: datetime.now(UTC), ticks=time.monotonic, seed=None):
        self.path, self.now, self.ticks = path, now, ticks
        self.rng = np.random.default_rng(seed)
        self.items = catalogue.items(questions() if bank is None else bank)
        self.notes, self.unsaved, self.message, self.planted = [], [], "", {}
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
        self._begin(self.today() or self.ahead(), repeat=True)

    def _do_mock(self, minutes, value):
        self._begin(catalogue.mock(self.items, int(minutes), self.rng), limit=int(minutes))

    def _do_drill(self, kind, value):
        names = [name for name, item in self.items.items() if item.type == kind and ":" in name]
        self._begin([str(name) for name in self.rng.permutation(names)])

    def _do_date(self, _, value):
        try:
            day = date.fromisoformat(value.strip())
        except ValueError:
            what = f"{value.strip()[:40]!r} is no date" if value.strip() else "Nothing is written"
            self.message = f"{what}: write it as 2030-05-31."
            return
        if day < self.day():
            self.message = f"{day} is over: write a day to come."
            return
        self._keep({"interview": day.isoformat()})
        self.message = f"The interview is on {day}."

    def _do_no_date(self, _, value):
        self._keep({"interview": ""})
        self.message = "No interview date is set now."

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
        share = max(1 - SLIP * (self.tries - 1 + self.hinted), SLIP)
        self._finish(share)
        tries = "at once" if self.tries == 1 else f"after {self.tries} tries"
        self.message += f"\n\nSolved {tries}, in {span(self.watch.seconds())}. "
        self.message += f"{share:.0%} of the points. {self._again()}"
        self.message += f"\n\n{self.current.told}" if self.current.told else ""

    def _do_hint(self, _, value):
        self.hinted = True
        self.message = self.current.hint(self.written)

    def _do_give_up(self, _, value):
        self._finish(0.0)
        self.message = f"{self.current.told}\n\n{self._again()}".strip()

    def _do_next(self, _, value):
        self._leave(self._settle(empty=True))

    def _do_skip(self, _, value):
        self._leave(self._settle())

    def _do_stop(self, _, value):
        self.message = self._settle()
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
        if getattr(self.current, "planted", ()):
            self.planted[item.name] = self.planted["last"] = self.current.planted
        self.screen = "question" if isinstance(self.current, Question) else "drill"
        self.watch = Stopwatch(self.ticks)
        self.step, self.ticked, self.proof, self.done, self.hinted = 0, set(), "", False, False
        self.tries, self.mistakes, self.written = 0, [], getattr(self.current, "start", "")

    def _leave(self, told):
        self._go(self.place + 1)
        self.message = f"{told} {self.message}".strip()

    def _settle(self, empty=False):
        """Keep what was begun: points that are ticked (or none, if ``empty``), a drill tried in vain. Says so."""
        if self.screen == "question" and (self.ticked or empty):
            said, points = len(self.ticked), len(self.current.rubric)
            self._finish(said / points)
            return f"{said} of {points} points. {self._again()}"
        if self.screen == "drill" and not self.done and (self.tries or self.hinted):
            self._finish(0.0)
            return f"Tried and not solved: 0% of the points. {self._again()}"
        return ""

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
        if self.unsaved:
            return "It is not saved, so only this session knows when it comes again."
        now = self.now()
        card = schedule.cards(self.entries, now, log.interview_date(self.entries))[self.current.name]
        days = (card.due.date() - now.date()).days
        if self.current.name in self.queue[self.place + 1 :]:
            return "It comes once more at the end of this round."
        return f"It comes again {'tomorrow' if days <= 1 else f'in {days} days'}."

    def day(self):
        """The date where the candidate is."""
        return self.now().astimezone().date()

    def left_out(self):
        """What a mock interview held and was not answered, each as an answer of 0 points; the log has none of it."""
        names = self.queue if self.limit is not None else []
        answered = {entry["item"] for entry in self.round}
        items = [self.items[name] for name in names if name not in answered]
        return [
            {"item": item.name, "topic": item.topic, "type": item.type, "level": item.level, "score": 0.0}
            for item in items
        ]

    def minutes_left(self):
        """Whole minutes left of a mock interview, or None."""
        return None if self.limit is None else max(round(self.limit - self.whole.seconds() / 60), 0)

    def answered(self):
        """Whether the clock of this item has done its work."""
        return self.done or self.screen == "question" and self.step > 0

    def _last_planted(self, name):
        """What was planted in this drill last, also if it was skipped, and what in the drill before it."""
        found = [entry["planted"] for entry in self.entries if entry.get("item") == name]
        return [*self.planted.get(name, found[-1] if found else ()), *self.planted.get("last", ())]

    def today(self):
        return schedule.today(list(self.items), self.entries, self.now(), log.interview_date(self.entries))

    def ahead(self):
        """The next that were never asked, for who wants more than what is for today."""
        asked = {entry["item"] for entry in log.answers(self.entries)}
        return [name for name in self.items if name not in asked][: schedule.NEW_A_DAY]

    def due(self):
        """Of what is for today, what was asked before."""
        asked = {entry["item"] for entry in log.answers(self.entries)}
        return [name for name in self.today() if name in asked]
