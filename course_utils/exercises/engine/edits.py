"""Mistakes as edits: what stands in a right answer, and what stands there instead.

A table is a TOML file beside its topic's exercises, and a family of mistakes: the file's name, or its ``family``.
Its entries are for every answer it is made for; those in a group, ``[name_of_exercise.name_of_mistake]``, for that
one. An entry has words, ``what`` and ``ask``, and one of

``edit``      a pair [right, wrong], or a list of pairs made together; [right, wrong, 2] stands there twice
``returns``   an expression in the place of what the answer returns at its end
``value``     a bare number or letter, where nothing is calculated, with the ``reason`` for it
``function``  the name of a whole function, for what no edit can say

``ways`` are further edits, or texts that are returned, which come to the same mistake; one that fits no answer is
left out (a test looks that each fits some). ``exact`` names it only where every probe agrees. ``given`` lists the
numbers in the words, so that none changes unnoticed. ``as`` is the full name of the mistake where it is one of another
family, whose words it has unless it brings its own. ``note`` takes the place of what and ask for an answer that is
right on paper, and accepted.

The words of an exercise that asks for a number are filled: ``{value}`` is the number of the mistake, ``{right}`` the
right one, and the variables of the answer are there under their names.
"""

import ast
import functools
import inspect
import linecache
import textwrap
import tomllib
from importlib import resources

from course_utils.exercises.engine.exercise import Mistake
from course_utils.exercises.engine.words import fill, names

KINDS = ("edit", "returns", "value", "function")
FIELDS = {*KINDS, "ways", "what", "ask", "note", "reason", "exact", "given", "as"}


class Unfit(ValueError):
    """An edit whose right side does not stand in the answer exactly as often as it should."""


class Answer:
    """The source of a right answer, with the helpers it is built on before it, so that both can be edited."""

    def __init__(self, function, helpers=()):
        self.function, self.name = function, function.__name__
        *above, own = (textwrap.dedent(inspect.getsource(f)) for f in (*helpers, function))
        self.start, self.source = len("\n\n".join([*above, ""])), "\n\n".join([*above, own])

    @functools.cached_property
    def _end(self):
        """(start, end) of the expression that is returned at the end."""
        own = self.source[self.start :]
        last = ast.parse(own).body[0].body[-1]
        if not isinstance(last, ast.Return):
            raise Unfit(f"{self.name} has to end with return")
        lines = [0, *(i + 1 for i, sign in enumerate(own) if sign == "\n")]
        places = ((last.value.lineno, last.value.col_offset), (last.value.end_lineno, last.value.end_col_offset))
        return tuple(self.start + lines[line - 1] + column for line, column in places)

    def places(self, edits):
        """(start, end, new) of each edit, in order: in the answer itself, else in its helpers.

        Raises Unfit if one does not stand there as often as it should (once, or the number it names), or if two meet.
        """
        found = []
        for old, new, *times in edits:
            if old is None:
                found.append((*self._end, new))
                continue
            text, wanted = self.source, times[0] if times else 1
            start, end = (self.start, len(text)) if old in text[self.start :] else (0, self.start)
            count = text.count(old, start, end)
            if count != wanted:
                raise Unfit(f"{old!r} has to stand {wanted} times in {self.name}, but it stands {count} times")
            for _ in range(wanted):
                start = text.index(old, start)
                found.append((start, start + len(old), new))
                start += len(old)
        found.sort()
        if _meet(found):
            raise Unfit(f"two edits of {self.name} meet in one place: {edits}")
        return found


class Variant:
    """An answer with edits in it, at their ``places``: a function that is compiled when it is first called."""

    def __init__(self, answer, edits, places=None):
        self.answer, self.edits = answer, edits
        self.places = answer.places(edits) if places is None else places

    @functools.cached_property
    def source(self):
        text = self.answer.source
        for start, end, new in reversed(self.places):
            text = text[:start] + new + text[end:]
        return text

    @functools.cached_property
    def function(self):
        return self._compiled(self.source)

    @functools.cached_property
    def found(self):
        """What an answer without arguments works out on its way: its variables by name, and its ``value``."""
        answer = object.__new__(Answer)
        answer.__dict__ = self.answer.__dict__ | {"source": self.source}
        answer.__dict__.pop("_end", None)
        start, end = answer._end
        value = f"dict(locals(), value=({self.source[start:end]}))"
        return self._compiled(self.source[:start] + value + self.source[end:])()

    def _compiled(self, source):
        file = f"<{self.answer.name} {id(self)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        scope = dict(self.answer.function.__globals__)  # a copy, so that edited helpers stay in here
        exec(compile(source, file, "exec", dont_inherit=True), scope)
        return scope[self.answer.name]

    def __call__(self, *arguments):
        return self.function(*arguments)


answer_of = functools.cache(Answer)


@functools.cache
def table(path):
    """(family, entries) of a table by its path below ``exercises/``, such as ``heads/mha``."""
    file = resources.files("course_utils.exercises").joinpath(*f"{path}.toml".split("/"))
    return read_table(path, file.read_text(encoding="utf-8"))


