"""Reads measurement records: JSON lines, one measurement a line."""

from __future__ import annotations

import json
import math
import pathlib
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

TEXTS = (
    "series",
    "category",
    "reason",
    "scale",
    "command",
    "commit",
    "version",
    "source",
    "date",
)
STATUSES = ("ok", "timed out", "unsupported")


class ReportError(Exception):
    """The message says what is wrong, where, and what to do."""


@dataclass(frozen=True)
class Record:
    experiment: str
    index: str
    metric: str
    machine: dict
    folder: str  # the name of the folder that holds the file, one per machine
    series: str | None = None
    x: float | None = None
    category: str | None = None
    value: float | None = None
    median: float | None = None
    runs: tuple = ()
    status: str = "ok"
    reason: str = ""
    scale: str = ""
    workload: dict = field(default_factory=dict)
    command: str = ""
    commit: str = ""
    version: str = ""
    source: str = ""
    date: str = ""  # when it was measured, in UTC: 2026-01-31T12:00:00Z

    @property
    def note(self) -> str:
        """The circumstances, such as other load on the machine."""
        return str(self.workload.get("note") or "")

    @property
    def middle(self) -> float | None:
        """The median of the runs, which one outlier does not move."""
        if self.median is not None:
            return self.median
        return statistics.median(self.runs) if self.runs else self.value

    @property
    def lookups(self) -> int | None:
        """The number of lookups of the batch."""
        for name in ("lookup_count", "lookups"):
            if isinstance(self.workload.get(name), int):
                return self.workload[name]
        exponent = self.workload.get("lookups_log2")
        return 2**exponent if isinstance(exponent, int) else None

    @property
    def is_rejection(self) -> bool:
        """Whether the record holds the reason why the machine cannot run the experiment."""
        return self.index == "none" and self.status != "ok"

    @property
    def published(self) -> bool:
        """Whether it is a figure of a paper, not a measurement of ours."""
        return bool(self.source)


def record_files(paths: Iterable[pathlib.Path]) -> list[pathlib.Path]:
    """The *.jsonl files among the paths and in their folders, by name."""
    files = []
    for path in paths:
        if path.is_dir():
            files.extend(sorted(path.rglob("*.jsonl")))
        elif path.exists():
            files.append(path)
        else:
            raise ReportError(f"{path}: no such file or folder")
    if not files:
        named = ", ".join(str(path) for path in paths)
        raise ReportError(
            f"{named}: no *.jsonl records found; "
            "measure some with `rtindex bench all --scale smoke`"
        )
    return list(dict.fromkeys(files))


def read(paths: Iterable[pathlib.Path]) -> list[Record]:
    """All records. Invalid lines, up to twenty of them, are listed in one error."""
    records, faults = [], []
    for path in record_files(list(paths)):
        folder = path.resolve().parent.name
        for number, line in _lines(path):
            try:
                records.append(parse(line, folder))
            except ReportError as fault:
                faults.append(f"{path}:{number}: {fault}")
    if faults:
        more = len(faults) - 20
        text = "\n".join(faults[:20]) + (f"\nand {more} more" if more > 0 else "")
        raise ReportError(text + "\nCorrect or remove these lines, then write the report again.")
    if not records:
        raise ReportError("the record files are empty: nothing has been measured yet")
    return records


def _lines(path: pathlib.Path) -> Iterator[tuple]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise ReportError(
            f"{path}: not UTF-8 text ({fault.reason} at byte {fault.start})"
        ) from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def parse(line: str, folder: str) -> Record:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError as fault:
        raise ReportError(f"not JSON ({fault.msg} at column {fault.colno})") from None
    if not isinstance(fields, dict):
        raise ReportError('expected a JSON object, such as {"experiment": ...}')
    for name in ("experiment", "index", "metric"):
        _require(fields, name, str)
    _require(fields, "machine", dict)
    if not any(fields["machine"].get(name) for name in ("cpu", "gpu")):
        raise ReportError("'machine' has neither 'cpu' nor 'gpu'")
    for name in TEXTS:
        _optional(fields, name, str)
    _optional(fields, "workload", dict)
    if fields.get("x") is not None:
        _number(fields, "x")
    _check_value(fields)
    known = {
        name: fields[name] for name in Record.__dataclass_fields__ if fields.get(name) is not None
    }
    known["runs"] = tuple(fields.get("runs") or ())
    return Record(**{**known, "folder": folder})


def _check_value(fields: dict) -> None:
    status = fields.get("status", "ok")
    if status not in STATUSES:
        raise ReportError(f"'status' is {status!r}: expected {', '.join(STATUSES)}")
    if status == "ok":
        _number(fields, "value")
    elif fields.get("value") is not None:
        raise ReportError(f"both 'value' and the status {status!r} are given: remove one")
    if fields.get("median") is not None:
        _number(fields, "median")
    runs = fields.get("runs") or []
    if not isinstance(runs, list) or not all(_is_number(run) for run in runs):
        raise ReportError(f"'runs' is {runs!r}: expected an array of numbers")


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _number(fields: dict, name: str) -> None:
    if name not in fields:
        raise ReportError(f"'{name}' is missing")
    if not _is_number(fields[name]):
        raise ReportError(f"'{name}' is {fields[name]!r}: expected a finite number")


def _require(fields: dict, name: str, kind: type) -> None:
    if not fields.get(name):
        raise ReportError(f"'{name}' is missing")
    _optional(fields, name, kind)


def _optional(fields: dict, name: str, kind: type) -> None:
    if fields.get(name) is not None and not isinstance(fields[name], kind):
        wanted = {str: "text", dict: "an object"}[kind]
        raise ReportError(f"'{name}' is {fields[name]!r}: expected {wanted}")
