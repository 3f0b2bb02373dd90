"""The decoding cases: settings, and prompts on which every decision has a clear margin.

A prompt is drawn from a generator seeded by the case's name and the number of the attempt; the first
one that passes is taken. A case may ask for more, e.g. that end of text really occurs.
"""

import random

from reference_decode import DECODERS

# A decision this clear survives the rounding of any float32 engine (its logits differ by about 1e-5).
MIN_MARGIN = 1e-3
MIN_FILTER_MARGIN = 2e-5
MIN_ROUTE_MARGIN = 5e-5  # of scores that choose experts
MAX_ATTEMPTS = 20000

COMMON = {"dtype": "F32", "gen_length": 16, "steps": 16, "strategy": "low_confidence", "mask_allowed": False}
LLADA = dict(COMMON, loop="llada", block_length=16, logits_eos_inf=False, confidence_eos_eot_inf=False)
GROWN = dict(COMMON, loop="grown", gen_length=24, steps=24, block_length=8, eos_stop=None)
DREAM = dict(COMMON, loop="dream", strategy="entropy", schedule="reference", eps=1e-3, eos_penalty=0.0,
             top_p=1.0, top_k=0)
FILTERED = dict(DREAM, gen_length=12, steps=12)
P2 = dict(COMMON, loop="p2", strategy="maskgit_plus", top_p=1.0, top_k=0)
SDC = dict(COMMON, loop="sdc", block_length=4, threshold=None, eos_stop=None)


def decode_cases(checkpoints, tokenizer_size, eot):
    """Yields (case, trace) for every case, prompts chosen."""
    for name, size in tokenizer_size.items():
        if name == "tiny-prm":
            continue
        finder = Finder(checkpoints, name, size, eot)
        family = checkpoints.model(name).config.family
        yield from CASES[family](finder)


class Finder:
    """Finds prompts for the cases of one model."""

    def __init__(self, checkpoints, name, size, eot):
        self.checkpoints, self.name, self.size, self.eot = checkpoints, name, size, eot
        self.config = checkpoints.model(name).config

    def find(self, base, title, length, accept=None, **settings):
        """The case with the first prompt of `length` tokens that has clear margins and is accepted."""
        for attempt in range(MAX_ATTEMPTS):
            draw = random.Random(f"{self.name}/{title}/{attempt}")
            ids = [i for i in range(self.size) if i != self.config.mask]
            case = self.case(base, title, [draw.choice(ids) for _ in range(length)], settings)
            trace = self.run(case)
            if clear(trace) and (accept is None or accept(case, trace)):
                return case, trace
        raise RuntimeError(f"no prompt found for {self.name}/{title}")

    def same_prompt(self, found, title, **settings):
        """A variant of a case that was found, on its prompt: what the setting changes is visible."""
        case = self.case(found[0], title, found[0]["prompt"], settings)
        return case, self.run(case)

    def case(self, base, title, prompt, settings):
        case = {"name": f"{self.name}/{title}", "model": self.name}
        case.update({k: v for k, v in base.items() if k not in case}, prompt=prompt, **settings)
        case["never"] = [] if case["mask_allowed"] else [self.config.mask]
        case["last"] = []
        if case.get("logits_eos_inf"):
            case["never"].append(self.config.eos)
        if case.get("confidence_eos_eot_inf"):
            case["last"] = [self.config.eos, self.eot]
        return case

    def run(self, case):
        model = self.checkpoints.model(self.name, case["dtype"])
        model.route_margin = float("inf")
        trace = DECODERS[case["loop"]](model, case)
        trace.route_margin = model.route_margin
        return trace

    def changed_by(self, **settings):
        """Accepts a case if it goes another way, no less clearly, with these settings undone."""

        def accept(case, trace):
            other = self.same_prompt((case, trace), "other", **settings)[1]
            return clear(other) and other.passes != trace.passes

        return accept

    def pair(self, base, title, length, plain, **settings):
        """A case that its setting changes, and the same prompt with the setting undone."""
        found = self.find(base, title, length, self.changed_by(**plain), **settings)
        return [found, self.same_prompt(found, title + ", without", **plain)]


