"""Small models learn the pronoun task: many seeds side by side, in seconds (see ``core/pronoun``).

``python -m course_utils.models.depth`` trains the stored models again: ``data/runs/depth.npz`` and its card.
"""

import numpy as np
import torch

from course_utils.core.pronoun import IT, LENGTH, NOUNS, WORDS, Weights, accuracy, cut, pairs, read
from course_utils.models.training import ON, RUNS, fit, store

WIDTH, BATCH, STEPS = 16, 64, 250  # pairs in a batch
DIGITS = 4  # of the stored weights


def train(layers, *, seeds=5, steps=STEPS, rate=1e-2, row=IT, causal=False, only_it_reads=False, first_seed=0):
    """Train ``seeds`` models side by side: ``Weights`` of torch tensors with the seeds in front.

    ``row``  the place of the word whose weights answer: its weight on the right noun should be 1.
    ``only_it_reads``  hides the adjective in layer 1 from every word but "it", in training only.
    Seed s starts from the same numbers however many run beside it; all see the same batches.
    """
    weights = _start(layers, range(first_seed, first_seed + seeds))
    text, referent = (torch.from_numpy(array) for array in pairs(1500))
    batches = torch.Generator().manual_seed(7)
    others = [place for place in range(LENGTH) if place != IT]
    mask = torch.from_numpy(cut(others, layers=layers)) if only_it_reads else None

    def loss():
        chosen = torch.randint(len(text) // 2, (BATCH,), generator=batches)
        chosen = torch.cat([2 * chosen, 2 * chosen + 1])
        last = read(weights, text[chosen], mask=mask, causal=causal)[-1]
        given = last[:, torch.arange(len(chosen)), row, referent[chosen]]
        missed = -(given + 1e-9).log().mean(-1).sum()
        if only_it_reads:  # large scores would hide the way that was taken
            missed = missed + 1e-3 * (weights.W_Q.square().sum() + weights.W_K.square().sum())
        return missed

    fit(weights, loss, steps=steps, rate=rate)
    return Weights(*(array.detach() for array in weights))


def held_out_accuracy(weights, *, row=IT, causal=False, mask=None):
    """The accuracy of each model on sentences whose nouns and adjectives it has not seen together: (seeds,)."""
    text, referent = pairs(300, held_out=True, seed=1)
    return accuracy(read(weights, torch.from_numpy(text), mask=mask, causal=causal)[-1], referent, row=row)


def _start(layers, seeds):
    """Start numbers: embeddings of variance 1, matrices as torch.nn.Linear draws them."""
    bound = WIDTH**-0.5
    drawn = []
    for seed in seeds:
        generator = torch.Generator().manual_seed(seed)
        embedding = torch.randn(len(WORDS), WIDTH, generator=generator)
        matrices = (torch.rand(3, layers, WIDTH, WIDTH, generator=generator) * 2 - 1) * bound
        drawn.append((embedding, *matrices))
    return Weights(*(torch.stack(parts).requires_grad_() for parts in zip(*drawn, strict=True)))


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    weights = Weights(*(array.numpy().round(DIGITS) for array in train(2)))
    np.savez_compressed(RUNS / "depth.npz", **weights._asdict())
    text, referent = pairs(300, held_out=True, seed=1)
    card = {
        "model": f"2 attention layers, 1 head, width {WIDTH}, residuals; no norm, no feed-forward, no positions",
        "task": "the row of it in layer 2 should give its weight to the noun that is meant",
        "training": f"Adam, rate 0.01, {STEPS} steps of {2 * BATCH} sentences, in minimal pairs",
        "measured": f"on {len(text)} sentences with nouns and adjectives not seen together in training",
        "seeds": f"0 to {len(weights.embedding) - 1}; the same batches for all",
        "torch": f"{ON}; weights rounded to {DIGITS} digits",
        "limits": "a toy of 46 words: it shows which routes there can be, not which ones large models take",
    }
    cuts = {"whole": [], "it cut": [IT], "nouns cut": NOUNS, "both cut": [IT, *NOUNS]}
    found = {name: accuracy(read(weights, text, mask=cut(rows))[-1], referent) for name, rows in cuts.items()}
    rows = {name: f"[{', '.join(f'{part:.2f}' for part in parts)}]" for name, parts in found.items()}
    print(rows)
    store("depth", " with depth.npz; accuracy of each seed, in hundredths.", card, rows)


if __name__ == "__main__":
    main()
