"""Python values as bytes and back, between processes that do not trust each other.

JSON carries what it can at the speed of C: None, bool, int, float (also nan and inf), str and lists of these are
themselves. Everything else is an object with one key, the tag. Nothing that is read is ever evaluated.
"""

import base64
import collections
import decimal
import fractions
import itertools
import json
import sys

try:
    import numpy
except ImportError:
    numpy = None  # then no value is an array

MAX_BYTES = 64 << 20
MAX_DEPTH = 200

_PLAIN = frozenset((type(None), bool, int, float, str))
_SAFE_DTYPES = frozenset("?bhilqBHILQefdFDUSmM")  # not long double: not all of its bits make a number
_BIG = 1 << 4096  # well below the number of digits that int() of a text accepts
_FRACTION_BITS = 1 << 16  # of each part: making a fraction takes the square of it
_CROWD = 1000


class WireError(Exception):
    """These bytes are no value, or the value is too large or too deep to be sent."""


class TooLarge(WireError):
    """More bytes than may be sent."""

    def __init__(self):
        super().__init__(f"the value is larger than {MAX_BYTES} bytes")


class Opaque:
    """A value of a type that does not cross the wire; equals nothing, not even itself."""

    def __init__(self, type_name, text):
        self.type_name, self.text = type_name, text

    def __eq__(self, other):
        return False

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return self.text


def encode(value):
    try:
        data = json.dumps(_pack(value, 0), separators=(",", ":")).encode("ascii")
    except RecursionError:
        raise WireError("the value is nested too deeply") from None
    if len(data) > MAX_BYTES:
        raise TooLarge()
    return data


def decode(data):
    if len(data) > MAX_BYTES:
        raise TooLarge()
    limit = sys.getrecursionlimit()
    try:
        # The parser counts its nesting as calls, so this bounds the depth of the value at no cost.
        sys.setrecursionlimit(_calls_now() + MAX_DEPTH)
        return json.loads(data, object_hook=_unpack)
    except RecursionError:
        raise WireError("the value is nested too deeply") from None
    except MemoryError:
        raise
    except Exception as problem:
        raise WireError(f"not a value: {type(problem).__name__}: {str(problem)[:200]}") from None
    finally:
        sys.setrecursionlimit(limit)


def _calls_now():
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


# Packing: value -> what JSON can hold.


def _pack(value, depth):
    kind = type(value)
    if kind in (str, bytes) and len(value) > MAX_BYTES:
        raise TooLarge()  # before it is copied a few times
    if kind in _PLAIN:
        return value if kind is not int or -_BIG < value < _BIG else {"i": hex(value)}
    if depth > MAX_DEPTH:
        raise WireError("the value is nested too deeply")
    if kind is list:
        return _pack_items(value, depth)
    for base, pack in _PACKERS:
        if isinstance(value, base):
            return pack(value, depth + 1)
    return {"O": [_short(lambda: kind.__qualname__), _short(lambda: repr(value))]}


def _pack_items(values, depth):
    """The common cases without a step of Python per element: lists of plain values, and lists of such lists."""
    values = list(values)
    kinds = set(map(type, values))
    if kinds == {list}:
        inner = set(map(type, itertools.chain.from_iterable(values)))
        if inner <= _PLAIN and (int not in inner or not _any_big(itertools.chain.from_iterable(values))):
            return values
    elif kinds <= _PLAIN and (int not in kinds or not _any_big(values)):
        return values
    return [_pack(value, depth + 1) for value in values]


def _any_big(values):
    integers = [value for value in values if type(value) is int]
    return bool(integers) and (max(integers) >= _BIG or min(integers) <= -_BIG)


def _short(text):
    try:
        return str(text())[:200]
    except Exception as problem:
        return f"<{type(problem).__name__} in repr>"


def _tagged(tag):
    return lambda value, depth: {tag: _pack_items(value, depth)}


def _pack_bytes(tag):
    return lambda value, depth: {tag: base64.b64encode(bytes(value)).decode()}


def _pack_dict(value, depth):
    return {"d": _pack_items(itertools.chain.from_iterable(dict.items(value)), depth)}


def _pack_array(value, depth):
    if isinstance(value, numpy.ma.MaskedArray):
        return {"O": ["MaskedArray", _short(lambda: repr(value))]}  # its base would show what it hides
    value = numpy.asarray(value)
    if value.dtype.char in _SAFE_DTYPES:
        return {"n": [value.dtype.str, list(value.shape), base64.b64encode(value.tobytes()).decode()]}
    if value.dtype.char == "O":
        return {"N": [list(value.shape), _pack_items(value.ravel().tolist(), depth)]}
    return {"O": ["ndarray", _short(lambda: repr(value))]}


