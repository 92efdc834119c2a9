import pytest

from course_utils.models.stored import extrapolation

CARD = {"model", "data", "training", "measured", "seeds", "torch", "limits"}


def test_the_stored_run_has_a_card_and_all_its_rows():
    run = extrapolation()
    assert set(run["card"]) == CARD and all(run["card"].values())
    assert all(0 <= low <= high <= 1 for row in run["accuracy"].values() for low, high in row.values())
    pytest.importorskip("torch", reason="torch is not installed: the rows are not compared")
    from course_utils.models.order import KINDS, LENGTHS

    assert list(run["accuracy"]) == list(KINDS)
    assert all(list(row) == list(map(str, LENGTHS)) for row in run["accuracy"].values())


def test_the_model_sees_no_future():
    torch = pytest.importorskip("torch", reason="torch is not installed: there is no model")
    from course_utils.models.order import KINDS, SYMBOLS, _Model

    symbols = torch.arange(16)[None] % SYMBOLS
    later = symbols.clone()
    later[:, 9:] += 3
    for kind in KINDS:
        model = _Model(kind)
        torch.testing.assert_close(model(symbols)[:, :9], model(later)[:, :9])


def test_one_model_trains_again_as_the_stored_run_says():
    pytest.importorskip("torch", reason="torch is not installed: nothing is trained")
    from course_utils.models.order import CLIPPED, accuracy, train

    model, stored = train("rotary", seed=0), extrapolation()["accuracy"]["rotary"]
    assert accuracy(model, 32) > stored["32"][0] - 0.02
    assert accuracy(model, 64) > 0.8 and accuracy(model, 256) < 0.35
    model.kind = CLIPPED
    assert accuracy(model, 256) > 0.98


def test_clipping_changes_nothing_within_the_trained_length():
    torch = pytest.importorskip("torch", reason="torch is not installed: there is no model")
    from course_utils.models.order import CLIPPED, SYMBOLS, TRAINED, _Model

    model, symbols = _Model("rotary"), torch.arange(TRAINED + 8)[None] % SYMBOLS
    plain = model(symbols)
    model.kind = CLIPPED
    torch.testing.assert_close(model(symbols)[:, :TRAINED], plain[:, :TRAINED])
    assert not torch.allclose(model(symbols)[:, TRAINED:], plain[:, TRAINED:])
