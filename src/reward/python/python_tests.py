"""The tester of problem files' own tests: calls, asserts, and programs that read stdin."""

from umf import output_compare
from umf.candidate import CandidateError, CellGone
from umf.livecodebench import output_of
from umf.names import Program
from umf.reporting import BadTest, Tests, short


def run(payload, start, report):
    """{"program", "setup", "driver", "seconds", "tolerance", "tests": [{"call", "expect"} | {"assert"} | {"stdin", "stdout"}]}"""
    tests = Tests(report, (f"test {number}" for number in range(1, len(payload["tests"]) + 1)))
    judge = Judge(payload, start)
    for number, test in enumerate(payload["tests"], 1):
        try:
            judge.judge(test, tests)
        except CandidateError as problem:
            tests.failed(problem)
        except BadTest as problem:
            return report({"failed": f"test {number} cannot be run: {problem}"})
    return None


class Judge:
    def __init__(self, payload, start):
        self.source, self.setup, self.start = payload["program"], payload["setup"], start
        self.driver = payload["driver"]
        self.seconds, self.tolerance = payload["seconds"], payload["tolerance"]
        self.program = self.process = self.broken = None

    def judge(self, test, tests):
        if "call" in test:
            self.judge_call(test, tests)
        elif "assert" in test:
            self.judge_assert(test["assert"], tests)
        else:
            self.judge_output(test, tests)

    def judge_call(self, test, tests):
        expected = self.evaluate(test["expect"], self.own_names())
        got = self.running().evaluate(test["call"])
        try:
            right = same(got, expected, self.tolerance)
        except Exception:
            right = False
        return tests.passed() if right else tests.wrong(expected, got)

    def judge_assert(self, expression, tests):
        names = self.own_names()
        try:
            code = compile(expression, "<assert>", "eval")
        except (SyntaxError, ValueError) as problem:
            raise BadTest(f"{short(expression)} is not a Python expression: {problem}") from None
        names.update(self.running().stand_ins(expression))
        try:
            right = bool(eval(code, names))
        except (CandidateError, CellGone, MemoryError):
            raise
        except Exception as problem:
            return tests.ended("wrong", f"{short(expression)}: {type(problem).__name__}: {short(problem)}")
        return tests.passed() if right else tests.ended("wrong", f"{short(expression)} does not hold")

    def judge_output(self, test, tests):
        if self.process is None or not self.process.alive:
            source = f"{self.source}\n{self.driver}\n" if self.driver else self.source
            self.process = self.start("process_guest", seconds=self.seconds, source=source)
        got = output_of(self.process.ask(test["stdin"], seconds=self.seconds))
        try:
            right = output_compare.same_output(got, test["stdout"])
        except output_compare.Incomparable:
            right = False
        return tests.passed() if right else tests.wrong(test["stdout"], got)

    def own_names(self):
        """What the tester's own expressions see: the setup, never the program."""
        names = {}
        try:
            exec(self.setup, names)
        except Exception as problem:
            raise BadTest(f"the setup raises {type(problem).__name__}: {problem}") from None
        return names

    @staticmethod
    def evaluate(expression, names):
        try:
            return eval(expression, names)
        except Exception as problem:
            raise BadTest(f"{short(expression)} raises {type(problem).__name__}: {problem}") from None

    def running(self):
        if self.broken is not None:
            raise self.broken
        if self.program is None or not self.program.candidate.alive:
            try:
                self.program = Program(self.start, self.seconds, source=self.source, setup=self.setup,
                                       setup_first=True)
            except CandidateError as problem:
                self.broken = CandidateError(problem.outcome, f"while loading: {problem.message}")
                raise self.broken from None
        self.program.give(self.seconds)
        return self.program


def same(got, expected, tolerance):
    """Python's ==; with a tolerance, floats of values that are built alike may differ by so much, or by so much of
    the expected one."""
    if got == expected:
        return True
    if tolerance == 0 or type(got) is not type(expected):
        return False
    if isinstance(expected, float):
        return abs(got - expected) <= tolerance * max(1.0, abs(expected))
    if isinstance(expected, (list, tuple)):
        return len(got) == len(expected) and all(same(a, b, tolerance) for a, b in zip(got, expected))
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(same(got[key], expected[key], tolerance) for key in expected)
    return False
