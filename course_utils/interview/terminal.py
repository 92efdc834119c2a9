"""Practice in a terminal: the screens drawn with rich; a letter and Enter for everything."""

import contextlib
import select
import sys

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from course_utils import places
from course_utils.exercises.engine.words import pieces
from course_utils.interview import log
from course_utils.interview.practice import Practice

HELP = "A letter and Enter chooses; the number of a key point ticks it; Enter alone does the first thing listed."
LEAVE = "x"
MANY = 10_000  # drill files in the folder
WAIT = 0.03  # seconds until the next line of a paste is there


def practise(*, interview=None, begin=None):
    """Practise in this terminal; every answer is kept at once in ``work/``."""
    practice = Practice(places.work() / log.FILE)
    terminal = Terminal(practice, places.work() / "drills")
    if interview is not None:
        terminal.say(practice.do("date", interview)["message"])
        practice.message = ""
    if begin:
        practice.do(begin)
    terminal.run()


class Terminal:
    """A Practice drawn line by line. ``read(prompt)`` gives what is typed; code is written to files in ``folder``."""

    def __init__(self, practice, folder, *, read=None, console=None):
        self.practice, self.folder, self.read = practice, folder, read or _typed
        self.console = console or Console(highlight=False)
        self.console.width = min(self.console.width, 100)
        self.told, self.last, self.file, self.file_of = set(), None, None, None

    def say(self, text, style=""):
        """Print a text: what is code in it stands out, and brackets are no markup."""
        self.console.print(_styled(text), style=style)

    def run(self):
        """Until the candidate leaves, with x, Ctrl-D or Ctrl-C."""
        self.say(f"{HELP} {LEAVE} leaves.", "dim")
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            while self._turn():
                pass
        if self.practice.screen in ("question", "drill"):
            self.practice.do("stop")  # what is ticked is an answer
        unsaved = len(log.answers(self.practice.unsaved))
        kept = "" if self.practice.unsaved else "What you answered is kept."
        if unsaved:
            kept = f"{unsaved} answer{'s are' if unsaved > 1 else ' is'} not saved."
        self.say(f"\nSee you. {kept}".rstrip())

    def _turn(self):
        """One screen, and what is typed to it; false to leave. Ctrl-C at the prompt leaves, in a check it ends that."""
        self._prepare_file(self.practice.view())
        view = self.practice.view()
        self.draw(view)
        typed = self.read("> ")
        if typed.strip() == LEAVE:
            return False
        try:
            self.act(view, typed)
        except KeyboardInterrupt:
            self.practice.message = "Stopped with Ctrl-C: you are still here."
        return True

    def draw(self, view):
        """A screen; of one that was there before, only what is new."""
        for note in view["notes"]:
            if note not in self.told:
                self.say(note, "yellow")
                self.told.add(note)
        heading = " · ".join(filter(None, [view["title"], view["facts"]]))
        parts, points = list(view["parts"]), view["points"]
        same = self.last and (heading, view["text"]) == (self.last["heading"], self.last["text"])
        if same:
            parts = [part for part in parts if part not in self.last["parts"]]
            points = points if points != self.last["points"] else []
        else:
            self.console.rule(escape(heading))
            self.say(view["text"])
        self.last = view | {"heading": heading}
        for part in parts:
            self.console.print(Panel(_styled(part["text"]), title=part["label"], title_align="left"))
        for number, point in enumerate(points, 1):
            self.say(f"  {number} {'[x]' if point['ticked'] else '[ ]'} {point['text']}")
        if view["table"]:
            table = Table("", "", "asked", "points")
            for row in view["table"]:
                table.add_row(*map(str, row))
            self.console.print(table)
        if self.file and not same:
            self.console.print(Panel(escape(view["box"]["text"].rstrip()), title="The code", title_align="left"))
            self.say(f"It is in {self.file}: edit it there, save it, then check.")
        if view["message"]:
            self.say(view["message"], "bold")
        if view["clock"]["minutes"]:
            self.say(_clock(view["clock"]), "dim")
        between = "\n" if view["kind"] == "start" else "   "
        self.console.print(between.join(f"[bold]{key}[/] {escape(label)}" for _, label, key in view["actions"]))

    def act(self, view, typed):
        """What was typed: a key, the number of a point, a date, or an answer."""
        word = typed.strip()
        if "\n" in word:
            lines = len(word.splitlines())
            self.practice.message = f"{lines} lines came at once, and were left out: one line at a time."
            return
        keys = {key: action for action, _, key in view["actions"]}
        first = view["actions"][0][0]
        action = keys.get(word, "" if word else first)
        if view["points"] and word.isdecimal():
            self.practice.do(f"tick {word}")
        elif action == "date":
            self.practice.do("date", self.read(f"{view['box']['label']}: "))
        elif view["box"]["kind"] == "code" and action in ("check", "hint", "give_up"):
            self._with_code(action)
        elif first == "check" and view["box"]["kind"] == "line" and action in ("", "check"):
            self.practice.do("check", "" if action else typed)
        elif action:
            self.practice.do(action)
        else:
            self.practice.message = f"{word[:40]!r} is none of the letters below."

    def _with_code(self, action):
        try:
            code = self.file.read_text(encoding="utf-8") if self.file else ""
        except (OSError, UnicodeDecodeError):
            self.practice.message = f"{self.file} cannot be read: save it there again, then check."
            return
        self.practice.do(action, code)

    def _prepare_file(self, view):
        """A file for a code drill, made when the drill begins; none where there is no code to write."""
        if view["box"]["kind"] != "code":
            self.file = None
        elif self.file_of is not self.practice.current:
            self.file_of = task = self.practice.current
            text = "\n".join([*task.imports, "", "", view["box"]["text"]])
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self.file = _write_new(self.folder, task.name.replace(":", "_"), text)
            except OSError as error:
                self.file = None
                self.practice.message = (
                    f"{self.folder} cannot be written ({error.strerror}): skip this one, or use the notebook."
                )


def _styled(text):
    return Text.assemble(*((words, "bold" if code else "") for code, words in pieces(text)))


def _typed(prompt):
    """What is typed; lines that were pasted together come together, so that none is taken for a letter."""
    lines = [input(prompt)]
    with contextlib.suppress(OSError, ValueError, EOFError):  # where nobody can say whether more waits
        while sys.stdin.isatty() and select.select([sys.stdin], [], [], WAIT)[0]:
            lines.append(input())
    return "\n".join(lines)


def _write_new(folder, stem, text):
    """A file that was not there before: what you wrote in an earlier one stays."""
    for number in range(1, MANY):
        path = folder / f"{stem}_{number}.py"
        with contextlib.suppress(FileExistsError):
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            return path
    raise OSError(17, "there are too many files in it")


def _clock(clock):
    minutes, seconds = divmod(clock["seconds"], 60)
    return f"{minutes}:{seconds:02} of {clock['minutes']}:00" + ("" if clock["running"] else ", the clock stands")
