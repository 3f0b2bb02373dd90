"""The searches of a run once more with paths kept apart: as in the simulation of the paper's setting no two of them meet
in a state, so that the only hits are nodes that go on with the action that led to them. Rewards are those of the run."""

import itertools
import json
import subprocess

from configurations import WINDOW

LEVELS = 8  # actions of a full sequence: seven checkpoints and the end


def rewards_by_path(trace, actions):
    """{sequence of actions: reward} of all sequences whose end a trace tells."""
    known = {}  # (state, action) -> (next state, reward)
    for line in map(json.loads, trace):
        known[line["from"], line["action"]] = line["child"], line["reward"]
    rewards = {}
    for sequence in itertools.product(range(actions), repeat=LEVELS):
        last = LEVELS - 1  # where the final action begins
        while last > 0 and sequence[last - 1] == sequence[-1]:
            last -= 1
        state = 0
        for action in sequence[:last]:
            state, _ = known.get((state, action), (None, None))
        if (state, sequence[-1]) in known:
            rewards["".join(map(str, sequence))] = known[state, sequence[-1]][1]
    return rewards


def search_apart(umf, rewards, actions, budget):
    """What `umf simulate` tells of a search on these rewards. Raises where it wants one that is not among them."""
    command = [umf, "simulate", "--actions", str(actions), "--window", str(WINDOW), "--budget", str(budget), "--rewards", "-"]
    told = json.loads(subprocess.run(command, input=json.dumps(rewards), check=True, capture_output=True, text=True).stdout)
    for step in told["order"]:
        path, action = step.lstrip("*").split(">")
        if (path.strip("-") + action).ljust(LEVELS, action) not in rewards:
            raise ValueError(f"the trace does not tell what {step} is worth")
    return told
