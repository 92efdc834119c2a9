import pytest

from course_utils.exercises import ask, recall
from course_utils.exercises.engine.quizzes import quizzes, read_quizzes, recalls

GOOD = """
[colour]
lesson = "00_start"
text = "Which?"
right = "a"
because = "It is."
hints = ["Look."]
[colour.options]
a = "red"
b = "blue"
[[colour.mistakes]]
option = "b"
name = "blue"
what = "Blue is cold."
ask = "Which is warm?"
"""


def test_a_good_file_is_read():
    assert read_quizzes("art", GOOD)["colour"]["topic"] == "art"


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('text = "Which?"', 'txet = "Which?"', "look at text, txet; needed are because"),
        ('because = "It is."', 'because = ""', "look at because"),
        ('right = "a"', 'right = "c"', "the right answer c is none of its options"),
        ('ask = "Which is warm?"', "", "a mistake needs ask, name, option, what, not empty"),
        ('option = "b"', 'option = "a"', "each wrong option needs one mistake, and the right one none"),
    ],
)
def test_a_bad_entry_is_named_with_its_file(old, new, words):
    with pytest.raises(ValueError, match=f"art/quizzes.toml, question colour: {words}"):
        read_quizzes("art", GOOD.replace(old, new, 1))


def test_a_question_is_shown_with_its_options_and_no_answer(capsys):
    ask("causal_it")
    shown = capsys.readouterr().out
    question = quizzes()["causal_it"]
    assert all(option in shown for option in question["options"].values())
    assert question["because"] not in shown and max(map(len, shown.splitlines())) <= 90


def test_an_unknown_question_gets_a_sentence(capsys):
    ask("nope")
    assert capsys.readouterr().out.startswith("There is no question called nope. There are: ")


@pytest.mark.parametrize("name", quizzes())
def test_the_right_option_does_not_stand_out_by_its_length(name):
    question = quizzes()[name]
    lengths = {letter: len(option) for letter, option in question["options"].items()}
    right = lengths.pop(question["right"])
    assert right <= 1.3 * max(lengths.values())


@pytest.mark.parametrize("topic", recalls())
def test_a_recall_hides_its_text_until_something_is_written(topic):
    twin = recall(topic)._repr_mimebundle_()[0]["text/html"]
    before, _, inside = twin.partition("<details>")
    assert "___" in before and "___" not in inside and len(inside) > 100
