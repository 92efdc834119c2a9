"""Random blocks, edited tokens and gradients by hand: tools of the proofs on depth."""

import math

import numpy as np

from course_utils.core.scores import softmax
from course_utils.core.transformer import Block


def random_block(d, seed=0):
    """A block of random weights, inner width 4 d."""
    rng = np.random.default_rng(seed)
    matrix = lambda a, b: rng.standard_normal((a, b)) / math.sqrt(a)
    projections = [matrix(d, d) for _ in range(4)]
    ones, zeros = np.ones(d), np.zeros(d)
    return Block(
        *projections, matrix(d, 4 * d), np.zeros(4 * d), matrix(4 * d, d), zeros, ones, zeros, ones, zeros
    )


def silent(block):
    """The same block with both parts at zero."""
    return block._replace(W_O=np.zeros_like(block.W_O), W_2=np.zeros_like(block.W_2))


def edited_tokens(n, d, row):
    """Random tokens, and the same with one changed."""
    x = random(1, n, d, seed=7)[0]
    other = x.copy()
    other[row] += np.arange(d)
    return x, other


def moved(one, other):
    return np.flatnonzero(np.abs(one - other).max(axis=-1) > 1e-9).tolist()


def random(count, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal((count, *shape))


def gradients(kind, seed, layers=24, d=64, n=96, classes=32):
    """Forward and backward through feed-forward layers: (last gradient / first, spread of the stream)."""
    rng, kept, sizes = np.random.default_rng(seed), [], []
    matrix = lambda a, b: rng.uniform(-1, 1, (a, b)) * math.sqrt(6 / (a + b))
    spread = lambda x: x.std(axis=1, keepdims=True)
    norm = lambda x: (x - x.mean(axis=1, keepdims=True)) / spread(x)
    mean = lambda x: x.mean(axis=1, keepdims=True)
    back = lambda g, x: (g - mean(g) - norm(x) * mean(g * norm(x))) / spread(x)  # through norm(x)
    x = rng.standard_normal((n, d))
    for _ in range(layers):
        W_1, W_2 = matrix(d, 4 * d), matrix(4 * d, d)
        read = norm(x) if kind == "pre" else x
        hidden = np.maximum(read @ W_1, 0)
        added = x + hidden @ W_2
        kept.append((W_1, W_2, x, read, hidden, added))
        x = norm(added) if kind == "post" else added
    readout, targets = matrix(d, classes), np.eye(classes)[rng.integers(classes, size=n)]
    last = norm(x) if kind == "pre" else x
    gradient = (softmax(last @ readout) - targets) / n @ readout.T  # of the cross-entropy
    gradient = back(gradient, x) if kind == "pre" else gradient
    for W_1, W_2, before, read, hidden, added in reversed(kept):
        gradient = back(gradient, added) if kind == "post" else gradient
        inner = (gradient @ W_2.T) * (hidden > 0)
        sizes.append(np.linalg.norm(read.T @ inner))
        gradient = gradient + (back(inner @ W_1.T, before) if kind == "pre" else inner @ W_1.T)
    return sizes[0] / sizes[-1], x.std()
