"""Words to drag: whether the map of attention only moves with them, or changes."""

import math

import numpy as np
import traitlets as T

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.masks import causal_mask
from course_utils.core.positions import rotate
from course_utils.views import inputs
from course_utils.views.tables import named, weight_table
from course_utils.views.widget import Row, Widget

# The same limit and words as in static/order.js.
MOVED = 1e-6  # a weight that differs by more has changed
FIRST = "This is the first order. Move a word, and see what its row does."


class Order(T.List):
    """Every place of the first order once: ``[2, 1, 0]`` says that the third word comes first now."""

    def validate(self, widget, value):
        order = [int(place) for place in super().validate(widget, value)]
        if sorted(order) != list(range(len(widget.words))):
            raise T.TraitError(f"order needs each place from 0 to {len(widget.words) - 1} once, but it is {order}")
        return order


class OrderMap(Widget):
    """Attention weights of a sentence whose words can be put in another order, by drag or by arrow keys.

    query, key  (n, d): what each word asks with and is found by, without positions. d is even.
    words       the n words in their first order.
    order       the places of the first order, as they stand now.
    causal      True hides the future. positions True turns query and key by their place (rotary).
    sharpness   0 to 5. focus is a word, by its place in the first order or as a text: its row is marked.

    The last five can be set later, from Python or by the controls. A sentence says which rows have changed, and not
    only moved: compared is with the first order under the same settings.
    """

    words = T.List(T.Unicode()).tag(sync=True)
    query = T.List().tag(sync=True)
    key_vectors = T.List().tag(sync=True)  # not "keys": that name is taken by ipywidgets
    order = Order().tag(sync=True)
    causal = T.Bool(False).tag(sync=True)
    positions = T.Bool(False).tag(sync=True)
    sharpness = T.Float(1.0, min=0.0, max=5.0).tag(sync=True)
    focus = Row(0).tag(sync=True)

    def __init__(
        self, query, key, words, *, order=None, causal=False, positions=False, sharpness=1.0, focus=0, predict=""
    ):
        words = inputs.words("words", words)
        shape = inputs.shape_of("query", query)
        width = shape[-1] if len(shape) == 2 else 0
        if width < 2 or width % 2:
            raise ValueError(f"query needs shape (n, d) with an even d, one row for each word, but it is {shape}")
        meaning, remedy = "one row for each word, both equally wide", "give plain numbers"
        query, key = (
            # Rounded, so that the browser computes with the very same numbers.
            inputs.finite(name, array, (len(words), width), meaning, remedy).round(6).tolist()
            for name, array in (("query", query), ("key", key))
        )
        self.words = words  # first, so that order and focus may be checked against them
        super().__init__(
            query=query, key_vectors=key, order=list(range(len(words))) if order is None else list(order),
            causal=causal, positions=positions, sharpness=float(sharpness), focus=focus, predict=predict,
        )  # fmt: skip

    def rows(self):
        """The words that ``focus`` may be, with their places in the first order."""
        return [(word, place) for place, word in enumerate(self.words)]

    def shown(self, order=None):
        """The weights (n, n) in the order as it stands, or in another, and who may look at whom (or None)."""
        order = self.order if order is None else order
        query, key = np.array(self.query)[order], np.array(self.key_vectors)[order]
        if self.positions:
            place = np.arange(len(order))
            query, key = rotate(query, place), rotate(key, place)
        allowed = causal_mask(len(order)) if self.causal else None
        scale = self.sharpness / math.sqrt(query.shape[1])
        return scaled_dot_product_attention(query, key, key, mask=allowed, scale=scale).weights, allowed

    def changed(self, order=None):
        """The places of the rows that differ from the first order's, moved along; and by how much at most."""
        order = self.order if order is None else order
        first, _ = self.shown(list(range(len(order))))
        gaps = np.abs(self.shown(order)[0] - first[np.ix_(order, order)]).max(axis=1)
        return np.flatnonzero(gaps > MOVED).tolist(), float(gaps.max())

    def sentence(self, order=None):
        """What has become of the map, in words."""
        order = self.order if order is None else order
        if order == sorted(order):
            return FIRST
        rows, gap = self.changed(order)
        if not rows:
            return "Every row has moved with its word, and none has changed: A' = P A Pᵀ."
        names = ", ".join(named(self.words, order[place]) for place in rows)
        size = "less than 0.01" if gap < 0.005 else f"by up to {gap:.2f}"
        return f"Changed, and not only moved ({size}): {len(rows)} of {len(order)} rows, {names}."

    def twin(self):
        return self._table(self.order) + (self._table(self.order[::-1]) if self.sentence() == FIRST else "")

    def _table(self, order):
        weights, allowed = self.shown(order)
        words = [self.words[place] for place in order]
        settings = [name for name in ("causal", "positions") if getattr(self, name)]
        title = f"{' '.join(words)} ({', '.join(settings) or 'no mask, no positions'})"
        return weight_table(
            weights, words, words, mask=allowed, focus=order.index(self.focus), title=title,
            notes=[self.sentence(order)],
        )  # fmt: skip

    def summary(self):
        return f"{len(self.words)} words"
