"""Readable code for each interview task: what is shown as the answer, and what mistakes are planted in."""

SOFTMAX = """\
def softmax(x, axis=-1):
    shifted = x - x.max(axis=axis, keepdims=True)
    exponentials = np.exp(shifted)
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / total
"""

ATTENTION = """\
def attention(query, key, value):
    d_k = query.shape[-1]
    scores = query @ np.swapaxes(key, -1, -2)
    scaled = scores / math.sqrt(d_k)
    weights = softmax(scaled, axis=-1)
    return weights @ value
"""

MASKED = """\
def masked_attention(query, key, value, mask=None, bias=None, causal=False, scale=None):
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ np.swapaxes(key, -1, -2) * scale
    if bias is not None:
        scores = scores + bias
    allowed = np.ones(scores.shape, dtype=bool)
    if mask is not None:
        allowed = allowed & mask
    if causal:
        allowed = allowed & causal_mask(*scores.shape[-2:])
    scores = np.where(allowed, scores, -np.inf)
    weights = softmax(scores, axis=-1)
    return weights @ value
"""

MULTI_HEAD = """\
def multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads, causal=False, key_mask=None, context=None):
    def split(array):
        batch, n, width = array.shape
        return array.reshape(batch, n, n_heads, width // n_heads).swapaxes(1, 2)

    source = x if context is None else context
    query, key, value = split(x @ W_Q), split(source @ W_K), split(source @ W_V)
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    allowed = np.ones(scores.shape[-2:], dtype=bool)
    if causal:
        allowed = np.tril(allowed)
    if key_mask is not None:
        allowed = allowed & key_mask[:, None, None, :]
    weights = softmax(np.where(allowed, scores, -np.inf))
    output = weights @ value
    joined = output.swapaxes(1, 2).reshape(*x.shape[:2], -1)
    return joined @ W_O
"""

GROUPED = """\
def grouped_query_attention(query, key, value):
    heads, kv_heads = query.shape[1], key.shape[1]
    if heads % kv_heads:
        raise ValueError(f"{heads} query heads cannot share {kv_heads} key/value heads")
    group = heads // kv_heads
    keys = np.repeat(key, group, axis=1)
    values = np.repeat(value, group, axis=1)
    scores = query @ np.swapaxes(keys, -1, -2) / math.sqrt(query.shape[-1])
    weights = softmax(scores)
    return weights @ values
"""

ONLINE = """\
def online_attention(query, key, value, block):
    top, total, output = -np.inf, 0.0, 0.0
    for start in range(0, key.shape[-2], block):
        keys = key[..., start : start + block, :]
        values = value[..., start : start + block, :]
        scores = query @ np.swapaxes(keys, -1, -2) / math.sqrt(key.shape[-1])
        new_top = np.maximum(top, scores.max(axis=-1, keepdims=True))
        shrink = np.exp(top - new_top)
        exponentials = np.exp(scores - new_top)
        total = total * shrink + exponentials.sum(axis=-1, keepdims=True)
        output = output * shrink + exponentials @ values
        top = new_top
    return output / total
"""

CACHED = """\
def cached_attention(x, W_Q, W_K, W_V, chunks):
    key, value = x[:0] @ W_K, x[:0] @ W_V  # the cache, empty
    outputs, start = [], 0
    for size in chunks:
        chunk = x[start : start + size]
        start += size
        query = chunk @ W_Q
        key = np.concatenate([key, chunk @ W_K])
        value = np.concatenate([value, chunk @ W_V])
        scores = query @ key.T / math.sqrt(key.shape[-1])
        allowed = causal_mask(size, len(key))
        weights = softmax(np.where(allowed, scores, -np.inf))
        outputs.append(weights @ value)
    return np.concatenate(outputs)
"""
