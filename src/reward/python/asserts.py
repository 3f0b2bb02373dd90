"""The tester of programs whose tests are Python code: MBPP's asserts, HumanEval's check()."""

from umf.names import Program
from umf.own_time import TooLong, passing, working
from umf.reporting import PASSED, BadTest, Tests, short
from umf.sanitise import prepare

_OWN_SECONDS = 10.0  # for code that comes with the tests


def run(payload, start, report):
    """{"program", "before": what stands before it, "sanitise", "entry_point", "seconds", "setup", "own": code that
    the tester runs first, "expose": the names that are taken from the program or null for all that tests use,
    "every_test", "tests": [{"name", "code"}]}: each test's code runs by itself after the program. With "check" in place
    of "program" the tests alone are looked at."""
    try:
        check(payload)
    except BadTest as problem:
        return report({"failed": str(problem)})
    if payload.get("check"):
        return report({"tests": []})
    program = prepare(payload["program"], payload["sanitise"], payload["entry_point"])
    names = (test["name"] for test in payload["tests"])
    tests = Tests(report, names, payload["seconds"], payload.get("every_test", False))
    for test in payload["tests"]:
        tests.judge(lambda: judge(program, payload, test["code"], start))
    return None


def check(payload):
    """That the tests can be run, as far as that is no program's doing. Setups may need the program, so none runs here."""
    for name, code in (("setup", payload["setup"]), *((test["name"], test["code"]) for test in payload["tests"])):
        try:
            compile(code, "<string>", "exec")
        except (SyntaxError, ValueError, RecursionError) as problem:
            raise BadTest(f"{name} cannot be run: it is not Python: {problem}") from None
    try:
        with working(_OWN_SECONDS), passing(_OWN_SECONDS):
            own_names(payload["own"])
    except (Exception, SystemExit, TooLong) as problem:
        raise BadTest(f"the code before the tests raises {type(problem).__name__}: {short(str(problem))}") from None


def judge(program, payload, code, start):
    running = Program(start, payload["seconds"], source=payload["before"] + program, setup=payload["setup"],
                      guarded=True)
    names = own_names(payload["own"])
    names.update(running.stand_ins(payload["setup"] + "\n" + code, payload["expose"]))
    try:
        exec(payload["setup"], names)
        exec(code, names)
    except AssertionError as problem:
        return "wrong", _failed_assert(problem, code)
    finally:
        running.candidate.close()
    return PASSED


def own_names(code):
    """A prompt may end with a bare signature; then it needs a body to be code."""
    names = {}
    try:
        exec(code, names)
    except SyntaxError:
        exec(code + "\n    pass\n", names)
    return names


def _failed_assert(problem, code):
    """The text of the assert that did not hold, as far as the traceback tells."""
    line, trace = None, problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<string>":
            line = trace.tb_lineno
        trace = trace.tb_next
    lines = code.split("\n")
    text = lines[line - 1].strip() if line is not None and line <= len(lines) else code.strip()
    return f"{short(text)} does not hold"
