"""Run: the results of `umf bench` as rows. grade(): answers that exist already."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ._library import Call, call, lib, request


def _flat(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


class Run:
    """A run directory, finished or running; read when it is made, and again by refresh().

    rows     one dict for each problem, configuration and budget, nested fields as "search.nfe", "seconds.unmask":
             id, configuration, budget, status, passed, reward, answer, why, ...
    config   everything needed to repeat the run
    summary  what `umf bench --json` prints

    >>> pandas.DataFrame(umf.Run("runs/mine").rows).groupby(["configuration", "budget"]).passed.mean()
    """

    def __init__(self, directory: str | os.PathLike[str]):
        self.directory = os.fspath(directory)
        self.rows: list[dict[str, Any]] = []
        self.config: dict[str, Any] = {}
        self.summary: dict[str, Any] = {}
        self.refresh()

    def refresh(self) -> None:
        """Reads what has been added since."""
        read = call(lib.umf_run, os.fsencode(self.directory))
        self.config, self.summary = read["config"], read["summary"]
        self.rows = [dict(_flat(row)) for row in read["rows"]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"umf.Run({self.directory!r}, {len(self.rows)} results)"


@dataclasses.dataclass(frozen=True)
class Grades:
    """Verdicts on answers."""

    samples: list[dict[str, Any]]
    """{"id", "passed", "reward", "why"}, in the order of the answers; passed is None where it could not be judged."""
    summary: dict[str, Any]
    """problems, samples, pass@1, ..."""


def grade(
    dataset: str | os.PathLike[str],
    samples: str | os.PathLike[str] | Iterable[Mapping[str, Any]],
    *,
    tests: str | None = None,
    on_sample: Callable[[dict[str, Any]], Any] | None = None,
    on_progress: Callable[[int, int], Any] | None = None,
    **options: Any,
) -> Grades:
    """Judges answers as `umf grade` does.

    dataset    a JSON Lines file; its kind is recognised
    samples    a file, or the answers themselves: {"id", "answer"}, {"task_id", "solution"}, ...
    tests      visible, hidden or all
    on_sample  hears each line, in order
    options    the others of `umf grade`, '_' for '-': limit, workers, details, ...
    """
    made = Call(on_event=on_sample, on_progress=on_progress)
    asked = {"dataset": os.fspath(dataset), "tests": tests, **options}
    if isinstance(samples, (str, os.PathLike)):
        raw = made.run(lib.umf_grade, request({**asked, "samples": os.fspath(samples)}))
    else:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.writelines(json.dumps(dict(sample)) + "\n" for sample in samples)
            file.flush()
            raw = made.run(lib.umf_grade, request({**asked, "samples": file.name}))
    return Grades(raw["samples"], raw["summary"])
