"""The tester's side of process_guest: what runs of a program as a process of its own came to."""

import os

from umf.candidate import CandidateError
from umf.process_guest import LINE_MARK
from umf.reporting import improper_answer

_EXTRA_SECONDS = 1.0  # the guest keeps the time itself: it sees what its child uses
_MOST_LINES = 8


def output_of(process, text, seconds):
    """What one run of the program prints, given `text`. `process` is a candidate with process_guest."""
    allowance = process.outer_allowance(seconds, _EXTRA_SECONDS)
    answer = process.ask({"stdin": text, "seconds": seconds}, seconds=allowance)
    if answer == ["timeout"]:
        process.close()  # with all that the program may have started
        raise CandidateError("timeout", f"no result after {seconds:g} seconds")
    if not (isinstance(answer, list) and list(map(type, answer)) == [int, bytes, bytes]):
        raise improper_answer()
    status, out, stderr = answer
    if status != 0:
        raise _ended_badly(process, status, stderr)
    return out.decode("utf-8", "replace")


def _ended_badly(process, status, stderr):
    if os.WIFSIGNALED(status):
        return process.death(status)
    *before, text = stderr.decode("utf-8", "replace").strip("\n").split("\n")
    lines = [line[len(LINE_MARK):] for line in before[-_MOST_LINES:] if line.startswith(LINE_MARK)]
    outcome = "memory" if text.startswith("MemoryError") else "error"
    return CandidateError(outcome, f"ended with status {os.WEXITSTATUS(status)}: {text.strip()}", lines)
