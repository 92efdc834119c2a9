"""Running a learner's function so that nothing it does reaches the learner as a traceback of ours."""

import contextlib
import copy
import dis
import inspect
import io
import itertools
import linecache
import re
import signal
import sys
import threading
import warnings
from dataclasses import dataclass

import numpy as np

SECONDS = 2.0
ONE_AT_A_TIME = threading.RLock()  # stdout and the alarm are the process's, not a thread's


class TimeUp(BaseException):
    """Raised inside the learner's function; not an Exception, so that an ordinary ``except`` lets it pass."""


@dataclass
class Outcome:
    """What one call gave: an array (or a text, for choices), or one sentence on why there is none."""

    value: object = None
    problem: str = ""
    error: str = ""  # the name of the exception, if one was raised
    nothing: bool = False  # returned None or raised NotImplementedError
    unwritten: str = ""  # the other function that raised NotImplementedError, if it was not the answer itself
    on_purpose: bool = False  # the error comes from a raise statement, not from NumPy or torch
    mutated: tuple = ()  # places of the arguments that were changed
    boolean: bool = False
    coarse: bool = False  # computed from float16, which has three digits


@contextlib.contextmanager
def guarded():
    """Catch prints, hide warnings, and raise TimeUp in the body after SECONDS, where there is a signal for it.

    Gives an object whose ``text`` is the beginning of what was printed.
    """
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def stop(*_):
        raise TimeUp

    with contextlib.ExitStack() as stack:
        stack.enter_context(ONE_AT_A_TIME)
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(np.errstate(all="ignore"))
        printed = _Printed()
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(printed))
        if not timed:
            yield printed
            return
        before = signal.signal(signal.SIGALRM, stop)
        # Repeated, because a bare "except:" around a loop swallows the first one.
        running = signal.setitimer(signal.ITIMER_REAL, SECONDS, 0.05)
        try:
            yield printed
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            signal.setitimer(signal.ITIMER_REAL, *running)  # somebody else's alarm


def run(function, arguments, names=(), convert=lambda x: x):
    """Call ``function`` on copies of ``arguments`` and give an Outcome. Only an interrupt or TimeUp passes.

    An argument that the function takes by its name only, and is in ``names``, is given by its name.
    """
    # Copies, because an attempt may change its arguments in place.
    mine = [convert(copy.deepcopy(a)) for a in arguments]
    coarse = any(getattr(a, "dtype", None) == np.float16 for a in arguments)
    try:
        by_name = _keyword_only(function) if names else ()
        keywords = {n: m for n, m in zip(names, mine, strict=False) if n in by_name}
        positional = [m for n, m in itertools.zip_longest(names, mine) if n not in keywords][
            : len(mine) - len(keywords)
        ]
        given = function(*positional, **keywords)
        outcome = Outcome(nothing=True) if given is None else _read(given)
    except (KeyboardInterrupt, TimeUp):
        raise
    except RecursionError:
        return Outcome(problem="Your function calls itself without end.", error="RecursionError")
    except BaseException as error:
        frame = _innermost(error)
        nothing = isinstance(error, NotImplementedError) and not error.args
        return Outcome(
            problem=_describe(error, function),
            error=type(error).__name__,
            nothing=nothing,
            unwritten=_another(frame, function) if nothing else "",
            on_purpose=_on_purpose(frame),
        )
    pairs = enumerate(zip(map(convert, arguments), mine, strict=True))
    outcome.mutated = tuple(place for place, pair in pairs if not _same_array(*pair))
    outcome.coarse = coarse
    return outcome


def _innermost(error):
    """The place in the traceback that raised."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _another(trace, function):
    """The name of the function that raised, "" if that is the answer itself or is no function of the learner's."""
    code = trace.tb_frame.f_code
    own = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_name if own and code is not own and code.co_name.isidentifier() else ""


def _on_purpose(trace):
    """Whether a raise statement raised, and one that does not stand inside NumPy or torch."""
    package = str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0]
    steps = {step.offset: step.opname for step in dis.get_instructions(trace.tb_frame.f_code)}
    return package not in ("numpy", "torch") and steps.get(trace.tb_lasti) == "RAISE_VARARGS"


