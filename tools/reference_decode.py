"""The published decoding loops (docs/models.md#published-decoding-loops) at temperature 0.

Every loop returns a Trace: the commits of every pass, the new cells at the end, and the smallest
margin by which any decision was taken.
"""

import math

import torch

LOWEST = torch.finfo(torch.float64).min


class Trace:
    """What a loop did. A pass is a list of (position, token) in order of position."""

    def __init__(self):
        self.passes = []
        self.new_cells = []
        self.margin = math.inf
        self.filter_margin = math.inf
        self.route_margin = math.inf  # of the choice of experts, where the model has them
        self.counts = {"prefill": 0, "denoise": 0, "store": 0}

    def decided_by(self, margin):
        self.margin = min(self.margin, float(margin))

    def commit(self, x, cells, predictions):
        """Writes the candidates of `cells` into x and records the pass."""
        self.counts["denoise"] += 1
        self.passes.append([[p, predictions[p].token] for p in sorted(cells)])
        for p in cells:
            self.decided_by(predictions[p].token_margin)
            x[p] = predictions[p].token


# ---------------------------------------------------------------------------------------------------
# From logits to a candidate and its scores


class Sampling:
    """Settings of one prediction. `never` and `bias` act before the candidate, `last` after it."""

    def __init__(self, never=(), bias=(), last=(), top_p=1.0, top_k=0, temperature=0.0):
        self.never, self.bias, self.last = list(never), list(bias), list(last)
        self.top_p, self.top_k, self.temperature = top_p, top_k, temperature


class Prediction:
    """A candidate with its scores; token_margin is how far its logit leads the next one."""

    def __init__(self, token, token_margin, p, filter_margin):
        self.token, self.token_margin, self.filter_margin = token, token_margin, filter_margin
        largest = torch.topk(p, 2).values
        self.top = float(largest[0])
        self.confidence = float(p[token])
        self.margin = float(largest[0] - largest[1])
        self.entropy = -float((p * torch.log(p + 1e-10)).sum())

    def score(self, strategy):
        """The number that ranks cells; larger is better."""
        if strategy in ("low_confidence", "maskgit_plus"):
            return self.confidence
        return self.margin if strategy == "topk_margin" else -self.entropy


def argmax(values):
    """Lowest index among the largest."""
    return int((values == values.max()).nonzero()[0])


def keep_top_p(l, top_p):
    """A token goes if the mass before it exceeds top_p. Equal logits: by id."""
    order = torch.sort(l, descending=True, stable=True).indices
    mass = torch.cumsum(torch.softmax(l[order], -1), -1)
    before = torch.cat([torch.zeros(1, dtype=mass.dtype), mass[:-1]])
    kept = torch.full_like(l, LOWEST)
    keep = order[before <= top_p]
    kept[keep] = l[keep]
    return kept, float((before[1:] - top_p).abs().min())


def keep_top_k(l, k):
    """Tokens strictly below the k-th largest logit go."""
    ordered = torch.sort(l, descending=True).values
    kept = torch.where(l < ordered[k - 1], torch.full_like(l, LOWEST), l)
    lead = ordered[k - 1] - ordered[k]
    return kept, math.inf if ordered[k] == LOWEST else float(lead)


def predict(row, sampling):
    """A row of logits to a Prediction: exclusions, penalty, temperature, filters, candidate, scores."""
    l = row.double().clone()
    l[sampling.never] = -math.inf
    for token, amount in sampling.bias:
        l[token] += amount
    if sampling.temperature > 0:
        l /= sampling.temperature
    filter_margin = math.inf
    if sampling.top_p < 1:
        l, filter_margin = keep_top_p(l, sampling.top_p)
    if sampling.top_k > 0:
        l, k_margin = keep_top_k(l, sampling.top_k)
        filter_margin = min(filter_margin, k_margin)
    token = argmax(l)
    lead = torch.topk(l, 2).values
    l[sampling.last] = -math.inf
    return Prediction(token, float(lead[0] - lead[1]), torch.softmax(l, -1), filter_margin)


def predict_cells(model, x, cells, sampling, trace):
    """One forward pass over x; predictions at `cells`. Dream reads row p - 1, and row 0 at cell 0."""
    predictions = {p: predict(row, sampling) for p, row in model.says(x, cells).items()}
    for prediction in predictions.values():
        trace.filter_margin = min(trace.filter_margin, prediction.filter_margin)
    return predictions


# ---------------------------------------------------------------------------------------------------
# Which cells


