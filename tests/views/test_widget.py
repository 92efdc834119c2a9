"""What every widget promises to a notebook: a stable text, a picture that stays, a question asked first."""

import re
import subprocess
import sys

import pytest
import traitlets

from tests.browser.examples import EXAMPLES, widget_classes

every_widget = pytest.mark.parametrize("cls", widget_classes(), ids=lambda cls: cls.__name__)


def bundle(cls, **settings):
    return EXAMPLES[cls][0](**settings)._repr_mimebundle_()[0]


@every_widget
def test_the_stored_output_is_the_same_every_time(cls):
    first, second = bundle(cls), bundle(cls)
    for kind in ("text/plain", "text/html"):
        assert first[kind] == second[kind] and first[kind].strip()
        assert "0x" not in first[kind]
    assert "application/vnd.jupyter.widget-view+json" in first


@every_widget
def test_the_text_form_names_the_widget(cls):
    assert bundle(cls)["text/plain"].startswith(f"{cls.__name__}(")


@every_widget
def test_the_twin_needs_no_script_no_style_sheet_and_no_network(cls):
    twin = EXAMPLES[cls][0]().twin()
    for forbidden in ("<script", "<style", "<svg", "http", "class="):
        assert forbidden not in twin, forbidden
    assert not re.search(r"\son\w+\s*=", twin)  # onload="..." and the like


@every_widget
def test_the_twin_keeps_what_a_question_unlocks_in_a_closed_box(cls):
    stored = bundle(cls, predict="Is 1 < 2?")["text/html"]
    twin = EXAMPLES[cls][0](predict="Is 1 < 2?").twin()
    assert "Is 1 &lt; 2?" in stored.split("<details>")[0]
    assert stored.endswith(f"</summary>{twin}</details>")
    assert "open" not in stored.split("<details")[1].split(">")[0]


@every_widget
def test_the_twin_shows_what_was_predicted(cls):
    view = EXAMPLES[cls][0](predict="Why?")
    view.prediction = "because <it>"
    assert "<p>You wrote: because &lt;it&gt;</p>" in view._repr_mimebundle_()[0]["text/html"]


@every_widget
def test_the_page_gets_the_shared_code_and_the_widgets_own(cls):
    code = str(cls._esm)
    assert "function predictFirst(" in code and code.count("export default") == 1
    assert ".course-view" in str(cls._css)
    assert "http:" not in code.replace("http://www.w3.org/2000/svg", "") and "https:" not in code


def test_a_blank_question_closes_nothing():
    for cls in widget_classes():
        if cls.__name__ != "Prediction":
            assert "<details>" not in bundle(cls, predict="  ")["text/html"]


def test_the_focus_may_be_a_word_or_a_place_and_nothing_else():
    from tests.browser.examples import weight_map

    view = weight_map()
    view.focus = "mat"
    assert view.focus == 5
    view.focus = "the"
    assert view.focus == 0  # the first of two
    view.focus = 4
    with pytest.raises(traitlets.TraitError, match="focus needs one of the, cat, sat, on, mat, but it is 'dog'"):
        view.focus = "dog"
    for place in (6, -1):
        with pytest.raises(traitlets.TraitError, match=f"focus needs a place from 0 to 5, but it is {place}"):
            view.focus = place
    assert view.focus == 4


def test_widgets_need_neither_matplotlib_nor_torch():
    modules = ", ".join(cls.__module__ for cls in widget_classes())
    heavy = "[name for name in ('matplotlib', 'torch') if name in sys.modules]"
    code = f"import sys, {modules}, course_utils.views.figures; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
