#!/usr/bin/env python3
"""Writes the expected values that the engine's tests are held to, into tests/data/reference.

    tools/reference.py            make everything again
    tools/reference.py --check    make everything again elsewhere and compare
    tools/reference.py --bf16     say how far bfloat16 arithmetic is from the expectations

Needs PyTorch and NumPy, and the program make-tiny-models (build it first: ninja -C build
make-tiny-models). The same inputs give the same files. Format: tests/data/reference/README.md.
"""

import argparse
import filecmp
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import torch

import reference_tables
from reference_cases import MIN_ROUTE_MARGIN, decode_cases
from reference_decode import DECODERS, Sampling, predict
from reference_models import Model, fnv1a64

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests" / "data" / "reference"
DTYPES = ["F32", "BF16", "F16"]
DIFFUSION = ["tiny-llada", "tiny-llada-gqa", "tiny-dream", "tiny-dream-gqa", "tiny-diffucoder", "tiny-sdc",
             "tiny-sdar", "tiny-dreamreasoner", "tiny-illada", "tiny-a2d", "tiny-open-dcoder", "tiny-fdv2",
             "tiny-lladamoe", "tiny-sdarmoe", "tiny-rnd1", "tiny-llada2", "tiny-nemotron"]
MIXTURES = ["tiny-lladamoe", "tiny-sdarmoe", "tiny-rnd1", "tiny-llada2"]
ALL = DIFFUSION + ["tiny-prm"]
STEP_TOKEN = 290
TOKENIZER_SIZE = {
    "tiny-llada": 300, "tiny-llada-gqa": 300, "tiny-dream": 301, "tiny-dream-gqa": 301,
    "tiny-diffucoder": 302, "tiny-sdc": 285, "tiny-prm": 299, "tiny-sdar": 302, "tiny-dreamreasoner": 302,
    "tiny-illada": 285, "tiny-a2d": 302, "tiny-open-dcoder": 302, "tiny-fdv2": 302,
    "tiny-lladamoe": 302, "tiny-sdarmoe": 302, "tiny-rnd1": 302, "tiny-llada2": 302, "tiny-nemotron": 385,
}
# Models whose files do not tell their family: what the engine has to be told.
NAMED = {"tiny-open-dcoder": "open-dcoder"}
# The mask, or for the reward model the step mark: sequences hold it only where they are told to.
HELD_OUT = {
    "tiny-llada": 290, "tiny-llada-gqa": 290, "tiny-dream": 300, "tiny-dream-gqa": 300,
    "tiny-diffucoder": 300, "tiny-sdc": 5, "tiny-prm": STEP_TOKEN, "tiny-sdar": 301, "tiny-dreamreasoner": 301,
    "tiny-illada": 5, "tiny-a2d": 301, "tiny-open-dcoder": 301, "tiny-fdv2": 301,
    "tiny-lladamoe": 301, "tiny-sdarmoe": 301, "tiny-rnd1": 301, "tiny-llada2": 301, "tiny-nemotron": 100,
}
MIN_LEAD = 1e-4  # of a prediction: logits of the best two, mass around top_p, logits around top_k
EOT = 292  # LLaDA's <|eot_id|>, which its config.json does not name


# ---------------------------------------------------------------------------------------------------
# Checkpoints


class Checkpoints:
    """The tiny checkpoints in every storage type, and the models made from them."""

    def __init__(self, program, directory):
        self.directory = pathlib.Path(directory)
        self.models = {}
        for dtype in DTYPES:
            command = [program, "--dtype", dtype.lower(), self.directory / dtype]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def path(self, name, dtype):
        return self.directory / dtype / name

    def model(self, name, dtype="F32", compute=torch.float64):
        key = (name, dtype, compute)
        if key not in self.models:
            self.models[key] = Model(self.path(name, dtype), compute)
        return self.models[key]

    def checksums(self):
        return {
            name: {
                dtype: f"{fnv1a64((self.path(name, dtype) / 'model.safetensors').read_bytes()):016x}"
                for dtype in DTYPES
            }
            for name in ALL
        }


# ---------------------------------------------------------------------------------------------------
# Writing


