"""Which operations a model practises: the skew that makes each of the three an expert of its own.

A mixture gives each group of operations a weight; at every step of a training program a group is drawn
by weight among those that fit the value at hand. The rare weights are what a model sees of the others'
expertise. EXAM is the mixture of the dev and test problems, where all groups are common.
"""

EXAM = {"groups": {"maps": 3.0, "structure": 3.0, "text": 2.0, "common": 2.5, "aggregates": 0.4},
        "domains": {"list": 6.0, "string": 2.0, "number": 1.5}}

EXPERTISE = {"dream": "maps", "llada": "structure", "diffcoder": "text"}


def skewed(model, rare):
    """Practice of the model's own group and of what all share; of the rest, `rare`."""
    groups = {"maps": rare, "structure": rare, "text": rare, "common": 3.0, "aggregates": 0.4}
    groups[EXPERTISE[model]] = 6.0
    if model == "diffcoder":
        domains = {"list": 2.0, "string": 4.0, "number": 4.0}
    else:  # a model that hardly practises single numbers hardly ever starts from one
        domains = {"list": 6.0, "string": 2.0, "number": 1.5 * min(rare, 1.0)}
    return {"groups": groups, "domains": domains}


def mixture_set(rare, third=None):
    """Mixtures of the three models; `third` is the rare weight of the block-causal one."""
    return {"dream": skewed("dream", rare), "llada": skewed("llada", rare),
            "diffcoder": skewed("diffcoder", rare if third is None else third)}


SETS = {
    "sharp": mixture_set(0.004),
    "medium": mixture_set(0.03),
    "mild": mixture_set(0.15),
    "versatile": mixture_set(0.03, third=0.5),
}
