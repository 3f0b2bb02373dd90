"""Limits on the tester's own work: on what programs sent, and in code that comes with the tests.

What runs in C without a pause does not hear them; the job's limit on the tester's CPU time ends that.
"""

import contextlib
import signal


class TooLong(BaseException):
    """Not an Exception: test code that catches those must not go on."""


def _expired(number, frame):
    raise TooLong()


@contextlib.contextmanager
def _limit(timer, number, seconds):
    signal.signal(number, _expired)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)


def working(seconds):
    """Raises TooLong once this process has worked for so many seconds. Waiting for a program does not count."""
    return _limit(signal.ITIMER_PROF, signal.SIGPROF, seconds)


def passing(seconds):
    """Raises TooLong when so many seconds have passed."""
    return _limit(signal.ITIMER_REAL, signal.SIGALRM, seconds)
