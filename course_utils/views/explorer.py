"""The explorer of lesson 00: two layers, one sentence, and what changes when a word does."""

import numpy as np
import traitlets as T

from course_utils.core import explorer
from course_utils.core.masks import causal_mask
from course_utils.views.tables import named, weight_table
from course_utils.views.widget import Row, Widget

EXAMPLES = ["tired", "wide"]
SHUFFLED = [10, 3, 7, 0, 5, 9, 1, 6, 2, 8, 4]  # one fixed disorder: the adjective first, "it" third


class Explorer(Widget):
    """The two-layer model of ``core.explorer``, computed in the browser; every setting can be set from Python too.

    layer 1 or 2, focus a word ("it") or its place in the sentence from 0, example "tired" or "wide", sharpness
    0.2 to 5 (it multiplies the scaled scores in both layers), causal, shuffle (one fixed order of the words).
    """

    layer = T.Int(1, min=1, max=2).tag(sync=True)
    focus = Row(7).tag(sync=True)
    example = T.Enum(EXAMPLES, "tired").tag(sync=True)
    sharpness = T.Float(1.0, min=0.2, max=5.0).tag(sync=True)
    causal = T.Bool(False).tag(sync=True)
    shuffle = T.Bool(False).tag(sync=True)

    # What the browser computes with.
    sentences = T.Dict().tag(sync=True)  # {example: words}
    embedded = T.Dict().tag(sync=True)  # {example: rows of features}
    layers = T.List().tag(sync=True)  # [{W_Q, W_K, W_V}] of each layer
    shuffled = T.List(SHUFFLED).tag(sync=True)

    def __init__(self, predict="", **settings):
        sentences = {example: explorer.sentence(example) for example in EXAMPLES}
        super().__init__(
            predict=predict,
            sentences=sentences,
            embedded={example: explorer.embed(words).tolist() for example, words in sentences.items()},
            layers=[
                {name: matrix.tolist() for name, matrix in layer._asdict().items()}
                for layer in explorer.layers()
            ],
            **settings,
        )

    def rows(self):
        """The words that ``focus`` may be, with their places; the last word is "tired" or "wide"."""
        words = explorer.sentence(self.example)
        return [*((word, place) for place, word in enumerate(words)), *((word, 10) for word in EXAMPLES)]

    def shown(self):
        """The words in their present order, the present layer's weights, and the mask or None."""
        words = explorer.sentence(self.example)
        words = [words[place] for place in SHUFFLED] if self.shuffle else words
        weights = explorer.run(words, causal=self.causal, sharpness=self.sharpness)[self.layer - 1]
        return words, weights, causal_mask(len(words)) if self.causal else None

    def twin(self):
        words, weights, mask = self.shown()
        order = SHUFFLED if self.shuffle else list(range(len(words)))
        adjective, focus = order.index(len(words) - 1), order.index(self.focus)
        pairs = weights.size
        computed = f"{len(words)} × {len(words)} = {pairs} in this layer, {2 * pairs} in both"
        if self.causal:
            needed = int(np.count_nonzero(mask))
            computed = f"{needed} of {pairs} needed in this layer, {2 * needed} in both"
        title = f'Layer {self.layer}, example "{self.example}", sharpness {self.sharpness:.1f}'
        title += ", causal mask" * self.causal + ", shuffled" * self.shuffle
        path = path_length(mask, adjective, focus, words)
        notes = f"Scores computed: {computed}.", f"Path length from {named(words, adjective)}: {path}."
        return weight_table(weights, words, words, mask=mask, focus=focus, title=title, notes=notes)

    def summary(self):
        return f"layer {self.layer}, example {self.example}"


def path_length(mask, source, target, words):
    """How many layers a word's content needs to reach another, as the widget says it: "1", or why there is none."""
    reached, steps = {source}, 0
    while target not in reached:
        further = reached | {i for i in range(len(words)) if any(mask is None or mask[i, j] for j in reached)}
        if further == reached:
            return f"none: the mask hides {named(words, source)} from {named(words, target)}"
        reached, steps = further, steps + 1
    return "0 (the word itself)" if steps == 0 else str(steps)
