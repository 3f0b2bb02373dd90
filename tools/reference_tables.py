"""Small tables of single formulas (docs/models.md#predictions), computed by PyTorch."""

import json

import torch

from reference_decode import LOWEST, Sampling, dream_counts, keep_top_p, padding_penalty, predict, quota_list


def quota_table():
    """Cells per step of LLaDA and Stable-DiffCoder."""
    pairs = [(8, 8), (10, 4), (2, 4), (4, 4), (3, 4), (1, 4), (0, 4), (16, 3), (5, 1), (768, 768), (512, 96)]
    return [{"masks": m, "steps": s, "runs": runs(quota_list(m, s))} for m, s in pairs]


def schedule_table():
    """Cells per step of Dream."""
    same = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 640, 768, 1024, 1280, 2048]
    pairs = [(n, n) for n in same] + [(8, 4), (16, 4), (12, 16), (20, 7), (768, 384), (768, 192), (256, 512)]
    return [{"masks": n, "steps": s, "eps": 1e-3, "runs": runs(dream_counts(n, s))} for n, s in pairs]


def runs(values):
    """[value, how often] of every stretch: [1, 1, 2] -> [[1, 2], [2, 1]]."""
    out = []
    for value in values:
        if out and out[-1][0] == value:
            out[-1][1] += 1
        else:
            out.append([value, 1])
    return out


def penalty_table():
    """The padding penalty: w ln(1 - t_i + eps) with t_i = 1 - i (1 - eps) / N."""
    eps, rows = 1e-3, []
    cases = [(3.0, 768, 0), (3.0, 16, 0), (3.0, 768, 1), (3.0, 768, 383), (3.0, 768, 767), (1.5, 16, 8)]
    for w, n, i in cases:
        t = 1 - i * (1 - eps) / n
        rows.append({"weight": w, "steps": n, "step": i, "eps": eps, "penalty": padding_penalty(w, t, eps)})
    return rows


def score_table():
    """Scores of given probabilities."""
    rows = []
    for p in [[0.5, 0.25, 0.25], [0.1, 0.7, 0.2], [1.0, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25]]:
        logits = torch.log(torch.tensor(p, dtype=torch.float64))
        result = predict(logits, Sampling())
        rows.append({"probabilities": p, "token": result.token, "confidence": round(result.confidence, 12),
                     "margin": round(result.margin, 12), "entropy": round(result.entropy, 12)})
    return rows


def top_p_table():
    """Which tokens stay under top-p."""
    rows = []
    cases = {(0.5, 0.25, 0.25): [0.6, 0.4, 0.8], (0.05, 0.4, 0.3, 0.15, 0.1): [0.5, 0.9, 0.1]}
    for p, limits in cases.items():
        for top_p in limits:
            filtered, _ = keep_top_p(torch.log(torch.tensor(p, dtype=torch.float64)), top_p)
            kept = [i for i, l in enumerate(filtered.tolist()) if l > LOWEST]
            rows.append({"probabilities": p, "top_p": top_p, "kept": kept})
    return rows


def gumbel_table():
    """A draw: argmax of exp(l) / (-ln u)^T, equal to argmax of l - T ln(-ln u)."""
    generator = torch.Generator().manual_seed(8)
    logits = six_digits(torch.randn(12, generator=generator, dtype=torch.float64))
    u = six_digits(torch.rand(4, 12, generator=generator, dtype=torch.float64))
    rows = []
    for noise in u:
        for temperature in [0.0, 0.3, 1.0, 2.0]:
            ratio = torch.exp(logits) / (-torch.log(noise)) ** temperature
            shifted = logits - temperature * torch.log(-torch.log(noise))
            token = int(shifted.argmax())
            assert token == int(ratio.argmax())
            rows.append({"logits": logits.tolist(), "u": noise.tolist(), "temperature": temperature,
                         "token": token})
    return rows


def six_digits(values):
    """Numbers that their decimal text gives exactly."""
    return torch.tensor([round(v, 6) for v in values.flatten().tolist()], dtype=torch.float64).reshape(values.shape)


def dump():
    """tables.json: one row per line."""
    tables = {
        "quota": quota_table(),
        "dream_schedule": schedule_table(),
        "padding_penalty": penalty_table(),
        "scores": score_table(),
        "top_p": top_p_table(),
        "gumbel": gumbel_table(),
    }
    parts = []
    for name, rows in tables.items():
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        parts.append(f' "{name}": [\n{lines}\n ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"
