#!/usr/bin/env python3
"""Prints one set of configurations for `umf bench --configs`: who is compared with whom.

    tools/evidence/configurations.py main | short | dropout | study | treasure | fewer |
                                      fewer_dropout | anchored | smoke
    tools/evidence/configurations.py shipped
    tools/evidence/configurations.py cut | names | layout FOLDER     with that model of tools/embedded/differences.py

Budgets are multiples of the embedded models' window of 96 cells.
"""

import itertools
import json
import pathlib
import sys

WINDOW = 96
BUDGETS = [WINDOW * n for n in (1, 2, 4, 8, 16, 32)]
TEMPERATURES = ("0.1", "0.5", "1.0")
# The recommended actions of the embedded models; %s is the temperature.
RULES = {
    "dream": "model=dream,strategy=entropy,top-p=1,eos-penalty=3,commit=one,temperature=%s",
    "llada": "model=llada,strategy=low-confidence,eos-last=true,commit=one,temperature=%s",
    "diffcoder": "model=diffcoder,strategy=low-confidence,commit=one,temperature=%s",
}
PAIRS = list(itertools.combinations(RULES, 2))


def configuration(name, search, actions, budgets=BUDGETS, **options):
    """Actions are (model, temperature), the first is the strongest."""
    return {"name": name, "search": search, "window": WINDOW, "budget": list(budgets),
            "action": [RULES[model] % temperature for model, temperature in actions], **options}


def alone():
    return [configuration(f"greedy-{model}", "best-of-n", [(model, 0)], BUDGETS[:1]) for model in RULES]


def fork(name, models, budgets=BUDGETS, **options):
    return configuration(name, "unmaskfork", [(model, 0) for model in models], budgets, **options)


def forks():
    return [fork("umf-dream-llada", ["dream", "llada"]),
            fork("umf-llada-dream", ["llada", "dream"]),
            fork("umf-dream-diffcoder", ["dream", "diffcoder"]),
            fork("umf-llada-diffcoder", ["llada", "diffcoder"]),
            fork("umf-3", list(RULES)),
            fork("umf-3-reversed", list(RULES)[::-1])]


def main():
    sets = alone() + forks()
    sets += [configuration(f"umf-{model}-0.1-{t}", "unmaskfork", [(model, "0.1"), (model, t)])
             for model in ("dream", "llada") for t in ("0.5", "1.0")]
    sets += [configuration("umf-pair", "pair", [(model, t) for model in ("dream", "llada") for t in ("0.1", "1.0")],
                           BUDGETS[1:], **{"pair-method": "unmaskfork"}),
             fork("umf-block", ["diffcoder", "llada"], **{"block-length": 4})]
    for t in TEMPERATURES:
        sets += [configuration(f"bon-{model}-{t}", "best-of-n", [(model, t)]) for model in RULES]
        sets += [configuration(f"pair-{a}-{b}-{t}", "pair", [(a, t), (b, t)], BUDGETS[1:]) for a, b in PAIRS]
        sets += [configuration(f"dts-{model}-{t}", "dts", [(model, t)]) for model in ("dream", "llada")]
        sets += [configuration(f"abm-{t}", "ab-mcts-m", [("dream", t), ("llada", t)]),
                 configuration(f"aba-{t}", "ab-mcts-a", [("dream", t), ("llada", t)])]
    sets += [configuration("pair-dts-1.0", "pair", [("dream", "1.0"), ("llada", "1.0")], BUDGETS[1:],
                           **{"pair-method": "dts"}),
             configuration("abm-3-1.0", "ab-mcts-m", [(model, "1.0") for model in RULES]),
             configuration("aba-3-1.0", "ab-mcts-a", [(model, "1.0") for model in RULES])]
    # One trajectory over the whole budget that masks cells again: short of two windows there is nothing to remask.
    sets += [dict(configuration(f"remdm-{form}-{model}", "remdm", [], BUDGETS[1:]),
                  action=[RULES[model] % t + f",remask={form}"])
             for model, form, t in (("dream", "conf", "0.1"), ("llada", "conf", "0.1"), ("dream", "loop", "0.1"))]
    return sets + spent(["dream", "llada"]) + spent(list(RULES))


def spent(models, budgets=BUDGETS[:5]):
    """Nothing stops early, so that hits, savings and switches are those of the method."""
    name, options = f"spent-{len(models)}", {"stop-at-reward": "never"}
    return [fork(name, models, budgets, **options),
            fork(f"{name}-no-cache", models, budgets, **options, **{"no-cache": True})]


