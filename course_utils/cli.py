"""``python -m course_utils``: what can be typed, and what each command does."""

import argparse
import os
import secrets
import socket
import sys
import time
from pathlib import Path

from course_utils import places
from course_utils.doctor import SET_UP, opens_by_itself
from course_utils.doctor import doctor as examine
from course_utils.lessons import Trouble


def main(argv=None):
    """Run one command; what can be expected to go wrong is one sentence and exit code 1."""
    args = parser().parse_args(argv)
    try:
        return args.command(args) or 0
    except Trouble as trouble:
        words = str(trouble)
    except ModuleNotFoundError as error:
        if error.name.startswith("course_utils"):
            raise
        words = f"The package {error.name} is missing; {SET_UP}"
    except OSError as error:
        words = f"{error.filename or 'A file'} cannot be used: {error.strerror}. Put the course where you may write."
    print(words, file=sys.stderr)
    return 1


def parser():
    """What can be typed."""
    top = argparse.ArgumentParser(prog="python -m course_utils", description="Self-attention in Jupyter.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def add(command, help):
        sub = commands.add_parser(command.__name__, help=help, description=command.__doc__)
        sub.set_defaults(command=command)
        return sub

    sub = add(lab, "open the course in JupyterLab")
    sub.add_argument("--port", type=int, help="listen on this port (otherwise a free one is found)")
    sub.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    sub = add(fresh, "set your copy of a lesson aside and get a clean one")
    sub.add_argument("lesson", help="its number or its name, as in: fresh 02")
    sub = add(practise, "practise for an interview in this terminal")
    sub.add_argument("--interview", metavar="DATE", help="the day of your interview, such as 2030-05-31")
    what = sub.add_mutually_exclusive_group()
    what.add_argument("--mock", type=int, choices=(20, 45, 60), help="begin a mock interview of so many minutes")
    what.add_argument("--drill", choices=("debug", "estimate", "by-hand", "implement"), help="begin drills")
    what.add_argument("--today", action="store_true", help="begin with what is for today")
    sub = add(export, "write the interview questions as an Anki deck")
    sub.add_argument("file", nargs="?", help="its name (otherwise work/self-attention.apkg)")
    add(doctor, "look whether this machine will run the course")
    sub = add(refresh, "run lessons and store their outputs (for authors)")
    sub.add_argument("--check", action="store_true", help="write nothing, say what would change")
    sub.add_argument("lesson", nargs="*", help="numbers or names; all lessons if there are none")
    return top


def lab(args):
    """Make or complete your own copies of the lessons in work/ and open them in JupyterLab."""
    from jupyterlab.labapp import LabApp

    from course_utils.lessons import working_copy

    for copy in working_copy.update():
        print(
            f"The lesson {copy.stem} has changed since you began it. Your copy stays; "
            f"for the new one: {sys.executable} -m course_utils fresh {copy.stem[:2]}"
        )
    port = choose_port(args.port)
    token = secrets.token_hex(24)
    first = "/lab/tree/00_start.ipynb"
    shows = not args.no_browser and opens_by_itself()
    print(f"The course {'opens' if shows else 'is'} at http://127.0.0.1:{port}{first}?token={token}")
    print("Leave this window open while you learn; Ctrl-C ends it.", flush=True)
    # JupyterLab would ask whether it may fetch news: these settings answer no.
    paths = [str(Path(__file__).parent / "lessons" / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
    # In this process, so that the token is in no list of processes.
    LabApp.launch_instance(lab_options(port, token, first, places.work(), shows))


def lab_options(port, token, first, work, shows):
    """JupyterLab's options: this machine only, with a token, asking no server for news."""
    options = [
        f"--ServerApp.root_dir={work}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.ip=127.0.0.1",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.open_browser={shows}",
        f"--LabApp.default_url={first}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.news_url=None",
        "--Application.log_level=ERROR",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container
        options.append("--allow-root")
    return options


def choose_port(wanted=None):
    """``wanted`` if it is free; without a wish the first free one from 8888 on."""
    for port in [wanted] if wanted else [*range(8888, 8908), 0]:
        with socket.socket() as trial:
            if os.name == "posix":  # a port that was left a moment ago counts as free, as for JupyterLab itself
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                continue
            return trial.getsockname()[1]
    raise Trouble(f"Port {wanted} is in use, or no port: name another, or none and a free one is found.")


def fresh(args):
    """Set your copy of a lesson aside, under the time of day, and put a clean one in its place."""
    from course_utils.lessons import notebook, working_copy

    lesson = notebook.find(args.lesson)
    aside = working_copy.fresh(lesson)
    if aside:
        print(f"Your copy is now {aside.name}.")
    print(f"{lesson.name} is clean. If it is open, choose File > Reload Notebook from Disk.")


def practise(args):
    """Practise for an interview here: what is due today, drills graded by code, mock interviews."""
    begin = f"mock {args.mock}" if args.mock else f"drill {args.drill}" if args.drill else args.today and "today"
    try:
        from course_utils.interview.bank import BankError
        from course_utils.interview.terminal import practise as run

        try:
            run(interview=args.interview, begin=begin and begin.replace("-", " "))
        except BankError as error:
            raise Trouble(f"{error}.") from error
    except KeyboardInterrupt:  # while it starts
        return 130


def export(args):
    """Write the interview questions as an Anki deck; imported again, it changes cards and doubles none."""
    from course_utils.interview.bank import BankError, questions
    from course_utils.interview.deck import write

    file = Path(args.file or places.work())
    file = file / "self-attention.apkg" if file == places.work() or file.is_dir() else file
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        count = write(questions(), file, timestamp=time.time())
    except BankError as error:
        raise Trouble(f"{error}.") from error
    print(f"{file}: {count} questions. In Anki, choose File > Import.")


def doctor(args):
    """Look whether this machine will run the course; needs no network."""
    return examine()


def refresh(args):
    """Run lessons from top to bottom, tidy them and store what they show."""
    from course_utils.lessons import notebook
    from course_utils.lessons.refresh import refresh as run

    changes = 0
    for lesson in [notebook.find(name) for name in args.lesson] or notebook.lessons():
        changed = run(lesson, check=args.check)
        changes += changed
        print(f"{lesson.stem}: {'changed' if changed else 'the same'}", flush=True)
    if args.check and changes:
        print("Lessons are not as `make refresh` leaves them: run it.", file=sys.stderr)
        return 1
