"""Guests that run a program inside LiveCodeBench's own world: one module, a made-up stdin, an alarm per test."""

import io
import sys
import types

from umf import guest_world
from umf.livecodebench_program import MOST_DIGITS, PRELUDE, as_function, texts_of
from umf.program_lines import compiled


class FakeBuffer:
    def __init__(self, text):
        self.text = text

    def read(self, *args):
        return self.text.encode()

    def readline(self, *args):
        return (self.text.split("\n")[0] + "\n").encode()


class FakeInput:
    """Reads as the reference's stand-in for stdin does: see read and readlines. It cannot be iterated over."""

    def __init__(self, text):
        self.text = text
        self.lines = io.StringIO(text)
        self.buffer = FakeBuffer(text)

    def read(self, *args):
        return self.text

    def readline(self, *args):
        return self.lines.readline(*args)

    def readlines(self, *args):
        return self.text.split("\n")


def _expired(number, frame):
    print("timeout occured: alarm went off")  # these words stand in the output of a program that goes on
    raise guest_world.TimeoutException()


class Guest:
    """kind "stdin": ask(text) -> ["output", text]; kind "call": ask([arguments]) -> ["value", v]; or ["timeout"]."""

    def __init__(self, source, kind, name, seconds_per_test):
        sys.set_int_max_str_digits(MOST_DIGITS)
        guest_world.take_away()
        self.kind, self.seconds = kind, seconds_per_test
        code = as_function(source) if kind == "stdin" else PRELUDE + "\n\n" + source
        texts = texts_of(source, code) if kind == "stdin" else None
        module = types.ModuleType("tmp_sol", "")
        with guest_world.alarm(self.seconds, _expired):
            exec(compiled(code, texts=texts), module.__dict__)
            owner = module.Solution() if "class Solution" in code else module
        self.function = getattr(owner, "wrapped_function" if kind == "stdin" else name)

    def ask(self, request):
        try:
            return self._output(request) if self.kind == "stdin" else self._value(request)
        except Exception as problem:
            if "timeoutexception" in repr(problem).lower():
                return ["timeout"]
            raise

    def _value(self, args):
        with guest_world.alarm(self.seconds, _expired):
            value = self.function(*args)
        return ["value", value]

    def _output(self, text):
        out, streams = io.StringIO(), (sys.stdin, sys.stdout)
        out.close = lambda *args: 1
        sys.stdin, sys.stdout = FakeInput(text), out
        try:
            with guest_world.alarm(self.seconds, _expired):
                self.function()
        except SystemExit:
            pass
        finally:
            sys.stdin, sys.stdout = streams
        return ["output", out.getvalue()]