def short():
    """The claims alone: who must be beaten, and who is as good, up to 16 windows; relays and parallel commits."""
    names = ("greedy-dream", "greedy-llada", "greedy-diffcoder", "bon-dream-1.0", "pair-dream-llada-1.0",
             "pair-dream-diffcoder-1.0", "umf-dream-llada", "umf-3", "abm-3-1.0")
    ours = ("alone-relay-0.999", "umf-3-tau", "umf-3-relays")
    return [dict(one, budget=one["budget"][:5 - (one["search"] == "pair")]) for one in main() if one["name"] in names] + [
            one for one in fewer() if one["name"] in ours]


def dropout():
    budgets = [BUDGETS[4]]
    return [fork("umf-dream-llada", ["dream", "llada"], budgets), fork("umf-3", list(RULES), budgets),
            configuration("bon-dream-1.0", "best-of-n", [("dream", "1.0")], budgets),
            configuration("pair-dream-llada-1.0", "pair", [("dream", "1.0"), ("llada", "1.0")], budgets)]


def fewer_dropout():
    """With fewer tests to see, who is misled: the paper's search, the recommended one, re-opening, a rival."""
    names = ("umf-3-paper", "umf-3-relays", "odds-3", "abm-3")
    return [dict(one, budget=[BUDGETS[2], BUDGETS[4]]) for one in fewer() if one["name"] in names]


def study():
    """What the set of actions, their order, the constants and the exact extras change."""
    orders = [fork("umf-" + "-".join(order), list(order), BUDGETS[:5]) for order in itertools.permutations(RULES)]
    both = ["dream", "llada"]
    return orders + [
        fork("umf-dream-llada", both, BUDGETS[:5]),
        configuration("dream-llada-dream1", "unmaskfork", [("dream", 0), ("llada", 0), ("dream", "1.0")], BUDGETS[:5]),
        configuration("dream-llada-each-1", "unmaskfork",
                      [("dream", 0), ("llada", 0), ("dream", "1.0"), ("llada", "1.0")], BUDGETS[:5]),
        configuration("dream-llada-0.1", "unmaskfork", [(model, "0.1") for model in both], BUDGETS[:5]),
        configuration("dream-llada-1.0", "unmaskfork", [(model, "1.0") for model in both], BUDGETS[:5]),
        fork("exploration-0.5", both, BUDGETS[:5], exploration=0.5),
        fork("exploration-2", both, BUDGETS[:5], exploration=2),
        fork("fixed-window", both, BUDGETS[:5], **{"window-policy": "fixed-window"}),
        fork("expand-last", both, BUDGETS[:5], **{"expand-last-level": True}),
        fork("few-ratios", both, BUDGETS[:5], ratios="0.9,0.7,0.5"),
        fork("late-ratios", both, BUDGETS[:5], ratios="0.95,0.9,0.85,0.8,0.75,0.7,0.65,0.6"),
        fork("closed-text", both, BUDGETS[:5], **{"closed-text": True}),
        fork("umf-3-closed-text", list(RULES), BUDGETS[:5], **{"closed-text": True})]


