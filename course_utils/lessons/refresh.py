"""Run a lesson and store what it shows, byte for byte the same every time."""

import os
import subprocess
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from course_utils.lessons import Trouble, notebook

IGNORED = "nbval-ignore-output"
STEADY = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}


def refresh(path, *, check=False):
    """Execute, tidy and write the lesson in ``path``; say whether that changes the file.

    With ``check`` nothing is written.
    """
    path = Path(path)
    before = notebook.read(path)
    nb = notebook.tidy(notebook.without_outputs(before))
    try:
        execute(nb, path.parent)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise Trouble(f"{path.stem} does not run, so it was left as it is. {_told(error)}") from error
    _keep_ignored_outputs(nb, before, committed(path))
    after = notebook.text(notebook.tidy(nb))
    changed = after.encode() != path.read_bytes()
    if changed and not check:
        path.write_text(after, encoding="utf-8", newline="\n")
    return changed


def execute(nb, folder):
    """Run ``nb`` from top to bottom in ``folder``; its outputs are put into it."""
    NotebookClient(
        nb,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # not its warning about TCP, which is for other machines
        resources={"metadata": {"path": str(folder)}},
    ).execute(env=os.environ | STEADY)


def committed(path):
    """The notebook as git last stored it, or None."""
    command = ["git", "show", f"HEAD:./{path.name}"]
    try:
        shown = subprocess.run(command, cwd=path.parent, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return nbformat.reads(shown.stdout.decode(), as_version=4)


def _keep_ignored_outputs(nb, before, last):
    """Times and the like differ in every run: such an output stays until its source changes.

    It is out of date when git knows the same output for another source.
    """
    before, last = _by_id(before), _by_id(last)
    for cell in nb.cells:
        if cell.cell_type != "code" or IGNORED not in cell.metadata.get("tags", []):
            continue
        old, known = before[cell.id], last.get(cell.id)
        stale = known and known.source != old.source and known.get("outputs") == old.outputs
        if old.outputs and not stale:
            cell.outputs = old.outputs


def _by_id(nb):
    return {cell.get("id"): cell for cell in nb.cells} if nb else {}


def _told(error):
    if isinstance(error, CellExecutionError):
        return f"{error.ename}: {error.evalue}"
    return str(error).splitlines()[0]
