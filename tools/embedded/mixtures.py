"""What each model learns: the uneven knowledge that makes each of the three an expert of its own.

A mixture says what the training programs of a model are made of: at every step a group of operations is
drawn by weight among those that fit the value at hand. EXAM is the mixture of dev and test, where all
groups are common.
"""

import hashlib

from operations import OPERATIONS

EXAM = {"groups": {"maps": 3.0, "structure": 3.0, "text": 2.0, "common": 2.5, "aggregates": 0.4},
        "domains": {"list": 6.0, "string": 2.0, "number": 1.5}}

EXPERTISE = {"dream": "maps", "llada": "structure", "diffcoder": "text"}


def practice(model, rare):
    """Much of the model's own group and of what all share, but of the other groups next to nothing."""
    groups = {"maps": rare, "structure": rare, "text": rare, "common": 3.0, "aggregates": 0.4}
    groups[EXPERTISE[model]] = 6.0
    if model == "diffcoder":
        return {"groups": groups, "domains": {"list": 2.0, "string": 4.0, "number": 4.0}}
    # A model that hardly practises single numbers hardly ever starts from one.
    return {"groups": groups, "domains": {"list": 6.0, "string": 2.0, "number": 1.5 * rare}}


# What the shipped models see of the others' groups; the block-causal one learns most from little.
RARE = {"dream": 0.25, "llada": 0.15, "diffcoder": 0.024}


# ---------------------------------------------------------------------------------------------------
# Another way to be different, for comparison only


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
    """Even practice, but of the operations that a model is not to know it is shown the wrong lines: those of
    any operation of the same types. So it learns what such a line looks like, and not which it is."""
    return {model: dict(EXAM, known=frozenset(names)) for model, names in knowledge(share).items()}


SETS = {"exposed": {model: practice(model, rare) for model, rare in RARE.items()}, "halves": taught(0.5)}
