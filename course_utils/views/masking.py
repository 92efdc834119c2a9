"""A mask to edit, five ways to apply it, and a test that shows what each of them lets through."""

import numpy as np
import traitlets as T

from course_utils.core.masks import causal_mask, document_mask, window_mask
from course_utils.core.scores import softmax
from course_utils.views import inputs
from course_utils.views.tables import first_three, named, weight_table
from course_utils.views.widget import Row, Widget

MOST_WORDS = 12
STILL = 1e-9  # an output that differs by less has not moved: renormalising rounds
BEFORE, SCORE_0, SCORE_10 = "-inf before the softmax", "score 0", "score -10"
AFTER, RENORMALISED = "zero after the softmax", "zero after, renormalised"
# What each way does, and what becomes of a row that may look at nothing.
WAYS = {
    BEFORE: (
        "A masked score becomes -inf, so its weight is exp(-inf) = 0, and the others share the whole 1.",
        "its weights are all 0 here; by hand they are 0 / 0, NaN.",
    ),
    SCORE_0: (
        "A masked score becomes 0, so it still has a weight: exp(0) = 1 before the division.",
        "all its scores are 0, and so it looks at every key alike.",
    ),
    SCORE_10: (
        "A masked score becomes -10, so its weight is small, but not 0: exp(-10) is 0.000045.",
        "all its scores are -10, and so it looks at every key alike.",
    ),
    AFTER: (
        "All scores go through the softmax, then masked weights become 0. The rest is left as it is.",
        "its weights are all 0.",
    ),
    RENORMALISED: (
        "All scores go through the softmax, masked weights become 0, then each row is divided by its sum.",
        "its weights are 0 / 0, NaN.",
    ),
}


