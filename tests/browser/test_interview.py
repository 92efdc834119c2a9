"""The interview trainer in a plain page and in JupyterLab: everything by keyboard, and text stays text."""

import json

import pytest

from course_utils.interview.drills.subjects import subjects
from course_utils.views.interview import Trainer
from tests.browser.examples import trainer_card
from tests.browser.pages import contrasts, eventually, set_trait, trait

pytestmark = pytest.mark.browser
every_theme = pytest.mark.parametrize("theme", ["light", "dark"])
QUESTION = trainer_card(kind="question", parts=[], box={"kind": "", "label": "", "text": ""}, table=[], notes=[])


def events(page):
    return [(event["do"], event["value"]) for event in trait(page, "events")]


def test_letters_and_numbers_choose(plain_page):
    page = plain_page(Trainer(QUESTION))
    page.get_by_role("button").first.focus()
    for key in ("c", "2", "9", "z", "Control+c"):
        page.keyboard.press(key)
    assert events(page) == [("check", None), ("tick 2", None)]
    page.keyboard.press("Enter")  # the button itself
    page.get_by_label("the width").press("Space")
    assert events(page)[2:] == [("check", None), ("tick 1", None)]


def test_letters_are_letters_where_one_writes(plain_page):
    page = plain_page(Trainer(trainer_card(box={"kind": "line", "label": "Your answer", "text": ""}, points=[])))
    box = page.get_by_label("Your answer")
    box.focus()
    page.keyboard.type("ch 2")
    assert box.input_value() == "ch 2" and events(page) == []
    page.keyboard.press("Enter")
    assert events(page) == [("check", "ch 2")]


def test_the_code_box_is_an_editor_that_can_be_left(plain_page):
    page = plain_page(Trainer(trainer_card()))
    box = page.get_by_label("Your code")
    box.fill("def f(x):")
    page.keyboard.press("End")
    for key in ("Enter", "y", "Enter", "Tab", "z"):
        page.keyboard.press(key)
    assert box.input_value() == "def f(x):\n    y\n        z"
    page.keyboard.press("Shift+Enter")
    assert events(page) == [("check", "def f(x):\n    y\n        z")]
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent").startswith("Check")


def test_the_focus_stays_where_it_was_or_goes_to_what_is_new(plain_page):
    page = plain_page(Trainer(QUESTION))
    set_trait(page, "card", QUESTION | {"message": "Nobody asked."})
    assert page.evaluate("document.activeElement === document.body")  # the page is the reader's until it is used
    page.get_by_label("of key").focus()
    set_trait(page, "card", QUESTION | {"message": "Ticked."})
    assert page.evaluate("document.activeElement.dataset.key") == "tick 2"
    set_trait(page, "card", QUESTION | {"title": "3 of 5", "text": "Another?"})
    assert page.evaluate("document.activeElement.textContent") == "Another?"
    set_trait(page, "card", trainer_card(title="4 of 5", box={"kind": "line", "label": "Answer", "text": ""}))
    assert page.evaluate("document.activeElement.dataset.key") == "box"


def test_what_is_written_and_where_the_cursor_stands_survive_a_redraw(plain_page):
    page = plain_page(Trainer(trainer_card()))
    page.get_by_label("Your code").evaluate("box => { box.focus(); box.setSelectionRange(4, 4); }")
    set_trait(page, "card", trainer_card(message="Still not."))
    assert page.evaluate("[document.activeElement.dataset.key, document.activeElement.selectionStart]") == ["box", 4]


def test_texts_are_never_markup(plain_page):
    evil = "<img src=x onerror='window.hit = 1'><b>bold</b> `<i>code</i>`"
    card = trainer_card(title=evil, facts=evil, text=evil, message=evil, notes=[evil], table=[[evil, evil, 1, evil]])
    card |= {"parts": [{"label": evil, "text": evil}], "points": [{"text": evil, "ticked": False}]}
    page = plain_page(Trainer(card))
    assert page.locator(".course-view :is(img, b, i)").count() == 0
    assert page.locator("code", has_text="<i>code</i>").count() >= 4
    assert page.evaluate("window.hit") is None
    assert "<img" not in Trainer(card).twin() and "<b>bold" not in Trainer(card).twin()


def test_the_clock_runs_stands_and_says_when_it_is_over(plain_page):
    clock = {"seconds": 59, "minutes": 1, "running": False}
    page = plain_page(Trainer(QUESTION | {"clock": clock}))
    assert page.locator(".clock").inner_text() == "0:59 of 1:00, the clock stands"
    assert page.locator(".clock.over").count() == 0
    set_trait(page, "card", QUESTION | {"clock": clock | {"running": True}})
    assert eventually(lambda: page.locator(".clock.over").count() == 1)
    assert page.locator(".clock").inner_text().endswith(" of 1:00")
    set_trait(page, "card", QUESTION)
    page.wait_for_timeout(1200)
    assert page.locator(".clock").inner_text() == "1:01 of 5:00, the clock stands"


