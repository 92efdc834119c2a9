"""When a card comes again: by FSRS, never beyond the interview, whatever the clock does."""

from datetime import UTC, date, datetime, timedelta

import pytest

from course_utils.interview import schedule
from course_utils.interview.log import parsed
from tests.interview.samples import entry

START = datetime(2030, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def answered(item, days, rating=3):
    return parsed(entry(item, time=(START + days * DAY).isoformat(), rating=rating))


def intervals(rating, interview=None, times=7):
    """Days between answers that are always given when the card is due."""
    entries, days, found = [], 0, []
    for _ in range(times):
        entries.append(answered("a", days, rating))
        now = START + days * DAY
        wait = (schedule.cards(entries, now, interview)["a"].due - now) / DAY
        found.append(wait)
        days += wait
    return found


def test_good_answers_are_asked_for_less_and_less():
    waits = intervals(3)
    assert waits == sorted(waits) and waits[0] == 2 and waits[-1] > 300


def test_hard_answers_do_not_stay_for_ever():
    assert intervals(2, times=5)[-1] > 2


def test_before_an_interview_nothing_waits_beyond_it():
    interview = date(2030, 1, 15)
    waits = intervals(3, interview)
    assert waits[0] == 1 and sum(waits[:3]) <= 13.5
    entries = [answered("a", 0, 4), answered("a", 8, 4)]
    due = schedule.cards(entries, START + 8 * DAY, interview)["a"].due
    assert due <= datetime(2030, 1, 15, tzinfo=UTC)


def test_the_day_before_and_the_day_itself_still_work():
    for days in (13, 13.9, 14.2):
        card = schedule.cards([answered("a", days)], START + days * DAY, date(2030, 1, 15))["a"]
        assert card.due == START + (days + 1) * DAY


def test_an_interview_that_is_over_counts_no_more():
    assert schedule.days_left(START, date(2029, 12, 31)) is None
    assert intervals(3, date(2029, 12, 31)) == intervals(3)
    assert schedule.days_left(START, date(2030, 1, 1)) == 0 and schedule.days_left(START, date(2030, 1, 3)) == 1


def test_retention_is_higher_before_an_interview_and_there_is_no_chance_in_it():
    assert schedule.scheduler(START).desired_retention == 0.9
    before = schedule.scheduler(START, date(2030, 1, 11))
    assert (before.desired_retention, before.maximum_interval, before.enable_fuzzing) == (0.95, 9, False)


def test_a_clock_set_back_breaks_nothing():
    entries = [answered("a", 5), answered("a", 2), answered("b", 400)]
    found = schedule.cards(entries, START + 6 * DAY)
    assert START + 6 * DAY < found["a"].due < START + 40 * DAY
    assert schedule.due(found, START + 6 * DAY) == ["b"]  # from the future: asked at once
    again = schedule.cards([*entries, answered("b", 6)], START + 6 * DAY)
    assert START + 6 * DAY < again["b"].due < START + 60 * DAY


def test_today_has_what_is_due_first_and_then_a_few_new_ones():
    names = [*"abcdefgh"]
    entries = [answered("h", 0, 1), answered("g", 0, 4)]
    assert schedule.today(names, entries, START + DAY, new=3) == ["h", "a", "b", "c"]
    assert schedule.today(names, entries, START, new=3) == ["a"]  # two new ones were begun today
    assert schedule.today(names, [], START, new=3) == ["a", "b", "c"]


def days_before(interview, rating, names):
    """What is for each day until the interview, as (repeated, new), if all of it is answered each time."""
    entries, day = [], 0
    while (now := START + day * DAY).date() < interview:
        asked = {entry["item"] for entry in entries}
        names_today = schedule.today(names, entries, now, interview)
        yield [n for n in names_today if n in asked], [n for n in names_today if n not in asked]
        entries += [answered(name, day, rating) for name in names_today]
        day += 1


@pytest.mark.parametrize("rating", [1, 2, 3, 4])
def test_two_weeks_are_enough_for_all_and_the_eve_is_a_day_like_the_others(rating):
    names = [f"{number:03}" for number in range(140)]
    days = list(days_before(date(2030, 1, 15), rating, names))
    assert {name for _, new in days for name in new} == set(names)
    assert all(len(repeated) <= 20 and len(new) <= 12 for repeated, new in days)
    assert [new for _, new in days[-2:]] == [[], []]
    for _, new in days[:-2]:  # easy and hard ones, the easy ones first
        assert new == sorted(new) and new[0] < "040" and new[-1] > "100"


def test_with_little_or_much_time_before_an_interview_a_day_stays_a_day():
    names = [f"{number:03}" for number in range(140)]
    assert [len(new) for _, new in days_before(date(2030, 1, 4), 3, names)] == [12, 12, 12]
    assert [len(new) for _, new in days_before(date(2030, 4, 1), 3, names)][:28] == [5] * 28
    assert len(schedule.today(names, [], START, date(2030, 1, 1))) == 12  # today is the day
    assert schedule.today(names, [], START, date(2029, 12, 31)) == names[:5]


def test_before_an_interview_what_was_done_today_counts():
    names, interview = [f"{number:03}" for number in range(140)], date(2030, 1, 15)
    first = schedule.today(names, [], START, interview)
    entries = [answered(name, 0) for name in first[:4]]
    assert schedule.today(names, entries, START, interview) == first[4:]
    entries = [answered(name, 0, 1) for name in names[:30]]
    assert len([n for n in schedule.today(names, entries, START + DAY, interview) if n < "030"]) == 20
    entries += [answered(name, 1) for name in names[:20]]
    assert not [n for n in schedule.today(names, entries, START + DAY, interview) if n < "030"]


def test_what_is_no_longer_in_the_bank_is_not_asked():
    assert schedule.today(["a"], [answered("gone", 0, 1)], START + DAY) == ["a"]


def test_what_is_forgotten_most_comes_first():
    entries = [answered("new", 9, 1), answered("old", 0, 3)]
    found = schedule.cards(entries, START + 10 * DAY)
    assert schedule.due(found, START + 20 * DAY)[0] == "new"


@pytest.mark.parametrize("score, settings, rating", [
    (0, {}, 1), (0.4, {}, 1), (0.5, {}, 2), (0.74, {}, 2), (0.75, {"seconds": 10}, 3), (1, {"seconds": 50}, 3),
    (1, {"seconds": 20}, 4), (1, {"seconds": 20, "tries": 2}, 2),
])  # fmt: skip
def test_points_tries_and_time_make_the_rating(score, settings, rating):
    assert schedule.rating(score, minutes=1, **settings) == rating


def test_two_thousand_answers_take_no_time():
    entries = [answered(f"card-{i % 200}", i / 200) for i in range(2000)]
    assert len(schedule.cards(entries, START + 10 * DAY)) == 200


def test_half_of_the_time_is_easy_and_no_second_more():
    assert schedule.rating(1, seconds=59, minutes=2) == schedule.EASY
    assert schedule.rating(1, seconds=60, minutes=2) == schedule.GOOD
