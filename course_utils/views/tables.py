"""Pictures as HTML tables: what a notebook keeps when no JavaScript runs. Inline styles only, no images."""

import html

import numpy as np

# The same limits as in static/shared.js: tokens on a side, and how far a row of bfloat16 weights may miss 1.
MOST_NUMBERS, ROW_TOLERANCE = 12, 0.01
LOW, HIGH, INK = (255, 255, 255), (88, 163, 234), "#111"
HEAD = "background:#eef1f4;color:#111"


def weight_table(weights, queries, keys, *, mask=None, focus=0, title="Attention weights", notes=()):
    """A ``<figure>`` with the weights in a table, its focus row in words, and every fault in words.

    weights (n_q, n_k); queries and keys are the words of its rows and columns; mask boolean, True = may
    look; notes are further sentences, as plain text.
    """
    numbers = max(len(queries), len(keys)) <= MOST_NUMBERS
    columns = "".join(f'<th scope="col" style="{HEAD}">{_text(key)}</th>' for key in keys)
    rows = []
    for i, query in enumerate(queries):
        mark, weight = ("▸ ", "bold") if i == focus else ("", "normal")
        head = f'<th scope="row" style="{HEAD};font-weight:{weight}">{mark}{_text(query)}</th>'
        cells = (_cell(weights[i, j], mask is None or mask[i, j], numbers) for j in range(len(keys)))
        rows.append(f"<tr>{head}{''.join(cells)}</tr>")
    total = f"Row sum of {named(queries, focus)}: {weights[focus].sum():.3f}."
    says = [
        focus_sentence(weights, queries, keys, mask=mask, focus=focus),
        total,
        *fault_sentences(weights, queries, keys, mask=mask),
        *notes,
    ]
    if mask is not None and not np.all(mask):
        says.append("· means masked.")
    return (
        f"<figure><table><caption>{_text(title)}</caption><thead>"
        f'<tr><td style="{HEAD}"></td><th scope="colgroup" colspan="{len(keys)}" style="{HEAD}">key (column)</th></tr>'
        f'<tr><th scope="col" style="{HEAD}">query (row)</th>{columns}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table><figcaption>{'<br>'.join(map(_text, says))}</figcaption></figure>"
    )


def focus_sentence(weights, queries, keys, *, mask=None, focus=0):
    """Where the focus row looks, in one sentence."""
    row, who = weights[focus], named(queries, focus)
    if np.isnan(row).any():
        return f"The row of {who} holds NaN: it says nothing about where {who} looks."
    if mask is not None and not mask[focus].any() and not row.any():
        return f"{who} may look at nothing: its weights are all 0."
    largest = [j for j in np.argsort(-row, kind="stable")[:3] if row[j] > 0]
    if not largest:
        return f"{who} looks at nothing: no weight is above 0."
    return f"{who} looks most at {_listed([f'{named(keys, j)} ({row[j]:.3f})' for j in largest])}."


def fault_sentences(weights, queries, keys, *, mask=None):
    """What is wrong with the whole map, as a list of sentences: leaks, negative weights, rows that do not
    sum to 1 (but for a row that may look at nothing), NaN."""
    told = []
    leaks = [] if mask is None else np.argwhere(~mask & ~np.isnan(weights) & (weights != 0))
    if len(leaks):
        names = []
        for i, j in leaks:
            size = f"{weights[i, j]:.2f}"
            size = "less than 0.01" if size == "0.00" else size
            names.append(f"{named(queries, i)} looks at {named(keys, j)} ({size})")
        told.append(f"{len(leaks)} leak{'s' * (len(leaks) > 1)}: {first_three(names)}, which the mask hides.")
    negative = np.argwhere(weights < 0)
    if len(negative):
        names = [f"{named(queries, i)} to {named(keys, j)} ({weights[i, j]:.2f})" for i, j in negative]
        told.append(f"{len(negative)} weight{'s are' if len(negative) > 1 else ' is'} negative: {first_three(names)}.")
    sums = weights.sum(axis=-1)
    empty = (weights == 0).all(axis=-1) & (False if mask is None else ~mask.any(axis=-1))
    wrong = np.flatnonzero((np.abs(sums - 1) > ROW_TOLERANCE) & ~empty)
    if len(wrong):
        names = [f"{named(queries, i)} ({sums[i]:.3f})" for i in wrong]
        told.append(f"{len(wrong)} row{'s do' if len(wrong) > 1 else ' does'} not sum to 1: {first_three(names)}.")
    nan = int(np.isnan(weights).sum())
    if nan:
        told.append(f"{nan} of {weights.size} weights {'are' if nan > 1 else 'is'} NaN.")
    return told


def named(words, i):
    """The word in quotes, with its place if it occurs more than once."""
    return f'"{words[i]}"' + (f" at place {i + 1}" if list(words).count(words[i]) > 1 else "")


def first_three(items):
    """At most three of the items (one at least), and how many more there are: "a, b, c and 2 more"."""
    return _listed([*items[:3], f"{len(items) - 3} more"] if len(items) > 3 else items)


def plain_table(caption, columns, rows):
    """A table of texts: ``columns`` are its heads, the first text of each row is that row's head."""
    heads = "".join(f'<th scope="col" style="{HEAD}">{_text(column)}</th>' for column in columns)
    lines = "".join(
        f'<tr><th scope="row" style="{HEAD}">{_text(first)}</th>'
        + "".join(f'<td style="background:#fff;color:{INK}">{_text(text)}</td>' for text in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return f"<table><caption>{_text(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _cell(weight, allowed, numbers):
    if np.isnan(weight):
        return f'<td style="background:#fff;color:{INK};border:2px dashed #b3261e">NaN</td>'
    if not allowed and weight == 0:
        return '<td style="background:#e3e6ea;color:#444">·</td>'
    share = min(max(float(weight), 0.0), 1.0)
    colour = "".join(f"{round(low + (high - low) * share):02x}" for low, high in zip(LOW, HIGH, strict=True))
    border, mark = ("", "") if allowed else (";border:3px solid #b3261e", " !")
    number = f"{weight:.2f}" if numbers else ""
    return f'<td style="background:#{colour};color:{INK}{border}">{number}{mark}</td>'


def _listed(items):
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _text(text):
    return html.escape(str(text), quote=False)
