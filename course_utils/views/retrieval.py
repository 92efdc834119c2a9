"""Looking something up softly: a query among keys in a plane, and the blend of values that comes back."""

import numpy as np
import traitlets as T

from course_utils.core.scores import softmax
from course_utils.views import inputs
from course_utils.views.tables import plain_table
from course_utils.views.widget import Widget


class RetrievalPlane(Widget):
    """A query to drag among keys; beside it scores, weights and what you get back.

    titles       what each key belongs to, n texts.
    keys         (n, 2): the places in the plane. key_names say what its two directions mean.
    values       (n, m): what is blended. value_names say what the m numbers are.
    query        two numbers; sharpness 0 to 5. Both can be set later, from Python or by hand.

    The score is the plain dot product query · key; weights = softmax(sharpness * score).
    """

    titles = T.List(T.Unicode()).tag(sync=True)
    key_vectors = T.List().tag(sync=True)  # not "keys": that name is taken by ipywidgets
    key_names = T.List(T.Unicode(), minlen=2, maxlen=2).tag(sync=True)
    values = T.List().tag(sync=True)
    value_names = T.List(T.Unicode()).tag(sync=True)
    query = T.List(T.CFloat(), minlen=2, maxlen=2).tag(sync=True)
    sharpness = T.Float(1.0, min=0.0, max=5.0).tag(sync=True)
    limit = T.Float().tag(sync=True)  # the plane goes from -limit to limit

    def __init__(
        self,
        titles,
        keys,
        values,
        value_names,
        query=(1.0, 1.0),
        sharpness=1.0,
        key_names=("nature", "machines"),
        predict="",
    ):
        titles, value_names = inputs.words("titles", titles), inputs.words("value_names", value_names)
        shape = len(titles), len(value_names)
        remedy = "a place in the plane needs two plain numbers"
        keys = inputs.finite("keys", keys, (shape[0], 2), "one row of two numbers for each title", remedy)
        values = inputs.finite(
            "values", values, shape, "one row for each title and one column for each value name", "give numbers"
        )
        query = inputs.finite("query", query, (2,), "one number for each direction", remedy)
        super().__init__(
            titles=titles, key_vectors=keys.tolist(), values=values.tolist(), value_names=value_names,
            key_names=inputs.words("key_names", key_names), query=query.tolist(), sharpness=float(sharpness),
            limit=float(np.ceil(2 * max(np.abs(keys).max(), np.abs(query).max()) + 1) / 2), predict=predict,
        )  # fmt: skip

    def shown(self):
        """The scores, the weights (n,) and the blend (m,) on the page now."""
        scores = np.array(self.key_vectors) @ np.array(self.query)
        weights = softmax(self.sharpness * scores)
        return scores, weights, weights @ np.array(self.values)

    def twin(self):
        scores, weights, blend = self.shown()
        x, y = (f"{name} {number:.2f}" for name, number in zip(self.key_names, self.query, strict=True))
        found = [
            (title, f"({key[0]:.1f}, {key[1]:.1f})", f"{score:.2f}", f"{weight:.2f}")
            for title, key, score, weight in zip(self.titles, self.key_vectors, scores, weights, strict=True)
        ]
        back = [
            (name, f"{mix:.1f}", f"{column.min():.1f}", f"{column.max():.1f}")
            for name, mix, column in zip(self.value_names, blend, np.array(self.values).T, strict=True)
        ]
        plane = f"key ({', '.join(self.key_names)})"
        return (
            "<figure>"
            + plain_table(
                f"Query: {x}, {y}. Sharpness {self.sharpness:.1f}.", ["title", plane, "score", "weight"], found
            )
            + plain_table("What you get back", ["value", "blend", "smallest", "largest"], back)
            + "<figcaption>Each blend lies between the smallest and the largest value.</figcaption></figure>"
        )

    def summary(self):
        return f"{len(self.titles)} keys"
