"""Prediction on the Python side."""

import pytest

from course_utils.views.prediction import Prediction


def test_a_blank_question_is_refused():
    with pytest.raises(ValueError, match="a prediction needs a question, but it is blank"):
        Prediction(" \n")


def test_the_reveal_is_the_authors_html():
    stored = Prediction("Why?", "<b>Because</b>")._repr_mimebundle_()[0]["text/html"]
    assert stored.index("Why?") < stored.index("<details>") < stored.index("<b>Because</b>")