def write_lines(path, head, key, entries):
    """A JSON object with one entry of its list per line, so that a change shows as changed lines."""
    text = json.dumps(head, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(entry) for entry in entries)
    path.write_text(f'{text},\n "{key}": [\n{lines}\n ]\n}}\n')


def named(entry):
    """The entry with its model's family, where the engine has to be told."""
    return dict(entry, family=NAMED[entry["model"]]) if entry["model"] in NAMED else entry


def significant(value, digits=9):
    return float(f"{float(value):.{digits}g}")


# ---------------------------------------------------------------------------------------------------
# Logits


def some_tokens(name, count, tag):
    """`count` token ids drawn from the tokenizer's, the mask and the step mark excluded."""
    draw = random.Random(f"{name}/{tag}")
    ids = [i for i in range(TOKENIZER_SIZE[name]) if i != HELD_OUT[name]]
    return [draw.choice(ids) for _ in range(count)]


def masked_sequence(name, tag):
    """A sequence with masks in the middle, at the end, and one at the front."""
    tokens = some_tokens(name, 23, tag)
    for p in [0, 3, 7, 8, 9, 12, 17, 18, 19, 20, 21, 22]:
        tokens[p] = HELD_OUT[name]
    return tokens


def logit_sequences(name):
    """One sequence without masks and one with them."""
    before = some_tokens(name, 118, "context") if name == "tiny-nemotron" else []
    return [some_tokens(name, 21, "plain"), before + masked_sequence(name, "masks")]


def raw_rows(model, tokens, prompt=0):
    """Rows of the head: logits over the vocabulary, or the PRM's two class logits. With a causal context, what is
    said of every cell behind the prompt."""
    if model.config.family == "prm":
        return model.step_scores(tokens, STEP_TOKEN)[0]
    if model.config.causal_context:
        return torch.stack(list(model.says(tokens, range(prompt, len(tokens)), prompt).values()))
    return model.logits(tokens)


def prompt_of(model, tokens):
    """Where a model with a causal context is asked from on: 0, or behind most of a long sequence."""
    return len(tokens) - 18 if model.config.causal_context and len(tokens) > 100 else 0


def write_logits(checkpoints, out):
    (out / "logits").mkdir(exist_ok=True)
    entries, worst = [], 0.0
    for name in ALL:
        sequences = logit_sequences(name)
        for dtype, number in [("F32", 0), ("F32", 1), ("BF16", 1)]:
            tokens = sequences[number]
            prompt = prompt_of(checkpoints.model(name, dtype), tokens)
            rows = raw_rows(checkpoints.model(name, dtype), tokens, prompt)
            single = raw_rows(checkpoints.model(name, dtype, torch.float32), tokens, prompt)
            assert checkpoints.model(name, dtype).route_margin > MIN_ROUTE_MARGIN, (name, "a close choice of experts")
            worst = max(worst, float((rows - single).abs().max()))
            file = f"logits/{name}-{dtype.lower()}-{number}.bin"
            (out / file).write_bytes(rows.float().numpy().astype("<f4").tobytes())
            entry = {"model": name, "dtype": dtype, "tokens": tokens, "shape": list(rows.shape), "file": file}
            entries.append(named(dict(entry, prompt=prompt) if prompt else entry))
    write_lines(out / "logits.json", {"checksums": checkpoints.checksums()}, "cases", entries)
    print(f"logits: {len(entries)} cases; float32 arithmetic differs by at most {worst:.1e}")


# ---------------------------------------------------------------------------------------------------
# Choices of experts


def write_routing(checkpoints, out):
    """What every router of one pass is given, the experts that it chooses and their weights."""
    (out / "routing").mkdir(exist_ok=True)
    entries = []
    for name in MIXTURES:
        for dtype in ["F32", "BF16"]:
            model = checkpoints.model(name, dtype)
            model.logits(logit_sequences(name)[1])
            for layer, rows, weights in model.routed:
                file = f"routing/{name}-{dtype.lower()}-{layer}.bin"
                single = rows.float()
                (out / file).write_bytes(single.numpy().astype("<f4").tobytes())
                chosen = [[e for e, w in enumerate(row) if w > 0] for row in weights.tolist()]
                entries.append({"model": name, "dtype": dtype, "layer": layer, "shape": list(rows.shape), "file": file,
                                "experts": chosen,
                                "weights": [[significant(row[e]) for e in own] for row, own in zip(weights, chosen)]})
    write_lines(out / "routing.json", {"checksums": checkpoints.checksums()}, "cases", entries)
    print(f"routing: {len(entries)} routers")