def clear(trace):
    return (trace.margin > MIN_MARGIN and trace.filter_margin > MIN_FILTER_MARGIN
            and trace.route_margin > MIN_ROUTE_MARGIN)


def llada_cases(f):
    """Blocks, quotas, scores, the mask token, and the end-of-text switches."""
    yield f.find(LLADA, "one block", 7)
    yield f.find(LLADA, "three blocks", 1, gen_length=24, steps=24, block_length=8)
    yield f.find(LLADA, "two per step", 5, steps=8, block_length=4)
    yield f.find(LLADA, "quotas 3 3 2 2", 8, gen_length=20, steps=8, block_length=10)
    yield f.find(LLADA, "more steps than masks", 4, gen_length=8, block_length=2)
    yield f.find(LLADA, "margin", 6, strategy="topk_margin", block_length=8)
    yield f.find(LLADA, "entropy", 6, strategy="entropy", block_length=8)
    yield f.find(LLADA, "bf16 weights", 9, dtype="BF16", block_length=8)
    yield from f.pair(LLADA, "mask token wins", 6, {"mask_allowed": False}, mask_allowed=True, block_length=8)
    yield from f.pair(LLADA, "logits_eos_inf", 6, {"logits_eos_inf": False}, logits_eos_inf=True)
    yield from f.pair(LLADA, "confidence_eos_eot_inf", 6, {"confidence_eos_eot_inf": False},
                      confidence_eos_eot_inf=True)
    yield f.find(LLADA, "both switches", 6, f.changed_by(logits_eos_inf=False), logits_eos_inf=True,
                 confidence_eos_eot_inf=True, block_length=8)


def dream_cases(f):
    """Three scores under both schedules, filters, penalty, the mask token."""
    for strategy in ["maskgit_plus", "topk_margin", "entropy"]:
        yield f.find(DREAM, f"{strategy}, 16 in 16", 6, strategy=strategy)
        yield f.find(DREAM, f"{strategy}, 16 in 4", 5, strategy=strategy, steps=4)
        yield f.find(DREAM, f"{strategy}, strict", 7, strategy=strategy, schedule="strict")
        yield f.find(FILTERED, f"{strategy}, top_p", 4, f.changed_by(top_p=1.0), strategy=strategy, top_p=0.6)
        yield f.find(FILTERED, f"{strategy}, top_k", 8, f.changed_by(top_k=0), strategy=strategy, top_k=5)
    yield f.find(FILTERED, "top_p and top_k", 6, top_p=0.7, top_k=12, schedule="strict")
    yield f.find(DREAM, "prompt of one token", 1, gen_length=20, steps=20)
    yield f.find(DREAM, "more steps than masks", 3, gen_length=12, steps=16)
    yield f.find(DREAM, "bf16 weights", 9, dtype="BF16")
    yield from f.pair(DREAM, "mask token wins", 6, {"mask_allowed": False}, mask_allowed=True)
    yield from f.pair(DREAM, "eos_penalty", 6, {"eos_penalty": 0.0}, eos_penalty=3.0)
    yield f.find(DREAM, "eos_penalty, strict", 6, f.changed_by(eos_penalty=0.0), eos_penalty=3.0,
                 schedule="strict", strategy="maskgit_plus")


def sdc_cases(f):
    """Every remainder of the prompt length, quotas, threshold, end of text."""
    eos = f.config.eos
    for length in [1, 3, 4, 5, 6, 7, 8]:
        yield f.find(SDC, f"prompt of {length}", length)
    yield f.find(SDC, "two per step", 6, steps=8)
    yield f.find(SDC, "four per step", 4, steps=4)
    yield f.find(SDC, "margin", 7, strategy="topk_margin")
    yield f.find(SDC, "entropy", 5, strategy="entropy")
    yield f.find(SDC, "bf16 weights", 10, dtype="BF16", gen_length=20, steps=20)
    yield f.find(SDC, "threshold", 5, f.changed_by(threshold=None), threshold=0.1)
    yield f.find(SDC, "threshold of the release", 6, threshold=0.95)
    yield from f.pair(SDC, "stop at eos", 6, {"eos_stop": None}, eos_stop=eos)
    early = lambda case, trace: eos in trace.new_cells[:2] and len(trace.new_cells) == 2
    yield f.find(SDC, "stop in the first block", 6, early, eos_stop=eos)
    yield f.find(SDC, "stop at eos, threshold", 7, f.changed_by(eos_stop=None), eos_stop=eos, threshold=0.1)
    yield f.find(SDC, "no eos comes", 8, eos_stop=eos)
    remainder = lambda case, trace: eos in case["prompt"][-2:] and len(trace.new_cells) == 16
    yield f.find(SDC, "eos in the prompt's remainder", 6, remainder, eos_stop=eos)


