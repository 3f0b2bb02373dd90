"""The tester of HumanEval+ and MBPP+."""

import time

from umf.candidate import CandidateError
from umf.evalplus_compare import Comparison
from umf.evalplus_expected import unpacked
from umf.evalplus_inputs import read_inputs
from umf.reporting import Tests
from umf.sanitise import prepare

_MOST_SECONDS = 60.0
_EXTRA_SECONDS = 3.0  # one in the sum, one for details, one that the parent waits


def run(payload, start, report):
    """{"task_id", "entry_point", "atol", "program", "sanitise", "minimum_seconds", "factor",
    "runs": [{"name", "inputs": JSON text, "expected": [packed values], "seconds": [...]}]}"""
    program = prepare(payload["program"], payload["sanitise"], payload["entry_point"])
    runs = [Run(payload, one) for one in payload["runs"]]
    tests = Tests(report, (f"{one.name} {number}" for one in runs for number in range(1, len(one.inputs) + 1)))
    for one in runs:
        if one.inputs:
            one.judge(program, start, tests)


class Run:
    """One list of inputs: a process of its own, with a time limit over all of them."""

    def __init__(self, payload, run):
        self.name = run["name"]
        self.entry_point = payload["entry_point"]
        self.inputs = read_inputs(payload["task_id"], run["inputs"])
        self.expected = [unpacked(value) for value in run["expected"]]
        minimum, factor = payload["minimum_seconds"], payload["factor"]
        self.limits = [max(minimum, factor * seconds) for seconds in run["seconds"]]
        self.comparison = Comparison(payload["task_id"], self.entry_point, payload["atol"])

    def judge(self, program, start, tests):
        last = tests.left - len(self.inputs)  # tests that are left when this run is over
        total = min(_MOST_SECONDS, sum(self.limits)) + _EXTRA_SECONDS
        deadline = time.monotonic() + total
        try:
            candidate = start("evalplus_guest", seconds=total, source=program, entry_point=self.entry_point)
        except CandidateError as problem:
            return tests.not_reached(len(self.inputs), _outcome(problem), f"while loading: {problem.message[:200]}")
        for index, args in enumerate(self.inputs):
            left = deadline - time.monotonic()
            if left <= 0 or not candidate.alive:
                why = "not reached: " + (f"{total:g} seconds are over" if left <= 0 else "the process has ended")
                return tests.not_reached(tests.left - last, "timeout" if left <= 0 else "crash", why)
            self.judge_one(index, args, candidate, left, tests)
        return candidate.close()

    def judge_one(self, index, args, candidate, left, tests):
        limit, expected = self.limits[index], self.expected[index]
        try:
            answer = candidate.ask({"args": args, "seconds": limit}, seconds=left)
        except CandidateError as problem:
            return tests.failed(problem)
        if not isinstance(answer, list) or answer == ["timeout"] or len(answer) != 3:
            return tests.ended("timeout", f"no result after {limit:g} seconds")
        try:
            right = self.comparison.right(args, answer[1], expected)
        except Exception:
            right = False
        return tests.passed() if right else tests.wrong(expected, answer[1])


def _outcome(problem):
    return problem.outcome if problem.outcome in ("timeout", "memory", "crash") else "error"
