"""The tester of LiveCodeBench problems."""

import json
import os

from umf import output_compare
from umf.candidate import CandidateError
from umf.reporting import Tests, short


def run(payload, start, report):
    """{"program", "func_name" or null, "tests": [JSON text of a list, ...], "names": [of each list],
    "mode": "emulation" | "process", "seconds"}"""
    cases, names = [], []
    for name, text in zip(payload["names"], payload["tests"]):
        listed = json.loads(text)
        cases += listed
        names += [f"{name} {number}" for number in range(1, len(listed) + 1)]
    tests = Tests(report, names)
    judge = judge_of(payload, start)
    for case in cases:
        judge.judge(case, tests)


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

    def ask(self, request):
        if self._broken is not None:
            raise self._broken  # it does not load, whatever the test
        if self._candidate is None or not self._candidate.alive:
            try:
                self._candidate = self.start()
            except CandidateError as problem:
                self._broken = CandidateError(problem.outcome, f"while loading: {problem.message}")
                raise self._broken from None
        # The alarm inside is the limit; this one is for programs that do not hear it.
        return self._candidate.ask(request, seconds=self.seconds + 1.0)

    def start(self):
        return self._start("livecodebench_guest", seconds=self.seconds + 1.0, source=self.program, kind=self.kind,
                           name=self.name, seconds_per_test=self.seconds)

    def judge(self, case, tests):
        try:
            answer = self.ask(self.question(case))
        except CandidateError as problem:
            return tests.failed(problem)
        if answer == ["timeout"]:
            return tests.ended("timeout", f"no result after {self.seconds:g} seconds")
        return self.compare(case, answer[1], tests)


class Functional(Judge):
    kind = "call"

    def question(self, case):
        return [json.loads(line) for line in case["input"].split("\n")]

    def compare(self, case, got, tests):
        expected = json.loads(case["output"])
        if isinstance(got, tuple):
            got = list(got)
        try:
            right = bool(got == expected)
        except Exception as problem:
            return tests.ended("error", f"comparing: {short(problem)}")
        return tests.passed() if right else tests.wrong(expected, got)


class Emulated(Judge):
    kind = "stdin"

    def question(self, case):
        return case["input"]

    def compare(self, case, got, tests):
        try:
            right = output_compare.same_output(got, case["output"])
        except output_compare.Incomparable as problem:
            return tests.ended("error", f"comparing: {short(problem)}")
        if right:
            return tests.passed()
        difference = output_compare.first_difference(got, case["output"])
        if difference is None:
            return tests.wrong(case["output"], got)
        line, expected, found = difference
        return tests.ended("wrong", f"line {line}: expected {short(expected)}, got {short(found)}")


class Plain(Emulated):
    """As an ordinary process with pipes, which is what people expect and not what the reference does."""

    def start(self):
        return self._start("process_guest", seconds=self.seconds + 1.0, source=self.program)

    def ask(self, request):
        status, out, problem = super().ask(request)
        if status != 0:
            raise ended_badly(status, problem)
        return ["output", out.decode("utf-8", "replace")]


def ended_badly(status, stderr):
    text = stderr.decode("utf-8", "replace").strip().split("\n")[-1]
    if os.WIFSIGNALED(status):
        return CandidateError("crash", f"ended by signal {os.WTERMSIG(status)}")
    outcome = "memory" if text.startswith("MemoryError") else "error"
    return CandidateError(outcome, f"ended with status {os.WEXITSTATUS(status)}: {text}")