def block_cases(f):
    """SDAR and DreamReasoner."""
    yield from whole_block_cases(f)
    yield from f.pair(in_blocks(f), "stop at eos", 6, {"eos_stop": None}, eos_stop=f.config.eos)


def in_blocks(f):
    size = f.config.block
    return dict(SDC, gen_length=4 * size, steps=4 * size, block_length=size)


def whole_block_cases(f):
    """Every remainder of the prompt length that tells, quotas, thresholds."""
    size, base = f.config.block, in_blocks(f)
    for length in [1, size - 1, size, size + 1, 2 * size]:
        yield f.find(base, f"prompt of {length}", length)
    yield f.find(base, "two per step", size + 2, steps=2 * size)
    yield f.find(base, "entropy", 5, strategy="entropy")
    yield f.find(base, "bf16 weights", 10, dtype="BF16")
    yield f.find(base, "threshold", 5, f.changed_by(threshold=None), threshold=0.1)
    yield f.find(base, "threshold of the release", 6, threshold=0.9)


def full_cases(f):
    """A2D, and one of iLLaDA's two loops: LLaDA's."""
    yield f.find(LLADA, "one block", 7)
    yield f.find(LLADA, "three blocks", 1, gen_length=24, steps=24, block_length=8)
    yield f.find(LLADA, "two per step", 5, steps=8, block_length=4)
    yield f.find(LLADA, "margin", 6, strategy="topk_margin", block_length=8)
    yield f.find(LLADA, "bf16 weights", 9, dtype="BF16", block_length=8)


def illada_cases(f):
    """Both loops; that a window grows must make a difference, but in one block."""
    yield from full_cases(f)
    differs = f.changed_by(loop="llada")
    for length in [1, 5, 8]:
        yield f.find(GROWN, f"grown, prompt of {length}", length, differs)
    yield f.find(GROWN, "grown, one block", 7, block_length=24)
    yield f.find(GROWN, "grown, two per step", 6, differs, steps=12)
    yield f.find(GROWN, "grown, quotas 3 3 2", 6, differs, steps=9)
    yield f.find(GROWN, "grown, margin", 6, differs, strategy="topk_margin")
    yield f.find(GROWN, "grown, bf16 weights", 9, differs, dtype="BF16")
    yield from f.pair(GROWN, "grown, stop at eos", 6, {"eos_stop": None}, eos_stop=f.config.eos)


def shifted_cases(f):
    """One of Open-dCoder's two loops: Dream's."""
    for strategy in ["maskgit_plus", "entropy"]:
        yield f.find(DREAM, f"{strategy}, 16 in 16", 6, strategy=strategy)
        yield f.find(DREAM, f"{strategy}, 16 in 4", 5, strategy=strategy, steps=4)
        yield f.find(FILTERED, f"{strategy}, top_p", 4, f.changed_by(top_p=1.0), strategy=strategy, top_p=0.6)
    yield f.find(DREAM, "prompt of one token", 1, gen_length=20, steps=20)
    yield f.find(DREAM, "bf16 weights", 9, dtype="BF16")


def open_dcoder_cases(f):
    """Both loops; with p2 something must be masked again."""
    yield from shifted_cases(f)
    again = lambda case, trace: any(token == f.config.mask for changes in trace.passes for _, token in changes)
    for length in [1, 6]:
        yield f.find(P2, f"p2, prompt of {length}", length, again)
    yield f.find(P2, "p2, 16 in 4", 5, again, steps=4)
    yield f.find(P2, "p2, more steps than cells", 5, again, steps=20)
    yield f.find(P2, "p2, uneven shares", 7, again, gen_length=20, steps=12)
    yield f.find(P2, "p2, entropy", 4, again, strategy="entropy")
    yield f.find(P2, "p2, top_k", 8, again, top_k=5)
    yield f.find(P2, "p2, bf16 weights", 9, again, dtype="BF16")