# What dev says: the bar of each model, and of the relays (docs/benchmarks.md#fewer-passes).
BARS = {"dream": "tau:0.99", "llada": "tau:0.95", "diffcoder": "tau:0.9"}
TABLE = str(pathlib.Path(__file__).parent / "odds.json")
PARTS = [WINDOW // 4, WINDOW // 2] + BUDGETS[:5]


def with_bar(model, bar, temperature=0):
    return (RULES[model] % temperature).replace("commit=one", f"commit={bar}")


def together(rule, bar, models=tuple(RULES)):
    return f"models={'+'.join(models)},rule={rule},commit=tau:{bar}"


def closed(name, search, actions, budgets=PARTS, **options):
    return {"name": name, "search": search, "window": WINDOW, "budget": list(budgets), "action": actions,
            "closed-text": True, **options}


def fewer_actions(models):
    """One step after the other: the end of a text, parallel commits, one relay, two."""
    bars = [with_bar(model, BARS[model]) for model in sorted(models, key=["llada", "dream", "diffcoder"].index)]
    relays = [together("relay", bar, models) for bar in ("0.99", "0.999")]
    return [("closed", [with_bar(model, "one") for model in models]), ("tau", bars), ("relay", relays[:1] + bars),
            ("relays", relays + bars)]


def fewer():
    """Parallel commits, relays and polls: alone, inside UnMaskFork one step after the other, and for the rivals."""
    def once(name, action):
        return closed(name, "best-of-n", [action], [BUDGETS[4]], **{"best-of-n-samples": 1})

    sets = [once(f"alone-{model}-{'one' if bar == 'one' else 'tau'}", with_bar(model, bar))
            for model in RULES for bar in ("one", BARS[model])]
    sets += [once(f"alone-{rule}-{bar}", together(rule, bar)) for rule in ("relay", "poll")
             for bar in ("0.99", "0.999")]
    for models in (list(RULES), ["dream", "llada"]):
        sets.append(fork(f"umf-{len(models)}-paper", models, PARTS))
        sets += [closed(f"umf-{len(models)}-{name}", "unmaskfork", actions) for name, actions in fewer_actions(models)]
    all_actions = dict(fewer_actions(list(RULES)))["relays"]
    sets += [closed(f"odds-3{name}", "odds", all_actions, **options)
             for name, options in (("", {"odds-table": TABLE}), ("-age", {"odds-order": "age"}),
                                   ("-random", {"odds-order": "random"}),
                                   ("-no-reopening", {"odds-table": TABLE, "odds-no-reopening": True}))]
    drawn = {model: with_bar(model, "tau:0.95", "1.0") for model in RULES}
    sets += [closed(f"bon-{model}", "best-of-n", [drawn[model]]) for model in RULES]
    sets += [closed("pair", "pair", [drawn["dream"], drawn["llada"]], PARTS[2:]),
             closed("abm-3", "ab-mcts-m", list(drawn.values())), closed("aba-3", "ab-mcts-a", list(drawn.values())),
             closed("dts-dream", "dts", [drawn["dream"]])]
    return sets


def anchored():
    """One answer of each model and the recommended search, with all rows in every pass and with few in most."""
    factors = (("exact", ""), ("1", ",anchor=checkpoint,active=1"), ("2", ",anchor=checkpoint,active=2"),
               ("4", ",anchor=checkpoint,active=4"))
    sets = [closed(f"{model}-{'one' if bar == 'one' else 'tau'}-{name}", "best-of-n", [with_bar(model, bar) + more], [BUDGETS[4]],
                   **{"best-of-n-samples": 1}) for model in RULES for bar in ("one", BARS[model]) for name, more in factors]
    relays = dict(fewer_actions(list(RULES)))["relays"]
    return sets + [closed(f"umf-3-relays-{name}", "unmaskfork", [action + more for action in relays]) for name, more in factors]


def treasure():
    return [configuration(f"treasure-{model}", "treasure", [(model, "1.0")], BUDGETS[1:4]) for model in ("dream", "llada")]


def differences(kind, folder=""):
    """Searches over dream and one kind of llada: the shipped one, or one that cuts code or writes it otherwise."""
    models = {"model": ["dream", f"llada={folder}/llada-{kind}" if folder else "llada"]}
    policies = ("preserve-masks", "fixed-window") if kind == "cut" else ("preserve-masks",)
    return [configuration(f"greedy-{kind}", "best-of-n", [("llada", 0)], BUDGETS[:1], **models),
            configuration(f"pair-{kind}", "pair", [("dream", "1.0"), ("llada", "1.0")], BUDGETS[1:5], **models)] + [
            fork(f"umf-{kind}" + ("-fixed" if policy == "fixed-window" else ""), ["dream", "llada"], BUDGETS[:5], **models,
                 **{"window-policy": policy}) for policy in policies] + [
            closed(f"umf-{kind}-{name}", "unmaskfork", actions, **models) for name, actions in fewer_actions(["dream", "llada"])]


def smoke():
    """Every kind of search once, in little."""
    few = BUDGETS[:2]
    return [alone()[0], fork("umf-3", list(RULES), few),
            configuration("bon-dream-1.0", "best-of-n", [("dream", "1.0")], few),
            configuration("pair-dream-llada-1.0", "pair", [("dream", "1.0"), ("llada", "1.0")], few[1:])
            ] + spent(["dream", "llada"], few)


if __name__ == "__main__":
    name, *folder = sys.argv[1:] or [""]
    sets = {f.__name__: f for f in (main, short, dropout, study, treasure, fewer, fewer_dropout, anchored,
                                     smoke)}
    kinds = ("cut", "names", "layout") if folder else ("shipped",)
    if name in kinds and len(folder) <= 1:
        print(json.dumps(differences(name, *folder), indent=1))
    elif name in sets and not folder:
        print(json.dumps(sets[name](), indent=1))
    else:
        sys.exit(__doc__)
