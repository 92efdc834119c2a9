"""Figures with words beside them, and static pictures of weights. matplotlib is imported when a figure needs it."""

import base64
import html
import io
import sys
from pathlib import Path

from IPython.display import display

from course_utils.views import inputs
from course_utils.views.maps import MEANING
from course_utils.views.tables import weight_table

STYLE = Path(__file__).parent / "course.mplstyle"


def new_figure(rows=1, columns=1, *, size=None):
    """A figure in the course's style and its axes: ``figure, axes``, as ``plt.subplots`` gives them."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(STYLE):
        figure = Figure(figsize=size)
        return figure, figure.subplots(rows, columns)


def show_figure(figure, alt, *, caption=""):
    """Show a matplotlib figure as an image with a text alternative, and close it.

    ``alt`` says what is to be seen, for someone who cannot see it; ValueError if it is blank.
    """
    if not alt.strip():
        raise ValueError(
            "a figure needs a text alternative, but alt is blank: say in a sentence what it shows"
        )
    from matplotlib import style

    png = io.BytesIO()
    with style.context(STYLE):
        figure.savefig(
            png, format="png", metadata={"Software": None}
        )  # no version: the same bytes everywhere
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    data = base64.b64encode(png.getvalue()).decode("ascii")
    words = f"<figcaption>{html.escape(caption, quote=False)}</figcaption>" if caption else ""
    _show(f'<figure><img alt="{html.escape(alt)}" src="data:image/png;base64,{data}">{words}</figure>', alt)


def show_weights(weights, queries, keys=None, *, mask=None, title="Attention weights"):
    """Show weights (n_q, n_k) as a table that stays: leaks and NaN are marked and said in words.

    mask  boolean (n_q, n_k), True = may look. The same checks as ``WeightMap``.
    """
    queries = inputs.words("queries", queries)
    keys = queries if keys is None else inputs.words("keys", keys)
    shape = len(queries), len(keys)
    weights = inputs.matrix("weights", weights, shape, MEANING)
    mask = None if mask is None else inputs.mask(mask, shape, MEANING)
    _show(weight_table(weights, queries, keys, mask=mask, title=title), title)


def _show(picture, text):
    display({"text/html": picture, "text/plain": text}, raw=True)
