"""A round of practice from its start to its result; time and chance are set."""

import re
import time as time_module
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from course_utils.interview import catalogue, log, panel
from course_utils.interview.bank import questions, read_questions
from course_utils.interview.practice import Practice
from tests.interview.samples import GOOD

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Time:
    """A clock that is set by hand."""

    def __init__(self):
        self.seconds, self.days = 0.0, 0.0

    def now(self):
        return NOON + timedelta(days=self.days, seconds=self.seconds)

    def ticks(self):
        return self.seconds


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "work" / log.FILE


@pytest.fixture
def start(time, path):
    """``start()`` gives a round with a small bank."""
    return lambda: Practice(path, bank=read_questions("art.toml", GOOD), now=time.now, ticks=time.ticks, seed=1)


def to(practice, name):
    """Skip to the item of that name."""
    practice._begin([name])
    return practice.view()


def labels(view):
    return [action for action, _, _ in view["actions"]]


def test_a_question_is_revealed_in_steps_and_kept(start, time, path):
    practice = start()
    view = to(practice, "colour")
    assert view["text"] == "Which?" and view["parts"] == view["points"] == [] and view["clock"]["running"]
    assert "next" not in labels(view) and "Answer aloud" in view["message"]
    time.seconds = 50
    view = practice.do("reveal")
    assert [part["label"] for part in view["parts"]] == ["20 seconds"] and len(view["points"]) == 3
    time.seconds = 500  # reading does not count
    view = practice.do("reveal")
    view = practice.do("reveal")
    assert "And green?\n→ No." in view["parts"][2]["text"]
    view = practice.do("reveal")
    assert view["parts"][3]["text"] == "Blue." and "reveal" not in labels(view)
    assert view["clock"] == {"seconds": 50, "minutes": 3, "running": False}
    practice.do("tick 1"), practice.do("tick 2"), practice.do("tick 3")
    view = practice.do("tick 2")
    assert [point["ticked"] for point in view["points"]] == [True, False, True]
    view = practice.do("next")
    assert view["kind"] == "result" and "1 answer, 67% of the points." in view["text"]
    assert view["message"] == "2 of 3 points. It comes again tomorrow."
    (entry,) = log.read(path)[0]
    assert (entry["item"], entry["score"], entry["rating"], entry["seconds"]) == ("colour", 0.667, 2, 50)


def test_who_stops_with_points_ticked_keeps_them(start, path):
    practice = start()
    for ticks in ((), ("tick 1",)):
        to(practice, "colour")
        for action in ("reveal", *ticks, "stop"):
            practice.do(action)
        assert practice.screen == "result"
    assert [entry["score"] for entry in log.read(path)[0]] == [0.333]


def test_it_is_said_when_a_question_comes_again(start):
    practice = start()
    to(practice, "colour")
    practice.do("reveal")
    for number in (1, 2, 3):
        practice.do(f"tick {number}")
    assert re.fullmatch(r"3 of 3 points\. It comes again in \d+ days\.", practice.do("next")["message"])
    practice._begin(["colour"], repeat=True)
    practice.do("reveal")
    assert "0 of 3 points. It comes once more at the end of this round." in practice.do("next")["message"]


def test_what_does_not_fit_is_said_and_changes_nothing(start):
    practice = start()
    before = practice.view()
    for action in ("reveal", "tick 1", "fly", "", None, "mock 21"):
        after = practice.do(action)
        assert after["message"].endswith("is not possible here.")
        assert after | {"message": ""} == before
    to(practice, "colour")
    practice.do("reveal")
    for number in ("0", "4", "x", "", "²"):
        assert practice.do(f"tick {number}")["message"] == "There are the points 1 to 3."


def test_a_pause_stops_the_clock(start, time):
    practice = start()
    to(practice, "colour")
    time.seconds = 10
    assert not practice.do("pause")["clock"]["running"]
    time.seconds = 1000
    assert practice.do("pause")["clock"] == {"seconds": 10, "minutes": 3, "running": True}
    time.seconds = 1005
    assert practice.view()["clock"]["seconds"] == 15
    practice.do("reveal")
    practice.do("pause"), practice.do("pause")
    assert not practice.view()["clock"]["running"]  # it had done its work


