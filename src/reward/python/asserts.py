"""The tester of programs whose tests are Python code: MBPP's asserts, HumanEval's check()."""

import time

from umf.candidate import CandidateError, CellGone
from umf.names import Program
from umf.reporting import Tests, short
from umf.sanitise import prepare


def run(payload, start, report):
    """{"program", "before": what stands before it, "sanitise", "entry_point", "seconds", "setup", "own": code that
    the tester runs first, "expose": the names that are taken from the program or null for all that tests use,
    "tests": [{"name", "code"}]}: each test's code runs by itself after the program."""
    program = prepare(payload["program"], payload["sanitise"], payload["entry_point"])
    tests = Tests(report, (test["name"] for test in payload["tests"]))
    for test in payload["tests"]:
        judge(program, payload, test["code"], start, tests)


def judge(program, payload, code, start, tests):
    deadline = time.monotonic() + payload["seconds"]
    try:
        running = Program(start, payload["seconds"], source=payload["before"] + program, setup=payload["setup"],
                          guarded=True)
        names = {}
        exec(payload["own"], names)
        running.deadline = deadline
        names.update(running.stand_ins(payload["setup"] + "\n" + code, payload["expose"]))
        exec(payload["setup"], names)
        exec(code, names)
        running.candidate.close()
    except CandidateError as problem:
        return tests.failed(problem)
    except (CellGone, MemoryError):
        raise  # not the program's doing
    except AssertionError as problem:
        return tests.ended("wrong", _failed_assert(problem, code))
    except BaseException as problem:
        return tests.ended("error", f"{type(problem).__name__}: {short(problem)}")
    return tests.passed()


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
