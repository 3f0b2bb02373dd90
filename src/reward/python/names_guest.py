"""A guest whose names can be used from outside: its functions called, its objects held on to."""

import ast
import builtins
import collections
import decimal
import fractions
import itertools
import types

from umf import guest_world
from umf.program_lines import compiled
from umf.wire import numpy

PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict, range)
PLAIN += (collections.deque, decimal.Decimal, fractions.Fraction)
if numpy is not None:
    PLAIN += (numpy.generic, numpy.ndarray)
_MOST_ITEMS = 1_000_000
_BUILTINS = frozenset(dir(builtins))


def names_in(code):
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def without_builtins(names):
    """Those that are no builtins; all of them where there are no others."""
    return {name for name in names if name not in _BUILTINS} or names


class Guest:
    """Values come as ["value", v]; what cannot leave this process as ["held", number, type name]."""

    def __init__(self, source, setup="", setup_first=False, guarded=False):
        if guarded:
            guest_world.take_away(("exit",))
        else:
            guest_world.add_site_names()
        guest_world.swallow_streams()
        module = types.ModuleType("__main__" if not guarded else "program")
        self.names = module.__dict__
        self.held = []
        self.setup = setup
        if setup_first:
            exec(setup, self.names)
            self.of_setup = {name: value for name, value in self.names.items() if not name.startswith("__")}
            exec(compiled(source), self.names)
        else:
            self.of_setup = {}
            exec(compiled(source), self.names)
            exec(setup, self.names)

    def ask(self, request):
        what, *rest = request
        return getattr(self, f"ask_{what}")(*rest)

    def ask_names(self):
        """name: "module" (with its name), "callable" or "data", of all that the program defined."""
        kinds = {}
        for name, value in self.names.items():
            if name.startswith("__"):
                continue
            if isinstance(value, types.ModuleType):
                kinds[name] = f"module {value.__name__}"
            else:
                kinds[name] = "callable" if callable(value) else "data"
        return kinds

    def ask_evaluate(self, expression):
        return self._give(eval(expression, self._scope(expression)))

    def _scope(self, expression):
        """What an expression of the tests sees. Names that the setup defined are the setup's, whatever the program made of
        them, and builtins are Python's, unless the expression uses no other name of the program's."""
        lost = {name for name, value in self.of_setup.items() if self.names.get(name) is not value}
        used = (names_in(expression) & self.names.keys()) - self.of_setup.keys()
        shadows = used - without_builtins(used)
        if not lost and not shadows:
            return self.names
        scope = {name: value for name, value in self.names.items() if name not in shadows}
        if lost:
            exec(self.setup, scope)
        return scope

    def ask_truth(self, target):
        return bool(self._take(target))

    def ask_name(self, name):
        return self._give(self.names[name])

    def ask_call(self, target, args, kwargs):
        """The value, and the positional arguments afterwards: a program may have changed them."""
        taken = [self._take(arg) for arg in args]
        value = self._take(target)(*taken, **{name: self._take(arg) for name, arg in kwargs.items()})
        changed = [arg if kind == "value" and isinstance(arg, (list, dict, set)) else None
                   for (kind, _), arg in zip(args, taken)]
        return [self._give(value), changed]

    def ask_get(self, target, name):
        return self._give(getattr(self._take(target), name))

    def ask_set(self, target, name, value):
        setattr(self._take(target), name, self._take(value))

    def ask_item(self, target, key):
        return self._give(self._take(target)[self._take(key)])

    def ask_length(self, target):
        return len(self._take(target))

    def ask_items(self, target):
        items = list(itertools.islice(self._take(target), _MOST_ITEMS + 1))
        if len(items) > _MOST_ITEMS:
            raise ValueError(f"more than {_MOST_ITEMS} items")
        return [self._give(item) for item in items]

    def _give(self, value):
        if isinstance(value, PLAIN):
            return ["value", value]
        self.held.append(value)
        return ["held", len(self.held) - 1, type(value).__name__]

    def _take(self, reference):
        kind, what = reference
        if kind == "held":
            return self.held[what]
        if kind == "name":
            return self.names[what] if what in self.names else getattr(builtins, what)
        return what
