"""The tables of docs/benchmarks.md "Fewer passes": a run of the configurations `fewer`, runs with dropped tests."""

from fractions import Fraction
from statistics import mean

from configurations import BUDGETS, PARTS, WINDOW
from results import Run, paired, percent, share_interval, table

RIVALS = ("abm-3", "aba-3", "pair", "bon-dream", "bon-llada", "bon-diffcoder", "dts-dream")
OURS = ("umf-3-relays", "odds-3")


def misled(column):
    """Texts that pass the visible tests and fail the hidden ones, in percent."""
    return 100 * mean((result["reward"] or 0) >= 1 and not result["passed"] for result in column)


def costs(column):
    """Passes, judged texts, misled; seconds of walking and judging."""
    return [f"{mean(result['search']['nfe'] for result in column):.0f}",
            f"{mean(result['search']['evaluations'] for result in column):.1f}", f"{misled(column):.1f}",
            f"{mean(result['seconds']['unmask'] + result['seconds']['reward'] for result in column):.2f}"]


def alone(run):
    """One answer each, no test is looked at."""
    rows = []
    for name in run.matching("alone-"):
        solved = run.solved(name)
        rows.append([f"`{name.removeprefix('alone-')}`", f"{percent(solved):.1f}", "{:.1f} to {:.1f}".format(*share_interval(solved))]
                    + costs(run.column(name, BUDGETS[4]))[:1])
    return table(["who writes", "solved %", "95 %", "passes"], rows)


def searches(run):
    """Every search at every budget; what it costs is the mean at the largest."""
    rows = []
    for name, budgets in run.configurations:
        if not name.startswith("alone-"):
            rows.append([f"`{name}`"] + [f"{percent(run.solved(name, budget)):.1f}" if budget in budgets else "" for budget in PARTS]
                        + costs(run.column(name, budgets[-1])))
    return table(["configuration"] + [str(Fraction(budget, WINDOW)) for budget in PARTS]
                 + ["passes", "texts judged", "misled %", "seconds"], rows)


def claims(run):
    rows = []
    for ours in OURS:
        for theirs in ("umf-3-paper",) + RIVALS:
            rows.append([f"`{ours}` over `{theirs}`"]
                        + [paired(run.solved(ours, budget), run.solved(theirs, budget)) if budget in run.budgets(theirs) else ""
                           for budget in BUDGETS[:5]])
    few, many = BUDGETS[2], BUDGETS[4]
    rows += [[f"`{ours}` at 4 windows over `{theirs}` at 16", "", "", "", "", paired(run.solved(ours, few), run.solved(theirs, many))]
             for ours, theirs in (("umf-3-relays", "umf-3-paper"), ("odds-3", "umf-3-paper"), ("umf-2-relays", "umf-2-paper"))]
    rows.append(["`odds-3` over `umf-3-relays`"]
                + [paired(run.solved("odds-3", budget), run.solved("umf-3-relays", budget)) for budget in BUDGETS[:5]])
    best = max((name for name in run.matching("alone-dream alone-llada alone-diffcoder")), key=lambda name: sum(run.solved(name)))
    rows.append([f"`alone-relay-0.999` over `{best}`", "", "", "", "",
                 paired(run.solved("alone-relay-0.999"), run.solved(best))])
    return table(["points, 95 %"] + [str(budget // WINDOW) for budget in BUDGETS[:5]], rows)


def dropped(runs):
    """`runs`: (share of visible tests left out, run)."""
    rows = []
    for rate, run in runs:
        for name in ("umf-3-paper", "umf-3-relays", "odds-3", "abm-3"):
            cells = [run.column(name, budget) for budget in (BUDGETS[2], BUDGETS[4])]
            rows.append([rate, f"`{name}`"] + [f"{percent([one['passed'] for one in column]):.1f}" for column in cells]
                        + [f"{misled(column):.1f}" for column in cells])
    return table(["left out", "configuration", "4 windows", "16 windows", "misled % at 4", "at 16"], rows)


def print_fewer(folder):
    """`folder` holds fewer/, and where they were made fewer-drop-RATE/."""
    run = Run(folder / "fewer")
    print(f"### Fewer passes, {len(run.problems)} problems\n\n{alone(run)}\n{searches(run)}\n{claims(run)}")
    found = sorted(folder.glob("fewer-drop-*/config.json"))
    print(dropped([("0", run)] + [(file.parent.name.removeprefix("fewer-drop-"), Run(file.parent)) for file in found]))
    return run
