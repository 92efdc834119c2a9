"""What the checks of lesson 06 promise beyond what holds for every exercise."""

import math

import numpy as np
import pytest

from course_utils.core.scores import softmax
from course_utils.exercises import judge


@pytest.mark.parametrize(
    "pairs, rest, says",
    [
        (4, 12, "or all six matrices are in multiply-adds"),
        (2, 24, "or both in multiply-adds"),
        (4, 8, "or half of it and the projections"),
        (4, 30, "comes to 4 n² d + 30 n d². Which of the two"),
        (2, 30, "comes to 2 n² d + 30 n d². Both are off"),
    ],
)
def test_what_several_ways_of_counting_give_is_not_put_down_to_one(pairs, rest, says):
    verdict = judge("layer_flops", lambda n, d: pairs * n * n * d + rest * n * d * d)
    assert says in " ".join(verdict.message.split())


def test_heads_that_do_not_divide_a_small_width_are_told_apart_from_a_wrong_count():
    def layer_flops(n, d_model, heads=12):
        return heads * 4 * n * n * (d_model // heads) + 24 * n * d_model**2

    assert "For widths such as 768 your count is right" in judge("layer_flops", layer_flops).message


def online(make=float, *, updates=True, start=-math.inf, full=False, late=False):
    """A learner's loop, with a slip; ``make`` is float, or np.zeros for arrays from the beginning."""

    def online_attention(query, key, value, block):
        total, output, largest = 0.0, 0.0, start
        if make is np.zeros:
            total, output = np.zeros((*query.shape[:-1], 1)), np.zeros((*query.shape[:-1], value.shape[-1]))
        for b in range(key.shape[-2] // block if full else math.ceil(key.shape[-2] / block)):
            part = slice(b * block, (b + 1) * block)
            scores = query @ np.swapaxes(key[..., part, :], -1, -2) / math.sqrt(key.shape[-1])
            new = np.maximum(largest, scores.max(axis=-1, keepdims=True))
            shrink, e = np.exp(largest - new), np.exp(scores - (largest if late else new))
            total = total * shrink + e.sum(axis=-1, keepdims=True)
            output = output * shrink + e @ value[..., part, :]
            largest = new if updates else largest
        return output / total

    return online_attention


@pytest.mark.parametrize(
    "answer, name, says",
    [
        (online(full=True), "online/last_keys_left_out", "Your blocks are all full"),
        (online(np.zeros, full=True), "online/last_keys_left_out", "Your blocks are all full"),
        (online(updates=False), "online/last_block_only", "or the maximum is never updated"),
        (online(start=0.0), "online/maximum_starts_too_high", "starts at a number, such as 0"),
        (online(start=-100.0), "online/maximum_starts_too_high", "starts at a number, such as 0"),
        (online(late=True), None, "There is NaN in your output"),
    ],
)
def test_a_slip_in_a_loop_is_named_alone(answer, name, says):
    assert judge("online_attention", online()).state == "right"
    verdict = judge("online_attention", answer)
    assert verdict.mistake == name and says in " ".join(verdict.message.split())
    assert "Several things" not in verdict.message


def test_new_keys_in_front_of_the_old_are_not_said_to_replace_them_only():
    def cached_attention(x, W_Q, W_K, W_V, chunks):
        key, value, outputs, start = x[:0] @ W_K, x[:0] @ W_V, [], 0
        for size in chunks:
            new, start = x[start : start + size], start + size
            key, value = np.concatenate([new @ W_K, key]), np.concatenate([new @ W_V, value])
            scores = new @ W_Q @ key.T / math.sqrt(key.shape[1])
            outputs.append(softmax(np.where(np.tri(size, len(key)) > 0, scores, -np.inf)) @ value)
        return np.concatenate(outputs)

    assert "or stand in front" in " ".join(judge("cached_attention", cached_attention).message.split())


@pytest.mark.parametrize(
    "name, value, mistake",
    [
        ("attention_operations", 0.8, "complexity/in_billions"),
        ("attention_operations", 1.1, None),
        ("attention_operations", True, None),
        ("published_cache", 328, "memory/in_kilobytes"),
        ("published_cache", 327.7, "memory/in_kilobytes"),
        ("published_cache", 0.32, "memory/mixes_1000_and_1024"),
    ],
)
def test_a_number_is_named_as_its_learner_would_write_it_and_no_other(name, value, mistake):
    assert judge(name, value).mistake == mistake
