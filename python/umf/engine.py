"""Models on a backend: loading, plain decodings, tokens and logits."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from ._library import Call, call, lib, request

if TYPE_CHECKING:
    import numpy

Messages = Sequence[Mapping[str, str]]
"""A conversation: [{"role": "user", "content": "..."}, ...]."""


class Engine:
    """A backend and the models that are loaded on it, kept as long as the engine is.

    Most programs need none: there is a default engine, which functions use where none is given. Options describe the
    machine, as for every command of `umf`: backend ("auto", "cpu", "cuda", ...), device (a GPU's number), devices
    (several: [0, 1], "0-3" or "all"; the result is the same), place ("dream=0,llada=1": which of `devices` models stand
    on), threads, cpu_target, workers (rollouts of a search at once; the result is the same), memory_limit (GB of
    weights), strict_config, unsafe_no_sandbox.

    May be used by several threads at once; each call gets what it needs.
    """

    def __init__(self, **options: Any):
        handle = ctypes.c_void_p()
        self._handle = None
        call(lib.umf_engine_open, request(options), ctypes.byref(handle))
        self._handle = handle

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and lib is not None:
            lib.umf_engine_close(self._handle)
            self._handle = None

    @property
    def handle(self) -> ctypes.c_void_p:
        assert self._handle is not None
        return self._handle

    def load(self, where: str | os.PathLike[str] | None = None) -> Model:
        """A model: the name of an embedded one, a directory, a *.gguf file, or org/name in the local hub cache; the
        first embedded one without a name. NAME=WHERE names it."""
        return Model(self, os.fspath(where) if where is not None else embedded_models()[0])


_default: Engine | None = None
_default_lock = threading.Lock()


def default_engine() -> Engine:
    """The engine of those who give none; made when first asked for."""
    global _default  # pylint: disable=global-statement
    with _default_lock:
        if _default is None:
            _default = Engine()
        return _default


def describe() -> dict[str, Any]:
    """What there is to choose from: models that are built in, searches, presets, rewards, backends and examples."""
    return call(lib.umf_describe)


def embedded_models() -> list[str]:
    """The names of the models that are built in, the strongest first."""
    return [model["name"] for model in describe()["models"]]


def load(where: str | os.PathLike[str] | None = None, **machine: Any) -> Model:
    """Opens a model; see Engine.load() for what `where` may be. With options of Engine() on an engine of its own.

    >>> umf.load("dream").generate("Write f(s): reverse it, and return it.").answer
    """
    return (Engine(**machine) if machine else default_engine()).load(where)


@dataclasses.dataclass(frozen=True)
class Generation:
    """What a model wrote."""

    answer: str
    tokens: list[int]
    """The whole window, what ends the text included."""
    nfe: int
    """Forward passes."""
    complete: bool
    raw: dict[str, Any]
    """Everything that `umf generate --json` prints."""


class Model:
    """A masked diffusion language model."""

    def __init__(self, engine: Engine, where: str):
        self.engine, self.where = engine, where
        self.info: dict[str, Any] = call(lib.umf_model, engine.handle, where.encode())
        """name, family, vocabulary, max_length, window (that is recommended), mask, end_of_text, end_of_turn, ends,
        fingerprint, parameters, backend, warnings."""

    def __repr__(self) -> str:
        return f"umf.Model({self.where!r}, {self.info['family']}, {self.info['parameters'] / 1e6:.1f} M parameters)"

    def generate(
        self,
        prompt: Union[str, Messages],
        *,
        length: int | None = None,
        on_pass: Callable[[dict[str, Any]], Any] | None = None,
        on_progress: Callable[[int, int], Any] | None = None,
        **options: Any,
    ) -> Generation:
        """One plain decoding, the same bytes as `umf generate` with the same options.

        prompt       the user's message, or a conversation; with raw=True text as it is
        length       tokens to write; what the model recommends without it
        options      those of `umf generate`, '_' for '-': temperature, seed, strategy, schedule, steps, block_length,
                     system, raw, chat_template (a text), prompt_tokens (a list, with prompt="") ...
        on_pass      hears what each pass committed: {"pass", "commits": [{"cell", "token", "text"}]}
        on_progress  hears passes made and at most to be made, some twenty times a second

        Either may return False to stop: what was written until then is returned.
        """
        asked: dict[str, Any] = {"model": self.where, "length": length, **options}
        if "prompt_tokens" not in options:
            asked["prompt" if isinstance(prompt, str) else "messages"] = (
                prompt if isinstance(prompt, str) else [dict(message) for message in prompt])
        raw = Call(on_event=on_pass, on_progress=on_progress).run(lib.umf_generate, self.engine.handle, request(asked))
        return Generation(raw["answer"], raw["tokens"], raw["nfe"], raw["complete"], raw)

    def encode(self, text: str, *, special: bool = True) -> list[int]:
        """Text to ids; special=False takes the text of special tokens for text."""
        return self._tokenize(text=text, special=special)["tokens"]

    def encode_chat(self, messages: Messages) -> list[int]:
        """The ids of a conversation as the model's chat template puts it, up to where its answer begins."""
        return self._tokenize(messages=[dict(message) for message in messages])["tokens"]

    def decode(self, tokens: Sequence[int], *, special: bool = True) -> str:
        """Ids to text; special=False leaves special tokens out."""
        return self._tokenize(tokens=[int(token) for token in tokens], special=special)["text"]

    def _tokenize(self, **asked: Any) -> Any:
        return call(lib.umf_tokenize, self.engine.handle, request({"model": self.where, **asked}))

    def logits(self, tokens: Sequence[int], positions: Sequence[int] | None = None) -> numpy.ndarray:
        """What the model says about positions of a sequence, from one forward pass: float32, (positions, vocabulary).

        Row i is about positions[i] (all without them), also in families whose outputs are shifted. Put
        info["mask"] where something is to be predicted. Needs NumPy.
        """
        import numpy  # pylint: disable=import-outside-toplevel

        ids = numpy.ascontiguousarray(tokens, dtype=numpy.int32).reshape(-1)
        wanted = numpy.arange(len(ids)) if positions is None else positions
        places = numpy.ascontiguousarray(wanted, dtype=numpy.int32).reshape(-1)
        rows = numpy.empty((len(places), self.info["vocabulary"]), dtype=numpy.float32)
        call(lib.umf_logits, self.engine.handle, self.where.encode(), ids.ctypes.data, ids.size, places.ctypes.data,
             places.size, rows.ctypes.data, rows.size)
        return rows