def test_a_drill_counts_its_tries_and_unread_answers_do_not(start, time, path):
    practice = start()
    to(practice, "estimate:score_entries")
    assert practice.do("check", "12 GiB")["message"].startswith("The unit 'GiB' does not fit")
    assert practice.do("check", "1")["message"].startswith("Not yet.")
    right = practice.current.solution.rpartition(" = ")[2]
    time.seconds = 75
    view = practice.do("check", right)
    assert "Solved after 2 tries, in 1 min 15 s." in view["message"] and labels(view)[0] == "next"
    (entry,) = log.read(path)[0]
    assert "75% of the points. It comes again" in view["message"]
    assert (entry["score"], entry["tries"], entry["rating"], entry["seconds"]) == (0.75, 2, 2, 75)
    practice.do("next")
    assert len(log.read(path)[0]) == 1


def test_what_is_written_survives_a_pause(start):
    practice = start()
    to(practice, "debug:softmax")
    assert practice.do("pause", "def softmax(x): my words")["box"]["text"] == "def softmax(x): my words"
    assert practice.do("pause")["box"]["text"] == "def softmax(x): my words"


def test_a_debug_drill_that_is_given_up_comes_with_another_mistake_next(start, path):
    practice = start()
    last = set()
    for _ in range(6):
        to(practice, "debug:attention")
        assert not last & set(practice.current.planted)
        last = set(practice.current.planted)
        view = practice.do("give_up")
        assert all(name in view["message"] for name in last)
        assert view["parts"][0] == {"label": "Reference", "text": practice.current.solution}
    assert {entry["rating"] for entry in log.read(path)[0]} == {1}


def test_what_was_planted_does_not_come_again_after_a_skip_nor_in_the_next_drill(start):
    practice = start()
    practice._begin(["debug:softmax", "debug:attention", "debug:masked_attention", "debug:cached_attention"] * 15)
    by_item, last = {}, set()
    while practice.screen == "drill":
        name, now = practice.current.name, {mistake.partition("/")[2] for mistake in practice.current.planted}
        assert not now & (last | by_item.get(name, set())), name
        by_item[name] = last = now
        practice.do("skip")


def test_a_hint_costs(start, path):
    practice = start()
    view = to(practice, "debug:softmax")
    assert "hint" in labels(view)
    view = practice.do("hint", view["box"]["text"])
    assert view["message"] and "hint" not in labels(view)
    practice.do("check", practice.current.solution)
    (entry,) = log.read(path)[0]
    assert (entry["score"], entry["rating"], entry["tries"]) == (0.75, 2, 1)


@pytest.mark.parametrize("wrong, share, rating", [(0, 1.0, 4), (2, 0.5, 2), (9, 0.25, 1)])
def test_each_try_in_vain_costs_a_quarter_and_the_last_quarter_stays(start, path, wrong, share, rating):
    practice = start()
    to(practice, "by hand:softmax_row")
    for _ in range(wrong):
        assert practice.do("check", "5 6 7")["message"].startswith("Not yet.")
    practice.do("check", practice.current.solution)
    assert [(entry["score"], entry["rating"]) for entry in log.read(path)[0]] == [(share, rating)]


@pytest.mark.parametrize("leave", ["skip", "stop"])
@pytest.mark.parametrize("action", ["check", "hint"])
def test_a_drill_that_was_tried_in_vain_is_not_forgotten(start, path, leave, action):
    practice = start()
    to(practice, "debug:softmax")
    practice.do(action, practice.current.start)
    view = practice.do(leave)
    assert view["message"] == "Tried and not solved: 0% of the points. It comes again tomorrow."
    assert [(entry["score"], entry["rating"]) for entry in log.read(path)[0]] == [(0.0, 1)]
    to(practice, "debug:softmax")
    assert practice.do(leave)["message"] == "" and len(log.read(path)[0]) == 1  # not tried: not an answer


def test_points_that_are_ticked_are_kept_by_a_skip(start, path):
    practice = start()
    to(practice, "colour")
    practice.do("reveal"), practice.do("tick 1")
    assert practice.do("skip")["message"].startswith("1 of 3 points.")
    assert [entry["score"] for entry in log.read(path)[0]] == [0.333]


