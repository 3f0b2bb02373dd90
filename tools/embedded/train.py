"""Masked diffusion training: hide some cells of the answer, learn to fill them in.

dream and llada hide each cell of the window with a probability t drawn from (0, 1]; the loss of a hidden
cell counts 1/t. diffcoder does the same inside every block of four, where a block sees the blocks before
it as they truly are: the sequence is followed by a noisy copy of its window, each of whose blocks looks at
the clean blocks before it and at itself.
"""

import math
import multiprocessing
import random
import time
from collections import namedtuple

import torch
from torch import nn
from torch.nn import functional as F

from models import (BLOCK, FULL, Model, attention_bias, autocast, round_to_bfloat16, score_type,
                    visible_bias)
from tasks import training_text

WINDOW = 96
PROMPT = 64  # tokens of a description
WIDTH = 176  # chat layout, description and window, rounded up to what attention kernels like
COPY = 104  # the noisy window with the cells before it in its first block, rounded up likewise

# dream needs more than llada, as a cell is predicted one position early; diffcoder learns all its blocks
# from each program.
STEPS = {"dream": 2600, "llada": 2300, "diffcoder": 1400}
Recipe = namedtuple("Recipe", "shape samples steps batch rate warmup seed")
RECIPE = Recipe(FULL, samples=600_000, steps=STEPS, batch=512, rate=1.2e-3, warmup=200, seed=1)


# ---------------------------------------------------------------------------------------------------
# Data


def sample_rows(job):
    """[(prompt length, tokens...)] of one worker, each WIDTH + 1 numbers."""
    tokenizer, mixture, count, seed = job
    rng = random.Random(seed)
    rows = torch.empty(count, WIDTH + 1, dtype=torch.int16)
    made = 0
    while made < count:
        description, code = training_text(rng, mixture)
        answer = tokenizer.encode(code)
        if len(answer) < WINDOW and len(tokenizer.encode(description)) <= PROMPT:
            prompt = tokenizer.chat(description)
            row = [len(prompt)] + prompt + answer + [tokenizer.eos] * (WINDOW - len(answer))
            rows[made] = torch.tensor(row + [tokenizer.pad] * (WIDTH + 1 - len(row)), dtype=torch.int16)
            made += 1
    return rows


def sample_data(tokenizer, mixture, count, seed, workers):
    """Training rows, the same for every number of workers."""
    jobs = 64 if count >= 6400 else 2
    parts = [(tokenizer, mixture, count // jobs, f"{seed} {tokenizer.family.name} {i}") for i in range(jobs)]
    if workers <= 1:
        return torch.cat([sample_rows(part) for part in parts])
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        return torch.cat(pool.map(sample_rows, parts))


# ---------------------------------------------------------------------------------------------------
# Losses


def stratified(batch, device):
    """Uniform numbers, one from each of `batch` equal parts of (0, 1]: less variance than free draws."""
    return ((torch.arange(batch, device=device) + 1 - torch.rand(batch, device=device)) / batch)[:, None]


def window_rows(prompts):
    return prompts[:, None] + torch.arange(WINDOW, device=prompts.device)


def full_loss(model, tokens, prompts, mask):
    batch, device = len(tokens), tokens.device
    rows = window_rows(prompts)
    share = stratified(batch, device).clamp_min(0.02)
    hidden = torch.rand(batch, WINDOW, device=device) < share
    answer = tokens.gather(1, rows)
    noisy = tokens.scatter(1, rows, torch.where(hidden, mask, answer))
    positions = torch.arange(WIDTH, device=device)[None]
    bias = attention_bias(model.traits, prompts + WINDOW, WIDTH, score_type(device, torch.bfloat16))
    logits = model(noisy, positions, bias, rows)
    return weighted_loss(logits, answer, hidden, share)


def block_loss(model, tokens, prompts, mask):
    batch, device = len(tokens), tokens.device
    start = torch.div(prompts, BLOCK, rounding_mode="floor") * BLOCK
    copied = start[:, None] + torch.arange(COPY, device=device)  # positions of the noisy copy
    in_window = (copied >= prompts[:, None]) & (copied < prompts[:, None] + WINDOW)
    truth = tokens.gather(1, copied.clamp_max(WIDTH - 1))
    # One share per block; the copy starts at a block's first cell.
    share = stratified(batch * (COPY // BLOCK), device)[torch.randperm(batch * (COPY // BLOCK), device=device)]
    share = share.view(batch, COPY // BLOCK).repeat_interleave(BLOCK, 1).clamp_min(0.1)
    hidden = (torch.rand(batch, COPY, device=device) < share) & in_window
    noisy = torch.where(hidden, mask, truth)

    clean_positions = torch.arange(WIDTH, device=device).expand(batch, -1)
    positions = torch.cat((clean_positions, copied), 1)
    blocks = torch.div(positions, BLOCK, rounding_mode="floor")
    is_copy = torch.arange(WIDTH + COPY, device=device) >= WIDTH
    real = positions < (prompts[:, None] + WINDOW)
    earlier = blocks[:, None, :] < blocks[:, :, None]
    same = blocks[:, None, :] == blocks[:, :, None]
    query, key = is_copy[None, :, None], is_copy[None, None, :]
    allowed = torch.where(key, query & same, earlier | (same & ~query)) & real[:, None, :]
    bias = visible_bias(allowed, score_type(device, torch.bfloat16))
    rows = torch.arange(WIDTH, WIDTH + COPY, device=device).expand(batch, -1)
    logits = model(torch.cat((tokens, noisy), 1), positions.clamp_max(WIDTH - 1), bias, rows)
    return weighted_loss(logits, truth, hidden, share)


def weighted_loss(logits, answer, hidden, share):
    losses = F.cross_entropy(logits.float().flatten(0, 1), answer.flatten(), reduction="none")
    return (losses.view_as(answer) * hidden / share).sum() / (len(answer) * WINDOW)


# ---------------------------------------------------------------------------------------------------
# The loop


def train(name, tokenizer, data, recipe, device, log):
    """A trained model with weights as they will be stored, and its losses by step."""
    torch.manual_seed(recipe.seed)
    model = Model(name, tokenizer.size, recipe.shape).to(device)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
        for layer in model.layers:
            layer.compile()
    loss_of = block_loss if model.traits.block else full_loss
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.05,
                                  **({"fused": True} if device.type == "cuda" else {}))
    data, losses, begin = data.to(device), [], time.time()
    steps = recipe.steps[name]
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * pace(step, steps, recipe.warmup)
        rows = data[torch.randint(0, len(data), (recipe.batch,), device=device)].long()
        with autocast(device, torch.bfloat16):
            loss = loss_of(model, rows[:, 1:], rows[:, 0], tokenizer.mask)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % max(1, steps // 20) == 0:
            losses.append((step + 1, round(loss.item(), 4)))
            log(f"{name} step {step + 1} loss {losses[-1][1]} after {time.time() - begin:.0f} s")
    return round_to_bfloat16(model).eval(), losses


def pace(step, steps, warmup):
    """Warm-up, then a cosine to 2 % of the rate."""
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return min(1.0, (step + 1) / warmup) * (0.98 * cosine + 0.02)
