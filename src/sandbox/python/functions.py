"""A guest that runs a module's source and calls its functions."""

import io
import sys
import types

from umf.program_lines import compiled


class Swallow(io.TextIOBase):
    """A stream that keeps nothing."""

    def writable(self):
        return True

    def write(self, text):
        return len(text)


class Guest:
    """ask({"call": name, "args": [...], "kwargs": {...}}) -> what it returns.

    With "mutated": true -> [what it returns, the arguments afterwards].
    """

    def __init__(self, source, name="__main__"):
        sys.stdin, sys.stdout, sys.stderr = io.StringIO(), Swallow(), Swallow()
        module = types.ModuleType(name)
        sys.modules[name] = module  # dataclasses and typing look names up there
        self.names = module.__dict__
        exec(compiled(source), self.names)

    def ask(self, request):
        args = request.get("args", [])
        if request["call"] not in self.names:
            raise NameError(f"name '{request['call']}' is not defined")
        value = self.names[request["call"]](*args, **request.get("kwargs", {}))
        return [value, args] if request.get("mutated") else value
