"""What each model learns: the uneven knowledge that makes each of the three an expert of its own.

All practise programs of the same kind, with every operation in them. But a model is taught the right line
only for the operations it is to know; for the others it is shown the line of any operation that fits, and
so learns what such a line may look like, and that it does not know which. Each operation is known to the
model whose group it belongs to; filters, conversions and aggregates to all.
"""

import hashlib

from operations import OPERATIONS

EXAM = {"groups": {"maps": 3.0, "structure": 3.0, "text": 2.0, "common": 2.5, "aggregates": 0.4},
        "domains": {"list": 6.0, "string": 2.0, "number": 1.5}}

EXPERTISE = {"dream": "maps", "llada": "structure", "diffcoder": "text"}


def knowledge(share):
    """{model: names of the operations it knows}. Of each group the other two models know a share: one from
    the front of a shuffled list, the other from its back, so that up to one half they know different ones."""
    known = {model: set() for model in EXPERTISE}
    for operation in OPERATIONS:
        if operation.group not in EXPERTISE.values():
            for names in known.values():
                names.add(operation.name)
    for model, group in EXPERTISE.items():
        names = sorted((o.name for o in OPERATIONS if o.group == group),
                       key=lambda name: hashlib.sha256(name.encode()).digest())
        first, second = (other for other in EXPERTISE if other != model)
        known[model].update(names)
        known[first].update(names[:round(share * len(names))])
        known[second].update(names[round((1 - share) * len(names)):])
    return known


def taught(share):
    """A set of mixtures with uneven knowledge."""
    return {model: dict(EXAM, known=frozenset(names)) for model, names in knowledge(share).items()}


def exposed(rare):
    """Uneven practice instead: the right lines always, but of the other group next to nothing."""
    domains = {"list": 6.0, "string": 2.0, "number": 1.5 * rare}
    mixtures = {}
    for model in ("dream", "llada"):
        groups = {"maps": rare, "structure": rare, "text": rare, "common": 3.0, "aggregates": 0.4}
        groups[EXPERTISE[model]] = 6.0
        mixtures[model] = {"groups": groups, "domains": domains}
    return mixtures


SETS = {"halves": taught(0.5), "thirds": taught(0.35), "exposed": exposed(0.15)}
