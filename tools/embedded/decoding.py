"""Batched decoding with the engine's rules: one cell per pass, from any window to its end.

Rows of a batch differ in prompt, window and number of masks; each is decoded as if it were alone.
"""

from collections import namedtuple

import torch

from models import MAX_LENGTH, attention_bias, autocast, score_type

# One way to unmask. `eos_last` and `eos_penalty` keep the end of the text from being decided first: the
# former is LLaDA's confidence_eos_eot_inf, the latter Dream-Coder's padding penalty.
Action = namedtuple("Action", "model strategy temperature top_p eos_last eos_penalty",
                    defaults=(0.0, 1.0, False, 0.0))

EPS = 1e-3
REMOVED = float("-inf")
ROWS_AT_ONCE = 2400


class Decoder:
    """Rollouts of one model."""

    def __init__(self, model, tokenizer, window, device, seed=0):
        self.model, self.tokenizer, self.window, self.device = model, tokenizer, window, device
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed)

    def rollouts(self, action, prompts, windows):
        """Per row the filled window and, cell by cell, the pass that filled it (-1: it was filled before)."""
        masks = [window.count(self.tokenizer.mask) for window in windows]
        order = sorted(range(len(windows)), key=lambda i: -masks[i])
        results = [None] * len(windows)
        for first in range(0, len(order), ROWS_AT_ONCE):
            chunk = order[first:first + ROWS_AT_ONCE]
            filled, passes = self._fill(action, [prompts[i] for i in chunk], [windows[i] for i in chunk],
                                        [masks[i] for i in chunk])
            for i, cells, when in zip(chunk, filled, passes):
                results[i] = cells[:len(windows[i])], when[:len(windows[i])]
        return results

    @torch.no_grad()
    def _fill(self, action, prompts, windows, masks):
        """`masks`, the passes of each row, must descend: rows that are done fall off at the end."""
        device, pad = self.device, self.tokenizer.pad
        lengths = [len(prompt) + len(window) for prompt, window in zip(prompts, windows)]
        width, cells = (max(lengths) + 7) // 8 * 8, max(map(len, windows))
        assert width <= MAX_LENGTH
        tokens = torch.tensor([prompt + window + [pad] * (width - length)
                               for prompt, window, length in zip(prompts, windows, lengths)], device=device)
        before = torch.tensor([len(prompt) for prompt in prompts], device=device)
        sizes = torch.tensor([len(window) for window in windows], device=device)
        cell = torch.arange(cells, device=device)[None]
        rows = (before[:, None] + cell).clamp_max(width - 1)
        inside = cell < sizes[:, None]
        bias = attention_bias(self.model.traits, torch.tensor(lengths, device=device), width,
                              score_type(device, torch.float16))
        positions = torch.arange(width, device=device)[None]
        when = torch.full((len(windows), cells), -1, device=device)
        left = torch.tensor(masks, device=device)
        n = len(windows)
        for step in range(masks[0] if masks else 0):
            while masks[n - 1] <= step:
                n -= 1
            with autocast(device, torch.float16):
                logits = self.model(tokens[:n], positions, bias[:n], rows[:n]).float()
            now = tokens[:n].gather(1, rows[:n])
            eligible = (now == self.tokenizer.mask) & inside[:n]
            if self.model.traits.block:
                eligible &= cell < self._block_end(eligible, before[:n])
            token, score = self._predict(action, logits, left[:n] - step)
            best = torch.where(eligible, score, torch.full_like(score, -1e30)).argmax(1, keepdim=True)
            tokens[:n].scatter_(1, rows[:n].gather(1, best), token.gather(1, best))
            when[:n].scatter_(1, best, step)
        return tokens.gather(1, rows).tolist(), when.tolist()

    def _block_end(self, masked, before):
        """The cell after the block of the first mask; blocks count from the start of the prompt."""
        block = self.model.traits.block
        first = masked.int().argmax(1)
        return ((torch.div(before + first, block, rounding_mode="floor") + 1) * block - before)[:, None]

    def _predict(self, action, logits, masks_left):
        """Candidate and score of every cell."""
        tokenizer = self.tokenizer
        logits[..., tokenizer.mask] = REMOVED
        if action.eos_penalty:
            time = EPS + (1 - EPS) * masks_left.float() / self.window
            logits[..., tokenizer.pad] += action.eos_penalty * torch.log(1 - time + EPS)[:, None]
        tempered = logits / action.temperature if action.temperature > 0 else logits
        if action.top_p < 1:
            tempered = keep_top_p(tempered, action.top_p)
        noisy = tempered
        if action.temperature > 0:
            uniform = torch.rand(logits.shape, device=self.device, generator=self.generator).clamp_min(1e-20)
            noisy = tempered - torch.log(-torch.log(uniform))
        token = noisy.argmax(-1)
        scored = tempered if self.model.name == "dream" else logits
        if action.eos_last:
            scored = scored.clone()
            scored[..., [tokenizer.eos, tokenizer.end_of_turn]] = REMOVED
        p = torch.softmax(scored, -1)
        if action.strategy == "entropy":
            return token, (p * torch.log(p + 1e-10)).sum(-1)
        return token, p.gather(-1, token[..., None])[..., 0]


def keep_top_p(logits, top_p):
    """Removes a token when the mass of the more probable ones alone exceeds top_p."""
    p, order = torch.softmax(logits, -1).sort(-1, descending=True)
    removed = (p.cumsum(-1) - p) > top_p
    return logits.masked_fill(torch.zeros_like(removed).scatter(-1, order, removed), REMOVED)
