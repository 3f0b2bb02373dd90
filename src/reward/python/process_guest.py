"""A guest that runs a program as a process of its own, with real standard streams, once per question."""

import os
import signal
import sys
import time

from umf import guest_host, guest_world, patience, program_lines
from umf.guest_host import OutputLimit

_MOST_OUTPUT = 32 << 20
LINE_MARK = "  main.py: "  # before a line that an exception went through


class Guest:
    """ask({"stdin", "seconds"}) -> [wait status, stdout, the end of stderr], as bytes, or ["timeout"].

    `prelude` is code that runs before the program; `most_digits` of a number that becomes text.
    """

    def __init__(self, source, prelude="", most_digits=None):
        # Errors of syntax belong to every test, as they would with a fresh interpreter.
        self.source, self.prelude = source, prelude
        if most_digits is not None:
            sys.set_int_max_str_digits(most_digits)

    def ask(self, request):
        files = [_nameless_file() for _ in range(3)]
        try:
            with open(files[0], "wb", closefd=False) as stdin:
                stdin.write(request["stdin"].encode("utf-8", "surrogatepass"))
            os.lseek(files[0], 0, os.SEEK_SET)
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            child = os.fork()
            if child == 0:
                self._run(files)
            status = _wait(child, request["seconds"])
            if status is None:
                return ["timeout"]
            if os.fstat(files[1]).st_size > _MOST_OUTPUT:
                raise OutputLimit(f"more than {_MOST_OUTPUT} bytes of output")
            return [status, self._content(files[1], 0), self._content(files[2], 8000)]
        finally:
            for file in files:
                os.close(file)

    def _run(self, files):
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            for place, file in enumerate(files):
                os.dup2(file, place)
            os.closerange(3, 64)
            sys.stdin = open(0, encoding="utf-8", errors="surrogateescape")
            sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape")
            sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace")
            sys.argv = ["main.py"]
            guest_world.add_site_names()
            os._exit(run_main(self.prelude, self.source))
        finally:
            os._exit(1)

    @staticmethod
    def _content(file, at_most):
        size = os.fstat(file).st_size
        begin = max(0, size - at_most) if at_most else 0
        return os.pread(file, size - begin, begin)


def _wait(child, seconds):
    """The wait status of a child, or None when it had its seconds and was killed. SIGCHLD must be blocked."""
    begin = time.monotonic()
    while True:
        left = patience.left(seconds, time.monotonic() - begin,
                             lambda: time.clock_gettime(patience.cpu_clock(child)), guest_host.waited)
        if left is None:
            left = guest_world.ASK_AGAIN  # the tester will end this
        signal.sigtimedwait({signal.SIGCHLD}, max(0.0, left))
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if left <= 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None


def run_main(prelude, source):
    """Runs it as __main__; the exit status that an interpreter would give."""
    main = type(sys)("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    status = 0
    try:
        exec(prelude, main.__dict__)
        exec(program_lines.compiled(source, "main.py"), main.__dict__)
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        status = 0 if end.code is None else end.code & 0xFF if isinstance(end.code, int) else 1
    except BaseException as problem:
        for line in program_lines.lines_behind(problem):
            print(LINE_MARK + line, file=sys.stderr)
        print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
        status = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            status = status or 120
    return status


def _nameless_file():
    path = f".stream-{os.getpid()}-{os.urandom(8).hex()}"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(path)
    return file
