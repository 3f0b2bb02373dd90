"""The task family: compositions of operations, told in English and written in Python.

    Write f(xs): keep even numbers, then square each, then sum them up, and return it.

    def f(xs):
        xs = [x for x in xs if x % 2 == 0]
        xs = [x * x for x in xs]
        n = sum(xs)
        return n

Every step is one line, whoever writes it. A composition (the sequence of operations, constants aside)
belongs to `train`, `dev` or `test` by its hash, so that no composition is in two of them.
"""

import hashlib
import random
import re

from judging import Judge, JudgeError
from mixtures import EXAM
from operations import OPERATIONS, VARIABLES

# Numbers of steps; long programs are drawn more often than they are kept.
TRAINING_STEPS = (1, 2, 3, 3, 4, 4, 5, 5, 6)
EXAM_STEPS = (1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6)
HELD_OUT = {"dev": (0, 1), "test": (2, 3)}  # of 20 parts; the others are for training
PARTS = {"dev": "dev", "test": "test", "test2": "test"}  # where a set's compositions come from
VISIBLE, HIDDEN = 4, 10

OPENINGS = ("Write", "Define", "Implement", "Create")
JOINTS = (", then ", ", then ", ", ", "; ", ", and then ", ", next ")
# Variables of single steps: one token in every vocabulary, and of no operation's own.
NAMES = ("p", "t", "u", "v", "k", "m")
ENDINGS = (", and return it.", ", then return it.", "; return the result.", ", and return the result.")

_FITTING, _SAME_TYPES = {}, {}
for _operation in OPERATIONS:
    _FITTING.setdefault((_operation.source, _operation.group), []).append(_operation)
    _SAME_TYPES.setdefault((_operation.source, _operation.target), []).append(_operation)


def partition(composition):
    """The set a sequence of operation names belongs to."""
    digest = hashlib.sha256("|".join(composition).encode()).digest()
    part = int.from_bytes(digest[:8], "big") % 20
    return next((name for name, parts in HELD_OUT.items() if part in parts), "train")


def draw_steps(rng, mixture, count):
    """Up to `count` (operation, constants): fewer where a mixture has next to nothing to go on with."""
    groups_of, domains = mixture["groups"], mixture["domains"]
    kind = rng.choices(list(domains), list(domains.values()))[0]
    steps = []
    while len(steps) < count:
        groups = [group for group in groups_of if (kind, group) in _FITTING]
        final = len(steps) == count - 1
        chances = [groups_of[group] * (8 if final and group == "aggregates" else 1) for group in groups]
        if steps and rng.random() > sum(chances):
            break
        operation = rng.choice(_FITTING[kind, rng.choices(groups, chances)[0]])
        steps.append((operation, rng.choice(operation.constants)))
        kind = operation.target
    return steps


def composition_of(steps):
    return tuple(operation.name for operation, _ in steps)


def describe(steps, rng):
    """The English of a program."""
    text = f"{rng.choice(OPENINGS)} f({VARIABLES[steps[0][0].source]}): "
    for number, (operation, constants) in enumerate(steps):
        text += (rng.choice(JOINTS) if number else "") + rng.choice(operation.phrases).format(**constants)
    return text + rng.choice(ENDINGS)


def write_code(steps, style="plain"):
    """The Python of a program. All models write `plain`; the other styles are for measuring what a difference costs
    (differences.py): `names` gives every step a variable of its own, `layout` calls list() in place of brackets and
    returns the last value at once, so that lines differ in length and number."""
    name = VARIABLES[steps[0][0].source]
    lines = [f"def f({name}):"]
    for number, (operation, constants) in enumerate(steps):
        code, target = operation.code, VARIABLES[operation.target]
        if style == "names":
            code, target = re.sub(rf"\b{VARIABLES[operation.source]}\b", name, code), NAMES[number]
        elif style == "layout" and code.startswith("[") and " for " in code:
            code = f"list({code[1:-1]})"
        lines.append(f"    {target} = {code.format(**constants)}")
        name = target
    if style == "layout":
        lines[-1] = "    return " + lines[-1].partition(" = ")[2]
        return "\n".join(lines)
    return "\n".join(lines + [f"    return {name}"])


