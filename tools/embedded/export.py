"""Checkpoints in the published layout: config.json, model.safetensors, tokenizer.json, its configuration."""

import json
import struct

import torch

from models import BLOCK, MAX_LENGTH
from tokenizers import BYTE_CHARACTERS, PATTERN, spell

QWEN = {"embedding": "model.embed_tokens", "norm": "model.norm", "head": "lm_head", "layer": "model.layers.{}.",
        "attention_norm": "input_layernorm", "q": "self_attn.q_proj", "k": "self_attn.k_proj",
        "v": "self_attn.v_proj", "out": "self_attn.o_proj", "mlp_norm": "post_attention_layernorm",
        "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj"}
OLMO = {"embedding": "model.transformer.wte", "norm": "model.transformer.ln_f",
        "head": "model.transformer.ff_out", "layer": "model.transformer.blocks.{}.",
        "attention_norm": "attn_norm", "q": "q_proj", "k": "k_proj", "v": "v_proj", "out": "attn_out",
        "mlp_norm": "ff_norm", "gate": "ff_proj", "up": "up_proj", "down": "ff_out"}


def tensors_of(model):
    """{published name: tensor}; our fused projections are taken apart."""
    names = OLMO if model.name == "llada" else QWEN
    tensors = {names["embedding"] + ".weight": model.embedding.weight, names["norm"] + ".weight": model.norm.weight,
               names["head"] + ".weight": model.head.weight}
    for number, layer in enumerate(model.layers):
        def put(name, tensor, kind="weight"):
            tensors[names["layer"].format(number) + names[name] + "." + kind] = tensor

        for name, part in zip("qkv", layer.qkv.weight.chunk(3)):
            put(name, part)
        if layer.qkv.bias is not None:
            for name, part in zip("qkv", layer.qkv.bias.chunk(3)):
                put(name, part, "bias")
        for name, part in zip(("gate", "up"), layer.gate_up.weight.chunk(2)):
            put(name, part)
        put("attention_norm", layer.attention_norm.weight)
        put("out", layer.out.weight)
        put("mlp_norm", layer.mlp_norm.weight)
        put("down", layer.down.weight)
    return tensors


def write_safetensors(path, tensors):
    """BF16: eight bytes of header length, a JSON header, the numbers in the order of the names."""
    header, blob = {"__metadata__": {"format": "pt"}}, b""
    for name in sorted(tensors):
        tensor = tensors[name].detach().cpu().bfloat16().contiguous()
        data = tensor.view(torch.int16).numpy().astype("<i2").tobytes()
        header[name] = {"dtype": "BF16", "shape": list(tensor.shape),
                        "data_offsets": [len(blob), len(blob) + len(data)]}
        blob += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + blob)


def load_weights(model, path):
    """The other way round: a file that write_safetensors made, into a model of the same shape."""
    blob = path.read_bytes()
    (size,) = struct.unpack("<Q", blob[:8])
    header, data = json.loads(blob[8:8 + size]), blob[8 + size:]
    with torch.no_grad():
        for name, target in tensors_of(model).items():
            begin, end = header[name]["data_offsets"]
            numbers = torch.frombuffer(bytearray(data[begin:end]), dtype=torch.bfloat16)
            target.copy_(numbers.view(header[name]["shape"]))
    return model


def config_of(model, tokenizer):
    shape, traits = model.shape, model.traits
    ids = {"bos_token_id": tokenizer.bos, "eos_token_id": tokenizer.eos, "pad_token_id": tokenizer.pad,
           "mask_token_id": tokenizer.mask}
    if model.name == "llada":
        return {
            "architectures": ["LLaDAModelLM"], "model_type": "llada", "torch_dtype": "bfloat16",
            "d_model": shape.hidden, "n_layers": shape.layers, "n_heads": shape.heads, "n_kv_heads": shape.heads,
            "mlp_hidden_size": shape.mlp, "vocab_size": tokenizer.size, "embedding_size": tokenizer.size,
            "max_sequence_length": MAX_LENGTH, "rope": True, "rope_full_precision": True,
            "rope_theta": traits.theta, "rms_norm_eps": traits.eps, "block_type": "llama", "block_group_size": 1,
            "layer_norm_type": "rms", "layer_norm_with_affine": True, "bias_for_layer_norm": False,
            "activation_type": "silu", "alibi": False, "include_bias": False, "include_qkv_bias": False,
            "input_emb_norm": False, "scale_logits": False, "attention_layer_norm": False,
            "weight_tying": False, "multi_query_attention": None, **ids}
    config = {
        "architectures": ["DreamModel"], "model_type": "Dream", "torch_dtype": "bfloat16",
        "hidden_size": shape.hidden, "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.heads, "intermediate_size": shape.mlp, "vocab_size": tokenizer.size,
        "max_position_embeddings": MAX_LENGTH, "rope_theta": traits.theta, "rope_scaling": None,
        "rms_norm_eps": traits.eps, "hidden_act": "silu", "tie_word_embeddings": False, **ids}
    if model.name == "diffcoder":
        config.update(architectures=["StableDiffcoderForCausalLM"], model_type="llama", block_size=BLOCK,
                      attention_bias=False, mlp_bias=False)
    else:
        config["use_sliding_window"] = False
    return config


def tokenizer_json(tokenizer):
    family = tokenizer.family
    vocab = {text: i for text, i in tokenizer.special_ids.items()} if family.first else {}
    for data, i in tokenizer.ids.items():
        vocab["".join(BYTE_CHARACTERS[byte] for byte in data)] = i
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    split = {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [dict(added_token(text), id=i) for text, i in tokenizer.special_ids.items()],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": byte_level, "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": vocab, "merges": [[spell(left), spell(right)] for left, right in tokenizer.merges]}}


def added_token(text):
    return {"content": text, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False,
            "special": True}


def tokenizer_config(tokenizer):
    roles = tokenizer.family.roles
    return {"added_tokens_decoder": {str(i): added_token(text) for text, i in tokenizer.special_ids.items()},
            "bos_token": roles["bos"], "eos_token": roles["eos"], "pad_token": roles["pad"],
            "mask_token": roles["mask"], "chat_template": tokenizer.family.template,
            "clean_up_tokenization_spaces": False, "model_max_length": MAX_LENGTH,
            "tokenizer_class": "PreTrainedTokenizerFast"}


# What umf.json recommends: the end of the text is left for last (README.md).
# The commit rules lose nothing on dev (docs/benchmarks.md); each model has a bar of its own.
ADVICE = {"dream": {"strategy": "entropy", "temperature": 0, "top-p": 1, "eos-penalty": 3, "commit": "tau:0.99"},
          "llada": {"strategy": "low-confidence", "temperature": 0, "eos-last": True, "commit": "tau:0.95"},
          "diffcoder": {"strategy": "low-confidence", "temperature": 0, "commit": "tau:0.9"}}
WINDOW = 96


def export(model, tokenizer, folder, card):
    """Writes a checkpoint that the engine loads."""
    folder.mkdir(parents=True, exist_ok=True)

    def write(name, value):
        (folder / name).write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    write_safetensors(folder / "model.safetensors", tensors_of(model))
    write("config.json", config_of(model, tokenizer))
    write("tokenizer.json", tokenizer_json(tokenizer))
    write("tokenizer_config.json", tokenizer_config(tokenizer))
    write("umf.json", {"window": WINDOW, "action": ADVICE[model.name]})
    (folder / "README.md").write_text(card, encoding="utf-8")
