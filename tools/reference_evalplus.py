#!/usr/bin/python3
"""Plain verdicts on EvalPlus samples, for holding `umf grade` to: no sandbox, no shared code.

    reference_evalplus.py DATASET.jsonl[.gz] SAMPLES.jsonl > verdicts.jsonl
    reference_evalplus.py --canonical DATASET > samples.jsonl
    reference_evalplus.py --broken DATASET > samples.jsonl    every canonical solution, changed in one place
    reference_evalplus.py --compare verdicts.jsonl UMF        with what `umf grade --details` printed

Runs programs as this user: only for programs that are known to be harmless, such as the ones it makes itself.
One line {"id","passed","base","plus"} per sample; base and plus say of each input whether it passed.
"""

import ast
import copy
import gzip
import json
import math
import multiprocessing
import signal
import sys
import time

import numpy

SECONDS = 63.0  # for one run over all inputs
SET_ORDER = {2, 7, 111, 140, 232, 579, 769}
WAS_NOT_NONE = {737, 787, 794}


def records(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        return [json.loads(line) for line in file if line.strip()]


# Inputs


def typed(task, args):
    """The types that JSON took away, task by task."""
    number = int(task.split("/")[1]) if task.startswith("Mbpp/") else -1

    def tup(value):
        return tuple(value)

    def deep(value):
        return tuple(deep(part) for part in value) if isinstance(value, list) else value

    if number in (2, 116, 132, 222, 261, 273, 394, 421, 424, 429, 470, 560, 579, 596, 616, 630, 726, 740, 744, 809):
        return [tup(arg) for arg in args]
    if number in (63, 64, 70, 94, 120, 237, 272, 299, 409, 473, 614, 780):
        return [[tup(part) for part in arg] for arg in args]
    if number in (75, 413, 753):
        return [[tup(part) for part in args[0]], args[1]]
    if number in (106, 750):
        return [args[0], tup(args[1])]
    if number in (250, 405, 446, 720, 763, 808):
        return [tup(args[0]), args[1]]
    if number in (259, 445):
        return [tup(tup(part) for part in arg) for arg in args]
    if number == 278:
        return [tup(tup(part) if isinstance(part, list) else part for part in args[0])]
    if number == 722:
        return [{key: tup(value) for key, value in args[0].items()}] + args[1:]
    if number in (580, 615, 791):
        return deep(args)
    if number == 124:
        return [float(args[0]), complex(args[1])]
    if number == 252:
        return [complex(args[0])]
    return args


# Judging


class Expired(Exception):
    pass


def expire(*_):
    raise Expired()


def call(function, args, seconds):
    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return function(*args)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def is_right(record, args, out, want, tolerance):
    """(verdict, tolerance from here on)"""
    task, number = record["task_id"], int(record["task_id"].split("/")[1])
    mbpp = task.startswith("Mbpp/")
    if task == "HumanEval/32":
        return abs(sum(c * math.pow(out, i) for i, c in enumerate(args[0]))) <= tolerance, tolerance
    equal = out == want
    if mbpp and number in SET_ORDER:
        equal = set(out) == set(want)
    if mbpp and number in WAS_NOT_NONE:
        equal = out == want if isinstance(out, bool) else want == (out is not None)
    if task == "Mbpp/581":
        b, h = args
        equal = equal or abs(out - round(b**2 + 2 * b * math.sqrt((b / 2) ** 2 + h**2))) <= tolerance
    if task == "Mbpp/558":
        a, b = map(str, args)
        width = max(len(a), len(b))
        equal = equal or out == sum(abs(int(x) - int(y)) for x, y in zip(a.rjust(width, "0"), b.rjust(width, "0")))
    floats = isinstance(want, float) or (
        isinstance(want, (list, tuple)) and len(want) > 0 and all(isinstance(v, float) for v in want)
    )
    if tolerance == 0 and floats:
        tolerance = 1e-6
    if equal or tolerance == 0:
        return bool(equal), tolerance
    if type(out) != type(want) or (isinstance(want, (list, tuple)) and len(out) != len(want)):
        return False, tolerance
    return bool(numpy.allclose(out, want, rtol=1e-07, atol=tolerance)), tolerance


def reference_values(record, inputs):
    names = {}
    exec(record["prompt"] + record["canonical_solution"], names)
    values = []
    for args in inputs:
        value = names[record["entry_point"]](*copy.deepcopy(args))
        if record["task_id"] in ("Mbpp/737", "Mbpp/787", "Mbpp/794"):
            value = value is not None
        values.append(value)
    return values


def judge_list(record, program, inputs):
    wanted = reference_values(record, copy.deepcopy(inputs))
    verdicts, tolerance = [], record["atol"]
    try:
        names = {}
        exec(program, names)
        function = names[record["entry_point"]]
    except BaseException:
        return [False] * len(inputs)
    deadline = time.monotonic() + SECONDS
    for args, want in zip(inputs, wanted):
        if time.monotonic() > deadline:
            verdicts.append(False)
            continue
        try:
            out = call(function, args, 4.0)
            right, tolerance = is_right(record, args, out, want, tolerance)
        except BaseException:
            right = False
        verdicts.append(right)
    return verdicts


def judge(pair):
    record, program = pair
    sys.stdout = sys.stderr = sys.stdin = open("/dev/null", "r+")
    result = {"id": record["task_id"]}
    for name in ("base", "plus"):
        inputs = [typed(record["task_id"], args) for args in record[f"{name}_input"]]
        result[name] = "".join("1" if right else "0" for right in judge_list(record, program, inputs))
    result["passed"] = "0" not in result["base"] + result["plus"]
    return result


# Samples


class Breaker(ast.NodeTransformer):
    """Changes the n-th place that can be changed: a comparison, an operator, a number or a truth value."""

    COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
                   ast.In: ast.NotIn, ast.NotIn: ast.In}
    OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult}

    def __init__(self, place):
        self.left = place

    def visit_While(self, node):
        return node  # a loop that never ends would make the comparison one of time limits

    def change(self, possible):
        if possible:
            self.left -= 1
        return possible and self.left == -1

    def visit_Compare(self, node):
        self.generic_visit(node)
        if self.change(type(node.ops[0]) in self.COMPARISONS):
            node.ops[0] = self.COMPARISONS[type(node.ops[0])]()
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if self.change(type(node.op) in self.OPERATORS):
            node.op = self.OPERATORS[type(node.op)]()
        return node

    def visit_Constant(self, node):
        if self.change(type(node.value) in (bool, int)):
            return ast.copy_location(ast.Constant(not node.value if type(node.value) is bool else node.value + 1), node)
        return node

    def visit_Return(self, node):
        self.generic_visit(node)
        if node.value is not None and self.change(True):
            node.value = ast.copy_location(ast.List([node.value], ast.Load()), node.value)
        return node


