import functools
import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from course_utils.exercises import check, hint, judge, show_solution
from course_utils.exercises.engine import cell, feedback, guard, laws, pairs
from course_utils.exercises.engine.registry import exercises, solution_source


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch):
    """A busy machine must not cut the search for pairs short."""
    monkeypatch.setattr(pairs, "SECONDS", 5.0)


def test_an_unknown_name_gets_a_suggestion_and_no_traceback(capsys):
    check.soft_lokup(1)
    hint("soft_lokup")
    show_solution("soft_lokup")
    assert capsys.readouterr().out == "There is no exercise called soft_lokup. Did you mean soft_lookup?\n" * 3
    assert judge("zzzz").message == "There is no exercise called zzzz."


def test_a_wrong_answer_shows_both_rows_and_ends_with_a_question():
    message = judge("soft_lookup", lambda query, keys, values: keys @ query @ values).message
    assert message.startswith("Your blend uses the scores themselves as weights; there is no softmax.")
    assert "query = [ 1.  -0.5]" in message
    assert "yours [ 10. -10.   1.]" in message and "right [8.176 3.649 2.   ]" in message
    assert message.endswith("What turns them into shares that sum to 1?")


def test_an_unknown_mistake_is_described_by_what_fails():
    def twice(query, keys, values):
        return 2 * solution(query, keys, values)

    def by_place(query, keys, values):
        weights = np.exp(keys @ query) * np.arange(1.0, len(keys) + 1)
        return weights / weights.sum() @ values

    def blind(query, keys, values):
        return solution(np.ones_like(query), keys, values)

    def off(query, keys, values):
        return 0.9 * solution(query, keys, values) + 0.1 * values.mean(axis=0)

    solution = exercises()["soft_lookup"].solution
    for function, sentence in (
        (twice, "A blend stays between the smallest and the largest value"),
        (by_place, "changes when the keys and their values are listed in another order"),
        (blind, "stays the same whatever query is"),
        (off, "The largest difference is"),
    ):
        verdict = judge("soft_lookup", function)
        assert verdict.mistake is None and sentence in verdict.message, function


def test_a_mistake_is_named_when_most_probes_agree_and_not_when_few_do():
    wrong = exercises()["soft_lookup"].mistakes[0].run

    def mostly(query, keys, values):
        return wrong(query, keys, values) + (len(keys) == 7)

    def by_half(query, keys, values):
        return wrong(query, keys, values) + (len(keys) in (2, 5))

    assert judge("soft_lookup", mostly).mistake == "retrieval/blends_with_raw_scores"
    assert judge("soft_lookup", by_half).mistake is None


def test_of_several_mistakes_two_are_named_or_the_one_to_be_fixed_first():
    softmax = exercises()["softmax"].solution

    def no_scale_over_queries(query, key, value):
        return softmax(query @ np.swapaxes(key, -1, -2), axis=-2) @ value

    def no_softmax_no_scale_and_only_one_sentence(query, key, value):
        assert query.ndim == 2
        return query @ key.T @ value

    def d_k_and_transposed_weights(query, key, value):
        return np.swapaxes(softmax(query @ np.swapaxes(key, -1, -2) / key.shape[-1]), -1, -2) @ value

    for function, names in (
        (no_scale_over_queries, ["core/does_not_scale", "core/softmax_over_the_queries"]),
        (no_softmax_no_scale_and_only_one_sentence, ["core/does_not_scale", "core/no_softmax"]),
        (d_k_and_transposed_weights, ["core/divides_by_d_k", "core/weights_transposed"]),
    ):
        verdict = judge("attention", function)
        assert list(verdict.mistakes) == names
        several = "And this: " if len(names) == 2 else "Several things at once. Fix this first: "
        assert several in verdict.what and "{" not in verdict.what


def test_an_exception_is_told_with_the_line_that_raised_it():
    def fails(query, keys, values):
        return query @ values.T @ np.ones(99)

    message = judge("soft_lookup", fails).message
    assert message.startswith("Your function raised ValueError: ")
    assert "It happened in the line   return query @ values.T @ np.ones(99)" in message


def test_a_wrong_number_of_arguments_shows_how_it_is_called():
    message = judge("soft_lookup", lambda query: query).message
    assert "takes 1 positional argument but 3 were given" in message
    assert "It is called as   soft_lookup(query, keys, values)" in message


def test_right_numbers_with_spoilt_arguments_are_not_yet_right():
    def in_place(counts):
        if counts.dtype.kind == "f":
            counts /= counts.sum()
            return counts
        return counts / counts.sum()

    verdict = judge("shares", in_place)
    assert verdict.state == "wrong"
    assert verdict.message.startswith("The numbers are right, but you wrote into counts itself")


def test_a_function_that_needs_tensors_gets_tensors():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert judge("shares", lambda counts: counts.double() / counts.sum(dtype=torch.float64)).state == "right"


