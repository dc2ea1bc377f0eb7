"""The question and the axes of each experiment.

Those of `rtindex bench` are in experiments.json, which it writes itself; those of the other
programs in programs.py. An experiment that neither describes is derived from its records.
"""

from __future__ import annotations

import functools
import json
import math
import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from . import programs
from .metrics import label_of, plain
from .pages import page_of
from .records import Record

FILE = pathlib.Path(__file__).with_name("experiments.json")  # of `rtindex bench --list --json`


@dataclass(frozen=True)
class Axis:
    name: str
    label: str
    log: bool = False


@dataclass(frozen=True)
class Metric:
    name: str
    label: str
    log: bool = False
    lower_is_better: bool | None = None  # None: neither

    @property
    def plain(self) -> str:
        """The label without its unit."""
        return self.label.split(" [")[0]


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    question: str
    metrics: tuple
    x: Axis | None = None
    figure: str = ""
    section: str = ""  # of the paper; empty: ours
    command: str = ""
    rivals: bool = True  # whether its series are indexes to choose from

    @property
    def page(self) -> str:
        return page_of(self.name, self.section)


@functools.cache
def described() -> dict[str, Experiment]:
    """The experiments of `rtindex bench`."""
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    return {entry["name"]: from_entry(entry) for entry in entries}


def from_entry(entry: dict) -> Experiment:
    axis = entry.get("x")
    return Experiment(
        name=entry["name"],
        title=entry["title"],
        question=entry["question"],
        metrics=tuple(
            Metric(metric["name"], metric["label"], metric["log"], metric.get("lower_is_better"))
            for metric in entry["metrics"]
        ),
        x=axis and Axis(axis["name"], axis["label"], axis["log"]),
        figure=entry.get("figure") or "",
        section=str(entry.get("section") or ""),
        command=entry.get("command") or "",
    )


def in_order(records: list[Record]) -> list[Experiment]:
    """The experiments that have records: of `rtindex bench`, of the programs, then by name."""
    by_name: dict[str, list[Record]] = {}
    for record in records:
        by_name.setdefault(record.experiment, []).append(record)
    known = [
        _completed(one, by_name[name]) for name, one in described().items() if name in by_name
    ]
    ours = [name for name in programs.BY_NAME if name in by_name]
    others = sorted(set(by_name) - set(described()) - set(ours))
    return known + [_derived(name, by_name[name]) for name in [*ours, *others]]


def without_records(present: list[Experiment]) -> list[Experiment]:
    """The experiments of `rtindex bench` that are not present."""
    names = {one.name for one in present}
    return [one for name, one in described().items() if name not in names]


def _completed(experiment: Experiment, records: list[Record]) -> Experiment:
    """With the metrics that were measured; undescribed ones only where there are no others."""
    present = dict.fromkeys(record.metric for record in records)
    metrics = [metric for metric in experiment.metrics if metric.name in present]
    metrics = metrics or [_derived_metric(name, records) for name in present]
    return Experiment(**{**experiment.__dict__, "metrics": tuple(metrics)})


def _derived(name: str, records: list[Record]) -> Experiment:
    metrics = dict.fromkeys(record.metric for record in records)
    metrics = sorted(metrics, key=lambda metric: "lookup" not in metric)
    program = programs.BY_NAME.get(name)
    return Experiment(
        name=name,
        title=program.title if program else _title(name),
        question=program.question if program else "",
        metrics=tuple(_derived_metric(metric, records) for metric in metrics),
        x=_derived_axis([record for record in records if record.x is not None]),
        rivals=program.rivals if program else True,
    )


def _derived_metric(name: str, records: list[Record]) -> Metric:
    values = [
        record.value for record in records if record.metric == name and record.value is not None
    ]
    has_x = any(record.x is not None for record in records if record.metric == name)
    label, lower = label_of(name)
    # Bars start at zero, and show factors by their lengths, unless the shortest would vanish.
    return Metric(name, label, _is_wide(values, 30 if has_x else 3000), lower)


def _derived_axis(records: list[Record]) -> Axis | None:
    """The parameter of the workload that has the same values as x."""
    if not records:
        return None
    wide = _is_wide([record.x for record in records])
    program = programs.BY_NAME.get(records[0].experiment)
    if program:
        return Axis(program.x, program.x, wide)
    same = _parameter(records, lambda value: value)
    if same:
        return Axis(same, plain(same), wide)
    exponent = _parameter(records, lambda value: 2**value)
    if exponent:
        return Axis(f"{exponent}_log2", f"{plain(exponent)}, log2")
    return Axis("x", "x of the records", wide)


def _parameter(records: list[Record], value_of: Callable[[float], float]) -> str:
    for key in records[0].workload:
        values = [record.workload.get(key) for record in records]
        if all(
            isinstance(value, (int, float)) and math.isclose(value, value_of(record.x))
            for value, record in zip(values, records)
        ):
            return key
    return ""


def _is_wide(values: list[float], factor: float = 30) -> bool:
    return bool(values) and min(values) > 0 and max(values) / min(values) > factor


def _title(name: str) -> str:
    """cpu-peers -> CPU peers"""
    text = re.sub(r"\b[cg]pu\b", lambda match: match.group().upper(), plain(name))
    return text[:1].upper() + text[1:]
