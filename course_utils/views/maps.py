"""A map of attention: who looks where, alive in the browser."""

import numpy as np
import traitlets as T

from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.views import inputs
from course_utils.views.tables import weight_table
from course_utils.views.widget import Row, Widget

MEANING = "one row for each query and one column for each key"


class WeightMap(Widget):
    """Attention weights as a table of numbers and colours, with the truth about masks.

    Give *either* ``scores`` or ``weights``, both (n_q, n_k):

    scores   scaled scores. The browser masks them and takes the softmax of scores * sharpness; there are
             controls for the sharpness and the causal mask. They must be finite.
    weights  fixed numbers, as someone's function returned them: shown as they are, NaN and leaks too.
    queries  the words of the rows; keys, the words of the columns, are the same unless given.
    mask     boolean (n_q, n_k), True = may look. Weight where it says no is a **leak**, and said in words.
    causal   True hides the future; aligned bottom-right, as ``causal_mask`` (scores only).

    ``focus`` (a place or a word), ``sharpness`` (0 to 5) and ``causal`` can be set later, from Python or by the
    controls. For other numbers make another map.
    """

    title = T.Unicode().tag(sync=True)
    query_words = T.List(T.Unicode()).tag(sync=True)
    key_words = T.List(T.Unicode()).tag(sync=True)  # not "keys": that name is taken by ipywidgets
    scores = T.Any(None, allow_none=True).tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    weights = T.Any(None, allow_none=True).tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    mask = T.Any(None, allow_none=True).tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    sharpness = T.Float(1.0, min=0.0, max=5.0).tag(sync=True)
    causal = T.Bool(False).tag(sync=True)
    focus = Row(0).tag(sync=True)

    def __init__(
        self,
        scores=None,
        queries=None,
        keys=None,
        *,
        weights=None,
        mask=None,
        causal=False,
        sharpness=1.0,
        focus=0,
        title="Attention weights",
        predict="",
    ):
        if (scores is None) == (weights is None):
            given = "neither is given" if scores is None else "both are given"
            raise ValueError(f"a map needs either scores or weights, but {given}: leave one out, give the other")
        if weights is not None and (causal or sharpness != 1.0):
            raise ValueError("weights are shown as they are: give causal and sharpness with scores, or use mask=")
        queries = inputs.words("queries", () if queries is None else queries)
        keys = queries if keys is None else inputs.words("keys", keys)
        shape = len(queries), len(keys)
        if scores is not None:
            scores = inputs.finite("scores", scores, shape, MEANING, "hide a key with mask= instead")
        else:
            weights = inputs.matrix("weights", weights, shape, MEANING)
        mask = None if mask is None else inputs.mask(mask, shape, MEANING)
        self.query_words = queries  # first, so that focus may be one of them
        super().__init__(
            key_words=keys, scores=scores, weights=weights, mask=mask, sharpness=float(sharpness),
            causal=causal, focus=focus, title=title, predict=predict,
        )  # fmt: skip

    def rows(self):
        """The words that ``focus`` may be, with their places."""
        return [(word, place) for place, word in enumerate(self.query_words)]

    def shown(self):
        """The weights on the page now and who may look at whom: two arrays (n_q, n_k), the second may be None."""
        if self.weights is not None:
            return self.weights, self.mask
        allowed = causal_mask(len(self.query_words), len(self.key_words)) if self.causal else None
        if self.mask is not None:
            allowed = self.mask if allowed is None else allowed & self.mask
        scores = self.scores * self.sharpness
        return softmax(scores if allowed is None else np.where(allowed, scores, -np.inf)), allowed

    def twin(self):
        weights, allowed = self.shown()
        return weight_table(weights, self.query_words, self.key_words, mask=allowed, focus=self.focus, title=self.title)

    def summary(self):
        return f"{len(self.query_words)} queries, {len(self.key_words)} keys"
