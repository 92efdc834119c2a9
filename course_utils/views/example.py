"""Self-attention by hand: from X to the output in eight steps, one cell at a time."""

import html

import numpy as np
import traitlets as T

from course_utils.core.attention import attention_steps
from course_utils.core.tokens import worked_example
from course_utils.views import inputs
from course_utils.views.tables import plain_table
from course_utils.views.widget import Widget

CHANNELS = "person", "action", "thing", "modifier"
VALUE_CHANNELS = "person", "feeling", "technical", "process"
MOST = 12  # rows or columns of a table: beyond it nobody checks by hand
LARGEST = 15  # of the scaled scores: exp(15) is 3269017.372, and a table needs room

# What each step makes and from what, and the word for one cell. The same steps as in static/example.js.
STEPS = [
    ("query", "x", "W_Q", "query"),
    ("key", "x", "W_K", "key"),
    ("value", "x", "W_V", "value"),
    ("scores", "query", "key", "score"),
    ("scaled", "scores", None, "scaled"),
    ("exponentials", "scaled", None, "exponential"),
    ("weights", "exponentials", None, "weight"),
    ("output", "weights", "value", "output"),
]
TITLES = [
    "Query = X W_Q", "Key = X W_K", "Value = X W_V", "Scores = Q Kᵀ", "Scaled = scores / √d_k",
    "Exponentials = exp(scaled)", "Weights = exponentials / row sum", "Output = weights V",
]  # fmt: skip
SAYS = [
    "What does each word look for? Its row of X meets a column of W_Q: multiply place by place, then add.",
    "What can each word be found by? The same X, but the columns of W_K.",
    "What does each word pass along? The same X, but the columns of W_V.",
    "How well does a query match a key? Multiply them place by place, then add. Every query meets every key.",
    "Divide every score by √d_k = {root}, so that wide vectors do not make wide scores.",
    "exp makes every number positive and keeps their order. A negative score still counts: exp of it is above 0.",
    "Divide each exponential by the sum of its row. Now every row sums to 1.",
    "Each word gets a blend of all values: of each as much as its weight says.",
]
ROUNDED = "Shown with 3 decimals, computed with all: work with the printed numbers and the last digit may differ."


class Place(T.Int):
    """A place from 0 to the last one that any step has, or one of the present names."""

    def __init__(self, names, count):
        super().__init__(0)
        self.names, self.count = names, count

    def validate(self, widget, value):
        if isinstance(value, str):
            names = self.names(widget)
            if value not in names:
                known = ", ".join(dict.fromkeys(names))
                raise T.TraitError(f"{self.name} needs one of {known}, but it is {value!r}")
            return names.index(value)
        place, last = super().validate(widget, value), self.count(widget) - 1
        if not 0 <= place <= last:
            raise T.TraitError(f"{self.name} needs a place from 0 to {last}, but it is {place}")
        return place


