"""A tester that judges nobody: what the canonical solution returns on every input, and how long it takes."""

from umf import wire
from umf.candidate import CandidateError
from umf.evalplus_compare import grown_tolerance, reference_value
from umf.evalplus_inputs import read_inputs
from umf.large_values import from_plain, to_plain

_SECONDS_PER_CALL = 120.0


def unpacked(content):
    return from_plain(wire.decode(content.encode("ascii")))


def run(payload, start, report):
    """{"task_id", "entry_point", "source", "inputs": JSON text} -> {"value": packed, "seconds"} per input"""
    task_id, entry_point = payload["task_id"], payload["entry_point"]
    try:
        candidate = start("evalplus_guest", seconds=60.0, source=payload["source"], entry_point=entry_point)
    except CandidateError as problem:
        return report({"failed": f"the canonical solution does not load: {problem.message}"})
    tolerance = 0
    for number, args in enumerate(read_inputs(task_id, payload["inputs"]), 1):
        # Whether large values are near is not told by their digests.
        request = {"args": args, "seconds": None, "whole": "floats" if tolerance == 0 else "yes"}
        try:
            content, seconds = candidate.ask(request, seconds=_SECONDS_PER_CALL)
            value = reference_value(task_id, entry_point, from_plain(content))
            tolerance = grown_tolerance(tolerance, value)
            text = wire.encode(to_plain(value, "yes")).decode("ascii")
        except CandidateError as problem:
            return report({"failed": f"the canonical solution fails on input {number}: {problem.message}"})
        except wire.WireError as problem:
            return report({"failed": f"the canonical solution's value for input {number}: {problem}"})
        report({"value": text, "seconds": seconds})
    return None
