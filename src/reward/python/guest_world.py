"""What the public graders do to a process before a program runs in it, and how they limit its time.

None of this contains anything, the sandbox does; it only decides which programs fail, and the numbers of others were
made with it.
"""

import builtins
import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys

_OS = """kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate replace
unlink fchmod fchown chmod chown chroot lchflags lchmod lchown getcwd chdir""".split()
_MODULES = "ipdb joblib resource psutil tkinter".split()


class TimeoutException(Exception):
    """Raised inside the program; one that catches Exception survives it, as it does with the public graders."""


class ClosedStream(io.StringIO):
    """Swallows what is written; reading raises."""

    def read(self, *args, **kwargs):
        raise OSError("nothing can be read here")

    readline = readlines = read

    def readable(self):
        return False


def take_away(names=()):
    """`names` are builtins that this grader removes beside quit and help."""
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in ("quit", "help", *names):
        setattr(builtins, name, None)
    for name in _OS:
        setattr(os, name, None)
    for name in ("rmtree", "move", "chown"):
        setattr(shutil, name, None)
    subprocess.Popen = None
    for name in _MODULES:
        sys.modules[name] = None


def swallow_streams():
    sys.stdin = sys.stdout = sys.stderr = ClosedStream()


@contextlib.contextmanager
def alarm(seconds, handler=None):
    """Raises TimeoutException in the program after `seconds` of wall time."""

    def expired(number, frame):
        raise TimeoutException(f"no result after {seconds:g} seconds")

    signal.signal(signal.SIGALRM, handler or expired)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
