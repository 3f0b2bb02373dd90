"""The tester's end of the wire: candidates it starts, asks and closes."""

import os
import signal
import socket
import time

from umf import channel, guest_host, wire
from umf.cell import ENDED, KILL, MESSAGE, START

_GRACE_SECONDS = 2.0  # for the cell to say how a candidate ended


class CandidateError(Exception):
    """outcome: error, timeout, memory, crash or output; message: for people."""

    def __init__(self, outcome, message):
        super().__init__(f"{outcome}: {message}")
        self.outcome, self.message = outcome, message


class CellGone(Exception):
    """The sandbox itself failed; no candidate is to blame."""


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

    def __init__(self, link, believe_signals):
        self._link, self._believe_signals = link, believe_signals
        self._started = 0
        self._statuses = {}

    def start(self, descriptor):
        self._started += 1
        self._say(START, self._started, [descriptor])
        return self._started

    def kill(self, which):
        self._say(KILL, which, [])

    def status(self, which):
        """The wait status of a candidate, or None if it has not ended in time."""
        deadline = time.monotonic() + _GRACE_SECONDS
        while which not in self._statuses:
            self._link.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                message = self._link.recv(MESSAGE.size)
            except TimeoutError:
                return None
            finally:
                self._link.settimeout(None)
            if not message:
                raise CellGone("the cell ended early")
            what, ended, status = MESSAGE.unpack(message)
            if what == ENDED:
                self._statuses[ended] = status
        return self._statuses.pop(which)

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
        try:
            self._exchange(guest_host.LOAD, [guest, options], seconds)
        except CandidateError:
            self.close()
            raise

    def ask(self, request, seconds=4.0):
        if not self.alive:
            raise CandidateError("crash", "it has ended before")
        return self._exchange(guest_host.ASK, request, seconds)

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

    def _exchange(self, kind, request, seconds):
        deadline = time.monotonic() + seconds

        def keep_deadline():
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError()
            self._socket.settimeout(left)

        try:
            data = wire.encode(request)
            keep_deadline()
            channel.send(self._socket, kind, data)
            kind, body = channel.receive(self._socket, wire.MAX_BYTES, keep_deadline)
        except TimeoutError:
            self._end()
            raise CandidateError("timeout", f"no answer after {seconds:g} seconds") from None
        except channel.TooLarge:
            self._end()
            raise CandidateError("output", "the answer is too large") from None
        except (channel.Closed, ConnectionError):
            raise self._death() from None
        return self._judge(kind, body)

    def _judge(self, kind, body):
        if kind == guest_host.VALUE:
            try:
                return wire.decode(body)
            except wire.WireError as problem:
                self._end()
                raise CandidateError("error", f"it sent no proper answer: {problem}") from None
        text = body[:2000].decode("utf-8", "replace")
        if kind == guest_host.ERROR:
            raise CandidateError("error", text)
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
