"""Speed and memory beside the rivals, measured in one run: ``make bench``. Only the ratios travel between machines.

``make bench ARGS="attention imports"`` measures these parts only.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 9
UNITS = {"ms": 0.001, "s": 1.0, "MiB": 1.0}
MOVES = 30

# The highest resident memory of the kernel, in MiB. Not ru_maxrss where /proc is: that remembers the parent's.
MEMORY = """
import pathlib, re, resource, sys
_status = pathlib.Path("/proc/self/status")
if _status.exists():
    print(int(re.search(r"VmHWM:\\s+(\\d+)", _status.read_text())[1]) / 1024)
else:
    _unit = 2**20 if sys.platform == "darwin" else 2**10
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _unit)
"""

# The same picture twice: eleven words, a number in every cell, a slider for the sharpness.
SCORES = """
import numpy as np
words = "the animal didn't cross the street because it was too tired".split()
scores = np.random.default_rng(0).normal(size=(11, 11)) * 2
"""
OURS = SCORES + "from course_utils.views.maps import WeightMap\nWeightMap(scores, words)"
RIVAL = (
    SCORES
    + """
import matplotlib.pyplot as plt
from ipywidgets import interact

def draw(step=10):
    weights = np.exp(scores * step / 10)
    weights /= weights.sum(axis=-1, keepdims=True)
    figure, axes = plt.subplots()
    axes.imshow(weights, vmin=0, vmax=1)
    axes.set_xticks(range(11), words, rotation=90)
    axes.set_yticks(range(11), words)
    for i in range(11):
        for j in range(11):
            axes.text(j, i, f"{weights[i, j]:.2f}", ha="center", va="center")
    plt.show()

