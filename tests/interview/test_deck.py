"""The Anki deck: a question keeps its note whatever its words become, and nothing in it is markup by accident."""

import re
import sqlite3
import zipfile

import pytest

from course_utils.interview import deck
from course_utils.interview.bank import questions, read_questions
from tests.interview.samples import GOOD

NOW = 1_900_000_000
TWO = GOOD + GOOD.replace("colour", "shape").replace("Which?", "Round?")


def notes(path, folder):
    """{guid: (fields, tags)} and the ids of decks and models in an .apkg."""
    with zipfile.ZipFile(path) as file:
        file.extract("collection.anki2", folder)
    with sqlite3.connect(folder / "collection.anki2") as database:
        rows = database.execute("select guid, flds, tags from notes").fetchall()
        decks, models = database.execute("select decks, models from col").fetchone()
        cards = database.execute("select count(*) from cards").fetchone()[0]
    database.close()
    assert cards == len(rows)
    ids = sorted(re.findall(r'"(\d{5,})": ', decks + models))
    return {guid: (fields.split("\x1f"), tags.split()) for guid, fields, tags in rows}, ids


def exported(text, tmp_path, name="a.apkg", timestamp=NOW):
    deck.write(read_questions("art.toml", text), tmp_path / name, timestamp=timestamp)
    return notes(tmp_path / name, tmp_path)


def test_an_answer_edited_and_exported_again_is_the_same_note(tmp_path):
    before, ids = exported(TWO, tmp_path)
    after, same_ids = exported(
        TWO.replace("Red, because it is.", "Red. Look again.").replace("Which?", "Which one?"), tmp_path
    )
    assert set(before) == set(after) and len(before) == 2 and ids == same_ids
    changed = [guid for guid in before if before[guid] != after[guid]]
    assert len(changed) == 2 and any("Red. Look again." in after[guid][0][3] for guid in changed)


def test_another_name_is_another_note_and_an_order_is_none(tmp_path):
    before, _ = exported(TWO, tmp_path)
    after, _ = exported(TWO.replace("[colour", "[colours").replace("[[colour.", "[[colours."), tmp_path)
    assert len(set(before) & set(after)) == 1


def test_a_later_export_is_newer_for_anki_and_its_ids_are_no_zeros(tmp_path):
    def dates(timestamp):
        exported(TWO, tmp_path, timestamp=timestamp)
        with sqlite3.connect(tmp_path / "collection.anki2") as database:
            return database.execute("select mod, id from notes").fetchall()

    earlier, later = dates(NOW), dates(NOW + 60)
    assert max(mod for mod, _ in earlier) < min(mod for mod, _ in later)
    assert min(number for _, number in earlier + later) > 0


def test_the_same_questions_give_the_same_collection(tmp_path):
    def collection(name):
        deck.write(questions(), tmp_path / name, timestamp=NOW)
        with zipfile.ZipFile(tmp_path / name) as file:
            return file.read("collection.anki2")

    assert collection("a.apkg") == collection("b.apkg")


def test_a_note_has_all_of_the_question_and_its_tags(tmp_path):
    found, _ = exported(GOOD, tmp_path)
    ((fields, tags),) = found.values()
    text = " ".join(fields)
    for part in (
        "Which?",
        "explain, level 2, 3 min",
        "Red.",
        "Red, because it is.",
        "<li>warm</li>",
        "And grey?",
        "Never.",
        "Blue.",
    ):
        assert part in text
    assert tags == ["art", "explain", "level-2"]


@pytest.mark.parametrize("question", questions().values(), ids=lambda question: question.name)
def test_every_field_of_every_note_is_clean(question):
    allowed = r"</?(?:code|br|ul|li|p|b)>"
    for field in deck.fields(question):
        assert field.strip() and not re.search(r"[<>]", re.sub(allowed, "", field))
        assert not re.search(r"\$|\\\(|\\frac", field), "plain characters: nothing that needs typesetting"


def test_a_deck_that_cannot_be_written_leaves_nothing_behind(tmp_path):
    with pytest.raises(OSError):
        deck.write(questions(), tmp_path / "nowhere" / "a.apkg", timestamp=NOW)
    (tmp_path / "a.apkg").mkdir()
    with pytest.raises(OSError):
        deck.write(questions(), tmp_path / "a.apkg", timestamp=NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["a.apkg"]
