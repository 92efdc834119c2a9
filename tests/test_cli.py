"""Every command does what it says, and says in one sentence why not."""

import builtins
import socket

import nbformat
import pytest
from jupyterlab_server.settings_utils import _get_overrides
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_utils import cli, places
from course_utils.lessons import notebook, working_copy


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of two lessons; their folder and the learner's."""
    folder, work = tmp_path / "notebooks", tmp_path / "work"
    folder.mkdir()
    for stem in ("00_start", "02_scaling"):
        cell = new_code_cell("print(6 * 7)", id="run-answer", execution_count=1)
        cell.outputs = [nbformat.v4.new_output("stream", text="42\n")]
        nb = new_notebook(cells=[new_markdown_cell(f"# {stem}", id="goal-lesson"), cell])
        notebook.write(notebook.tidy(nb), folder / f"{stem}.ipynb")
    monkeypatch.setattr(places, "work", lambda: work)
    monkeypatch.setattr(notebook.lessons, "__defaults__", (folder,))
    monkeypatch.setattr(notebook.find, "__defaults__", (folder,))
    return folder, work


@pytest.fixture
def jupyter(monkeypatch):
    """The options that JupyterLab would have been started with."""
    from jupyterlab.labapp import LabApp

    started = []
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setattr(LabApp, "launch_instance", started.append)
    return started


def fails(capsys, *words):
    """Run a command that cannot work; give what it says, which is one line and no traceback."""
    assert cli.main(words) == 1
    out, err = capsys.readouterr()
    assert err.count("\n") == 1 and "Traceback" not in out + err
    return err.strip()


def change(lesson, words):
    nb = notebook.read(lesson)
    nb.cells[0].source = words
    notebook.write(nb, lesson)


def test_lab_copies_the_lessons_without_outputs(course, jupyter, capsys):
    _, work = course
    assert cli.main(["lab", "--no-browser"]) == 0
    assert [path.name for path in sorted(work.iterdir())] == ["00_start.ipynb", "02_scaling.ipynb"]
    nb = notebook.read(work / "00_start.ipynb")
    assert nb.cells[1].outputs == [] and nb.cells[1].execution_count is None
    assert nb.cells[1].source == "print(6 * 7)" and nb.cells[1].id == "run-answer"


@pytest.mark.parametrize("mine", [b'{"my": "own words"}', b"", b"[]", b"null", b'{"cells": null}', b"\xff"])
def test_lab_never_overwrites_even_what_is_no_notebook(course, jupyter, mine):
    folder, work = course
    cli.main(["lab"])
    (work / "02_scaling.ipynb").write_bytes(mine)
    change(folder / "02_scaling.ipynb", "# a newer lesson")
    cli.main(["lab"])
    assert (work / "02_scaling.ipynb").read_bytes() == mine


def test_an_interrupted_first_start_leaves_no_half_lesson(course, jupyter, monkeypatch):
    _, work = course

    def interrupted(nb):
        raise KeyboardInterrupt

    monkeypatch.setattr(notebook, "text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cli.main(["lab"])
    assert not list(work.glob("*.ipynb"))


def test_lab_says_when_a_lesson_is_newer(course, jupyter, capsys):
    folder, work = course
    cli.main(["lab"])
    assert "has changed" not in capsys.readouterr().out
    change(folder / "02_scaling.ipynb", "# a newer lesson")
    cli.main(["lab"])
    out = capsys.readouterr().out
    assert "The lesson 02_scaling has changed since you began it." in out and "course_utils fresh 02" in out


def test_lab_listens_here_only_with_a_token_and_asks_for_no_news(course, jupyter, capsys):
    _, work = course
    cli.main(["lab", "--no-browser"])
    options = dict(option.partition("=")[::2] for option in jupyter[0])
    assert options["--ServerApp.ip"] == "127.0.0.1" and options["--ServerApp.root_dir"] == str(work)
    assert len(options["--IdentityProvider.token"]) >= 32
    assert options["--LabApp.news_url"] == "None"
    assert options["--LabApp.check_for_updates_class"] == "jupyterlab.NeverCheckForUpdate"
    settings = _get_overrides("")[0]["@jupyterlab/apputils-extension:notification"]
    assert settings == {"fetchNews": "false", "checkForUpdates": False}
    port, token = options["--ServerApp.port"], options["--IdentityProvider.token"]
    assert f"http://127.0.0.1:{port}/lab/tree/00_start.ipynb?token={token}" in capsys.readouterr().out


@pytest.mark.parametrize("words, found, opened", [([], True, "True"), ([], False, "False"),
                                                  (["--no-browser"], True, "False")])  # fmt: skip
def test_lab_opens_a_browser_if_there_is_one_and_it_may(words, found, opened, course, jupyter, monkeypatch, capsys):
    monkeypatch.setattr(cli, "opens_by_itself", lambda: found)
    cli.main(["lab", *words])
    assert f"--ServerApp.open_browser={opened}" in jupyter[0]
    assert capsys.readouterr().out.startswith("The course opens at" if opened == "True" else "The course is at")


def test_a_port_in_use(course, jupyter, capsys):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = str(busy.getsockname()[1])
        assert fails(capsys, "lab", "--port", port).startswith(f"Port {port} is in use")
    assert jupyter == []


def test_a_free_port_is_found_beside_a_busy_one():
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", cli.choose_port()))
        busy.listen()
        assert cli.choose_port() != busy.getsockname()[1]


def test_a_work_folder_that_cannot_be_made(course, jupyter, capsys):
    _, work = course
    work.write_text("a file is in the way")
    assert f"{work} cannot be used: " in fails(capsys, "lab")


def test_a_package_that_is_missing(course, monkeypatch, capsys):
    real = builtins.__import__

    def without_jupyterlab(name, *args, **kwargs):
        if name.startswith("jupyterlab"):
            raise ModuleNotFoundError("No module named 'jupyterlab'", name="jupyterlab")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_jupyterlab)
    assert fails(capsys, "lab").startswith("The package jupyterlab is missing; run `make lab` once")


