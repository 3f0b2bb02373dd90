"""The tester's line to umf, which sees from outside what became of the job's time."""

import signal

from umf import channel
from umf.candidate import CellGone

WAITED, OVERLOAD = b"w", b"o"
_MOST_BYTES = 64
_TIMERS = {signal.SIGPROF, signal.SIGALRM}  # of own_time.py: they must not part a question from its answer


class Watcher:
    def __init__(self, umf):
        self._umf = umf

    def waited_since(self, begin):
        """Seconds for which others kept the job from running since then, a time of time.monotonic()."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _TIMERS)
        try:
            channel.send(self._umf, WAITED, f"{begin:.6f}".encode())
            return float(channel.receive(self._umf, _MOST_BYTES)[1])
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def give_up(self, why):
        """Ends the job without a verdict. umf is told first: code of tests may catch whatever is raised."""
        channel.send(self._umf, OVERLOAD, why.encode())
        raise CellGone(why)
