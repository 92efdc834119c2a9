"""Texts of the course: filled with what was worked out, taken apart into numbers and code, set for a cell or a page."""

import html
import re
import string
import textwrap

WIDTH = 90  # characters of a line that fit beside JupyterLab's folders
NUMBER = re.compile(r"(?<![A-Za-z_\d])\.?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")


def literals(text):
    """The numbers that stand in a text as they are, in order; what is filled in, ``{value}``, is none of them."""
    parts = string.Formatter().parse(text)
    return [number for part, *_ in parts for number in NUMBER.findall(part)]


def names(text):
    """The names that a text is filled with, as often as they stand in it."""
    return [re.split(r"[.\[]", name)[0] for _, name, *_ in string.Formatter().parse(text) if name is not None]


def fill(text, found, where):
    """``text`` with ``{name}`` or ``{name:.2f}`` filled from ``found``. Raises ValueError that says where."""
    for name in names(text):
        if name not in found:
            there = f"there are {', '.join(sorted(found))}" if found else "nothing is worked out for it"
            raise ValueError(f"{where}: nothing is called {{{name}}}; {there}")
    try:
        return text.format_map(found)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ValueError(f"{where}: this cannot be filled in ({error}): {text}") from None


def paragraphs(*texts):
    """Those that hold something, with an empty line between."""
    return "\n\n".join(filter(None, texts))


def in_lines(text):
    """A text in lines that fit the page; a paragraph with numbers or code in it, which are indented, keeps its own."""
    return "\n\n".join(
        part if "\n " in part else textwrap.fill(" ".join(part.split()), WIDTH) for part in text.split("\n\n")
    )


def pieces(text):
    """(is code, words) for each piece of a text; code stands between backticks."""
    return [(part[0] == "`", part.strip("`")) for part in re.split(r"(`[^`]+`)", text) if part]


def as_html(text):
    """A text as safe HTML: escaped, `code` as code, an empty line between paragraphs, and lines kept.

    The mathematics is written in plain characters, such as sqrt(d_k) and Kᵀ, and needs no typesetting.
    """
    safe = [f"<code>{html.escape(part)}</code>" if code else html.escape(part) for code, part in pieces(text.strip())]
    return re.sub(r"\n+", "<br>", re.sub(r"\n\s*\n", "<br><br>", "".join(safe)))
