"""What holds for every exercise of the course; new ones are found by themselves."""

import contextlib
import io
import re
import time

import numpy as np
import pytest

from course_utils.exercises import hint, judge
from course_utils.exercises.engine import edits, guard, pairs
from course_utils.exercises.engine.registry import exercises, solution_source

EXERCISES = list(exercises().values())
FUNCTIONS = [e for e in EXERCISES if e.is_function]
MISTAKES = [(e, m) for e in EXERCISES for m in e.mistakes]
NOTES = [(e, n) for e in EXERCISES for n in e.notes]


def named(entries):
    return [e.name if hasattr(e, "name") else f"{e[0].name}-{getattr(e[1], 'name', i)}" for i, e in enumerate(entries)]


def answer(exercise, run):
    """What a learner would hand in: the function, or the value."""
    return run if exercise.is_function else run()


def unwritten(*arguments):
    raise NotImplementedError


@pytest.mark.parametrize("exercise", EXERCISES, ids=named(EXERCISES))
def test_the_stub_is_not_started(exercise):
    for stub in (None, ..., *([unwritten, lambda *a: None] if exercise.is_function else [])):
        assert judge(exercise.name, stub).state == "not started"


@pytest.mark.parametrize("exercise", EXERCISES, ids=named(EXERCISES))
def test_the_solution_is_right(exercise):
    verdict = judge(exercise.name, answer(exercise, exercise.solution))
    assert verdict.state == "right" and verdict.mistake is None and verdict.message.startswith("Right")


ALTERNATIVES = [(e, a) for e in EXERCISES for a in e.alternatives]


@pytest.mark.parametrize("exercise, alternative", ALTERNATIVES, ids=named(ALTERNATIVES))
def test_every_other_right_answer_is_right(exercise, alternative):
    assert judge(exercise.name, answer(exercise, alternative)).state == "right"


@pytest.mark.parametrize("exercise, mistake", MISTAKES, ids=named(MISTAKES))
def test_every_mistake_is_recognised_as_itself_and_leads_on(exercise, mistake):
    verdict = judge(exercise.name, answer(exercise, mistake.run))
    assert (verdict.state, verdict.mistakes) == ("wrong", (mistake.name,))
    assert re.fullmatch(r"[a-z_]+/[a-zA-Z_0-9]+", mistake.name)
    what, ask = (verdict.what, verdict.ask) if not exercise.is_function else (mistake.what, mistake.ask)
    assert ask.endswith("?") and len(f"{what} {ask}") > 40 and what[-1] in ".!?:)", what
    assert not re.search(r"\bwrong\b|[{}]", f"{what} {ask}"), "say what happens, not that it is wrong"
    lines = [line.strip().removeprefix("return ") for line in solution_source(exercise.name).splitlines()[1:]]
    assert not exercise.is_function or not any(line in verdict.message for line in lines if len(line) > 14)


@pytest.mark.parametrize("exercise, note", NOTES, ids=named(NOTES))
def test_an_answer_that_is_right_on_paper_is_accepted_with_its_note(exercise, note):
    verdict = judge(exercise.name, note.run)
    assert (verdict.state, verdict.mistake) == ("right", None) and verdict.note == note.what


@pytest.mark.parametrize("exercise", EXERCISES, ids=named(EXERCISES))
def test_there_are_hints_and_they_come_in_steps(exercise, capsys):
    assert len(exercise.hints) >= 2 or len(exercise.mistakes) <= 3
    seen = []
    for _ in range(len(exercise.hints) + 1):
        hint(exercise.name)
        seen.append(capsys.readouterr().out)
    assert len(set(seen)) == len(exercise.hints) and seen[-1] == seen[-2]


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=named(FUNCTIONS))
def test_some_probe_has_sizes_that_cannot_be_confused(exercise):
    def clear(probe):
        shapes = [np.shape(argument) for argument in probe]
        return not any(len(shape) > len(set(shape)) for shape in shapes)

    assert any(map(clear, exercise.probes))


class Own(BaseException):
    """An exception outside the family that ``except Exception`` catches."""


class Dull:
    """An object without a length, and with nothing else."""


class Rude:
    """An object that refuses to be looked at."""

    def __array__(self, *args, **kwargs):
        raise Own("no")

    def __repr__(self):
        raise Own("no")


def raises(error):
    def function(*arguments):
        raise error

    return function


def endless(*arguments):
    while True:
        try:
            pass
        except:  # noqa: E722
            pass


def calls_itself(*arguments):
    return calls_itself(*arguments)


def yields(*arguments):
    yield 1


def prints_a_lot(*arguments):
    for _ in range(20_000):
        print("x" * 100)
    return np.zeros(1)


def spoils_its_arguments(*arguments):
    for argument in arguments:
        argument *= 0
    return arguments[0]


