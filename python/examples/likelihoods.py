"""Likelihoods as lm-eval asks for them: Monte Carlo estimates, because a masked model has no exact ones."""

from types import SimpleNamespace

from umf.lm_eval import MonteCarloLM

lm = MonteCarloLM("dream", samples=16)
prompt = "Write f(s): reverse it, and return it.\n"
requests = [SimpleNamespace(args=(prompt, program)) for program in
            ("def f(s):\n    return s[::-1]", "def f(s):\n    return banana banana")]
for (estimate, greedy), request in zip(lm.loglikelihood(requests), requests):
    print(f"{estimate:9.2f} nats, {'written' if greedy else 'not written'} greedily: {request.args[1]!r}")