def broken(record):
    """Deterministic: the place is the task's number, counted round."""
    source = record["prompt"] + record["canonical_solution"]
    counter = Breaker(10**9)
    counter.visit(ast.parse(source))
    places = 10**9 - counter.left
    tree = Breaker(int(record["task_id"].split("/")[1]) % places).visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree))


def compare(ours, umf):
    """Every input of every sample; exit status 1 where a verdict differs."""
    references, differing, inputs = records(ours), 0, 0
    graded = [line for line in records(umf) if "summary" not in line]
    if len(graded) != len(references):
        print(f"{len(references)} plain verdicts, {len(graded)} of umf")
        return 1
    for reference, line in zip(references, graded):
        bits = {"base": "", "plus": ""}
        for test in line["tests"]:
            bits[test["name"].split()[0]] += "1" if test["outcome"] == "pass" else "0"
        inputs += len(reference["base"]) + len(reference["plus"])
        if (bits["base"], bits["plus"]) != (reference["base"], reference["plus"]):
            differing += 1
            places = [f"{name} {i + 1}" for name in bits for i, (a, b) in enumerate(zip(bits[name], reference[name])) if a != b]
            print(f"{reference['id']}: {len(places)} inputs differ, first {places[:3]}; umf says: {line['why'][:200]}")
    failing = sum(not reference["passed"] for reference in references)
    print(f"{len(references)} samples ({failing} wrong), {inputs} inputs, {differing} samples judged differently")
    return 1 if differing else 0


def main(arguments):
    if arguments[0] == "--compare":
        sys.exit(compare(arguments[1], arguments[2]))
    if arguments[0] in ("--canonical", "--broken"):
        for record in records(arguments[1]):
            program = record["prompt"] + record["canonical_solution"] if arguments[0] == "--canonical" else broken(record)
            print(json.dumps({"task_id": record["task_id"], "solution": program}))
        return
    by_id = {record["task_id"]: record for record in records(arguments[0])}
    pairs = [(by_id[sample["task_id"]], sample["solution"]) for sample in records(arguments[1])]
    with multiprocessing.Pool(2, maxtasksperchild=1) as pool:
        for result in pool.imap(judge, pairs, chunksize=1):
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
