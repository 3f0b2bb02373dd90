"""The sandbox's own tester: asks what it is told to ask and reports what came back. For tests and `umf doctor`."""

from umf.candidate import CandidateError


def run(payload, start, report):
    """{"programs": [{"source", "calls": [{"call", "args", "seconds"}]}], "secret": any}"""
    for program in payload["programs"]:
        report(run_program(program, start))


def run_program(program, start):
    answers = []
    try:
        candidate = start("functions", seconds=program.get("seconds", 4.0), source=program["source"])
    except CandidateError as problem:
        return {"outcome": problem.outcome, "message": problem.message, "answers": answers}
    for call in program.get("calls", []):
        try:
            value = candidate.ask(call, seconds=call.get("seconds", 4.0))
            answers.append({"outcome": "value", "value": repr(value)[:2000]})
        except CandidateError as problem:
            answers.append({"outcome": problem.outcome, "message": problem.message, "alive": candidate.alive})
    candidate.close()
    return {"outcome": "loaded", "answers": answers}
