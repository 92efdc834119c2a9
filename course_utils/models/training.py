"""What the tiny trained models share: start numbers for many runs, steps of training, a stored run with its card."""

import json
from pathlib import Path

import torch

RUNS = Path(__file__).resolve().parents[1] / "data" / "runs"
EMBEDDINGS = ("symbol", "position")
ON = f"{torch.__version__.partition('+')[0]}, CPU, one thread"  # what a run was made with, for its card


def start(sizes, *, seeds, spread=1.0, repeats=1):
    """Start numbers by name, (repeats * seeds, rows, columns) each: embeddings as spread out as ``spread`` says,
    matrices with variance 1 / (their number of rows). Seed s draws the same numbers in every repeat.
    """
    drawn = {}
    for place, (name, size) in enumerate(sizes.items()):
        generators = (torch.Generator().manual_seed(1000 * (seed + 1) + place) for seed in range(seeds))
        draws = torch.stack([torch.randn(size, generator=generator) for generator in generators])
        deviation = spread if name in EMBEDDINGS else size[0] ** -0.5
        drawn[name] = (draws * deviation).repeat(repeats, 1, 1).requires_grad_()
    return drawn


def fit(parameters, loss, *, steps, rate, optimiser=torch.optim.Adam):
    """Train ``parameters`` for some steps. ``loss()`` gives the loss on its next batch.

    Where many runs train side by side it is the sum of each run's mean, so that no run feels another.
    """
    optimiser = optimiser(parameters, lr=rate)
    for _ in range(steps):
        value = loss()
        optimiser.zero_grad()
        value.backward()
        optimiser.step()


def layers(count, width, *, bias=True):
    """Transformer layers before the norm: norm, qkv, out and feed, for a model to put its attention between."""
    return torch.nn.ModuleList(
        torch.nn.ModuleDict(
            {
                "norm": torch.nn.LayerNorm(width),
                "qkv": torch.nn.Linear(width, 3 * width, bias=bias),
                "out": torch.nn.Linear(width, width),
                "feed": torch.nn.Sequential(
                    torch.nn.LayerNorm(width),
                    torch.nn.Linear(width, 4 * width),
                    torch.nn.GELU(),
                    torch.nn.Linear(4 * width, width),
                ),
            }
        )
        for _ in range(count)
    )


def store(name, what, card, accuracy):
    """Write a run to ``data/runs``: what it holds, its card, and the rows of its accuracies, as TOML values."""
    lines = [f"# Written by python -m course_utils.models.{name}{what}", "[card]"]
    lines += [f"{field} = {json.dumps(value)}" for field, value in card.items()]
    lines += ["", "[accuracy]", *(f'"{row}" = {value}' for row, value in accuracy.items())]
    (RUNS / f"{name}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
