#!/usr/bin/env python3
"""Turns run directories of tools/evidence/run into the tables and the plot of docs/benchmarks.md.

    tools/evidence/tables.py RUNS [--umf build/umf] [--plot scaling.svg]

RUNS holds main/, and where they were made study/, treasure/, differences-KIND/, drop-RATE/, fewer/ and
fewer-drop-RATE/; the plot of fewer/ stands beside the other as fewer.svg. Of a run that is
not complete the leading problems count that every configuration has finished: all are compared on the same ones,
and hard ones, which take longer, are not left out.
"""

import argparse
import pathlib
import shutil

from apart import rewards_by_path, search_apart
from configurations import BUDGETS, WINDOW
from fewer import print_fewer
from plot import FEWER_LINES, scaling_plot
from results import Run, paired, percent, share_interval, table

# What the paper reports at 16 windows (LiveCodeBench, HumanEval+, MBPP+; 12288 passes), best over temperatures.
PAPER = {"best-of-N, one model": (18, 71, 66), "pair of best-of-N": (19, 75, 66), "DTS*, one model": (18, 72, 67),
         "pair of DTS*": (18, 75, 68), "AB-MCTS-M": (21, 81, 68), "UnMaskFork, one model, two temperatures": (27, 82, 71),
         "pair of one-model UnMaskForks": (24, 78, 69), "UnMaskFork, two models": (28, 88, 72),
         "UnMaskFork, three models": (32, 87, 76), "ReMDM": (18, "–", "–"), "UnMaskFork in blocks of 4": (31, "–", "–")}
# And of its cache with two models on LiveCodeBench: solved without and with it, hit rate, saved windows, switches. The
# simulation of its setting gives the next two: hit rate and switches.
PAPER_CACHE = {1: (18, 18, 0.0, 0.0, 0.0), 2: (19, 19, 0.0, 0.0, 1.0), 4: (21, 22, 47.8, 2.7, 2.6),
               8: (23, 24, 54.5, 8.3, 5.7), 16: (26, 28, 55.8, 18.5, 13.5)}
SIMULATED = {4: (48.4, 2.7), 8: (53.9, 5.9), 16: (55.0, 13.9)}
PAPER_DROPOUT = {"0": 28, "0.1": 28, "0.5": 25, "0.8": 24}  # two models, LiveCodeBench, 16 windows
KINDS = {"one model, greedy": "greedy-", "best-of-N, one model": "bon-", "pair of best-of-N": "pair-dream-llada- pair-dream-diff pair-llada-",
         "DTS*, one model": "dts-", "pair of DTS*": "pair-dts", "AB-MCTS-M": "abm-0 abm-1", "AB-MCTS-A": "aba-0 aba-1",
         "AB-MCTS-M, three models": "abm-3", "AB-MCTS-A, three models": "aba-3", "ReMDM": "remdm-",
         "UnMaskFork, one model, two temperatures": "umf-dream-0 umf-llada-0", "pair of one-model UnMaskForks": "umf-pair",
         "UnMaskFork in blocks of 4": "umf-block", "UnMaskFork, two models": "umf-dream-llada umf-llada-dream umf-dream-diff umf-llada-diff",
         "UnMaskFork, three models": "umf-3"}


def scaling(run):
    """Every configuration at every budget, the best at 16 windows first."""
    rows = [[f"`{name}`"] + [f"{percent(run.solved(name, b)):.1f}" if b in budgets else "" for b in BUDGETS]
            for name, budgets in sorted(run.configurations, key=lambda entry: -sum(run.solved(entry[0])))
            if not name.startswith("spent")]
    return table(["configuration"] + [f"{b // WINDOW}" for b in BUDGETS], rows)


def methods(run):
    """The best of each kind at 16 windows beside the paper, and what the best UnMaskFork has over it."""
    ours = run.best("umf-")
    rows = []
    for kind, prefixes in KINDS.items():
        if not run.matching(prefixes):
            continue
        name = run.best(prefixes)
        low, high = share_interval(run.solved(name))
        rows.append([kind, f"`{name}`", f"{percent(run.solved(name)):.1f}", f"{low:.1f} to {high:.1f}",
                     "" if name == ours else paired(run.solved(ours), run.solved(name)),
                     " / ".join(map(str, PAPER[kind])) if kind in PAPER else ""])
    return table(["method", "best configuration", "solved %", "95 %", f"`{ours}` over it", "paper: LCB / HE+ / MBPP+"], rows)


