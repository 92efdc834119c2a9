"""Why sqrt(d_k): one query, a few keys, and what the width and the scale do to the weights."""

import numpy as np
import traitlets as T

from course_utils.core.scores import entropy, softmax, softmax_jacobian
from course_utils.views.tables import plain_table
from course_utils.views.widget import Widget

WIDEST = 1024
RULES = {"none": lambda d_k: 1.0, "1/sqrt(d_k)": lambda d_k: 1 / np.sqrt(d_k), "1/d_k": lambda d_k: 1 / d_k}
# Of 40 draws looked at, one whose spread stays near sqrt(d_k) at every width below: between 0.76 and 1.08 of it.
SEED = 38
# The same widths, limits and words as in static/scaling.js.
WIDTHS = 4, 16, 64, 256, 1024
SATURATED = 0.95  # the largest weight is above this
FLAT = 0.95  # the entropy is above this share of log(n)
VERDICTS = {
    "saturated": "Saturated: one key takes nearly all, and the weights hardly react.",
    "flat": "Nearly flat: every key gets almost the same, whatever the query says.",
    "between": "In between: some keys count more than others, and the weights react.",
}


class Width(T.Int):
    """A power of two from 1 to 1024."""

    def validate(self, widget, value):
        d_k = super().validate(widget, value)
        if not 1 <= d_k <= WIDEST or d_k & (d_k - 1):
            near = 2 ** int(np.clip(np.round(np.log2(max(d_k, 1))), 0, 10))
            raise T.TraitError(f"d_k needs a power of two from 1 to {WIDEST}, but it is {d_k}: try {near}")
        return d_k


class Rule(T.Unicode):
    """What the scores are multiplied by."""

    def validate(self, widget, value):
        if value not in RULES:
            raise T.TraitError(f"rule needs one of {', '.join(RULES)}, but it is {value!r}")
        return value


class ScalingExplorer(Widget):
    """Scores, weights, entropy and gradient of one fixed random query, at any width and under three rules.

    d_k     how many coordinates of query and keys take part: a power of two from 1 to 1024.
    rule    what the scores are multiplied by: "none", "1/sqrt(d_k)" or "1/d_k".
    n_keys  2 to 16 keys. Query and keys are independent, standard normal and 1024 wide, always the same.

    ``d_k`` and ``rule`` can be set later, from Python or by the controls.
    """

    query = T.List().tag(sync=True)
    key_vectors = T.List().tag(sync=True)  # not "keys": that name is taken by ipywidgets
    d_k = Width(64).tag(sync=True)
    rule = Rule("none").tag(sync=True)

    def __init__(self, *, predict="", d_k=64, rule="none", n_keys=8):
        if isinstance(n_keys, bool) or not isinstance(n_keys, int) or not 2 <= n_keys <= 16:
            raise ValueError(f"n_keys needs a whole number from 2 to 16, but it is {n_keys!r}")
        generator = np.random.default_rng(SEED)
        # Rounded, so that the browser computes with the very same numbers and gets few bytes.
        query, *keys = generator.standard_normal((1 + n_keys, WIDEST)).round(3).tolist()
        super().__init__(query=query, key_vectors=keys, d_k=d_k, rule=rule, predict=predict)

    def shown(self, d_k=None, rule=None):
        """The scores after the rule and the weights (n_keys,), as set now or for another width and rule."""
        d_k, rule = d_k or self.d_k, rule or self.rule
        scores = np.array(self.key_vectors)[:, :d_k] @ np.array(self.query)[:d_k] * RULES[rule](d_k)
        return scores, softmax(scores)

    def twin(self):
        scores, weights = self.shown()
        n = len(scores)
        keys = [
            (f"key {i + 1}", f"{score:.2f}", f"{weight:.3f}")
            for i, (score, weight) in enumerate(zip(scores, weights, strict=True))
        ]
        numbers = [
            ("Spread of the scores (std)", f"{scores.std():.2f}"),
            ("Largest weight", f"{weights.max():.3f}"),
            ("Entropy", f"{entropy(weights):.2f} of at most {np.log(n):.2f} nats"),
            ("Gradient", f"{gradient(weights):.4f}"),
        ]
        others = []
        for rule in RULES:
            there = [self.shown(d_k, rule)[1] for d_k in WIDTHS]
            marks = [("▸ " if (d_k, rule) == (self.d_k, self.rule) else "") for d_k in WIDTHS]
            texts = [f"{p.max():.3f}, {gradient(p):.4f}" for p in there]
            others.append([rule, *(mark + text for mark, text in zip(marks, texts, strict=True))])
        widths = ["rule", *(f"d_k = {d_k}" for d_k in WIDTHS)]
        return (
            f"<figure>{plain_table(f'd_k = {self.d_k}, rule: {self.rule}', ['key', 'score', 'weight'], keys)}"
            f"{plain_table('What the weights are like', ['what', 'number'], numbers)}"
            f"{plain_table('Largest weight, gradient', widths, others)}"
            f"<figcaption>{verdict(weights)}<br>Gradient: the norm of diag(p) − p pᵀ, how far the weights move "
            "when the scores move a little.</figcaption></figure>"
        )

    def summary(self):
        return f"{len(self.key_vectors)} keys, d_k {self.d_k}, rule {self.rule}"


def gradient(weights):
    """How much the weights react when the scores move: the Frobenius norm of diag(p) - p pᵀ."""
    return float(np.linalg.norm(softmax_jacobian(weights)))


def verdict(weights):
    """What the weights are like, in one sentence."""
    if weights.max() > SATURATED:
        return VERDICTS["saturated"]
    if entropy(weights) > FLAT * np.log(len(weights)):
        return VERDICTS["flat"]
    return VERDICTS["between"]
