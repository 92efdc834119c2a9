"""What to repeat today: every card is worked out from the log by FSRS; time is always an argument."""

from datetime import UTC, datetime, time, timedelta

from fsrs import Card, Rating, Scheduler

from course_utils.interview.log import answers

AGAIN, HARD, GOOD, EASY = 1, 2, 3, 4
FOREVER = 36500  # days
NEW_A_DAY = 5


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


def today(names, entries, now, interview=None, new=NEW_A_DAY):
    """The names to practise today, in order: what is due, then at most ``new`` that were never asked.

    ``names`` are all there are, easiest first. New ones that were begun today count.
    """
    found = cards(entries, now, interview)
    known = set(names)
    first = {}
    for entry in answers(entries):
        first.setdefault(entry["item"], entry["time"])
    begun = sum(name in known and begun.date() == now.date() for name, begun in first.items())
    fresh = [name for name in names if name not in found]
    return [name for name in due(found, now) if name in known] + fresh[: max(new - begun, 0)]
