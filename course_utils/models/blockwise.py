"""Attention in blocks that also trains in flat memory: the backward pass computes each block again (Dao 2022, 3.1)."""

import math

import torch

from course_utils.core.arrays import cast, working
from course_utils.core.attention import score_shape
from course_utils.core.blockwise import BLOCK, blend_in_blocks, block_scores, exp_in_place, query_blocks


def trainable_attention_in_blocks(query, key, value, *, block=BLOCK, causal=False, scale=None):
    """``attention_in_blocks`` for tensors that carry gradients; extra memory grows with n, backward too.

    Same arguments, same output. What is kept for the backward pass is one number a query, not its weights:
    they are computed again, block by block. That costs operations and saves n * n numbers of memory.
    """
    xp, (query, key, value), dtype = working(query=query, key=key, value=value)
    *batch, _, _ = score_shape(query, key, value)
    batch = torch.broadcast_shapes(batch, value.shape[:-2])
    arrays = (array.expand(*batch, *array.shape[-2:]) for array in (query, key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    return cast(xp, _Blocks.apply(*arrays, block, causal, scale), dtype)


class _Blocks(torch.autograd.Function):
    """Backward of output = P V with P = exp(S - normaliser) and S = scale Q Kᵀ, one block of P at a time."""

    @staticmethod
    def forward(ctx, query, key, value, block, causal, scale):
        output, normaliser = blend_in_blocks(query, key, value, block, causal, scale)
        ctx.save_for_backward(query, key, value, output, normaliser)
        ctx.block, ctx.causal, ctx.scale = block, causal, scale
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        query, key, value, output, normaliser = ctx.saved_tensors
        grad_query, grad_key, grad_value = (
            torch.zeros_like(a, memory_format=torch.contiguous_format) for a in (query, key, value)
        )
        # The softmax's part: dS = P (dP - sum_j P dP), and that sum is dO · O.
        inner = (grad * output).sum(-1, keepdim=True)
        for rows, blocks in query_blocks(query.shape[-2], key.shape[-2], ctx.block, ctx.causal):
            some, some_grad = query[..., rows, :] * ctx.scale, grad[..., rows, :]
            for columns, mask in blocks:
                weights = block_scores(some, key[..., columns, :], mask)
                weights = exp_in_place(weights, normaliser[..., rows, :])
                grad_value[..., columns, :] += weights.mT @ some_grad
                grad_scores = some_grad @ value[..., columns, :].mT
                grad_scores -= inner[..., rows, :]
                grad_scores *= weights
                grad_query[..., rows, :] += grad_scores @ key[..., columns, :]
                grad_key[..., columns, :] += grad_scores.mT @ some
        return grad_query * ctx.scale, grad_key, grad_value, None, None, None
