"""Byte-level BPE tokenizers of the three models, learned from the task family.

They differ as published ones do: special tokens, ids, and what becomes of English words. But the pieces
of our Python are whole tokens in each of them, so that a line of code has the same number of tokens
whoever writes it: a window that one model has laid out then fits what another one writes into it.
"""

import collections
import random
import re

from operations import OPERATIONS, VARIABLES
from tasks import training_text
from mixtures import EXAM

# A line break takes the indentation with it; words and digits their space; operators of two characters
# stay whole. PATTERN is for the engine, the other one says the same of ASCII for Python.
PATTERN = r"\n *| ?\p{L}+| ?\p{N}| ?(?:==|!=|//)| ?[^\s\p{L}\p{N}]|\s+"
ASCII_PATTERN = re.compile(r"\n *| ?[A-Za-z]+| ?[0-9]| ?(?:==|!=|//)| ?[^\sA-Za-z0-9]|\s+")


class Family:
    """Special tokens and chat layout of one family. `layout` holds special tokens and texts in turn."""

    def __init__(self, name, specials, first, roles, layout, template, english_merges):
        self.name, self.specials, self.first = name, specials, first
        self.roles = roles  # by their text
        self.layout, self.template, self.english_merges = layout, template, english_merges


FAMILIES = {
    "dream": Family(
        "dream", ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|beginoftext|>", "<|mask|>"],
        first=False,
        roles={"mask": "<|mask|>", "eos": "<|endoftext|>", "pad": "<|endoftext|>", "bos": "<|beginoftext|>",
               "end_of_turn": "<|im_end|>"},
        layout=["<|im_start|>", "user\n", None, "<|im_end|>", "\n", "<|im_start|>", "assistant\n"],
        template="{% for message in messages %}<|im_start|>{{ message['role'] }}{{ '\\n' }}"
                 "{{ message['content'] }}<|im_end|>{{ '\\n' }}{% endfor %}"
                 "{% if add_generation_prompt %}<|im_start|>assistant{{ '\\n' }}{% endif %}",
        english_merges=340),
    "llada": Family(
        "llada", ["<|startoftext|>", "<|endoftext|>", "<|mdm_mask|>", "<|start_header_id|>",
                  "<|end_header_id|>", "<|eot_id|>"],
        first=False,
        roles={"mask": "<|mdm_mask|>", "eos": "<|endoftext|>", "pad": "<|endoftext|>", "bos": "<|startoftext|>",
               "end_of_turn": "<|eot_id|>"},
        layout=["<|startoftext|>", "<|start_header_id|>", "user", "<|end_header_id|>", "\n\n", None,
                "<|eot_id|>", "<|start_header_id|>", "assistant", "<|end_header_id|>", "\n\n"],
        template="{{ bos_token }}{% for message in messages %}<|start_header_id|>{{ message['role'] }}"
                 "<|end_header_id|>{{ '\\n\\n' }}{{ message['content'] | trim }}<|eot_id|>{% endfor %}"
                 "<|start_header_id|>assistant<|end_header_id|>{{ '\\n\\n' }}",
        english_merges=280),
    "diffcoder": Family(
        "diffcoder", ["<[begin▁of▁sentence]>", "<[PAD▁TOKEN]>", "<[end▁of▁sentence]>", "<[SEP▁TOKEN]>",
                      "<[CLS▁TOKEN]>", "<[MASK_TOKEN]>"],
        first=True,
        roles={"mask": "<[MASK_TOKEN]>", "eos": "<[end▁of▁sentence]>", "pad": "<[PAD▁TOKEN]>",
               "bos": "<[begin▁of▁sentence]>", "end_of_turn": "<[end▁of▁sentence]>"},
        layout=["<[begin▁of▁sentence]>", "user\n", None, "<[end▁of▁sentence]>", "<[begin▁of▁sentence]>",
                "assistant\n"],
        template="{% for message in messages %}{{ bos_token }}{{ message['role'] }}{{ '\\n' }}"
                 "{{ message['content'] | trim }}{{ eos_token }}{% endfor %}"
                 "{% if add_generation_prompt %}{{ bos_token }}assistant{{ '\\n' }}{% endif %}",
        english_merges=230),
}


# ---------------------------------------------------------------------------------------------------
# Learning


def code_pieces():
    """Every piece that a program of the family can hold, and the words of the chat layouts."""
    texts = ["user\n", "assistant\n", "\n\n"]
    for operation in OPERATIONS:
        for constants in operation.constants:
            texts.append(f"    {VARIABLES[operation.target]} = {operation.code.format(**constants)}")
    texts += [f"def f({name}):\n    return {name}" for name in VARIABLES.values()]
    return sorted({piece for text in texts for piece in ASCII_PATTERN.findall("\n" + text)})


def learn_merges(words, limit, merges):
    """Appends BPE merges to `merges`: the most frequent pair first, ties to the smaller one. `words` is
    {piece: count}; without a limit until every piece is one token."""
    parts = {piece: split_by(piece, merges) for piece in words}
    learned = 0
    while limit is None or learned < limit:
        pairs = collections.Counter()
        for piece, count in words.items():
            for pair in zip(parts[piece], parts[piece][1:]):
                pairs[pair] += count
        if not pairs:
            return
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for piece in words:
            parts[piece] = join_pair(parts[piece], best)
        learned += 1


