import pytest

from course_utils.models.stored import bugs

CARD = {"model", "data", "training", "seeds", "torch", "limits"}


def test_the_stored_run_has_a_card_and_all_its_rows():
    run = bugs()
    assert set(run["card"]) == CARD and all(run["card"].values())
    pytest.importorskip("torch", reason="torch is not installed: the rows are not compared")
    from course_utils.models.scaling_bugs import BUGS

    assert list(run["accuracy"]) == list(BUGS)
    assert all(0 <= part <= 1 for row in run["accuracy"].values() for part in row.values())


@pytest.mark.parametrize("bug, task", [("no scale", "copy"), ("weights transposed", "copy")])
def test_a_bug_trains_again_as_the_stored_run_says(bug, task):
    pytest.importorskip("torch", reason="torch is not installed: nothing is trained")
    from course_utils.models.scaling_bugs import train

    assert train(bug, task, seed=0) >= bugs()["accuracy"][bug][task] - 0.02


def test_what_needs_attention_is_not_learned_from_a_plain_average():
    pytest.importorskip("torch", reason="torch is not installed: nothing is trained")
    from course_utils.models.scaling_bugs import train

    assert train("plain average, no scores", "reverse", seed=0) < 0.6


def test_without_torch_a_lesson_gets_a_sentence(monkeypatch, capsys):
    from course_utils import models

    monkeypatch.setattr(models, "find_spec", lambda name: None)
    assert not models.torch_is_here()
    assert "needs torch, which is not installed" in capsys.readouterr().out
