"""All heads side by side: one word's row in each of them, and one head large."""

import numpy as np
import traitlets as T

from course_utils.views import inputs
from course_utils.views.tables import focus_sentence, named, plain_table, weight_table
from course_utils.views.widget import Row, Widget

MOST_HEADS, MOST_WORDS = 16, 24
MEAN = "mean of the heads"
NO_HEAD = (
    "The mean of the heads is no head: the model never averages weights, it joins the heads' outputs and "
    "multiplies by W_O."
)


class HeadGrid(Widget):
    """A small map of each head, the same row lit in all, and the chosen head large with its numbers.

    weights  (n_heads, n_q, n_k) as someone's function returned them: shown as they are. 1 to 16 heads, at most
             24 words on a side.
    words    the words of the rows; keys, the words of the columns, are the same unless given.
    names    of the heads; "head 0", "head 1", ... if left out.
    mask     boolean (n_q, n_k), True = may look, the same for all heads. Weight where it says no is a **leak**.
    mean     True adds one more map, the mean of the heads, which is no head.

    ``head`` (its place from 0; the mean is the last) and ``focus`` (a place or a word) can be set later.
    """

    query_words = T.List(T.Unicode()).tag(sync=True)
    key_words = T.List(T.Unicode()).tag(sync=True)  # not "keys": that name is taken by ipywidgets
    names = T.List(T.Unicode()).tag(sync=True)  # with the mean, if there is one
    maps = T.List().tag(sync=True, to_json=lambda maps, _: [inputs.rows(weights) for weights in maps])
    mask = T.Any(None, allow_none=True).tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    mean = T.Bool(False).tag(sync=True)
    no_head = T.Unicode(NO_HEAD).tag(sync=True)
    head = T.Int(0).tag(sync=True)
    focus = Row(0).tag(sync=True)

    def __init__(self, weights, words, *, names=None, keys=None, mask=None, mean=False, head=0, focus=0, predict=""):
        words = inputs.words("words", words)
        keys = words if keys is None else inputs.words("keys", keys)
        size = len(words), len(keys)
        if max(size) > MOST_WORDS:
            raise ValueError(
                f"a grid of heads shows at most {MOST_WORDS} words on a side, but there are {max(size)}: "
                f"choose some, weights[:, :{MOST_WORDS}, :{MOST_WORDS}]"
            )
        shape = inputs.shape_of("weights", weights)
        count = shape[0] if len(shape) == 3 else 0
        if not 1 <= count <= MOST_HEADS:
            raise ValueError(
                f"weights needs the shape (n_heads, n_q, n_k) with 1 to {MOST_HEADS} heads, "
                f"but it is {shape}; of a batch choose one, weights[0]"
            )
        meaning = "one row for each query and one column for each key in every head"
        maps = [inputs.matrix(f"weights[{i}]", weights[i], size, meaning) for i in range(count)]
        names = [f"head {i}" for i in range(count)] if names is None else inputs.words("names", names)
        if len(names) != count:
            raise ValueError(f"names needs one name for each of the {count} heads, but it has {len(names)}")
        if mean:
            maps, names = [*maps, np.mean(maps, axis=0)], [*names, MEAN]
        super().__init__(
            query_words=words, key_words=keys, names=names, maps=maps, mean=mean, predict=predict,
            mask=None if mask is None else inputs.mask(mask, size, "one row for each query, one column for each key"),
        )  # fmt: skip
        self.head, self.focus = head, focus

    @T.validate("head")
    def _one_of_the_heads(self, proposal):
        last = len(self.names) - 1
        if not 0 <= proposal["value"] <= last:
            raise T.TraitError(f"head needs a place from 0 to {last}, but it is {proposal['value']}")
        return proposal["value"]

    def rows(self):
        """The words that ``focus`` may be, with their places."""
        return [(word, place) for place, word in enumerate(self.query_words)]

    def most(self, head):
        """The key with the largest weight in that head's focus row, and the weight; None where there is none."""
        row = self.maps[head][self.focus]
        if np.isnan(row).any() or not row.max() > 0:
            return None
        return int(row.argmax()), float(row.max())

    def agreement(self):
        """Where the heads look most from the focus row, in one sentence. The same words as in heads.js."""
        counts = {}
        for head in range(len(self.maps) - self.mean):
            most = self.most(head)
            if most:
                counts[most[0]] = counts.get(most[0], 0) + 1
        who = named(self.query_words, self.focus)
        if not counts:
            return f"In no head does {who} look anywhere."
        order = sorted(counts, key=lambda j: (-counts[j], j))
        parts = [f"at {named(self.key_words, j)} in {counts[j]}" for j in order]
        parts = [*parts[:3], f"elsewhere in {sum(counts[j] for j in order[3:])}"] if len(parts) > 3 else parts
        heads = len(self.maps) - self.mean
        return f"Of {heads} head{'s' * (heads > 1)}, {who} looks most {', '.join(parts)}."

    def twin(self):
        lines = []
        for name, weights in zip(self.names, self.maps, strict=True):
            says = focus_sentence(weights, self.query_words, self.key_words, mask=self.mask, focus=self.focus)
            lines.append((name, says))
        title = f"The row of {named(self.query_words, self.focus)} in every head"
        notes = [self.agreement(), *[NO_HEAD] * (self.mean and self.head == len(self.maps) - 1)]
        return plain_table(title, ["head", "where it looks"], lines) + weight_table(
            self.maps[self.head], self.query_words, self.key_words, mask=self.mask, focus=self.focus,
            title=f"Weights: {self.names[self.head]}", notes=notes,
        )  # fmt: skip

    def summary(self):
        heads = len(self.maps) - self.mean
        return f"{heads} head{'s' * (heads > 1)}, {len(self.query_words)} queries, {len(self.key_words)} keys"
