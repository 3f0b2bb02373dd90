#!/usr/bin/env python3
"""Learns a table of odds (docs/algorithm.md#odds) from runs of `umf bench` that searched with `odds`.

    tools/evidence/odds.py RUN... [--problems FIRST LAST] >table.json

Counts how often each kind of candidate was tried and succeeded before its problem was solved. Use runs with
--odds-order random and several seeds: an order that prefers some candidates tells little about the others.
"""

import argparse
import collections
import json
import pathlib


def thirds(reward):
    return min(int(min(max(reward or 0, 0), 1) * 3), 2)


def learn(trace, counts):
    """One search: events in order, up to the first success."""
    origin = {}  # state: (action, level, reward) of the rollout that first came there
    for line in trace:
        event = json.loads(line)
        if event["hit"]:
            continue
        to, reward = event["action"], event["reward"] or 0
        opened = event.get("opened")
        if event["from"] == 0:
            kind, source, level, base = "whole", -1, 0, 0
        elif opened:
            source, _, base = origin[opened["end"]]
            kind, level = opened["kind"], 0
        else:
            kind, (source, level, base) = "switch", origin[event["from"]]
        key = kind
        for part in ("", f" to {to}", f" from {source}", f" level {level} reward {thirds(base)}"):
            key += part
            counts[key][0] += 1
            counts[key][1] += reward >= 1
        if reward >= 1:
            return
        for level, state in enumerate(event["path"]):
            origin.setdefault(state, (to, level, reward))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--problems", nargs=2, type=int, default=(0, 1 << 30))
    arguments = parser.parse_args()
    counts = collections.defaultdict(lambda: [0, 0])
    for run in arguments.runs:
        for file in sorted((run / "traces").glob("*.jsonl")):
            if arguments.problems[0] <= int(file.name.split("-")[0]) < arguments.problems[1]:
                with file.open() as trace:
                    learn(trace, counts)
    print("{\n" + ",\n".join(f" {json.dumps(key)}: {count}" for key, count in sorted(counts.items())) + "\n}")


if __name__ == "__main__":
    main()
