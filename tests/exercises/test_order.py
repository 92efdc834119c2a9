"""What the checks of lesson 08 promise beyond what holds for every exercise."""

import numpy as np
import pytest

from course_utils.core.positions import alibi_slopes, rotate
from course_utils.core.scores import softmax
from course_utils.exercises import judge
from course_utils.exercises.engine.edits import slips
from course_utils.exercises.engine.registry import exercises
from course_utils.exercises.order.rotary import HELPERS, rotary_attention


def test_turning_the_other_way_and_swapped_sines_get_one_message_that_names_both():
    names = ["turns_the_other_way", "sine_and_cosine_swapped"]
    for mistake in slips("order/rope", rotary_attention, only=names, helpers=HELPERS):
        verdict = judge("rotary_attention", mistake.run)
        assert verdict.mistake == "rope/turns_the_other_way"
        assert "turn the other way" in verdict.message and "sine and cosine have changed places" in verdict.message


@pytest.mark.parametrize(
    "name, mistake, asked",
    [
        ("sinusoidal_positions", "sinus/halves_side_by_side", "The paper's layout is asked for"),
        ("rotate", "rope/neighbours_are_paired", "the half-split one is asked for"),
        ("rotate", "rope/turns_the_other_way", "becomes (cos 1, sin 1)"),
        ("rotate", "rope/base_500000", "10000 is asked for"),
        ("rotary_attention", "rope/neighbours_are_paired", "the half-split one is asked for"),
        ("cached_rotary_attention", "rope/neighbours_are_paired", "the half-split one is asked for"),
        ("cached_rotary_attention", "cache/the_mask_starts_at_the_top_left", "Here the queries are the *last*"),
    ],
)
def test_a_convention_of_elsewhere_is_called_valid_and_the_one_asked_for_is_named(name, mistake, asked):
    (known, *_) = [m for m in exercises()[name].mistakes if m.name == mistake]
    verdict = judge(name, known.run)
    message = " ".join(verdict.message.split())
    assert (verdict.state, verdict.mistake) == ("wrong", mistake)
    assert " valid" in message and asked in message


def table(base, first=0):
    def sinusoidal_positions(n, d_model):
        pair = np.arange(d_model) // 2 + first
        angles = np.arange(n)[:, None] / base ** (2 * pair / d_model)
        return np.where(np.arange(d_model) % 2, np.cos(angles), np.sin(angles))

    return sinusoidal_positions


def table_of(places):
    def sinusoidal_positions(n, d_model):
        angles = places(np.arange(n))[:, None] / 1e4 ** (2 * (np.arange(d_model) // 2) / d_model)
        return np.where(np.arange(d_model) % 2, np.cos(angles), np.sin(angles))

    return sinusoidal_positions


def alibi(slopes, axis=-1):
    def alibi_attention(query, key, value):
        distance = np.arange(query.shape[1])[:, None] - np.arange(query.shape[1])
        scores = query @ key.swapaxes(1, 2) / query.shape[2] ** 0.5 - slopes(len(query))[:, None, None] * distance
        return softmax(np.where(distance < 0, -np.inf, scores), axis=axis) @ value

    return alibi_attention


def attention_weights(query, key):
    return softmax(query @ key.T / query.shape[1] ** 0.5)


def turned_with(base):
    return lambda x, positions: rotate(x, positions, base=base)


@pytest.mark.parametrize(
    "name, answer, says",
    [
        ("sinusoidal_positions", table(1e5), "Pair 1 should turn by 0.0100"),
        ("sinusoidal_positions", table(1e4, first=1), "at position 1 yours stands at 0.0100"),
        ("sinusoidal_positions", lambda n, d: np.zeros((n, d)), "its row is [0, 1, 0, 1]"),
        ("sinusoidal_positions", lambda n, d: np.tile([0.0, 1.0], (n, d))[:, :d], "turn by 1.0000"),
        ("sinusoidal_positions", lambda n, d: table(1e4)(n, d)[::-1], "its row is [0, 1, 0, 1]"),
        ("sinusoidal_positions", table_of(np.radians), "What happens to p before sine and cosine?"),
        ("rotate", turned_with(2e3), "pair 1 should turn by 0.0100; yours turns by 0.0224"),
        ("rotate", lambda x, p: np.roll(turned_with(1e4)(x, p), 1, axis=-1), "yours turns by 0.5708"),
        ("rotate", lambda x, p: 2 * turned_with(1e4)(x, p), "keeps the length of every vector"),
        ("rotary_attention", lambda q, k, v, i, j: attention_weights(rotate(k, j), rotate(q, i)) @ v, "inner sizes"),
        ("alibi_attention", alibi(lambda h: np.full(h, 0.3)), "your 2 heads have the slopes 0.3, 0.3"),
        ("alibi_attention", alibi(alibi_slopes, axis=0), "The weights of a row have to sum to 1"),
        ("slopes_of_eight_heads", ["1/2", "1/4"], "write a list of numbers, without quotes"),
    ],
)
def test_what_is_not_in_the_catalogue_is_told_by_the_law_it_breaks(name, answer, says):
    verdict = judge(name, answer)
    assert (verdict.state, verdict.mistake) == ("wrong", None)
    assert says in " ".join(verdict.message.split())


def test_slopes_may_be_rounded_as_the_lesson_prints_them():
    assert judge("slopes_of_eight_heads", [round(0.5**h, 4) for h in range(1, 9)]).state == "right"


def cached(*, early=False, turn_x=False, front=False):
    """A learner's loop, with a slip."""

    def cached_rotary_attention(x, W_Q, W_K, W_V, chunks):
        keys, values, outputs, start = x[:0] @ W_K, x[:0] @ W_V, [], 0
        for size in chunks:
            new = x[start : start + size]
            place = np.arange(start, start + size) + (size if early else 0)
            start += size
            if turn_x:
                new = rotate(new, place)
            query, key = (new @ W if turn_x else rotate(new @ W, place) for W in (W_Q, W_K))
            parts = [[keys, key], [values, new @ W_V]]
            keys, values = (np.concatenate(pair[::-1] if front else pair) for pair in parts)
            scores = query @ keys.T / np.sqrt(W_K.shape[1])
            may = np.tri(size, len(keys), dtype=bool) if front else np.arange(len(keys)) <= place[:, None]
            outputs.append(softmax(np.where(may, scores, -np.inf)) @ values)
        return np.concatenate(outputs)

    return cached_rotary_attention


@pytest.mark.parametrize(
    "answer, name, says",
    [
        (cached(early=True), "cache/offset_grows_too_early", "grows before it is used"),
        (cached(turn_x=True), "cache/x_is_turned_before_the_projections", "You turn the rows of x"),
        (cached(front=True), "cache/the_cache_is_replaced", "or stands in front of it"),
    ],
)
def test_a_slip_in_a_loop_is_named_alone(answer, name, says):
    assert judge("cached_rotary_attention", cached()).state == "right"
    verdict = judge("cached_rotary_attention", answer)
    assert verdict.mistake == name and says in " ".join(verdict.message.split())
    assert "Several things" not in verdict.message


def test_attention_that_turns_nothing_is_not_told_of_what_came_in():
    verdict = judge("rotary_attention", lambda q, k, v, *places: softmax(q @ k.T / k.shape[1] ** 0.5) @ v)
    assert verdict.mistake == "rope/positions_do_not_enter" and "came in" not in verdict.message
