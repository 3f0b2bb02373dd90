"""The tester's side of names_guest: stand-ins for the names of a program, so that test code can use them.

Test code runs with the tester, where the expected values are; each use of a stand-in asks the program.
"""

import ast
import collections
import sys

from umf.candidate import CandidateError
from umf.names_guest import PLAIN, names_in, without_builtins
from umf.reporting import improper_answer

_USUAL_MODULES = {"np": "numpy"}  # by the names that they are imported as


class Remote:
    """A function, class or object of the program. It equals nothing but itself: the program must not decide that."""

    def __init__(self, program, reference, text):
        object.__setattr__(self, "_remote", (program, reference, text))

    def __call__(self, *args, **kwargs):
        program, reference, _ = self._remote
        request = ["call", reference, [_sent(arg) for arg in args], {key: _sent(arg) for key, arg in kwargs.items()}]
        answer = program.ask(request)
        if not (isinstance(answer, list) and len(answer) == 2 and isinstance(answer[1], list)):
            raise improper_answer()
        for arg, after in zip(args, answer[1]):
            _change(arg, after)
        return program.received(answer[0])

    def __getattr__(self, name):
        program, reference, _ = self._remote
        return program.received(program.ask(["get", reference, name]))

    def __setattr__(self, name, value):
        program, reference, _ = self._remote
        program.ask(["set", reference, name, _sent(value)])

    def __getitem__(self, key):
        program, reference, _ = self._remote
        return program.received(program.ask(["item", reference, _sent(key)]))

    def __len__(self):
        program, reference, _ = self._remote
        try:
            return program.ask(["length", reference])
        except CandidateError as problem:
            if problem.message.startswith("TypeError"):
                raise TypeError(problem.message) from None  # list() asks first, and takes this for an answer
            raise

    def __iter__(self):
        program, reference, _ = self._remote
        items = program.ask(["items", reference])
        if not isinstance(items, list):
            raise improper_answer()
        return iter([program.received(item) for item in items])

    def __bool__(self):
        program, reference, _ = self._remote
        return bool(program.ask(["truth", reference]))

    def __repr__(self):
        return f"<{self._remote[2]}>"


class CannotCross(BaseException):
    """An object of the tests' own class: the program would have to share a process with it. Not an Exception, as test
    code may catch those."""


class Program:
    """A running program and the time it has left."""

    def __init__(self, start, seconds, **options):
        self.candidate = start("names_guest", seconds=seconds, **options)
        self.time = self.candidate.loading

    def give(self, seconds):
        self.time = self.candidate.allowance(seconds)

    def ask(self, request):
        return self.candidate.ask(request, seconds=self.time)

    def received(self, reference):
        if isinstance(reference, list) and len(reference) == 2 and reference[0] == "value":
            return reference[1]
        if isinstance(reference, list) and len(reference) == 3 and reference[0] == "held":
            return Remote(self, ["held", reference[1]], reference[2])
        raise improper_answer()

    def evaluate(self, expression):
        """Where the program is."""
        return self.received(self.ask(["evaluate", expression]))

    def stand_ins(self, code, names=None, but=()):
        """For `names`, or else for all that `code` uses `but` some. Builtins stay ours, unless it uses no other name."""
        kinds = self.ask(["names"])
        if not isinstance(kinds, dict) or not all(isinstance(kind, str) for kind in kinds.values()):
            raise improper_answer()
        if names is not None:
            return {name: self._stand_in(name, kinds.get(name, "callable")) for name in names}
        used = (names_in(code) & kinds.keys()) - set(but)
        modules = _modules_in(code)
        return {name: modules[name] if name in modules else self._stand_in(name, kinds[name])
                for name in without_builtins(used)}

    def _stand_in(self, name, kind):
        if kind == "data":
            return self.received(self.ask(["name", name]))
        return Remote(self, ["name", name], name)


def _modules_in(code):
    """Our modules under the names that code uses them by, as math in math.isclose(a, b). They are never the program's
    own: it may have changed them, or have called something else by that name."""
    attributes, used = {}, collections.Counter()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.setdefault(node.value.id, []).append(node.attr)
        elif isinstance(node, ast.Name):
            used[node.id] += 1
    modules = {}
    for name, wanted in attributes.items():
        module = sys.modules.get(_USUAL_MODULES.get(name, name))
        if module is not None and used[name] == len(wanted) and all(hasattr(module, one) for one in wanted):
            modules[name] = module
    return modules


def _sent(value):
    if isinstance(value, Remote):
        return value._remote[1]
    if not _plain(value):
        raise CannotCross(f"a value of type {type(value).__name__} cannot be given to the program")
    return ["value", value]


def _plain(value):
    if isinstance(value, dict):
        return all(map(_plain, value)) and all(map(_plain, value.values()))
    if isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        return all(map(_plain, value))
    return isinstance(value, PLAIN)


def _change(ours, after):
    """Makes a mutable argument what the program made of it."""
    if isinstance(ours, list) and isinstance(after, list):
        ours[:] = after
    elif (isinstance(ours, dict) and isinstance(after, dict)) or (isinstance(ours, set) and isinstance(after, set)):
        ours.clear()
        ours.update(after)