class MaskEditor(Widget):
    """Weights under a mask that can be edited, applied in one of five ways; leaks are outlined and said in words.

    query, key  (n, d_k), value (n, d_v); the scores are query keyᵀ / sqrt(d_k). At most 12 words.
    words       the n words; "t1", "t2", ... if left out.
    rule        "none", "causal", "window" (causal, ``window`` keys with its own) or "documents" (rows see their own
                document only; give ``documents``, one number for each word).
    pads        how many of the last words are padding, which nobody may look at; combines with the rule.
    flips       cells turned by hand, [row, column] each: what the rule allows is hidden there, or the reverse.
    how         a key of ``WAYS``: "-inf before the softmax", "score 0", "score -10", "zero after the softmax" or
                "zero after, renormalised".
    changed     the word of the leak test, the last if left out: it gets another key and value, and no row that may
                not see it should move.

    All but the arrays, words and documents can be set later, from Python or by the controls.
    """

    words = T.List(T.Unicode()).tag(sync=True)
    query = T.List().tag(sync=True)
    key_vectors = T.List().tag(sync=True)  # not "keys": that name is taken by ipywidgets
    value = T.List().tag(sync=True)
    other_key = T.List().tag(sync=True)  # what the changed word gets in the leak test
    other_value = T.List().tag(sync=True)
    documents = T.List().tag(sync=True)
    rules = T.List().tag(sync=True)
    ways = T.Dict(WAYS).tag(sync=True)

    rule = T.Unicode("causal").tag(sync=True)
    window = T.Int(2).tag(sync=True)
    pads = T.Int(0).tag(sync=True)
    flips = T.List().tag(sync=True)
    how = T.Unicode(BEFORE).tag(sync=True)
    changed = Row(0).tag(sync=True)
    row = Row(0).tag(sync=True)
    column = Row(0).tag(sync=True)

    def __init__(self, query, key, value, words=None, *, documents=None, predict="", **settings):
        query, key, value = (_rows(name, array) for name, array in (("query", query), ("key", key), ("value", value)))
        n = len(query)
        words = [f"t{i + 1}" for i in range(n)] if words is None else inputs.words("words", words)
        if not 2 <= n <= MOST_WORDS:
            raise ValueError(f"a mask to edit needs 2 to {MOST_WORDS} words, but query has {n} rows")
        if not len(key) == len(value) == len(words) == n:
            raise ValueError(
                "query, key, value and words need one row for each word, "
                f"but there are {n}, {len(key)}, {len(value)} and {len(words)}"
            )
        if query.shape[1] != key.shape[1]:
            raise ValueError(
                f"query and key need the same last size d_k, but query is {query.shape} and key is {key.shape}"
            )
        documents = [] if documents is None else np.asarray(documents).tolist()
        if documents and len(documents) != n:
            raise ValueError(f"documents needs one number for each of the {n} words, but it has {len(documents)}")
        generator = np.random.default_rng(0)
        super().__init__(
            words=words, query=query.tolist(), key_vectors=key.tolist(), value=value.tolist(),
            other_key=(generator.standard_normal(key.shape[1]) * (1 + key.std())).round(2).tolist(),
            other_value=(generator.standard_normal(value.shape[1]) * (1 + value.std())).round(2).tolist(),
            documents=documents, rules=["none", "causal", "window", *["documents"] * bool(documents)],
        )  # fmt: skip
        settings = {"window": min(2, n), "changed": n - 1} | settings
        unknown = set(settings) - {"rule", "window", "pads", "flips", "how", "changed", "row", "column"}
        if unknown:
            raise TypeError(f"a mask editor has no setting {min(unknown)!r}")
        for name, setting in settings.items():
            setattr(self, name, setting)
        self.predict = predict

    @T.validate("rule", "how", "window", "pads", "flips")
    def _fits(self, proposal):
        name, given = proposal["trait"].name, proposal["value"]
        n = len(self.words)
        choices = {"rule": self.rules, "how": list(WAYS)}.get(name)
        if choices and given not in choices:
            more = "; give documents=, one number for each word" * (given == "documents")
            raise T.TraitError(f"{name} needs one of {', '.join(choices)}, but it is {given!r}{more}")
        least, most = {"window": (1, n), "pads": (0, n - 1)}.get(name, (0, 0))
        if name in ("window", "pads") and not least <= given <= most:
            raise T.TraitError(f"{name} needs a whole number from {least} to {most}, but it is {given}")
        if name == "flips":
            given = [list(cell) for cell in given]
            wrong = [c for c in given if len(c) != 2 or not all(isinstance(x, int) and 0 <= x < n for x in c)]
            if wrong:
                raise T.TraitError(f"flips needs cells [row, column] from 0 to {n - 1}, but one is {wrong[0]}")
        return given

    def rows(self):
        """The words that ``row``, ``column`` and ``changed`` may be, with their places."""
        return [(word, place) for place, word in enumerate(self.words)]

    def mask(self):
        """Who may look at whom now: boolean (n, n), True = may look."""
        n = len(self.words)
        allowed = {
            "none": lambda: np.ones((n, n), dtype=bool),
            "causal": lambda: causal_mask(n),
            "window": lambda: window_mask(n, self.window),
            "documents": lambda: document_mask(self.documents),
        }[self.rule]()
        allowed = allowed & (np.arange(n) < n - self.pads)
        for i, j in self.flips:
            allowed[i, j] = not allowed[i, j]
        return allowed

    def shown(self, other=False):
        """The weights and the output now; with ``other``, after the changed word got another key and value."""
        key, value = np.array(self.key_vectors), np.array(self.value)
        if other:
            key[self.changed], value[self.changed] = self.other_key, self.other_value
        scores = np.array(self.query) @ key.T / np.sqrt(key.shape[1])
        weights = masked_weights(scores, self.mask(), self.how)
        return weights, weights @ value

    def leak_test(self):
        """What the leak test finds, in words. The same words as in masking.js."""
        mask, (weights, output), (_, other) = self.mask(), self.shown(), self.shown(other=True)
        who = named(self.words, self.changed)
        blind = np.flatnonzero(~mask[:, self.changed])
        start = f"Leak test: {who} gets another key and value. "
        if not len(blind):
            return f"{start}Every row may see it: there is nothing to test."
        shift = np.abs(other - output)
        shift = np.where(np.isnan(output) & np.isnan(other), 0, shift).max(axis=1)
        moved = [i for i in blind if not shift[i] <= STILL]
        if not moved:
            stay = f"The {len(blind)} rows that may not see it stay as they are."
            return start + (stay if len(blind) > 1 else "The row that may not see it stays as it is.")
        far = [f"{shift[i]:.3f}" for i in moved]
        far = ["less than 0.001" if text == "0.000" else text for text in far]
        names = [f"{named(self.words, i)} (by {text})" for i, text in zip(moved, far, strict=True)]
        says = f"{len(moved)} of {len(blind)} rows that may not see it move: {first_three(names)}."
        if not weights[moved, self.changed].any():
            says += " No weight on it is left there, but its score is still in the sum they were divided by."
        return start + says

    def says(self):
        """What is to be said about the map, a list of sentences."""
        mask, (weights, _) = self.mask(), self.shown()
        hidden = np.count_nonzero(~mask)
        told = [WAYS[self.how][0]]
        if not hidden:
            told.append("The mask hides nothing.")
        elif (weights[~mask] == 0).all():  # and none is NaN
            told.append("No weight where the mask says no.")
        empty = [named(self.words, i) for i in np.flatnonzero(~mask.any(axis=1))]
        if empty:
            told.append(f"{first_three(empty)} may look at nothing: {WAYS[self.how][1]}")
        return told

    def twin(self):
        mask, (weights, _) = self.mask(), self.shown()
        title = f"Mask: {self.rule}" + f" of {self.window}" * (self.rule == "window")
        title += f", pads: {self.pads}" * (self.pads > 0)
        title += f", cells by hand: {len(self.flips)}" * (self.flips != [])
        sums = f"Row sums: {', '.join(f'{total:.3f}' for total in weights.sum(axis=1))}."
        return weight_table(
            weights, self.words, self.words, mask=mask, focus=self.row, title=f"{title}; {self.how}",
            notes=(sums, *self.says(), self.leak_test()),
        )  # fmt: skip

    def summary(self):
        return f"{len(self.words)} words, {self.rule}, {self.how}"


def masked_weights(scores, mask, how):
    """Weights (n_q, n_k) from scaled scores, with the mask applied in one of the five ``WAYS``."""
    if how in (AFTER, RENORMALISED):
        kept = softmax(scores) * mask
        with np.errstate(invalid="ignore"):
            return kept / kept.sum(axis=-1, keepdims=True) if how == RENORMALISED else kept
    return softmax(np.where(mask, scores, {BEFORE: -np.inf, SCORE_0: 0.0, SCORE_10: -10.0}[how]))


def _rows(name, given):
    shape = inputs.shape_of(name, given)
    if len(shape) != 2:
        raise ValueError(
            f"{name} needs two axes, one row for each word, but it is {shape}; choose one head of one text"
        )
    return inputs.finite(name, given, shape, "one row for each word", "give finite vectors")
