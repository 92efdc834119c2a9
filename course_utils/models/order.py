"""Past the trained length: five ways to tell order learn to repeat the previous symbol, on 32 places only.

A sixth row takes the trained rotary models as they are, and treats every distance above 31 as 31.

``python -m course_utils.models.order`` repeats the stored run (some minutes on one core) and writes
``data/runs/order.toml``, which lesson 08 shows.
"""

import math

import torch

from course_utils.core.positions import alibi_bias, rotate, sinusoidal_positions
from course_utils.models.training import ON, fit, layers, store

TRAINED, LENGTHS = 32, (32, 64, 128, 256)
SYMBOLS, WIDTH, HEADS, LAYERS, BATCH, STEPS, SEEDS = 24, 64, 4, 2, 32, 500, 5
LAST = 16  # places at the end of a sequence on which the accuracy is taken
CLIPPED = f"rotary, distances clipped at {TRAINED - 1}"  # the trained rotary models, read in another way
KINDS = ("none", "learned", "sinusoidal", "rotary", CLIPPED, "ALiBi")


def train(kind, seed, *, steps=STEPS):
    """A model that tells order the way ``kind`` says, trained on sequences of 32 symbols."""
    torch.manual_seed(seed)
    model = _Model(kind)

    def loss():
        symbols = torch.randint(SYMBOLS, (BATCH, TRAINED))
        logits = model(symbols)[:, 1:]
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), symbols[:, :-1].flatten())

    fit(model.parameters(), loss, steps=steps, rate=2e-3, optimiser=torch.optim.AdamW)
    return model


@torch.no_grad()
def accuracy(model, length, *, batches=4):
    """How often the model names the previous symbol, on the last 16 places of sequences of this length."""
    right = []
    for seed in range(batches):
        symbols = torch.randint(SYMBOLS, (BATCH, length), generator=torch.Generator().manual_seed(seed))
        guess = model(symbols)[:, -LAST:].argmax(-1)
        right.append((guess == symbols[:, -LAST - 1 : -1]).float().mean())
    return float(torch.stack(right).mean())


class _Model(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.symbol = torch.nn.Embedding(SYMBOLS, WIDTH)
        self.position = torch.nn.Embedding(max(LENGTHS), WIDTH) if kind == "learned" else None
        self.layers = layers(LAYERS, WIDTH, bias=False)
        self.read = torch.nn.Linear(WIDTH, SYMBOLS)

    def forward(self, symbols):
        n = symbols.shape[1]
        x = self.symbol(symbols)
        if self.kind == "learned":
            x = x + self.position.weight[:n]
        if self.kind == "sinusoidal":
            x = x + torch.tensor(sinusoidal_positions(n, WIDTH), dtype=x.dtype)
        for layer in self.layers:
            x = x + layer["out"](self._attend(*layer["qkv"](layer["norm"](x)).chunk(3, -1)))
            x = x + layer["feed"](x)
        return self.read(x)

    def _attend(self, *query_key_value):
        query, key, value = (x.unflatten(-1, (HEADS, -1)).transpose(1, 2) for x in query_key_value)
        n, scale = query.shape[-2], 1 / math.sqrt(query.shape[-1])
        if self.kind in ("rotary", CLIPPED):
            far = rotate(query, torch.full((n,), TRAINED - 1)) @ key.mT * scale  # as if 31 places away
            query, key = rotate(query, torch.arange(n)), rotate(key, torch.arange(n))
        scores = query @ key.mT * scale
        if self.kind == CLIPPED:
            scores = torch.where(torch.ones(n, n, dtype=torch.bool).tril(-TRAINED), far, scores)
        if self.kind == "ALiBi":
            scores = scores + torch.tensor(alibi_bias(HEADS, n), dtype=scores.dtype)
        future = torch.ones(n, n, dtype=torch.bool).triu(1)
        output = scores.masked_fill(future, -torch.inf).softmax(-1) @ value
        return output.transpose(1, 2).flatten(-2)


def main():
    torch.set_num_threads(1)
    card = {
        "model": f"{LAYERS} layers, {HEADS} heads, width {WIDTH}, pre-norm, causal; "
        f"{TRAINED} of the {max(LENGTHS)} learned rows are trained",
        "data": f"random symbols out of {SYMBOLS}; name the previous one; chance is {1 / SYMBOLS:.2f}",
        "training": f"length {TRAINED}, AdamW, rate 0.002, batch {BATCH}, {STEPS} steps",
        "measured": f"on the last {LAST} places of fresh sequences; clipped: the rotary models again, "
        f"a distance above {TRAINED - 1} taken for {TRAINED - 1}",
        "seeds": SEEDS,
        "torch": ON,
        "limits": "a toy, and one task that only looks one place back: it says nothing on tasks that look far",
    }
    found, models = {}, []
    for kind in KINDS:
        if kind == CLIPPED:  # the rotary models again: in training no distance is above 31
            for model in models:
                model.kind = kind
        else:
            models = [train(kind, seed) for seed in range(SEEDS)]
        rows = {length: [accuracy(model, length) for model in models] for length in LENGTHS}
        print(kind, rows, flush=True)
        ranges = ", ".join(f"{n} = [{min(row):.2f}, {max(row):.2f}]" for n, row in rows.items())
        found[kind] = f"{{{ranges}}}"
    store("order", "; accuracy by length, [lowest, highest] of the seeds.", card, found)


if __name__ == "__main__":
    main()
