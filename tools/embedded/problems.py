#!/usr/bin/env python3
"""Writes assets/problems/test2.jsonl: 1,000 problems that neither training nor `test` has seen.

    tools/embedded/problems.py OUT.jsonl

Compositions of the part that `test` is drawn from, which no model was trained on, without those of `test` itself: other
parts of the split are training data of the shipped models. Pure Python; the result depends on nothing else.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from tasks import make_problems
from tokenizers import learn

PROMPT, WINDOW = 64, 96  # as in train.py, which needs PyTorch
NAMES = ("dream", "llada", "diffcoder")
COUNT = 1000


def main():
    tokenizers = [learn(name) for name in NAMES]

    def fits(prompt, code):
        return all(len(t.encode(prompt)) <= PROMPT and len(t.encode(code)) < WINDOW for t in tokenizers)

    test = make_problems("test", 300, fits, seed=1)
    fresh = make_problems("test2", COUNT, fits, seed=1, without={composition for _, composition, _ in test})
    with open(sys.argv[1], "w") as file:
        for problem, _, _ in fresh:
            file.write(json.dumps(problem) + "\n")


if __name__ == "__main__":
    main()
