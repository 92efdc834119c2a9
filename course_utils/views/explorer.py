"""The explorer of lessons 00 and 09: two layers, one sentence, and what changes when a word does."""

import numpy as np
import traitlets as T

from course_utils.core import explorer, pronoun
from course_utils.core.masks import causal_mask
from course_utils.views.tables import named, weight_table
from course_utils.views.widget import Row, Widget

EXAMPLES = ["tired", "wide"]
SHUFFLED = [10, 3, 7, 0, 5, 9, 1, 6, 2, 8, 4]  # one fixed disorder: the adjective first, "it" third


class Explorer(Widget):
    """The two-layer model of ``core.explorer``, computed in the browser; every setting can be set from Python too.

    layer 1 or 2, focus a word ("it") or its place in the sentence from 0, example "tired" or "wide", sharpness
    0.2 to 5 (it multiplies the scaled scores in both layers), causal, shuffle (one fixed order of the words).

    Other numbers come as arguments: ``keys_read_meaning=True`` makes "wide" a weaker key than "tired";
    ``trained=`` takes one trained model of two layers instead, a ``core.pronoun.Weights``.
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

    def __init__(self, predict="", *, trained=None, keys_read_meaning=False, **settings):
        if trained is not None and keys_read_meaning:
            raise ValueError("keys_read_meaning belongs to the weights set by hand: leave it out with trained=")
        sentences = {example: explorer.sentence(example) for example in EXAMPLES}
        if trained is None:
            embed, layers = explorer.embed, explorer.layers(keys_read_meaning=keys_read_meaning)
        else:
            embed, layers = _one_model(trained)
        self.numbers = "trained" if trained is not None else "keys read the meaning" if keys_read_meaning else ""
        super().__init__(
            predict=predict,
            sentences=sentences,
            embedded={example: embed(words).tolist() for example, words in sentences.items()},
            layers=[{name: matrix.tolist() for name, matrix in layer._asdict().items()} for layer in layers],
            **settings,
        )

    def rows(self):
        """The words that ``focus`` may be, with their places; the last word is "tired" or "wide"."""
        words = explorer.sentence(self.example)
        return [*((word, place) for place, word in enumerate(words)), *((word, 10) for word in EXAMPLES)]

    def order(self):
        """The places of the words, in the order in which they stand now."""
        return SHUFFLED if self.shuffle else list(range(len(SHUFFLED)))

    def shown(self):
        """The words in their present order, the present layer's weights, and the mask or None."""
        words = [self.sentences[self.example][place] for place in self.order()]
        x = np.array([self.embedded[self.example][place] for place in self.order()])
        layers = [explorer.Layer(**{name: np.array(W) for name, W in layer.items()}) for layer in self.layers]
        maps = explorer.maps_of(x, layers, causal=self.causal, sharpness=self.sharpness)
        return words, maps[self.layer - 1], causal_mask(len(words)) if self.causal else None

    def readouts(self):
        """What stands under the map, by name: row sum, scores computed, and path length from the adjective."""
        words, weights, mask = self.shown()
        adjective, focus = self.order().index(len(words) - 1), self.order().index(self.focus)
        pairs = weights.size
        computed = f"{len(words)} × {len(words)} = {pairs} in this layer, {2 * pairs} in both"
        if self.causal:
            needed = int(np.count_nonzero(mask))
            computed = f"{needed} of {pairs} needed in this layer, {2 * needed} in both"
        path = path_length(mask, adjective, focus, words)
        return {"Row Sum": f"{weights[focus].sum():.3f}", "Scores Computed": computed, "Path Length": path}

    def twin(self):
        words, weights, mask = self.shown()
        title = f'Layer {self.layer}, example "{self.example}", sharpness {self.sharpness:.1f}'
        title += ", causal mask" * self.causal + ", shuffled" * self.shuffle
        title += f"; {self.numbers}" * bool(self.numbers)
        told, adjective = self.readouts(), named(words, self.order().index(len(words) - 1))
        notes = (
            f"Scores computed: {told['Scores Computed']}.",
            f"Path length from {adjective}: {told['Path Length']}.",
        )
        focus = self.order().index(self.focus)
        return weight_table(weights, words, words, mask=mask, focus=focus, title=title, notes=notes)

    def summary(self):
        return f"layer {self.layer}, example {self.example}"


def _one_model(weights):
    """How to embed words, and the two layers, as plain matrices."""
    if weights.embedding.ndim != 2 or weights.W_Q.shape[-3] != 2:
        raise ValueError(
            "trained needs the weights of one model of two layers, embedding (words, d) and W_Q (2, d, d), "
            f"but embedding is {tuple(weights.embedding.shape)} and W_Q is {tuple(weights.W_Q.shape)}: "
            "take one, pronoun.one(weights, place)"
        )
    layers = [explorer.Layer(*(np.asarray(W)[0] for W in layer)) for layer in pronoun.layers_of(weights)]
    return lambda words: np.asarray(weights.embedding)[pronoun.numbers(words)], layers


def path_length(mask, source, target, words):
    """How many layers a word's content needs to reach another, as the widget says it: "1", or why there is none."""
    reached, steps = {source}, 0
    while target not in reached:
        further = reached | {i for i in range(len(words)) if any(mask is None or mask[i, j] for j in reached)}
        if further == reached:
            return f"none: the mask hides {named(words, source)} from {named(words, target)}"
        reached, steps = further, steps + 1
    return "0 (the word itself)" if steps == 0 else str(steps)
