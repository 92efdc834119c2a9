"""Figures with words beside them. matplotlib is imported when a figure needs it."""

import base64
import html
import io
import sys
from pathlib import Path

from IPython.display import display

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
        raise ValueError("a figure needs a text alternative, but alt is blank: say in a sentence what it shows")
    from matplotlib import style

    png = io.BytesIO()
    with style.context(STYLE):
        figure.savefig(png, format="png", metadata={"Software": None})  # no version: the same bytes everywhere
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure)
    data = base64.b64encode(png.getvalue()).decode("ascii")
    words = f"<figcaption>{html.escape(caption, quote=False)}</figcaption>" if caption else ""
    image = f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{data}">'
    display({"text/html": f"<figure>{image}{words}</figure>", "text/plain": alt}, raw=True)
