#!/usr/bin/env python3
"""Problems for the first run: the first model alone is wrong, the search is right, and several models wrote it.

    umf bench assets/problems/dev.jsonl --budget 96,1536 --out RUN
    tools/embedded/first_run.py RUN            the cheapest first

The chosen one becomes the first of examples/index.json; tests/embedded/embedded_test.cc holds it to the same.
"""

import json
import pathlib
import sys


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    by_id = {}
    for result in read(pathlib.Path(sys.argv[1]) / "results.jsonl"):
        by_id.setdefault(result["id"], {})[result["budget"]] = result
    found = []
    for results in by_id.values():
        alone, searched = results[min(results)], results[max(results)]
        authors = set(searched["best"]["path"])
        if len(results) > 1 and alone["reward"] < 1 and searched["reward"] == 1 and searched["passed"] and len(authors) > 1:
            found.append((searched["search"]["nfe"], searched["id"], searched["best"]["path"], searched["answer"]))
    for nfe, name, path, answer in sorted(found):
        print(f"{name}: {nfe} passes, {' > '.join(path)}\n{answer}\n")


if __name__ == "__main__":
    main()