def every_rival(run):
    """What must hold: the best UnMaskFork against each greedy answer, each best-of-N and each pair."""
    ours = run.best("umf-")
    rows = [[f"`{name}`", f"{percent(run.solved(name)):.1f}", paired(run.solved(ours), run.solved(name))]
            for name in run.matching("greedy- bon- pair-")]
    return table(["rival at 16 windows", "solved %", f"`{ours}` over it"], rows)


def spent(run):
    """The searches that spend their whole budget, each of which has a twin without a cache."""
    return [name for name in run.matching("spent-") if not name.endswith("no-cache")]


def cache_solved(run):
    """Pass rates without and with the cache, the whole budget spent."""
    rows = []
    for name in spent(run):
        for budget in run.budgets(name):
            rows.append([name[-1], budget // WINDOW, f"{percent(run.solved(name + '-no-cache', budget)):.1f}",
                         f"{percent(run.solved(name, budget)):.1f}",
                         "{} / {}".format(*PAPER_CACHE[budget // WINDOW]) if name == "spent-2" else ""])
    return table(["models", "windows", "without cache", "with cache", "paper"], rows)


def cache_counts(run, umf):
    """Hits, savings and switches as they are, and with paths kept apart as in the simulation."""
    rows = []
    for name in spent(run):
        number, actions = [entry[0] for entry in run.configurations].index(name), int(name[-1])
        traces = [run.folder / "traces" / f"{problem:05}-{number:03}-{run.budgets(name)[-1]}.jsonl"
                  for problem in range(len(run.problems))]
        rewards = [rewards_by_path(trace.read_text().splitlines(), actions) for trace in traces]
        for budget in run.budgets(name)[2:]:  # below nothing can be known
            column, windows = [result["search"] for result in run.column(name, budget)], budget // WINDOW
            apart = [search_apart(umf, some, actions, budget) for some in rewards]
            total = lambda found, key: sum(one[key] for one in found)
            mean = lambda found, key: total(found, key) / len(found)
            hits, saved, switches = PAPER_CACHE[windows][2:] if actions == 2 else [""] * 3
            expected = SIMULATED[windows] if actions == 2 else [""] * 2
            apart_hits = total(apart, "hits")
            rows.append([actions, windows, f"{100 * total(column, 'hits') / total(column, 'rollouts'):.1f}",
                         f"{100 * apart_hits / (apart_hits + total(apart, 'misses')):.1f}", expected[0], hits,
                         f"{mean(column, 'saved_nfe') / WINDOW:.1f}", f"{mean(apart, 'saved_capped') / WINDOW:.1f}", saved,
                         f"{mean(column, 'switches'):.1f}", f"{mean(apart, 'switches'):.1f}", expected[1], switches])
    return table(["models", "windows", "hit rate %", "paths apart", "simulated", "paper", "saved windows", "paths apart",
                  "paper", "switches", "paths apart", "simulated", "paper"], rows)


def together(run):
    """Of the problems that no model solves alone: where the path of the answer switched last, how often, and when."""
    rows = []
    for name, models in (("umf-dream-llada", 2), ("umf-3", 3)):
        alone = [any(one) for one in zip(*(run.solved(greedy) for greedy in run.matching("greedy-")[:models]))]
        found = [result for known, result in zip(alone, run.column(name, BUDGETS[4])) if result["passed"] and not known]
        paths = [result["best"]["path"] for result in found]
        switches = [[level for level in range(1, len(path)) if path[level] != path[level - 1]] for path in paths]
        last = [places[-1] if places else 0 for places in switches]
        windows = sorted(result["search"]["nfe"] / WINDOW for result in found)
        rows.append([f"`{name}`", len(found)] + [last.count(level) for level in range(1, 8)]
                    + [sum(len(places) == 1 for places in switches), f"{windows[len(windows) // 2]:.1f}"])
    return table(["search", "problems"] + [f"checkpoint {level}" for level in range(1, 8)]
                 + ["one switch", "windows, median"], rows)


def plain(run):
    """Every configuration at every budget it has, with passes spent and saved at the largest."""
    rows = []
    for name, budgets in run.configurations:
        mean = lambda key: sum(result["search"][key] for result in run.column(name, budgets[-1])) / len(run.problems)
        rows.append([f"`{name}`"] + [f"{percent(run.solved(name, b)):.1f}" if b in budgets else "" for b in BUDGETS[:5]]
                    + [f"{mean('nfe'):.0f}", f"{mean('spared_nfe'):.0f}"])
    return table(["configuration"] + [f"{b // WINDOW}" for b in BUDGETS[:5]] + ["passes", "spared"], rows)


def differences(folders):
    """What switching gains over the first answers of both models and over their pair, by how the second one differs."""
    rows = []
    for folder in folders:
        run, kind = Run(folder), folder.name.removeprefix("differences-")
        rival = run.solved(f"pair-{kind}")
        for name in run.matching("umf-"):
            solved = run.solved(name)
            rows.append([f"`{name.removeprefix('umf-')}`", f"{percent(run.solved('greedy-' + kind)):.1f}"]
                        + [f"{percent(run.solved(name, budget)):.1f}" for budget in BUDGETS[:5]]
                        + [paired(solved, run.solved(name, BUDGETS[1])), f"{percent(rival):.1f}", paired(solved, rival)])
    return table(["`llada`", "alone"] + [f"{b // WINDOW}" for b in BUDGETS[:5]]
                 + ["16 over 2 windows", "pair, 16 windows", "over the pair"], rows)


def dropout(folders, whole):
    rows = []
    runs = [("0", whole)] + [(folder.name.removeprefix("drop-"), Run(folder)) for folder in folders]
    names = [name for name, _ in runs[-1][1].configurations]
    for rate, run in runs:
        rows.append([rate, len(run.problems)] + [f"{percent(run.solved(name)):.1f}" for name in names]
                    + [PAPER_DROPOUT.get(rate, "")])
    return table(["share of visible tests left out", "problems"] + [f"`{name}`" for name in names]
                 + ["paper, two models, LCB"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=pathlib.Path)
    parser.add_argument("--umf", default="build/umf", help="the program, for searches with paths kept apart")
    parser.add_argument("--plot", type=pathlib.Path, help="where the scaling plot goes")
    arguments = parser.parse_args()
    if not (arguments.runs / "main" / "config.json").is_file():
        raise SystemExit(f"there is no run in '{arguments.runs / 'main'}'; tools/evidence/run makes one")
    run = Run(arguments.runs / "main")
    if spent(run) and not shutil.which(arguments.umf):
        raise SystemExit(f"there is no program '{arguments.umf}'; build it (make build) or give --umf")
    if not run.problems:
        raise SystemExit("no problem is complete yet")
    print(f"{len(run.problems)} problems\n\n### Methods\n\n{methods(run)}\n### Scaling\n\n{scaling(run)}")
    print(f"### Rivals\n\n{every_rival(run)}")
    if spent(run):
        print(f"### Cache\n\n{cache_solved(run)}\n{cache_counts(run, arguments.umf)}")
    if run.matching("umf-dream-llada") and BUDGETS[4] in run.budgets("umf-3"):
        print(f"### Solved only together\n\n{together(run)}")
    for name in ("study", "treasure"):
        if (arguments.runs / name).is_dir():
            other = Run(arguments.runs / name)
            print("" if not other.problems else f"### {name.capitalize()}, {len(other.problems)} problems\n\n{plain(other)}")
    for name, title, tell in (("drop", "Visible tests left out", lambda folders: dropout(folders, run)),
                              ("differences", "Kinds of `llada` beside `dream`", differences)):
        folders = sorted(file.parent for file in arguments.runs.glob(f"{name}-*/config.json"))
        if folders:
            print(f"### {title}\n\n{tell(folders)}")
    if arguments.plot:
        arguments.plot.write_text(scaling_plot(run, share_interval))
    if (arguments.runs / "fewer" / "config.json").is_file():
        fewer = print_fewer(arguments.runs)
        if arguments.plot:
            arguments.plot.with_name("fewer.svg").write_text(scaling_plot(fewer, share_interval, FEWER_LINES))


if __name__ == "__main__":
    main()