def _pack_scalar(value, depth):
    if value.dtype.char in _SAFE_DTYPES:
        return {"g": [value.dtype.str, base64.b64encode(value.tobytes()).decode()]}
    return {"O": [type(value).__qualname__, _short(lambda: repr(value))]}


_PACKERS = (
    (bool, lambda value, depth: bool(value)),
    (int, lambda value, depth: _pack(int.__index__(value), depth)),
    (float, lambda value, depth: float.__float__(value)),
    (str, lambda value, depth: str.__str__(value)),
    (list, lambda value, depth: _pack_items(list.__iter__(value), depth)),
    (tuple, lambda value, depth: {"t": _pack_items(tuple.__iter__(value), depth)}),
    (dict, _pack_dict),
    (set, _tagged("s")),
    (frozenset, _tagged("f")),
    (bytes, _pack_bytes("b")),
    (bytearray, _pack_bytes("B")),
    (complex, lambda value, depth: {"c": [value.real, value.imag]}),
    (range, lambda value, depth: {"r": [_pack(part, depth) for part in (value.start, value.stop, value.step)]}),
    (collections.deque, lambda value, depth: {"q": [value.maxlen, _pack_items(value, depth)]}),
    (decimal.Decimal, lambda value, depth: {"D": str(value)}),
    (fractions.Fraction, lambda value, depth: {"F": [_pack(value.numerator, depth), _pack(value.denominator, depth)]}),
)
if numpy is not None:  # scalars first: float64 is a float, too
    _PACKERS = ((numpy.generic, _pack_scalar), *_PACKERS, (numpy.ndarray, _pack_array))


# Unpacking: called for every object, innermost first.


def _unpack(tagged):
    ((tag, content),) = tagged.items()
    return _UNPACKERS[tag](content)


# Content may be any value that was unpacked before, and the work on it must be as small as its bytes: a range, say, has
# more elements than anybody can wait for.


def _is(kind, content):
    if type(content) is not kind:
        raise ValueError(f"not of type {kind.__name__}")
    return content


def _unpack_int(text):
    return int(_is(str, text), 16)


def _unpack_dict(items):
    if len(_is(list, items)) % 2:
        raise ValueError("a dict needs keys and values")
    return dict(zip(_keys(items[::2]), items[1::2]))


def _keys(values):
    """Many keys of one hash, which no honest value has, make a set or a dict take the square of their number."""
    if len(_is(list, values)) > _CROWD and max(collections.Counter(map(hash, values)).values()) > _CROWD:
        raise ValueError("too many keys of one hash")
    return values


def _safe_dtype(text):
    dtype = numpy.dtype(text) if type(text) is str and len(text) < 32 else None
    if dtype is None or dtype.char not in _SAFE_DTYPES:
        raise ValueError("not an array type that may be sent")
    return dtype


def _shape(numbers):
    if type(numbers) is not list or not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("not a shape")
    return numbers


def _unpack_array(content):
    dtype, shape, data = content
    return numpy.frombuffer(base64.b64decode(_is(str, data)), _safe_dtype(dtype)).reshape(_shape(shape)).copy()


def _unpack_objects(content):
    shape, items = content
    array = numpy.empty(len(_is(list, items)), dtype=object)
    for index, item in enumerate(items):
        array[index] = item
    return array.reshape(_shape(shape))


def _unpack_scalar(content):
    dtype, data = content
    return numpy.frombuffer(base64.b64decode(_is(str, data)), _safe_dtype(dtype))[0]


def _unpack_range(parts):
    start, stop, step = parts
    return range(start, stop, step)


def _unpack_fraction(parts):
    numerator, denominator = (_is(int, part) for part in parts)
    if max(numerator.bit_length(), denominator.bit_length()) > _FRACTION_BITS:
        raise ValueError("a fraction of so many digits")
    return fractions.Fraction(numerator, denominator)


def _unpack_opaque(parts):
    type_name, text = (_is(str, part) for part in parts)
    return Opaque(type_name[:200], text[:200])


_UNPACKERS = {
    "i": _unpack_int,
    "t": lambda items: tuple(_is(list, items)),
    "d": _unpack_dict,
    "s": lambda items: set(_keys(items)),
    "f": lambda items: frozenset(_keys(items)),
    "b": lambda text: base64.b64decode(_is(str, text)),
    "B": lambda text: bytearray(base64.b64decode(_is(str, text))),
    "c": lambda parts: complex(_is(float, parts[0]), _is(float, parts[1])),
    "r": _unpack_range,
    "q": lambda content: collections.deque(_is(list, content[1]), content[0]),
    "D": lambda text: decimal.Decimal(_is(str, text)),
    "F": _unpack_fraction,
    "O": _unpack_opaque,
}
if numpy is not None:
    _UNPACKERS.update({"n": _unpack_array, "N": _unpack_objects, "g": _unpack_scalar})