def test_fresh_keeps_the_old_copy(course, capsys):
    _, work = course
    working_copy.update()
    (work / "02_scaling.ipynb").write_text("what I wrote")
    for _ in range(2):  # twice within a second: neither may be lost
        assert cli.main(["fresh", "02"]) == 0
    old = sorted(work.glob("02_scaling_*.ipynb"))
    assert len(old) == 2 and "what I wrote" in [path.read_text() for path in old]
    assert notebook.read(work / "02_scaling.ipynb").cells[0].source == "# 02_scaling"
    assert old[0].name in capsys.readouterr().out


@pytest.mark.parametrize("name", ["02", "2", "scaling", "02_scaling", "02_scaling.ipynb", "work/02_scaling.ipynb"])
def test_a_lesson_has_many_names(course, name):
    assert notebook.find(name).stem == "02_scaling"


def test_a_lesson_that_does_not_exist(course, capsys):
    expected = "There is no lesson '99'. The lessons are: 00_start, 02_scaling."
    assert fails(capsys, "fresh", "99") == expected
    assert fails(capsys, "refresh", "99") == expected


def test_refresh_says_what_changed(course, capsys):
    folder, _ = course
    assert cli.main(["refresh"]) == 0
    assert capsys.readouterr().out == "00_start: the same\n02_scaling: the same\n"
    nb = notebook.read(folder / "02_scaling.ipynb")
    nb.cells[1].source = "print(1)"
    notebook.write(nb, folder / "02_scaling.ipynb")
    assert "run it" in fails(capsys, "refresh", "--check", "02")
    assert cli.main(["refresh", "02"]) == 0 and capsys.readouterr().out == "02_scaling: changed\n"


@pytest.mark.parametrize(
    "words, interview, begin",
    [
        ([], None, None),
        (["--today"], None, "today"),
        (["--mock", "45", "--interview", "2030-05-31"], "2030-05-31", "mock 45"),
        (["--drill", "by-hand"], None, "drill by hand"),
    ],
)
def test_practise_begins_where_it_is_told(words, interview, begin, monkeypatch):
    from course_utils.interview import terminal

    told = []
    monkeypatch.setattr(terminal, "practise", lambda **options: told.append(options))
    assert cli.main(["practise", *words]) == 0
    assert told[0]["interview"] == interview and (told[0]["begin"] or None) == begin


def test_an_interrupt_while_practice_starts_is_no_traceback(monkeypatch):
    from course_utils.interview import terminal

    def interrupted(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "practise", interrupted)
    assert cli.main(["practise"]) == 130


def test_a_question_file_that_is_broken_is_named(monkeypatch, capsys, tmp_path):
    from course_utils.interview import bank

    (tmp_path / "art.toml").write_text("[colour]\nlevel = ")
    monkeypatch.setattr(bank, "questions", lambda: bank.load(tmp_path))
    assert fails(capsys, "export").startswith("art.toml, question colour: this is no valid TOML")


def test_export_writes_a_deck_into_the_learners_folder(course, capsys):
    _, work = course
    assert cli.main(["export"]) == 0
    assert (work / "self-attention.apkg").stat().st_size > 1000
    assert "questions. In Anki, choose File > Import." in capsys.readouterr().out
    assert cli.main(["export", str(work / "mine" / "deck.apkg")]) == 0 and (work / "mine" / "deck.apkg").exists()
    assert cli.main(["export", str(work / "mine")]) == 0  # a folder that is there
    assert (work / "mine" / "self-attention.apkg").exists()


def test_a_bug_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr(cli, "examine", lambda: {}["bug"])
    with pytest.raises(KeyError):
        cli.main(["doctor"])
