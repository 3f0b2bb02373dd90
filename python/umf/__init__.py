"""UnMaskFork from Python: masked diffusion language models, and searches with them at test time.

    import umf

    umf.load("dream").generate("Write f(s): reverse it, and return it.").answer
    umf.solve("Write f(s): reverse it, and return it.", reward=lambda answer: "[::-1]" in answer).answer

load      a model: .generate(), .logits(), .encode(), .decode()
solve     search for the best answer to a problem, judged by a function of yours
Search    ask for trials and tell what came of them, in a world of your own
Run       the results of `umf bench` as rows
grade     judge answers that exist already
Engine    a backend with options of its own; there is a default one
describe  what there is to choose from
umf.lm_eval  a model as lm-eval uses one

Options have the names of the command line, with '_' for '-'; results are the same bytes.
"""

from ._library import Error, lib
from .engine import Engine, Generation, Model, default_engine, describe, embedded_models, load
from .runs import Grades, Run, grade
from .search import Best, Search, Trial
from .solving import Solution, solve

__version__: str = lib.umf_version().decode()

__all__ = [
    "Best", "Engine", "Error", "Generation", "Grades", "Model", "Run", "Search", "Solution", "Trial",
    "default_engine", "describe", "embedded_models", "grade", "load", "solve",
]