def best_cells(predictions, count, strategy, trace):
    """The `count` cells of highest score; equal scores: lowest position."""
    ranked = sorted(predictions, key=lambda p: (-predictions[p].score(strategy), p))
    if 0 < count < len(ranked):
        trace.decided_by(lead(predictions[ranked[count - 1]], predictions[ranked[count]], strategy))
    return ranked[:count]


def lead(chosen, other, strategy):
    """By how much `chosen` outranks `other`, in units of the logits' own error: a relative difference
    for probabilities, an absolute one for entropies. Exact zeros (of ends of text that come last) tie."""
    if strategy == "entropy":
        return other.entropy - chosen.entropy
    if strategy == "topk_margin":
        return (chosen.margin - other.margin) / max(chosen.top, other.top)
    if other.confidence == 0:
        return math.inf
    return math.log(chosen.confidence / other.confidence)


def masked(x, mask, begin, end):
    return [p for p in range(begin, end) if x[p] == mask]


# ---------------------------------------------------------------------------------------------------
# LLaDA


def quota_list(masks, steps):
    """masks / steps each, one more in the first masks % steps steps."""
    return [masks // steps + (s < masks % steps) for s in range(steps)]


def decode_llada(model, case):
    """The whole sequence is run every time; masks of earlier blocks stay eligible."""
    x, trace, mask = begin(model, case), Trace(), model.config.mask
    sampling = Sampling(never=case["never"], last=case["last"])
    first, length = len(case["prompt"]), case["block_length"]
    blocks = case["gen_length"] // length
    for b in range(blocks):
        end = first + (b + 1) * length
        for count in quota_list(len(masked(x, mask, end - length, end)), case["steps"] // blocks):
            cells = masked(x, mask, first, end)
            predictions = predict_cells(model, x, cells, sampling, trace)
            trace.commit(x, best_cells(predictions, count, case["strategy"], trace), predictions)
    trace.new_cells = x[first:]
    return trace


def begin(model, case):
    assert model.config.mask not in case["prompt"]
    return case["prompt"] + [model.config.mask] * case["gen_length"]


# ---------------------------------------------------------------------------------------------------
# iLLaDA


def decode_grown(model, case):
    """var_generate: LLaDA's loop on one block of masks behind what is there, with no masks behind it;
    then the next block is appended, unless the text ended in this one."""
    x, trace, mask, first = list(case["prompt"]), Trace(), model.config.mask, len(case["prompt"])
    sampling, length = Sampling(never=case["never"]), case["block_length"]
    blocks = case["gen_length"] // length
    for _ in range(blocks):
        start = len(x)
        x += [mask] * length
        for count in quota_list(length, case["steps"] // blocks):
            predictions = predict_cells(model, x, masked(x, mask, first, len(x)), sampling, trace)
            trace.commit(x, best_cells(predictions, count, case["strategy"], trace), predictions)
        if case["eos_stop"] in x[start:]:
            stop = x.index(case["eos_stop"], start)
            x[stop:] = [case["eos_stop"]] * (len(x) - stop)
            break
    trace.new_cells = x[first:]
    return trace


# ---------------------------------------------------------------------------------------------------
# Dream


def dream_times(steps, eps):
    return torch.linspace(1, eps, steps + 1, dtype=torch.float32)


def dream_count(masks, times, i):
    """n = int(m (1 - s/t)) in float32, and all that is left at the last step."""
    if i == len(times) - 2:
        return masks
    return int(torch.tensor(float(masks), dtype=torch.float32) * (1 - times[i + 1] / times[i]))


def dream_counts(masks, steps, eps=1e-3):
    """The commits of every step when the mask token never wins."""
    times, counts = dream_times(steps, eps), []
    for i in range(steps):
        counts.append(dream_count(masks - sum(counts), times, i))
    return counts


def padding_penalty(weight, t, eps):
    """Added to the pad token's logit."""
    return weight * math.log(1 - t + eps)


def decode_dream(model, case):
    """schedule "reference": the published loop. "strict": one token per pass, t from the state."""
    x, trace, mask = begin(model, case), Trace(), model.config.mask
    first, total, eps = len(case["prompt"]), case["gen_length"], case["eps"]
    strict = case["schedule"] == "strict"
    times = dream_times(case["steps"], eps)
    for i in range(total if strict else case["steps"]):
        cells = masked(x, mask, first, len(x))
        t = eps + (1 - eps) * len(cells) / total if strict else float(times[i])
        count = 1 if strict else dream_count(len(cells), times, i)
        bias = [(model.config.pad, padding_penalty(case["eos_penalty"], t, eps))]
        sampling = Sampling(never=case["never"], bias=bias if case["eos_penalty"] else [],
                            top_p=case["top_p"], top_k=case["top_k"])
        predictions = predict_cells(model, x, cells, sampling, trace)
        trace.commit(x, best_cells(predictions, count, case["strategy"], trace), predictions)
    trace.new_cells = x[first:]
    return trace


# ---------------------------------------------------------------------------------------------------
# Open-dCoder


def decode_p2(model, case):
    """Every step looks at all new cells and keeps the best of them, an even share more each time. The
    others are masked, whatever they held; what is kept takes its candidate only where it was a mask.
    How many are masked is counted with whole numbers, where the published loop rounds fractions."""
    x, trace, mask, first = begin(model, case), Trace(), model.config.mask, len(case["prompt"])
    sampling = Sampling(never=case["never"], top_p=case["top_p"], top_k=case["top_k"])
    cells, steps = range(first, len(x)), case["steps"]
    for i in range(steps):
        if mask not in x:
            break
        predictions = predict_cells(model, x, cells, sampling, trace)
        count = len(cells) - len(cells) * (steps - i - 1) // steps
        kept = set(best_cells(predictions, count, case["strategy"], trace))
        again = [[p, mask] for p in cells if p not in kept and x[p] != mask]
        trace.commit(x, [p for p in kept if x[p] == mask], predictions)
        for p, _ in again:
            x[p] = mask
        trace.passes[-1] = sorted(trace.passes[-1] + again)
    trace.new_cells = x[first:]
    return trace


# ---------------------------------------------------------------------------------------------------
# Stable-DiffCoder


def decode_sdc(model, case):
    """Block by block on the model's grid from position 0. Instead of a cache the sequence is run
    again up to the end of the block: block-causal attention makes that the same numbers. With a
    threshold this is SDAR's dynamic rule, too, for one step per cell."""
    x, trace, mask, first = begin(model, case), Trace(), model.config.mask, len(case["prompt"])
    size = model.config.block
    trace.counts["prefill"] = int(first >= size)
    steps = case["steps"] // (case["gen_length"] // size)
    for start in range(first - first % size, len(x), size):
        end = min(start + size, len(x))
        denoise_block(model, case, x, start, end, steps, trace)
        assert not masked(x, mask, start, end), "a block must end without masks"
        new = range(max(start, first), end)
        stops = [p for p in new if x[p] == case["eos_stop"]]
        if stops:
            x[stops[0] : end] = [case["eos_stop"]] * (end - stops[0])
            del x[end:]
            break
        trace.counts["store"] += 1
    trace.new_cells = x[first:]
    return trace


def denoise_block(model, case, x, start, end, steps, trace):
    """Quota steps, or with a threshold all cells that reach it and always the best one."""
    sampling = Sampling(never=case["never"])
    for count in quota_list(len(masked(x, model.config.mask, start, end)), steps):
        cells = masked(x, model.config.mask, start, end)
        if not cells or (count == 0 and case["threshold"] is None):
            continue
        predictions = predict_cells(model, x[:end], cells, sampling, trace)
        if case["threshold"] is not None:
            count = sure_cells(predictions, case["threshold"], trace)
        trace.commit(x, best_cells(predictions, count, case["strategy"], trace), predictions)


def sure_cells(predictions, threshold, trace):
    """How many confidences reach the threshold; at least one cell is taken."""
    confidences = [p.confidence for p in predictions.values()]
    trace.decided_by(min(abs(math.log(c / threshold)) for c in confidences))
    return max(1, sum(c >= threshold for c in confidences))


# ---------------------------------------------------------------------------------------------------
# Fast-dLLM v2


def decode_fast_dllm(model, case):
    """Blocks on the grid from position 0, in parts of `block_length` cells. The first cell of a block is
    what the last row before it says, and is written before the others are looked at: there is no row of
    its own block among those that are run for it. In a part all cells above the threshold are written,
    and always the best one."""
    x, trace, mask, first = begin(model, case), Trace(), model.config.mask, len(case["prompt"])
    size, part = model.config.block, case["block_length"]
    sampling = Sampling(never=case["never"])
    for start in range(first - first % size, len(x), size):
        end = min(start + size, len(x))
        if start >= max(first, 1):
            row = predict(model.logits(x[:start])[-1], sampling)
            trace.commit(x, [start], {start: row})
        for stop in range(start + part, start + size + part, part):
            while cells := masked(x, mask, start, min(stop, end)):
                predictions = predict_cells(model, x[:end], cells, sampling, trace)
                count = 1 if case["threshold"] is None else sure_cells(predictions, case["threshold"], trace)
                trace.commit(x, best_cells(predictions, count, case["strategy"], trace), predictions)
    trace.new_cells = x[first:]
    return trace


# ---------------------------------------------------------------------------------------------------
# Nemotron-Labs-Diffusion


def decode_nemotron(model, case):
    """Blocks from the end of the prompt. The first cell of a block is what the last row of a causal pass over
    all before it says. For the others the block is looked at as a whole, behind that context: quota steps,
    or with a threshold all cells that reach it and always the best one."""
    x, trace, mask, first = list(case["prompt"]), Trace(), model.config.mask, len(case["prompt"])
    sampling, size = Sampling(never=case["never"]), model.config.block
    steps = case["steps"] // (case["gen_length"] // size)
    for start in range(first, first + case["gen_length"], size):
        row = predict(model.logits(x, start)[-1], sampling)
        x.append(mask)
        trace.commit(x, [start], {start: row})
        if x[start] == case["eos_stop"]:
            break
        x += [mask] * (size - 1)
        for count in quota_list(size - 1, steps):
            cells = masked(x, mask, start, start + size)
            if not cells or (count == 0 and case["threshold"] is None):
                continue
            logits = model.logits(x, start)
            predictions = {p: predict(logits[p], sampling) for p in cells}
            if case["threshold"] is not None:
                count = sure_cells(predictions, case["threshold"], trace)
            trace.commit(x, best_cells(predictions, count, case["strategy"], trace), predictions)
        assert not masked(x, mask, start, start + size), "a block must end without masks"
        if case["eos_stop"] in x[start:]:
            stop = x.index(case["eos_stop"], start)
            x[stop:] = [case["eos_stop"]] * (len(x) - stop)
            break
    trace.new_cells = x[first:]
    return trace


# ---------------------------------------------------------------------------------------------------
# RND1


def decode_rnd1(model, case):
    """For s = steps - 1 ... 1 the trunc(N s / steps) cells of highest entropy stay masked and the others are
    written; the rest is written last."""
    x, trace, mask, first = begin(model, case), Trace(), model.config.mask, len(case["prompt"])
    sampling = Sampling(never=case["never"])
    for s in range(case["steps"] - 1, -1, -1):
        cells = masked(x, mask, first, len(x))
        stay = int(case["gen_length"] * s / case["steps"])
        predictions = predict_cells(model, x, cells, sampling, trace)
        trace.commit(x, best_cells(predictions, len(cells) - stay, "entropy", trace), predictions)
    trace.new_cells = x[first:]
    return trace


# ---------------------------------------------------------------------------------------------------
# LLaDA2.1


MOST_POST_STEPS = 16


def decode_llada21(model, case):
    """Blocks on the grid from position 0. A step writes the masks above the threshold, or the best one, and
    rewrites written cells of the block, but not the prompt's, where another token is surer than the bound. A
    block without masks is looked at until nothing changes, sixteen times at most."""
    x, trace, mask, first = begin(model, case), Trace(), model.config.mask, len(case["prompt"])
    size, sampling = model.config.block, Sampling(never=case["never"])
    for start in range(first - first % size, len(x), size):
        end, post = min(start + size, len(x)), 0
        own = range(max(start, first), end)
        while True:
            masks = masked(x, mask, start, end)
            post += not masks
            if post > MOST_POST_STEPS:
                break
            predictions = predict_cells(model, x[:end], list(own), sampling, trace)
            new = {p: predictions[p] for p in masks}
            count = sure_cells(new, case["threshold"], trace) if masks else 0
            chosen = best_cells(new, count, "low_confidence", trace)
            changed = [p for p in own if x[p] != mask and rewrites(predictions[p], x[p], case["edit"], trace)]
            trace.commit(x, chosen + changed, predictions)
            if not masks and not changed:
                break
    trace.new_cells = x[first:]
    return trace


def rewrites(prediction, present, bound, trace):
    """Whether another token is surer than the bound; how clearly not matters too."""
    if prediction.confidence > 0.8 * bound:
        trace.decided_by(prediction.token_margin)
    if prediction.token == present:
        return False
    trace.decided_by(abs(math.log(prediction.confidence / bound)))
    return prediction.confidence > bound


DECODERS = {"llada": decode_llada, "grown": decode_grown, "dream": decode_dream, "sdc": decode_sdc,
            "fast-dllm": decode_fast_dllm, "p2": decode_p2, "rnd1": decode_rnd1, "nemotron": decode_nemotron, "llada2.1": decode_llada21}
