"""Charts from records: one per metric of an experiment, with the series of all machines."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from . import colours, names, older
from .experiments import Experiment, Metric
from .machines import Machine, identity
from .records import Record
from .words import powers, rounded, x_form

SCALES = ("smoke", "laptop", "paper")
ACROSS_MACHINES = ("hardware",)  # experiments that compare machines
NUMBER = re.compile(r"\d+(?:\.\d+)?")
TIMES_OF_LOOKUPS = ("lookup_ms", "sort_ms", "total_ms")


@dataclass
class Series:
    label: str
    family: str
    variant: str
    machine: Machine
    records: list[Record] = field(default_factory=list)


@dataclass
class Chart:
    experiment: Experiment
    metric: Metric
    kind: str  # "lines" over x, or "bars" per category
    series: list[Series]
    x_form: str = "plain"
    common: str = ""  # the part that all categories share
    short_category: dict[str, str] = field(default_factory=dict)


def largest_scale(records: list[Record]) -> list[Record]:
    """Of each experiment on each machine, the records of the largest scale that was run."""
    largest: dict[tuple, int] = {}
    for record in records:
        key = (record.experiment, identity(record))
        largest[key] = max(largest.get(key, -1), _rank(record))
    return [
        record
        for record in records
        if _rank(record) == largest[record.experiment, identity(record)]
    ]


def _rank(record: Record) -> int:
    return SCALES.index(record.scale) if record.scale in SCALES else len(SCALES)


def of_experiment(
    experiment: Experiment, records: list[Record], machines: dict[tuple, Machine]
) -> list[Chart]:
    records = older.completed(records)
    charts = []
    for metric in experiment.metrics:
        for kind in ("lines", "bars"):
            chosen = [
                record
                for record in records
                if record.metric == metric.name
                and (record.x is not None) == (kind == "lines")
                and not record.is_rejection
            ]
            if chosen:
                charts.append(_chart(experiment, metric, kind, chosen, machines))
    return charts


def _chart(experiment, metric, kind, records, machines) -> Chart:
    by_series: dict[tuple, Series] = {}
    for record in _newest(records):
        label = record.series
        if kind == "lines" and record.category:
            label += ", " + record.category
        machine = machines[identity(record)]
        series = by_series.setdefault(
            (machine.id, label),
            Series(label, names.family(record.index), names.variant(label), machine),
        )
        series.records.append(record)
    chart = Chart(experiment, metric, kind, list(by_series.values()))
    if kind == "lines":
        chart.x_form = x_form(experiment.x, [record.x for record in records])
        for series in chart.series:
            series.records.sort(key=lambda record: record.x)
    else:
        places = _in_order([record.category for record in records])
        chart.short_category, chart.common = _shortened(places)
        for series in chart.series:
            series.records.sort(key=lambda record: places.index(record.category))
    return chart


def _in_order(categories: list[str]) -> list[str]:
    """As they come, but those that differ in numbers alone together and by number."""
    forms = [NUMBER.sub("#", text) for text in categories]

    def key(text: str) -> tuple:
        return forms.index(NUMBER.sub("#", text)), [float(one) for one in NUMBER.findall(text)]

    return sorted(dict.fromkeys(categories), key=key)


def _newest(records: list[Record]) -> list[Record]:
    """The latest record of each point, which replaces the earlier ones."""
    newest: dict[tuple, Record] = {}
    for record in records:
        workload = json.dumps(record.workload, sort_keys=True)
        newest[identity(record), record.series, record.x, record.category, workload] = record
    return list(newest.values())


def _shortened(categories: list[str]) -> tuple:
    """Categories without the parts that all of them share, and these parts."""
    parts = [text.split(", ") for text in categories]
    if len(categories) < 2 or len({len(part) for part in parts}) != 1:
        return {text: powers(text) for text in categories}, ""
    shared = [len(set(column)) == 1 for column in zip(*parts)]
    short = {
        text: powers(", ".join(piece for piece, same in zip(part, shared) if not same))
        for text, part in zip(categories, parts)
    }
    return short, powers(", ".join(piece for piece, same in zip(parts[0], shared) if same))


def page_data(chart: Chart) -> dict:
    """The data from which the page's script draws the chart and its table."""
    variants = list(dict.fromkeys(series.variant for series in chart.series))
    axis = chart.experiment.x
    label = axis.label if axis and chart.kind == "lines" else ""
    if chart.x_form == "exponent":
        label = label.replace(", log2", "")  # places are written as powers of two
    return {
        "metric": chart.metric.name,
        "label": chart.metric.label,
        "log": chart.metric.log,
        "lower": chart.metric.lower_is_better,
        "kind": chart.kind,
        "common": chart.common,
        "places": list(chart.short_category.values()),
        "across": chart.experiment.name in ACROSS_MACHINES,
        "perLookup": _per_lookup(chart),
        "x": {
            "label": label,
            "log": bool(axis and axis.log),
            "form": chart.x_form,
        },
        "series": [_series_data(chart, series, variants) for series in chart.series],
    }


def _per_lookup(chart: Chart) -> dict | None:
    """Whether times can be shown per lookup, and come first: the paper's batches differ in size."""
    done = [record for series in chart.series for record in series.records if record.status == "ok"]
    if not chart.metric.name.startswith(TIMES_OF_LOOKUPS) or not all(
        record.lookups for record in done
    ):
        return None
    own, published = (_batch_sizes(done, of_paper) for of_paper in (False, True))
    shared = own.keys() & published.keys()
    return {"first": any(own[place] != published[place] for place in shared)}


def _batch_sizes(records: list[Record], published: bool) -> dict:
    sizes: dict = {}
    for record in records:
        if record.published == published:
            place = record.category if record.x is None else record.x
            sizes.setdefault(place, set()).add(record.lookups)
    return sizes


def _series_data(chart: Chart, series: Series, variants: list[str]) -> dict:
    variant = variants.index(series.variant)
    return {
        "label": series.label,
        "index": series.family,
        "colour": colours.css_name(series.family, variant % len(colours.SHADES)),
        "marker": variant,
        "machine": series.machine.id,
        "paper": series.machine.published,
        "points": [_point(chart, record) for record in series.records],
    }


def _point(chart: Chart, record: Record) -> dict:
    point: dict[str, object | None] = {
        "x": record.x if chart.kind == "lines" else chart.short_category[record.category],
        "value": rounded(record.value),
        "median": rounded(record.middle) if record.status == "ok" else None,
    }
    if len(record.runs) > 1:
        point.update(
            low=rounded(min(record.runs)), high=rounded(max(record.runs)), runs=len(record.runs)
        )
    if record.lookups and chart.metric.name.startswith(TIMES_OF_LOOKUPS):
        point.update(lookups=record.lookups)
    if record.status != "ok":
        point.update(status=record.status, reason=powers(record.reason) or None)
    return {name: value for name, value in point.items() if value is not None}
