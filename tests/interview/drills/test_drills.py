"""Answers with units are read or refused in one sentence; slips are named; numbers are fresh and can be told apart."""

import itertools
import math
import re

import numpy as np
import pytest

from course_utils.interview.drills import debugging, drill, estimates, hand
from course_utils.interview.drills.drill import Unread
from course_utils.interview.drills.hand import BY_HAND
from course_utils.interview.drills.quantities import ESTIMATES
from course_utils.interview.drills.subjects import subjects

every_estimate = pytest.mark.parametrize("kind", ESTIMATES, ids=lambda kind: kind.name)
every_kind_by_hand = pytest.mark.parametrize("kind", BY_HAND, ids=lambda kind: kind.name)
SEEDS = range(40)


# ---------------------------------------------------------------- units


@pytest.mark.parametrize("text, dimension, value", [
    ("2 GiB", "bytes", 2**31), ("2GiB", "bytes", 2**31), (" ~ 1.5 gib ", "bytes", 1.5 * 2**30), ("3 GB", "bytes", 3e9),
    ("512 KiB", "bytes", 2**19), ("4,096 bytes", "bytes", 4096), ("2^34 bytes", "bytes", 2**34),
    ("1e9 B", "bytes", 1e9),
    ("16.8 M", "count", 16.8e6), ("16.8M parameters", "count", 16.8e6), ("2**20", "count", 2**20),
    ("7 billion", "count", 7e9),
    ("1536 tokens", "count", 1536), ("1_536", "count", 1536), ("2 K", "count", 2000),
    ("3.2 GFLOP", "FLOPs", 3.2e9), ("3.2 GFLOPs", "FLOPs", 3.2e9), ("3.2 G", "FLOPs", 3.2e9), ("3.2e9", "FLOPs", 3.2e9),
    ("1.2 TFLOPS", "FLOPs", 1.2e12),
    ("2 gigabytes", "bytes", 2e9), ("2 GBytes", "bytes", 2e9), ("2 gibibytes", "bytes", 2**31),
    ("2 Gi", "bytes", 2**31),
    ("2 PB", "bytes", 2e15), ("2 PiB", "bytes", 2**51), ("2x10^9 B", "bytes", 2e9), ("2 GiB.", "bytes", 2**31),
    ("3.2 operations", "FLOPs", 3.2), ("3.2 billion FLOPs", "FLOPs", 3.2e9), ("3.2 gigaflops", "FLOPs", 3.2e9),
    ("3.2·10^9", "FLOPs", 3.2e9), ("16.8 M weights", "count", 16.8e6), ("3e6 pairs", "count", 3e6),
    ("3 * 10**6", "count", 3e6), ("2 * 32 * 2^10 bytes", "bytes", 2**16), ("1 000 000", "count", 1e6),
])  # fmt: skip
def test_a_number_with_its_unit(text, dimension, value):
    assert drill.quantity(text, dimension) == pytest.approx(value)


@pytest.mark.parametrize("text, dimension, words", [
    ("", "bytes", "Nothing came: write one number, such as 2 GiB"), ("   ", "count", "Nothing came"),
    (None, "count", "Nothing came"), ("2", "bytes", "The unit is missing"), ("2 G", "bytes", "The unit is missing"),
    ("16 Gbit", "bytes", "'Gbit' counts bits: give bytes"),
    ("2 GiB", "FLOPs", "The unit 'GiB' does not fit: FLOPs are asked"),
    ("2 bananas", "bytes", "The unit 'bananas' does not fit"), ("many", "count", "'many' is no number"),
    ("4,5 GiB", "bytes", "write 4.5, not"),
    ("3 GFLOP/s", "FLOPs", "is a rate: the amount is asked"),
    ("1e999 GiB", "bytes", "too large to be meant"), ("9^999 GiB", "bytes", "too large to be meant"),
    ("9" * 180 + "^9", "count", "cannot be read as a number"),
    ("1e308 GiB", "bytes", "too large to be meant"), ("1e300", "FLOPs", "too large to be meant"),
    ("5e-40", "count", "too small to be meant"), ("0^-3 B", "bytes", "too large to be meant"),
    ("3 10^6", "count", "write it without blanks"), ("12 34", "count", "write it without blanks"),
    ("2 Gb", "bytes", "'Gb' counts bits"), ("2 million", "bytes", "The unit is missing"),
    ("5 MB per token", "bytes", "is a rate"), ("4 permutations", "count", "'permutations' does not fit"),
    ("-3 GiB", "bytes", "above 0"), ("0", "count", "above 0"),
    ("an essay " * 500, "bytes", "A text of 4499 characters came: write one number, such as 2 GiB"),
])  # fmt: skip
def test_what_cannot_be_read_is_one_sentence(text, dimension, words):
    with pytest.raises(Unread, match=words) as unread:
        drill.quantity(text, dimension)
    assert len(str(unread.value)) < 160 and "\n" not in str(unread.value)


