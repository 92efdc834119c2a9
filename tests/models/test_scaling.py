"""Five seeds and a margin: what a lesson says must not hang on one run."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models are not tried")

from course_utils.models.scaling import batch, train  # noqa: E402


def test_without_the_division_every_seed_stalls_and_with_it_every_seed_learns():
    none, root, d_k = train(["none", "1/sqrt(d_k)", "1/d_k"], d_k=64).accuracy
    assert none.max() < 0.6
    assert root.min() > 0.99 and d_k.min() > 0.99


def test_the_target_is_the_symbols_backwards():
    symbols, target = batch(torch.Generator().manual_seed(0))
    assert symbols[0].tolist() == target[0].tolist()[::-1] and symbols.unique().numel() == 12


def test_small_embeddings_need_no_division():
    assert train(["none"], d_k=64, embedding_spread=0.3).accuracy.min() > 0.99


def test_the_dose_makes_it():
    assert train(["none"], d_k=8).accuracy.min() > 0.99
    assert train(["none"], d_k=32).accuracy.min() < 0.9
    assert train(["none"], d_k=128).accuracy.max() < 0.5


def test_the_first_scores_spread_like_the_root_of_d_k_and_are_divided_by_the_rule():
    none, root = train(["none", "1/sqrt(d_k)"], d_k=64, steps=1).spread.mean(1)
    assert 6 < none < 10
    torch.testing.assert_close(root, none / 8)


def test_rows_are_frozen_from_the_first_step_only_without_the_division():
    none, root = train(["none", "1/sqrt(d_k)"], d_k=64, steps=1).frozen
    assert none.mean() > 0.1 and root.max() == 0


def test_no_run_feels_another():
    together, alone = train(["none", "1/d_k"], seeds=2, steps=20), train(["1/d_k"], seeds=2, steps=20)
    torch.testing.assert_close(together.accuracy[1], alone.accuracy[0], atol=0.01, rtol=0)
