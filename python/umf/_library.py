"""libumf.so by ctypes: the functions of umf.h, and calls whose callbacks run on the thread that made them."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import json
import math
import os
import pathlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

OK, ERROR, INTERRUPTED = 0, 2, 130


class Error(RuntimeError):
    """A wrong request or a broken environment; the message says what was wrong, where, and what to do."""


class _Progress(ctypes.Structure):
    _fields_ = [("done", ctypes.c_int64), ("total", ctypes.c_int64)]


_Reward = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_Event = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_OnProgress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Progress))


class _Callbacks(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("context", ctypes.c_void_p),
        ("reward", _Reward),
        ("event", _Event),
        ("progress", _OnProgress),
    ]


_TEXT = ctypes.c_char_p
_RESULT = ctypes.POINTER(ctypes.c_void_p)
_HANDLE = ctypes.c_void_p
_CALLBACKS = ctypes.POINTER(_Callbacks)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "umf_version": (_TEXT, []),
    "umf_free": (None, [ctypes.c_void_p]),
    "umf_describe": (ctypes.c_int, [_RESULT]),
    "umf_judge": (None, [ctypes.c_void_p, ctypes.c_double, _TEXT]),
    "umf_engine_open": (ctypes.c_int, [_TEXT, ctypes.POINTER(_HANDLE), _RESULT]),
    "umf_engine_close": (None, [_HANDLE]),
    "umf_model": (ctypes.c_int, [_HANDLE, _TEXT, _RESULT]),
    "umf_tokenize": (ctypes.c_int, [_HANDLE, _TEXT, _RESULT]),
    "umf_logits": (
        ctypes.c_int,
        [_HANDLE, _TEXT, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
         ctypes.c_size_t, _RESULT],
    ),
    "umf_generate": (ctypes.c_int, [_HANDLE, _TEXT, _CALLBACKS, _RESULT]),
    "umf_solve": (ctypes.c_int, [_HANDLE, _TEXT, _CALLBACKS, _RESULT]),
    "umf_search_open": (ctypes.c_int, [_TEXT, ctypes.POINTER(_HANDLE), _RESULT]),
    "umf_search_ask": (ctypes.c_int, [_HANDLE, ctypes.c_int, _RESULT]),
    "umf_search_tell": (ctypes.c_int, [_HANDLE, _TEXT, _RESULT]),
    "umf_search_result": (ctypes.c_int, [_HANDLE, _RESULT]),
    "umf_search_close": (None, [_HANDLE]),
    "umf_grade": (ctypes.c_int, [_TEXT, _CALLBACKS, _RESULT]),
    "umf_run": (ctypes.c_int, [_TEXT, _RESULT]),
}


def _places() -> Iterator[str]:
    """Where the library may be: as the user says, beside the package, in a checkout's build folder, in the same prefix,
    in the system."""
    if chosen := os.environ.get("UMF_LIBRARY"):
        yield chosen
        return
    here = pathlib.Path(__file__).resolve().parent
    for place in (here / "libumf.so", here.parents[1] / "build" / "libumf.so", here.parents[2] / "libumf.so.0"):
        if place.exists():
            yield str(place)
    yield "libumf.so.0"
    if found := ctypes.util.find_library("umf"):
        yield found


def _load() -> ctypes.CDLL:
    tried = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError as failure:
            tried.append(f"{place}: {failure}")
            continue
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        return library
    raise ImportError("libumf.so cannot be loaded. Build it with `make library`, or say where it is in UMF_LIBRARY.\n"
                      + "\n".join(tried))


lib = _load()


def request(options: dict[str, Any]) -> bytes:
    """Options by the names of the command line, in which '-' stands for Python's '_'. None is left out."""
    named = {key.replace("_", "-"): value for key, value in options.items() if value is not None}
    return json.dumps(named, allow_nan=False).encode()


def take(result: ctypes.c_void_p) -> str:
    """A text of the library's, given back to it."""
    if not result.value:
        return ""
    text = ctypes.string_at(result.value).decode()
    lib.umf_free(result)
    return text


