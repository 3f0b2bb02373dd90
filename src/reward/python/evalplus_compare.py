"""When EvalPlus takes a result for right."""

import math

import numpy

SET_TASKS = frozenset(
    """similar_elements find_char_long common_in_nested_lists extract_singly larg_nnum intersection_array
    find_dissimilar Diff""".split()
)
# Matches, where anything but None says yes.
MATCH_TASKS = frozenset("check_str text_match_three text_starta_endb".split())


def reference_value(task_id, entry_point, value):
    """What is expected, from what the canonical solution returned."""
    if task_id.startswith("Mbpp/") and entry_point in MATCH_TASKS:
        return value is not None
    return value


def grown_tolerance(tolerance, expected):
    """The tolerance once this value is expected."""
    return 1e-6 if tolerance == 0 and _floats(expected) else tolerance


class Comparison:
    """One run over a list of inputs. The tolerance is its state: it grows when a float is expected and stays so."""

    def __init__(self, task_id, entry_point, tolerance):
        self.mbpp = task_id.startswith("Mbpp/")
        self.entry_point = entry_point
        self.tolerance = tolerance

    def right(self, args, out, expected):
        """May raise, as comparing odd values does; then the result is wrong."""
        if self.entry_point == "find_zero" and not self.mbpp:
            return abs(_polynomial(args[0], out)) <= self.tolerance
        exact = bool(self._exact(args, out, expected))
        self.tolerance = grown_tolerance(self.tolerance, expected)
        if exact or self.tolerance == 0:
            return exact
        if type(out) is not type(expected):
            return False
        if isinstance(expected, (list, tuple)) and len(out) != len(expected):
            return False
        return bool(numpy.allclose(out, expected, rtol=1e-07, atol=self.tolerance))

    def _exact(self, args, out, expected):
        if self.mbpp:
            name = self.entry_point
            if name == "are_equivalent":
                return True
            if name == "sum_div":
                return out == expected or out == 0
            if name in SET_TASKS:
                return set(out) == set(expected)
            if name in MATCH_TASKS:
                return out == expected if isinstance(out, bool) else expected == (out is not None)
            if name == "surface_Area":
                return out == expected or abs(out - _pyramid_surface(*args)) <= self.tolerance
            if name == "digit_distance_nums":
                return out == expected or out == _digit_distance(*args)
        return out == expected


def _floats(value):
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(isinstance(part, float) for part in value)
    if isinstance(value, numpy.ndarray):
        return value.dtype in (numpy.float64, numpy.float32)
    return isinstance(value, float)


def _polynomial(coefficients, x):
    return sum(coefficient * math.pow(x, power) for power, coefficient in enumerate(coefficients))


def _pyramid_surface(base, height):
    return round(base**2 + 2 * base * math.sqrt((base / 2) ** 2 + height**2))


def _digit_distance(first, second):
    first, second = str(first), str(second)
    width = max(len(first), len(second))
    return sum(abs(int(a) - int(b)) for a, b in zip(first.zfill(width), second.zfill(width)))
