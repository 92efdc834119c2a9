"""All there is to practise: the questions of the bank and the drills, and what a mock interview is made of."""

import functools
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from course_utils.interview.bank import TYPES, filled
from course_utils.interview.drills import debugging, estimates, hand
from course_utils.interview.drills.drill import topic_of
from course_utils.interview.drills.quantities import ESTIMATES
from course_utils.interview.drills.subjects import subjects

DRILLS = ("debug", "estimate", "by hand", "implement")
MOCKS = (20, 45, 60)  # minutes


class Item(NamedTuple):
    """``make(rng, last)`` gives the question, or a fresh drill whose planted mistake is not ``last``."""

    name: str
    topic: str
    type: str
    level: int
    minutes: int
    lesson: str
    make: Callable


def items(questions):
    """Every item by name, easiest first, the types of a level in turns."""
    found = [_item(question, lambda rng, last, question=question: filled(question)) for question in questions.values()]
    for subject in subjects().values():
        found.append(_item(debugging.implement(subject), lambda rng, last, s=subject: debugging.implement(s)))
        facts = debugging.facts(subject)
        found.append(Item(**facts, topic=topic_of(facts["lesson"]), make=functools.partial(debugging.debug, subject)))
    for kind in ESTIMATES:
        make = lambda rng, last, kind=kind: estimates.make(kind, rng)
        found.append(_item(estimates.make(kind, np.random.default_rng(0)), make))
    for kind in hand.BY_HAND:
        make = lambda rng, last, kind=kind: hand.make(kind, rng)
        found.append(_item(hand.make(kind, np.random.default_rng(0)), make))
    return {item.name: item for item in _in_turns(found)}


def _item(thing, make):
    return Item(thing.name, thing.topic, thing.type, thing.level, thing.minutes, thing.lesson, make)


def _in_turns(found):
    """Sorted by level; within one, the first of each type, then the second of each."""
    count = Counter()
    keyed = []
    for item in sorted(found, key=lambda item: (item.level, item.name)):
        count[item.level, item.type] += 1
        keyed.append(((item.level, count[item.level, item.type], TYPES.index(item.type)), item))
    return [item for _, item in sorted(keyed, key=lambda pair: pair[0])]


def mock(found, minutes, rng):
    """Names for an interview of that length: types, topics and levels mixed, easier ones first."""
    chosen, left = [], minutes
    names = [str(name) for name in rng.permutation(sorted(found))]
    while True:
        fits = [found[name] for name in names if found[name].minutes <= left and found[name] not in chosen]
        if not fits:
            break
        used = [Counter(getattr(item, field) for item in chosen) for field in ("type", "topic", "level")]
        best = min(fits, key=lambda item: (used[0][item.type], used[1][item.topic], used[2][item.level]))
        chosen.append(best)
        left -= best.minutes
    return [item.name for item in sorted(chosen, key=lambda item: item.level)]