# ---------------------------------------------------------------------------------------------------
# Predictions: one state per model under several settings


def prediction_settings(config):
    """Names and settings that every prediction is made under."""
    never = [config.mask]
    last = [config.eos, EOT] if config.family == "llada" else [config.eos]
    return {
        "mask allowed": Sampling(),
        "plain": Sampling(never=never),
        "last": Sampling(never=never, last=last),
        "bias": Sampling(never=never, bias=[(config.eos, 3.0)]),
        "bias and last": Sampling(never=never, bias=[(config.eos, 3.0)], last=last),
        "top_p": Sampling(never=never, top_p=0.6),
        "top_k": Sampling(never=never, top_k=5),
        "top_p and top_k": Sampling(never=never, top_p=0.8, top_k=8),
        "tempered": Sampling(never=never, temperature=0.5),
        "tempered and filtered": Sampling(never=never, temperature=0.5, top_p=0.6, top_k=20),
    }


def prediction_entry(name, tokens, cells, setting, sampling, rows):
    """Tokens and confidences are given at temperature 0 only: above it the token is a draw."""
    predictions = [predict(row, sampling) for row in rows]
    entry = {"model": name, "setting": setting, "tokens": tokens, "positions": cells,
             "never": sampling.never, "bias": sampling.bias, "last": sampling.last, "top_p": sampling.top_p,
             "top_k": sampling.top_k, "temperature": sampling.temperature}
    if sampling.temperature == 0:
        entry["token"] = [p.token for p in predictions]
        entry["confidence"] = [significant(p.confidence) for p in predictions]
    entry["margin"] = [significant(p.margin) for p in predictions]
    entry["entropy"] = [significant(p.entropy) for p in predictions]
    entry["smallest_lead"] = significant(min(min(p.token_margin, p.filter_margin) for p in predictions), 3)
    return entry


def model_predictions(model, name, attempt):
    """All settings on one state, whose number is `attempt`."""
    tokens = masked_sequence(name, f"predictions {attempt}")
    cells = [p for p, token in enumerate(tokens) if token == model.config.mask]
    rows = list(model.says(tokens, cells).values())
    settings = prediction_settings(model.config)
    return [named(prediction_entry(name, tokens, cells, s, sampling, rows)) for s, sampling in settings.items()]


def write_predictions(checkpoints, out):
    """The first state of each model on which no setting is a close call."""
    entries = []
    for name in DIFFUSION:
        model, attempt = checkpoints.model(name), 0
        found = model_predictions(model, name, attempt)
        while min(entry["smallest_lead"] for entry in found) < MIN_LEAD or model.route_margin < MIN_ROUTE_MARGIN:
            attempt += 1
            model.route_margin = float("inf")
            found = model_predictions(model, name, attempt)
        entries += found
    write_lines(out / "predictions.json", {"checksums": checkpoints.checksums()}, "cases", entries)
    print(f"predictions: {len(entries)} cases; smallest lead {min(e['smallest_lead'] for e in entries):.1e}")


# ---------------------------------------------------------------------------------------------------
# Decodes


def write_decodes(checkpoints, out):
    entries = []
    for case, trace in decode_cases(checkpoints, TOKENIZER_SIZE, EOT):
        entries.append(decode_entry(checkpoints, case, trace))
    write_lines(out / "decodes.json", {"checksums": checkpoints.checksums()}, "cases", entries)
    print(f"decodes: {len(entries)} cases; smallest margin {min(e['margin'] for e in entries):.1e}")


