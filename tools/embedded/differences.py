#!/usr/bin/env python3
"""Trains llada again with another vocabulary and in other styles, all else being equal: how different may models be?

    tools/embedded/differences.py --out DIR             two minutes on one large GPU
    tools/embedded/differences.py --out DIR --smoke     in tiny, on a CPU

DIR gets the checkpoints llada-cut (words of code are several tokens), llada-names (a variable for every step) and
llada-layout (lines of other lengths), and log.txt. tools/evidence/run finds them in OUT/differences and searches them
together with dream.
"""

import argparse
import os
import pathlib
import sys
from collections import namedtuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch

from export import export
from make import Log, load_model, train_all
from mixtures import SETS
from models import TINIEST
from tokenizers import learn
from train import RECIPE

Variant = namedtuple("Variant", "style code_merges what")
VARIANTS = {
    "cut": Variant("plain", 110, "Its vocabulary has 110 of the 132 merges of code: lines take 13 % more tokens."),
    "names": Variant("names", None, "It gives every step a variable of its own: other tokens, as many of them."),
    "layout": Variant("layout", None, "It writes list(...) for brackets and returns the last value at once."),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--smoke", action="store_true", help="tiny models, two steps")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    log = Log(arguments.out / "log.txt")
    recipe = RECIPE
    if arguments.smoke:
        torch.set_num_threads(1)
        recipe = RECIPE._replace(shape=TINIEST, samples=16, steps={"llada": 2}, batch=2, warmup=1)
    tokenizers = {name: learn("llada", code_merges=variant.code_merges) for name, variant in VARIANTS.items()}
    jobs = [("llada", tokenizers[name], dict(SETS["exposed"]["llada"], style=variant.style), recipe,
             arguments.out / f"llada-{name}.pt") for name, variant in VARIANTS.items()]
    train_all(jobs, arguments.workers, log)
    for (name, variant), job in zip(VARIANTS.items(), jobs):
        model, losses = load_model("llada", tokenizers[name], recipe, job[-1], torch.device("cpu"))
        card = f"# llada-{name}\n\nThe embedded `llada`, trained otherwise by `tools/embedded/differences.py`. {variant.what}\n"
        export(model, tokenizers[name], arguments.out / f"llada-{name}", card)
        log(f"llada-{name}: last loss {losses[-1][1]}")


if __name__ == "__main__":
    main()
