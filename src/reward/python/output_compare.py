"""When LiveCodeBench takes a program's output for right: line by line, numbers by value, no tolerance."""

from decimal import Decimal


class Incomparable(Exception):
    """A signalling NaN: comparing it is an error, and a right one."""


def same_output(got, expected):
    got, expected = _lines(got), _lines(expected)
    return len(got) == len(expected) and all(map(_same_line, got, expected))


def first_difference(got, expected):
    """For people: the first pair of lines that differ."""
    got, expected = _lines(got), _lines(expected)
    for number, (ours, theirs) in enumerate(zip(expected, got), 1):
        if not _same_line(theirs, ours):
            return number, ours, theirs
    return None


def _lines(text):
    return [line.strip() for line in text.strip().split("\n")]


def _same_line(got, expected):
    if got == expected:
        return True
    got, expected = _numbers(got), _numbers(expected)
    if got is None or expected is None or len(got) != len(expected):
        return False
    try:
        return got == expected
    except ArithmeticError as problem:
        raise Incomparable(str(problem)) from None


def _numbers(line):
    try:
        return [Decimal(token) for token in line.split()]
    except (ArithmeticError, ValueError):
        return None
