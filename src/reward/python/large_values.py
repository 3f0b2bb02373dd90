"""Values too large to be carried around: known by a digest instead.

A few inputs of EvalPlus make a canonical solution return a gigabyte. A digest that the program's own process computes is
as good an answer as the value: whoever does not know the value cannot forge it. It is of the exact form, so that among
such values 1 is not 1.0.
"""

import hashlib
import marshal

_LONG_TEXT = 10_000  # characters
_MANY_PARTS = 1_000_000
_PARTS = (list, tuple, int, float, str, bool, type(None))


class Digest:
    """Equals the values that have it."""

    def __init__(self, description, digest):
        self.description, self.digest = description, digest

    def __eq__(self, other):
        other = digested(other)
        return isinstance(other, Digest) and (other.description, other.digest) == (self.description, self.digest)

    def __repr__(self):
        return f"<{self.description}>"


def digested(value):
    """The value itself, or its Digest where it is large."""
    if type(value) is str and len(value) > _LONG_TEXT:
        return Digest(f"a text of {len(value)} characters", _sha256(value.encode("utf-8", "surrogatepass")))
    if type(value) in (list, tuple) and _parts(value) > _MANY_PARTS:
        # Version 2 has no back references, so that equal values have equal bytes.
        return Digest(f"a {type(value).__name__} of {len(value)} elements", _sha256(marshal.dumps(value, 2)))
    return value


def to_plain(value):
    """["value", v] or ["digest", description, digest]: for the wire."""
    value = value if isinstance(value, Digest) else digested(value)
    return ["digest", value.description, value.digest] if isinstance(value, Digest) else ["value", value]


def from_plain(content):
    kind, *rest = content
    return Digest(*rest) if kind == "digest" else rest[0]


def _parts(value):
    """How many elements it has, to a depth of two; 0 where it holds what has no fixed order."""
    count = len(value)
    for part in value:
        if type(part) not in _PARTS:
            return 0
        if type(part) in (list, tuple):
            count += len(part)
    return count


def _sha256(data):
    return hashlib.sha256(data).hexdigest()
