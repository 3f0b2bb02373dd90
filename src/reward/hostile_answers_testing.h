// Answers that are wrong and want to be judged right, or not at all.
#pragma once

namespace umf {

// What f(2), for which 4 is expected, gives instead: an expression of Python.
inline constexpr const char* kHostileValues[] = {
    // that cannot be printed
    "'\\ud800'",
    "['a', '\\udfff' * 3]",
    "{'\\ud800': '\\udc00'}",
    "type('\\ud800', (), {})()",
    "type('Odd', (), {'__repr__': lambda self: '\\ud800'})()",
    "10**5000",
    "[-7**20000]",
    "'x' * (1 << 22)",
    "'\\n' * 5000",
    // that cannot be compared
    "numpy.array([4, 4])",
    "numpy.array([[4]] * 3)",
    "numpy.array([])",
    "[numpy.array([4, 4])]",
    "numpy.array([4, 'a', None], dtype=object)",
    "numpy.array(['4', '5'])",
    "numpy.array(['2020-01-01', 'NaT'], dtype='datetime64[D]')",
    "numpy.timedelta64('NaT')",
    "numpy.datetime64('NaT')",
    "numpy.zeros((0, 3))",
    "numpy.zeros(3, dtype='i4,f8')",
    "numpy.longdouble(3)",
    "numpy.ma.masked_array([4], mask=[True])",
    "decimal.Decimal('sNaN')",
    "decimal.Decimal('1E+999999')",
    "complex('nan')",
    "float('nan')",
    "float('-inf')",
    "fractions.Fraction(1, 10**30000)",
    "datetime.datetime(2020, 1, 1)",
    "datetime.timezone.utc",
    // of too many parts
    "range(10**18)",
    "[range(10**18)] * 3",
    "collections.deque(range(5), 10**9)",
    "{number * (2**61 - 1) for number in range(3000)}",
    "dict.fromkeys(number * (2**61 - 1) for number in range(3000))",
    "list(range(10**6))",
    "numpy.arange(10**6)",
    "deep(150)",
    "deep(3000)",
    "endless()",
    // that are nothing of ours
    "object()",
    "lambda: 4",
    "iter([4])",
    "(4 for _ in range(1))",
    "memoryview(b'4')",
    "NotImplemented",
    "...",
    "Everything()",
    "Liar(3)",
};

// Before a program that gives one of them.
inline constexpr char kHostilePrelude[] = R"py(
import collections, datetime, decimal, fractions, numpy

def deep(levels):
    value = 4
    for _ in range(levels): value = [value]
    return value

def endless():
    value = []
    value.append(value)
    return value

class Everything:
    def __eq__(self, other): return True
    def __sub__(self, other): return 0
    __rsub__ = __add__ = __lt__ = __gt__ = __le__ = __ge__ = __eq__
    def __hash__(self): return hash(4)
    def __len__(self): return 1
    def __getitem__(self, key): return self
    def __getattr__(self, name): return self

class Liar(int):
    def __eq__(self, other): return True
    def __repr__(self): return '4'
)py";

// What takes the place of an answer's guest: an expression of Python, sent back whatever is asked.
inline constexpr const char* kHostileReplies[] = {
    "numpy.array([1, 2])",
    "[numpy.array([1, 2]), 1]",
    "[numpy.array(['value', 'value']), 5]",
    "['value', numpy.array([4, 4])]",
    "['held', numpy.array([1, 2]), numpy.array([1, 2])]",
    "['output', '\\ud800']",
    "['output', numpy.array([5])]",
    "[['value', '\\ud800'], 0.1]",
    "[['value', decimal.Decimal('sNaN')], 0.1]",
    "[['digest', '\\ud800', numpy.array([1, 2])], 0.1]",
    "[['digest', [], {}, 1], 0.1]",
    "[[numpy.array([1, 2])], 0.1]",
    "{'f': '\\ud800', 7: 8}",
    "{'f': 'module \\ud800'}",
    "{'f': numpy.array([1, 2])}",
    "[0, b'\\xff', b'\\xff']",
    "[9, b'', b'']",
    "[-1, b'', b'']",
    "[2**70, b'', b'']",
    "['timeout', 1]",
    "['timeout']",
    "[[], [numpy.array([1])]]",
    "range(10**18)",
    "[range(10**18)] * 2",
    "[['value', 3], range(10**18)]",
    "None",
};

}  // namespace umf
