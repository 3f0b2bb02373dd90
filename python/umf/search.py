"""Search: ask for trials and tell what came of them, over a world of one's own."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import threading
from collections.abc import Hashable, Sequence
from typing import Any

from ._library import call, lib, request


@dataclasses.dataclass(frozen=True)
class Trial:
    """Start at a state and stay with one action until the end."""

    state: Hashable
    action: Hashable
    draw: int
    """0: what state and action determine. Otherwise a fresh sample, by number."""
    steps: int = dataclasses.field(compare=False)
    """Left at the state."""
    limit: int = dataclasses.field(compare=False)
    """So many may be made; fewer than steps where a budget cuts the walk."""
    certain: bool = dataclasses.field(compare=False)
    """The search asks for it, whatever comes of the trials before it."""


@dataclasses.dataclass(frozen=True)
class Best:
    """The best end that was told."""

    reward: float | None
    states: list[Any]
    """After each step from the root; the end is the last."""
    actions: list[Any]
    """That lead there, one for each step."""
    why: str


class Search:
    """A tree search over a world of one's own: texts of an API, molecules, moves of a game.

    An answer comes about in `steps` steps. A trial begins in a state, makes the steps that are left with one action, and
    is told with the states after each step and the reward of the last. The search branches where trials passed.

    >>> search = umf.Search(actions=["careful", "bold"], steps=4, root="")
    >>> while trial := search.ask():
    ...     states = walk(trial.state, trial.action, trial.steps)
    ...     search.tell(trial, states, reward=judge(states[-1]))
    >>> search.best.states[-1]

    actions         how many, or what they are; the strongest first
    steps           from the root to an end; each costs 1 of the budget
    root            the state where everything begins
    budget          steps in all; without one the search goes on until every trial is made or you stop asking
    search          unmaskfork, dts, best-of-n, ab-mcts-a, ...: describe()["searches"]
    stop_at_reward  ends the search at this reward
    options         others of the search, as `umf solve` has them: exploration, ...

    States are hashable values; equal states are the same state, and must have equally many steps left. May be used by
    several threads. The results do not depend on how many trials are asked for at once or in which order they are told.
    """

    def __init__(
        self,
        actions: int | Sequence[Hashable],
        steps: int,
        *,
        root: Hashable = "",
        search: str = "unmaskfork",
        budget: int | None = None,
        seed: int = 0,
        stop_at_reward: float | None = None,
        **options: Any,
    ):
        self._handle: ctypes.c_void_p | None = None
        self._actions: list[Any] = list(range(actions)) if isinstance(actions, int) else list(actions)
        self._numbers: dict[Any, int] = {action: number for number, action in enumerate(self._actions)}
        if len(self._numbers) != len(self._actions):
            raise ValueError("two actions are equal")
        self._states: list[Any] = [root]
        self._ids: dict[Any, int] = {root: 0}
        self._lock = threading.Lock()
        handle = ctypes.c_void_p()
        asked = {"actions": len(self._actions), "steps": steps, "search": search, "budget": budget, "seed": seed,
                 "stop_at_reward": stop_at_reward, **options}
        call(lib.umf_search_open, request(asked), ctypes.byref(handle))
        self._handle = handle

    def close(self) -> None:
        """Ends the search; nothing can be asked of it afterwards."""
        if getattr(self, "_handle", None) is not None and lib is not None:
            lib.umf_search_close(self._handle)
            self._handle = None

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _open(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise ValueError("the search is closed")
        return self._handle

    def ask(self) -> Trial | None:
        """What to try next; None when the search has ended. Asking again before telling gives the same."""
        trials = self.ask_batch(1)
        return trials[0] if trials else None

    def ask_batch(self, at_most: int) -> list[Trial]:
        """Trials that can be made at the same time: what the search waits for, then what it will probably ask for next.

        What is told of the latter is kept until the search comes to them; it may never do so. Those that were not told
        yet are given again. Empty when the search has ended.
        """
        listed = call(lib.umf_search_ask, self._open(), at_most)
        return [Trial(self._states[one["from"]], self._actions[one["action"]], one["draw"], one["steps"], one["limit"],
                      one["certain"]) for one in listed]

    def tell(self, trial: Trial, states: Sequence[Hashable], reward: float | None, why: str = "") -> None:
        """The states after each step of a trial and the reward of the last: from 0 to 1, None where it cannot be judged.

        No states: the action cannot be applied to the trial's state. Trials may be told in any order.
        """
        with self._lock:
            numbers = [self._ids.setdefault(state, len(self._ids)) for state in states]
            for state in states:
                if self._ids[state] == len(self._states):
                    self._states.append(state)
            told = {"from": self._ids[trial.state], "action": self._numbers[trial.action], "draw": trial.draw,
                    "states": numbers, "why": why,
                    "reward": None if reward is None or math.isnan(reward) else float(reward)}
        call(lib.umf_search_tell, self._open(), json.dumps(told, allow_nan=False).encode())

    @property
    def facts(self) -> dict[str, Any]:
        """What it took so far: ended, stopped, reward, why, nfe (steps), rollouts, hits, misses."""
        facts = self._result()
        del facts["best"]
        return facts

    def _result(self) -> dict[str, Any]:
        return call(lib.umf_search_result, self._open())

    @property
    def best(self) -> Best | None:
        """The best end so far; None before the first was told."""
        facts = self._result()
        if facts["best"] is None:
            return None
        return Best(facts["reward"], [self._states[state] for state in facts["best"]["states"]],
                    [self._actions[action] for action in facts["best"]["actions"]], facts["why"])
