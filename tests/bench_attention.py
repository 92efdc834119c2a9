"""The part of ``make bench`` about attention: causal, batch 1, d_model 512, 8 heads, float32, one thread.

Time is processor time, all rivals in turns on the same inputs; a ratio is taken in each turn, and its median shown.
Memory is counted exactly: tracemalloc for NumPy, the allocations torch's profiler records; the inputs are not counted.
"""

import contextlib
import gc
import os
import statistics
import sys
import time
import tracemalloc

import numpy as np

from course_utils.core.attention import scaled_dot_product_attention
from course_utils.core.blockwise import attention_in_blocks
from course_utils.core.cache import KeyValueCache
from course_utils.core.heads import join_heads, multi_head_attention, split_heads

SIZES = (256, 512, 1024, 2048, 4096)
FITTED = (1024, 2048, 4096)  # the memory slope is fitted where the fixed part no longer matters
SLOW = ("plain", "module")  # up to a GiB and seconds a call at 4096: there they run forward only
D_MODEL, HEADS = 512, 8
TARGETS = {  # at n = 4096
    ("forward", "fused"): "<= 1.8",
    ("forward", "plain"): "<= 0.40",
    ("forward", "module"): "<= 0.40",
    ("forward and backward", "fused"): "<= 1.9",
}
MEMORY_TARGETS = {"forward": "<= 60 MiB", "forward and backward": "<= 200 MiB"}


def measure():
    try:
        import torch
    except ImportError:
        yield "attention: not measured, torch is missing", "", "", "", ""
        return
    torch.set_num_threads(1)
    runs = {"forward": torch_forward, "forward and backward": torch_both, "NumPy forward": numpy_forward}
    for what, rivals in runs.items():
        peaks = {}
        for n in SIZES:
            calls = rivals(n)
            fast = {name: call for name, call in calls.items() if n < SIZES[-1] or name not in SLOW}
            calls = calls if what == "forward" else fast
            seconds, ratios = paired(calls, turns=7 if n <= 1024 else 5)
            for rival in list(calls)[1:]:
                row = shown(seconds["blocks"]), shown(seconds[rival]), f"{ratios[rival]:.2f}"
                limit = TARGETS.get((what, rival), "") if n == SIZES[-1] else ""
                yield f"{what}, n={n}: blocks / {rival}", *row, limit
            for name, call in fast.items():
                if n in FITTED and (rivals is not numpy_forward or name != "fused"):  # that one is torch's
                    peaks.setdefault(name, []).append(
                        (n, numpy_peak(call) if rivals is numpy_forward else torch_peak(call))
                    )
        for name, measured in peaks.items():
            (n, most), slope = measured[-1], np.polyfit(*np.log(measured).T, 1)[0]
            row = f"{most / 2**20:.0f} MiB", "", f"n^{slope:.2f}"
            limit = f"{MEMORY_TARGETS.get(what, '')} < n^1.15".strip() if name == "blocks" else ""
            yield f"{what}, n={n}: memory, {name}", *row, limit
    for kind in ("NumPy", "torch"):
        yield from decoding(kind)