def fast_dllm_cases(f):
    """The first cell of every block, parts of a block, thresholds."""
    size = f.config.block
    base = dict(COMMON, loop="fast-dllm", gen_length=3 * size, steps=3 * size, block_length=size // 2, threshold=None)
    for length in [1, size - 1, size, size + 1, 2 * size]:
        yield f.find(base, f"prompt of {length}", length)
    yield f.find(base, "whole blocks", 5, block_length=size)
    yield f.find(base, "entropy", 5, strategy="entropy")
    yield f.find(base, "bf16 weights", 10, dtype="BF16")
    yield f.find(base, "threshold", 5, f.changed_by(threshold=None), threshold=0.1)
    yield f.find(base, "threshold of the release", size, threshold=0.9)


def rnd1_cases(f):
    """The least entropies first, evenly over the steps."""
    base = dict(COMMON, loop="rnd1", strategy="entropy")
    yield f.find(base, "16 in 16", 6)
    yield f.find(base, "16 in 4", 5, steps=4)
    yield f.find(base, "prompt of one token", 1, gen_length=12, steps=12)
    yield f.find(base, "bf16 weights", 9, dtype="BF16")


def llada2_cases(f):
    """Blocks as of others, but to their end: the engine also stops where a turn ends, the published loop does not.
    And edits (2.1): bounds that are passed often, now and then, and the published ones."""
    yield from whole_block_cases(f)
    size = f.config.block
    base = dict(COMMON, loop="llada2.1", gen_length=3 * size, steps=3 * size, block_length=size, threshold=0.3)
    for length, edit in [(1, 0.2), (size - 2, 0.3), (size, 0.25), (2 * size + 3, 0.3)]:
        yield f.find(base, f"edits above {edit}, prompt of {length}", length, f.changed_by(edit=1), edit=edit)
    yield f.find(base, "edits as published", 6, threshold=0.95, edit=0.9)
    yield f.find(base, "edits, bf16 weights", 9, f.changed_by(edit=1), dtype="BF16", edit=0.25)


def nemotron_cases(f):
    """Prompts of any length begin a block; long ones reach positions where rotations are stretched and queries
    grow. Quotas, thresholds, ends of text, also in a first cell."""
    size, eos = f.config.block, f.config.eos
    base = dict(COMMON, loop="nemotron", gen_length=3 * size, steps=3 * size, block_length=size, threshold=None,
                eos_stop=None)
    for length in [1, size - 1, size, size + 3, 70, 122]:
        yield f.find(base, f"prompt of {length}", length)
    yield f.find(base, "two per step", size + 2, steps=3 * size // 2)
    yield f.find(base, "entropy", 5, strategy="entropy")
    yield f.find(base, "margin", 5, strategy="topk_margin")
    yield f.find(base, "bf16 weights", 10, dtype="BF16")
    yield f.find(base, "bf16 weights, prompt of 131", 131, dtype="BF16")
    yield f.find(base, "threshold", 5, f.changed_by(threshold=None), threshold=0.1)
    yield f.find(base, "threshold of the release", 6, threshold=0.9)
    yield from f.pair(base, "stop at eos", 6, {"eos_stop": None}, eos_stop=eos)
    first = lambda case, trace: len(trace.new_cells) == 1 + size
    yield f.find(base, "stop in a first cell", 6, first, eos_stop=eos)


CASES = {"nemotron": nemotron_cases, "llada": llada_cases, "dream": dream_cases, "sdc": sdc_cases, "sdar": block_cases,
         "dream-reasoner": block_cases, "illada": illada_cases, "a2d": full_cases, "open-dcoder": open_dcoder_cases,
         "fast-dllm": fast_dllm_cases, "llada-moe": full_cases, "sdar-moe": block_cases, "rnd1": rnd1_cases,
         "llada2": llada2_cases}
