#!/usr/bin/env python3
"""Makes the embedded models: problems, tokenizers, training, evaluation on dev, checkpoints.

    tools/embedded/make.py --out DIR                 the models we ship, minutes on one large GPU
    tools/embedded/make.py --out DIR --given WEIGHTS      the same with weights that are there already
    tools/embedded/make.py --out DIR --smoke         the whole path in tiny, about a minute on a CPU
    tools/embedded/make.py --out DIR --mixture exposed,halves --quick   compares mixtures

DIR gets log.txt, problems/{dev,test}.jsonl and, per mixture, NAME/{dream,llada,diffcoder}/,
NAME/FINGERPRINTS and NAME/results.json. Everything is written as it comes, so that an interrupted run leaves what it has.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch

from evaluate import BUDGETS, NAMES, PLANS, STYLES, Bench, evaluate, percent, save_results, summary
from export import export, load_weights
from fingerprints import write_fingerprints
from mixtures import SETS
from models import TINIEST, Model
from tasks import make_problems, partition
from tokenizers import learn
from train import PROMPT, RECIPE, WINDOW, sample_data, train

TITLES = {"dream": "Dream", "llada": "LLaDA", "diffcoder": "Stable-DiffCoder"}
SKILLS = {"dream": "what becomes of each number or word", "llada": "order and extent of lists and texts",
          "diffcoder": "characters and single numbers"}


class Log:
    def __init__(self, path):
        self.path, self.begin = path, time.time()

    def __call__(self, text):
        line = f"[{time.time() - self.begin:6.1f}] {text}"
        print(line, flush=True)
        with self.path.open("a") as file:
            file.write(line + "\n")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--smoke", action="store_true", help="tiny models and few problems, for a CPU")
    parser.add_argument("--given", type=pathlib.Path, help="a folder; a model NAME.safetensors there is not trained")
    parser.add_argument("--mixture", default="exposed", help="names from mixtures.py, joined by commas")
    parser.add_argument("--steps", type=int, help="of every model; without it each has its own number")
    parser.add_argument("--samples", type=int, default=RECIPE.samples, help="training programs per model")
    parser.add_argument("--seed", type=int, default=RECIPE.seed)
    parser.add_argument("--problems", type=int, default=300, help="of dev that are evaluated")
    parser.add_argument("--quick", action="store_true", help="fewer methods")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    for name in arguments.mixture.split(","):
        if name not in SETS:
            parser.error(f"there is no mixture '{name}'; choose from {', '.join(SETS)}")
    return arguments


def write_problems(folder, tokenizers, count):
    """dev and test as JSON Lines; gives dev back. Lengths hold in every vocabulary."""
    def fits(prompt, code):
        return all(len(t.encode(prompt)) <= PROMPT and len(t.encode(code)) < WINDOW for t in tokenizers.values())

    folder.mkdir(parents=True, exist_ok=True)
    sets = {name: make_problems(name, count, fits, seed=1) for name in ("dev", "test")}
    for name, problems in sets.items():
        assert all(partition(composition) == name for _, composition, _ in problems)
        with (folder / f"{name}.jsonl").open("w") as file:
            for problem, _, _ in problems:
                file.write(json.dumps(problem) + "\n")
    return sets["dev"]


def train_one(name, tokenizer, mixture, recipe, workers, file, log):
    """In a process of its own: data, training, weights and losses to a file."""
    data = sample_data(tokenizer, mixture, recipe.samples, recipe.seed, workers)
    log(f"{file.stem}: {len(data)} programs")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, losses = train(name, tokenizer, data, recipe, device, log)
    state = {key: value.cpu().bfloat16() for key, value in model.state_dict().items()}
    torch.save((state, losses), file)


def train_all(jobs, workers, log):
    """[(name, tokenizer, mixture, recipe, file)]: processes share the device, so that what one prepares on the CPU
    hides behind another's passes."""
    if workers == 1:
        for job in jobs:
            train_one(*job[:-1], 1, job[-1], log)
        return
    context = multiprocessing.get_context("spawn")
    share = max(1, workers // max(1, len(jobs)))
    processes = [context.Process(target=train_one, args=(*job[:-1], share, job[-1], log)) for job in jobs]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit("training failed; see the messages above")


def load_model(name, tokenizer, recipe, file, device):
    state, losses = torch.load(file, map_location="cpu")
    model = Model(name, tokenizer.size, recipe.shape)
    model.load_state_dict({key: value.float() for key, value in state.items()})
    file.unlink()
    return model.to(device).eval(), losses


def load_given(name, tokenizer, recipe, file, device):
    """Weights of an earlier run; their losses are in its log."""
    return load_weights(Model(name, tokenizer.size, recipe.shape), file).to(device).eval(), None


def card(name, mixture, recipe, losses, alone, device):
    """The model card."""
    training = (f"{recipe.steps[name]} steps of {recipe.batch} programs, seed {recipe.seed}, on one {device}; loss of the\n"
                f"  last batch {losses[-1][1]} per token" if losses else "by an earlier run, whose log has steps and losses")
    scores = "; ".join(f"{solved:.1f} % of {count} problems ({style})" for style, (solved, count) in alone.items())
    return f"""# {TITLES[name]}, embedded

A masked diffusion language model of {TITLES[name]}'s architecture that turns one kind of English into small Python
functions, made from scratch by `tools/embedded/make.py`. It is an expert in {SKILLS[name]},
and weak elsewhere on purpose: what it does not know, one of its two siblings does.

- Data: {recipe.samples:,} generated programs, mixture `{mixture}` of `tools/embedded/mixtures.py`; no composition of
  operations that dev or test holds. Descriptions up to {PROMPT} tokens, answers in a window of {WINDOW}.
- Training: {training}.
- Command: `tools/embedded/make.py --out DIR --mixture {mixture} --seed {recipe.seed}`
- Alone, one deterministic answer per problem of dev, hidden tests: {scores or "not evaluated"}.
"""


def make_mixture(mixture, arguments, recipe, tokenizers, dev, pool, log):
    folder = arguments.out / mixture
    folder.mkdir(parents=True, exist_ok=True)
    names = list(SETS[mixture])
    given = {name: arguments.given / f"{name}.safetensors" for name in names
             if arguments.given and (arguments.given / f"{name}.safetensors").is_file()}
    jobs = [(name, tokenizers[name], SETS[mixture][name], recipe, folder / f"{name}.pt")
            for name in names if name not in given]
    log(f"{mixture}: given {', '.join(given) or 'nothing'}; to train {', '.join(job[0] for job in jobs) or 'nothing'}")
    train_all(jobs, arguments.workers, log)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loaded = {name: load_given(name, tokenizers[name], recipe, given[name], device) if name in given
              else load_model(name, tokenizers[name], recipe, folder / f"{name}.pt", device) for name in names}
    place = torch.cuda.get_device_name() if device.type == "cuda" else "a CPU"

    def write_checkpoints(results):
        for name, (model, losses) in loaded.items():
            greedy = {style: results.get(f"greedy {name} {style}") for style in STYLES}
            alone = {style: (percent(found[1]), len(found[1])) for style, found in greedy.items() if found}
            export(model, tokenizers[name], folder / name, card(name, mixture, recipe, losses, alone, place))
        write_fingerprints(folder)

    write_checkpoints({})
    log(f"{mixture}: checkpoints written")
    chosen = dev[:arguments.problems]
    extra = {"mixture": mixture, "recipe": recipe._asdict(), "compositions": [c for _, c, _ in chosen],
             "losses": {name: losses for name, (_, losses) in loaded.items()}}
    bench = Bench({name: model for name, (model, _) in loaded.items()}, tokenizers, [p for p, _, _ in chosen],
                  device, pool, (1, 3) if arguments.smoke else BUDGETS, log)
    plan = PLANS["smoke" if arguments.smoke else "quick" if arguments.quick else "full"]
    results = evaluate(bench, plan, lambda found: save_results(folder / "results.json", found, extra))
    write_checkpoints(results)
    return [f"mixture {mixture}"] + summary(results)


def main():
    arguments = parse_arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    log = Log(arguments.out / "log.txt")
    recipe = RECIPE._replace(samples=arguments.samples, seed=arguments.seed)
    if arguments.steps:
        recipe = recipe._replace(steps=dict.fromkeys(NAMES, arguments.steps))
    if arguments.smoke:
        torch.set_num_threads(1)
        recipe = recipe._replace(shape=TINIEST, samples=16, steps=dict.fromkeys(NAMES, 2), batch=2, warmup=1)
        arguments.problems = 1
    torch.set_float32_matmul_precision("high")
    tokenizers = {name: learn(name) for name in NAMES}
    dev = write_problems(arguments.out / "problems", tokenizers, 300)
    log(f"torch {torch.__version__}, {arguments.workers} workers; problems written")
    # Forked before anything touches the device.
    with multiprocessing.get_context("fork").Pool(arguments.workers) as pool:
        tables = [make_mixture(mixture, arguments, recipe, tokenizers, dev, pool, log)
                  for mixture in arguments.mixture.split(",")]
    for table in tables:
        for line in table:
            log(line)


if __name__ == "__main__":
    main()
