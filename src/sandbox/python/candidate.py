"""The tester's end of the wire: candidates it starts, asks and closes."""

import os
import signal
import socket
import time

from umf import channel, guest_host, patience, wire
from umf.cell import ENDED, KILL, MESSAGE, START, USED
from umf.patience import Allowance, OuterAllowance

_GRACE_SECONDS = 2.0  # for the cell to say how a candidate ended
_MOST_ERROR_BYTES, _MOST_LINES = 16000, 8


class CandidateError(Exception):
    """outcome: error, timeout, memory, crash or output; message: for people; lines: texts of lines of the program that
    an exception went through, as far as the program's process tells, where it was raised last."""

    def __init__(self, outcome, message, lines=()):
        super().__init__(f"{outcome}: {message}")
        self.outcome, self.message, self.lines = outcome, message, tuple(lines)

    def while_loading(self):
        return CandidateError(self.outcome, f"while loading: {self.message}", self.lines)


class CellGone(BaseException):
    """The sandbox itself failed; no candidate is to blame. Not an Exception: code of tests that expects a program to raise
    must not take it for that."""


class Killed(CellGone):
    """A program was ended by a signal that may have come from anywhere."""


# What a program's own doing raises: faults, limits and timers.
_OWN_SIGNALS = frozenset((signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGSYS,
                          signal.SIGTRAP, signal.SIGXCPU, signal.SIGXFSZ, signal.SIGPIPE, signal.SIGALRM,
                          signal.SIGVTALRM, signal.SIGPROF))


def doubt(status):
    """Raises Killed for a wait status that a scheduler or a full machine may have caused as well as the program. umf
    then runs the job once more: a program that kills itself does so again, and is believed."""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) not in _OWN_SIGNALS:
        raise Killed(f"a program was ended by signal {os.WTERMSIG(status)}")


class Cell:
    """The link to the process that forks candidates."""

    def __init__(self, link, believe_signals, watcher):
        self._link, self._believe_signals = link, believe_signals
        self.watcher = watcher
        self._started = 0
        self._numbers = {}  # (what, which): what the cell told and nobody asked for yet

    def start(self, descriptor):
        self._started += 1
        self._say(START, self._started, [descriptor])
        return self._started

    def kill(self, which):
        self._say(KILL, which, [])

    def status(self, which):
        """The wait status of a candidate, or None if it has not ended in time."""
        return self._told(ENDED, which)

    def cpu_seconds(self, which):
        """What a candidate has used since it was started, without what it started itself; 0 once it ended."""
        self._say(USED, which, [])
        return (self._told(USED, which) or 0) / 1000

    def _told(self, what, which):
        """The number that the cell tells of a candidate, or None if it does not in time."""
        begin = time.monotonic()
        while (what, which) not in self._numbers:
            self._link.settimeout(max(0.001, self._grace_left(begin)))
            try:
                message = self._link.recv(MESSAGE.size)
            except channel.TimedOut:
                if self._grace_left(begin) <= 0:
                    return None
                continue
            finally:
                self._link.settimeout(None)
            if not message:
                raise CellGone("the cell ended early")
            about, whom, number = MESSAGE.unpack(message)
            self._numbers[about, whom] = number
        return self._numbers.pop((what, which))

    def _grace_left(self, begin):
        """Seconds that the cell has for its answer; it may be kept from giving it."""
        wall = time.monotonic() - begin
        more = patience.left(_GRACE_SECONDS, wall, lambda: 0.0, lambda: self.watcher.waited_since(begin))
        if more is None:
            self.watcher.give_up(f"the sandbox was kept waiting by others for most of {wall:.1f} s")
        return more

    def death(self, status):
        """What a wait status of a candidate, or of a process of its, says about it."""
        if not self._believe_signals:
            doubt(status)
        if not os.WIFSIGNALED(status):
            return CandidateError("crash", f"ended with status {os.WEXITSTATUS(status)} instead of answering")
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return CandidateError("timeout", "out of CPU time")
        return CandidateError("crash", f"ended by signal {number} ({_signal_name(number)})")

    def _say(self, what, which, descriptors):
        try:
            socket.send_fds(self._link, [MESSAGE.pack(what, which, 0)], descriptors)
        except OSError as problem:
            raise CellGone(f"the cell does not listen: {problem}") from None


