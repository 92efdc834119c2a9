"""Widgets on a page of their own, without Jupyter: for tests."""

import html
import json
from pathlib import Path

STAND_IN = Path(__file__).with_suffix(".js")


def page(*widgets, title="Attention"):
    """One HTML page with those widgets, alive: it needs no server and no network."""
    kinds = {type(widget).__name__: widget for widget in widgets}
    data = {
        "code": {name: str(widget._esm) for name, widget in kinds.items()},
        "widgets": [{"kind": type(widget).__name__, "state": _state(widget)} for widget in widgets],
    }
    css = "\n".join(dict.fromkeys(str(widget._css) for widget in kinds.values()))
    safe = json.dumps(data).replace("<", "\\u003c")  # "</script>" in a text would end the script
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{css}</style><body><script>const page = {safe};\n{STAND_IN.read_text(encoding='utf-8')}</script>"
        "</body></html>"
    )


def _state(widget):
    """What the browser needs: the traits without the widget machinery."""
    machinery = {"layout", "tabbable", "tooltip"}
    return {k: v for k, v in widget.get_state().items() if not k.startswith("_") and k not in machinery}
