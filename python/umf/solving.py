"""solve(): search for the best answer to one problem."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from ._library import Call, lib, request
from .engine import Engine, Model, default_engine

ModelLike = Union[str, "os.PathLike[str]", Model]
Reward = Callable[[str], Any]
"""Judges an answer: a number from 0 to 1, (number, why), or None where it cannot judge this one."""


@dataclasses.dataclass(frozen=True)
class Solution:
    """The best answer that a search found, and what it cost."""

    answer: str | None
    """None where the search was stopped before its first answer."""
    reward: float | None
    """None where the answer could not be judged."""
    why: str
    complete: bool
    nfe: int
    """Forward passes spent."""
    stopped: str
    """budget, exhausted, reward or interrupted."""
    raw: dict[str, Any]
    """Everything that `umf solve --json` prints."""


def _names(models: ModelLike | Sequence[ModelLike] | Mapping[str, ModelLike] | None) -> tuple[list[str], Engine | None]:
    """The models as --model takes them, and the engine of those that are loaded."""
    if models is None:
        return [], None
    if isinstance(models, (str, os.PathLike, Model)):
        models = [models]
    named = models.items() if isinstance(models, Mapping) else [("", model) for model in models]
    texts, engines = [], []
    for name, model in named:
        if isinstance(model, Model):
            engines.append(model.engine)
            model = model.where
        texts.append(f"{name}={os.fspath(model)}" if name else os.fspath(model))
    if any(engine is not engines[0] for engine in engines):
        raise ValueError("the models of a search must be loaded on one engine")
    return texts, engines[0] if engines else None


def _problem(prompt: str | Mapping[str, Any], reward: Reward | Mapping[str, Any] | None) -> dict[str, Any]:
    problem = {"id": "problem", "prompt": prompt} if isinstance(prompt, str) else dict(prompt)
    if isinstance(reward, Mapping):
        problem["reward"] = dict(reward)
    elif reward is None and "reward" not in problem:
        raise TypeError("solve() needs a reward: a function, the object of a problem file, or a problem that has one")
    return problem


def solve(
    prompt: str | Mapping[str, Any],
    *,
    models: ModelLike | Sequence[ModelLike] | Mapping[str, ModelLike] | None = None,
    reward: Reward | Mapping[str, Any] | None = None,
    budget: int | None = None,
    search: str | None = None,
    actions: Sequence[str] | None = None,
    seed: int | None = None,
    on_rollout: Callable[[dict[str, Any]], Any] | None = None,
    on_progress: Callable[[int, int], Any] | None = None,
    engine: Engine | None = None,
    **options: Any,
) -> Solution:
    """Searches for the best answer to a problem: the same bytes as `umf solve` with the same options.

    prompt       what is asked, or the object of a problem file: {"id", "prompt", "reward", ...}
    models       WHERE, NAME=WHERE, loaded Models, a list of these (the strongest first) or a dict by name; the embedded
                 models without them
    reward       a function from an answer to a number from 0 to 1, to (number, why), or to None where it cannot judge;
                 or the "reward" object of a problem file, such as {"type": "python-tests", "tests": [...]}
    budget       forward passes to spend; 16 windows without it
    search       unmaskfork, odds, best-of-n, ...: describe()["searches"]
    actions      ways to unmask, as --action takes them: ["model=dream,temperature=0.5", ...]
    on_rollout   hears of each rollout, as `umf solve --trace` writes it, with the "text" of new ones
    on_progress  hears passes made and the budget, some twenty times a second
    options      the others of `umf solve`, '_' for '-': window, stop_at_reward, exploration, curve, checkpoint, ...

    Functions run on the thread that called solve(), one at a time, and each text is judged once. What they raise ends
    the search and arrives here; Ctrl-C does, too, within about a forward pass. on_rollout and on_progress may return
    False to stop the search: what was found until then is returned.

    >>> umf.solve("Write f(s): reverse it, and return it.", reward=lambda answer: "[::-1]" in answer).answer
    """
    texts, own = _names(models)
    if engine is not None and own is not None and engine is not own:
        raise ValueError("the models are loaded on another engine")
    used = engine or own or default_engine()
    asked = {"problem": _problem(prompt, reward), "model": texts or None, "action": list(actions) if actions else None,
             "budget": budget, "search": search, "seed": seed, **options}
    made = Call(reward if callable(reward) else None, on_rollout, on_progress)
    raw = made.run(lib.umf_solve, used.handle, request(asked))
    return Solution(raw["answer"], raw["reward"], raw["why"], raw["complete"], raw["search"]["nfe"],
                    raw["search"]["stopped"], raw)
