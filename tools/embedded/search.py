"""Searches over rollouts, written from docs/algorithm.md#the-search: UnMaskFork, best-of-N, pair.

A search is a generator: it yields rollouts it wants, (action, window), and is sent what came of them. So
hundreds of them run side by side and their rollouts share batches.
"""

import math
from collections import namedtuple

from tokenizers import convert

RATIOS = (900, 800, 700, 600, 500, 400, 200)

# What a rollout gave: the filled window and the pass that filled each cell, its text and visible reward.
Rollout = namedtuple("Rollout", "cells when text reward")
# A rollout in the account of a search: forward passes spent before and after it.
Miss = namedtuple("Miss", "begin end action start rollout")


def targets(window):
    """Masks left at the checkpoints."""
    found = []
    for ratio in RATIOS:
        masks = ratio * window // 1000
        if 0 < masks < (found[-1] if found else window):
            found.append(masks)
    return found


def state_after(start, rollout, passes):
    """The window after some passes of a rollout."""
    return tuple(old if when >= passes else new
                 for old, new, when in zip(start, rollout.cells, rollout.when))


class Node:
    def __init__(self, state, level, reward=0.0):
        self.state, self.level, self.visits, self.sum = state, level, 0, 0.0
        self.children, self.exhausted = {}, False


class UnMaskFork:
    """One search of one problem. `tokenizers` are those of the actions, in order."""

    def __init__(self, actions, tokenizers, window, budget, exploration=1.0):
        self.actions, self.tokenizers = actions, tokenizers
        self.window, self.budget, self.exploration = window, budget, exploration
        self.targets = targets(window)
        self.known = {}  # (state, action number) -> (next state, reward)
        self.misses, self.spent, self.hits = [], 0, 0

    def run(self):
        root = Node((None, (None,) * self.window), 0)  # all masks, in no vocabulary yet
        while self.spent < self.budget and not root.exhausted:
            path = self._select(root)
            number = self._choose(path[-1])
            known = (path[-1].state, number) in self.known
            self.hits += known
            if not known:
                yield from self._roll(path[-1], number)
            state, reward = self.known[path[-1].state, number]
            child = Node(state, path[-1].level + 1)
            child.exhausted = child.level == len(self.targets) or self._masks(state) == 0
            path[-1].children[number] = child
            for node in path + [child]:
                node.visits += 1
                node.sum += reward
            for node in reversed(path):
                node.exhausted = (len(node.children) == len(self.actions)
                                  and all(c.exhausted for c in node.children.values()))
            if reward >= 1:
                return  # nothing can beat it, and ties go to the earliest

    def _select(self, node):
        path = [node]
        while len(node.children) == len(self.actions):
            best, best_score = None, -math.inf
            for child in node.children.values():
                score = (child.sum / child.visits
                         + self.exploration * math.sqrt(math.log(node.visits) / child.visits))
                if not child.exhausted and score > best_score + 1e-12:
                    best, best_score = child, score
            node = best
            path.append(node)
        return path

    def _choose(self, node):
        """Cached actions first, then list order."""
        open_actions = [n for n in range(len(self.actions)) if n not in node.children]
        return min(open_actions, key=lambda n: ((node.state, n) not in self.known, n))

    def _roll(self, node, number):
        start = self._enter(node.state, number)
        mask = self.tokenizers[number].mask
        rollout = yield self.actions[number], start
        masks = start.count(mask)
        self.misses.append(Miss(self.spent, self.spent + masks, number, start, rollout))
        self.spent = min(self.spent + masks, self.budget)
        state, passes = node.state, 0
        for target in [t for t in self.targets if t < masks] + [0]:
            passes = masks - target
            after = (self.tokenizers[number].family.name, state_after(start, rollout, passes))
            self.known[state, number] = (after, rollout.reward)
            state = after

    def _enter(self, state, number):
        """The window in the vocabulary of the action."""
        name, cells = state
        target = self.tokenizers[number]
        if name is None:
            return [target.mask] * self.window
        source = next(t for t in self.tokenizers if t.family.name == name)
        return convert(cells, source, target)

    def _masks(self, state):
        name, cells = state
        return cells.count(next(t for t in self.tokenizers if t.family.name == name).mask)


# ---------------------------------------------------------------------------------------------------
# Answers at budgets


def cut(miss, passes, tokenizer):
    """The text of a rollout that the budget interrupts."""
    cells = state_after(miss.start, miss.rollout, passes)
    return tokenizer.text([cell for cell in cells if cell != tokenizer.mask])


def answer_at(misses, budget, tokenizers, judge):
    """The answer a search gives at a budget: the best reward, the first of equals, whole ones before a
    cut one. `judge(text)` is the visible reward."""
    best = (-1.0, None)
    for miss in misses:
        if miss.end <= budget:
            best = max(best, (miss.rollout.reward, miss.rollout.text), key=lambda c: c[0])
        elif miss.begin < budget:
            text = cut(miss, budget - miss.begin, tokenizers[miss.action])
            best = max(best, (judge(text), text), key=lambda c: c[0])
    return best[1]