def test_today_is_what_is_due_and_what_failed_comes_once_more(start, time, path):
    practice = start()
    assert "To repeat today: 0. New: 5." in practice.view()["text"]
    view = practice.do("today")
    assert view["title"] == "1 of 5"
    count = 0
    while practice.screen != "result":
        count += 1
        practice.do("reveal"), practice.do("give_up"), practice.do("next")
    assert count == 10 and len(log.read(path)[0]) == 10
    practice.do("home")
    assert "To repeat today: 0. New: 0." in practice.view()["text"] and "today" in labels(practice.view())
    assert "Practise some new ones ahead" in [label for _, label, _ in practice.view()["actions"]]
    assert practice.do("today")["title"] == "1 of 5" and practice.current.name not in {
        entry["item"] for entry in log.read(path)[0]
    }
    time.days = 1
    tomorrow = start()
    assert "To repeat today: 5. New: 5." in tomorrow.view()["text"]
    time.days = -300  # a clock set back
    assert "To repeat today: 5." in start().view()["text"] and start().do("today")["title"] == "1 of 10"


def test_the_start_counts_what_today_holds(time, path):
    practice = Practice(path, now=time.now, ticks=time.ticks, seed=1)
    practice.do("date", "2030-01-15")
    names = list(practice.items)
    for name in names[:30]:
        to(practice, name)
        practice.do("reveal"), practice.do("give_up"), practice.do("next")
    time.days = 1
    practice.do("home")
    assert "To repeat today: 20. New: 10." in practice.view()["text"]
    assert practice.do("today")["title"] == "1 of 30"


def test_the_interview_date_is_set_refused_and_taken_back(start, time, path):
    practice = start()
    assert "'soon' is no date: write it as 2030-05-31." in practice.do("date", "soon")["message"]
    assert "is over" in practice.do("date", "2029-01-01")["message"]
    assert len(practice.do("date", "an essay " * 300)["message"]) < 120
    assert log.read(path)[0] == []
    practice.do("date", " 2030-01-15 ")
    for days, when in ((0, "in 14 days"), (12, "in 2 days"), (13, "tomorrow"), (14, "today")):
        time.days = days  # at noon
        assert f"The interview is {when}, on 2030-01-15." in start().view()["text"]
    time.days = 20
    assert "No interview date is set." in start().view()["text"]


def test_the_date_that_is_set_stands_in_the_box_and_only_its_own_action_removes_it(start, path):
    practice = start()
    assert practice.view()["box"]["text"] == "" and "no_date" not in labels(practice.view())
    practice.do("date", "2030-01-15")
    view = practice.do("date", " ")
    assert view["message"] == "Nothing is written: write it as 2030-05-31."
    assert view["box"]["text"] == "2030-01-15" and "no_date" in labels(view)
    view = practice.do("no_date", "2030-01-15")
    assert "No interview date is set." in view["text"] and view["box"]["text"] == ""
    assert log.interview_date(log.read(path)[0]) is None


@pytest.mark.skipif(not hasattr(time_module, "tzset"), reason="the time zone can be set on Unix only")
def test_the_day_is_the_candidates_own(start, time, monkeypatch):
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time_module.tzset()
    try:
        time.days = 0.75  # 2030-01-02, 06:00 UTC: there it is still the evening of the first
        practice = start()
        assert practice.do("date", "2030-01-01")["message"] == "The interview is on 2030-01-01."
        assert "The interview is today, on 2030-01-01." in practice.view()["text"]
    finally:
        monkeypatch.undo()
        time_module.tzset()


def test_a_mock_interview_ends_with_its_time(start, time):
    practice = start()
    practice.do("mock 60")
    practice.do("pause")
    time.seconds = 5000  # the break does not count
    practice.do("pause")
    practice.do("skip")
    assert practice.screen != "result"
    time.seconds += 60 * 60
    view = practice.do("skip")
    assert view["kind"] == "result" and view["message"] == "The 60 minutes are over."


def test_a_mock_interview_counts_what_was_left_out(start, path):
    practice = start()
    practice.do("mock 45")
    count = len(practice.queue)
    while practice.screen != "result":
        view = practice.do("skip")
    assert view["title"] == "Result of this round" and sum(row[2] for row in view["table"]) == 3 * count
    assert view["text"].startswith(f"0 answers, {count} left out, 0% of the points.")
    assert log.read(path)[0] == []
    practice.do("home"), practice.do("mock 45")
    practice.current = practice.items["implement:softmax"].make(practice.rng, ())
    practice.queue[0], practice.screen = "implement:softmax", "drill"
    practice.do("check", practice.current.solution)
    view = practice.do("stop")
    left = len(practice.queue) - 1
    assert view["text"].startswith(f"1 answer, {left} left out, {1 / (left + 1):.0%} of the points.")