def inputs(n, kind):
    import torch

    arrays = np.random.default_rng(0).normal(size=(3, 1, HEADS, n, D_MODEL // HEADS)).astype(np.float32)
    return [torch.from_numpy(a) for a in arrays] if kind == "torch" else list(arrays)


def rivals_in_torch(n, blocks, gradients):
    """The calls by name: ours in blocks, torch's fused one, the plain three lines, nn.MultiheadAttention."""
    import torch

    query, key, value = (a.requires_grad_(gradients) for a in inputs(n, "torch"))
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    module = torch.nn.MultiheadAttention(D_MODEL, HEADS, bias=False, batch_first=True)
    x = torch.randn(1, n, D_MODEL, requires_grad=gradients)

    def plain():
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return torch.softmax(scores.masked_fill(hidden, -torch.inf), -1) @ value

    return {
        "blocks": lambda: blocks(query, key, value, causal=True),
        "fused": lambda: torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True),
        "plain": plain,
        "module": lambda: module(x, x, x, attn_mask=hidden, need_weights=True)[0],  # projects, too
    }


def torch_forward(n):
    import torch

    calls = rivals_in_torch(n, attention_in_blocks, gradients=False)
    return {name: torch.no_grad()(call) for name, call in calls.items()}


def torch_both(n):
    from course_utils.models.blockwise import trainable_attention_in_blocks

    def both(call):
        return lambda: call().sum().backward()

    calls = rivals_in_torch(n, trainable_attention_in_blocks, gradients=True)
    return {name: both(call) for name, call in calls.items()}


def numpy_forward(n):
    import torch

    query, key, value = inputs(n, "NumPy")
    tensors = inputs(n, "torch")
    fused = torch.nn.functional.scaled_dot_product_attention
    return {
        "blocks": lambda: attention_in_blocks(query, key, value, causal=True),
        "fused": lambda: fused(*tensors, is_causal=True),
        "plain": lambda: scaled_dot_product_attention(query, key, value, causal=True),
    }


def decoding(kind):
    """One more token: with a cache and with everything computed again; then over a longer and longer context."""
    import torch

    random = np.random.default_rng(0)

    def numbers(*shape):
        array = random.normal(size=shape).astype(np.float32) / 22
        return torch.from_numpy(array) if kind == "torch" else array

    def step(cache, token, W):
        query, key, value = (split_heads(token @ W[i], HEADS) for i in range(3))
        heads = scaled_dot_product_attention(query, *cache.append(key, value), causal=True).output
        return join_heads(heads) @ W[3]

    W = [numbers(D_MODEL, D_MODEL) for _ in range(4)]
    for n in SIZES[:3]:
        x, cache = numbers(n, D_MODEL), KeyValueCache()
        cache.append(*(split_heads(x @ W[i], HEADS) for i in (1, 2)))
        calls = {
            "cached": lambda cache=cache, x=x: step(cache, x[-1:], W),
            "again": lambda x=x: multi_head_attention(x, *W, n_heads=HEADS, causal=True).output[-1:],
        }
        seconds, ratios = paired(calls, turns=15)
        row = shown(seconds["cached"]), shown(seconds["again"]), f"{ratios['again']:.3f}"
        yield f"{kind} decode, context {n}: cached / again", *row, "<= 0.25" if n == SIZES[0] else ""

    calls, token = {}, numbers(HEADS, 1, D_MODEL // HEADS)
    for n in reversed(SIZES):
        cache = KeyValueCache()
        cache.append(*numbers(2, HEADS, n, D_MODEL // HEADS))
        calls[n] = lambda cache=cache: scaled_dot_product_attention(token, *cache.append(token, token))
    seconds, ratios = paired(calls, turns=31)
    for n in SIZES[:-1]:
        row = shown(seconds[SIZES[-1]]), shown(seconds[n]), f"{ratios[n]:.1f}"
        yield f"{kind} cached attention, context 4096 / {n}", *row, f"<= {SIZES[-1] // n} (linear)"


def paired(calls, *, turns):
    """Seconds of each call, and the first one's time as a part of each other's; medians over the turns."""
    names = list(calls)
    taken = {name: [] for name in names}
    for call in calls.values():
        if turns > 5:
            call()  # the first one pays for cold memory
    for _ in range(turns):
        for name, call in calls.items():
            start = time.process_time()
            call()
            taken[name].append(time.process_time() - start)
    ratio = {n: statistics.median(a / b for a, b in zip(taken[names[0]], taken[n], strict=True)) for n in names}
    return {name: statistics.median(times) for name, times in taken.items()}, ratio


def numpy_peak(call):
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def torch_peak(call):
    """The most bytes that tensors made in ``call`` take at once."""
    import torch

    gc.collect()
    with without_messages(), torch.profiler.profile(profile_memory=True) as profile:
        call()
    events = profile.profiler.kineto_results.events()
    changes = sorted((e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]")
    return int(max(np.cumsum([size for _, size in changes])))


@contextlib.contextmanager
def without_messages():
    """The profiler writes a line to stderr, past Python, whenever it starts and stops."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def shown(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
