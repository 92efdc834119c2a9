"""One attention layer learns to say twelve symbols backwards; many runs train side by side.

The queries and keys see positions only, the values see symbols and positions, so the layer can only succeed
by looking at the right place. Whether it learns depends on how spread out the scores are at the start.
"""

import math
from typing import NamedTuple

import torch

from course_utils.models.training import fit, start

LENGTH, SYMBOLS, WIDTH, BATCH = 12, 12, 48, 16
FROZEN = 0.999  # a row that gives one key more than this hardly reacts


class Runs(NamedTuple):
    """What came of it: one row for each rule, one column for each seed."""

    accuracy: torch.Tensor  # at the end, over 20 fresh batches; chance is 1/12
    spread: torch.Tensor  # standard deviation of the scores at the first step, after scaling
    frozen: torch.Tensor  # part of the rows with a weight above FROZEN at the first step


def train(rules, *, d_k=64, seeds=5, embedding_spread=1.0, steps=300, rate=3e-3):
    """Train ``len(rules) * seeds`` models with Adam, side by side: ``Runs``.

    ``rules``  names of what the scores are multiplied by: "none" (1), "1/sqrt(d_k)" or "1/d_k".
    ``embedding_spread``  standard deviation of the embeddings at the start; the matrices are drawn with variance
    1 / (their number of rows). Seed s starts from the same numbers under every rule, and all see the same batches.
    """
    factors = {"none": 1.0, "1/sqrt(d_k)": 1 / math.sqrt(d_k), "1/d_k": 1 / d_k}
    scale = torch.tensor([factors[rule] for rule in rules]).repeat_interleave(seeds).view(-1, 1, 1, 1)
    sizes = {
        "symbol": (SYMBOLS, WIDTH),
        "position": (LENGTH, WIDTH),
        "W_Q": (WIDTH, d_k),
        "W_K": (WIDTH, d_k),
        "W_V": (WIDTH, WIDTH),
        "W_O": (WIDTH, SYMBOLS),
    }
    parameters = start(sizes, seeds=seeds, spread=embedding_spread, repeats=len(rules))
    batches, first = torch.Generator().manual_seed(7), []

    def loss():
        logits, weights, scores, target = _forward(parameters, scale, batches)
        if not first:
            first.append(scores.detach().std((1, 2, 3)))
            first.append((weights.detach().amax(-1) > FROZEN).float().mean((1, 2)))
        target = target.expand(len(scale), -1, -1)
        each = torch.nn.functional.cross_entropy(logits.flatten(0, 2), target.flatten(), reduction="none")
        return each.sum() * len(scale) / each.numel()

    fit(parameters.values(), loss, steps=steps, rate=rate)
    with torch.no_grad():
        right = [_right(*_forward(parameters, scale, batches)) for _ in range(20)]
    shape = len(rules), seeds
    return Runs(torch.stack(right).mean(0).view(shape), first[0].view(shape), first[1].view(shape))


def batch(generator):
    """Random symbols (batch, length), and the same backwards."""
    symbols = torch.randint(SYMBOLS, (BATCH, LENGTH), generator=generator)
    return symbols, symbols.flip(1)


def _forward(parameters, scale, batches):
    """Logits (runs, batch, length, symbols), weights, scores, and the target (batch, length)."""
    symbols, target = batch(batches)
    position = parameters["position"][:, None]
    x = parameters["symbol"][:, symbols] + position
    query, key = position @ parameters["W_Q"][:, None], position @ parameters["W_K"][:, None]
    scores = query @ key.mT * scale
    weights = scores.softmax(-1)
    output = weights @ (x @ parameters["W_V"][:, None])
    return output @ parameters["W_O"][:, None], weights, scores, target


def _right(logits, weights, scores, target):
    return (logits.argmax(-1) == target).float().mean((1, 2))
