"""The interview trainer's panel: it draws the screen it is given and says which button was pressed."""

import html
import re

import traitlets as T

from course_utils.views.widget import Widget


class Trainer(Widget):
    """One screen at a time, as plain data: texts, key points to tick, a box to write in, buttons with their keys.

    ``card``     the screen. ``act(action, value)`` gives the next one.
    ``preview``  the screen that stands for the panel where no browser runs it; the same every day.
    """

    card = T.Dict().tag(sync=True)
    events = T.List(T.Dict()).tag(sync=True)

    def __init__(self, card, act=None, preview=None, **settings):
        self.act, self.preview = act, card if preview is None else preview
        super().__init__(card=card, **settings)

    @T.observe("events")
    def _happened(self, change):
        # The browser sends the whole list, so that two quick keys do not become one.
        for event in change["new"][len(change["old"] or []) :] if self.act else []:
            self.card = self.act(event.get("do", ""), event.get("value"))

    def twin(self):
        card = self.preview
        buttons = ", ".join(label for _, label, _ in card["actions"])
        facts = f"<p>{html.escape(card['facts'])}</p>" if card["facts"] else ""
        return (
            f"<div><p><b>{html.escape(card['title'])}</b></p>{facts}{_paragraphs(card['text'])}"
            f"<p>{html.escape(card['message'])}</p><p>Here you can press: {html.escape(buttons)}.</p></div>"
        )


def _paragraphs(text):
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    return "".join(f"<p>{part}</p>" for part in re.split(r"\n\s*\n", coded))
