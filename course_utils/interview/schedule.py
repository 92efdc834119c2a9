"""What to repeat today: every card is worked out from the log by FSRS; time is always an argument."""

import math
from datetime import UTC, datetime, time, timedelta

from fsrs import Card, Rating, Scheduler

from course_utils.interview.log import answers

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
FOREVER = 36500  # days
NEW_A_DAY, MOST_NEW_A_DAY = 5, 12
REPEATED_A_DAY = 20  # at most, before an interview
LAST_DAYS = 2  # all is to be asked once before these
GOLDEN = (math.sqrt(5) - 1) / 2


def rating(score, *, tries=1, seconds=0, minutes=1):
    """How well it went, from 1 (again) to 4 (easy): the share of the points, fewer tries and less time are better."""
    if score < 0.5:
        return AGAIN
    if score < 0.75 or tries > 1:
        return HARD
    return EASY if score == 1 and seconds < 30 * minutes else GOOD


def scheduler(now, interview=None):
    """The FSRS scheduler for answers given at ``now``: before an interview nothing waits beyond its day.

    No learning steps of minutes: an answer rated "hard" would stay in them for ever. What failed comes again
    tomorrow. No fuzz: cards are worked out anew from the log each time, and must come out the same.
    """
    left = days_left(now, interview)
    return Scheduler(
        desired_retention=0.9 if left is None else 0.95,
        maximum_interval=FOREVER if left is None else max(left, 1),
        learning_steps=(),
        relearning_steps=(),
        enable_fuzzing=False,
    )


def days_left(now, interview):
    """Whole days until the interview's day begins (UTC), at least 0; None without one, or when it is over."""
    if interview is None or interview < now.date():
        return None
    return max((datetime.combine(interview, time(), UTC) - now).days, 0)


def cards(entries, now, interview=None):
    """{item: Card} from the log. A clock that was set back breaks nothing.

    An answer counts as given not later than now and not before the one in front of it; a card whose last answer
    claims to come from the future is due at once.
    """
    found, schedulers = {}, {}
    for entry in answers(entries):
        card = found.get(entry["item"]) or Card(card_id=len(found) + 1, due=now)
        given = min(entry["time"], now)
        given = max(given, card.last_review or given)
        day = given.date()
        if day not in schedulers:
            schedulers[day] = scheduler(given, interview)
        card, _ = schedulers[day].review_card(card, Rating(entry["rating"]), given)
        if entry["time"] > now:
            card.due = now
        found[entry["item"]] = card
    return found


def due(found, now):
    """The names of the cards that are due by the end of today, the one forgotten most first."""
    end = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    ready = [name for name, card in found.items() if card.due < end]
    measure = Scheduler(enable_fuzzing=False)
    return sorted(ready, key=lambda name: (measure.get_card_retrievability(found[name], now), name))


def today(names, entries, now, interview=None, new=None):
    """The names to practise today, in order: what is due, then some that were never asked.

    ``names`` are all there are, easiest first. Without an interview all that is due comes, and at most ``new``
    new ones, easiest first. Before one, the new ones are spread over the days left, the last two left out, with
    easy and hard ones on each day; and what is repeated is capped, the most forgotten first. What was already
    repeated or begun today counts.
    """
    found, known = cards(entries, now, interview), set(names)
    ready = [name for name in due(found, now) if name in known]
    fresh = [name for name in names if name not in found]
    begun, repeated = _done_today(known, entries, now)
    left = None if interview is None else (interview - now.date()).days
    if left is None or left < 0:
        return ready + fresh[: max((NEW_A_DAY if new is None else new) - begun, 0)]
    if new is None:
        share = math.ceil((len(fresh) + begun) / max(left - LAST_DAYS, 1))
        new = min(max(share, NEW_A_DAY), MOST_NEW_A_DAY)
    chosen = set(_mixed(names, fresh)[: max(new - begun, 0)])
    return ready[: max(REPEATED_A_DAY - repeated, 0)] + [name for name in names if name in chosen]


def _done_today(known, entries, now):
    """How many items were asked for the first time today, and how many were asked before and again today."""
    first, again = {}, set()
    for entry in answers(entries):
        name = entry["item"]
        first.setdefault(name, entry["time"].date())
        if name in known and entry["time"].date() == now.date():
            again.add(name)
    begun = sum(first[name] == now.date() for name in again)
    return begun, len(again) - begun


def _mixed(names, fresh):
    """``fresh`` in an order in which every few neighbours come from all over ``names``."""
    place = {name: number * GOLDEN % 1 for number, name in enumerate(names)}
    return sorted(fresh, key=place.get)
