#!/usr/bin/env python3
"""Trains variants of the models with more or less practice of what is not theirs, and compares them on dev.

    tools/embedded/compare.py --out DIR --train dream:0.25:2200 diffcoder:0.014:1000 diffcoder:0.024:1000 \\
        --given WEIGHTS

A variant is NAME:RARE:STEPS. WEIGHTS holds dream.safetensors and llada.safetensors that stand by: every
block-causal variant is evaluated with each dream and with that llada. DIR gets the weights, log.txt and
results.json as they come.
"""

import argparse
import multiprocessing
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch

from evaluate import BUDGETS, STYLES, Bench, percent, save_results, summary
from export import load_weights, tensors_of, write_safetensors
from make import Log, load_model, train_all, write_problems
from mixtures import practice
from models import TINY, Model
from tokenizers import FAMILIES, learn
from train import RECIPE


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--given", type=pathlib.Path, required=True)
    parser.add_argument("--problems", type=int, default=300)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--smoke", action="store_true", help="tiny models, 12 steps")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    log = Log(arguments.out / "log.txt")
    recipe = RECIPE._replace(shape=TINY, samples=400, batch=8, warmup=3) if arguments.smoke else RECIPE
    known = {name: learn(name) for name in FAMILIES}
    dev = [p for p, _, _ in write_problems(arguments.out / "problems", known, 300)][:arguments.problems]
    torch.set_float32_matmul_precision("high")
    with multiprocessing.get_context("fork").Pool(arguments.workers) as pool:
        models = trained(arguments, recipe, known, log)
        compare(models, known, dev, pool, (1, 2) if arguments.smoke else BUDGETS, arguments.out, log)


def trained(arguments, recipe, tokenizers, log):
    """{variant: model} of the given and the new ones; the weights of the latter are written."""
    jobs = []
    for text in arguments.train:
        name, rare, steps = text.split(":")
        own = recipe._replace(steps={name: 12 if arguments.smoke else int(steps)})
        jobs.append((name, tokenizers[name], practice(name, float(rare)), own, arguments.out / f"{name}-{rare}.pt"))
    train_all(jobs, arguments.workers, log)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    models = {name: load_weights(Model(name, tokenizers[name].size, recipe.shape),
                                 arguments.given / f"{name}.safetensors").to(device).eval()
              for name in ("dream", "llada")}
    for name, *_, file in jobs:
        model, losses = load_model(name, tokenizers[name], recipe, file, device)
        write_safetensors(file.with_suffix(".safetensors"), tensors_of(model))
        log(f"{file.stem}: last loss {losses[-1][1]}")
        models[file.stem] = model
    return models


def compare(models, known, dev, pool, budgets, out, log):
    tokenizers = {variant: known[model.name] for variant, model in models.items()}
    actions = {variant: STYLES["text-first"][model.name]._replace(model=variant)
               for variant, model in models.items()}
    device = next(iter(models.values())).head.weight.device
    bench = Bench(models, tokenizers, dev, device, pool, budgets, log)
    results = {}

    def note(name, result):
        results[name] = result
        log(f"{name:44s} " + " ".join(f"{b}:{percent(r):5.1f}" for b, r in result.items()))
        save_results(out / "results.json", results, {"problems": len(dev)})

    dreams, llada, coders = ([v for v, m in models.items() if m.name == name] for name in FAMILIES)
    llada = llada[0]
    for variant in models:
        note(f"greedy {variant}", bench.greedy(actions[variant]))
    dream = dreams[-1]
    for coder in [None] + coders:
        lists = [(llada, d) for d in dreams] if coder is None else [
            (llada, dream, coder), (coder, llada, dream), (llada, coder)]
        for names, result in zip(lists, bench.unmaskfork([[actions[v] for v in names] for names in lists])):
            note(f"umf {'+'.join(names)}", result)
    for temperature in (1.0, 0.5):
        drawn = {}
        for variant in [llada, dream] + coders:
            action = actions[variant]._replace(temperature=temperature)
            drawn[variant] = bench.samples(action, budgets[-1])
            note(f"best-of-n {variant} T={temperature}", bench.best_of(drawn[variant]))
            if variant != llada:
                note(f"pair {llada}+{variant} T={temperature}", bench.pair(drawn[llada], drawn[variant]))
    for line in summary(results):
        log(line)


if __name__ == "__main__":
    main()
