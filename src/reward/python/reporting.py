"""One line per test, in the form that reward/tester_verdict.cc reads."""

_SHOWN = 120


def short(value):
    """A value for people, never longer than a line."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except Exception as problem:
        text = f"<{type(problem).__name__} in repr>"
    text = text.replace("\n", "\\n")
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 30]}... ({len(text)} characters)"


class BadTest(Exception):
    """The test itself is wrong, whatever the program does."""


class Tests:
    """Reports outcomes in order; `names` are those of all tests, so that none can be lost."""

    def __init__(self, report, names):
        self._report = report
        self._names = list(names)
        self._done = 0
        report({"tests": self._names})

    @property
    def left(self):
        return len(self._names) - self._done

    def passed(self):
        self.ended("pass", "")

    def wrong(self, expected, got):
        self.ended("wrong", f"expected {short(_shown(expected))}, got {short(_shown(got))}")

    def failed(self, problem):
        """`problem` is a CandidateError."""
        outcome = problem.outcome if problem.outcome in ("timeout", "memory", "crash") else "error"
        self.ended(outcome, short(problem.message))

    def ended(self, outcome, why):
        self._done += 1
        self._report({"outcome": outcome, "why": why} if why else {"outcome": outcome})

    def not_reached(self, count, outcome, why):
        for _ in range(count):
            self.ended(outcome, why)


def _shown(value):
    """Strings with their quotes, so that '7' is not 7."""
    return repr(value) if isinstance(value, str) else value