def _keyword_only(function):
    """The names of the arguments that a function takes by name only."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return set()
    return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}


def read(answer):
    """An Outcome from an answer that is no function: a number, a list, an array, a text."""
    try:
        return _read(answer)
    except (KeyboardInterrupt, TimeUp):
        raise
    except BaseException:
        return Outcome(problem=f"{a(answer).capitalize()} came, which cannot be read as numbers.")


def to_tensor(argument):
    """A NumPy argument as a torch tensor, if torch is already in use; for functions that need tensors."""
    torch = sys.modules.get("torch")
    if not torch or not isinstance(argument, np.ndarray):
        return argument
    # torch has no softmax of whole numbers.
    return torch.from_numpy(argument.astype(float) if argument.dtype.kind in "iu" else argument)


def _read(given):
    """Turn what came into an array or a text; a sentence where that cannot be done."""
    kind = a(given)
    if isinstance(given, str):
        return Outcome(value=str(given))
    if isinstance(given, tuple) and any(not isinstance(part, int | float | np.number) for part in given):
        return Outcome(problem="A tuple came: return the output only.")
    if inspect.isgenerator(given) or inspect.iscoroutine(given):
        return Outcome(problem=f"{kind.capitalize()} came: use return, not yield, and return an array.")
    if callable(given):
        return Outcome(
            problem=f"{kind.capitalize()} came that would have to be called first: return its result, an array."
        )
    if isinstance(given, dict | set | frozenset | bytes):
        return Outcome(problem=f"{kind.capitalize()} came: return an array of numbers.")
    if hasattr(given, "detach"):
        given = given.detach().cpu()
    if isinstance(given, list | tuple) and any(hasattr(part, "detach") for part in given):
        given = [part.detach().cpu().numpy() if hasattr(part, "detach") else part for part in given]
    try:
        array = np.asarray(given)
    except ValueError:
        return Outcome(problem="The rows of your list have different lengths: make them all the same.")
    if array.dtype.kind not in "biuf":
        texts = " of texts" if array.dtype.kind == "U" else ""
        return Outcome(problem=f"An array of real numbers was needed, but {kind}{texts} came.")
    return Outcome(value=array.astype(float), boolean=array.dtype.kind == "b")


# What NumPy and Python say about the commonest slips, and what it means here.
PLAIN_WORDS = [
    (r"matmul: .*\(size (\d+) is different from (\d+)\)", r"the inner sizes of a product differ, \2 and \1"),
    (r"operands could not be broadcast together with shapes (\S+) (\S+).*", r"the shapes \1 and \2 do not fit"),
    (
        r"(only (length-1|0-dimensional|scalar) arrays can be converted|only size-1 arrays can be converted).*",
        "one number was needed, but an array came; math functions take a number, np functions an array",
    ),
    (
        r"('NoneType' object (?:has no|is not)|unsupported operand type\(s\) for .*'NoneType').*",
        "None came where an array was needed; perhaps a function that you call has no return yet",
    ),
    (
        r"The truth value of an array.*",
        "an array is neither true nor false; write x is None to ask whether there is one, use | and & with brackets, "
        "and x.max(), not max(x)",
    ),
]


def _describe(error, function):
    """One sentence on an exception, with the learner's own line that raised it where there is one."""
    text = " ".join(str(error).split())[:200].rstrip(".")
    for pattern, words in PLAIN_WORDS:
        text = re.sub(pattern, words, text)
    sentence = f"Your function raised {type(error).__name__}" + (f": {text}." if text else ".")
    code = getattr(inspect.unwrap(function), "__code__", None)
    trace, line = error.__traceback__, ""
    while trace is not None:
        if code and trace.tb_frame.f_code.co_filename == code.co_filename:
            line = linecache.getline(code.co_filename, trace.tb_lineno).strip() or line
        trace = trace.tb_next
    inside = line and not line.startswith("given = function(")
    return sentence + (f"\n  It happened in the line   {line}" if inside else "")


def a(thing):
    """The type of a thing with its article, for messages: "an int", "a list"."""
    name = type(thing).__name__.replace("ndarray", "array")
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def is_stub(function):
    """Whether a function has no body yet: pass, ..., a docstring, or a bare return."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "NOP", "RETURN_VALUE")]
    return all(step.opname in ("LOAD_CONST", "RETURN_CONST") and step.argval is None for step in steps)


def _same_array(before, after):
    if not hasattr(before, "dtype"):
        return True
    before, after = np.asarray(before), np.asarray(after)
    alike = before.shape == after.shape and before.dtype == after.dtype
    return alike and np.array_equal(before, after, equal_nan=before.dtype.kind == "f")


def matches(value, expected, tolerance):
    """Whether two values are the same shape and the same numbers, NaN only where NaN belongs."""
    if isinstance(value, str) or isinstance(expected, str):
        return isinstance(value, str) and isinstance(expected, str) and value.strip(" ().").lower() == expected
    expected = np.asarray(expected, dtype=float)
    if not isinstance(value, np.ndarray) or value.shape != expected.shape:
        return False
    if np.array_equal(value, expected):
        return True
    with np.errstate(invalid="ignore"):  # inf - inf; the same as np.allclose with equal_nan, and four times faster
        near = np.abs(value - expected) <= tolerance + 1e-5 * np.abs(expected)
        near &= np.isfinite(expected)
    return bool(np.all(near | (value == expected) | (np.isnan(value) & np.isnan(expected))))


class _Printed(io.TextIOBase):
    """A stream that keeps the beginning of what is printed, however much it is."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text[: 300 - len(self.text)]
        return len(text)
