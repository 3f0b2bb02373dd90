"""What LiveCodeBench makes of a program that reads stdin: a function that can be called once per test."""

import ast

from umf.program_lines import lines_of

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


def texts_of(source, code):
    """The text of `source` behind each line of the function that as_function made of it: printing a tree changes lines.
    None where it was left as it is; nothing where that cannot be told."""
    if code == source:
        return None
    try:
        body = _without_guard(ast.parse(source).body)
        nodes = _nodes(node for node in body if not isinstance(node, (ast.Import, ast.ImportFrom)))
        printed = _nodes(ast.parse(code).body[-1].body)
    except Exception:
        return {}
    if list(map(type, nodes)) != list(map(type, printed)):
        return {}
    lines = lines_of(source)
    return {ours.lineno: lines[theirs.lineno - 1] for theirs, ours in zip(reversed(nodes), reversed(printed))}


def _nodes(statements):
    return [node for statement in statements for node in ast.walk(statement) if hasattr(node, "lineno")]


def _without_guard(body):
    last = body[-1] if body else None
    if isinstance(last, ast.If) and ast.unparse(last.test) == "__name__ == '__main__'":
        return body[:-1] + last.body
    return body


def _printed(nodes):
    return "\n".join(map(ast.unparse, nodes))
