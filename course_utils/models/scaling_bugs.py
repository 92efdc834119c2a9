"""Bugs that train anyway: a tiny transformer learns two tasks with its attention broken on purpose.

``python -m course_utils.models.scaling_bugs`` repeats the stored run (about two minutes on one core) and writes
``data/runs/scaling_bugs.toml``, which lesson 02 shows. The copy task needs no attention: the residual carries it.
"""

from pathlib import Path

import torch

LENGTH, SYMBOLS, WIDTH, BATCH, LAYERS = 8, 12, 32, 64, 2
STEPS = {"copy": 250, "reverse": 500}
SEEDS = 3

# What the attention does with query, key, value (..., n, d); the text is the row of the table.
BUGS = {
    "right": lambda q, k, v: _weights(q, k) @ v,
    "no scale": lambda q, k, v: (q @ k.mT).softmax(-1) @ v,
    "divided by d_k": lambda q, k, v: (q @ k.mT / WIDTH).softmax(-1) @ v,
    "multiplied by sqrt(d_k)": lambda q, k, v: (q @ k.mT * WIDTH**0.5).softmax(-1) @ v,
    "softmax over the queries": lambda q, k, v: (q @ k.mT / WIDTH**0.5).softmax(-2) @ v,
    "softmax taken twice": lambda q, k, v: _weights(q, k).softmax(-1) @ v,
    "weights transposed": lambda q, k, v: _weights(q, k).mT @ v,
    "keys used as queries": lambda q, k, v: _weights(k, k) @ v,
    "keys used as values": lambda q, k, v: _weights(q, k) @ k,
    "plain average, no scores": lambda q, k, v: v.mean(-2, keepdim=True).expand_as(v),
}


def train(bug, task, seed):
    """Train one model; its accuracy on 20 fresh batches. ``task`` is "copy" or "reverse"."""
    torch.manual_seed(seed)
    model = _Model(BUGS[bug])
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(STEPS[task]):
        symbols, target = _batch(task)
        loss = torch.nn.functional.cross_entropy(model(symbols).flatten(0, 1), target.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    with torch.no_grad():
        batches = [_batch(task) for _ in range(20)]
        return sum(float((model(s).argmax(-1) == t).float().mean()) for s, t in batches) / len(batches)


def _weights(q, k):
    return (q @ k.mT / WIDTH**0.5).softmax(-1)


def _batch(task):
    symbols = torch.randint(SYMBOLS, (BATCH, LENGTH))
    return symbols, symbols if task == "copy" else symbols.flip(1)


class _Model(torch.nn.Module):
    def __init__(self, attend):
        super().__init__()
        self.attend = attend
        self.symbol = torch.nn.Embedding(SYMBOLS, WIDTH)
        self.position = torch.nn.Embedding(LENGTH, WIDTH)
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleDict(
                {
                    "norm": torch.nn.LayerNorm(WIDTH),
                    "qkv": torch.nn.Linear(WIDTH, 3 * WIDTH),
                    "out": torch.nn.Linear(WIDTH, WIDTH),
                    "feed": torch.nn.Sequential(
                        torch.nn.LayerNorm(WIDTH),
                        torch.nn.Linear(WIDTH, 4 * WIDTH),
                        torch.nn.GELU(),
                        torch.nn.Linear(4 * WIDTH, WIDTH),
                    ),
                }
            )
            for _ in range(LAYERS)
        )
        self.read = torch.nn.Linear(WIDTH, SYMBOLS)

    def forward(self, symbols):
        x = self.symbol(symbols) + self.position.weight
        for layer in self.layers:
            x = x + layer["out"](self.attend(*layer["qkv"](layer["norm"](x)).chunk(3, -1)))
            x = x + layer["feed"](x)
        return self.read(x)


def main():
    torch.set_num_threads(1)
    lines = [
        "# Written by python -m course_utils.models.scaling_bugs; lowest accuracy of the seeds, in hundredths.",
        "[card]",
        f'model = "{LAYERS} layers, 1 head, width {WIDTH}, pre-norm, feed-forward, learned positions"',
        f'data = "{LENGTH} random symbols out of {SYMBOLS}, fresh in every batch of {BATCH}; chance is 0.08"',
        f'training = "AdamW, rate 0.003, {STEPS["copy"]} steps for copy, {STEPS["reverse"]} for reverse"',
        f"seeds = {SEEDS}",
        f'torch = "{torch.__version__.partition("+")[0]}, CPU, one thread"',
        'limits = "a toy: it shows that training can hide a bug, not how often it does"',
        "",
        "[accuracy]",
    ]
    for bug in BUGS:
        lowest = {task: min(train(bug, task, seed) for seed in range(SEEDS)) for task in STEPS}
        print(bug, lowest, flush=True)
        lines.append(f'"{bug}" = {{copy = {lowest["copy"]:.2f}, reverse = {lowest["reverse"]:.2f}}}')
    target = Path(__file__).resolve().parents[1] / "data" / "runs" / "scaling_bugs.toml"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
