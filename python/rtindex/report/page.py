"""Puts the page together: words from here, charts and tables drawn by the scripts in assets/."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

from . import charts, colours, overview, top, winners
from .card import card
from .experiments import Experiment, in_order
from .machines import Machine, all_machines, identity
from .records import Record
from .words import escape

ASSETS = pathlib.Path(__file__).with_name("assets")
STYLES = ("style.css", "narrow.css", "print.css")
SCRIPTS = (
    "format.js",
    "scale.js",
    "svg.js",
    "legend.js",
    "crosshair.js",
    "lines.js",
    "bars.js",
    "table.js",
    "view.js",
    "page.js",
)

# Headings by the paper's section; what is in neither is ours.
PARTS = {"4": "Against other indexes", "ours": "Beyond the paper", "3": "Choices within RX"}

# The page may load nothing: it is complete, and it says so to the browser.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


@dataclass
class Page:
    html: str
    experiments: int
    machines: int


def make(records: list[Record], described: dict[str, Experiment], title: str) -> Page:
    shown = charts.largest_scale(records)
    machines = all_machines(records)
    experiments = in_order(described, shown)
    drawn = {
        experiment.name: charts.of_experiment(
            experiment,
            [record for record in shown if record.experiment == experiment.name],
            machines,
        )
        for experiment in experiments
    }
    body = [
        top.header(title, records, experiments, list(machines.values())),
        top.controls(list(machines.values())),
        "<main>",
        _overview(list(machines.values()), [chart for group in drawn.values() for chart in group]),
        *_parts(
            experiments,
            lambda one: card(one, drawn[one.name], _refusals(one, shown, machines)),
        ),
        _unmeasured(described, experiments),
        "</main>",
        _footer(),
        _data(machines, experiments, drawn),
    ]
    return Page(_document(title, body, drawn), len(experiments), len(machines))


def _parts(experiments: list[Experiment], card_of) -> list[str]:
    """The cards under the paper's parts, each with links to its experiments."""
    written = []
    for part_name, heading in PARTS.items():
        part = [one for one in experiments if _part(one) == part_name]
        if part:
            links = "".join(
                f'<li><a href="#{escape(one.name)}">{escape(one.title)}</a></li>' for one in part
            )
            written.append(f"<h2>{escape(heading)}</h2>")
            if len(part) > 2:
                label = f"Experiments: {heading}"
                written.append(f'<nav aria-label="{escape(label)}"><ul>{links}</ul></nav>')
            written.extend(card_of(one) for one in part)
    return written


def _part(experiment: Experiment) -> str:
    digit = experiment.section[:1]
    return digit if digit in PARTS else "ours"


def _refusals(experiment: Experiment, records: list[Record], machines: dict) -> dict[int, str]:
    return {
        machines[identity(record)].id: record.reason.rstrip(".")
        for record in records
        if record.experiment == experiment.name and record.is_refusal
    }


def _document(title: str, body: list[str], drawn: dict[str, list]) -> str:
    families = {
        series.family for group in drawn.values() for chart in group for series in chart.series
    }
    style = colours.style_sheet(families) + "".join(_asset(name) for name in STYLES)
    script = "\n".join(_asset(name) for name in SCRIPTS)
    content = "\n".join(part for part in body if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{content}\n"
        f'<script>\n(() => {{\n"use strict";\n{script}\n}})();\n</script>\n</body>\n</html>\n'
    )


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _overview(machines: list[Machine], drawn: list) -> str:
    contests = [contest for chart in drawn for contest in winners.contests(chart)]
    sections = [
        overview.of_machine(machine, [one for one in contests if one.machine is machine])
        for machine in machines
        if not machine.published
    ]
    if not sections:
        sections = ["<p>Only published figures are here; nothing has been measured yet.</p>"]
    return (
        '<section id="overview" aria-labelledby="overview-title">'
        '<h2 id="overview-title">Which index wins where</h2>\n' + "\n".join(sections) + "</section>"
    )


def _unmeasured(described: dict[str, Experiment], experiments: list[Experiment]) -> str:
    shown = {experiment.name for experiment in experiments}
    missing = [experiment for name, experiment in described.items() if name not in shown]
    if not missing:
        return ""
    items = "".join(
        f"<li><strong>{escape(one.title)}</strong>: {escape(one.question)} "
        f"<code>{escape(one.command)}</code></li>"
        for one in missing
    )
    return f'<section class="missing"><h2>Not measured yet</h2><ul>{items}</ul></section>'


def _footer() -> str:
    return (
        "<footer><p>Made by <code>python -m rtindex.report</code> from measurement records and "
        "nothing else. Medians decide, and a win counts where the runs of the first two do not "
        "overlap; only indexes that did the same work on the same machine are compared. Published "
        "figures are means, from "
        "<cite>RTIndeX: Exploiting Hardware-Accelerated GPU Raytracing for Database Indexing</cite>"
        ", PVLDB 16.</p></footer>"
    )


def _data(
    machines: dict[tuple, Machine], experiments: list[Experiment], drawn: dict[str, list]
) -> str:
    data = {
        "machines": [
            {"id": machine.id, "name": machine.name, "paper": machine.published}
            for machine in machines.values()
        ],
        "charts": {
            experiment.name: [charts.page_data(chart) for chart in drawn[experiment.name]]
            for experiment in experiments
        },
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character, escaped in (("<", "\\u003c"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        text = text.replace(character, escaped)
    return f'<script type="application/json" id="data">{text}</script>'
