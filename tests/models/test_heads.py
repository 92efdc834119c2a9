"""Ten seeds and a margin: what a lesson says of one head and two must not hang on one run, nor on one processor.

On another processor one of ten runs may end a little short: so nine of ten are asked for, and a bound for the tenth.
"""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models are not tried")

from course_utils.models.heads import SYMBOLS, batch, train  # noqa: E402


@pytest.fixture(scope="module")
def one():
    return train(1, seeds=10)


@pytest.fixture(scope="module")
def two():
    return train(2, seeds=10)


def fails(runs):
    """In no seed are both answers learnt: the better one may be right, the other is near chance."""
    return bool((runs.right.amin(1) < 0.45).all())


def nine_of_ten(holds):
    return int(holds.sum()) >= 9


def test_the_targets_are_the_two_symbols_before_nearest_first():
    symbols, target = batch(torch.Generator().manual_seed(0))
    assert target[0, 0].tolist() == [symbols[0, 1], symbols[0, 0]]
    assert target[3, -1].tolist() == [symbols[3, -2], symbols[3, -3]]
    assert symbols.unique().numel() == SYMBOLS


def test_one_head_fails_and_two_succeed_in_every_seed_with_the_same_parameters(one, two):
    assert fails(one) and nine_of_ten(two.right.amin(1) > 0.98) and two.right.min() > 0.7
    assert one.parameters == two.parameters


def test_one_head_names_one_of_the_two_symbols_and_learns_one_answer_of_two(one):
    assert nine_of_ten(one.either > 0.96) and one.either.min() > 0.9
    assert nine_of_ten(one.right.amax(1) > 0.98) and one.right.amax(1).min() > 0.7
    assert 0.1 < one.right.amin(1).min() and nine_of_ten(one.right.amin(1) < 0.3)


def test_what_the_lesson_prints_of_one_head_holds_for_any_five_of_ten_seeds(one):
    worse = one.right.amin(1).sort().values
    assert 0.15 < worse[:5].mean() and worse[-6:-1].mean() < 0.25


def test_unequal_weights_keep_the_order_for_a_reading_that_is_not_linear(one):
    """Two symbols blended in both orders give two points, as long as the weights differ."""
    assert nine_of_ten((one.weights[:, 0, 0] - one.weights[:, 0, 1]).abs() > 0.02)


def test_one_head_shares_its_row_between_both_places_and_two_heads_take_one_each(one, two):
    assert nine_of_ten(one.weights.amin((1, 2)) > 0.2) and nine_of_ten(one.weights.sum(-1).amin(1) > 0.9)
    nearest, further = two.weights[..., 0], two.weights[..., 1]
    assert nine_of_ten(nearest.amax(1) > 0.9) and nine_of_ten(further.amax(1) > 0.9)
    assert nine_of_ten(nearest.argmax(1) != further.argmax(1))


@pytest.mark.parametrize("settings", [{"steps": 2000}, {"width": 64}, {"width": 64, "steps": 1500}, {"rate": 6e-3}])
def test_more_steps_or_twice_the_width_do_not_help_one_head(settings):
    assert fails(train(1, seeds=3, **settings))


def test_if_the_scores_see_the_symbols_too_one_head_gets_much_further():
    runs = train(1, scores_see_symbols=True, steps=2000)
    assert runs.right.amin(1).median() > 0.7 and not fails(runs)


def test_no_blend_with_fixed_weights_gives_all_four_pairs_of_two_symbols():
    """Searched: two symbols, any weights, any reading. With (a, a) and (b, b) right, (a, b) and (b, a) are not both."""
    generator = torch.Generator().manual_seed(0)
    u = torch.randn(200_000, 2, 2, 2, generator=generator)  # try, answer, symbol said, symbol read
    bias = torch.randn(200_000, 2, 2, generator=generator)
    near = torch.rand(200_000, generator=generator)[:, None, None]
    solved = torch.ones(200_000, dtype=torch.bool)
    for a in range(2):
        for b in range(2):
            logits = near * u[..., a] + (1 - near) * u[..., b] + bias
            solved &= (logits.argmax(-1) == torch.tensor([a, b])).all(-1)
    assert not solved.any()


def test_no_run_feels_another():
    together, alone = train(2, seeds=3, steps=40), train(2, seeds=1, steps=40)
    torch.testing.assert_close(together.right[0], alone.right[0], atol=0.02, rtol=0)
