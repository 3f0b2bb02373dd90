"""A tester without candidates: what crosses the wire arrives as it was. For the tests of the sandbox."""

import collections
import decimal
import enum
import fractions
import itertools
import json
import math

import numpy

from umf import wire


class Color(enum.IntEnum):
    RED = 3


class Text(str):
    pass


Point = collections.namedtuple("Point", "x y")

NAN = float("nan")

# Values that arrive as they are.
SAME = [
    None, True, False, 0, -1, 2**63, -(2**200), 10**4000, -(7**5000), 0.0, -0.0, 1e308, 5e-324, math.pi,
    math.inf, -math.inf, "", "a", "\0\x1f\"\\", "\ud800", "😀", b"", b"\x00\xff", bytearray(b"ab"), [], [1, "a", None, 2.5],
    [[1, 2], [3]], [[1], ["a", None]], [[10**5000]], [10**5000, 1], (), (1,), (1, (2, [3])), [(1, 2), (3, 4)], {1, 2},
    set(), frozenset([1, (2, 3)]), {frozenset([1]), frozenset()}, {}, {"a": 1}, {1: "a", (2, 3): [4], None: {}, 1.5: 0},
    {"t": [1], "d": {"i": 2}}, {True: 1}, range(3), range(10**30, -5, -7), collections.deque([1, 2], 5),
    collections.deque(), 1 + 2j, complex(-0.0, math.inf), decimal.Decimal("1.10"), decimal.Decimal("-Infinity"),
    fractions.Fraction(-3, 7), [True, 1, 1.0], {"x": {"y": {"z": (1, [2, {3}])}}},
]


def large():
    """Made when needed: every fork of the zygote would carry it."""
    return [10**100000, list(range(100000)), ["word"] * 100000, list("abc") * 1000, [[i, str(i)] for i in range(50000)]]


# Values that become their base.
BASE = [
    (Color.RED, 3), (Text("a"), "a"), (Point(1, [2]), (1, [2])), (collections.Counter("aab"), {"a": 2, "b": 1}),
    (collections.OrderedDict([(1, 2)]), {1: 2}), (collections.defaultdict(list, {1: [2]}), {1: [2]}),
]

ARRAYS = [
    numpy.arange(6).reshape(2, 3), numpy.zeros((0, 3)), numpy.array(2.5), numpy.array([True, False]),
    numpy.array(["a", "bcd"]), numpy.array([1 + 2j]), numpy.array([NAN, 1.0]), numpy.arange(6).reshape(2, 3).T,
    numpy.array([[1, "a"], [None, (2,)]], dtype=object), numpy.array(["2020-01-01"], dtype="datetime64[D]"),
]

# What no honest sender writes.
BROKEN = [
    b"", b"[", b"{}", b'{"x":1}', b'{"t":[],"s":[]}', b'{"t":1}', b'{"d":[1]}', b'{"d":[[1],2]}', b'{"s":[[1]]}',
    b'{"i":7}', b'{"i":"zz"}', b'{"b":7}', b'{"c":[1]}', b'{"c":["a","b"]}', b'{"r":[0,1,0]}', b'{"r":[0.5,1,1]}',
    b'{"F":[1,0]}', b'{"D":"x"}', b'{"q":[-1,[]]}', b'{"n":["O",[1],""]}', b'{"n":["V8",[1],"AAAAAAAAAAA="]}',
    b'{"n":["<f8",[2],"AAAAAAAAAAA="]}', b'{"n":["<f8",[-2],"AAAAAAAAAAA="]}', b'{"g":["<U9",""]}', b'{"O":[]}',
    b'{"N":[[2],[1]]}', b"\xff", b"1" * 5000, b"[" * 250 + b"]" * 250, b'{"t":[' * 250 + b"]}" * 250, b"nul", b"1 2",
    b'{"O":[[1],2]}', b'{"c":["1","2"]}', b'{"D":1}', b'{"D":{"r":[0,9,1]}}', b'{"n":["<f16",[1],"AAAAAAAAAAAAAAAAAAAAAA=="]}',
]

# As many elements as nobody can wait for, in a few bytes.
_ENDLESS = b'{"r":[0,1000000000000000000,1]}'
BROKEN += [template.replace(b"X", _ENDLESS) for template in (
    b'{"q":[null,X]}', b'{"q":[5,X]}', b'{"t":X}', b'{"s":X}', b'{"f":X}', b'{"d":X}', b'{"N":[[1],X]}', b'{"F":X}',
    b'{"F":[1,X]}', b'{"c":X}', b'{"O":X}', b'{"b":X}', b'{"i":X}', b'{"n":["<f8",X,""]}', b'{"q":[X,[]]}')]


def slow():
    """Small enough to be sent, and slow to be made without bounds."""
    yield json.dumps({"s": [number * (2**61 - 1) for number in range(100_000)]}).encode()
    yield json.dumps({"d": [number // 2 * (2**61 - 1) for number in range(200_000)]}).encode()
    yield json.dumps({"F": [{"i": hex((1 << 10_000_000) + 1)}, {"i": hex((1 << 9_000_000) - 1)}]}).encode()


def same(a, b):
    """Equal in type, value and sign, also deep inside; nan is nan."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return (a != a and b != b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(map(same, a, b)) and getattr(a, "maxlen", 0) == getattr(b, "maxlen", 0)
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    return a == b


def same_array(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if a.dtype == object else numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def failures():
    for value in SAME + large():
        if not same(wire.decode(wire.encode(value)), value):
            yield f"{value!r:.60} does not arrive as it was" if not isinstance(value, int) else "an int changed"
    for value, base in BASE:
        if not same(wire.decode(wire.encode(value)), base):
            yield f"{value!r:.60} does not become {base!r}"
    for array in ARRAYS:
        if not same_array(wire.decode(wire.encode(array)), array):
            yield f"the array {array!r:.60} does not arrive as it was"
    for scalar in (numpy.float64(-0.0), numpy.int8(-3), numpy.bool_(True), numpy.str_("a"), numpy.float32(0.1)):
        arrived = wire.decode(wire.encode(scalar))
        if type(arrived) is not type(scalar) or repr(arrived) != repr(scalar):
            yield f"the scalar {scalar!r} arrives as {arrived!r}"
    yield from refusals()


def refusals():
    opaque = wire.decode(wire.encode([object(), len, same]))
    if not all(isinstance(thing, wire.Opaque) and thing != thing for thing in opaque):
        yield "what cannot be sent does not arrive as Opaque"
    for data in itertools.chain(BROKEN, slow()):
        try:
            yield f"{data[:60]!r} was read as {wire.decode(data)!r:.60}"
        except wire.WireError:
            pass
    itself = []
    itself.append(itself)
    for value in (itself, "x" * (wire.MAX_BYTES + 1), ["x" * (1 << 20)] * 65):
        try:
            wire.encode(value)
            yield "a value that is too deep or too large was sent"
        except wire.WireError:
            pass


def run(payload, start, report):
    for failure in failures():
        report({"failure": failure})
    report({"checked": len(SAME) + len(BASE) + len(ARRAYS) + len(BROKEN)})
