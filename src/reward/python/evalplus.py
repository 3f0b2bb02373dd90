"""The tester of HumanEval+ and MBPP+."""

from umf.candidate import CandidateError
from umf.evalplus_compare import Comparison
from umf.evalplus_expected import unpacked
from umf.evalplus_inputs import read_inputs
from umf.large_values import Digest, from_plain
from umf.reporting import PASSED, Tests, failed, improper_answer, wrong
from umf.sanitise import prepare

_MOST_SECONDS = 60.0
_SENDING_SECONDS = 2.0  # for a value to be sent
_DIGESTING_SECONDS = 30.0  # of a gigabyte
_EXTRA_SECONDS = 3.0  # one in the sum, one for details, one that the parent waits


def run(payload, start, report):
    """{"task_id", "entry_point", "atol", "program", "sanitise", "minimum_seconds", "factor", "every_test",
    "runs": [{"name", "inputs": JSON text, "expected": [packed values], "seconds": [...]}]}"""
    program = prepare(payload["program"], payload["sanitise"], payload["entry_point"])
    runs = [Run(payload, one) for one in payload["runs"]]
    names = (f"{one.name} {number}" for one in runs for number in range(1, len(one.inputs) + 1))
    tests = Tests(report, names, payload["minimum_seconds"], payload.get("every_test", False))
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
        self.every_test = payload.get("every_test", False)
        self.comparison = Comparison(payload["task_id"], self.entry_point, payload["atol"])

    def judge(self, program, start, tests):
        last = tests.left - len(self.inputs)  # tests that are left when this run is over
        total = min(_MOST_SECONDS, sum(self.limits)) + _EXTRA_SECONDS
        outcome = "pass"
        if tests.given_up:
            return tests.not_run(len(self.inputs))
        try:
            candidate = start("evalplus_guest", seconds=self.patience(self.limits[0], total), source=program,
                              entry_point=self.entry_point)
        except CandidateError as problem:
            return tests.not_reached(len(self.inputs), *failed(problem.while_loading()))
        time = candidate.allowance(total)
        for index, args in enumerate(self.inputs):
            left = time.left()
            if left <= 0:
                return tests.not_reached(tests.left - last, "timeout", f"not reached: {total:g} seconds are over")
            if not candidate.alive:
                outcome = "timeout" if outcome == "timeout" else "crash"
                return tests.not_reached(tests.left - last, outcome, "not reached: the process has ended")
            outcome = tests.judge(lambda: self.judge_one(index, args, candidate, left))
        return candidate.close()

    def patience(self, limit, left):
        """For an answer. The alarm inside is the limit; whoever does not hear it may use up the time of all inputs, or
        where not every test must run twice his own."""
        return left if self.every_test else min(left, 2 * limit + _SENDING_SECONDS)

    def judge_one(self, index, args, candidate, left):
        limit, expected = self.limits[index], self.expected[index]
        request = {"args": args, "seconds": limit, "whole": "no" if isinstance(expected, Digest) else "yes"}
        digesting = _DIGESTING_SECONDS if isinstance(expected, Digest) else 0
        answer = candidate.ask(request, seconds=self.patience(limit, left) + digesting)
        if not isinstance(answer, list):
            raise improper_answer()
        if len(answer) == 1:
            return "timeout", f"no result after {limit:g} seconds"
        out = from_plain(answer[0])
        try:
            right = self.comparison.right(args, out, expected)
        except Exception:
            right = False  # as comparing odd values goes
        return PASSED if right else wrong(expected, out)