@pytest.mark.parametrize("text", ["0.5 0.25 0.25", "[0.5, 0.25, 0.25]", "0.5;0.25; 0.25", " (0.5, .25, .25) "])
def test_numbers_in_a_row(text):
    assert drill.numbers(text, 3) == [0.5, 0.25, 0.25]


@pytest.mark.parametrize("text, words", [
    ("0.5 0.25", "3 numbers are asked for, with a point for decimals, but 2 numbers came"),
    ("0.5", "but one number came"),
    ("a b c", "'a' cannot be read"), ("nan 0 0", "too large"), ("", "Nothing came"), ("x" * 300, "300 characters"),
])  # fmt: skip
def test_numbers_that_are_none(text, words):
    with pytest.raises(Unread, match=words):
        drill.numbers(text, 3)


# ---------------------------------------------------------------- estimates


@every_estimate
def test_the_right_estimate_is_right_within_the_tolerance_stated(kind):
    for seed in SEEDS:
        drawn = kind.draw(np.random.default_rng(seed))
        right = kind.value(**drawn)
        unit = " bytes" if kind.dimension == "bytes" else ""
        for factor, state in ((1, "right"), (1.04, "right"), (0.96, "right"), (1.5, "wrong"), (0.05, "wrong")):
            assert estimates.grade(kind, drawn, f"{right * factor:.6e}{unit}").state == state
        assert estimates.grade(kind, drawn, "12 apples").state == "unread"


@every_estimate
def test_a_drill_shows_its_tolerance_and_its_own_solution_is_right(kind):
    for seed in SEEDS:
        made = estimates.make(kind, np.random.default_rng(seed))
        assert "Within 5%." in made.question and made.box == "line"
        assert made.grade(made.solution.rpartition(" = ")[2]).state == "right"


@every_estimate
def test_what_is_worked_out_comes_to_the_value(kind):
    drawn = _drawn(kind, 1)
    (products,) = (part for part in kind.worked.format(**drawn).split(" = ") if " x " in part)
    total = 0
    for product in re.sub(r"\([^)]*\)", "", products).split(";"):
        factors = re.findall(r"(\d[\d,]*)(²?)", product)
        total += math.prod(int(number.replace(",", "")) ** (2 if squared else 1) for number, squared in factors)
    assert total == kind.value(**drawn)


@every_estimate
def test_every_slip_is_named_as_itself(kind):
    for seed in SEEDS:
        made = estimates.make(kind, np.random.default_rng(seed))
        for slip in kind.slips:
            assert slip.text.strip().endswith("?") and "wrong" not in slip.text
        drawn = _drawn(kind, seed)
        unit = " bytes" if kind.dimension == "bytes" else ""
        for slip in kind.slips:
            feedback = made.grade(f"{slip.value(**drawn):.6e}{unit}")
            assert feedback.mistake == f"estimate/{slip.name}", (seed, drawn)


def _drawn(kind, seed):
    """The numbers that make() uses for this seed: those of the last draw."""
    rng = np.random.default_rng(seed)
    while True:
        drawn = kind.draw(rng)
        values = [kind.value(**drawn)] + [slip.value(**drawn) for slip in kind.slips]
        if not any(drill.near(a, b, estimates.APART) for a, b in itertools.permutations(values, 2)):
            return drawn


@every_estimate
def test_a_number_far_off_gets_a_short_sentence(kind):
    made = estimates.make(kind, np.random.default_rng(0))
    unit = " bytes" if kind.dimension == "bytes" else ""
    for number in ("1e29", "1e-29", "0.001"):
        message = made.grade(f"{number}{unit}").message
        assert len(message) < 100 and "inf" not in message, message


@every_estimate
def test_the_numbers_are_fresh(kind):
    rng = np.random.default_rng(0)
    assert len({estimates.make(kind, rng).question for _ in range(12)}) > 3


# ---------------------------------------------------------------- by hand


@every_kind_by_hand
def test_the_numbers_by_hand_are_fresh_and_their_solution_is_right(kind):
    seen = set()
    for seed in SEEDS:
        made = hand.make(kind, np.random.default_rng(seed))
        seen.add(made.question)
        assert made.grade(made.solution).state == "right"
        assert made.grade("[" + made.solution.replace(" ", ", ") + "]").state == "right"
        assert made.grade("1").state == "unread"
    assert len(seen) > 10


