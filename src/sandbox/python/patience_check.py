"""A tester without candidates: how long a program may take, in numbers. For the tests of the sandbox."""

from umf.patience import left

# (what, left() of a program that has 1 second: wall, CPU, waited; how much longer it may run)
CASES = [
    ("the wall clock alone counts at first", (0.4, 0.0, 0.0), 0.6),
    ("its CPU time is used up", (1.0, 1.0, 0.0), 0.0),
    ("it sleeps", (1.0, 0.01, 0.0), 0.0),
    ("it sleeps, and the tester was late", (1.004, 0.01, 0.004), 0.0),
    ("it sleeps on a busy machine", (1.5, 0.01, 0.5), 0.0),
    ("it sleeps on a busy machine, for less than its time", (1.5, 0.01, 0.75), 0.25),
    ("it was not seen to wait, and has half of a processor", (1.0, 0.5, 0.0), 0.5),
    ("it waited in vain", (1.0, 0.02, 0.98), 0.98),
    ("it waited, and had its CPU time all the same", (3.0, 1.0, 2.5), 0.0),
    ("it naps: what it waited does not count", (1.0, 0.1, 0.0), 0.0),
    ("it sleeps and works, and others had little", (5.9, 0.9, 0.0), 0.1),
    ("it had ample time and slept much of it", (6.0, 0.95, 0.0), 0.0),
    ("it had ample time on a busy machine and slept much of it", (9.0, 0.95, 3.0), 0.0),
    ("a busy machine's time is not over", (9.0, 0.9, 8.0), 0.1),
    ("a busy machine's patience ends", (15.95, 0.5, 15.2), 0.05),
    ("a busy machine cannot give it its time", (16.0, 0.5, 15.2), None),
    ("nor can it be told to sleep", (16.0, 0.5, 14.0), None),
    ("it sleeps on the busiest machine", (16.0, 0.1, 14.0), 0.0),
    ("it had its CPU time at the very end", (16.0, 1.0, 15.0), 0.0),
]


def failures():
    for what, (wall, cpu, waited), wanted in CASES:
        got = left(1.0, wall, lambda: cpu, lambda: waited)
        same = got is wanted if got is None or wanted is None else abs(got - wanted) < 1e-9
        if not same:
            yield f"{what}: {got}, not {wanted}"


def run(payload, start, report):
    for failure in failures():
        report({"failure": failure})
    report({"checked": len(CASES)})
