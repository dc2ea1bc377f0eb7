"""The question and the axes of each experiment: from results/experiments.json, or guessed."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from .records import Record, ReportError

FILE = "experiments.json"  # written by `rtindex bench --list --json`


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


def read(paths: Iterable[pathlib.Path]) -> dict[str, Experiment]:
    """The descriptions beside the records, if there are any."""
    described = {}
    for path in paths:
        folder = path if path.is_dir() else path.parent
        for file in (folder / FILE, folder.parent / FILE):
            if file.exists():
                described.update(_read_file(file))
                break
    return described


def _read_file(path: pathlib.Path) -> dict[str, Experiment]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return {entry["name"]: _described(entry) for entry in entries}
    except json.JSONDecodeError as fault:
        raise ReportError(f"{path}:{fault.lineno}: not JSON ({fault.msg})") from None
    except (KeyError, TypeError, AttributeError) as fault:
        raise ReportError(
            f"{path}: a description lacks {fault}; write the file again with "
            "`rtindex bench --list --json`"
        ) from None


def _described(entry: dict) -> Experiment:
    axis = entry.get("x")
    metrics = tuple(
        Metric(
            metric["name"],
            metric.get("label") or plain(metric["name"]),
            bool(metric.get("log")),
            metric.get("lower_is_better"),
        )
        for metric in entry["metrics"]
    )
    return Experiment(
        name=entry["name"],
        title=entry.get("title") or _title(entry["name"]),
        question=entry.get("question", ""),
        metrics=metrics,
        x=axis
        and Axis(axis["name"], axis.get("label") or plain(axis["name"]), bool(axis.get("log"))),
        figure=entry.get("figure") or "",
        section=str(entry.get("section") or ""),
        command=entry.get("command") or "",
    )


def in_order(described: dict[str, Experiment], records: list[Record]) -> list[Experiment]:
    """The experiments that have records: as they are described, then by name."""
    by_name: dict[str, list[Record]] = {}
    for record in records:
        by_name.setdefault(record.experiment, []).append(record)
    known = [_completed(described[name], by_name[name]) for name in described if name in by_name]
    return known + [_guessed(name, by_name[name]) for name in sorted(set(by_name) - set(described))]


def _completed(experiment: Experiment, records: list[Record]) -> Experiment:
    """With the metrics that were measured; undescribed ones only where there are no others."""
    present = dict.fromkeys(record.metric for record in records)
    metrics = [metric for metric in experiment.metrics if metric.name in present]
    metrics = metrics or [_guessed_metric(name, records) for name in present]
    return Experiment(**{**experiment.__dict__, "metrics": tuple(metrics)})


def _guessed(name: str, records: list[Record]) -> Experiment:
    metrics = dict.fromkeys(record.metric for record in records)
    metrics = sorted(metrics, key=lambda metric: not metric.startswith("lookup"))
    x_values = [record.x for record in records if record.x is not None]
    return Experiment(
        name=name,
        title=_title(name),
        question="",
        metrics=tuple(_guessed_metric(metric, records) for metric in metrics),
        x=Axis("x", "x", _is_wide(x_values)) if x_values else None,
    )


def _guessed_metric(name: str, records: list[Record]) -> Metric:
    values = [
        record.value for record in records if record.metric == name and record.value is not None
    ]
    has_x = any(record.x is not None for record in records if record.metric == name)
    lower = True if name.endswith(("_ms", "_s", "_ns", "_bytes")) else None
    return Metric(name, plain(name), has_x and _is_wide(values), lower)


def _is_wide(values: list[float]) -> bool:
    return bool(values) and min(values) > 0 and max(values) / min(values) > 30


def _title(name: str) -> str:
    """cpu-peers -> CPU peers"""
    text = re.sub(r"\b[cg]pu\b", lambda match: match.group().upper(), plain(name))
    return text[:1].upper() + text[1:]


def plain(name: str) -> str:
    """lookup_ms -> lookup [ms]"""
    words = name.replace("-", " ").split("_")
    if len(words) > 1 and words[-1] in ("ms", "s", "ns", "us", "bytes"):
        return " ".join(words[:-1]) + f" [{words[-1]}]"
    return " ".join(words)