class Candidate:
    def __init__(self, cell, guest, seconds, options):
        self.alive = True
        self._cell = cell
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._id = cell.start(theirs.fileno())
        self.loading = self.allowance(seconds)
        try:
            self._exchange(guest_host.LOAD, [guest, options], self.loading)
        except CandidateError:
            self.close()
            raise

    def ask(self, request, seconds=4.0):
        """`seconds` may be an Allowance: what is left of one that several questions share."""
        if not self.alive:
            raise CandidateError("crash", "it has ended before")
        allowance = seconds if isinstance(seconds, Allowance) else self.allowance(seconds)
        return self._exchange(guest_host.ASK, request, allowance)

    def allowance(self, seconds):
        return Allowance(seconds, lambda: self._cell.cpu_seconds(self._id), self._cell.watcher)

    def outer_allowance(self, seconds, extra):
        """For a guest that keeps a program's `seconds` by itself."""
        return OuterAllowance(seconds, extra, self._cell.watcher)

    def death(self, status):
        """What a wait status that the guest saw says: of a process that the program runs in."""
        return self._cell.death(status)

    def close(self):
        if self.alive:
            self._end()
            self._cell.status(self._id)

    def _end(self):
        self.alive = False
        self._socket.close()
        self._cell.kill(self._id)

    def _exchange(self, kind, request, allowance):
        def keep_deadline():
            pause = allowance.pause()
            if pause <= 0:
                raise channel.TimedOut()
            self._socket.settimeout(pause)

        data = wire.encode(request)
        begin = time.monotonic()
        try:
            channel.send(self._socket, kind, data, keep_deadline)
            kind, body = channel.receive(self._socket, wire.MAX_BYTES, keep_deadline)
            while kind == guest_host.WAITED:
                waited = guest_host.SECONDS.pack(self._cell.watcher.waited_since(begin))
                channel.send(self._socket, kind, waited, keep_deadline)
                kind, body = channel.receive(self._socket, wire.MAX_BYTES, keep_deadline)
        except channel.TimedOut:
            self._end()
            raise CandidateError("timeout", f"no answer after {allowance.seconds:g} seconds") from None
        except channel.TooLarge:
            self._end()
            raise CandidateError("output", "the answer is too large") from None
        except (channel.Closed, ConnectionError):
            raise self._death() from None
        except BaseException:
            self._end()  # or the rest of this answer would be taken for the next
            raise
        return self._judge(kind, body)

    def _judge(self, kind, body):
        if kind == guest_host.VALUE:
            try:
                return wire.decode(body)
            except wire.WireError as problem:
                self._end()
                raise CandidateError("error", f"it sent no proper answer: {problem}") from None
        text, *lines = body[:_MOST_ERROR_BYTES].decode("utf-8", "replace").split("\0", _MOST_LINES)
        if kind == guest_host.ERROR:
            raise CandidateError("error", text[:2000], lines)
        if kind == guest_host.MEMORY:
            raise CandidateError("memory", "out of memory")
        if kind == guest_host.OUTPUT:
            raise CandidateError("output", text)
        self._end()
        raise CandidateError("error", "it sent no proper answer")

    def _death(self):
        """It closed the socket: by ending, or on purpose."""
        self.alive = False
        self._socket.close()
        status = self._cell.status(self._id)
        if status is None:
            self._cell.kill(self._id)
            return CandidateError("crash", "it closed its connection")
        return self._cell.death(status)


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return "a real-time signal"
