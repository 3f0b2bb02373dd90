"""How long a program may take: so many seconds of CPU time; of the wall clock where it leaves the processor alone.

On a busy machine a program is kept waiting by its neighbours, and that must not change its verdict.
"""

import time

CROWDED = 6.0  # times as long as alone: no machine is taken to be busier
_LEAST_SHARE = 0.15  # of a processor; a program that uses less waits for something by itself
_LEAST_WAIT = 0.01  # seconds
_FIRST_LOOK = 0.05  # of the time


def cpu_clock(pid):
    """The clock of a process's CPU time, as clock_getcpuclockid(3) gives it."""
    return ~pid << 3 | 2


def left(seconds, wall, cpu):
    """How much longer a program may run that has `seconds`, `wall` of which are over, with the processor for cpu().

    0 or less when it had its time; else ask again after that.
    """
    if wall < seconds:
        return seconds - wall
    used = cpu()
    if used >= seconds or used < _LEAST_SHARE * wall or wall >= CROWDED * seconds:
        return 0.0
    return max(_LEAST_WAIT, min(seconds - used, CROWDED * seconds - wall))


class Allowance:
    """The time of one program for one thing, which may take several questions."""

    def __init__(self, seconds, cpu):
        """cpu() tells the CPU seconds of the program since it was started. It is first asked after a small part of the
        time, so that quick answers cost nothing; until then the program is taken to have used all of it."""
        self.seconds = seconds
        self._cpu, self._cpu_before = cpu, None
        self._begin = time.monotonic()

    def left(self):
        """Seconds that it has, as far as can be said now; 0 when they are over."""
        wall = time.monotonic() - self._begin
        if self._cpu_before is None and wall >= _FIRST_LOOK * self.seconds:
            self._cpu_before = self._cpu() - wall
        return left(self.seconds, wall, lambda: self._cpu() - self._cpu_before)

    def pause(self):
        """Seconds to wait before this is to be asked again; 0 when the time is over."""
        if self._cpu_before is None:
            first_look = self._begin + _FIRST_LOOK * self.seconds - time.monotonic()
            if first_look > 0:
                return first_look
        return self.left()