def call(function: Callable[..., int], *arguments: Any) -> Any:
    """A function without callbacks: the value of its JSON, None where it gives none."""
    result = ctypes.c_void_p()
    status = function(*arguments, ctypes.byref(result))
    text = take(result)
    if status != OK:
        raise Error(text)
    return json.loads(text) if text else None


def _verdict(value: Any) -> tuple[float, str]:
    why = ""
    if isinstance(value, tuple):
        value, why = value
    return (math.nan if value is None else float(value)), str(why)


class Call:
    """One call of a function that calls back. What a callback raises ends the call and is raised again by run()."""

    def __init__(
        self,
        reward: Callable[[str], Any] | None = None,
        on_event: Callable[[dict[str, Any]], Any] | None = None,
        on_progress: Callable[[int, int], Any] | None = None,
    ):
        self._reward, self._on_event, self._on_progress = reward, on_event, on_progress
        self._raised: BaseException | None = None
        self._in_user_code = False  # where what a signal's handler raises can be caught

    def run(self, function: Callable[..., int], *arguments: Any) -> Any:
        callbacks = _Callbacks(
            ctypes.sizeof(_Callbacks),
            None,
            _Reward(self._judge) if self._reward else _Reward(),
            _Event(self._tell) if self._on_event else _Event(),
            # Always: while it runs, Python looks for signals.
            _OnProgress(self._look),
        )
        result = ctypes.c_void_p()
        with self._heeding_signals():
            status = function(*arguments, ctypes.byref(callbacks), ctypes.byref(result))
        text = take(result)
        if self._raised is not None:
            raised, self._raised = self._raised, None
            raise raised
        if status == ERROR:
            raise Error(text)
        return json.loads(text) if text else None

    @contextlib.contextmanager
    def _heeding_signals(self) -> Iterator[None]:
        """What handlers of signals raise, Ctrl-C's above all, ends the call at its next callback and is raised again by
        run(). Raised between two callbacks, it would be lost."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        handlers = {number: handler for number in signal.valid_signals() if callable(handler := signal.getsignal(number))}

        def heed(number: int, frame: Any) -> None:
            try:
                handlers[number](number, frame)
            except BaseException as raised:  # pylint: disable=broad-exception-caught
                inside = self._in_user_code
                # User code may catch what it wants, its own alarms say, but not go on after Ctrl-C.
                if isinstance(raised, KeyboardInterrupt):
                    self._in_user_code = False
                if not self._in_user_code and self._raised is None:
                    self._raised = raised
                if inside:
                    raise

        for number in handlers:
            signal.signal(number, heed)
        try:
            yield
        finally:
            for number, handler in handlers.items():
                if signal.getsignal(number) is heed:
                    signal.signal(number, handler)

    def _guarded(self, work: Callable[[], Any]) -> int:
        """0 to go on. Nothing may be raised through C."""
        try:
            if self._raised is not None:
                return 1
            self._in_user_code = True
            goes_on = work()
            self._in_user_code = False
            return 1 if self._raised is not None or goes_on is False else 0
        except BaseException as raised:  # pylint: disable=broad-exception-caught
            self._in_user_code = False
            if self._raised is None:
                self._raised = raised
            return 1

    def _judge(self, _context: Any, answer: bytes, verdict: int) -> int:
        def judge() -> None:
            assert self._reward is not None
            reward, why = _verdict(self._reward(answer.decode()))
            lib.umf_judge(verdict, reward, why.encode("utf-8", "replace"))

        return self._guarded(judge)

    def _tell(self, _context: Any, event: bytes) -> int:
        assert self._on_event is not None
        return self._guarded(lambda: self._on_event(json.loads(event)))  # type: ignore[misc]

    def _look(self, _context: Any, progress: Any) -> int:
        if self._on_progress is None:
            return 1 if self._raised is not None else 0
        return self._guarded(lambda: self._on_progress(progress[0].done, progress[0].total))  # type: ignore[misc]
