"""Ask and tell: the search alone, over a world that has nothing to do with text.

A walk of eight steps, each one north or east, in hilly country: who gets highest?
"""

import math

import umf

STEPS = 8


def height(place: tuple[int, int]) -> float:
    x, y = place
    return 0.5 + 0.5 * math.sin(1.7 * x + 0.3) * math.cos(1.1 * y - 0.2)


def walk(place: tuple[int, int], action: str, steps: int) -> list[tuple[int, int]]:
    places = []
    for _ in range(steps):
        x, y = place
        place = (x, y + 1) if action == "north" else (x + 1, y)
        places.append(place)
    return places


with umf.Search(actions=["north", "east"], steps=STEPS, root=(0, 0), budget=200) as search:
    while trials := search.ask_batch(4):  # these could be walked at the same time
        for trial in trials:
            places = walk(trial.state, trial.action, trial.steps)
            search.tell(trial, places, reward=height(places[-1]))
    best = search.best
    print(f"{best.reward:.3f} at {best.states[-1]} by {', '.join(best.actions)}")
    print({key: search.facts[key] for key in ("rollouts", "hits", "misses", "nfe", "stopped")})
