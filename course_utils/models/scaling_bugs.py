"""Bugs that train anyway: a tiny transformer learns two tasks with its attention broken on purpose.

``python -m course_utils.models.scaling_bugs`` repeats the stored run (about two minutes on one core) and writes
``data/runs/scaling_bugs.toml``, which lesson 02 shows. The copy task needs no attention: the residual carries it.
"""

import torch

from course_utils.models.training import ON, fit, layers, store

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

    def loss():
        symbols, target = _batch(task)
        return torch.nn.functional.cross_entropy(model(symbols).flatten(0, 1), target.flatten())

    fit(model.parameters(), loss, steps=STEPS[task], rate=3e-3, optimiser=torch.optim.AdamW)
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
        self.layers = layers(LAYERS, WIDTH)
        self.read = torch.nn.Linear(WIDTH, SYMBOLS)

    def forward(self, symbols):
        x = self.symbol(symbols) + self.position.weight
        for layer in self.layers:
            x = x + layer["out"](self.attend(*layer["qkv"](layer["norm"](x)).chunk(3, -1)))
            x = x + layer["feed"](x)
        return self.read(x)


def main():
    torch.set_num_threads(1)
    card = {
        "model": f"{LAYERS} layers, 1 head, width {WIDTH}, pre-norm, feed-forward, learned positions",
        "data": f"{LENGTH} random symbols out of {SYMBOLS}, fresh in every batch of {BATCH}; chance is 0.08",
        "training": f"AdamW, rate 0.003, {STEPS['copy']} steps for copy, {STEPS['reverse']} for reverse",
        "seeds": SEEDS,
        "torch": ON,
        "limits": "a toy: it shows that training can hide a bug, not how often it does",
    }
    found = {}
    for bug in BUGS:
        lowest = {task: min(train(bug, task, seed) for seed in range(SEEDS)) for task in STEPS}
        print(bug, lowest, flush=True)
        found[bug] = f"{{copy = {lowest['copy']:.2f}, reverse = {lowest['reverse']:.2f}}}"
    store("scaling_bugs", "; lowest accuracy of the seeds, in hundredths.", card, found)


if __name__ == "__main__":
    main()
