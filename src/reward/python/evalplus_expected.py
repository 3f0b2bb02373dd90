"""A tester that judges nobody: what the canonical solution returns on every input, and how long it takes."""

from umf import wire
from umf.candidate import CandidateError
from umf.evalplus_compare import reference_value
from umf.evalplus_inputs import read_inputs

_SECONDS_PER_CALL = 120.0


def run(payload, start, report):
    """{"task_id", "entry_point", "source", "inputs": JSON text} -> {"expected": wire text, "seconds": [...]}"""
    task_id, entry_point = payload["task_id"], payload["entry_point"]
    try:
        candidate = start("evalplus_guest", seconds=60.0, source=payload["source"], entry_point=entry_point)
    except CandidateError as problem:
        return report({"failed": f"the canonical solution does not load: {problem.message}"})
    expected, seconds = [], []
    for number, args in enumerate(read_inputs(task_id, payload["inputs"]), 1):
        try:
            _, value, spent = candidate.ask({"args": args, "seconds": None}, seconds=_SECONDS_PER_CALL)
        except CandidateError as problem:
            return report({"failed": f"the canonical solution fails on input {number}: {problem.message}"})
        expected.append(reference_value(task_id, entry_point, value))
        seconds.append(spent)
    return report({"expected": wire.encode(expected).decode("ascii"), "seconds": seconds})
