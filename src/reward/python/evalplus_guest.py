"""A guest that calls one function of a program, as EvalPlus does."""

import time

from umf import guest_world
from umf.large_values import to_plain
from umf.program_lines import compiled

_VIEWS = (type({}.keys()), type({}.items()))  # they compare as sets, and only these two


class Guest:
    """ask({"args": [...], "seconds": limit or None, "whole"}) -> [to_plain(what it returned, whole), seconds] or
    ["timeout"]."""

    def __init__(self, source, entry_point):
        guest_world.take_away(("exit", "open"))
        guest_world.swallow_streams()
        names = {}
        exec(compiled(source), names)
        self.function = names[entry_point]

    def ask(self, request):
        args, seconds = request["args"], request["seconds"]
        try:
            with guest_world.alarm(seconds or 0):
                begin = time.perf_counter()
                value = self.function(*args)
                spent = time.perf_counter() - begin
        except guest_world.TimeoutException:
            return ["timeout"]
        if isinstance(value, _VIEWS):
            value = set(value)
        return [to_plain(value, request["whole"]), spent]