def test_a_function_that_fails_on_arrays_is_not_told_about_tensors():
    pytest.importorskip("torch", reason="torch is not installed")

    def max_of_rows(query, key, value, block):  # runs on tensors, as it happens, where there is one query
        largest = -math.inf
        for start in range(0, key.shape[-2], block):
            largest = max(largest, *(query @ np.swapaxes(key[..., start : start + block, :], -1, -2)))
        return math.exp(largest)

    message = judge("online_attention", max_of_rows).message
    assert "an array is neither true nor false" in message
    assert "Tensor" not in message and "On other inputs" not in message


def test_nan_and_zeros_are_not_mistaken_for_variables_of_the_notebook():
    def nan(query, key, value):
        return query[..., :1] * np.inf * 0 + value[..., :1, :]

    def zeros(query, key, value):
        output = np.zeros((*query.shape[:-1], value.shape[-1]))
        output + query[..., :1]
        return output

    def empty(query, key, value):
        output = np.array([])
        np.append(output, query)
        return output

    def fixed(query, key, value):
        return np.ones((*query.shape[:-1], value.shape[-1]))

    for function, words in (
        (nan, "There is NaN in your output"),
        (zeros, "Your function gives zeros, whatever comes in. Where is what you compute kept?"),
        (empty, "Your function gives an empty array, whatever comes in."),
        (fixed, "Does it use variables of the notebook instead?"),
    ):
        assert words in judge("attention", function).message, function


def test_the_value_instead_of_the_function_is_explained():
    message = judge("soft_lookup", np.ones(3)).message
    assert message == "An array came, not a function: pass the function itself, check.soft_lookup(soft_lookup)."


def test_numbers_are_described_when_they_are_no_known_slip():
    assert judge("weight_by_hand", 0.6).message.startswith("0.6 is too small")
    assert judge("weight_by_hand", 73.1).message == "That is a percentage. What is it as a share of 1?"
    assert judge("weight_by_hand", "73 %").message == "Text came: write the number, without quotes."
    assert judge("weight_by_hand", [0.731]).message == "One number was needed, but a list came."
    assert judge("shape_of_scores", (6, 6, 6)).message == "2 numbers were needed, but 3 came."
    assert judge("shape_of_scores", "6x6").message == "Text came: write a tuple, such as (4, 7), without quotes."


def test_nan_is_told_with_what_can_make_it():
    words = "NaN came: it means that some step was undefined, such as 0/0."
    assert judge("left_for_the_others", float("nan")).message == words


def test_a_right_value_in_quotes_or_brackets_is_right():
    assert judge("weight_by_hand", "0.731").state == "right"
    assert judge("shape_of_scores", "(6, 6)").state == "right"
    assert judge("causal_it", " C) ").state == "right"


def test_what_the_function_prints_is_shown_once_and_short():
    def chatty(query, keys, values):
        print("scores", keys @ query)
        return keys @ query @ values

    message = judge("soft_lookup", chatty).message
    assert message.count("Your function printed, on the first input:\n  scores [ 1.  -0.5]") == 1


def test_only_the_beginning_of_what_is_printed_is_kept():
    with guard.guarded() as caught:
        print("x" * 1_000_000)
        print("y")
    assert caught.text == "x" * 300


def test_a_function_that_prints_instead_of_returning_is_told_so():
    def prints(counts):
        print(counts / counts.sum())

    verdict = judge("shares", prints)
    assert verdict.state == "not started"
    assert "runs, but returns None. Did you forget return?" in verdict.message and "[0.25 0.75]" in verdict.message


def test_a_function_that_uses_the_notebook_instead_of_its_arguments_is_found_out():
    _, key, value = exercises()["soft_lookup"].probes[0]
    message = judge("soft_lookup", lambda q, k, v: key[0] @ value).message
    assert message.startswith("Your function gives the same whatever comes in.")


def test_a_function_that_uses_its_argument_badly_is_not_said_to_ignore_it():
    def distance(query, keys, values):
        weights = np.exp(np.linalg.norm(keys - query, axis=1))
        return weights / weights.sum() @ values

    assert "stays the same" not in judge("soft_lookup", distance).message


def test_a_function_that_fails_on_one_form_of_input_is_told_that_others_are_right():
    softmax = exercises()["softmax"].solution

    def only_batches(query, key, value):
        return softmax(query @ key.transpose(0, 2, 1) / math.sqrt(key.shape[-1])) @ value

    message = judge("attention", only_batches).message
    assert message.startswith("On other inputs you are right, but here: your function raised ValueError")
    assert "You are right where query has 3 axes; here it has 2." in message


def test_no_mistake_is_named_where_the_answer_is_right():
    softmax = exercises()["softmax"].solution

    def scale_from_the_second_axis(query, key, value):
        return softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[1])) @ value

    assert judge("attention", scale_from_the_second_axis).mistake == "core/scales_by_the_second_axis"


