"""A tester that judges nobody: what the canonical solution returns on every input, and how long it takes."""

import hashlib

from umf import wire
from umf.candidate import CandidateError
from umf.evalplus_compare import reference_value
from umf.evalplus_inputs import read_inputs

_SECONDS_PER_CALL = 120.0
_LONG_TEXT = 10_000  # characters; some tasks return megabytes of text for each of a thousand inputs


class LongText:
    """A text of which only length and digest are kept: enough to know it again."""

    def __init__(self, length, digest):
        self.length, self.digest = length, digest

    def __eq__(self, other):
        return isinstance(other, str) and len(other) == self.length and digest_of(other) == self.digest

    def __repr__(self):
        return f"a text of {self.length} characters"


def digest_of(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def packed(value):
    if type(value) is str and len(value) > _LONG_TEXT:
        return {"length": len(value), "sha256": digest_of(value)}
    return wire.encode(value).decode("ascii")


def unpacked(content):
    if isinstance(content, dict):
        return LongText(content["length"], content["sha256"])
    return wire.decode(content.encode("ascii"))


def run(payload, start, report):
    """{"task_id", "entry_point", "source", "inputs": JSON text} -> {"value": packed, "seconds"} per input"""
    task_id, entry_point = payload["task_id"], payload["entry_point"]
    try:
        candidate = start("evalplus_guest", seconds=60.0, source=payload["source"], entry_point=entry_point)
    except CandidateError as problem:
        return report({"failed": f"the canonical solution does not load: {problem.message}"})
    for number, args in enumerate(read_inputs(task_id, payload["inputs"]), 1):
        try:
            _, value, seconds = candidate.ask({"args": args, "seconds": None}, seconds=_SECONDS_PER_CALL)
            value = packed(reference_value(task_id, entry_point, value))
        except CandidateError as problem:
            return report({"failed": f"the canonical solution fails on input {number}: {problem.message}"})
        except wire.WireError as problem:
            return report({"failed": f"the canonical solution's value for input {number}: {problem}"})
        report({"value": value, "seconds": seconds})
    return None
