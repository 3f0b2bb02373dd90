"""From a text with code in it to a program, as EvalPlus and Dream's harness do it. Nothing is run."""

import ast
import bisect
import re

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")
_ANY_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_DREAM_LINES = 100
_NAME_FIELDS = ("id", "attr", "arg", "name", "asname", "rest")


def run(payload, start, report):
    """As a tester that judges nobody: {"program", "sanitise", "entry_point"} -> {"program"}"""
    report({"program": prepare(payload["program"], payload["sanitise"], payload["entry_point"])})


def prepare(text, how, entry_point):
    """`how` is "" (as it is), "evalplus" or "dream"."""
    if how == "evalplus":
        return sanitise(text, entry_point)
    if how == "dream":
        return sanitise_dream(text, entry_point)
    return text


def sanitise(text, entry_point):
    code = longest_parsing(_ESCAPES.sub("", text).split("\n"), shortest=2)
    kept = _reachable(code, entry_point, keep_first=True)
    return "\n".join(ast.get_source_segment(code, node) for node in kept) if kept else code


def sanitise_dream(text, entry_point):
    code = longest_parsing(text.split("\n")[:_DREAM_LINES], shortest=1)
    kept = _reachable(code, entry_point, keep_first=False)
    return "\n".join(map(ast.unparse, kept)) if kept else code


def parses(code):
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def longest_parsing(lines, shortest):
    """The lines i..j that parse and hold most lines that are not blank; ties go to the first i, then the first j.

    Trying them by falling count finds the winner first: usually at once, as most answers parse as a whole.
    """
    filled = [0]
    for line in lines:
        filled.append(filled[-1] + bool(line.strip()))
    # Nothing parses that begins with an indented line.
    begins = [i for i, line in enumerate(lines) if not (line.strip() and line[0] in " \t" and line.lstrip()[0] != "#")]
    for count in range(filled[-1], 0, -1):
        for i in begins:
            first = max(i + shortest, bisect.bisect_left(filled, filled[i] + count))
            last = bisect.bisect_right(filled, filled[i] + count)
            for j in range(first, min(last, len(filled))):
                code = "\n".join(lines[i:j])
                if parses(code):
                    return code
    return lines[0] if lines else ""


def _reachable(code, entry_point, keep_first):
    """Imports, then the definitions that the entry point needs; none where the code does not parse."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    imports, definitions = [], {}
    for node in tree.body:
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__"):
            imports.append(node)
            continue
        name = _defined_name(node)
        if name is None or (keep_first and name in definitions):
            continue
        definitions[name] = node
    needed, queue = {entry_point}, [entry_point]
    while queue:
        node = definitions.get(queue.pop())
        found = _identifiers(node) - needed if node is not None else set()
        needed |= found
        queue.extend(found)
    return imports + [node for name, node in definitions.items() if name in needed]


def _defined_name(node):
    if isinstance(node, ast.ClassDef):
        return None if node.decorator_list else node.name
    if isinstance(node, _ANY_FUNCTION):
        returns = any(isinstance(part, ast.Return) for part in ast.walk(node))
        return node.name if returns and not node.decorator_list else None
    if isinstance(node, ast.Assign):
        if isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
        # The reference takes the first bare name of the statement, be it on the right.
        return node.value.id if len(node.targets) == 1 and isinstance(node.value, ast.Name) else None
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def _identifiers(node):
    names = set()
    for part in ast.walk(node):
        for field in _NAME_FIELDS:
            name = getattr(part, field, None)
            if isinstance(name, str):
                names.update(name.split("."))
        if isinstance(part, (ast.Global, ast.Nonlocal)):
            names.update(part.names)
    return names
