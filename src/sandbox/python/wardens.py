"""The zygote's children: wardens that live, and whatever jobs left behind."""

import contextlib
import os
import signal

from umf import linux


class Wardens:
    def __init__(self):
        self._living = set()
        linux.adopt_orphans()
        signal.signal(signal.SIGCHLD, self._reap)

    def add(self, pid):
        self._living.add(pid)
        try:
            ended = os.waitpid(pid, os.WNOHANG)[0] == pid
        except ChildProcessError:
            ended = True  # and reaped before it was counted
        if ended:
            self._living.discard(pid)

    def _reap(self, *_):
        with contextlib.suppress(ChildProcessError):
            while pid := os.waitpid(-1, os.WNOHANG)[0]:
                self._living.discard(pid)

    def end(self):
        """umf is gone, and so is everything it asked for. What is not reaped here would stay where pid 1 does not care."""
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for pid in self._living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