@every_kind_by_hand
def test_every_slip_by_hand_is_named_as_itself(kind):
    named = set()
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        drawn = kind.draw(rng)
        right, slips = np.ravel(kind.value(*drawn.values())), hand._slips(kind, drawn)
        values = [right, *(value for _, value in slips)]
        apart = not any(hand._same(a, b, 3 * hand.TOLERANCE) for a, b in itertools.combinations(values, 2))
        for mistake, value in slips if apart else []:
            feedback = hand.grade(kind, right, slips, " ".join(f"{number:.4f}" for number in value))
            assert feedback.mistake == mistake.name and feedback.message.endswith("?")
            named.add(mistake.name)
    assert len(named) == len(kind.mistakes)


def test_the_first_row_of_the_jacobian_is_asked():
    (kind,) = (kind for kind in BY_HAND if kind.name == "jacobian_row")
    made = hand.make(kind, np.random.default_rng(3))
    p = np.array(re.findall(r"\.\d+", made.question)[:3], dtype=float)
    np.testing.assert_allclose(np.array(made.solution.split(), dtype=float), p[0] * (np.eye(3)[0] - p), atol=0.0006)


def test_other_numbers_by_hand_get_a_sentence():
    made = hand.make(BY_HAND[0], np.random.default_rng(0))
    right = made.solution.split()
    assert "another order" in made.grade(" ".join(right[::-1])).message
    assert "round" in made.grade(" ".join(f"{float(x) + 0.004:.3f}" for x in right)).message
    assert "3 of 3 numbers" in made.grade("5 6 7").message


# ---------------------------------------------------------------- code

SOFTMAX = subjects()["softmax"]


@pytest.mark.parametrize("code, words", [
    ("", "Nothing is written: define softmax."), ("def softmax(x:", "Line 1 is not Python yet"),
    ("An essay on softmax, pasted.", "Line 1 is not Python yet"),
    ("y = 3", "There is no function called softmax in it."),
    ("x = 1 / 0", "The code raised ZeroDivisionError before softmax was called"),
    ("import sys; sys.exit()", "SystemExit"),
    ("softmax = 3", "softmax is no function, but of type int: begin with def softmax(...)."),
    ("while True: pass", "did not finish within 2 seconds"), ("#" * 30_000, "30000 characters came"),
    ("def softmax(x, axis=-1):\n    ...\n", "Not started: write softmax, then check."),
    ("def exponentials(x):\n    raise NotImplementedError\n\ndef softmax(x, axis=-1):\n    return exponentials(x)\n",
     "Write that first, then check."),
    ("from course_utils.core.scores import softmax", "There is no function called softmax in it."),
    ("from course_utils.interview.drills.given import softmax", "There is no function called softmax in it."),
    ("x = '\0'", "not Python yet"),
])  # fmt: skip
def test_code_that_gives_no_function_costs_no_try(code, words):
    feedback = debugging.grade(SOFTMAX, code)
    assert feedback.state == "unread" and words in feedback.message and "Traceback" not in feedback.message


def test_a_message_runs_on_and_its_numbers_keep_their_lines():
    subject = subjects()["attention"]
    code = subject.reference.replace("math.sqrt(key.shape[-1])", "key.shape[-1]")
    *what, numbers, question = debugging.grade(subject, code).message.split("\n\n")
    assert "\n" not in "".join(what) + question and numbers.count("\n  ") > 3


def test_an_error_in_the_code_quotes_its_line():
    code = "def softmax(x, axis=-1):\n    return np.exp(x) / total\n"
    assert "np.exp(x) / total" in debugging.grade(SOFTMAX, code).message


@pytest.mark.parametrize("subject", subjects().values(), ids=subjects())
def test_a_blank_page_is_not_started_and_the_reference_solves_it(subject):
    made = debugging.implement(subject)
    assert made.grade(made.start).state == "unread" and made.grade(made.solution).state == "right"
    assert made.lesson == subject.exercise.lesson and made.topic in made.lesson
    file = "\n".join([*made.imports, made.solution])
    assert made.grade(file).state == "right"  # as a file in an editor


@pytest.mark.parametrize("subject", subjects().values(), ids=subjects())
def test_a_debug_drill_shows_a_symptom_and_no_name(subject):
    texts = {plant.name: plant.what for plant in subject.plants}
    last, sizes = (), set()
    for seed in range(8):
        made = debugging.debug(subject, np.random.default_rng(seed), last)
        assert not set(made.planted) & set(last), "the same mistake twice in a row"
        last = made.planted
        sizes.add(len(last))
        assert made.grade(made.solution).state == "right"
        feedback = made.grade(made.start)
        assert feedback.state == "wrong" and (len(last) > 1 or feedback.mistake == last[0])
        for name in last:
            first = texts[name][:30]
            assert first not in made.symptom and name in made.told
            assert len(last) > 1 or first not in feedback.message and first in made.hint(made.start)
    assert sizes <= {1, 2}


