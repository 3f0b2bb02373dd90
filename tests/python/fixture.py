"""What the tests of the Python package share: where things are, and tiny models."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["UMF_PROGRAM"]
TINY_MODELS = pathlib.Path(os.environ["UMF_TINY_MODELS"])  # made by make-tiny-models
TINY = [str(TINY_MODELS / "tiny-dream"), str(TINY_MODELS / "tiny-llada")]
SMALL = {"window": 16, "budget": 64, "stop_at_reward": "never"}  # a search of a few milliseconds


def run(*arguments: str, **settings) -> str:
    """What the program prints."""
    done = subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True, **settings)
    return done.stdout


def as_options(**options) -> list[str]:
    """Keyword arguments as the command line spells them."""
    words = []
    for key, value in options.items():
        words += [f"--{key.replace('_', '-')}", str(value)]
    return words


def length_reward(answer: str) -> float:
    """A function of the text alone."""
    return len(answer) % 97 / 97


def without_times(result: dict) -> dict:
    """What does not differ between runs."""
    return {key: value for key, value in result.items() if key not in ("seconds", "weights", "speculative")}


class WithFolder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name: str, content) -> str:
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)
