"""Are two expressions equal, by SymPy? The expressions come as plain data: nothing is evaluated from text."""


def run(payload, start, report):
    """{"a": tree, "b": tree} -> {"equal": bool} or {"unknown": why}. A tree is [kind, ...]; see build()."""
    import sympy

    try:
        difference = build(sympy, payload["a"]) - build(sympy, payload["b"])
        difference = sympy.simplify(difference.doit())
        verdict = difference.is_zero
        report({"equal": bool(verdict)} if verdict is not None else {"equal": False})
    except (ArithmeticError, AttributeError, LookupError, NotImplementedError, TypeError, ValueError,
            RecursionError) as problem:
        report({"unknown": f"{type(problem).__name__}: {problem}"[:200]})


FUNCTIONS = frozenset(
    "sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh coth asinh acosh atanh exp log Abs floor "
    "ceiling factorial binomial Mod Max Min conjugate".split())
CONSTANTS = {"pi": "pi", "E": "E", "I": "I", "oo": "oo", "-oo": "NegativeInfinity", "zoo": "zoo", "nan": "nan"}


def build(sympy, tree):
    """The SymPy object of one tree."""
    kind, *parts = tree
    if kind == "number":
        return sympy.Rational(int(parts[0]), int(parts[1]))
    if kind == "float":
        return sympy.Float(parts[0])
    if kind == "constant":
        return getattr(sympy.S, CONSTANTS[parts[0]], None) or getattr(sympy, CONSTANTS[parts[0]])
    if kind == "symbol":
        return sympy.Symbol(parts[0], real=True) if parts[1] else sympy.Symbol(parts[0])
    if kind == "function":
        if parts[0] not in FUNCTIONS:
            raise ValueError(f"no function {parts[0]}")
        return getattr(sympy, parts[0])(*(build(sympy, part) for part in parts[1]))
    if kind == "applied":
        return sympy.Function(parts[0])(*(build(sympy, part) for part in parts[1]))
    values = [build(sympy, part) for part in parts]
    if kind == "add":
        return sympy.Add(*values)
    if kind == "mul":
        return sympy.Mul(*values)
    if kind == "pow":
        return sympy.Pow(*values)
    if kind == "sum":
        return sympy.Sum(values[0], tuple(values[1:]))
    if kind == "product":
        return sympy.Product(values[0], tuple(values[1:]))
    if kind == "integral":
        return sympy.Integral(values[0], tuple(values[1:]) if len(values) > 2 else values[1])
    if kind == "limit":
        return sympy.Limit(*values)
    if kind == "derivative":
        return sympy.Derivative(*values)
    raise ValueError(f"no kind {kind}")
