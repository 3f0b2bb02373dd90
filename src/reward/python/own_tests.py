"""The tests of a problem by themselves, before any program is looked at: what is wrong here is no program's fault."""

from umf.own_time import TooLong, passing, working
from umf.reporting import BadTest, short

_LEAST_SECONDS = 2.0
_CROWDED = 3.0  # times as long, on a busy machine


class OwnTests:
    """The setup, the names it defines, and what the calls are to give: expected[number] for the test of that number."""

    def __init__(self, setup, tests, seconds, report):
        """The setup and each expected value may take as long as a program in a test."""
        self.setup, self._seconds, self._report = setup, max(_LEAST_SECONDS, seconds), report
        try:
            self.names = frozenset(self._in_time("the setup", self.make_names)) - {"__builtins__"}
        except BadTest as problem:
            raise BadTest(f"the setup cannot be run: {problem}") from None
        self.expected = [self._prepared(f"test {number}", test) for number, test in enumerate(tests, 1)]

    def _in_time(self, name, work):
        self._report({"preparing": name})
        try:
            with working(self._seconds), passing(_CROWDED * self._seconds):
                return work()
        except TooLong:
            raise BadTest(f"it takes longer than {self._seconds:g} seconds") from None
        except MemoryError:
            raise BadTest("it takes too much memory") from None

    def make_names(self):
        """What the tester's own expressions see: the setup, never the program."""
        names = {}
        try:
            exec(self.setup, names)
        except MemoryError:
            raise
        except (Exception, SystemExit) as problem:
            raise BadTest(f"it raises {type(problem).__name__}: {short(str(problem))}") from None
        return names

    def _prepared(self, name, test):
        try:
            for kind in ("call", "expect", "assert"):
                if kind in test:
                    _parse(test[kind])
            if "expect" in test:
                return self._in_time(name, lambda: _evaluate(test["expect"], self.make_names()))
            return None
        except BadTest as problem:
            raise BadTest(f"{name} cannot be run: {problem}") from None


def _parse(expression):
    try:
        compile(expression.strip(), "<test>", "eval")
    except (SyntaxError, ValueError, RecursionError) as problem:
        raise BadTest(f"{short(expression)} is not a Python expression: {problem}") from None


def _evaluate(expression, names):
    try:
        return eval(expression.strip(), names)
    except MemoryError:
        raise
    except (Exception, SystemExit) as problem:
        raise BadTest(f"{short(expression)} raises {type(problem).__name__}: {short(str(problem))}") from None
