"""The three transformers in PyTorch: one module, three published layouts (docs/models.md#families).

dream       Qwen2 names, biases on q, k and v; full attention; logits stand one position earlier
llada       OLMo names, no biases; full attention
diffcoder   Qwen2 names, no biases; a position sees its own block of four and everything before it
"""

import contextlib
import math
from collections import namedtuple

import torch
from torch import nn
from torch.nn import functional as F

Shape = namedtuple("Shape", "hidden layers heads mlp")
FULL = Shape(256, 8, 4, 704)
TINY, TINIEST = Shape(32, 2, 2, 48), Shape(16, 1, 2, 24)  # for tests, and for the smoke run
MAX_LENGTH = 512
BLOCK = 4

# What differs: biases, epsilon and theta as published, the shift, the block length of the attention.
Traits = namedtuple("Traits", "bias eps theta shift block")
TRAITS = {
    "dream": Traits(True, 1e-6, 1e6, True, 0),
    "llada": Traits(False, 1e-5, 5e5, False, 0),
    "diffcoder": Traits(False, 1e-6, 5e5, False, BLOCK),
}


class Norm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + self.eps)
        return wide.to(x.dtype) * self.weight


def attend(q, k, v, bias):
    """Attention of (batch, heads, length, head size); PyTorch before 2.0 has no fused one."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return torch.softmax(scores + bias, -1) @ v


def rotate(x, cos, sin):
    first, second = x.chunk(2, -1)
    return (x * cos + torch.cat((-second, first), -1) * sin).to(x.dtype)


class Layer(nn.Module):
    def __init__(self, shape, traits):
        super().__init__()
        self.heads = shape.heads
        self.attention_norm = Norm(shape.hidden, traits.eps)
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden, bias=traits.bias)
        self.out = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.mlp_norm = Norm(shape.hidden, traits.eps)
        self.gate_up = nn.Linear(shape.hidden, 2 * shape.mlp, bias=False)
        self.down = nn.Linear(shape.mlp, shape.hidden, bias=False)

    def forward(self, x, cos, sin, bias):
        batch, length, hidden = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(batch, length, 3, self.heads, hidden // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = attend(rotate(q, cos, sin), rotate(k, cos, sin), v, bias)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, hidden))
        gate, up = self.gate_up(self.mlp_norm(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Model(nn.Module):
    def __init__(self, name, vocabulary, shape=FULL):
        super().__init__()
        self.name, self.shape, self.traits = name, shape, TRAITS[name]
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(vocabulary, shape.hidden)
        self.layers = nn.ModuleList(Layer(shape, self.traits) for _ in range(shape.layers))
        self.norm = Norm(shape.hidden, self.traits.eps)
        self.head = nn.Linear(shape.hidden, vocabulary, bias=False)
        size = shape.hidden // shape.heads
        inverse = self.traits.theta ** -(torch.arange(0, size, 2, dtype=torch.float64) / size)
        angle = torch.arange(MAX_LENGTH).float()[:, None] * inverse.float()[None, :]
        self.register_buffer("cos", torch.cat((angle, angle), -1).cos(), persistent=False)
        self.register_buffer("sin", torch.cat((angle, angle), -1).sin(), persistent=False)
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, tokens, positions, bias, rows):
        """Logits of (batch, wanted): what the model says about `rows`, indices into the sequence.
        tokens are (batch, length), positions likewise or (1, length); bias, added to the scores, is
        (batch, 1, length, length)."""
        x = self.embedding(tokens)
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        for layer in self.layers:
            x = layer(x, cos, sin, bias)
        if self.traits.shift:
            rows = (rows - 1).clamp_min(0)
        x = self.norm(x.gather(1, rows[..., None].expand(-1, -1, x.shape[-1])))
        if self.training:
            return self.head(x)
        with autocast(x.device, None):  # confidences need more than half precision
            return self.head(x.float())


def autocast(device, dtype):
    """Matrix products in `dtype` on a GPU, or in none; on a CPU everything stays as it is."""
    if device.type != "cuda":
        return contextlib.nullcontext()
    return torch.autocast("cuda", dtype or torch.float16, enabled=dtype is not None)


def score_type(device, dtype):
    """The type of attention scores under autocast(device, dtype)."""
    return dtype if device.type == "cuda" else torch.float32


def visible_bias(allowed, dtype):
    """Scores' addend from a mask of (batch, length, length) pairs that may meet."""
    zeros = torch.zeros(allowed.shape, device=allowed.device, dtype=dtype)
    return zeros.masked_fill_(~allowed, torch.finfo(dtype).min)[:, None]


def attention_bias(traits, lengths, width, dtype=torch.float32):
    """For sequences from position 0, padded on the right to `width`."""
    positions = torch.arange(width, device=lengths.device)
    allowed = (positions[None, None, :] < lengths[:, None, None]).expand(-1, width, -1)
    if traits.block:
        blocks = torch.div(positions, traits.block, rounding_mode="floor")
        allowed = allowed & (blocks[None, :] <= blocks[:, None])
    return visible_bias(allowed, dtype)


def round_to_bfloat16(model):
    """The weights as they will be stored."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.bfloat16().float())
    return model
