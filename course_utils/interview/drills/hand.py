"""Drills by hand: fresh small matrices, three decimals. Known slips are called and worded as in the exercises."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from course_utils.core.attention import attention_steps
from course_utils.core.scores import softmax, softmax_jacobian
from course_utils.exercises.engine.edits import table
from course_utils.exercises.engine.exercise import Mistake
from course_utils.exercises.engine.guard import guarded
from course_utils.interview.drills.drill import Drill, Feedback, Unread, numbers

TOLERANCE = 0.0015  # three decimals, with room for rounding on the way
ROUNDS = 500  # draws until no slip gives the right numbers


@dataclass(frozen=True)
class ByHand:
    """``draw(rng)`` gives the arrays, ``value`` the right numbers, ``reads`` what of a slip's result is compared."""

    name: str
    lesson: str
    level: int
    minutes: int
    words: str
    draw: Callable
    value: Callable
    mistakes: Sequence[Mistake]
    reads: Callable = np.ravel


def _halves(rng, *shape):
    return rng.integers(-3, 4, shape) / 2


def _row(rng):
    return {"x": rng.permutation(np.array([-1, -0.5, 0, 0.5, 1, 1.5, 2]))[:3]}


def _weights(rng):
    return {"p": _pick_row(rng)}


def _pick_row(rng):
    parts = rng.permutation(np.array([1, 2, 3, 4, 5]))[:2]
    return np.array([*parts, 10 - parts.sum()]) / 10


def _heads(rng):
    return {"query": _halves(rng, 1, 4), "key": _halves(rng, 3, 4), "value": _halves(rng, 3, 2)}


def _causal(rng):
    return {"query": _halves(rng, 3, 4), "key": _halves(rng, 3, 4), "value": np.eye(3)}


def _blocks(rng):
    return {"first": rng.integers(0, 4, 2) * 1.0, "second": rng.integers(2, 6, 2) * 1.0}


def _merged(first, second):
    scores = np.concatenate([first, second])
    return np.array([scores.max(), np.exp(scores - scores.max()).sum()])


def _own_sum(block):
    return np.exp(block - block.max()).sum()


def _known(path, **formulas):
    """Slips with the names and words of a table of the exercises, each with a formula for its numbers."""
    family, entries = table(path)
    words = {name: entries[None, name] for name in formulas}
    return [Mistake(f"{family}/{n}", words[n]["what"], run, ask=words[n]["ask"]) for n, run in formulas.items()]


def _scaled_by(factor):
    """The output of attention whose scores are multiplied by ``factor(key, value)``."""
    return lambda query, key, value: attention_steps(query, key, value, scale=factor(key, value)).output


def _causal_weights(factor):
    return lambda query, key, value: attention_steps(query, key, value, causal=True, scale=factor(key)).weights