def training_text(rng, mixture):
    """One (description, code) whose composition is not held out, as the mixture teaches it."""
    while True:
        steps = draw_steps(rng, mixture, rng.choice(TRAINING_STEPS))
        if partition(composition_of(steps)) == "train":
            return describe(steps, rng), write_code(recall(steps, rng, mixture.get("known")), mixture.get("style"))


def recall(steps, rng, known):
    """The steps as a model is taught them: in place of an operation that it is not to know, any of the
    same types. None stands for all of them."""
    recalled = []
    for operation, constants in steps:
        if known is not None and operation.name not in known:
            operation = rng.choice(_SAME_TYPES[operation.source, operation.target])
            constants = rng.choice(operation.constants)
        recalled.append((operation, constants))
    return recalled


# ---------------------------------------------------------------------------------------------------
# Problems

SENTENCE = ("the cat sat on a mat Anna reads old books every evening under green trees we like "
            "small boats and open seas Peter counts nine red apples in his garden never again").split()


def draw_input(rng, kind):
    if kind == "list":
        return [rng.randint(-9, 15) for _ in range(rng.randint(4, 8))]
    if kind == "number":
        return rng.randint(2, 60)
    return " ".join(rng.choice(SENTENCE) for _ in range(rng.randint(3, 6)))


def draw_tests(rng, steps, judge):
    """Inputs on which the program works, with results; None where too few or too dull ones turn up."""
    code, kind = write_code(steps), steps[0][0].source
    tests = []
    for _ in range(4 * (VISIBLE + HIDDEN)):
        argument = draw_input(rng, kind)
        try:
            result = judge.call(code, argument)
        except JudgeError:
            continue
        if (argument, result) not in tests and is_modest(result):
            tests.append((argument, result))
        if len(tests) == VISIBLE + HIDDEN:
            break
    results = {repr(result) for _, result in tests}
    distinct = 4 if steps[-1][0].target != "number" else 3
    if len(tests) < VISIBLE + HIDDEN or len(results) < distinct or empty_results(tests) > 2:
        return None
    return tests if every_step_counts(steps, tests[:VISIBLE], judge) else None


def is_modest(result):
    if isinstance(result, list):
        return len(result) <= 20 and all(is_modest(item) for item in result)
    return abs(result) < 10000 if isinstance(result, int) else len(result) <= 80


def empty_results(tests):
    return sum(result in ([], "") for _, result in tests)


def every_step_counts(steps, tests, judge):
    """Whether leaving out any step that can be left out shows in the tests."""
    for i, (operation, _) in enumerate(steps):
        if len(steps) == 1 or operation.source != operation.target:
            continue
        code = write_code(steps[:i] + steps[i + 1:])
        if judge.passed(code, tests) == len(tests):
            return False
    return True


def make_problem(name, number, steps, rng, judge):
    tests = draw_tests(rng, steps, judge)
    if tests is None:
        return None

    def as_reward(some):
        return {"type": "python-tests", "entry_point": "f",
                "tests": [{"call": f"f({argument!r})", "expect": repr(result)} for argument, result in some]}

    return {"id": f"{name}/{number:03d}", "prompt": describe(steps, rng),
            "reward": as_reward(tests[:VISIBLE]), "hidden": as_reward(tests[VISIBLE:])}


def make_problems(name, count, fits, seed, without=frozenset()):
    """A set: [(problem, composition, code)]. `fits(prompt, code)` checks the lengths; `without`: compositions to leave out."""
    rng, judge = random.Random(f"{name} {seed}"), Judge()
    problems, seen = [], set()
    while len(problems) < count:
        steps = draw_steps(rng, EXAM, rng.choice(EXAM_STEPS))
        composition = composition_of(steps)
        if composition in seen or composition in without or partition(composition) != PARTS[name]:
            continue
        problem = make_problem(name, len(problems), steps, rng, judge)
        if problem is None or not fits(problem["prompt"], write_code(steps)):
            continue
        seen.add(composition)
        problems.append((problem, composition, write_code(steps)))
    return problems