def test_one_mistake_is_planted_or_two():
    subject = subjects()["softmax"]
    assert {len(debugging.choose(subject, np.random.default_rng(seed))) for seed in range(40)} == {1, 2}


def test_two_planted_mistakes_are_mended_one_after_the_other():
    first, second = (SOFTMAX.plants[0], next(p for p in SOFTMAX.plants if p.name == "softmax/loses_the_axis"))
    half = SOFTMAX.planted(second)
    feedback = debugging.grade(SOFTMAX, half, (first, second), "another symptom")
    assert feedback.state == "wrong" and feedback.mistake == second.name and "Something is left." in feedback.message


PAIRS = [
    ("attention", "core/softmax_over_the_queries", "core/weights_transposed"),  # together like queries and keys swapped
    ("attention", "core/does_not_scale", "core/blends_the_keys"),
    ("masked_attention", "masking/mask_inverted", "core/does_not_scale"),
    ("multi_head_attention", "mha/forgets_W_O", "mha/values_use_W_K"),
    ("online_attention", "online/never_divides", "online/output_not_rescaled"),
    ("cached_attention", "cache/never_masks", "cache/blends_the_keys"),
]


@pytest.mark.parametrize("exercise, first, second", PAIRS)
def test_the_hint_names_a_planted_mistake_that_is_still_there(exercise, first, second):
    names = (first, second)
    subject = subjects()[exercise]
    pair = [next(plant for plant in subject.plants if plant.name == name) for name in names]
    texts = {plant.name: plant.what[:30] for plant in subject.plants}
    both = subject.planted(*pair)
    said = debugging.hint(subject, both, pair)
    assert any(texts[name].lower() in said.lower() for name in names)
    for left in pair:  # the other is mended
        assert texts[left.name] in debugging.hint(subject, subject.planted(left), pair)
    symptom = debugging.debug(subject, _Chosen(subject, pair)).symptom
    feedback = debugging.grade(subject, both, pair, symptom)
    assert (feedback.message, feedback.mistake in names) == ("It still gives the numbers above.", True)
    slow = both.replace("):\n", "):\n    while True: pass\n", 1)
    assert "did not finish within 2 seconds" in debugging.grade(subject, slow, pair, symptom).message


class _Chosen:
    """Chance that plants these two."""

    def __init__(self, subject, pair):
        self.order = [subject.plants.index(plant) for plant in pair]
        self.order += [i for i in range(len(subject.plants)) if i not in self.order]

    def permutation(self, n):
        return self.order

    def random(self):
        return 0.0


def test_another_mistake_of_yours_is_named_once_nothing_planted_is_left():
    subject = subjects()["attention"]
    plant, other = subject.plants[0], subject.plants[1]
    mine = subject.planted(other)
    assert debugging.grade(subject, mine, [plant], "").mistake == other.name
    assert debugging.hint(subject, mine, [plant]) == debugging.hint(subject, mine)


def test_a_mistake_that_spoils_no_number_has_a_symptom():
    plant = next(plant for plant in SOFTMAX.plants if plant.name == "softmax/works_in_place")
    made = debugging.debug(SOFTMAX, _Chosen(SOFTMAX, [plant]), [p.name for p in SOFTMAX.plants if p != plant])
    assert made.planted == (plant.name,) and made.symptom == debugging.CHANGED
    assert made.grade(made.start).message == "That is still so."


@pytest.mark.parametrize("subject", subjects().values(), ids=subjects())
def test_a_task_says_what_is_there_and_what_is_asked(subject):
    for made in (debugging.implement(subject), debugging.debug(subject, np.random.default_rng(0))):
        assert made.question.count("There are `") + made.question.count("There is `") == 1
        for name, call in (("softmax", "`softmax(x, axis=-1)`"), ("causal_mask", "`causal_mask(n_queries, n_keys)`")):
            assert (call in made.question) == (name in subject.given)
        assert "are there." not in made.question
        if "raise ValueError" in subject.reference:
            assert "ValueError whose words name both numbers" in made.question


def test_the_given_softmax_is_called_as_on_a_whiteboard():
    subject = subjects()["attention"]
    for call in ("softmax(scores, -1)", "softmax(scores)", "softmax(scores, axis=-1)"):
        code = subject.reference.replace("softmax(scores, axis=-1)", call)
        made = debugging.implement(subject)
        assert made.grade(code).state == made.grade("\n".join([*made.imports, code])).state == "right"


def test_no_mistake_of_the_last_drills_comes_again_in_another_family():
    for seed in range(60):
        plants = debugging.choose(subjects()["cached_attention"], np.random.default_rng(seed), ["core/divides_by_d_k"])
        assert "cache/divides_by_d_k" not in [plant.name for plant in plants]
    assert debugging.choose(SOFTMAX, np.random.default_rng(0), [plant.name for plant in SOFTMAX.plants])