def read_table(path, text):
    """A table from its text: (family, {(exercise or None, name): entry}). Raises ValueError, file and entry named."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}.toml: this is no valid TOML: {error}") from None
    family = found.pop("family", path.rpartition("/")[2])
    entries = {}
    for name, entry in found.items():
        if not isinstance(entry, dict):
            raise ValueError(f"{path}.toml: {name} stands outside an entry; begin each one with [its_name]")
        in_group = not FIELDS & set(entry) and all(isinstance(inner, dict) for inner in entry.values())
        entries |= {(name, inner): entry[inner] for inner in entry} if in_group else {(None, name): entry}
    for (_, name), entry in entries.items():
        _check(f"{path}.toml, {name}", entry)
    return family, entries


def _check(where, entry):
    for field in sorted(set(entry) - FIELDS):
        raise ValueError(f"{where}: {field} is no field; there are {', '.join(sorted(FIELDS))}")
    if sum(kind in entry for kind in KINDS) != 1:
        raise ValueError(f"{where}: one of {', '.join(KINDS)} is needed, and only one")
    for field in () if {"as", "note"} & set(entry) else ("what", "ask"):
        if not str(entry.get(field, "")).strip():
            raise ValueError(f"{where}: {field} is missing")
    if ("value" in entry) != ("reason" in entry):
        raise ValueError(f"{where}: a bare value needs a reason, and nothing else has one")


@functools.cache
def _words(name):
    """The entry, among all tables, of the mistake with that full name."""
    family = name.partition("/")[0]
    for path in tables():
        of_table, entries = table(path)
        for (_, own), entry in entries.items():
            if f"{of_table}/{own}" == name and "as" not in entry and of_table == family:
                return entry
    raise ValueError(f"no table has a mistake called {name}")


@functools.cache
def tables():
    """The path of every table below ``exercises/``."""
    root = resources.files("course_utils.exercises")
    folders = [("", root), *((f"{folder.name}/", folder) for folder in root.iterdir() if folder.is_dir())]
    files = [(prefix, file.name) for prefix, folder in folders for file in folder.iterdir()]
    return sorted(
        prefix + name.removesuffix(".toml")
        for prefix, name in files
        if name.endswith(".toml") and name not in ("exercises.toml", "quizzes.toml", "recall.toml")
    )


def slips(path, solution, *, only=None, without=(), others=(), helpers=(), functions=()):
    """The mistakes of a table, made in a solution; ``others`` are right answers in which a further way may fit.

    ``only`` and ``without`` are names in the table. ``helpers`` are functions that the solution calls: edits reach
    them, too. ``functions`` are those that entries name. Raises ValueError where an edit fits no answer.
    """
    family, entries = table(path)
    answers = [answer_of(function, tuple(helpers)) for function in (solution, *others)]
    whole = {function.__name__: function for function in functions}
    unknown = {*(only or ()), *without} - {name for _, name in entries}
    if unknown:
        raise ValueError(f"{path}.toml has no {', '.join(sorted(unknown))}")
    found = []
    for (group, name), entry in entries.items():
        if group not in (None, solution.__name__) or name in without or (only is not None and name not in only):
            continue
        full = entry.get("as", f"{family}/{name}")
        words = (_words(full) if "as" in entry else {}) | entry
        for run in _ways(f"{path}.toml, {name}", entry, answers, whole):
            what, ask = words.get("note") or words["what"], words.get("ask", "")
            found.append(Mistake(full, what, run, entry.get("exact", False), ask))
    return found


def _ways(where, entry, answers, whole):
    """The wrong answers of one entry, each a function."""
    if "value" in entry:
        ways = [[(None, repr(entry["value"]))]]
    elif "function" in entry:
        if entry["function"] not in whole:
            raise ValueError(f"{where}: no function {entry['function']} is given")
        yield whole[entry["function"]]
        ways = []
    else:
        ways = [as_pairs(entry["edit"] if "edit" in entry else entry["returns"])]
    for number, way in enumerate([*ways, *map(as_pairs, entry.get("ways", ()))]):
        fitting, trouble = _first_fit(answers, way)
        if fitting:
            yield fitting
        elif number == 0:
            raise ValueError(f"{where}: {trouble}")


def _first_fit(answers, way):
    """The first answer in which the edits can be made, with them made; or None, and what speaks against the first."""
    trouble = []
    for answer in answers:
        try:
            return Variant(answer, way), ""
        except Unfit as unfit:
            trouble.append(unfit)
    return None, trouble[0]


def as_pairs(edit):
    """An edit as a list of pairs, also where one pair stands alone, or a text that is returned."""
    if isinstance(edit, str):
        return [(None, edit)]
    return [edit] if isinstance(edit[0], str) else edit


def together(one, other):
    """An answer with the edits of both variants, or None where they cannot be: another answer, or edits that meet."""
    if not (isinstance(one, Variant) and isinstance(other, Variant) and one.answer is other.answer):
        return None
    places = sorted([*one.places, *other.places])
    return None if _meet(places) else Variant(one.answer, [*one.edits, *other.edits], places)


def _meet(places):
    return any(end > start for (_, end, _), (start, *_) in zip(places, places[1:], strict=False))


@functools.cache
def worked_out(solution):
    """What the right answer without arguments works out on its way: its variables by name, and its ``value``."""
    return Variant(answer_of(solution), []).found


def told(exercise, text):
    """A hint, or what was covered, with what the right answer works out filled in."""
    return fill(text, worked_out(exercise.solution) if names(text) else {}, exercise.name)


def told_of(mistake, solution):
    """(what, ask) of a mistake in an answer without arguments, filled with what the two work out."""
    found = {}
    if names(mistake.what + mistake.ask):
        found = dict(mistake.run.found) if isinstance(mistake.run, Variant) else {"value": mistake.run()}
        found["right"] = worked_out(solution)["value"]
    return tuple(fill(text, found, mistake.name) for text in (mistake.what, mistake.ask))
