"""Values too large to be carried around: known by a digest instead.

A few inputs of EvalPlus make a canonical solution return a gigabyte. A digest that the program's own process computes is
as good an answer as the value: whoever does not know the value cannot forge it. Values that are equal in Python have
equal digests, so that 1 is 1.0 and True, and -0.0 is 0.
"""

import array
import collections
import hashlib
import itertools
import marshal
import math

_LONG_TEXT = 10_000  # characters
_MANY_PARTS = 1_000_000
_LONG_TO_PRINT = 100_000  # parts or characters
_NUMBERS = frozenset((int, float, bool))
_PARTS = _NUMBERS | {list, tuple, str, type(None)}
_SIZED = frozenset((list, tuple, set, frozenset, dict, collections.deque, str, bytes, bytearray))
_EXACT = 2.0**53  # up to here every whole number is a float


class Digest:
    """Equals the values that have it. Without digest it equals nothing: NaN is in it."""

    def __init__(self, description, digest):
        self.description, self.digest = description, digest

    def __eq__(self, other):
        other = digested(other)
        return isinstance(other, Digest) and self.digest is not None and (other.description, other.digest) == (
            self.description, self.digest)

    def __repr__(self):
        return f"<{self.description}>"


def digested(value):
    """The value itself, or its Digest where it is large."""
    if isinstance(value, Digest):
        return value
    if type(value) is str and len(value) > _LONG_TEXT:
        return Digest(f"a text of {len(value)} characters", _sha256(value.encode("utf-8", "surrogatepass")))
    if type(value) in (list, tuple) and _parts(value) > _MANY_PARTS:
        return Digest(f"a {type(value).__name__} of {len(value)} elements", _digest(value))
    return value


def to_plain(value, whole):
    """["value", v] or ["digest", description, digest]: for the wire. `whole` says whether large lists go as they are:
    "yes", "no", or those of nothing but "floats". Texts never do: nothing is near to one and yet not equal."""
    if type(value) is str or whole == "no" or (whole == "floats" and not _all_floats(value)):
        value = digested(value)
    return ["digest", value.description, value.digest] if isinstance(value, Digest) else ["value", value]


def from_plain(content):
    kind, *rest = content
    return Digest(*rest) if kind == "digest" else rest[0]


def described(value):
    """What stands for a value that is too large to be printed; "" for others."""
    kind = type(value)
    if kind not in _SIZED:
        return ""
    parts = len(value)
    if kind not in (str, bytes, bytearray):
        parts += sum(len(part) for part in value if type(part) in _SIZED)
    if parts <= _LONG_TO_PRINT:
        return ""
    return f"<a text of {parts} characters>" if kind is str else f"<a {kind.__name__} of {len(value)} elements>"


def _parts(value):
    """How many elements it has, to a depth of two; 0 where it holds what has no fixed order."""
    if not set(map(type, value)) <= _PARTS:
        return 0
    return len(value) + sum(len(part) for part in value if type(part) in (list, tuple))


def _all_floats(value):
    return type(value) in (list, tuple) and set(map(type, value)) == {float}


def _digest(value):
    """None where NaN is in it."""
    if set(map(type, value)) <= _NUMBERS and -_EXACT <= min(value) and max(value) <= _EXACT:
        numbers = array.array("d", value)
        if any(map(math.isnan, numbers)):
            return None
        if -0.0 in numbers:  # as 0.0 is
            numbers = array.array("d", [number + 0.0 for number in numbers])
        return _sha256(numbers.tobytes())
    try:
        # Version 2 has no back references, so that equal values have equal bytes.
        return _sha256(marshal.dumps(_normal(value) if _kinds(value) & {float, bool} else value, 2))
    except ValueError:
        return None


def _kinds(values):
    """The types of all parts, however deep."""
    kinds = set(map(type, values))
    while kinds & {list, tuple}:
        inner = [part for part in values if type(part) in (list, tuple)]
        found = set(map(type, itertools.chain.from_iterable(inner)))
        if not found & {list, tuple}:
            return kinds | found
        kinds, values = kinds | found, list(itertools.chain.from_iterable(inner))
    return kinds


def _normal(value):
    """The same value in one form: whole numbers as int."""
    kind = type(value)
    if kind is float:
        if math.isnan(value):
            raise ValueError("NaN")
        return int(value) if value.is_integer() else value
    if kind is bool:
        return int(value)
    if kind in (list, tuple):
        return kind(map(_normal, value))
    return value


def _sha256(data):
    return hashlib.sha256(data).hexdigest()
