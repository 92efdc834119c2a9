"""What the code of a drill may use: the names that are there, how they are called, and how a file gets them."""

import math

import numpy as np

from course_utils.core import scores
from course_utils.core.masks import causal_mask


def softmax(x, axis=-1):
    """The course's softmax, called as you write it on a whiteboard: softmax(x, -1) and softmax(x, axis=-1)."""
    return scores.softmax(x, axis=axis)


NAMES = {"np": np, "math": math, "softmax": softmax, "causal_mask": causal_mask}
CALLED = {"softmax": "softmax(x, axis=-1)", "causal_mask": "causal_mask(n_queries, n_keys)"}
IMPORTS = {
    "np": "import numpy as np",
    "math": "import math",
    "softmax": "from course_utils.interview.drills.given import softmax",
    "causal_mask": "from course_utils.core.masks import causal_mask",
}


def told(names):
    """ "There are `np` and `softmax(x, axis=-1)`." """
    called = [f"`{CALLED.get(name, name)}`" for name in names]
    if len(called) == 1:
        return f"There is {called[0]}."
    return f"There are {', '.join(called[:-1])} and {called[-1]}."


def imports(names):
    """The lines that give these names in a file."""
    return sorted((IMPORTS[name] for name in names), key=lambda line: line.startswith("from"))
