"""What runs of `umf bench` found, problem by problem, and what is said of it: shares, differences, tables."""

import itertools
import json
import math

from configurations import BUDGETS


class Run:
    """What a run found, and the problems that count."""

    def __init__(self, folder):
        self.folder = folder
        manifest = json.loads((folder / "config.json").read_text())
        self.configurations = [(entry["name"], entry["budgets"]) for entry in manifest["configurations"]]
        found = {}
        for file in sorted((folder / "results").glob("*.jsonl")):
            for line in file.read_text().splitlines():
                result = json.loads(line)
                if result["passed"] is not None:
                    found.setdefault((result["id"], result["configuration"], result["budget"]), result)
        wanted = {(name, budget) for name, budgets in self.configurations for budget in budgets}
        self.problems = list(itertools.takewhile(lambda problem: all((problem, *one) in found for one in wanted),
                                                 manifest["dataset"]["problems"]))
        self.results = found

    def column(self, name, budget):
        return [self.results[problem, name, budget] for problem in self.problems]

    def solved(self, name, budget=None):
        """1 or 0 per problem; without a budget at 16 windows, or the most there is below."""
        budget = budget or max(b for b in self.budgets(name) if b <= BUDGETS[4])
        return [int(result["passed"]) for result in self.column(name, budget)]

    def best(self, prefixes):
        return max(self.matching(prefixes), key=lambda name: sum(self.solved(name)))

    def budgets(self, name):
        return dict(self.configurations)[name]

    def matching(self, prefixes):
        return [name for name, _ in self.configurations if name.startswith(tuple(prefixes.split()))]


def percent(solved):
    return 100 * sum(solved) / len(solved)


def share_interval(solved):
    """Wilson's 95 % interval of a share, in percent."""
    n, p, z = len(solved), sum(solved) / len(solved), 1.96
    middle, half = (p + z * z / 2 / n) / (1 + z * z / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n) / (1 + z * z / n)
    return 100 * (middle - half), 100 * (middle + half)


def paired(ours, theirs):
    """Difference in points with its 95 % interval, problem by problem."""
    gaps = [a - b for a, b in zip(ours, theirs)]
    mean = sum(gaps) / len(gaps)
    half = 1.96 * math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / (len(gaps) - 1) / len(gaps))
    return f"{100 * mean:+.1f} ({100 * (mean - half):+.1f} to {100 * (mean + half):+.1f})"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"
