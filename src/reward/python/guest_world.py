"""What the public graders do to a process before a program runs in it, and how they limit its time.

None of this contains anything, the sandbox does; it only decides which programs fail, and the numbers of others were
made with it.
"""

import _sitebuiltins
import builtins
import contextlib
import io
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

from umf import guest_host, patience

_OS = """kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate replace
unlink fchmod fchown chmod chown chroot lchflags lchmod lchown getcwd chdir""".split()
_getrusage, _SELF = resource.getrusage, resource.RUSAGE_SELF  # programs lose the module
_MODULES = "ipdb joblib resource psutil tkinter".split()
ASK_AGAIN = 0.1  # seconds, where a program cannot get its time


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


def add_site_names():
    """exit and quit, which an interpreter usually has; this one is started without the module that makes them."""
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D")


def swallow_streams():
    sys.stdin = sys.stdout = sys.stderr = ClosedStream()


@contextlib.contextmanager
def alarm(seconds, handler=None):
    """Raises TimeoutException in the program once it had its seconds, as the public graders do after so much wall time:
    here a program that was kept waiting by its neighbours gets the rest. The tester ends what cannot get it."""

    def expired(number, frame):
        more = patience.left(seconds, time.monotonic() - begin, lambda: _cpu_seconds() - cpu_before, guest_host.waited)
        if more is None:
            signal.setitimer(signal.ITIMER_REAL, ASK_AGAIN)
        elif more > 0:
            signal.setitimer(signal.ITIMER_REAL, more)
        elif handler is not None:
            handler(number, frame)
        else:
            raise TimeoutException(f"no result after {seconds:g} seconds")

    begin, cpu_before = time.monotonic(), _cpu_seconds()
    signal.signal(signal.SIGALRM, expired)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _cpu_seconds():
    usage = _getrusage(_SELF)
    return usage.ru_utime + usage.ru_stime
