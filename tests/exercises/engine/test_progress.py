import json

import pytest

from course_utils import places
from course_utils.exercises import check
from course_utils.exercises.engine import cell
from course_utils.exercises.engine import progress as log


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A working copy to be in."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setattr(places, "work", lambda: folder)
    monkeypatch.setattr(cell, "_said", set())
    monkeypatch.chdir(folder)
    return folder


def entries(work):
    return [json.loads(line) for line in (work / ".progress.jsonl").read_text().splitlines()]


def test_each_check_adds_one_line_without_code_or_names(work):
    check.shares(lambda counts: counts)
    check.shares(lambda counts: counts / counts.sum())
    first, second = entries(work)
    assert set(first) == {"time", "lesson", "exercise", "state", "mistake", "attempt", "seconds"}
    assert (first["lesson"], first["exercise"], first["state"]) == ("00_start", "shares", "wrong")
    assert first["mistake"] == "start/forgets_to_divide" and second["state"] == "right"
    assert second["attempt"] == first["attempt"] + 1


def test_nothing_is_written_outside_the_working_copy(work, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check.shares(lambda counts: counts)
    assert not (work / ".progress.jsonl").exists()


def test_a_damaged_line_is_the_only_one_lost_and_is_named_once(work, capsys):
    check.shares(lambda counts: counts)
    file = work / ".progress.jsonl"
    file.write_bytes(file.read_bytes() + b'\xff{"exercise": "sha')
    check.shares(lambda counts: counts)
    assert [entry["exercise"] for entry in log.read()[0]] == ["shares", "shares"]
    check.shares(lambda counts: counts)
    out = capsys.readouterr().out
    assert out.count("Line 2 of .progress.jsonl is damaged and left out; the other lines are used.") == 1


def test_lines_of_another_kind_count_as_damaged(work, capsys):
    (work / ".progress.jsonl").write_text('[1]\n\n3\n{"exercise": "shares", "state": "right"}\n')
    entries, notes = log.read()
    assert entries == [{"exercise": "shares", "state": "right"}] and "Line 1 of" in notes[0]


def test_a_file_that_cannot_be_written_costs_one_sentence(work, capsys):
    (work / ".progress.jsonl").mkdir()
    check.shares(lambda counts: counts / counts.sum())
    check.shares(lambda counts: counts / counts.sum())
    out = capsys.readouterr().out
    assert out.count("Right: 3 of 3 probes") == 2
    assert out.count("Your progress is not being saved: .progress.jsonl cannot be written") == 1


def test_tries_in_an_earlier_kernel_open_the_solution(work, capsys, monkeypatch):
    monkeypatch.setattr(cell, "_attempts", {"shares": 0})
    (work / ".progress.jsonl").write_text('{"exercise": "shares", "state": "wrong"}\n')
    from course_utils.exercises import show_solution

    show_solution("shares")
    assert capsys.readouterr().out.startswith("def shares")