def decode_entry(checkpoints, case, trace):
    """The case with what came of it, after float32 arithmetic has come to the same decisions."""
    single = checkpoints.model(case["model"], case["dtype"], torch.float32)
    assert DECODERS[case["loop"]](single, case).passes == trace.passes, case["name"]
    entry = dict(case, passes=trace.passes, final=trace.new_cells, counts=trace.counts,
                 margin=significant(trace.margin, 3))
    if case.get("top_p", 1) < 1 or case.get("top_k", 0) > 0:
        entry["filter_margin"] = significant(trace.filter_margin, 3)
    return named(entry)


# ---------------------------------------------------------------------------------------------------
# The reward model


def prm_sequences():
    """Marks at the front, side by side, at the end, and the same answer with and without a tail."""
    tokens = some_tokens("tiny-prm", 40, "steps")
    answer = tokens[:9] + [STEP_TOKEN] + tokens[9:16] + [STEP_TOKEN] + tokens[16:20] + [STEP_TOKEN]
    return [
        answer,
        answer + tokens[20:26],
        [STEP_TOKEN] + tokens[26:30] + [STEP_TOKEN, STEP_TOKEN],
        tokens[30:35] + [STEP_TOKEN],
        tokens[35:40],
    ]


def write_prm(checkpoints, out):
    entries = []
    for dtype in ["F32", "BF16"]:
        model = checkpoints.model("tiny-prm", dtype)
        for tokens in prm_sequences():
            _, scores = model.step_scores(tokens, STEP_TOKEN)
            marks = [i for i, token in enumerate(tokens) if token == STEP_TOKEN]
            entries.append({"model": "tiny-prm", "dtype": dtype, "tokens": tokens, "positions": marks,
                            "scores": [significant(s) for s in scores]})
    head = {"checksums": checkpoints.checksums(), "step_token": STEP_TOKEN}
    write_lines(out / "prm.json", head, "cases", entries)
    print(f"prm: {len(entries)} cases")


# ---------------------------------------------------------------------------------------------------


def write_all(program, out):
    with tempfile.TemporaryDirectory() as directory:
        checkpoints = Checkpoints(program, directory)
        write_logits(checkpoints, out)
        write_routing(checkpoints, out)
        write_predictions(checkpoints, out)
        write_decodes(checkpoints, out)
        write_prm(checkpoints, out)
    (out / "tables.json").write_text(reference_tables.dump())


def check(program):
    """Whether a fresh set of files equals the stored one."""
    with tempfile.TemporaryDirectory() as directory:
        fresh = pathlib.Path(directory)
        write_all(program, fresh)
        files = sorted(p.relative_to(fresh) for p in fresh.rglob("*") if p.is_file())
        differ = [str(f) for f in files
                  if not (OUT / f).exists() or not filecmp.cmp(fresh / f, OUT / f, shallow=False)]
    if differ:
        sys.exit("error: these files are not what tools/reference.py makes: " + ", ".join(differ))
    print(f"{len(files)} files are as stored")


def report_bf16(program):
    """Largest difference of logits between bfloat16 arithmetic and the expectations, same weights."""
    with tempfile.TemporaryDirectory() as directory:
        checkpoints = Checkpoints(program, directory)
        for name in ALL:
            exact = checkpoints.model(name, "BF16")
            rough = checkpoints.model(name, "BF16", torch.bfloat16)
            tokens = logit_sequences(name)[1]
            prompt = prompt_of(exact, tokens)
            a, b = raw_rows(exact, tokens, prompt), raw_rows(rough, tokens, prompt).double()
            print(f"{name:16} rms of logits {a.pow(2).mean().sqrt():.2f}, of the difference "
                  f"{(a - b).pow(2).mean().sqrt():.3f}, largest {(a - b).abs().max():.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build" / "make-tiny-models", help="make-tiny-models")
    parser.add_argument("--check", action="store_true", help="compare with the stored files")
    parser.add_argument("--bf16", action="store_true", help="report the error of bfloat16 arithmetic")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the same order of sums every time
    if not pathlib.Path(options.program).exists():
        sys.exit(f"error: {options.program} is not there. Build it: ninja -C build make-tiny-models")
    if options.bf16:
        report_bf16(options.program)
    elif options.check:
        check(options.program)
    else:
        OUT.mkdir(parents=True, exist_ok=True)
        write_all(options.program, OUT)


if __name__ == "__main__":
    main()
