"""Running a learner's function so that nothing it does reaches the learner as a traceback of ours."""

import contextlib
import copy
import inspect
import io
import linecache
import signal
import sys
import threading
import warnings
from dataclasses import dataclass

import numpy as np

SECONDS = 2.0


class TimeUp(BaseException):
    """Raised inside the learner's function; not an Exception, so that an ordinary ``except`` lets it pass."""


@dataclass
class Outcome:
    """What one call gave: an array (or a text, for choices), or one sentence on why there is none."""

    value: object = None
    problem: str = ""
    error: str = ""  # the name of the exception, if one was raised
    nothing: bool = False  # returned None or raised NotImplementedError
    mutated: bool = False


@contextlib.contextmanager
def guarded(seconds=SECONDS):
    """Hide prints and warnings, and raise TimeUp in the body after ``seconds``, where there is a signal for it."""
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def stop(*_):
        raise TimeUp

    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(np.errstate(all="ignore"))
        stack.enter_context(contextlib.redirect_stdout(_Nowhere()))
        stack.enter_context(contextlib.redirect_stderr(_Nowhere()))
        if not timed:
            yield
            return
        before = signal.signal(signal.SIGALRM, stop)
        # Repeated, because a bare "except:" around a loop swallows the first one.
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def run(function, arguments, convert=lambda x: x):
    """Call ``function`` on copies of ``arguments`` and give an Outcome. Only an interrupt or TimeUp passes."""
    # Copies, because an attempt may change its arguments in place.
    mine = [convert(copy.deepcopy(a)) for a in arguments]
    try:
        given = function(*mine)
        outcome = Outcome(nothing=True) if given is None else _read(given)
    except (KeyboardInterrupt, TimeUp):
        raise
    except NotImplementedError:
        return Outcome(nothing=True)
    except RecursionError:
        return Outcome(problem="Your function calls itself without end.", error="RecursionError")
    except BaseException as error:
        return Outcome(problem=_describe(error, function), error=type(error).__name__)
    outcome.mutated = any(
        not _same_array(before, after) for before, after in zip(arguments, mine, strict=True)
    )
    return outcome


def read(answer):
    """An Outcome from an answer that is no function: a number, a list, an array, a text."""
    try:
        return _read(answer)
    except (KeyboardInterrupt, TimeUp):
        raise
    except BaseException:
        return Outcome(problem=f"A {type(answer).__name__} came, which cannot be read as numbers.")


def to_tensor(argument):
    """A NumPy argument as a torch tensor, if torch is already in use; for functions that need tensors."""
    torch = sys.modules.get("torch")
    return torch.from_numpy(argument) if torch and isinstance(argument, np.ndarray) else argument


def _read(given):
    """Turn what came into an array or a text; a sentence where that cannot be done."""
    kind = type(given).__name__
    if isinstance(given, str):
        return Outcome(value=str(given))
    if isinstance(given, tuple) and any(not isinstance(part, int | float | np.number) for part in given):
        return Outcome(problem="A tuple came: return the output only.")
    if inspect.isgenerator(given) or inspect.iscoroutine(given):
        return Outcome(problem=f"A {kind} came: use return, not yield, and return an array.")
    if callable(given):
        return Outcome(
            problem=f"A {kind} came that would have to be called first: return its result, an array."
        )
    if isinstance(given, dict | set | frozenset | bytes):
        return Outcome(problem=f"A {kind} came: return an array of numbers.")
    if hasattr(given, "detach"):
        given = given.detach().cpu()
    if isinstance(given, list | tuple) and any(hasattr(part, "detach") for part in given):
        given = [part.detach().cpu().numpy() if hasattr(part, "detach") else part for part in given]
    try:
        array = np.asarray(given)
    except ValueError:
        return Outcome(problem="The rows of your list have different lengths: make them all the same.")
    if array.dtype.kind not in "biuf":
        inside = "" if kind == "ndarray" else f", which holds {array.dtype.name} entries"
        return Outcome(problem=f"An array of real numbers was needed, but a {kind} came{inside}.")
    return Outcome(value=array.astype(float))


def _describe(error, function):
    """One sentence on an exception, with the learner's own line that raised it where there is one."""
    text = " ".join(str(error).split())[:200]
    sentence = f"Your function raised {type(error).__name__}" + (f": {text}." if text else ".")
    code = getattr(inspect.unwrap(function), "__code__", None)
    trace, line = error.__traceback__, ""
    while trace is not None:
        if code and trace.tb_frame.f_code.co_filename == code.co_filename:
            line = linecache.getline(code.co_filename, trace.tb_lineno).strip() or line
        trace = trace.tb_next
    inside = line and not line.startswith("given = function(")
    return sentence.replace("..", ".") + (f"\n  It happened in the line   {line}" if inside else "")


def _same_array(before, after):
    if not isinstance(before, np.ndarray):
        return True
    after = np.asarray(after)
    alike = before.shape == after.shape and before.dtype == after.dtype
    return alike and np.array_equal(before, after, equal_nan=before.dtype.kind == "f")


def matches(value, expected, tolerance):
    """Whether two values are the same shape and the same numbers, NaN only where NaN belongs."""
    if isinstance(value, str) or isinstance(expected, str):
        return (
            isinstance(value, str) and isinstance(expected, str) and value.strip().lower() == expected.lower()
        )
    expected = np.asarray(expected, dtype=float)
    if not isinstance(value, np.ndarray) or value.shape != expected.shape:
        return False
    return bool(np.allclose(value, expected, rtol=1e-5, atol=tolerance, equal_nan=True))


class _Nowhere(io.TextIOBase):
    """A stream that keeps nothing, however much is printed."""

    def write(self, text):
        return len(text)
