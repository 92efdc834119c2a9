"""A leaky mask makes a model look too good: next-token models trained side by side, honest and leaky.

A text is eight random symbols, then the same eight in a cipher: each symbol becomes the next of the alphabet.
The first half cannot be predicted, by anyone: an honest model's loss there stays at log(12) or above. The
second half can, by looking eight tokens back.
"""

import math
from typing import NamedTuple

import torch

from course_utils.models.training import fit, start

HALF, SYMBOLS, WIDTH, BATCH = 8, 12, 32, 32
CHANCE = math.log(SYMBOLS)  # the loss of the best guess on a random symbol, in nats


class Runs(NamedTuple):
    """What came of it: one row for each mask, one column for each seed."""

    loss_first: torch.Tensor  # on the half that cannot be predicted, in nats
    accuracy_second: torch.Tensor  # on the half that can, with the true text so far given
    generated: torch.Tensor  # the same, writing the second half alone, one token after the other


def _honest(scores):
    return _masked(scores, 0).softmax(-1)


def _sees_the_next_token(scores):
    return _masked(scores, 1).softmax(-1)


def _no_mask(scores):
    return scores.softmax(-1)


MASKS = {"right": _honest, "sees one token ahead": _sees_the_next_token, "no mask": _no_mask}


def train(masks, *, seeds=5, steps=200, rate=1e-2):
    """Train ``len(masks) * seeds`` models of one attention layer, side by side: ``Runs``.

    ``masks`` are names out of MASKS. Seed s starts from the same numbers under every mask, and all see the
    same texts. One core needs about a second for each mask.
    """
    sizes = {
        "symbol": (SYMBOLS, WIDTH),
        "position": (2 * HALF, WIDTH),
        "W_Q": (WIDTH, WIDTH),
        "W_K": (WIDTH, WIDTH),
        "W_V": (WIDTH, WIDTH),
        "W_O": (WIDTH, SYMBOLS),
    }
    parameters = start(sizes, seeds=seeds, spread=0.5, repeats=len(masks))
    texts = torch.Generator().manual_seed(7)

    def loss():
        text = _text(BATCH, texts)
        return _loss(_logits(parameters, masks, text[:, :-1]), text).mean((1, 2)).sum()

    fit(parameters.values(), loss, steps=steps, rate=rate)
    with torch.no_grad():
        text = _text(256, texts)
        logits = _logits(parameters, masks, text[:, :-1])
        first = _loss(logits, text)[..., : HALF - 1].mean((1, 2))
        second = _right(logits.argmax(-1), text)
        generated = _right(_generate(parameters, masks, text)[..., 1:], text)
    shape = len(masks), seeds
    return Runs(*(result.view(shape) for result in (first, second, generated)))


def _text(count, generator):
    """Texts (count, 2 * HALF): random symbols, then their cipher."""
    half = torch.randint(SYMBOLS, (count, HALF), generator=generator)
    return torch.cat([half, (half + 1) % SYMBOLS], 1)


def _masked(scores, ahead):
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1 + ahead)
    return scores.masked_fill(hidden, -torch.inf)


def _logits(parameters, masks, text):
    """What each run says of the next token: (runs, batch, n, symbols) for a text (batch, n) or (runs, batch, n)."""
    runs = torch.arange(len(parameters["symbol"]))[:, None, None]
    x = parameters["symbol"][runs, text] + parameters["position"][:, None, : text.shape[-1]]
    query, key, value = (x @ parameters[name][:, None] for name in ("W_Q", "W_K", "W_V"))
    scores = query @ key.mT / math.sqrt(WIDTH)
    parts = scores.chunk(len(masks))
    weights = torch.cat([MASKS[mask](part) for mask, part in zip(masks, parts, strict=True)])
    return (x + weights @ value) @ parameters["W_O"][:, None]


def _loss(logits, text):
    """The loss of each token that is predicted: (runs, batch, n)."""
    target = text[:, 1:].expand(len(logits), -1, -1)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 2), target.flatten(), reduction="none").view(
        target.shape
    )


def _right(guesses, text):
    """The part of the second half that is right, for each run; guesses are of the tokens from the second on."""
    return (guesses == text[:, 1:])[..., HALF - 1 :].float().mean((1, 2))


def _generate(parameters, masks, text):
    """The text of each run that was given the first half only: (runs, batch, 2 * HALF)."""
    written = text[:, :HALF].expand(len(parameters["symbol"]), -1, -1)
    for _ in range(HALF):
        following = _logits(parameters, masks, written)[..., -1, :].argmax(-1, keepdim=True)
        written = torch.cat([written, following], -1)
    return written