def test_a_round_without_an_answer_says_so_and_does_not_show_an_old_one(start):
    practice = start()
    to(practice, "colour")
    practice.do("reveal"), practice.do("next"), practice.do("home")
    practice.do("today")
    view = practice.do("stop")
    assert (view["title"], view["text"]) == ("Result of this round", "Nothing is answered yet.")
    practice.do("home")
    view = practice.do("result")
    assert view["title"] == "Results so far" and view["text"].startswith("1 answer, 0%")


@pytest.mark.parametrize("minutes", catalogue.MOCKS)
def test_a_mock_interview_mixes_and_fits(minutes):
    found = catalogue.items(questions())
    for seed in range(10):
        chosen = [found[name] for name in catalogue.mock(found, minutes, np.random.default_rng(seed))]
        assert len({item.name for item in chosen}) == len(chosen)
        assert minutes - 2 < sum(item.minutes for item in chosen) <= minutes
        assert len({item.type for item in chosen}) >= min(len(chosen), 4)
        assert [item.level for item in chosen] == sorted(item.level for item in chosen)
    assert len({tuple(catalogue.mock(found, minutes, np.random.default_rng(seed))) for seed in range(5)}) > 1


def test_every_item_can_be_made_and_says_the_same_as_its_entry():
    for item in catalogue.items(questions()).values():
        made = item.make(np.random.default_rng(0), ())
        for field in ("name", "topic", "type", "level", "minutes", "lesson"):
            assert getattr(made, field) == getattr(item, field), item.name


def test_a_folder_that_cannot_be_written_is_said_once_and_practice_goes_on(start, path):
    path.parent.mkdir()
    path.mkdir()
    practice = start()
    for _ in range(2):
        to(practice, "colour")
        practice.do("reveal"), practice.do("next")
    assert len([note for note in practice.notes if "not being saved" in note]) == 1
    assert "It is not saved" in practice.message and "tomorrow" not in practice.message
    assert "2 answers" in " ".join(practice.view()["text"].split()) or practice.screen == "result"


def test_two_rounds_at_once_see_each_others_answers(start, path):
    first, second = start(), start()
    for practice, item in ((first, "colour"), (second, "estimate:crossover")):
        to(practice, item)
        practice.do("reveal"), practice.do("give_up"), practice.do("next"), practice.do("home")
    assert {entry["item"] for entry in second.entries} == {"colour", "estimate:crossover"}
    assert len(log.read(path)[0]) == 2


def test_without_a_file_the_round_remembers_while_it_lasts():
    practice = Practice(None, bank=read_questions("art.toml", GOOD))
    to(practice, "colour")
    practice.do("reveal"), practice.do("next"), practice.do("home")
    assert [entry["item"] for entry in practice.entries] == ["colour"]


def test_a_damaged_line_is_told(start, path):
    path.parent.mkdir()
    path.write_text("what is this\n")
    assert start().view()["notes"] == ["Line 1 of .interview.jsonl is damaged and left out; the other lines are used."]


# ---------------------------------------------------------------- the panel


def test_the_panel_acts_on_every_event_once():
    view = panel.trainer()
    view.events = [{"do": "today", "value": None}]
    first = view.card["title"]
    view.events = [*view.events, {"do": "skip", "value": None}, {"do": "skip", "value": None}]
    assert (first, view.card["title"]) == ("1 of 5", "3 of 5")


def test_what_the_panel_stores_is_the_same_every_day_and_a_first_question(monkeypatch):
    view = panel.trainer()
    before = view._repr_mimebundle_()[0]
    assert "1 of 5" in before["text/html"] and before["text/plain"] == "Trainer()"
    view.events = [{"do": "today", "value": None}, {"do": "reveal", "value": None}]
    assert view._repr_mimebundle_()[0]["text/html"] == before["text/html"] == panel.trainer().twin()


def test_outside_work_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    view = panel.trainer()
    view.events = [{"do": action} for action in ("today", "reveal", "next")]
    assert list(tmp_path.iterdir()) == [] and view.card["title"].startswith("2 of")