def test_a_refusal_is_right_and_its_words_get_a_note():
    solution = exercises()["grouped_query_attention"].solution

    def refuses(words):
        def function(query, key, value):
            if query.shape[1] % key.shape[1]:
                raise ValueError(words.format(query.shape[1], key.shape[1]))
            return solution(query, key, value)

        verdict = judge("grouped_query_attention", function)
        assert verdict.state == "right"
        return verdict.message

    assert "note" not in refuses("{1} do not divide {0}")
    assert "could name 5 and 2" in refuses("the heads do not fit")
    assert "could name 2" in refuses("{0} heads")


def test_a_stumble_of_numpy_is_right_with_a_note():
    softmax = exercises()["softmax"].solution

    def by_accident(query, key, value):
        times = query.shape[1] // key.shape[1]
        key, value = np.repeat(key, times, axis=1), np.repeat(value, times, axis=1)
        return softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[-1])) @ value

    verdict = judge("grouped_query_attention", by_accident)
    assert verdict.state == "right" and "A note: what cannot work is refused here by NumPy" in verdict.message


def test_an_answer_to_what_should_be_refused_is_not_right():
    solution = exercises()["grouped_query_attention"].solution

    def rounds_down(query, key, value):
        heads = query.shape[1] // key.shape[1] * key.shape[1]
        return solution(query[:, :heads], key, value)

    verdict = judge("grouped_query_attention", rounds_down)
    assert verdict.state == "wrong"
    assert verdict.message.startswith("This input has to be refused with a ValueError, but your function gives")


