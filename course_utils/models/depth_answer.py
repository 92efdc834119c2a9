"""Another question to the sentences of ``core/pronoun``: which tag does the noun have that "it" means?

Each noun of a sentence gets one of four tags at random, added to its embedding. The answer is read from the output
at "it", so a feed-forward layer after attention can help; where the weights point is not asked.
``python -m course_utils.models.depth_answer`` repeats the stored run (a few minutes on one core) and writes
``data/runs/depth_answer.toml``.
"""

import torch

from course_utils.core.pronoun import IT, NOUNS, WORDS, pairs
from course_utils.core.transformer import feed_forward
from course_utils.models.training import ON, fit, store

TAGS, WIDTH, BATCH, STEPS, SEEDS = 4, 32, 128, 3000, 3
# What stands in each model: attention layers, and whether a feed-forward layer follows each.
MODELS = {
    "1 attention layer": (1, False),
    "1 attention layer + feed-forward": (1, True),
    "2 attention layers": (2, False),
}


def train(name, seed, steps=STEPS):
    """Train one model; its accuracy on nouns and adjectives it has not seen together."""
    torch.manual_seed(seed)
    model = _Model(*MODELS[name])
    text, referent = (torch.from_numpy(array) for array in pairs(2000))

    def loss():
        chosen = torch.randint(len(text), (BATCH,))
        tags, answer = _tags(referent[chosen])
        return torch.nn.functional.cross_entropy(model(text[chosen], tags), answer)

    fit(model.parameters(), loss, steps=steps, rate=3e-3)
    text, referent = (torch.from_numpy(array) for array in pairs(1000, held_out=True, seed=1))
    tags, answer = _tags(referent)
    with torch.no_grad():
        return float((model(text, tags).argmax(-1) == answer).float().mean())


def _tags(referent):
    """Two different tags for each sentence, (n, 2), and the one of the noun that is meant."""
    first = torch.randint(TAGS, referent.shape)
    second = (first + torch.randint(1, TAGS, referent.shape)) % TAGS
    return torch.stack([first, second], -1), torch.where(referent == NOUNS[0], first, second)


class _Model(torch.nn.Module):
    def __init__(self, layers, feeds):
        super().__init__()
        self.feeds = feeds
        self.word, self.tag = torch.nn.Embedding(len(WORDS), WIDTH), torch.nn.Embedding(TAGS, WIDTH)
        self.qkv = torch.nn.ModuleList(torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False) for _ in range(layers))
        self.wide = torch.nn.ModuleList(torch.nn.Linear(WIDTH, 4 * WIDTH) for _ in range(layers))
        self.back = torch.nn.ModuleList(torch.nn.Linear(4 * WIDTH, WIDTH) for _ in range(layers))
        self.read = torch.nn.Linear(WIDTH, TAGS)

    def forward(self, text, tags):
        x = self.word(text)
        x = x.index_add(1, torch.tensor(NOUNS), self.tag(tags))
        for qkv, wide, back in zip(self.qkv, self.wide, self.back, strict=True):
            query, key, value = qkv(x).chunk(3, -1)
            x = x + (query @ key.mT / WIDTH**0.5).softmax(-1) @ value
            if self.feeds:
                x = x + feed_forward(x, wide.weight.mT, wide.bias, back.weight.mT, back.bias, activation=torch.relu)
        return self.read(x[:, IT])


def main():
    torch.set_num_threads(1)
    card = {
        "task": f"{TAGS} tags, a different one for each noun, at random; name the tag of the noun that it means",
        "chance": "0.50 for a model that knows both tags and not which noun is meant",
        "model": f"1 head, width {WIDTH}, residuals, no norm, no positions; feed-forward {4 * WIDTH} wide, ReLU",
        "training": f"Adam, rate 0.003, {STEPS} steps of {BATCH} sentences",
        "measured": "on nouns and adjectives not seen together in training",
        "seeds": SEEDS,
        "torch": ON,
        "limits": "a toy: it shows what is possible, not how large models do it",
    }
    found = {}
    for name in MODELS:
        reached = [train(name, seed) for seed in range(SEEDS)]
        print(name, reached, flush=True)
        found[name] = f"[{min(reached):.2f}, {max(reached):.2f}]"
    store("depth_answer", "; held-out accuracy, [lowest, highest] of the seeds.", card, found)


if __name__ == "__main__":
    main()
