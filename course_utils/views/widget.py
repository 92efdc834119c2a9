"""The base of every widget: its files joined without a build step, a picture that stays, a question asked first."""

import html
import sys
from pathlib import Path

import anywidget
import traitlets as T

SHARED = Path(__file__).parent / "static"


class Widget(anywidget.AnyWidget):
    """A picture that answers at once, because its arithmetic runs in the browser.

    A subclass in ``topic.py`` has its JavaScript beside it in ``static/topic.js`` (and, if it likes,
    ``static/topic.css``), says how it is drawn without a browser in ``twin()`` and what it is in ``summary()``.

    predict     a question. If given, the widget stays closed until the learner has written an answer.
    prediction  what the learner wrote; it stays beside the picture.
    """

    predict = T.Unicode("").tag(sync=True)
    prediction = T.Unicode("").tag(sync=True)

    def __init_subclass__(cls, **options):
        module = Path(sys.modules[cls.__module__].__file__)
        own = module.parent / "static" / module.stem
        # anywidget makes a class of its own for each widget, with _esm as a trait: that one stays as it is.
        if "_esm" not in cls.__dict__ and own.with_suffix(".js").exists():
            cls._esm = _join(SHARED / "shared.js", own.with_suffix(".js"))
            cls._css = _join(SHARED / "shared.css", own.with_suffix(".css"))
        super().__init_subclass__(**options)

    def twin(self):
        """HTML that shows the same without JavaScript: tables and images only, so that it survives a sanitizer."""
        raise NotImplementedError

    def summary(self):
        """What the picture shows, in a few words, for the text form: "6 queries, 6 keys"."""
        return ""

    def __repr__(self):
        return f"{type(self).__name__}({self.summary()})"

    def _repr_mimebundle_(self, **options):
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": repr(self), "text/html": self._closed(self.twin())}, metadata

    def _closed(self, picture):
        """The picture behind the question, if one is asked."""
        if not self.predict.strip():
            return picture
        wrote = f"<p>You wrote: {html.escape(self.prediction)}</p>" if self.prediction.strip() else ""
        return (
            f"<p><b>Predict first:</b> {html.escape(self.predict, quote=False)}</p>{wrote}"
            f"<details><summary>Open this after you have written your answer down</summary>{picture}</details>"
        )


class Row(T.Int):
    """A row of the picture, by its place from 0 or by its word: ``view.focus = "it"``.

    The widget says which words there are in ``rows()``, a list of (word, place).
    """

    def validate(self, widget, value):
        rows = widget.rows()
        if isinstance(value, str):
            places = [place for word, place in rows if word == value]
            if not places:
                words = ", ".join(dict.fromkeys(word for word, _ in rows))
                raise T.TraitError(f"{self.name} needs one of {words}, but it is {value!r}")
            return places[0]
        place = super().validate(widget, value)
        last = max(place for _, place in rows)
        if not 0 <= place <= last:
            raise T.TraitError(f"{self.name} needs a place from 0 to {last}, but it is {place}")
        return place


def _join(*files):
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())
