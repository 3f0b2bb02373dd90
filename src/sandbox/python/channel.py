"""Frames over a socket: a kind, a length, a body."""

import struct

_HEAD = struct.Struct("<cI")


class Closed(Exception):
    """The other side is gone."""


class TooLarge(Exception):
    """The other side announced more than it may send."""


def send(socket, kind, body=b""):
    if len(body) < 4096:
        socket.sendall(_HEAD.pack(kind, len(body)) + body)
    else:
        socket.sendall(_HEAD.pack(kind, len(body)))
        socket.sendall(body)


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
        except TimeoutError:
            continue
        if not part:
            raise Closed()
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
