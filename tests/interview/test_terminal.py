"""Practice in a terminal: every key, files for code, and leaving at any time."""

import io
import os
import select
import subprocess
import sys
import time

import pytest
from rich.console import Console

from course_utils import places
from course_utils.interview import log, terminal
from course_utils.interview.bank import read_questions
from course_utils.interview.practice import Practice
from course_utils.interview.terminal import Terminal
from tests.interview.samples import GOOD

BANK = read_questions("art.toml", GOOD)


@pytest.fixture
def work(tmp_path):
    return tmp_path / "work"


@pytest.fixture
def typed(work):
    """``typed("t", "", "x")``: what is on the screen after these lines; a function is called instead of typing."""

    def run(*lines, item=None):
        out = io.StringIO()
        practice = Practice(work / log.FILE, bank=BANK, seed=1)
        if item:
            practice._begin([item])
        rest = list(lines)

        def read(prompt):
            out.write(prompt)
            line = rest.pop(0) if rest else (_ for _ in ()).throw(EOFError)
            return line if isinstance(line, str) else line(run.terminal)

        run.terminal = Terminal(practice, work / "drills", read=read, console=Console(file=out, width=100))
        run.terminal.run()
        return out.getvalue()

    return run


def entries(work):
    return log.read(work / log.FILE)[0]


def test_a_question_by_keyboard(typed, work):
    shown = typed("", "1", "3", "n", "p", "n", "n", "d", "b", "x", item="colour")
    assert "Answer aloud first" in shown and "[x] red" in shown and "[ ] warm" in shown and "Trap" in shown
    assert "'p' is none of the letters below." in shown  # no proof is there to run
    assert "1 answer, 67% of the points." in shown and "What you answered is kept." in shown
    assert entries(work)[0]["score"] == 0.667


def test_a_screen_is_not_printed_twice(typed):
    shown = typed("", "n", "n", "1", item="colour")
    assert shown.count("Which?") == 1 and shown.count("Red, because it is.") == 1


def test_an_answer_in_a_line(typed, work):
    shown = typed("", "many", "3 GiB", "5", "g", "d", item="estimate:score_entries")
    for words in ("Nothing came", "'many' is no number", "does not fit", "Not yet.", "It comes again tomorrow."):
        assert words in shown
    assert entries(work)[0]["tries"] == 1


def test_code_is_written_to_a_file_and_checked_there(typed, work):
    def solve(terminal):
        assert terminal.file.parent == work / "drills" and "import numpy as np" in terminal.file.read_text()
        terminal.file.write_text(terminal.practice.current.solution)
        return "c"

    shown = typed("c", solve, "d", item="implement:attention")
    assert "implement_attention_1.py" in shown.replace("\n", "")  # a long path is broken
    assert "Not started" in shown and "Solved at once" in shown
    assert entries(work)[0]["score"] == 1
    mine = (work / "drills" / "implement_attention_1.py").read_text()
    typed("x", item="implement:attention")
    assert (work / "drills" / "implement_attention_1.py").read_text() == mine
    assert (work / "drills" / "implement_attention_2.py").exists()


def test_a_file_that_is_gone_or_no_text(typed, work):
    def remove(terminal):
        terminal.file.unlink()
        return "c"

    def spoil(terminal):
        terminal.file.write_bytes(b"\xff\xff")
        return "c"

    shown = " ".join(typed(remove, spoil, "k", item="debug:softmax").split())
    assert shown.count("cannot be read: save it there again, then check.") == 2


def test_a_folder_that_cannot_be_written(typed, work):
    work.write_text("a file is in the way")
    shown = " ".join(typed("k", item="debug:softmax").split())
    assert "cannot be written" in shown and "skip this one, or use the notebook." in shown


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_leaving_at_any_time_loses_nothing(typed, work, error):
    def leave(_):
        raise error

    assert "See you." in typed("", "1", "d", leave, item="colour")
    assert len(entries(work)) == 1
    assert "See you." in typed("s", leave)  # also while a date is asked for


@pytest.mark.parametrize("leave", ["x", EOFError, KeyboardInterrupt])
def test_points_that_are_ticked_are_kept_however_you_leave(typed, work, leave):
    def raises(_):
        raise leave

    shown = typed("", "1", "3", leave if leave == "x" else raises, item="colour")
    assert [entry["score"] for entry in entries(work)] == [0.667] and "What you answered is kept." in shown


def test_what_cannot_be_saved_is_not_called_kept(typed, work):
    work.write_text("a file is in the way")
    shown = typed("", "1", "x", item="colour")
    assert "See you. 1 answer is not saved." in shown and "is kept" not in shown


def test_an_unknown_letter_is_no_code(typed, work):
    shown = typed("h", "h", "print(3)", "x", item="debug:softmax")
    assert "'h' is none of the letters below." in shown and "'print(3)' is none" in shown and "raised" not in shown


def test_an_interrupt_ends_the_check_and_not_the_round(typed, work, monkeypatch):
    def grade(*_):
        raise KeyboardInterrupt

    def endless(terminal):
        monkeypatch.setattr("course_utils.interview.drills.debugging.judge", grade)
        return "c"

    shown = typed(endless, "g", "x", item="debug:softmax")
    assert "Stopped with Ctrl-C: you are still here." in shown and "Planted: softmax/" in shown
    assert entries(work)[0]["tries"] == 0


def test_lines_that_were_pasted_together_are_no_letters(typed, work):
    shown = typed("n", "An essay.\n\n2\nq", "x", item="colour")
    assert "4 lines came at once, and were left out: one line at a time." in shown
    assert "[x]" not in shown and entries(work) == []


@pytest.mark.skipif(os.name != "posix", reason="a terminal is opened as on Linux and macOS")
def test_a_terminal_gives_pasted_lines_together():
    import pty

    code = "from course_utils.interview.terminal import _typed; print([_typed('> '), _typed('> ')])"
    master, slave = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], stdin=slave, stdout=subprocess.PIPE, text=True)
    os.write(master, b"one\n\ntwo\n")
    assert select.select([process.stdout], [], [], 20)[0]  # it asks again
    time.sleep(0.5)
    os.write(master, b"three\n")
    assert "['one\\n\\ntwo', 'three']" in process.communicate(timeout=20)[0]
    os.close(master), os.close(slave)


def test_a_date_and_letters_that_are_none(typed, work):
    shown = typed("s", "tomorrow", "s", "2999-05-31", "zzz", "an essay " * 100)
    assert "'tomorrow' is no date" in shown and "The interview is on 2999-05-31." in shown
    assert "'zzz' is none of the letters below." in shown
    assert str(log.interview_date(entries(work))) == "2999-05-31"


def test_brackets_are_no_markup(typed, work):
    shown = typed("n", "q", item="by hand:softmax_row")
    assert "[bold]" not in shown


def test_the_command_begins_where_it_is_told(work, monkeypatch, capsys):
    monkeypatch.setattr(places, "work", lambda: work)
    monkeypatch.setattr("builtins.input", lambda prompt: "x")
    terminal.practise(interview="2999-05-31", begin="drill estimate")
    out = capsys.readouterr().out
    assert "The interview is on 2999-05-31." in out and "estimate · level" in out
    assert [e["interview"].year for e in entries(work)] == [2999]
