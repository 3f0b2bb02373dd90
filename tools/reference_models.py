"""Forward passes of the model families in plain PyTorch.

Nothing here shares code or structure with the engine: it reads config.json and safetensors itself and
follows docs/models.md#forward-pass line by line. It is slow and meant to be obviously right.
"""

import json
import math
import pathlib
import struct

import numpy as np
import torch

# ---------------------------------------------------------------------------------------------------
# Files


def read_safetensors(path):
    """One safetensors file as {name: float32 tensor}: 8 bytes of header length, JSON header, data."""
    blob = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", blob[:8])
    header = json.loads(blob[8 : 8 + size])
    data = blob[8 + size :]
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = to_float32(data[begin:end], entry["dtype"]).reshape(entry["shape"])
    return tensors


def to_float32(data, dtype):
    """Raw little-endian numbers as a float32 tensor."""
    if dtype == "F32":
        numbers = np.frombuffer(data, "<f4")
    elif dtype == "F16":
        numbers = np.frombuffer(data, "<f2").astype(np.float32)
    elif dtype == "BF16":
        numbers = (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    else:
        raise ValueError(f"dtype {dtype} is not expected in a checkpoint")
    return torch.from_numpy(numbers.copy())


def fnv1a64(data):
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def read_weights(directory):
    """All tensors of a checkpoint, whether in one file or in shards."""
    tensors = {}
    for path in sorted(pathlib.Path(directory).glob("*.safetensors")):
        tensors.update(read_safetensors(path))
    return tensors


# ---------------------------------------------------------------------------------------------------
# Configuration (docs/models.md#families)


class Config:
    """The numbers of config.json under one set of names."""

    def __init__(self, directory):
        raw = json.loads((pathlib.Path(directory) / "config.json").read_text())
        self.family = family_of(raw)
        if self.family == "llada":
            self._read_llada(raw)
        else:
            self._read_qwen(raw)
        self.head_dim = raw.get("head_dim") or self.hidden // self.heads
        self.mask = raw.get("mask_token_id", MASKS.get(self.family))
        self.eos = raw["eos_token_id"]
        self.pad = raw["pad_token_id"]
        # Logits used at position i: row i - 1 for these, row i for the others.
        self.shift = self.family in ("dream", "open-dcoder", "fast-dllm", "rnd1")
        # Attention in blocks; None: as the family has it otherwise.
        self.block = {"sdc": 4, "sdar": raw.get("block_size"), "dream-reasoner": raw.get("block_size"),
                      "fast-dllm": raw.get("bd_size"), "sdar-moe": raw.get("block_size"),
                      "llada2": raw.get("block_size", 32), "nemotron": raw.get("block_size", 32)}.get(self.family)
        self.qk_norm = self.family in ("sdar", "dream-reasoner", "a2d", "llada-moe", "sdar-moe", "rnd1", "llada2")
        self.tied = raw.get("tie_word_embeddings", False)
        # Blocks behind the prompt, of which one is worked on; what stands before it is seen causally.
        self.causal_context = self.family == "nemotron"
        self.stretch = raw["rope_parameters"] if self.family == "nemotron" else None
        # How many numbers of a head are rotated.
        self.rotated = int(self.head_dim * raw.get("partial_rotary_factor", 1))
        self.router = Router(raw, self.family) if raw.get("num_experts") else None

    def _read_llada(self, raw):
        self.hidden, self.layers, self.heads = raw["d_model"], raw["n_layers"], raw["n_heads"]
        self.kv_heads = raw["n_kv_heads"] or self.heads
        self.vocab = raw["embedding_size"] or raw["vocab_size"]
        self.theta, self.eps = raw["rope_theta"], raw["rms_norm_eps"]

    def _read_qwen(self, raw):
        self.hidden, self.layers = raw["hidden_size"], raw["num_hidden_layers"]
        self.heads, self.kv_heads = raw["num_attention_heads"], raw["num_key_value_heads"]
        self.vocab = raw["vocab_size"]
        self.theta = raw["rope_theta"] if "rope_theta" in raw else raw["rope_parameters"]["rope_theta"]
        self.eps = raw["rms_norm_eps"]


class Router:
    """How the rows of a mixture find their experts (docs/models.md#mixtures-of-experts)."""

    def __init__(self, raw, family):
        self.experts, self.chosen = raw["num_experts"], raw["num_experts_per_tok"]
        self.sigmoid = family == "llada2"
        # LLaDA-MoE takes the softmax as it is, LLaDA2 divides unless there is one expert, Qwen3's kin say so.
        self.divides = {"llada-moe": False, "llada2": self.chosen > 1}.get(family, raw.get("norm_topk_prob"))
        self.factor = raw["routed_scaling_factor"] if family == "llada2" else 1.0
        self.groups, self.kept = raw.get("n_group", 1), raw.get("topk_group", 1)
        self.dense = raw.get("mlp_only_layers") or list(range(raw.get("first_k_dense_replace", 0)))

    def choose(self, z, bias):
        """Scores (rows, experts) to weights of the same shape, 0 where an expert is not chosen, and the
        smallest distance by which anything was chosen."""
        weights = torch.sigmoid(z) if self.sigmoid else torch.softmax(z, -1)
        ranked_by = (weights if self.sigmoid else z) + (0 if bias is None else bias)
        margin = float("inf")
        if self.groups > 1:
            by_group = ranked_by.reshape(len(z), self.groups, -1)
            kept, margin = largest(by_group.topk(2, -1).values.sum(-1), self.kept)
            ranked_by = by_group.masked_fill(~kept[:, :, None], float("-inf")).reshape(z.shape)
        chosen, distance = largest(ranked_by, self.chosen)
        weights = weights * chosen
        if self.divides:
            weights = weights / (weights.sum(-1, keepdim=True) + 1e-20)
        return weights * self.factor, min(margin, distance)


def largest(scores, count):
    """Of every row, a mask of its `count` largest numbers, equal ones from the left, and by how much the last
    of them beats the next."""
    ordered, places = torch.sort(scores, dim=-1, descending=True, stable=True)
    mask = torch.zeros_like(scores, dtype=torch.bool).scatter(1, places[:, :count], True)
    if count == scores.shape[1]:
        return mask, float("inf")
    return mask, float((ordered[:, count - 1] - ordered[:, count]).min())


# Masks that config.json does not name: their token in the tiny tokenizers.
MASKS = {"sdc": 5, "illada": 5, "a2d": 301, "open-dcoder": 301, "fast-dllm": 301, "llada-moe": 301, "llada2": 301}


def family_of(raw):
    """Family by architectures[0]; model_type does not tell (Stable-DiffCoder says llama)."""
    return {
        "LLaDAModelLM": "llada",
        "DreamModel": "dream",
        "StableDiffcoderForCausalLM": "sdc",
        "Qwen2ForProcessRewardModel": "prm",
        "SDARForCausalLM": "sdar",
        "DreamForCausalLM": "dream-reasoner",
        "ILLaDAForCausalLM": "illada",
        "A2DQwen3LMHeadModel": "a2d",
        "Qwen2ForCausalLM": "open-dcoder",
        "Fast_dLLM_QwenForCausalLM": "fast-dllm",
        "LLaDAMoEModelLM": "llada-moe",
        "SDARMoeForCausalLM": "sdar-moe",
        "RND1LM": "rnd1",
        "LLaDA2MoeModelLM": "llada2",
        "NemotronLabsDiffusionModel": "nemotron",
    }[raw["architectures"][0]]


# Tensor names: what the forward pass calls them -> what the file calls them.
QWEN_NAMES = {
    "embed": "model.embed_tokens",
    "final_norm": "model.norm",
    "head": "lm_head",
    "layer": "model.layers.{}.",
    "attn_norm": "input_layernorm",
    "q": "self_attn.q_proj",
    "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "q_norm": "self_attn.q_norm",
    "k_norm": "self_attn.k_norm",
    "o": "self_attn.o_proj",
    "mlp_norm": "post_attention_layernorm",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
}
LLADA2_NAMES = dict(QWEN_NAMES, embed="model.word_embeddings", qkv="attention.query_key_value",
                    q_norm="attention.query_layernorm", k_norm="attention.key_layernorm", o="attention.dense")
NEMOTRON_NAMES = dict(QWEN_NAMES, embed="encoder.embed_tokens", final_norm="encoder.norm", head="diffusion_head",
                      layer="encoder.layers.{}.")
LLADA_NAMES = {
    "embed": "model.transformer.wte",
    "final_norm": "model.transformer.ln_f",
    "head": "model.transformer.ff_out",
    "layer": "model.transformer.blocks.{}.",
    "attn_norm": "attn_norm",
    "q": "q_proj",
    "k": "k_proj",
    "v": "v_proj",
    "o": "attn_out",
    "mlp_norm": "ff_norm",
    "gate": "ff_proj",
    "up": "up_proj",
    "down": "ff_out",
}


# ---------------------------------------------------------------------------------------------------
# Forward pass (docs/models.md#forward-pass)


class Model:
    """A checkpoint that can be run. `compute` is the type of activations and of the weights in use:
    float64 gives the expectations (no rounding noise of its own), float32 shows how far a float32
    engine may be from them, bfloat16 imitates the references' own arithmetic."""

    def __init__(self, directory, compute=torch.float32):
        self.config = Config(directory)
        self.compute = compute
        self.names = {"llada": LLADA_NAMES, "llada2": LLADA2_NAMES, "nemotron": NEMOTRON_NAMES}.get(self.config.family, QWEN_NAMES)
        self.tensors = {k: v.to(compute) for k, v in read_weights(directory).items()}
        self.routed = []  # of the last pass, for every layer with experts: its number, input and weights
        self.route_margin = float("inf")  # the smallest distance in any choice of experts, of all passes

    def logits(self, tokens, block=0):
        """Raw logits, one row per position, unshifted: row i is what the head says at position i. `block` is
        where the block begins that is worked on, for models with a causal context."""
        return self.linear(self.hidden(tokens, block), self.names["embed" if self.config.tied else "head"])

    def says(self, tokens, cells, prompt=0):
        """What the model says of each of the cells, {cell: row}: rows of one pass, shifted where the family does
        so. With a causal context every block is a pass, which ends with it, over its own cells; its first cell
        is read from the last row of a causal pass over what stands before it."""
        if not self.config.causal_context:
            logits = self.logits(tokens)
            return {p: logits[max(p - 1, 0) if self.config.shift else p] for p in cells}
        rows, size = {}, self.config.block
        for start in sorted({p - (p - prompt) % size for p in cells}):
            logits = self.logits(tokens[: start + size], start)
            rows.update({p: logits[p] for p in cells if start <= p < start + size})
            if start in rows and start > 0:
                rows[start] = self.logits(tokens[:start], start)[-1]
        return {p: rows[p] for p in cells}

    def step_scores(self, tokens, step_token):
        """PRM (docs/models.md#the-process-reward-model): softmax[1] of the score head at every step mark, in order."""
        h = self.hidden(tokens)
        raw = self.linear(torch.relu(self.linear(h, "score.0")), "score.2")
        marks = [i for i, token in enumerate(tokens) if token == step_token]
        return raw, torch.softmax(raw[marks].double(), -1)[:, 1]

    def hidden(self, tokens, block=0):
        """Final-norm activations, (length, hidden)."""
        c = self.config
        x = self.tensors[self.names["embed"] + ".weight"][torch.tensor(tokens)]
        visible = self.visible(len(tokens), block)
        cos, sin = self.rotation(len(tokens))
        self.routed = []
        for n in range(c.layers):
            prefix = self.names["layer"].format(n)
            x = x + self.attention(self.norm(x, prefix + self.names["attn_norm"]), prefix, visible, cos, sin)
            h = self.norm(x, prefix + self.names["mlp_norm"])
            has_experts = c.router is not None and n not in c.router.dense
            x = x + (self.mixture(h, prefix + "mlp.", n) if has_experts else self.mlp(h, prefix))
        return self.norm(x, self.names["final_norm"])

    def linear(self, x, name):
        """x W^T + b, where the file has a b."""
        y = x @ self.tensors[name + ".weight"].T
        bias = self.tensors.get(name + ".bias")
        return y if bias is None else y + bias

    def norm(self, x, name):
        """RMS norm in float32, rounded to the storage type before the weight is applied."""
        f = x if x.dtype == torch.float64 else x.float()
        f = f * torch.rsqrt((f * f).mean(-1, keepdim=True) + self.config.eps)
        return self.tensors[name + ".weight"] * f.to(x.dtype)

    def rotation(self, length):
        """cos and sin tables, (length, rotated numbers of a head), the half repeated twice. Frequencies and angles are
        float32 numbers in every compute type, as in docs/models.md#rotation."""
        half = torch.arange(0, self.config.rotated, 2, dtype=torch.float64) / self.config.rotated
        inverse = self.config.theta**-half
        if self.config.stretch:
            inverse = self.stretched(inverse)
        inverse = inverse.float()
        angle = torch.arange(length, dtype=torch.float32)[:, None] * inverse[None, :]
        angle = torch.cat([angle, angle], -1)
        if self.compute == torch.float64:
            angle = angle.double()
        return angle.cos(), angle.sin()

    def stretched(self, inverse):
        """YaRN: a ramp from the frequencies as they are to those divided by the factor, over the pairs between
        those that turn beta_fast and beta_slow times within the original length."""
        given, size = self.config.stretch, self.config.rotated
        assert given["mscale"] == given["mscale_all_dim"], "cos and sin keep their size"
        pair = lambda turns: (size * math.log(given["original_max_position_embeddings"] / (turns * 2 * math.pi))
                              / (2 * math.log(self.config.theta)))
        low = max(math.floor(pair(given["beta_fast"])), 0)
        high = min(math.ceil(pair(given["beta_slow"])), size - 1)
        ramp = (torch.arange(size // 2, dtype=torch.float64) - low) / (high - low)
        ramp = ramp.clamp(0, 1)
        return inverse * (1 - ramp) + inverse / given["factor"] * ramp

    def grow(self, q):
        """Queries, (heads, length, head_dim), by their positions."""
        given = self.config.stretch
        if not given:
            return q
        steps = torch.arange(q.shape[1]) // given["original_max_position_embeddings"]
        return q * (1 + given["llama_4_scaling_beta"] * torch.log(1 + steps.double()))[:, None].to(q.dtype)

    def rotate(self, x, cos, sin):
        """Half-split rotation of (heads, length, head_dim). LLaDA rotates in float32, the others in
        the storage type. What is behind the rotated numbers stays."""
        if self.config.rotated < x.shape[-1]:
            turned = self.rotate(x[..., : self.config.rotated], cos, sin)
            return torch.cat([turned, x[..., self.config.rotated :]], -1)
        if self.config.family == "llada":
            wide = x.to(cos.dtype)
            return (wide * cos + half_turn(wide) * sin).to(x.dtype)
        return x * cos.to(x.dtype) + half_turn(x) * sin.to(x.dtype)

    def visible(self, length, block):
        """(query, key) pairs that may meet: all, block-causal, or causal; with a causal context, causal before
        the block that is worked on, and all for its own rows."""
        i, j = torch.arange(length)[:, None], torch.arange(length)[None, :]
        if self.config.causal_context:
            return (j <= i) | (i >= block)
        if self.config.block:
            return j // self.config.block <= i // self.config.block
        if self.config.family == "prm":
            return j <= i
        return torch.ones(length, length, dtype=torch.bool)

    def attention(self, h, prefix, visible, cos, sin):
        """Grouped attention: query head n uses kv head n // (heads / kv_heads)."""
        c = self.config
        q, k, v = self.queries_keys_values(h, prefix)
        if c.qk_norm:
            q = self.norm(q, prefix + self.names["q_norm"])
            k = self.norm(k, prefix + self.names["k_norm"])
        q, k = self.grow(self.rotate(q, cos, sin)), self.rotate(k, cos, sin)
        shared = [n // (c.heads // c.kv_heads) for n in range(c.heads)]
        scores = (q @ k[shared].transpose(1, 2)).to(cos.dtype) / c.head_dim**0.5
        scores = scores.masked_fill(~visible, float("-inf"))
        mixed = torch.softmax(scores, -1).to(h.dtype) @ v[shared]
        return self.linear(mixed.transpose(0, 1).reshape(len(h), -1), prefix + self.names["o"])

    def queries_keys_values(self, h, prefix):
        """From three matrices, or from one that has the rows of all."""
        c = self.config
        if "qkv" in self.names:
            return self.heads(h, prefix + self.names["qkv"], c.heads + 2 * c.kv_heads).split(
                [c.heads, c.kv_heads, c.kv_heads])
        return [self.heads(h, prefix + self.names[n], count)
                for n, count in [("q", c.heads), ("k", c.kv_heads), ("v", c.kv_heads)]]

    def heads(self, h, name, count):
        """A projection split in heads: (count, length, head_dim)."""
        return self.linear(h, name).reshape(len(h), count, -1).transpose(0, 1)

    def mlp(self, h, prefix):
        gate = self.linear(h, prefix + self.names["gate"])
        up = self.linear(h, prefix + self.names["up"])
        return self.linear(torch.nn.functional.silu(gate) * up, prefix + self.names["down"])

    def mixture(self, h, prefix, layer):
        """Every expert for every row, times weights that are mostly 0. The router is float32 at least."""
        wide = h if h.dtype == torch.float64 else h.float()
        bias = self.tensors.get(prefix + "gate.expert_bias")
        weights, margin = self.config.router.choose(
            wide @ self.tensors[prefix + "gate.weight"].to(wide.dtype).T, None if bias is None else bias.to(wide.dtype))
        self.route_margin = min(self.route_margin, margin)
        self.routed.append((layer, h, weights))
        y = sum(weights[:, e : e + 1] * self.expert(h, f"{prefix}experts.{e}.").to(wide.dtype)
                for e in range(self.config.router.experts))
        if prefix + "shared_experts.gate_proj.weight" in self.tensors:
            y = y + self.expert(h, prefix + "shared_experts.").to(wide.dtype)
        return y.to(h.dtype)

    def expert(self, h, name):
        gate, up = self.linear(h, name + "gate_proj"), self.linear(h, name + "up_proj")
        return self.linear(torch.nn.functional.silu(gate) * up, name + "down_proj")


def half_turn(x):
    """(a, b) -> (-b, a) over the two halves of the last dimension."""
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)
