"""A search judged by a Python function: shorter programs that are right are better."""

import umf

TESTS = {"abc": "cba", "": "", "Hello there": "ereht olleH"}


def reward(answer: str) -> tuple[float, str]:
    # An example may run what a small model writes; judge untrusted answers with {"type": "python-tests"}, which has a
    # sandbox.
    names: dict = {}
    try:
        exec(answer, names)  # pylint: disable=exec-used
        right = sum(names["f"](given) == wanted for given, wanted in TESTS.items())
    except Exception as failure:  # pylint: disable=broad-exception-caught
        return 0.0, f"{type(failure).__name__}: {failure}"
    if right < len(TESTS):
        return 0.5 * right / len(TESTS), f"{right} of {len(TESTS)} tests"
    return 0.5 + 0.5 / (1 + len(answer) / 100), f"right, {len(answer)} bytes"


found = umf.solve(
    "Write f(s): reverse it, and return it.",
    reward=reward,
    budget=256,
    window=48,
    stop_at_reward="never",
    on_rollout=lambda event: print(f"rollout {event['iteration']}: reward {event['reward']:.3f}, best {event['best']:.3f}"),
)
print(found.answer)
print(f"reward {found.reward:.3f} ({found.why}) for {found.nfe} forward passes")
