"""What the models solve alone, by best-of-N, paired, and by UnMaskFork: for choosing mixtures on dev.

Visible tests guide the searches, hidden ones give the score. The evidence proper is made by the engine;
here many problems share a batch, and noise is drawn by PyTorch.
"""

import itertools
import json
import math
import time
from collections import namedtuple

from decoding import Action, Decoder
from judging import pass_rates, tests_of
from search import Rollout, UnMaskFork, answer_at
from train import WINDOW

BUDGETS = (1, 2, 4, 8, 16)  # windows
TEMPERATURES = (0.1, 0.5, 1.0)
NAMES = ("dream", "llada", "diffcoder")

# Each family's rule, with and without keeping the end of the text for last.
STYLES = {
    "plain": {"dream": Action("dream", "entropy"), "llada": Action("llada", "low-confidence"),
              "diffcoder": Action("diffcoder", "low-confidence")},
    "text-first": {"dream": Action("dream", "entropy", eos_penalty=3.0),
                   "llada": Action("llada", "low-confidence", eos_last=True),
                   "diffcoder": Action("diffcoder", "low-confidence")},
}


class Bench:
    """Models, problems, and a memory of what was rolled out and judged before."""

    def __init__(self, models, tokenizers, problems, device, pool, budgets, log):
        self.tokenizers, self.problems, self.log = tokenizers, problems, log
        self.pool, self.budgets = pool, budgets  # budgets in windows, ascending
        self.decoders = {name: Decoder(model, tokenizers[name], WINDOW, device)
                         for name, model in models.items()}
        self.prompts = {name: [tokenizers[name].chat(p["prompt"]) for p in problems] for name in models}
        self.visible = [tests_of(p["reward"]) for p in problems]
        self.hidden = [tests_of(p["hidden"]) for p in problems]
        self.rates, self.rolled = {}, {}

    def judge(self, answers, hidden=False):
        """Pass rates of [(problem number, text)]."""
        tests = self.hidden if hidden else self.visible
        new = sorted({(n, text) for n, text in answers if (n, text, hidden) not in self.rates})
        jobs = [[(text, tests[n]) for n, text in new[i:i + 50]] for i in range(0, len(new), 50)]
        rates = [rate for part in self.pool.map(pass_rates, jobs, chunksize=1) for rate in part]
        for (n, text), rate in zip(new, rates):
            self.rates[n, text, hidden] = rate
        return [self.rates[n, text, hidden] for n, text in answers]

    def roll(self, action, wanted):
        """Rollouts of [(problem number, window)] by one action."""
        tokenizer = self.tokenizers[action.model]
        results = self.decoders[action.model].rollouts(
            action, [self.prompts[action.model][n] for n, _ in wanted], [list(w) for _, w in wanted])
        texts = [tokenizer.text(cells) for cells, _ in results]
        rewards = self.judge([(n, text) for (n, _), text in zip(wanted, texts)])
        return [Rollout(cells, when, text, reward)
                for (cells, when), text, reward in zip(results, texts, rewards)]

    def drive(self, searches):
        """Runs [(problem number, generator)] to their ends, round by round."""
        pending = {i: next(search) for i, (_, search) in enumerate(searches)}
        while pending:
            wanted = {}
            for i, (action, window) in pending.items():
                key = searches[i][0], tuple(window)
                if (action, *key) not in self.rolled:
                    wanted.setdefault(action, {})[key] = None
            for action, keys in wanted.items():
                for key, rollout in zip(keys, self.roll(action, list(keys))):
                    self.rolled[(action, *key)] = rollout
            for i, (action, window) in list(pending.items()):
                number, search = searches[i]
                try:
                    pending[i] = search.send(self.rolled[action, number, tuple(window)])
                except StopIteration:
                    del pending[i]

    def solved(self, answers):
        """1 or 0 per problem: whether all hidden tests pass."""
        return [int(rate == 1) for rate in self.judge(list(enumerate(answers)), hidden=True)]

    # -- methods; each gives {windows: [1 or 0 per problem]} --

    def greedy(self, action):
        start = [self.tokenizers[action.model].mask] * WINDOW
        rollouts = self.roll(action, [(n, start) for n in range(len(self.problems))])
        return {1: self.solved([rollout.text for rollout in rollouts])}

    def samples(self, action, count):
        """Per problem the (visible reward, text) of independent samples."""
        start = [self.tokenizers[action.model].mask] * WINDOW
        numbers = [n for n in range(len(self.problems)) for _ in range(count)]
        rollouts = self.roll(action, [(n, start) for n in numbers])
        drawn = [[] for _ in self.problems]
        for n, rollout in zip(numbers, rollouts):
            drawn[n].append((rollout.reward, rollout.text))
        return drawn

    def best_of(self, drawn):
        return {b: self.solved([max(d[:b], key=lambda c: c[0])[1] for d in drawn]) for b in self.budgets}

    def pair(self, first, second):
        """Half of the budget each; ties to the first."""
        return {b: self.solved([max(f[:b // 2] + s[:b // 2], key=lambda c: c[0])[1]
                                for f, s in zip(first, second)]) for b in self.budgets if b > 1}

    def unmaskfork(self, action_lists):
        """Several searches of all problems side by side: one result per list of actions."""
        runs = []
        for actions in action_lists:
            tokenizers = [self.tokenizers[action.model] for action in actions]
            runs.append([UnMaskFork(actions, tokenizers, WINDOW, self.budgets[-1] * WINDOW)
                         for _ in self.problems])
        self.drive([(n, search.run()) for run in runs for n, search in enumerate(run)])
        return [self._score_run(run) for run in runs]

    def _score_run(self, run):
        result = {}
        for b in self.budgets:
            answers = [answer_at(search.misses, b * WINDOW, search.tokenizers,
                                 lambda text, n=n: self.judge([(n, text)])[0])
                       for n, search in enumerate(run)]
            result[b] = self.solved(answers)
        return result


# ---------------------------------------------------------------------------------------------------
# A whole evaluation


# How much is evaluated. `searches` lists the models of each UnMaskFork, in order.
Plan = namedtuple("Plan", "styles temperatures searches")
SEARCHES = (("dream", "llada"), ("llada", "dream"), ("dream", "diffcoder"), ("llada", "diffcoder"),
            ("dream", "llada", "diffcoder"), ("llada", "dream", "diffcoder"), ("diffcoder", "dream", "llada"))
PLANS = {"full": Plan(tuple(STYLES), TEMPERATURES, SEARCHES),
         "quick": Plan(("text-first",), TEMPERATURES[::-1], SEARCHES),
         "smoke": Plan(("text-first",), TEMPERATURES[2:], (SEARCHES[0], SEARCHES[4]))}


def evaluate(bench, plan, save):
    """All methods of a plan; `save(results)` is called after each. {method: {windows: [1 or 0 per problem]}}"""
    results = {}
    names_here = [name for name in NAMES if name in bench.decoders]
    searches = [names for names in plan.searches if set(names) <= set(names_here)]

    def note(name, result):
        results[name] = result
        bench.log(f"{name:44s} " + " ".join(f"{b}:{percent(r):5.1f}" for b, r in result.items()))
        save(results)

    for style in plan.styles:
        for name in names_here:
            note(f"greedy {name} {style}", bench.greedy(STYLES[style][name]))
    for style in plan.styles:
        begin = time.time()
        found = bench.unmaskfork([[STYLES[style][name] for name in names] for names in searches])
        for names, result in zip(searches, found):
            note(f"umf {'+'.join(names)} {style}", result)
        bench.log(f"({len(searches)} searches in {time.time() - begin:.0f} s)")
    # Samples end like the better half of the styles: that of the last one listed.
    style = plan.styles[-1]
    for temperature in plan.temperatures:
        drawn = {}
        for name in names_here:
            action = STYLES[style][name]._replace(temperature=temperature)
            drawn[name] = bench.samples(action, bench.budgets[-1])
            note(f"best-of-n {name} T={temperature} {style}", bench.best_of(drawn[name]))
        for first, second in itertools.combinations(names_here, 2):
            note(f"pair {first}+{second} T={temperature} {style}", bench.pair(drawn[first], drawn[second]))
    return results


def percent(solved):
    return 100 * sum(solved) / len(solved)


def paired_interval(ours, theirs):
    """Difference in points and its 95 % interval, problem by problem."""
    gaps = [a - b for a, b in zip(ours, theirs)]
    mean = sum(gaps) / len(gaps)
    deviation = math.sqrt(sum((g - mean) ** 2 for g in gaps) / max(1, len(gaps) - 1))
    half = 1.96 * deviation / math.sqrt(len(gaps))
    return 100 * mean, 100 * (mean - half), 100 * (mean + half)


def summary(results):
    """Lines that compare the best UnMaskFork with everything else at the largest budget."""
    last = {name: result[max(result)] for name, result in results.items()}
    forks = {name: solved for name, solved in last.items() if name.startswith("umf")}
    if not forks:
        return ["no search finished"]
    best = max(forks, key=lambda name: sum(forks[name]))
    lines = [f"best: {best}, {percent(forks[best]):.1f} % of {len(forks[best])}"]
    for name, solved in sorted(last.items(), key=lambda item: -sum(item[1])):
        if name not in forks:
            gap, low, high = paired_interval(forks[best], solved)
            lines.append(f"{name:44s} {percent(solved):5.1f}   best UMF {gap:+6.1f} [{low:+.1f}, {high:+.1f}]")
    return lines


def save_results(path, results, extra):
    record = dict(extra, results={name: {str(b): "".join(map(str, solved)) for b, solved in result.items()}
                                  for name, result in results.items()})
    path.write_text(json.dumps(record) + "\n")
