"""Will this machine run the course? Needs nothing but Python, so that it can be asked before the set-up."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import webbrowser
from importlib import metadata
from importlib.util import find_spec

from course_utils import places

SET_UP = "run `make lab` once, or: python -m pip install -c constraints.txt -e ."
TORCH = "NumPy lessons work; a cell that needs torch says so"
TORCH_REMEDY = "python -m pip install -c constraints.txt torch"
BROWSERS = ("firefox", "chromium", "chromium-browser", "google-chrome", "microsoft-edge", "safari")
IN_TERMINAL = ("www-browser", "links", "elinks", "lynx", "w3m")  # these show no lesson
GIB = 2**30


class Finding:
    """One line of the examination: ``ok`` or ``fix``, what about, and what was seen or is to be done."""

    def __init__(self, ok, about, words):
        self.ok, self.about, self.words = ok, about, words

    def __str__(self):
        return f"{'ok ' if self.ok else 'fix'}  {self.about}: {self.words}"


def doctor():
    """Print the examination, line by line; give the exit code."""
    good = True
    for examine in (python, packages, torch, kernel, folder, port, browser, memory, disk):
        for finding in examine():
            print(finding, flush=True)
            good = good and finding.ok
    print()
    print("This machine will run the course." if good else "First do what the lines with fix say, then ask again.")
    return 0 if good else 1


def report():
    """Print whether what the lessons need is installed; the same words on every machine where it is."""
    problems = {
        "Python": not_ok(python()),
        "NumPy": not_ok(packages("numpy", "array-api-compat")),
        "Pictures": not_ok(packages("matplotlib", "anywidget", "ipywidgets")),
    }
    for about, found in problems.items():
        print(f"{about}: {'; '.join(found) or 'ok'}")
    print("torch: here" if find_spec("torch") else f"torch: missing. {TORCH}. To install it: {TORCH_REMEDY}")
    if any(problems.values()):
        print("Mend this first; `make doctor` tells you more.")
    else:
        print("You can start.")


def not_ok(findings):
    """What is to be done, of ``findings``."""
    return [finding.words for finding in findings if not finding.ok]


def python():
    """Python is new enough."""
    have = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python runs this file before the set-up
        yield Finding(False, "Python", f"{have} is too old; install 3.11 or newer")
    else:
        yield Finding(True, "Python", have)


def packages(*names):
    """Each package of pyproject.toml (or of ``names``) is there, in a version that fits."""
    there, missing = [], []
    for name, limits in requirements().items():
        if names and name not in names:
            continue
        try:
            have = metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
            continue
        there.append(f"{name} {have}")
        if not fits(have, limits):
            missing.append(f"{name}{limits} (here is {have})")
    if missing:
        yield Finding(False, "packages", f"missing: {', '.join(missing)}; {SET_UP}")
    else:
        yield Finding(True, "packages", ", ".join(there))


def requirements():
    """Name and limits of each package that pyproject.toml asks for."""
    text = (places.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    # Not tomllib: an old Python has none, and should hear that it is old.
    listed = re.search(r"^dependencies = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)[1]
    return dict(re.findall(r'"([\w.-]+)([^"]*)"', listed))


def fits(version, limits):
    """Whether ``version`` keeps ``limits``, as in ``>=8.1,<9``."""
    holds = {">=": tuple.__ge__, "<": tuple.__lt__}
    pairs = re.findall(r"(>=|<)([\d.]+)", limits)
    return all(holds[sign](_numbers(version), _numbers(limit)) for sign, limit in pairs)


def _numbers(version):
    return tuple(int(number) for number in re.match(r"[\d.]*\d", version)[0].split("."))


def torch():
    """torch is optional, but if it is there it must work."""
    if find_spec("torch") is None:
        yield Finding(True, "torch", f"is not installed. {TORCH}. To install it: {TORCH_REMEDY}")
        return
    command = [sys.executable, "-c", "import torch; print(torch.__version__)"]
    try:
        told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        yield Finding(True, "torch", told.stdout.strip())
    except (OSError, subprocess.SubprocessError):
        yield Finding(False, "torch", f"cannot be imported; install it again: {TORCH_REMEDY}")


def kernel():
    """A kernel starts, answers, and is this Python."""
    try:
        from jupyter_client.manager import start_new_kernel
    except ImportError:
        yield Finding(False, "kernel", f"Jupyter is not installed; {SET_UP}")
        return
    answers, quiet = [], subprocess.DEVNULL
    try:
        manager, client = start_new_kernel(startup_timeout=40, stdout=quiet, stderr=quiet)
        try:
            client.execute_interactive(
                "import sys; print(sys.prefix, end='')",
                timeout=20,
                output_hook=lambda message: answers.append(message["content"].get("text", "")),
            )
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    except Exception as error:  # whatever went wrong there, it is one finding here
        yield Finding(False, "kernel", f"it does not start ({str(error) or type(error).__name__}); {SET_UP}")
        return
    if "".join(answers) == sys.prefix:
        yield Finding(True, "kernel", "it starts and answers")
    else:
        yield Finding(False, "kernel", "python3 is another Python's; run: jupyter kernelspec remove python3")


def folder():
    """The learner's folder can be written."""
    try:
        places.work().mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=places.work()):
            yield Finding(True, "work folder", "can be written")
    except OSError as error:
        yield Finding(False, "work folder", f"{error.strerror}; put the course where you may write")


def port():
    """JupyterLab can listen on this machine."""
    try:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
        yield Finding(True, "port", "one is free")
    except OSError as error:
        yield Finding(False, "port", f"{error.strerror}; allow programs to listen on 127.0.0.1")


def browser():
    """There is a browser to show the lessons in."""
    if opens_by_itself() or any(map(shutil.which, BROWSERS)):
        yield Finding(True, "browser", "found")
    else:
        yield Finding(False, "browser", "none found; install one, or open the address that lab prints elsewhere")


def opens_by_itself():
    """Whether Python can open a browser window."""
    try:
        return os.path.basename(getattr(webbrowser.get(), "name", "")) not in IN_TERMINAL
    except webbrowser.Error:
        return False


def memory():
    """A kernel with torch, JupyterLab and a browser tab fit into memory."""
    free = free_memory()
    if free is None:
        yield Finding(True, "memory", "cannot be measured here; 2 GiB are enough")
    elif free < GIB:
        yield Finding(False, "memory", f"{free / GIB:.1f} GiB are free and 1 is needed; close other programs")
    else:
        yield Finding(True, "memory", f"{free / GIB:.1f} GiB are free")


def free_memory():
    """Bytes of memory that are free, or None."""
    try:
        import psutil

        return psutil.virtual_memory().available
    except ImportError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def disk():
    """What is still to be installed fits on the disk."""
    free, need = shutil.disk_usage(places.ROOT).free, (0.2 if find_spec("jupyterlab") else 3) * GIB
    if free < need:
        yield Finding(False, "disk", f"{free / GIB:.1f} GiB free, {need / GIB:.1f} needed; make room")
    else:
        yield Finding(True, "disk", f"{free / GIB:.1f} GiB are free")
