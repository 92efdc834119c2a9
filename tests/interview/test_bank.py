"""The loader refuses what is missing, misspelt or doubled, and names it; every proof of every question holds."""

import importlib

import pytest

from course_utils.exercises.engine.registry import exercises
from course_utils.interview import bank
from course_utils.interview.bank import BankError, load, prove, questions, read_questions
from course_utils.lessons.notebook import lessons
from tests.interview.samples import GOOD


def test_a_good_file_is_read():
    question = read_questions("art.toml", GOOD)["colour"]
    assert (question.name, question.topic, question.level, question.proof) == ("colour", "art", 2, None)
    assert question.rubric == ("red", "warm", "not blue")
    assert [follow_up.ask for follow_up in question.follow_ups] == ["And green?", "And grey?"]


@pytest.mark.parametrize("old, new, words", [
    ('trap = "Blue."\n', "", "trap is missing"),
    ('trap = "Blue."', 'tarp = "Blue."', "tarp is no field; there are brief, follow_ups"),
    ('brief = "Red."', 'brief = "  "', "brief is '  '; a text that is not empty is needed"),
    ('brief = "Red."', "brief = 3", "brief is 3; a text"),
    ('"explain"', '"explane"', "type is 'explane'; the types are explain, derive, by hand"),
    ("level = 2", "level = 6", "level is 6; a whole number from 1 to 5 is needed"),
    ("level = 2", "level = true", "level is True; a whole number"),
    ("minutes = 3", "minutes = 0", "minutes is 0; a whole number from 1 to 60"),
    ('["red", "warm", "not blue"]', '["red", "warm"]', "rubric needs a list of 3 to 6 points"),
    ('["red", "warm", "not blue"]', '"red"', "rubric needs a list of 3 to 6 points"),
    ('"warm"', '""', "point 2 of rubric is ''"),
    ('"warm"', '"red"', "two points of rubric are the same"),
    ('[[colour.follow_ups]]\nask = "And grey?"\nanswer = "Never."', "", "follow_ups needs two entries"),
    ('answer = "No."', 'anser = "No."', "follow_ups needs two entries, each with ask and answer"),
    ('answer = "No."', 'answer = ""', "answer of follow_up 1 is ''"),
    ('"And grey?"', '"And green?"', "both follow_ups ask the same"),
    ('"01_retrieval"', '"retrieval"', "lesson is 'retrieval'; it looks like 04_masking"),
    ('no_proof = "It is a matter of taste."', "", r"either proof \(a function's name\) or no_proof"),
    ("no_proof", 'proof = "colour"\nno_proof', "either proof"),
    ('trap = "Blue."', 'trap = "Blue."\ntrap = "Grey."', "a field stands here twice"),
    ('level = 2', "level = ", "this is no valid TOML"),
])  # fmt: skip
def test_a_bad_entry_is_refused_with_its_file_and_its_name(old, new, words):
    assert old in GOOD
    with pytest.raises(BankError, match=f"art.toml, question colour: {words}"):
        read_questions("art.toml", GOOD.replace(old, new, 1))


def test_a_doubled_name_in_one_file():
    with pytest.raises(BankError, match="art.toml, question colour: a question of that name stands here twice"):
        read_questions("art.toml", GOOD + GOOD)


def test_a_name_in_capitals_and_a_field_outside():
    with pytest.raises(BankError, match="question Colour: a name is made of small letters"):
        read_questions("art.toml", GOOD.replace("colour", "Colour"))
    with pytest.raises(BankError, match="question brief: this stands outside a question"):
        read_questions("art.toml", 'brief = "Red."')


def test_a_name_in_two_files(tmp_path):
    (tmp_path / "art.toml").write_text(GOOD)
    (tmp_path / "music.toml").write_text(GOOD)
    with pytest.raises(BankError, match="music.toml, question colour: art.toml has one of that name, too"):
        load(tmp_path)


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "art.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BankError, match="art.toml: this is no UTF-8 text"):
        load(tmp_path)


def test_questions_that_are_not_there_are_said_to_be_missing(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BankError, match=f"{folder} holds no questions; fetch the course again"):
            load(folder)
    (tmp_path / "art.toml").write_text("# nothing")
    with pytest.raises(BankError, match="art.toml holds no question; fetch the course again"):
        load(tmp_path)
    (tmp_path / "art.toml").unlink()
    (tmp_path / "art.toml").mkdir()
    with pytest.raises(BankError, match=r"art.toml cannot be read \(.+\); fetch the course again"):
        load(tmp_path)


# ---------------------------------------------------------------- the bank itself

QUESTIONS = list(questions().values())
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
PROVEN = [question for question in QUESTIONS if question.proof]


@every_question
def test_its_lesson_and_its_misconception_exist(question):
    there = [path.stem for path in lessons()]
    assert question.lesson in there or int(question.lesson[:2]) > int(there[-1][:2])
    known = {mistake.name for exercise in exercises().values() for mistake in exercise.mistakes}
    assert question.misconception is None or question.misconception in known


@pytest.mark.parametrize("question", PROVEN, ids=lambda question: question.name)
def test_its_proof_holds(question):
    holds, said = prove(question)
    if not holds and "is not installed here" in said:
        pytest.skip(said)
    assert holds and said, said


def test_no_proof_is_written_for_nothing():
    for topic in {question.topic for question in PROVEN}:
        module = importlib.import_module(f"course_utils.interview.proofs.{topic}")
        functions = {name for name, thing in vars(module).items() if callable(thing) and name[0] != "_"}
        own = {name for name in functions if vars(module)[name].__module__ == module.__name__}
        assert own <= {question.proof for question in PROVEN if question.topic == topic}


def test_no_two_questions_are_the_same():
    assert len({question.question for question in QUESTIONS}) == len(QUESTIONS)


def test_a_proof_that_fails_says_so(monkeypatch):
    question = read_questions("art.toml", GOOD.replace("no_proof", "proof"))["colour"]

    class Module:
        @staticmethod
        def fails():
            raise AssertionError("2 is not 3")

        @staticmethod
        def needs():
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

        @staticmethod
        def finds():
            print("not seen")
            return {"half_of_it": 0.5, "pairs": 65536}

    monkeypatch.setattr(bank.importlib, "import_module", lambda name: Module)

    def proof(name):
        return prove(bank.Question(**{**vars(question), "proof": name}))

    assert proof("fails") == (False, "It does not hold: 2 is not 3.")
    assert proof("needs") == (False, "This proof needs torch, which is not installed here.")
    assert proof("finds") == (True, "half of it: 0.5\npairs: 65,536")
