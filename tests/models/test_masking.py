import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from course_utils.models.masking import CHANCE, HALF, MASKS, SYMBOLS, _text, train  # noqa: E402


@pytest.fixture(scope="module")
def runs():
    return train(list(MASKS), seeds=5)


def test_the_second_half_is_the_cipher_of_the_first():
    text = _text(3, torch.Generator().manual_seed(0))
    assert text.shape == (3, 2 * HALF)
    assert torch.equal(text[:, HALF:], (text[:, :HALF] + 1) % SYMBOLS)


def test_an_honest_model_cannot_beat_chance_where_nothing_can_be_predicted(runs):
    assert (runs.loss_first[0] > CHANCE).all() and (runs.loss_first[0] < CHANCE + 0.5).all()


def test_a_leak_shows_as_a_loss_below_chance_in_every_seed(runs):
    assert (runs.loss_first[1:] < 0.5).all()


def test_accuracy_with_the_true_text_given_does_not_show_it(runs):
    assert (runs.accuracy_second > 0.9).all()


def test_writing_alone_shows_it(runs):
    assert (runs.generated[0] > 0.95).all() and (runs.generated[1:] < 0.5).all()


def test_an_honest_model_writes_what_it_says_with_the_text_given(runs):
    assert torch.allclose(runs.generated[0], runs.accuracy_second[0], atol=0.02)


def test_a_run_does_not_depend_on_what_runs_beside_it(runs):
    alone = train(["no mask"], seeds=2)
    assert torch.allclose(alone.loss_first[0], runs.loss_first[2, :2], atol=0.02)
