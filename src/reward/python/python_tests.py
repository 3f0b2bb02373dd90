"""The tester of problem files' own tests: calls, asserts, and programs that read stdin."""

import math

from umf import output_compare
from umf.candidate import CandidateError, CellGone
from umf.names import CannotCross, Program
from umf.names_guest import names_in
from umf.own_tests import OwnTests
from umf.process_runs import output_of
from umf.reporting import PASSED, BadTest, Tests, short, wrong


def run(payload, start, report):
    """{"program", "setup", "driver", "seconds", "tolerance", "every_test",
    "tests": [{"call", "expect"} | {"assert"} | {"stdin", "stdout"}]}; with "check" in place of "program" the tests
    alone are looked at."""
    try:
        own = OwnTests(payload["setup"], payload["tests"], payload["seconds"], report)
        if payload.get("check"):
            return report({"tests": []})
        names = (f"test {number}" for number in range(1, len(payload["tests"]) + 1))
        tests = Tests(report, names, payload["seconds"], payload.get("every_test", False))
        judge = Judge(payload, own, start)
        for number, test in enumerate(payload["tests"]):
            tests.judge(lambda: judge.judge(number, test))
    except BadTest as problem:
        return report({"failed": str(problem)})
    return None


class Judge:
    def __init__(self, payload, own, start):
        self.source, self.own, self.start = payload["program"], own, start
        self.driver = payload["driver"]
        self.seconds, self.tolerance = payload["seconds"], payload["tolerance"]
        self.program = self.process = self.broken = None

    def judge(self, number, test):
        if "call" in test:
            return self.judge_call(test["call"].strip(), self.own.expected[number])
        if "assert" in test:
            return self.judge_assert(test["assert"].strip())
        return self.judge_output(test)

    def judge_call(self, expression, expected):
        got = self.called(expression)
        try:
            right = same(got, expected, self.tolerance)
        except Exception:
            right = False
        return PASSED if right else wrong(expected, got)

    def called(self, expression):
        """What a setup's function makes of a program's value is worked out here, where the program cannot get at it,
        unless both must share objects."""
        program = self.running()
        if names_in(expression) & self.own.names:
            try:
                return eval(expression, self.names_for(program, expression))
            except CannotCross:
                program.give(self.seconds)
        return program.evaluate(expression)

    def judge_assert(self, expression):
        program = self.running()
        names = self.names_for(program, expression)
        try:
            right = bool(eval(expression, names))
        except (CandidateError, CellGone, MemoryError):
            raise
        except Exception as problem:
            return "wrong", f"{short(expression)}: {type(problem).__name__}: {short(str(problem))}"
        return PASSED if right else ("wrong", f"{short(expression)} does not hold")

    def names_for(self, program, expression):
        """What an expression sees here: the setup, and the program's functions under names that are not the setup's."""
        names = self.own.make_names()
        names.update(program.stand_ins(f"{self.own.setup}\n{expression}", but=self.own.names))
        return names

    def judge_output(self, test):
        if self.process is None or not self.process.alive:
            source = f"{self.source}\n{self.driver}\n" if self.driver else self.source
            self.process = self.start("process_guest", source=source)
        got = output_of(self.process, test["stdin"], self.seconds)
        try:
            right = output_compare.same_output(got, test["stdout"])
        except output_compare.Incomparable:
            right = False
        return PASSED if right else wrong(test["stdout"], got)

    def running(self):
        if self.broken is not None:
            raise self.broken
        if self.program is None or not self.program.candidate.alive:
            try:
                self.program = Program(self.start, self.seconds, source=self.source, setup=self.own.setup,
                                       setup_first=True)
            except CandidateError as problem:
                self.broken = problem.while_loading()
                raise self.broken from None
        self.program.give(self.seconds)
        return self.program


def same(got, expected, tolerance):
    """Python's ==; with a tolerance, floats of values that are built alike may differ by so much, or by so much of
    the expected one. An infinity is near to nothing."""
    if got == expected:
        return True
    if tolerance == 0 or type(got) is not type(expected):
        return False
    if isinstance(expected, float):
        return math.isfinite(expected) and abs(got - expected) <= tolerance * max(1.0, abs(expected))
    if isinstance(expected, (list, tuple)):
        return len(got) == len(expected) and all(same(a, b, tolerance) for a, b in zip(got, expected))
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(same(got[key], expected[key], tolerance) for key in expected)
    return False
