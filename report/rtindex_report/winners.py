"""The winner at each point, among series that did the same work on the same machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Union

from .charts import Chart, Series
from .machines import Machine
from .records import Record
from .words import listed

Point = Union[float, str]

CLOSE = 1.01  # less than this apart is too close to call, whatever the runs
NOT_OF_AN_INDEX = ("sort_ms",)  # the same sort for every index
METRICS_OF_LOOKUPS = ("lookup_ms", "ns_per_lookup", "mlookups_per_s")


@dataclass(frozen=True)
class Verdict:
    place: Point
    winner: Series
    second: Series
    factor: float  # how far the second is behind
    close: bool  # the runs of the two overlap, or the two are within 1%: too close to call


@dataclass
class Contest:
    """One chart on one machine under one condition, such as sorted lookups."""

    chart: Chart
    machine: Machine
    condition: str
    verdicts: list[Verdict]

    @property
    def between_indexes(self) -> bool:
        """Whether several indexes compete, not only settings of one."""
        return any(v.winner.family != v.second.family for v in self.verdicts)

    def name_of(self, verdict: Verdict) -> str:
        """The winner: an index, or its setting where settings of one index compete."""
        return verdict.winner.family if self.between_indexes else verdict.winner.label


def contests(chart: Chart) -> list[Contest]:
    if not chart.experiment.rivals or chart.metric.lower_is_better is None:
        return []
    if chart.metric.name in NOT_OF_AN_INDEX:
        return []
    first = chart.experiment.metrics[0]
    if chart.metric is not first and {chart.metric.name, first.name} <= set(METRICS_OF_LOOKUPS):
        return []
    found = []
    machines = {series.machine.id: series.machine for series in chart.series}
    for machine in machines.values():
        if not machine.published:
            own = [series for series in chart.series if series.machine is machine]
            found.extend(_contests_on(chart, machine, own))
    return found


def _contests_on(chart: Chart, machine: Machine, series: list[Series]) -> list[Contest]:
    runs = [(one, record) for one in series for record in one.records if record.status == "ok"]
    conditions = _condition_keys([record for _, record in runs])
    lanes: dict[str, list[tuple[Series, Record]]] = {}
    for one, record in runs:
        values = {key: record.workload.get(key) for key in conditions}
        lanes.setdefault(json.dumps(values, sort_keys=True), []).append((one, record))
    lower = bool(chart.metric.lower_is_better)
    judged = [(lane, verdicts) for lane in lanes.values() if (verdicts := _verdicts(lane, lower))]
    return [
        Contest(chart, machine, _condition(lane, runs) if len(judged) > 1 else "", verdicts)
        for lane, verdicts in judged
    ]


def place(record: Record) -> Point:
    return record.x if record.x is not None else record.category


def _condition_keys(records: list[Record]) -> list[str]:
    """Workload parameters that differ at one place: their records are not comparable."""
    differing = set()
    seen: dict[tuple, object] = {}
    keys = {key for record in records for key in record.workload} - {"note", "kernels"}
    for record in records:
        for key in keys:
            value = json.dumps(record.workload.get(key), sort_keys=True)
            if seen.setdefault((place(record), key), value) != value:
                differing.add(key)
    return sorted(differing)


def _verdicts(lane: list[tuple[Series, Record]], lower: bool) -> list[Verdict]:
    by_place: dict[Point, list[tuple[Series, Record]]] = {}
    for series, record in lane:
        by_place.setdefault(place(record), []).append((series, record))
    several = len({series.family for series, _ in lane}) > 1
    verdicts = []
    for where, field in by_place.items():
        ranked = sorted(field, key=lambda entry: entry[1].middle, reverse=not lower)
        ranked = _best_settings(ranked) if several else ranked
        if len(ranked) > 1:
            verdict = _verdict(where, ranked[0], ranked[1], lower)
            if verdict:
                verdicts.append(verdict)
    if all(isinstance(verdict.place, (int, float)) for verdict in verdicts):
        verdicts.sort(key=lambda verdict: verdict.place)
    return verdicts


def _best_settings(ranked: list[tuple[Series, Record]]) -> list[tuple[Series, Record]]:
    """Each index with the best of its settings: they are no rivals of each other."""
    best: dict[str, tuple[Series, Record]] = {}
    for series, record in ranked:
        best.setdefault(series.family, (series, record))
    return list(best.values())


def _verdict(where: Point, first, second, lower: bool) -> Verdict | None:
    small, large = sorted((first[1].middle, second[1].middle))
    if small <= 0:
        return None
    factor = large / small
    close = factor < CLOSE or _overlap(first[1], second[1], lower)
    return Verdict(where, first[0], second[0], factor, close)


def _overlap(first: Record, second: Record, lower: bool) -> bool:
    ours, theirs = _usual(first.runs), _usual(second.runs)
    if len(ours) < 2 or len(theirs) < 2:
        return False
    return ours[-1] >= theirs[0] if lower else ours[0] <= theirs[-1]


def _usual(runs: tuple) -> list:
    """The sorted runs; of five or more, without the fastest and the slowest."""
    ordered = sorted(runs)
    return ordered[1:-1] if len(ordered) >= 5 else ordered


def _condition(lane: list[tuple[Series, Record]], everyone: list[tuple[Series, Record]]) -> str:
    """The part of the legend that the whole lane shares, or that the others have."""
    shared = _shared_words(lane)
    if shared:
        return ", ".join(shared)
    others = {series.variant for series, _ in everyone} - {series.variant for series, _ in lane}
    return "without " + listed(sorted(others)) if others else ""


def _shared_words(lane: list[tuple[Series, Record]]) -> list[str]:
    variants = [series.variant.split(", ") for series, _ in lane if series.variant]
    if len(variants) < len(lane):
        return []
    return [word for word in variants[0] if all(word in variant for variant in variants)]
