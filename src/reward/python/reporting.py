"""One line per test, in the form that reward/tester.cc reads; and the one place where a test's outcome is decided."""

from umf.candidate import CandidateError, CellGone
from umf.large_values import described
from umf.own_time import TooLong, working

_SHOWN = 120
_MOST_TIMEOUTS = 2
_OWN_SECONDS = 2.0  # for the tester's own work on one test, beside the seconds of the test


def improper_answer():
    """For an answer of another form than our guests give: the program has got at its guest."""
    return CandidateError("error", "it sent no proper answer")


def short(value):
    """A value for people, never longer than a line."""
    try:
        text = value if isinstance(value, str) else described(value) or repr(value)
    except Exception as problem:
        text = f"<{type(problem).__name__} in repr>"
    text = text.replace("\n", "\\n")
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 30]}... ({len(text)} characters)"


class BadTest(Exception):
    """The test itself is wrong, whatever the program does."""


# What judging one test gives: an outcome, and why.

PASSED = "pass", ""


def wrong(expected, got):
    return "wrong", f"expected {_quoted(expected)}, got {_quoted(got)}"


def failed(problem):
    """`problem` is a CandidateError. The third are lines of the program that it names."""
    outcome = problem.outcome if problem.outcome in ("timeout", "memory", "crash") else "error"
    return outcome, short(problem.message), problem.lines


def _quoted(value):
    """Strings with their quotes, so that '7' is not 7."""
    return short(described(value) or repr(value)) if isinstance(value, str) else short(value)


class Tests:
    """Reports outcomes in order; `names` are those of all tests, so that none can be lost.

    `every`: each test runs, whatever came before. Otherwise a program that ran out of time twice is asked no more, and
    the tests that are left count as out of time, too.
    """

    def __init__(self, report, names, seconds, every):
        """`seconds` are those of one test."""
        self._report = report
        self._names = list(names)
        self._own_seconds = seconds + _OWN_SECONDS
        self._timeouts_left = len(self._names) if every else _MOST_TIMEOUTS
        self._done = 0
        report({"tests": self._names})

    @property
    def left(self):
        return len(self._names) - self._done

    def judge(self, work):
        """One test: work() gives its outcome and why. Returns the outcome.

        Whatever else happens in there is the program's doing, because nothing but what it sent can make our own code
        fail: what cannot be read, compared, printed, or dealt with in time is wrong. Only a test that is wrong by itself
        and a sandbox that fails are not.
        """
        if self.given_up:
            return self.not_run(1)
        lines = ()
        try:
            with working(self._own_seconds):
                outcome, why = work()
        except (BadTest, CellGone, KeyboardInterrupt):
            raise
        except CandidateError as problem:
            outcome, why, lines = failed(problem)
        except TooLong:
            outcome, why = "timeout", "what it gave takes too long to look at"
        except MemoryError:
            outcome, why = "memory", "what it gave takes too much memory to look at"
        except BaseException as problem:
            outcome, why = "error", _exception(problem)
        self.ended(outcome, why, lines)
        return outcome

    @property
    def given_up(self):
        return self._timeouts_left <= 0

    def not_run(self, count):
        self.not_reached(count, "timeout", f"not run: {_MOST_TIMEOUTS} tests ran out of time before")
        return "timeout"

    def ended(self, outcome, why, lines=()):
        self._done += 1
        self._timeouts_left -= outcome == "timeout"
        report = {"outcome": outcome}
        if why:
            report["why"] = why
        if lines:
            report["lines"] = list(lines)
        self._report(report)

    def not_reached(self, count, outcome, why, lines=()):
        for number in range(count):
            self.ended(outcome, why, lines if number == 0 else ())


def _exception(problem):
    try:
        return f"{type(problem).__name__}: {short(str(problem))}"
    except Exception:
        return type(problem).__name__
