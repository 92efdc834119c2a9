"""What an exercise is made of. Each topic module has a list ``EXERCISES`` of these."""

import functools
import inspect
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import resources

import numpy as np

from course_utils.exercises.engine import guard


@dataclass(frozen=True, eq=False)
class Mistake:
    """A wrong answer with a name: ``name`` is family/name, ``run`` gives it.

    ``what`` and ``ask`` are what the learner reads: what the answer does, and one question that leads on.
    ``exact``: named only if every probe agrees, because the words would not be true of most of them.
    """

    name: str
    what: str
    run: Callable
    exact: bool = False
    ask: str = ""


@dataclass(frozen=True, eq=False)
class Exercise:
    """A question with its right answer and the wrong ones people really give.

    ``solution``  for a function exercise, the function; for a value, a function without arguments that
                  works the value out. Its name is the exercise's.
    ``probes``    argument tuples the learner's function is run on, easiest first; none for a value.
    ``mistakes``, ``alternatives``  wrong answers to recognise, and right ones to accept, of the same form.
    ``notes``     answers that are right on paper and fail on some probe: accepted, with their words as a note.
    ``properties``  ``property(run, arguments, value)`` gives a sentence on what fails, or None.
    ``reads``     what counts of an output, if not its numbers: ``reads(value)`` is compared instead.
    ``hints``, ``covers``  come in steps; and words for the verdict "right": what the probes covered.
    ``given``     the numbers that stand in ``covers`` and the hints as they are, in order; all others are filled in.
                  Where there are no hints, these three and ``lesson`` come from ``exercises.toml`` beside the module.
    ``tolerance`` absolute; numbers in functions are also allowed a relative error of 1e-5.
    """

    solution: Callable
    lesson: str = ""
    hints: Sequence[str] = ()
    probes: Sequence[tuple] = ()
    mistakes: Sequence[Mistake] = ()
    alternatives: Sequence[Callable] = ()
    notes: Sequence[Mistake] = ()
    properties: Sequence[Callable] = ()
    reads: Callable | None = None
    covers: str = ""
    given: str = ""
    tolerance: float = 1e-6
    name: str = ""
    _outcomes: dict = field(default_factory=dict, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "name", self.name or self.solution.__name__)
        if not self.hints:
            for field, words in _words(self.solution.__module__.rpartition(".")[0], self.name).items():
                object.__setattr__(self, field, words)

    @property
    def is_function(self):
        return bool(self.probes)

    @property
    def call(self):
        """How a function exercise is called, for messages: ``soft_lookup(query, keys, values)``."""
        return f"{self.name}{inspect.signature(self.solution)}"

    @functools.cached_property
    def arguments(self):
        """The names of the arguments, in order."""
        return list(inspect.signature(self.solution).parameters)

    def outcome(self, function, arguments, *further):
        """What a function gives on a probe, as the exercise reads it; the rest is ``guard.run``'s."""
        outcome = guard.run(function, arguments, *further)
        if self.reads and isinstance(outcome.value, np.ndarray):
            outcome.value = np.asarray(self.reads(outcome.value), dtype=float)
        return outcome

    @property
    def expected(self):
        """The right outcomes on the probes."""
        return self.outcomes(self.solution)

    def outcomes(self, known):
        """What the solution, or the answer of a mistake or note, gives on the probes; run once."""
        if known not in self._outcomes:
            with np.errstate(all="ignore"):  # whatever the learner has set
                self._outcomes[known] = [self.outcome(known, arguments) for arguments in self.probes]
        return self._outcomes[known]


@functools.cache
def _table(package):
    return tomllib.loads(resources.files(package).joinpath("exercises.toml").read_text(encoding="utf-8"))


def _words(package, name):
    """What an exercise says, from the table of its topic. Raises ValueError that names file, entry and field."""
    table = _table(package)
    entry = table.get(name, {})
    if set(entry) - {"covers", "given"} != {"hints"} or not all(entry.values()):
        raise ValueError(f"{package}, exercises.toml, {name}: hints are needed, and covers and given may be there")
    return {"lesson": table["lesson"], **entry}


def halves(*shapes, seed):
    """Arrays of multiples of one half from -2 to 2, so that a failing input can be read."""
    generator = np.random.default_rng(seed)
    return tuple(generator.integers(-4, 5, shape) / 2 for shape in shapes)
