"""A model as lm-eval (the language model evaluation harness) uses one. Needs NumPy.

lm-eval itself is not needed: where it is installed, the class is one of its LMs.

    lm_eval.simple_evaluate(model=umf.lm_eval.MonteCarloLM("dream"), tasks=[...])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy

from .engine import Model, load

try:
    from lm_eval.api.model import LM as _LM
except ImportError:
    _LM = object


def _log_softmax(rows: numpy.ndarray) -> numpy.ndarray:
    rows = rows.astype(numpy.float64)
    rows -= rows.max(axis=-1, keepdims=True)
    return rows - numpy.log(numpy.exp(rows).sum(axis=-1, keepdims=True))


def monte_carlo_loglikelihood(
    model: Model, context: Sequence[int], continuation: Sequence[int], *, samples: int = 128, seed: int = 0
) -> float:
    """An estimate of log p(continuation | context), in nats.

    A masked diffusion model has no exact one to give. What is estimated is the usual lower bound: mask k of the L tokens,
    k uniform from 1 to L, take the log probabilities of the masked ones and weigh them by L / k (LLaDA's appendix). It is
    unbiased for that bound, has the variance of its samples, and costs a forward pass for each. The same seed draws the
    same masks, whatever was estimated before.
    """
    length = len(continuation)
    if length == 0:
        return 0.0
    tokens = numpy.array([*context, *continuation], dtype=numpy.int32)
    wanted = numpy.asarray(continuation)
    draws = numpy.random.Generator(numpy.random.Philox(seed))
    # As the reference does: the counts of a batch are spread evenly from a random start, which lowers the variance.
    start = draws.integers(length)
    total = 0.0
    for sample in range(samples):
        count = int((start + sample * length / samples) % length) + 1
        masked = numpy.sort(draws.permutation(length)[:count])
        noisy = tokens.copy()
        noisy[len(context) + masked] = model.info["mask"]
        logs = _log_softmax(model.logits(noisy, len(context) + masked))
        total += logs[numpy.arange(count), wanted[masked]].sum() * length / count
    return total / samples


def greedily_written(model: Model, context: Sequence[int], continuation: Sequence[int]) -> bool:
    """Whether the model, always committing the token it is surest of, writes this continuation."""
    length = len(continuation)
    tokens = numpy.array([*context, *[model.info["mask"]] * length], dtype=numpy.int32)
    open_cells = list(range(length))
    while open_cells:
        logs = _log_softmax(model.logits(tokens, [len(context) + cell for cell in open_cells]))
        choice = int(logs.max(axis=-1).argmax())
        cell, token = open_cells.pop(choice), int(logs[choice].argmax())
        if token != continuation[cell]:
            return False
        tokens[len(context) + cell] = token
    return True


class MonteCarloLM(_LM):  # type: ignore[misc, valid-type]
    """lm-eval's requests, answered by a masked diffusion model.

    model     a Model, or what load() takes
    samples   forward passes for each likelihood
    seed      of their masks
    length    tokens of an answer where a task does not say
    options   those of Model.generate() for every answer

    Likelihoods are the Monte Carlo estimates of monte_carlo_loglikelihood(): say so where you report them.
    """

    def __init__(
        self,
        model: Model | str | os.PathLike[str] | None = None,
        *,
        samples: int = 128,
        seed: int = 0,
        length: int | None = None,
        **options: Any,
    ):
        super().__init__()
        self.model = model if isinstance(model, Model) else load(model)
        self.samples, self.seed, self.length, self.options = samples, seed, length, options

    def generate_until(self, requests: Iterable[Any], disable_tqdm: bool = False) -> list[str]:
        """Each request's args are (context, {"until": [...], "max_gen_toks": N, ...})."""
        answers = []
        for request in requests:
            context, settings = request.args
            until = settings.get("until") or []
            written = self.model.generate(
                context, raw=True, length=settings.get("max_gen_toks", self.length), **self.options).answer
            for stop in [until] if isinstance(until, str) else until:
                written = written.split(stop)[0] if stop else written
            answers.append(written)
        return answers

    def loglikelihood(self, requests: Iterable[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """Each request's args are (context, continuation); gives (estimate, is it what the model writes?)."""
        return [self._loglikelihood(*request.args) for request in requests]

    def _loglikelihood(self, context: str, continuation: str) -> tuple[float, bool]:
        # As lm-eval does: a space at the context's end belongs to the continuation.
        spaces = len(context) - len(context.rstrip())
        if spaces > 0:
            continuation, context = context[-spaces:] + continuation, context[:-spaces]
        whole, before = self.model.encode(context + continuation), self.model.encode(context)
        after = whole[len(before):]
        estimate = monte_carlo_loglikelihood(self.model, before, after, samples=self.samples, seed=self.seed)
        return estimate, greedily_written(self.model, before, after)

    def loglikelihood_rolling(self, requests: Iterable[Any], disable_tqdm: bool = False) -> list[float]:
        """Each request's args are (text,): the estimate for the whole text."""
        return [
            monte_carlo_loglikelihood(self.model, [], self.model.encode(request.args[0]), samples=self.samples,
                                      seed=self.seed)
            for request in requests
        ]
