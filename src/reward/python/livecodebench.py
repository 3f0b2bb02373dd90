"""The tester of LiveCodeBench problems."""

import json
import sys

from umf import output_compare
from umf.candidate import CandidateError
from umf.livecodebench_program import MOST_DIGITS, PRELUDE
from umf.process_runs import output_of
from umf.reporting import PASSED, BadTest, Tests, improper_answer, short, wrong

_EXTRA_SECONDS = 1.0  # the alarm inside is the limit; these are for programs that do not hear it


def run(payload, start, report):
    """{"program", "func_name" or null, "tests": [JSON text of a list, ...], "names": [of each list],
    "mode": "emulation" | "process", "seconds", "every_test"}; with "check" in place of "program" the tests alone are
    looked at."""
    sys.set_int_max_str_digits(MOST_DIGITS)
    cases, names = [], []
    for name, text in zip(payload["names"], payload["tests"]):
        listed = json.loads(text)
        cases += listed
        names += [f"{name} {number}" for number in range(1, len(listed) + 1)]
    if payload["func_name"] is not None:
        try:
            cases = [read_call(case, name) for name, case in zip(names, cases)]
        except BadTest as problem:
            return report({"failed": str(problem)})
    if payload.get("check"):
        return report({"tests": []})
    tests = Tests(report, names, payload["seconds"], payload.get("every_test", False))
    judge = judge_of(payload, start)
    for case in cases:
        tests.judge(lambda: judge.judge(case))
    return None


def read_call(case, name):
    """The arguments and the expected value of a test that calls a function."""
    try:
        return {"input": [json.loads(line) for line in case["input"].split("\n")], "output": json.loads(case["output"])}
    except (ValueError, RecursionError) as problem:
        raise BadTest(f"{name} cannot be run: its values are no JSON: {problem}") from None


def judge_of(payload, start):
    if payload["func_name"] is not None:
        return Functional(payload, start)
    return Plain(payload, start) if payload["mode"] == "process" else Emulated(payload, start)


class Judge:
    """Keeps a program running from test to test; one that ended is started again for the next."""

    def __init__(self, payload, start):
        self.program, self.name = payload["program"], payload["func_name"]
        self.seconds = payload["seconds"]
        self._start, self._candidate, self._broken = start, None, None

    def running(self):
        if self._broken is not None:
            raise self._broken  # it does not load, whatever the test
        if self._candidate is None or not self._candidate.alive:
            try:
                self._candidate = self.start()
            except CandidateError as problem:
                self._broken = problem.while_loading()
                raise self._broken from None
        return self._candidate

    def start(self):
        return self._start("livecodebench_guest", seconds=self.seconds + _EXTRA_SECONDS, source=self.program,
                           kind=self.kind, name=self.name, seconds_per_test=self.seconds)

    def judge(self, case):
        answer = self.running().ask(case["input"], seconds=self.seconds + _EXTRA_SECONDS)
        if answer == ["timeout"]:
            return "timeout", f"no result after {self.seconds:g} seconds"
        if not (isinstance(answer, list) and len(answer) == 2 and isinstance(answer[1], self.answers)):
            raise improper_answer()
        return self.compare(case["output"], answer[1])


class Functional(Judge):
    kind, answers = "call", object

    def compare(self, expected, got):
        if isinstance(got, tuple):
            got = list(got)
        return PASSED if bool(got == expected) else wrong(expected, got)


class Emulated(Judge):
    kind, answers = "stdin", str

    def compare(self, expected, got):
        try:
            right = output_compare.same_output(got, expected)
        except output_compare.Incomparable as problem:
            return "error", f"comparing: {short(str(problem))}"
        if right:
            return PASSED
        difference = output_compare.first_difference(got, expected)
        if difference is None:
            return wrong(expected, got)
        line, expected_line, found = difference
        return "wrong", f"line {line}: expected {short(expected_line)}, got {short(found)}"


class Plain(Emulated):
    """As an ordinary process with pipes, which is what people expect and not what the reference does."""

    def start(self):
        return self._start("process_guest", source=self.program, prelude=PRELUDE, most_digits=MOST_DIGITS)

    def judge(self, case):
        return self.compare(case["output"], output_of(self.running(), case["input"], self.seconds))