def join_pair(parts, pair):
    joined, i = [], 0
    while i < len(parts):
        if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair:
            joined.append(parts[i] + parts[i + 1])
            i += 2
        else:
            joined.append(parts[i])
            i += 1
    return joined


def split_by(piece, merges):
    parts = list(piece)
    for pair in merges:
        if len(parts) > 1:
            parts = join_pair(parts, pair)
    return parts


def learn(name, seed=0, samples=3000, code_merges=None):
    """The tokenizer of a family: merges of code first, so that English cannot cut it differently. With a number of
    `code_merges` words of code may be several tokens."""
    rng = random.Random(f"tokenizer {name} {seed}")
    merges = []
    pieces = code_pieces()
    rng.shuffle(pieces)
    learn_merges({piece: rng.randint(1, 9) for piece in pieces}, code_merges, merges)
    english = collections.Counter()
    for _ in range(samples):
        english.update(ASCII_PATTERN.findall(training_text(rng, EXAM)[0]))
    learn_merges(english, FAMILIES[name].english_merges, merges)
    return Tokenizer(FAMILIES[name], merges)


# ---------------------------------------------------------------------------------------------------
# Use


def byte_characters():
    """GPT-2's characters: printable bytes stand for themselves, the others for U+0100 and following."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {byte: chr(byte) for byte in printable}
    for byte in range(256):
        table.setdefault(byte, chr(256 + len(table) - len(printable)))
    return table


BYTE_CHARACTERS = byte_characters()


def spell(text):
    """ASCII text in the byte alphabet."""
    return "".join(BYTE_CHARACTERS[byte] for byte in text.encode("ascii"))


class Tokenizer:
    def __init__(self, family, merges):
        self.family, self.merges = family, merges
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        ordinary = [bytes([byte]) for byte in sorted(range(256), key=lambda b: BYTE_CHARACTERS[b])]
        for left, right in merges:
            joined = (left + right).encode("ascii")
            assert joined not in ordinary, "two ways to the same token"
            ordinary.append(joined)
        first = len(family.specials) if family.first else 0
        self.token_bytes = {first + i: text for i, text in enumerate(ordinary)}
        start = 0 if family.first else len(ordinary)
        self.special_ids = {text: start + i for i, text in enumerate(family.specials)}
        self.size = len(ordinary) + len(family.specials)
        self.ids = {text: i for i, text in self.token_bytes.items()}
        self.mask, self.eos, self.pad, self.bos, self.end_of_turn = (
            self.special_ids[family.roles[role]] for role in ("mask", "eos", "pad", "bos", "end_of_turn"))
        self.pieces = {}  # remembered encodings

    def encode(self, text):
        """Ids of ASCII text; special tokens' text is text."""
        ids = []
        for piece in ASCII_PATTERN.findall(text):
            if piece not in self.pieces:
                self.pieces[piece] = [self.ids[part.encode("ascii")] for part in self._merge(piece)]
            ids += self.pieces[piece]
        return ids

    def _merge(self, piece):
        parts = list(piece)
        while len(parts) > 1:
            rank, pair = min((self.ranks.get(pair, len(self.ranks)), pair) for pair in zip(parts, parts[1:]))
            if rank == len(self.ranks):
                break
            parts = join_pair(parts, pair)
        return parts

    def encode_bytes(self, data):
        """Ids of any bytes. No merge holds a byte beyond ASCII, so those stand alone in every encoding."""
        ids = []
        for stretch in re.findall(rb"[\x00-\x7f]+|[\x80-\xff]", data):
            ids += self.encode(stretch.decode("ascii")) if stretch[0] < 128 else [self.ids[stretch]]
        return ids

    def chat(self, content):
        """The prompt: one user turn and the header of the answer."""
        ids = []
        for part in self.family.layout:
            if part in self.special_ids:
                ids.append(self.special_ids[part])
            else:
                ids += self.encode(content if part is None else part)
        return ids

    def text(self, window):
        """The answer in a window: up to the first token that ends it, without masks and special tokens."""
        data = b""
        for token in window:
            if token in (self.eos, self.pad, self.end_of_turn):
                break
            data += self.token_bytes.get(token, b"")
        return data.decode("utf-8", "replace")


def convert(window, source, target):
    """A window in another vocabulary (docs/algorithm.md#changing-the-tokenizer-on-the-way, preserve-masks):
    special cells by role, and each run of text between them by its bytes."""
    if source is target:
        return list(window)
    # Where one id has several roles, the last entry counts.
    roles = {source.pad: target.pad, source.end_of_turn: target.end_of_turn, source.eos: target.eos,
             source.mask: target.mask}
    converted, run = [], b""
    for token in window:
        if token in source.token_bytes:
            run += source.token_bytes[token]
        else:
            converted += target.encode_bytes(run) + [roles.get(token, target.pad)]
            run = b""
    return converted + target.encode_bytes(run)
