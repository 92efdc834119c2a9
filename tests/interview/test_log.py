"""One line an answer; what is damaged costs itself and nothing else."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from course_utils import places
from course_utils.interview import log
from tests.interview.samples import entry


@pytest.fixture
def path(tmp_path):
    return tmp_path / "work" / log.FILE


def test_what_is_appended_is_read(path):
    assert log.append(path, entry("a")) == "" and log.append(path, entry("b", rating=4)) == ""
    entries, notes = log.read(path)
    assert [e["item"] for e in entries] == ["a", "b"] and notes == []
    assert entries[0]["time"] == datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert path.read_bytes().count(b"\n") == 2


def test_without_a_file_nothing_is_kept_and_nothing_is_wrong(path):
    assert log.append(None, entry()) == "" and log.read(None) == ([], []) and log.read(path) == ([], [])


def test_only_inside_work_is_there_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "work", lambda: tmp_path / "work")
    monkeypatch.chdir(tmp_path)
    assert log.place() is None
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert log.place() == tmp_path / "work" / ".interview.jsonl"


def test_a_line_cut_short_is_the_only_one_lost(path):
    log.append(path, entry("a"))
    log.append(path, entry("b"))
    path.write_bytes(path.read_bytes()[:-20])  # killed in the middle of a write
    log.append(path, entry("c"))
    entries, notes = log.read(path)
    assert [e["item"] for e in entries] == ["a", "c"]
    assert notes == ["Line 2 of .interview.jsonl is damaged and left out; the other lines are used."]


@pytest.mark.parametrize("line", [
    b"\xff\xfe", b"[1]", b"3", b"null", b"{}", b'{"time": "yesterday", "item": "a"}', b"[" * 100_000,
    json.dumps(entry(rating=5)).encode(), json.dumps(entry(item=7)).encode(), json.dumps(entry(score=2)).encode(),
    json.dumps(entry(seconds=None)).encode(), json.dumps(entry(time="9999-12-31T23:59:59-14:00")).encode(),
    json.dumps({"time": "2030-01-01", "interview": "soon"}).encode(),
])  # fmt: skip
def test_a_line_of_another_kind_is_named_and_left_out(path, line):
    log.append(path, entry("a"))
    path.write_bytes(path.read_bytes() + line + b"\n\n")
    log.append(path, entry("b"))
    entries, notes = log.read(path)
    assert [e["item"] for e in entries] == ["a", "b"] and len(notes) == 1 and "Line 2" in notes[0]


def test_a_field_that_is_no_list_of_mistakes_is_none(path):
    for planted in (5, None, "core/x", ["core/x"]):
        log.append(path, entry(planted=planted))
    assert [e["planted"] for e in log.read(path)[0]] == [[], [], [], ["core/x"]]


def test_two_at_once_lose_nothing(path):
    code = (
        "import sys; from pathlib import Path; from course_utils.interview import log; "
        "from tests.interview.samples import entry\n"
        "for i in range(300): log.append(Path(sys.argv[1]), entry(f'{sys.argv[2]}-{i}', note='x' * 500))"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(path), name], cwd=places.ROOT) for name in "ab"]
    assert [process.wait(120) for process in both] == [0, 0]
    entries, notes = log.read(path)
    assert notes == [] and {e["item"] for e in entries} == {f"{name}-{i}" for name in "ab" for i in range(300)}


def test_a_file_that_cannot_be_written_is_one_sentence(path):
    path.mkdir(parents=True)
    told = log.append(path, entry())
    assert (
        told == "Your answers are not being saved: .interview.jsonl cannot be written (Is a directory). You can go on."
    )
    assert log.read(path)[1] == [
        ".interview.jsonl cannot be read (Is a directory): this starts without your earlier answers."
    ]


def test_a_full_disk_is_one_sentence(path, monkeypatch):
    log.append(path, entry("a"))
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, line: write(file, line[:10]))
    assert "(the disk is full)" in log.append(path, entry("b"))
    monkeypatch.undo()
    log.append(path, entry("c"))
    assert [e["item"] for e in log.read(path)[0]] == ["a", "c"]


def test_the_last_date_holds_and_an_empty_one_takes_it_back(path):
    for day in ("2030-05-01", "2030-06-01"):
        log.append(path, {"time": "2030-01-01T00:00:00+00:00", "interview": day})
    assert str(log.interview_date(log.read(path)[0])) == "2030-06-01"
    log.append(path, {"time": "2030-01-01T00:00:00+00:00", "interview": ""})
    entries, _ = log.read(path)
    assert log.interview_date(entries) is None and log.answers(entries) == [] and log.interview_date([]) is None
