"""The candidate's end of the wire: makes the guest, hands it questions, sends its answers.

It shares its process with untrusted code, so nothing here is a promise: the tester believes only what it compared.
"""

import importlib
import struct

from umf import channel, program_lines, wire

LOAD, ASK = b"l", b"a"
VALUE, ERROR, MEMORY, OUTPUT, WAITED = b"v", b"e", b"m", b"o", b"w"
SECONDS = struct.Struct("<d")
_tester = None  # the socket to it


class OutputLimit(Exception):
    """For guests: the program wrote more than it may."""


def serve(socket):
    global _tester
    guest, _tester = None, socket
    while True:
        try:
            kind, body = channel.receive(socket, wire.MAX_BYTES)
        except channel.Closed:
            return
        try:
            request = wire.decode(body)
            if kind == LOAD:
                name, options = request
                guest = importlib.import_module(f"umf.{name}").Guest(**options)
                answer = None
            else:
                answer = guest.ask(request)
            reply = VALUE, wire.encode(answer)
        except MemoryError:
            reply = MEMORY, b""
        except (OutputLimit, wire.TooLarge) as problem:
            reply = OUTPUT, _text(problem)
        except BaseException as problem:  # SystemExit, too, is an answer
            reply = ERROR, _text(problem) + _lines(problem)
        answer = request = None
        channel.send(socket, *reply)


def waited():
    """For guests that keep a program's time: the seconds for which others kept it from running since the last question."""
    channel.send(_tester, WAITED)
    return SECONDS.unpack(channel.receive(_tester, SECONDS.size)[1])[0]


def _text(problem):
    try:
        text = f"{type(problem).__name__}: {problem}"
    except BaseException:
        text = type(problem).__name__
    return text.replace("\0", "\\0")[:2000].encode("utf-8", "replace")


def _lines(problem):
    """Of the program, each behind a zero."""
    return "".join(f"\0{line}" for line in program_lines.lines_behind(problem)).encode("utf-8", "replace")