SOFTMAX = _known(
    "scaling/softmax",
    forgets_to_divide=lambda x: np.exp(x - x.max()),
    divides_without_exp=lambda x: x / x.sum(),
    one_too_many_after_the_maximum=lambda x: np.exp(x - x.max()) / (1 + np.exp(x - x.max()).sum()),
)
JACOBIAN = _known(
    "scaling/jacobian",
    diagonal_matrix=lambda p: np.diag(p * (1 - p)),
    only_the_outer_product=lambda p: -np.outer(p, p),
    outer_product_added=lambda p: np.diag(p) + np.outer(p, p),
    identity_for_diag=lambda p: np.eye(len(p)) - np.outer(p, p),
    jacobian_negative=lambda p: np.outer(p, p) - np.diag(p),
)
ATTENTION = _known(
    "attention",
    does_not_scale=_scaled_by(lambda key, value: 1.0),
    divides_by_d_k=_scaled_by(lambda key, value: 1 / key.shape[-1]),
    multiplies_by_the_root=_scaled_by(lambda key, value: math.sqrt(key.shape[-1])),
    scales_by_the_value_width=_scaled_by(lambda key, value: 1 / math.sqrt(value.shape[-1])),
    scales_by_the_number_of_keys=_scaled_by(lambda key, value: 1 / math.sqrt(len(key))),
    scales_after_the_softmax=lambda query, key, value: softmax(query @ key.T) / math.sqrt(key.shape[-1]) @ value,
    no_softmax=lambda query, key, value: attention_steps(query, key, value).scaled @ value,
    softmax_twice=lambda query, key, value: softmax(attention_steps(query, key, value).weights) @ value,
    plain_average=lambda query, key, value: value.mean(axis=0),
    takes_the_best_match=lambda query, key, value: value[np.argmax(query @ key.T)],
)
CAUSAL = [
    Mistake(
        "hand/looks_ahead",
        "Your second token looks at the third, too.",
        lambda query, key, value: attention_steps(query, key, value).weights,
        ask="Which keys come after it?",
    ),
    Mistake(
        "hand/forgets_the_scale",
        "You hide the future and do not divide the scores by sqrt(d_k).",
        _causal_weights(lambda key: 1.0),
        ask="How does the spread of a dot product grow with d_k?",
    ),
    Mistake(
        "hand/divides_by_the_width",
        "You hide the future and divide the scores by d_k.",
        _causal_weights(lambda key: 1 / key.shape[-1]),
        ask="Which power of d_k brings their spread back to 1?",
    ),
    Mistake(
        "hand/cuts_after_the_softmax",
        "You take the softmax over all three keys and cut the third afterwards, so the row sums to less than 1.",
        lambda query, key, value: np.tril(attention_steps(query, key, value).weights),
        ask="What must be gone before the exponentials are added up?",
    ),
]
BLOCKS = [
    Mistake(
        "hand/adds_the_sums",
        "You add the sums of the two blocks, and each has been measured from a maximum of its own.",
        lambda first, second: np.array([max(first.max(), second.max()), _own_sum(first) + _own_sum(second)]),
        ask="By which factor does the older sum shrink when the maximum grows?",
    ),
    Mistake(
        "hand/keeps_the_first_maximum",
        "You measure both blocks from the maximum of the first. It is exact on paper, and exp() may overflow.",
        lambda first, second: np.array([first.max(), np.exp(np.concatenate([first, second]) - first.max()).sum()]),
        ask="Which maximum belongs to all scores seen so far?",
    ),
]
BY_HAND = [
    ByHand(
        name="softmax_row",
        lesson="02_scaling",
        level=1,
        minutes=4,
        words="The softmax of the scores {x}: three numbers.",
        draw=_row,
        value=softmax,
        mistakes=SOFTMAX,
    ),
    ByHand(
        name="jacobian_row",
        lesson="02_scaling",
        level=3,
        minutes=4,
        words="A row of weights is {p}. How does the first weight move with each of the three scores: three numbers.",
        draw=_weights,
        value=lambda p: softmax_jacobian(p)[0],
        mistakes=JACOBIAN,
        reads=lambda array: np.asarray(array)[0],
    ),
    ByHand(
        name="attention_output",
        lesson="03_example",
        level=2,
        minutes=8,
        words=(
            "One query, three keys, d_k = 4, d_v = 2. The output: two numbers.\n\nquery  {query}\n\nkeys   {key}"
            "\n\nvalues {value}"
        ),
        draw=_heads,
        value=lambda query, key, value: attention_steps(query, key, value).output[0],
        mistakes=ATTENTION,
    ),
    ByHand(
        name="causal_row",
        lesson="04_masking",
        level=2,
        minutes=8,
        words=(
            "Three tokens, d_k = 4, causal. The weights of the second token on all three: three numbers."
            "\n\nqueries {query}\n\nkeys    {key}"
        ),
        draw=_causal,
        value=lambda query, key, value: attention_steps(query, key, value, causal=True).weights[1],
        mistakes=CAUSAL,
        reads=lambda array: np.asarray(array)[1],
    ),
    ByHand(
        name="two_blocks",
        lesson="06_complexity",
        level=4,
        minutes=6,
        words=(
            "The scores of one query come in two blocks, {first} and {second}. What are the running maximum and the "
            "running sum of exponentials after both: two numbers."
        ),
        draw=_blocks,
        value=_merged,
        mistakes=BLOCKS,
    ),
]


def make(kind, rng):
    """A drill of that kind with numbers for which no slip gives the right answer, nor that of another."""
    for _ in range(ROUNDS):
        drawn = kind.draw(rng)
        right = np.ravel(kind.value(*drawn.values()))
        slips = _slips(kind, drawn)
        values = [right, *(value for _, value in slips)]
        if not any(_same(a, b, 3 * TOLERANCE) for i, a in enumerate(values) for b in values[:i]):
            break
    shown = {name: _text(array) for name, array in drawn.items()}
    return Drill(
        name=f"by hand:{kind.name}",
        type="by hand",
        level=kind.level,
        minutes=kind.minutes,
        lesson=kind.lesson,
        question=kind.words.format(**shown) + "\n\nThree decimals; 0.001 more or less is fine.",
        grade=lambda text: grade(kind, right, slips, text),
        solution=" ".join(f"{number:.3f}" for number in right),
    )


def grade(kind, right, slips, text):
    """Right within the tolerance; else the mistake that gives these numbers, or which of them are off."""
    try:
        given = np.array(numbers(text, len(right)))
    except Unread as unread:
        return Feedback("unread", str(unread))
    if _same(given, right):
        return Feedback("right", f"Right: {' '.join(f'{number:.3f}' for number in right)}.")
    for mistake, value in slips:
        if _same(given, value):
            return Feedback("wrong", f"{mistake.what} {mistake.ask}", mistake.name)
    if _same(np.sort(given), np.sort(right)):
        return Feedback("wrong", "These are the right numbers, in another order. Which comes first?")
    if _same(given, right, 0.015):
        return Feedback("wrong", "Close. Did you round on the way?")
    off = int(np.sum(np.abs(given - right) > TOLERANCE))
    return Feedback("wrong", f"{off} of {len(right)} numbers are not right yet. Of which are you least sure?")


def _slips(kind, drawn):
    """[(mistake, its numbers)] for the mistakes that give numbers of the right form here."""
    found = []
    count = np.size(kind.value(*drawn.values()))
    with guarded():
        for mistake in kind.mistakes:
            numbers = np.ravel(kind.reads(mistake.run(*drawn.values())))
            if numbers.size == count and np.isfinite(numbers).all():
                found.append((mistake, numbers))
    return found


def _same(a, b, tolerance=TOLERANCE):
    return len(a) == len(b) and all(math.isclose(x, y, abs_tol=tolerance) for x, y in zip(a, b, strict=True))


def _text(array):
    """ "(1, 0.5, -1)", or several rows of them."""
    if array.ndim == 1:
        return "(" + ", ".join(f"{number:g}" for number in array) + ")"
    return "  ".join(_text(row) for row in array)
