"""How long a program may take: so many seconds of CPU time; of the wall clock where it leaves the processor alone.

On a busy machine a program is kept waiting by its neighbours, and that must not change its verdict. What the kernel says
about that (sandbox/kept_waiting.h) is taken off the wall clock, and a program that did not get its time at all has no
verdict: None below.
"""

import time

CROWDED = 6.0  # times as long as alone, where nobody knows what others had of the processor
_MOST = 16.0  # times as long as alone: no busy machine is waited for longer
_LEAST_SHARE = 0.15  # of a processor; a program that uses less waits for something by itself
_LEAST_WAIT = 0.01  # seconds
_FIRST_LOOK = 0.05  # of the time


def cpu_clock(pid):
    """The clock of a process's CPU time, as clock_getcpuclockid(3) gives it."""
    return ~pid << 3 | 2


def left(seconds, wall, cpu, waited):
    """How much longer a program may run that has `seconds`, `wall` of which are over, with the processor for cpu() and
    kept from it by others for waited().

    0 or less when it had its time, None when it cannot have it; else ask again after that.
    """
    if wall < seconds:
        return seconds - wall
    used = cpu()
    if used >= seconds:
        return 0.0
    own = wall - waited()
    if own >= seconds and used < _LEAST_SHARE * own or own >= CROWDED * seconds:
        return 0.0
    if wall >= _MOST * seconds:
        return None
    more = seconds - (own if own < seconds else used)
    return max(_LEAST_WAIT, min(more, CROWDED * seconds - own, _MOST * seconds - wall))


class Allowance:
    """The time of one program for one thing, which may take several questions."""

    def __init__(self, seconds, cpu, watcher):
        """cpu() tells the CPU seconds of the program since it was started. It is first asked after a small part of the
        time, so that quick answers cost nothing; until then the program is taken to have used all of it. The watcher is
        told where there can be no verdict."""
        self.seconds = seconds
        self._cpu, self._cpu_before = cpu, None
        self._watcher = watcher
        self._begin = time.monotonic()

    def waited(self):
        """Seconds for which others kept it waiting."""
        return self._watcher.waited_since(self._begin)

    def left(self):
        """Seconds that it has, as far as can be said now; 0 when they are over."""
        wall = time.monotonic() - self._begin
        if self._cpu_before is None and wall >= _FIRST_LOOK * self.seconds:
            self._cpu_before = self._cpu() - wall
        more = left(self.seconds, wall, lambda: self._cpu() - self._cpu_before, self.waited)
        if more is None:
            self._give_up(wall)
        return more

    def _give_up(self, wall):
        self._watcher.give_up(f"a program was kept waiting by others for {self.waited():.1f} of {wall:.1f} s")

    def pause(self):
        """Seconds to wait before this is to be asked again; 0 when the time is over."""
        if self._cpu_before is None:
            first_look = self._begin + _FIRST_LOOK * self.seconds - time.monotonic()
            if first_look > 0:
                return first_look
        return self.left()


class OuterAllowance(Allowance):
    """Of a guest that keeps its program's time by itself, because it sees more of it: no more than such a guest may need."""

    def __init__(self, seconds, extra, watcher):
        """`seconds` are the program's; `extra` is for the guest."""
        super().__init__(seconds, None, watcher)
        self._most_own, self._most = CROWDED * seconds + extra, _MOST * seconds + extra

    def left(self):
        wall = time.monotonic() - self._begin
        if wall < self._most_own:
            return self._most_own - wall
        own = wall - self.waited()
        if own >= self._most_own:
            return 0.0
        if wall >= self._most:
            self._give_up(wall)
        return max(_LEAST_WAIT, min(self._most_own - own, self._most - wall))

    pause = left
