"""The tester's side of names_guest: stand-ins for the names of a program, so that test code can use them.

Test code runs with the tester, where the expected values are; each use of a stand-in asks the program.
"""

import ast
import builtins
import sys
import time

from umf.candidate import CandidateError


class Remote:
    """A function, class or object of the program. It equals nothing but itself: the program must not decide that."""

    def __init__(self, program, reference, text):
        object.__setattr__(self, "_remote", (program, reference, text))

    def __call__(self, *args, **kwargs):
        program, reference, _ = self._remote
        request = ["call", reference, [_sent(arg) for arg in args], {key: _sent(arg) for key, arg in kwargs.items()}]
        value, changed = program.ask(request)
        for arg, after in zip(args, changed):
            _change(arg, after)
        return program.received(value)

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
        return iter([program.received(item) for item in program.ask(["items", reference])])

    def __repr__(self):
        return f"<{self._remote[2]}>"


class Program:
    """A running program and the time it has left."""

    def __init__(self, start, seconds, **options):
        self.deadline = time.monotonic() + seconds
        self.candidate = start("names_guest", seconds=seconds, **options)

    def give(self, seconds):
        self.deadline = time.monotonic() + seconds

    def ask(self, request):
        return self.candidate.ask(request, seconds=max(0.001, self.deadline - time.monotonic()))

    def received(self, reference):
        kind, what, *rest = reference
        return what if kind == "value" else Remote(self, ["held", what], rest[0])

    def evaluate(self, expression):
        return self.received(self.ask(["evaluate", expression]))

    def stand_ins(self, code, names=None):
        """For `names`, or else for all that `code` uses. Builtins stay ours, unless it uses no other name."""
        kinds = self.ask(["names"])
        if names is not None:
            return {name: self._stand_in(name, kinds.get(name, "callable")) for name in names}
        used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)} & kinds.keys()
        own = {name for name in used if not hasattr(builtins, name)}
        return {name: self._stand_in(name, kinds[name]) for name in own or used}

    def _stand_in(self, name, kind):
        if kind.startswith("module "):
            module = sys.modules.get(kind.removeprefix("module "))
            if module is not None:
                return module  # ours: the program may have changed its own
        if kind == "data":
            return self.received(self.ask(["name", name]))
        return Remote(self, ["name", name], name)


def _sent(value):
    return value._remote[1] if isinstance(value, Remote) else ["value", value]


def _change(ours, after):
    """Makes a mutable argument what the program made of it."""
    if after is None or isinstance(ours, Remote) or ours == after:
        return
    if isinstance(ours, list):
        ours[:] = after
    elif isinstance(ours, (dict, set)):
        ours.clear()
        ours.update(after)
