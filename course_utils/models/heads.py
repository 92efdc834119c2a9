"""One attention layer learns to say, in order, the symbol one place before and the symbol two places before.

Queries and keys see positions only, the values see symbols and positions, and the answer is read off the
joined heads by one matrix. A row of weights is then the same for every text, and its output is a blend of
symbols: read by one matrix, whatever makes "one before" win makes "two before" lose. (A reading that is not
linear could tell the order by the unequal weights.)
"""

import math
from typing import NamedTuple

import torch

from course_utils.models.training import fit, start

LENGTH, SYMBOLS, BATCH = 8, 8, 16


class Runs(NamedTuple):
    """What came of it, over 30 fresh batches; one row for each seed."""

    right: torch.Tensor  # (seeds, 2): part of the answers that are right, one before and two before; chance is 1/8
    either: torch.Tensor  # (seeds,): part of the answers that name one of the two symbols, the right one or the other
    weights: torch.Tensor  # (seeds, heads, 2): mean weight on the place one before and on the place two before
    parameters: int  # of one model


def train(n_heads, *, width=32, seeds=5, steps=600, rate=2e-3, scores_see_symbols=False):
    """Train ``seeds`` models of ``n_heads`` heads, (width / n_heads) wide each, side by side with Adam: ``Runs``.

    Seed s starts from the same numbers whatever ``n_heads`` is, and all see the same batches.
    """
    sizes = {
        "symbol": (SYMBOLS, width),
        "position": (LENGTH, width),
        "W_Q": (width, width),
        "W_K": (width, width),
        "W_V": (width, width),
        "W_O": (width, 2 * SYMBOLS),
    }
    parameters = start(sizes, seeds=seeds)
    batches = torch.Generator().manual_seed(7)

    def loss():
        logits, target, _ = _forward(parameters, n_heads, batches, scores_see_symbols)
        target = target.expand(seeds, -1, -1, -1)
        return seeds * torch.nn.functional.cross_entropy(logits.flatten(0, 3), target.flatten())

    fit(parameters.values(), loss, steps=steps, rate=rate)
    with torch.no_grad():
        tries = [_forward(parameters, n_heads, batches, scores_see_symbols) for _ in range(30)]
        answers = torch.cat([logits.argmax(-1) for logits, _, _ in tries], 1)
        targets = torch.cat([target for _, target, _ in tries])
        weights = torch.stack([weights.mean(1) for _, _, weights in tries]).mean(0)
    i = torch.arange(2, LENGTH)
    looks = torch.stack([weights[..., i, i - 1].mean(-1), weights[..., i, i - 2].mean(-1)], -1)
    right, other = answers == targets, answers == targets.flip(-1)
    size = sum(parameter[0].numel() for parameter in parameters.values())
    return Runs(right.float().mean((1, 2)), (right | other).float().mean((1, 2, 3)), looks, size)


def batch(generator):
    """Random symbols (batch, length), and for each place from the third on the two before it, nearest first."""
    symbols = torch.randint(SYMBOLS, (BATCH, LENGTH), generator=generator)
    return symbols, torch.stack([symbols[:, 1:-1], symbols[:, :-2]], -1)


def _forward(parameters, n_heads, batches, scores_see_symbols):
    """Logits (seeds, batch, places, 2, symbols), the target, and weights (seeds, batch, heads, length, length)."""
    symbols, target = batch(batches)
    position = parameters["position"][:, None]
    x = parameters["symbol"][:, symbols] + position
    asks = x if scores_see_symbols else position

    def heads(source, name):
        return (source @ parameters[name][:, None]).unflatten(-1, (n_heads, -1)).transpose(-2, -3)

    query, key, value = heads(asks, "W_Q"), heads(asks, "W_K"), heads(x, "W_V")
    weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1)
    joined = (weights @ value).transpose(-2, -3).flatten(-2)
    logits = joined @ parameters["W_O"][:, None]
    return logits[:, :, 2:].unflatten(-1, (2, SYMBOLS)), target, weights