class Stepper(Widget):
    """Eight steps from X to the output; the row and the column that make the chosen cell light up.

    words, x (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v): those of ``worked_example()`` where
    nothing is given. ``features`` name the columns of x, ``channels`` those of W_Q and W_K, ``value_channels``
    those of W_V; names left out that do not fit the width become numbers.

    ``step`` (1 to 8), ``row`` and ``column`` (a place from 0, or a name) and ``causal`` can be set later, from
    Python or by hand. Where a step has fewer columns than ``column`` asks for, its last one is shown.
    """

    words = T.List(T.Unicode()).tag(sync=True)
    features = T.List(T.Unicode()).tag(sync=True)
    channels = T.List(T.Unicode()).tag(sync=True)
    value_channels = T.List(T.Unicode()).tag(sync=True)
    x = T.Any().tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    W_Q = T.Any().tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    W_K = T.Any().tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    W_V = T.Any().tag(sync=True, to_json=lambda array, _: inputs.rows(array))
    causal = T.Bool(False).tag(sync=True)
    step = T.Int(1, min=1, max=8).tag(sync=True)
    row = Place(lambda view: view.words, lambda view: len(view.words)).tag(sync=True)
    column = Place(lambda view: view.names()[1], lambda view: view.most_columns()).tag(sync=True)
    titles = T.List(TITLES).tag(sync=True)
    says = T.List().tag(sync=True)
    rounded = T.Unicode(ROUNDED).tag(sync=True)

    def __init__(
        self,
        words=None,
        x=None,
        W_Q=None,
        W_K=None,
        W_V=None,
        *,
        features=None,
        channels=CHANNELS,
        value_channels=VALUE_CHANNELS,
        causal=False,
        step=1,
        row=0,
        column=0,
        predict="",
    ):
        example = worked_example()
        words = inputs.words("words", example.words if words is None else words)
        x = _matrix("x", example.x if x is None else x, len(words), "word", "feature")
        d_model = x.shape[1]
        W_Q = _matrix("W_Q", example.W_Q if W_Q is None else W_Q, d_model, "feature of x", "channel")
        meaning = "one row for each feature of x and, as W_Q, one column for each channel"
        W_K = inputs.finite("W_K", example.W_K if W_K is None else W_K, W_Q.shape, meaning, "give numbers")
        W_V = _matrix("W_V", example.W_V if W_V is None else W_V, d_model, "feature of x", "value channel")
        d_k = W_Q.shape[1]
        super().__init__(
            words=words, x=x, W_Q=W_Q, W_K=W_K, W_V=W_V,
            features=_names("features", features, example.features, d_model, "column of x"),
            channels=_names("channels", channels, CHANNELS, d_k, "column of W_Q"),
            value_channels=_names("value_channels", value_channels, VALUE_CHANNELS, W_V.shape[1], "column of W_V"),
            says=[says.format(root=f"√{d_k} = {_root(d_k)}") for says in SAYS],
            causal=causal, step=step, row=row, column=column, predict=predict,
        )  # fmt: skip
        largest = np.abs(self.arrays()["scaled"]).max()
        if largest > LARGEST:
            raise ValueError(
                f"a stepper needs scaled scores from -{LARGEST} to {LARGEST}, so that exp stays a number for paper, "
                f"but they reach {largest:.1f}: make x or the matrices smaller"
            )

    def names(self, table=None):
        """The names of the rows and of the columns of a table; without one, of what the present step makes."""
        across = {
            "x": self.features, "W_Q": self.channels, "W_K": self.channels, "W_V": self.value_channels,
            "query": self.channels, "key": self.channels, "value": self.value_channels,
            "output": self.value_channels,
        }  # fmt: skip
        table = table or STEPS[self.step - 1][0]
        return self.features if table.startswith("W_") else self.words, across.get(table, self.words)

    def most_columns(self):
        """The columns of the widest step."""
        return max(len(self.words), len(self.channels), len(self.value_channels))

    def arrays(self):
        """Every array on the way, by its name; ``sums`` (n, 1) are those of the exponentials."""
        query, key, value = (self.x @ W for W in (self.W_Q, self.W_K, self.W_V))
        steps = attention_steps(query, key, value, causal=self.causal)._asdict()
        given = {name: getattr(self, name) for name in ("x", "W_Q", "W_K", "W_V")}
        return given | {"query": query, "key": key, "value": value} | steps

    def product(self):
        """How the chosen cell comes about, as the page says it: "score(I, love) = (−0.5)·0 + ... = 3"."""
        result, left, right, noun = STEPS[self.step - 1]
        i, j = self.row, min(self.column, len(self.names()[1]) - 1)
        across = self.names()[1]
        text = {name: self._texts(name) for name in (result, left, right, "sums") if name}
        start, end = f"{noun}({_named(self.words, i)}, {_named(across, j)}) = ", f" = {text[result][i][j]}"
        if right:
            factors = text[right][j] if right == "key" else [line[j] for line in text[right]]
            terms = zip(text[left][i], factors, strict=True)
            return start + " + ".join(f"{_factor(a)}·{_factor(b)}" for a, b in terms) + end
        number, masked = text[left][i][j], self.causal and j > i
        if result == "scaled":
            d_k = len(self.channels)
            return f"{start}{number} / √{d_k} = {number} / {_root(d_k)}{end}"
        if result == "exponentials" and masked:
            return f"{start}0: masked, because {_named(across, j)} comes later than {_named(self.words, i)}"
        if result == "exponentials":
            return f"{start}exp({number}){end}"
        return f"{start}{number} / {text['sums'][i][0]}{end}" + ": masked" * masked

    def twin(self):
        result, left, right, _ = STEPS[self.step - 1]
        shown = dict.fromkeys(name for name in (left, right, result, "weights", "output") if name)
        says = [f"Step {self.step} of 8: {TITLES[self.step - 1]}.", self.product(), ROUNDED]
        says += ["Causal: what lies in the future is masked, marked ·."] * self.causal
        return (
            f"<figure>{''.join(map(self._table, shown))}"
            f"<figcaption>{'<br>'.join(html.escape(text, quote=False) for text in says)}</figcaption></figure>"
        )

    def summary(self):
        return f"{len(self.words)} words, step {self.step}"

    def _table(self, name):
        result = STEPS[self.step - 1][0]
        rows, across = self.names(name)
        square = name in ("scores", "scaled", "exponentials", "weights")
        first = "query \\ key" if square else "feature" if name.startswith("W_") else "word"
        masked = self.causal and name in ("exponentials", "weights")
        lines = [
            ["▸ " * (name == result and i == self.row) + rows[i]]
            + [text + " ·" * (masked and j > i) for j, text in enumerate(line)]
            for i, line in enumerate(self._texts(name))
        ]
        caption = name if name.startswith("W_") else name.capitalize()
        if self.step == 7 and name == "exponentials":
            across = [*across, "row sum"]
            lines = [[*line, *total] for line, total in zip(lines, self._texts("sums"), strict=True)]
        return plain_table(caption, [first, *across], lines)

    def _texts(self, name):
        """The numbers of a table as the page writes them."""
        array = self.arrays()[name]
        exact, small = _exact(array), name in ("exponentials", "sums", "weights")
        texts = [[_number(float(x), exact, small) for x in line] for line in array]
        if self.causal and name in ("exponentials", "weights"):
            texts = [[text if j <= i else "0" for j, text in enumerate(line)] for i, line in enumerate(texts)]
        return texts


