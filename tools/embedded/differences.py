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

Variant = namedtuple("Variant", "style code_merges steps what")
# Spelling words takes longer to learn: after 1500 steps `cut` solves 5 % of dev alone.
VARIANTS = {
    "cut": Variant("plain", 110, 3000, "Its vocabulary has 110 of the 132 merges of code: lines take 13 % more tokens."),
    "names": Variant("names", None, 1500, "It gives every step a variable of its own: other tokens, as many of them."),
    "layout": Variant("layout", None, 1500, "It writes list(...) for brackets and returns the last value at once."),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", choices=VARIANTS, help="one of them")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--smoke", action="store_true", help="tiny models, two steps")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    log = Log(arguments.out / "log.txt")
    recipe = RECIPE
    if arguments.smoke:
        torch.set_num_threads(1)
        recipe = RECIPE._replace(shape=TINIEST, samples=16, batch=2, warmup=1)
    jobs = {}
    for name in [arguments.only] if arguments.only else VARIANTS:
        variant, file = VARIANTS[name], arguments.out / f"llada-{name}.pt"
        jobs[name] = ("llada", learn("llada", code_merges=variant.code_merges),
                      dict(SETS["exposed"]["llada"], style=variant.style),
                      recipe._replace(steps={"llada": 2 if arguments.smoke else variant.steps}), file)
    train_all(list(jobs.values()), arguments.workers, log)
    for name, (_, tokenizer, _, own, file) in jobs.items():
        model, losses = load_model("llada", tokenizer, own, file, torch.device("cpu"))
        card = (f"# llada-{name}\n\nThe embedded `llada`, trained otherwise by `tools/embedded/differences.py`. "
                f"{VARIANTS[name].what}\n")
        export(model, tokenizer, arguments.out / f"llada-{name}", card)
        log(f"llada-{name}: last loss {losses[-1][1]}")


if __name__ == "__main__":
    main()