HOSTILE = {
    "a string": lambda *a: "0.5",
    "a ragged list": lambda *a: [[1, 2], [3]],
    "NaN": lambda *a: np.full((3, 2), np.nan),
    "an array of texts": lambda *a: np.array(["0.5"]),
    "an object array": lambda *a: np.array([object()]),
    "complex numbers": lambda *a: np.array([1j]),
    "a wrong shape that broadcasts": lambda *a: np.ones((1, 1, 1)),
    "changes its arguments": spoils_its_arguments,
    "prints a lot": prints_a_lot,
    "SystemExit": raises(SystemExit(3)),
    "a BaseException of its own": raises(Own("mine")),
    "an exception with a bad text": raises(type("Bad", (Exception,), {"__str__": raises(Own())})()),
    "endless recursion": calls_itself,
    "a generator": yields,
    "a tuple": lambda *a: (np.ones(2), np.ones(2)),
    "an object without a length": lambda *a: Dull(),
    "an object that refuses": lambda *a: Rude(),
    "a dict": lambda *a: {"output": 1},
    "a set": lambda *a: {1.0},
    "bytes": lambda *a: b"1",
    "a function": lambda *a: np.sum,
    "a class": lambda *a: int,
    "too few arguments": lambda: 1,
    "a huge integer": lambda *a: 10**400,
}


# One of each kind: the lines that run are the same for all the others.
ONE_OF_A_KIND = [
    exercises()[name]
    for name in (
        "soft_lookup",  # plain arrays
        "masked_attention",  # options
        "grouped_query_attention",  # refusals
        "causal_mask",  # booleans
        "leak_test",  # functions as arguments
        "twice_as_long",  # a number
        "shape_of_scores",  # several numbers
        "equal_weights",  # a letter
    )
]


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("exercise", ONE_OF_A_KIND, ids=named(ONE_OF_A_KIND))
def test_a_hostile_answer_gets_a_plain_sentence(exercise, kind, capsys):
    hostile = HOSTILE[kind]
    if exercise.is_function:
        given = hostile
    elif kind in ("changes its arguments", "too few arguments") or kind.startswith(("Sys", "a Base", "an exc", "endl")):
        given = hostile  # there is nothing to call: the function itself is handed in
    else:
        with contextlib.redirect_stdout(io.StringIO()):
            given = hostile()
    capsys.readouterr()
    verdict = judge(exercise.name, given)
    assert verdict.state == "wrong"
    first = verdict.message.splitlines()[0]
    assert re.match(r"[A-Z0-9]", first) and first[-1] in '.?)"', first
    assert "Traceback" not in verdict.message and "course_utils" not in verdict.message
    assert capsys.readouterr().out == ""


FUNCTIONS_OF_A_KIND = [exercise for exercise in ONE_OF_A_KIND if exercise.is_function]


@pytest.mark.parametrize("exercise", FUNCTIONS_OF_A_KIND, ids=named(FUNCTIONS_OF_A_KIND))
def test_an_endless_loop_ends(exercise, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", 0.1)
    verdict = judge(exercise.name, endless)
    assert verdict.state == "wrong" and "did not finish within 2 seconds" in verdict.message


def test_an_endless_loop_ends_after_two_seconds():
    start = time.monotonic()
    judge(FUNCTIONS[0].name, endless)
    assert 1.9 < time.monotonic() - start < 8


@pytest.mark.parametrize("exercise", FUNCTIONS_OF_A_KIND, ids=named(FUNCTIONS_OF_A_KIND))
def test_the_probes_are_untouched_by_a_function_that_spoils_them(exercise):
    judge(exercise.name, spoils_its_arguments)
    assert judge(exercise.name, exercise.solution).state == "right"


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=named(FUNCTIONS))
def test_lists_and_tensors_with_the_right_numbers_are_right(exercise):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    solution = exercise.solution
    assert judge(exercise.name, lambda *a: np.asarray(solution(*a)).tolist()).state == "right"
    assert judge(exercise.name, lambda *a: torch.tensor(np.asarray(solution(*a)))).state == "right"


STRANGE = {
    "a little more": lambda right: right + 0.37,
    "a tenth more": lambda right: right * 1.1,
    "turned round": lambda right: right[..., ::-1] * 0.9 + 0.05,
    "a root": lambda right: np.sqrt(np.abs(right)) + 0.01,
}


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=named(FUNCTIONS))
def test_a_mistake_that_is_not_in_the_catalogue_gets_no_name(exercise, strange):
    def answer(*arguments):
        return STRANGE[strange](np.atleast_1d(np.asarray(exercise.solution(*arguments), dtype=float)))

    verdict = judge(exercise.name, answer)
    assert (verdict.state, verdict.mistakes) == ("wrong", ())
    assert len(verdict.message.splitlines()[0]) > 30


def test_every_entry_and_every_way_of_every_table_is_used():
    runs = [m.run for e in EXERCISES for m in (*e.mistakes, *e.notes)]
    made = {tuple(map(tuple, run.edits)) for run in runs if isinstance(run, edits.Variant)}
    used = {m.name for e in EXERCISES for m in (*e.mistakes, *e.notes)}
    for path in edits.tables():
        family, entries = edits.table(path)
        for (_, name), entry in entries.items():
            assert entry.get("as", f"{family}/{name}") in used, f"{path}.toml: no exercise has {name}"
            for way in entry.get("ways", ()):
                assert tuple(map(tuple, edits.as_pairs(way))) in made, f"{path}.toml, {name}: {way} fits no answer"


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=named(FUNCTIONS))
def test_every_two_mistakes_make_code_that_can_be_compiled(exercise):
    for answer in pairs.both(exercise).values():
        compile(answer.source, exercise.name, "exec", dont_inherit=True)