interact(draw, step=(1, 80));
"""
)
PICTURE = ".widget-output img"
NEXT_PICTURE = """
(selector) => {
  const old = document.querySelector(selector).src;
  window.nextPicture = new Promise((done, fail) => {
    let start;
    document.addEventListener("keydown", () => { start ??= performance.now(); }, { capture: true, once: true });
    const observer = new MutationObserver(() => {
      const picture = document.querySelector(selector);
      if (picture && picture.src !== old) {
        observer.disconnect();
        picture.decode().then(() => done(performance.now() - start));
      }
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    setTimeout(() => fail(new Error("no new picture within 8 s")), 8000);
  });
}
"""


def main():
    parts = {part.__name__: part for part in (imports, lessons, verdicts, attention, sliders)}
    unknown = set(sys.argv[1:]) - set(parts)
    if unknown:
        sys.exit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    print(f"{'what':44}{'measured':>16}{'rival':>16}{'ratio':>9}   to hold")
    missed = 0
    for measure in [parts[name] for name in sys.argv[1:]] or parts.values():
        for what, measured, rival, ratio, limit in measure():
            over = beyond(measured, ratio, limit)
            missed += over
            print(f"{what:44}{measured:>16}{rival:>16}{ratio:>9}   {limit}{'   <-- not held' * over}", flush=True)
    if missed:
        sys.exit(f"{missed} of these are beyond what is to hold")


def beyond(measured, ratio, limit):
    """Whether a row does not hold its limit: of the ratio, or, if the limit has a unit, of what was measured."""
    bound = re.fullmatch(r"([<>])=? ([\d.]+) ?(.*)", limit)
    if not bound:
        return False
    sign, most, unit = bound[1], float(bound[2]), bound[3]
    if unit == "times faster":
        value = float(ratio.removeprefix("1/"))
    elif unit:
        number, own = measured.split()
        value = float(number) * UNITS[own] / UNITS[unit]
    else:
        value = float(ratio)
    return value > most if sign == "<" else value < most


def imports():
    """``import course_utils`` beside ``import numpy``, in new processes, in turns."""
    times = {"course_utils": [], "numpy": []}
    for _ in range(REPEATS):
        for name, taken in times.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", f"import {name}"], check=True)
            taken.append(time.perf_counter() - start)
    ours, numpy = (statistics.median(taken) for taken in times.values())
    yield ("import course_utils / import numpy", f"{ours:.2f} s", f"{numpy:.2f} s", f"{ours / numpy:.2f}", "< 1.3")


def lessons():
    """Time and memory of each lesson, beside a kernel that does nothing."""
    from nbformat.v4 import new_code_cell, new_notebook

    from course_utils import places
    from course_utils.lessons import notebook
    from course_utils.lessons.refresh import execute

    def run(nb):
        nb.cells.append(new_code_cell(MEMORY))
        start = time.perf_counter()
        execute(nb, places.NOTEBOOKS)
        return time.perf_counter() - start, float(nb.cells[-1].outputs[0].text)

    run(new_notebook())  # the first one pays for cold files
    empty_time, empty_memory = run(new_notebook())
    for path in notebook.lessons():
        nb = notebook.without_outputs(notebook.read(path))
        code = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code")
        taken, memory = run(nb)
        ratio, limit = taken / empty_time, "< 30 s" if "train(" in code else "< 10 s"
        yield (f"{path.stem}: time / empty kernel", f"{taken:.1f} s", f"{empty_time:.1f} s", f"{ratio:.1f}", limit)
        row = f"{memory:.0f} MiB", f"{empty_memory:.0f} MiB", f"{memory / empty_memory:.1f}"
        yield f"{path.stem}: memory / empty kernel", *row, "< 450 MiB" if "torch" in code else "< 150 MiB"


def verdicts():
    """The slowest verdict: on a right answer, on a wrong one, on two mistakes at once, warm and as the first of all."""
    from course_utils.exercises import judge
    from course_utils.exercises.engine import pairs
    from course_utils.exercises.engine.registry import exercises

    def timed(exercise, run):
        answer, taken = run if exercise.is_function else run(), []
        for _ in range(3):
            start = time.perf_counter()
            judge(exercise.name, answer)
            taken.append(time.perf_counter() - start)
        return statistics.median(taken), exercise.name

    everything = exercises().values()
    right = [timed(e, e.solution) for e in everything]
    wrong = [timed(e, mistake.run) for e in everything for mistake in e.mistakes]
    both = [timed(e, run) for e in everything if e.is_function for run in list(pairs.both(e).values())[::40]]
    for kind, timings in (("right answer", right), ("wrong answer", wrong), ("two mistakes", both)):
        slowest, name = max(timings)
        yield f"slowest verdict, {kind} ({name})"[:43], f"{1000 * slowest:.0f} ms", "", "", "< 300 ms"
        middle = statistics.median(taken for taken, _ in timings)
        yield f"middle verdict, {kind}", f"{1000 * middle:.0f} ms", "", "", "< 300 ms"
    largest = max((e for e in everything if e.is_function), key=lambda e: len(e.mistakes) * len(e.probes))
    yield f"cold, two mistakes ({largest.name})"[:43], f"{1000 * _cold(largest.name):.0f} ms", "", "", "< 300 ms"


def _cold(name):
    """The seconds of a process's first verdict, on two mistakes at once; what is imported before is not counted."""
    code = (
        "import time, sys\nfrom course_utils.exercises import judge\nfrom course_utils.exercises.engine import pairs\n"
        "from course_utils.exercises.engine.registry import exercises\n"
        "exercise = exercises()[sys.argv[1]]\nanswer = list(pairs.both(exercise).values())[7]\n"
        "pairs.both.cache_clear()\n"
        "start = time.perf_counter(); judge(exercise.name, answer); print(time.perf_counter() - start)"
    )
    runs = [subprocess.run([sys.executable, "-c", code, name], check=True, capture_output=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


def attention():
    """Attention in NumPy and torch, beside each other and beside torch's own."""
    from tests import bench_attention

    yield from bench_attention.measure()


def sliders():
    """A slider in JupyterLab in Chromium, beside interact and matplotlib on the same picture."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        yield "slider: not measured, Chromium is missing", "", "", "", ""
        return
    from playwright.sync_api import sync_playwright

    from tests.browser.latency import latency, p95
    from tests.browser.pages import Lab
    from tests.browser.server import CHROMIUM_ARGUMENTS, jupyterlab

    with tempfile.TemporaryDirectory() as folder, jupyterlab(folder) as address, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        lab = Lab(browser, address, Path(folder) / "notebooks")

        page = lab.open(OURS)
        lab.run_all(page)
        slider = ".jp-OutputArea .course-view input[type=range]"
        page.wait_for_selector(slider)
        low, high = (float(page.locator(slider).first.get_attribute(end)) for end in ("min", "max"))
        moves = [low + (high - low) * (0.1 + 0.8 * i / MOVES) for i in range(MOVES)]
        ours = latency(page, slider, moves, watch=".jp-OutputArea .course-view table")
        page.context.close()

        page = lab.open(RIVAL)
        lab.run_all(page)
        page.wait_for_selector(PICTURE)
        page.focus(".noUi-handle")
        theirs = []
        for _ in range(MOVES):
            page.wait_for_timeout(300)  # until the last move has settled
            page.evaluate(NEXT_PICTURE, PICTURE)
            page.keyboard.press("ArrowRight")
            theirs.append(page.evaluate("window.nextPicture"))
        browser.close()
    for words, of, limit in (("median", statistics.median, "> 10 times faster"), ("p95", p95, "< 50 ms")):
        row = f"{of(ours):.1f} ms", f"{of(theirs):.0f} ms", f"1/{of(theirs) / of(ours):.0f}"
        yield f"slider, {words} / interact + matplotlib", *row, limit


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # before NumPy is imported
    main()