def test_the_words_of_one_exception_by_chance_give_no_name():
    solution = exercises()["grouped_query_attention"].solution

    def once_more(query, key, value):
        return solution(query, key, value) @ np.repeat(value, query.shape[1] // key.shape[1], axis=1)

    verdict = judge("grouped_query_attention", once_more)
    assert verdict.mistake is None and "the inner sizes of a product differ" in verdict.message


def test_two_mistakes_that_a_crash_makes_alike_are_neither_named():
    softmax = exercises()["softmax"].solution

    def layer(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
        context = context or x  # raises where there is one: there alone do the two counts differ

        def split(array):
            return array.reshape(*array.shape[:2], n_heads, -1).swapaxes(1, 2)

        scores = split(x @ W_Q) @ split(context @ W_K).swapaxes(-1, -2) / math.sqrt(context.shape[1])
        if causal:
            scores = np.where(np.tri(x.shape[1]) > 0, scores, -np.inf)
        if key_mask is not None:
            scores = np.where(key_mask[:, None, None, :], scores, -np.inf)
        return (softmax(scores) @ split(context @ W_V)).swapaxes(1, 2).reshape(*x.shape[:2], -1) @ W_O

    assert judge("multi_head_attention", layer).mistake is None


def test_a_name_keeps_its_capital_behind_a_colon():
    for text, behind in (
        ("W_Q and W_K have", "W_Q and W_K have"),
        ("NaN comes", "NaN comes"),
        ("You divide", "you divide"),
        ("A key", "a key"),
        ("Q is", "Q is"),
    ):
        assert feedback.continued(text) == behind


def test_a_helper_that_is_not_written_yet_is_named():
    def split_heads(x, n_heads):
        raise NotImplementedError

    def layer(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
        return split_heads(x @ W_Q, n_heads) @ W_O

    verdict = judge("multi_head_attention", layer)
    assert verdict.state == "not started"
    assert verdict.message.startswith("multi_head_attention calls split_heads, which is not written yet.")


def test_a_function_without_code_of_its_own_is_no_helper_that_is_missing():
    def unwritten(query, keys, values):
        raise NotImplementedError

    verdict = judge("soft_lookup", functools.partial(unwritten))
    assert verdict.message == "Not started: write soft_lookup, then run the cell again."


def test_an_argument_may_be_taken_by_name_only():
    def softmax(x, *, axis=-1):
        return solution(x, axis)

    solution = exercises()["softmax"].solution
    assert judge("softmax", softmax).state == "right"


def test_a_broken_law_is_shown_on_the_probe_that_breaks_it():
    def sums_short(x, axis=-1):
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / (e.sum(axis=axis, keepdims=True) + 1e-3)

    verdict = judge("softmax", sums_short)
    assert verdict.message.startswith("The weights of a row have to sum to 1, but yours sum to 0.9993 here.")
    assert "yours [0.09   0.2446 0.6648]" in verdict.message


def test_laws_hold_for_every_number_of_axes():
    for law in (laws.rows_sum_to_one, laws.never_negative):
        for value in (np.array(1.0), np.array([0.5, 0.5]), np.full((2, 3, 4), 0.25)):
            assert law(None, (value,), value) is None
        assert law(None, (1,), np.array([-0.5, 0.2])) is not None


def test_numbers_that_are_nearly_right_are_told_so():
    for name, value, words in (
        ("fresh_weights", [[0.167, 0.102, 0.455, 0.276]], "One flat list of 4 numbers was needed"),
        ("score_machine_learning", (4, 5), "A comma makes several numbers of one"),
        ("weights_of_learning", [0.30, 0.49], "Right to two decimals"),
        ("weights_of_learning", [0.493, 0.299], "These are the right numbers, in another order"),
        ("fresh_output", [0.17, 0.204, 0.735, 0.29], "Close. Did you round on the way?"),
        ("scores_at_real_size", 3.1e6, "Close. Can you give it exactly?"),
        ("fresh_output", [1, 1, 1, 1], "4 numbers are not right yet, out of 4."),
    ):
        assert judge(name, value).message.startswith(words), judge(name, value)


def test_errors_of_numpy_are_put_plainly():
    for function, words in (
        (lambda query, keys, values: keys @ values, "the inner sizes of a product differ, 3 and 5"),
        (lambda query, keys, values: keys[:, :1] + values[:, :2] + np.ones(7), "the shapes"),
        (lambda query, keys, values: math.exp(keys) + 0, "math.exp takes a number"),
        (lambda query, keys, values: values if keys > 0 or query else 0, "use | and & with brackets"),
    ):
        assert words in guard.run(function, exercises()["soft_lookup"].probes[2]).problem


def test_the_learners_own_interrupt_passes_through():
    def interrupted(*arguments):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge("shares", interrupted)


def test_a_verdict_leaves_no_alarm_behind():
    before = signal.getsignal(signal.SIGALRM)
    judge("shares", lambda counts: counts)
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_judge_works_outside_the_main_thread():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        assert pool.submit(judge, "shares", lambda counts: counts / counts.sum()).result().state == "right"


def test_the_solution_is_shown_only_after_a_try(capsys, monkeypatch):
    monkeypatch.setattr(cell, "_attempts", type(cell._attempts)())
    show_solution("shares")
    assert capsys.readouterr().out.startswith("Try it once first")
    check.shares()  # not started: not a try
    capsys.readouterr()
    show_solution("shares")
    assert capsys.readouterr().out.startswith("Try it once first")
    check.shares(lambda counts: counts)
    capsys.readouterr()
    show_solution("shares")
    assert capsys.readouterr().out == solution_source("shares")


def test_checking_needs_neither_torch_nor_matplotlib():
    code = (
        "import sys; from course_utils.exercises import judge; judge('shares', lambda c: c);"
        "print([m for m in ('torch', 'matplotlib', 'IPython') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_verdict_is_printed_in_lines_that_fit_and_numbers_keep_theirs(capsys):
    mistake = exercises()["attention"].mistakes[1].run
    check.attention(mistake)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 90
    assert "  query = " in "\n".join(lines) and "           [" in "\n".join(lines)
    assert all(len(a) > 60 for a, b in zip(lines, lines[1:], strict=False) if b and a and b[0].islower())


def test_a_slow_function_that_finishes_is_not_said_to_be_endless(monkeypatch):
    def slow(query, key, value):
        time.sleep(0.02)
        return value[..., :1] + query[..., :1]

    monkeypatch.setattr(guard, "SECONDS", 0.5)
    verdict = judge("attention", lambda query, key, value: slow(query, query, query))
    assert verdict.state == "wrong" and "did not finish" not in verdict.message


def test_two_checks_at_once_leave_the_screen_as_it_was():
    from concurrent.futures import ThreadPoolExecutor

    def slow(counts):
        time.sleep(0.05)
        return counts / counts.sum()

    screen = sys.stdout
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(judge, ["shares"] * 4, [slow] * 4))
    assert sys.stdout is screen and {verdict.state for verdict in verdicts} == {"right"}


def test_somebody_elses_alarm_keeps_running():
    signal.setitimer(signal.ITIMER_REAL, 30)
    try:
        judge("shares", lambda counts: counts)
        assert 20 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_a_letter_or_number_of_another_kind_is_asked_for_plainly():
    for given in (("c",), ["c"], {"c"}, 3):
        assert judge("causal_it", given).message.startswith("Answer with one of the letters, in quotes")
    assert judge("weight_by_hand", {"a": 1}).message == "A dict came: write a number."
    assert judge("fresh_weights", [[1], [1, 2]]).message == "A list came: write a list of numbers."


def test_options_by_name_may_stand_in_any_order():
    solution = exercises()["masked_attention"].solution

    def masked_attention(query, key, value, scale=None, *, mask=None, bias=None, causal=False):
        return solution(query, key, value, mask, bias, causal, scale)

    assert judge("masked_attention", masked_attention).state == "right"
