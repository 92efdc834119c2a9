"""Figures with a text alternative."""

import base64
import re
import struct
import subprocess
import sys

import pytest

from course_utils.views import figures
from course_utils.views.figures import new_figure, show_figure


@pytest.fixture
def shown(monkeypatch):
    """What was displayed, as a list of {kind: text}."""
    bundles = []
    monkeypatch.setattr(figures, "display", lambda data, raw: bundles.append(data))
    return bundles


def draw():
    figure, axes = new_figure()
    axes.plot([1, 2, 4])
    return figure


def test_a_figure_is_an_image_with_its_text_alternative(shown):
    assert show_figure(draw(), 'A line "rises" < 5', caption="One & two") is None
    (data,) = shown
    assert data["text/plain"] == 'A line "rises" < 5'
    assert 'alt="A line &quot;rises&quot; &lt; 5"' in data["text/html"]
    assert "<figcaption>One &amp; two</figcaption>" in data["text/html"]
    assert data["text/html"].startswith("<figure><img ") and "<style" not in data["text/html"]


@pytest.mark.parametrize("alt", ["", "  \n"])
def test_a_figure_without_words_is_refused(alt, shown):
    with pytest.raises(ValueError, match="a figure needs a text alternative, but alt is blank"):
        show_figure(draw(), alt)
    assert shown == []


def test_the_image_has_the_same_bytes_every_time_and_no_versions(shown):
    for _ in range(2):
        show_figure(draw(), "a line")
    first, second = (data["text/html"] for data in shown)
    assert first == second
    png = base64.b64decode(re.search('base64,([^"]+)', first)[1])
    kinds, at = [], 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        kinds.append(kind)
        at += 12 + length
    assert set(kinds) <= {b"IHDR", b"pHYs", b"IDAT", b"IEND"}


def test_a_shown_figure_is_closed(shown):
    import matplotlib.pyplot as plt

    figure, _ = plt.subplots()
    show_figure(figure, "empty axes")
    assert plt.get_fignums() == []


def test_the_style_is_the_courses_and_stays_inside(shown):
    import matplotlib

    before = dict(matplotlib.rcParams)
    figure, axes = new_figure(1, 2, size=(5, 2))
    assert axes.shape == (2,) and tuple(figure.get_size_inches()) == (5, 2)
    assert not axes[0].spines["top"].get_visible()
    show_figure(figure, "two empty axes")
    assert dict(matplotlib.rcParams) == before


def test_figures_import_matplotlib_only_when_one_is_made():
    code = "import sys, course_utils.views.figures; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"