def _matrix(name, given, rows, row, column):
    try:
        width = np.shape(given)[-1]
    except (ValueError, IndexError):
        width = 1  # no table at all: refused below
    meaning = f"one row for each {row} and one column for each {column}"
    array = inputs.finite(name, given, (rows, width), meaning, "give numbers")
    if not 1 <= width <= MOST or rows > MOST:
        raise ValueError(
            f"{name} is {array.shape}, but a stepper shows 1 to {MOST} rows and columns: give fewer, "
            "the numbers are there to be checked by hand"
        )
    return array


def _names(name, given, usual, width, meaning):
    if given is None or given is usual:
        return list(usual) if len(usual) == width else [str(k + 1) for k in range(width)]
    given = inputs.words(name, given)
    if len(given) != width:
        raise ValueError(f"{name} needs {width} names, one for each {meaning}, but there are {len(given)}")
    return given


def _exact(array):
    """Whether every number is a multiple of a quarter, up to the noise of the last bits."""
    quarters = np.asarray(array) * 4
    return bool((np.abs(quarters - np.round(quarters)) < 1e-9).all())


def _number(x, exact, small=False):
    """A number as on paper: short if exact, else 3 decimals; more for what would look like zero."""
    even = round(float(x), 9)  # without the noise, on which a half would fall to either side
    text = f"{even:.2f}".rstrip("0").rstrip(".") if exact else f"{even:.3f}"
    if small and x > 0 and not text.strip("0."):
        text = f"{x:.{2 - int(np.floor(np.log10(x)))}f}"
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")


def _root(d_k):
    return _number(np.sqrt(d_k), _exact(np.sqrt(d_k)))


def _factor(text):
    return f"({text})" if text.startswith("−") else text


def _named(words, i):
    return words[i] + (f" at place {i + 1}" if words.count(words[i]) > 1 else "")