def test_the_letter_for_the_date_leads_to_the_box_first(plain_page):
    actions = [["date", "Set the interview date", "s"], ["result", "Results so far", "r"]]
    box = {"kind": "line", "label": "Interview date", "text": "2030-05-31"}
    page = plain_page(Trainer(trainer_card(kind="start", parts=[], points=[], table=[], actions=actions, box=box)))
    field = page.get_by_label("Interview date")
    page.get_by_role("button").last.focus()
    page.keyboard.press("s")
    assert events(page) == [] and page.evaluate("document.activeElement.dataset.key") == "box"
    assert page.evaluate("window.getSelection().toString()") == field.input_value() == "2030-05-31"
    page.keyboard.type("2030-06-01")
    page.get_by_role("button", name="Set the interview date").click()
    field.focus()
    page.keyboard.press("Enter")
    assert events(page) == [("date", "2030-06-01")] * 2


def in_view(page, *selectors):
    """Whether these stand in the window from their top to their bottom."""
    boxes = [page.locator(selector).last.bounding_box() for selector in selectors]
    height = page.viewport_size["height"] + 1  # a fraction of a pixel may be cut off
    return [-1 <= box["y"] and box["y"] + box["height"] <= height for box in boxes]


def test_what_is_new_comes_into_view(plain_page):
    long = "\n".join("A line." for _ in range(12))
    page = plain_page(Trainer(QUESTION), viewport={"width": 1000, "height": 560})
    page.get_by_role("button").first.focus()
    parts = []
    for label in ("20 seconds", "2 minutes", "Follow-ups"):
        parts.append({"label": label, "text": long})
        set_trait(page, "card", QUESTION | {"parts": parts})
        assert page.locator(".part").count() == len(parts)
        assert in_view(page, ".part") == [True], label
    set_trait(page, "card", QUESTION | {"parts": parts, "message": "Paused."})
    assert in_view(page, ".message", ".actions") == [True, True]
    code = {"kind": "code", "label": "Your code", "text": "x = 1\n" * 40}
    set_trait(page, "card", trainer_card(title="3 of 5", text="Find it.", box=code, points=[], table=[]))
    assert in_view(page, ".head", ".text") == [True, True]
    assert page.evaluate("document.activeElement.dataset.key") == "box"


@pytest.mark.parametrize("width", [1100, 500])
def test_the_whole_first_line_of_every_drill_can_be_seen(width, plain_page):
    first = max((subject.reference.partition("\n")[0] for subject in subjects().values()), key=len)
    box = {"kind": "code", "label": "Your code", "text": first}
    page = plain_page(Trainer(trainer_card(box=box)), viewport={"width": width, "height": 800})
    area = page.get_by_label("Your code")
    assert area.evaluate("box => box.scrollWidth <= box.clientWidth")


@every_theme
def test_everything_can_be_read(theme, plain_page):
    over = {"seconds": 400, "minutes": 5, "running": False}
    page = plain_page(Trainer(trainer_card(clock=over)), color_scheme=theme)
    found = contrasts(page, ".trainer :is(p, h3, h4, label, span, button, kbd, textarea, th, td, caption)")
    assert len(found) > 15 and min(found, key=lambda text: text["contrast"])["contrast"] >= 4.5


def test_a_round_in_jupyterlab(lab):
    page = lab.open("from course_utils.interview.panel import trainer", "panel = trainer(); panel")
    lab.run_all(page)
    panel = page.locator(".trainer")
    panel.get_by_role("button", name="Practise what is for today").focus()
    cells = page.locator(".jp-Cell").count()

    def press(key, shows):
        page.keyboard.press(key)
        assert eventually(lambda: shows in panel.inner_text()), panel.inner_text()

    press("t", "1 of 5")
    press("n", "Tick the key points you said.")
    page.keyboard.press("1")
    assert eventually(lambda: panel.locator("input:checked").count() == 1)
    press("n", "Show: Follow-ups")
    press("p", "Proof")
    press("d", "2 of")
    panel.get_by_role("button", name="Stop").click()
    assert eventually(lambda: "Result of this round" in panel.inner_text())
    press("b", "Mock interview, 45 minutes")
    press("i", "Your code")
    box = panel.get_by_label("Your code")
    box.fill("def nothing(:")
    page.keyboard.press("Shift+Enter")
    assert eventually(lambda: "Line 1 is not Python yet" in panel.inner_text())
    assert box.input_value() == "def nothing(:" and page.locator(".jp-Cell").count() == cells
    assert json.dumps(page.asked + page.errors) == "[]"
    page.context.close()
