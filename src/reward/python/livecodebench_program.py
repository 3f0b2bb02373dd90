"""What LiveCodeBench makes of a program that reads stdin: a function that can be called once per test."""

import ast

_STARRED = """string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys
json builtins typing""".split()
_PLAIN = [name for name in _STARRED if name not in ("builtins", "typing")]
PRELUDE = "".join(
    [f"from {name} import *\n" for name in _STARRED]
    + [f"import {name}\n" for name in _PLAIN]
    + ["sys.setrecursionlimit(50000)\n"]
)
MOST_DIGITS = 50000  # of a number that becomes text, or comes from it


def as_function(source):
    """Text that does not parse is left as it is, and fails later."""
    try:
        body = _without_guard(ast.parse(source).body)
    except Exception:
        return source
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    others = [node for node in body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    function = ast.parse("def wrapped_function():\n    pass").body[0]
    function.body = others
    # Without statements the function has no body: a program of nothing but imports fails, as it should.
    return "\n".join([PRELUDE, _printed(imports), ast.unparse(function)])


def _without_guard(body):
    last = body[-1] if body else None
    if isinstance(last, ast.If) and ast.unparse(last.test) == "__name__ == '__main__'":
        return body[:-1] + last.body
    return body


def _printed(nodes):
    return "\n".join(map(ast.unparse, nodes))
