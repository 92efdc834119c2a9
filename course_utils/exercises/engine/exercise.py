"""What an exercise is made of. Each topic module has a list ``EXERCISES`` of these."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
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

    @property
    def text(self):
        return "\n\n".join(filter(None, [self.what, self.ask]))

    @classmethod
    def of(cls, function, *, exact=False):
        """From a function in ``mistakes/``: its module is the family, its docstring the text."""
        family = function.__module__.rpartition(".")[2]
        return cls(f"{family}/{function.__name__}", inspect.getdoc(function), function, exact)


@dataclass(frozen=True)
class Exercise:
    """A question with its right answer and the wrong ones people really give.

    ``solution``  for a function exercise, the function; for a value, a function without arguments that
                  works the value out. Its name is the exercise's.
    ``probes``    argument tuples the learner's function is run on, easiest first; none for a value.
    ``mistakes``, ``alternatives``  wrong answers to recognise, and right ones to accept, of the same form.
    ``notes``     answers that are right on paper and fail on some probe: accepted, with their text as a note.
    ``properties``  ``property(run, arguments, value)`` gives a sentence on what fails, or None.
    ``repairs``   ``repair(*arguments)`` gives arguments that undo a mistake, to see which other one is there, too.
    ``reads``     what counts of an output, if not its numbers: ``reads(value)`` is compared instead.
    ``covers``    words for the verdict "right": what the probes covered.
    ``given``     the numbers that stand in hints and ``covers`` as they are, in order; all others are filled in.
    ``tolerance`` absolute; numbers in functions are also allowed a relative error of 1e-5.
    """

    lesson: str
    solution: Callable
    hints: Sequence[str]
    probes: Sequence[tuple] = ()
    mistakes: Sequence[Callable | Mistake] = ()
    alternatives: Sequence[Callable] = ()
    notes: Sequence[Callable | Mistake] = ()
    properties: Sequence[Callable] = ()
    repairs: Sequence[Callable] = ()
    reads: Callable | None = None
    covers: str = ""
    given: str = ""
    tolerance: float = 1e-6
    name: str = ""

    def __post_init__(self):
        for field in ("mistakes", "notes"):
            entries = [m if isinstance(m, Mistake) else Mistake.of(m) for m in getattr(self, field)]
            object.__setattr__(self, field, entries)
        object.__setattr__(self, "name", self.name or self.solution.__name__)

    @property
    def is_function(self):
        return bool(self.probes)

    @property
    def call(self):
        """How a function exercise is called, for messages: ``soft_lookup(query, keys, values)``."""
        return f"{self.name}{inspect.signature(self.solution)}"


def halves(*shapes, seed):
    """Arrays of multiples of one half from -2 to 2, so that a failing input can be read."""
    generator = np.random.default_rng(seed)
    return tuple(generator.integers(-4, 5, shape) / 2 for shape in shapes)
