"""The cut tool: a trained model of two layers whose edges in layer 1 can be cut, and what that costs."""

import numpy as np
import traitlets as T

from course_utils.core import pronoun
from course_utils.core.pronoun import IT, LENGTH, Weights, sentence
from course_utils.views.tables import first_three, focus_sentence, named, weight_table
from course_utils.views.widget import Row, Widget

SENTENCES = [
    sentence("animal", "street", "tired"),
    sentence("animal", "street", "wide"),
    sentence("road", "dog", "lazy", "leave"),
    sentence("road", "dog", "narrow", "leave"),
]


class CutTool(Widget):
    """Both layers of trained models on a sentence; a cut in layer 1, and the accuracy on sentences held out.

    weights   ``core.pronoun.Weights`` of NumPy arrays, several models of two layers in front. They are used rounded
              to four digits.
    model     which of them, from 1. chosen: which sentence, from 0.
    cuts      edges of layer 1 that are cut: [row, column] each, from 0. A cut holds in every sentence.
    """

    words = T.List(pronoun.WORDS).tag(sync=True)
    models = T.List().tag(sync=True)  # {embedding, W_Q, W_K, W_V} of each
    sentences = T.List(SENTENCES).tag(sync=True)
    tested = T.List().tag(sync=True)  # the sentences held out, as numbers of words
    referents = T.List().tag(sync=True)
    places = T.Dict({"it": IT, "nouns": list(pronoun.NOUNS), "adjective": pronoun.ADJECTIVE}).tag(sync=True)

    model = T.Int(1).tag(sync=True)
    chosen = Row(0).tag(sync=True)
    cuts = T.List().tag(sync=True)

    def __init__(self, weights, *, held_out=300, predict="", **settings):
        if np.ndim(weights.embedding) != 3 or np.shape(weights.W_Q)[1] != 2:
            raise ValueError(
                "weights needs several models of two layers, embedding (models, words, d) and W_Q (models, 2, d, d), "
                f"but embedding is {np.shape(weights.embedding)} and W_Q is {np.shape(weights.W_Q)}"
            )
        self._weights = Weights(*(np.asarray(array, dtype=float).round(4) for array in weights))
        self._test = pronoun.pairs(held_out, held_out=True, seed=1)
        models = [
            {name: array.tolist() for name, array in pronoun.one(self._weights, place)._asdict().items()}
            for place in range(len(weights.embedding))
        ]
        super().__init__(
            models=models, tested=self._test.words.tolist(), referents=self._test.referent.tolist(),
            predict=predict, **settings,
        )  # fmt: skip

    @T.validate("model", "cuts")
    def _fits(self, proposal):
        name, given = proposal["trait"].name, proposal["value"]
        if name == "model" and not 1 <= given <= len(self.models):
            raise T.TraitError(f"model needs a number from 1 to {len(self.models)}, but it is {given}")
        if name == "cuts":
            given = [list(edge) for edge in given]
            for edge in given:
                if len(edge) != 2 or not all(isinstance(x, int) and 0 <= x < LENGTH for x in edge):
                    raise T.TraitError(f"cuts needs edges [row, column] from 0 to 10, but one is {edge}")
        return given

    def rows(self):
        """The sentences that ``chosen`` may be, with their places."""
        return [(" ".join(words), place) for place, words in enumerate(self.sentences)]

    def mask(self):
        """Who may look at whom, (2, 11, 11): all but the cuts in layer 1."""
        mask = np.ones((2, LENGTH, LENGTH), dtype=bool)
        for i, j in self.cuts:
            mask[0, i, j] = False
        return mask

    def shown(self):
        """The weights of both layers on the chosen sentence, two (11, 11)."""
        words = pronoun.numbers(self.sentences[self.chosen])
        return [layer[0] for layer in pronoun.read(self._model(), words[None], mask=self.mask())]

    def accuracy(self, mask=None):
        """The part of the sentences held out in which "it" finds its noun, with the cuts (or another mask)."""
        mask = self.mask() if mask is None else mask
        return float(
            pronoun.accuracy(pronoun.read(self._model(), self._test.words, mask=mask)[-1], self._test.referent)
        )

    def says(self):
        """The three sentences under the maps. The same words as in depth.js."""
        words = self.sentences[self.chosen]
        whole = self.accuracy(np.ones((2, LENGTH, LENGTH), dtype=bool))
        edges = [f"{named(words, i)} to {named(words, j)}" for i, j in self.cuts]
        row = focus_sentence(self.shown()[1], words, words, focus=IT)
        return [
            f"Cut in layer 1: {first_three(edges) if edges else 'nothing'}.",
            f"In layer 2, {row}",
            f"Accuracy on {len(self.tested)} sentences held out: {self.accuracy():.3f}, uncut {whole:.3f}.",
        ]

    def twin(self):
        words = self.sentences[self.chosen]
        first, second = self.shown()
        title = f"Model {self.model}, layer"
        return weight_table(first, words, words, mask=self.mask()[0], focus=IT, title=f"{title} 1") + weight_table(
            second, words, words, focus=IT, title=f"{title} 2", notes=self.says()
        )

    def summary(self):
        return f"model {self.model} of {len(self.models)}, {len(self.cuts)} cuts"

    def _model(self):
        return pronoun.one(self._weights, self.model - 1)
