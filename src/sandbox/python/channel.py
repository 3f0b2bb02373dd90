"""Frames over a socket: a kind, a length, a body."""

import struct
from socket import timeout as TimedOut  # which is TimeoutError since Python 3.10

_HEAD = struct.Struct("<cI")


class Closed(Exception):
    """The other side is gone."""


class TooLarge(Exception):
    """The other side announced more than it may send."""


def send(socket, kind, body=b"", before_each=lambda: None):
    """`before_each` as below, before every wait for the other side to take some of it."""
    head = _HEAD.pack(kind, len(body))
    parts = [head + body] if len(body) < 4096 else [head, body]
    for part in map(memoryview, parts):
        while part:
            before_each()
            try:
                part = part[socket.send(part):]
            except TimedOut:
                continue


def receive(socket, at_most, before_each=lambda: None):
    """(kind, body). `before_each` runs before every wait: the place to set a timeout for it, and to raise when no time is
    left. A wait that timed out is followed by the next."""
    kind, length = _HEAD.unpack(_exactly(socket, _HEAD.size, before_each))
    if length > at_most:
        raise TooLarge()
    return kind, _exactly(socket, length, before_each)


def _exactly(socket, count, before_each):
    parts, left = [], count
    while left > 0:
        before_each()
        try:
            part = socket.recv(min(left, 1 << 20))
        except TimedOut:
            continue
        if not part:
            raise Closed()
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
