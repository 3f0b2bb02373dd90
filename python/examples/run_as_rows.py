"""A run of `umf bench` as rows: python3 run_as_rows.py DIR. Without pandas, too."""

import sys
from collections import defaultdict

import umf

run = umf.Run(sys.argv[1])
passed = defaultdict(list)
for row in run:
    if row["passed"] is not None:
        passed[row["configuration"], row["budget"]].append(row["passed"])
for (configuration, budget), verdicts in sorted(passed.items()):
    print(f"{configuration:20} {budget:6} {sum(verdicts)}/{len(verdicts)} passed")
