"""Assembles the page: its text is written here, its charts and tables by the scripts in assets/."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

from . import charts, colours, overview, pages, programs, winners
from .card import card
from .experiments import Experiment, in_order, without_records
from .machines import Machine, all_machines, first_shown, identity, with_gpus
from .records import Record
from .words import count, escape

ASSETS = pathlib.Path(__file__).with_name("assets")
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

# The page is self-contained: the browser may load nothing else.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


@dataclass
class Page:
    html: str
    experiments: int
    machines: int


def make(records: list[Record], title: str, machine: str | None = None) -> Page:
    records = programs.assigned(with_gpus(records))
    shown = charts.largest_scale(records)
    machines = all_machines(records)
    first = first_shown(machines, records, machine)
    experiments = in_order(shown)
    drawn = {
        experiment.name: charts.of_experiment(
            experiment,
            [record for record in shown if record.experiment == experiment.name],
            machines,
        )
        for experiment in experiments
    }
    body = [
        _header(title, records, experiments, list(machines.values())),
        _controls(list(machines.values()), first),
        _menu(experiments),
        "<main>",
        _overview(
            list(machines.values()),
            [chart for group in drawn.values() for chart in group],
            _unmeasured(experiments),
        ),
        *_pages(
            experiments,
            lambda one: card(one, drawn[one.name], _rejections(one, shown, machines)),
        ),
        "</main>",
        _footer(),
        _data(machines, first, experiments, drawn),
    ]
    return Page(_document(title, body, drawn), len(experiments), len(machines))


def _header(
    title: str, records: list[Record], experiments: list[Experiment], machines: list[Machine]
) -> str:
    own = [record for record in records if not record.published]
    own_machines = [machine for machine in machines if not machine.published]
    facts = [
        count(len(experiments), "experiment"),
        count(len(own), "measurement"),
        f"on {count(len(own_machines), 'machine')}",
    ]
    published = len(records) - len(own)
    text = " ".join([", ".join(facts[:2]), facts[2]])
    if published:
        text += f", beside {count(published, 'published figure')}"
    return (
        '<a class="skip" href="#/overview">Skip to the overview</a>\n'
        f"<header><h1>{escape(title)}</h1>\n"
        "<p>A column of keys, a batch of lookups, and several indexes that answer it. This page "
        f"shows which of them is the best for what: {text}.</p></header>"
    )


def _controls(machines: list[Machine], first: Machine | None) -> str:
    own = [machine for machine in machines if not machine.published]
    published = [machine for machine in machines if machine.published]
    parts = []
    if len(own) > 1:
        parts.append(_machine_switch(own, first))
    if published:
        cards = [(str(machine.id), machine.name) for machine in published]
        parts.append(_select("paper", "The paper’s figures (dashed)", [*cards, ("none", "hide")]))
    runs = [("median", "median"), ("mean", "mean, as the paper")]
    parts.append(_select("runs", "Of the runs, the", runs))
    return f'<form class="controls" aria-label="What is shown">{"".join(parts)}</form>'


def _machine_switch(machines: list[Machine], first: Machine) -> str:
    choices = [(str(machine.id), machine.name) for machine in machines]
    choices.append(("all", "All, side by side"))
    radios = "".join(
        f'<label><input type="radio" name="machine" value="{value}"'
        f"{' checked' if value == str(first.id) else ''}><span>{escape(name)}</span></label>"
        for value, name in choices
    )
    return f'<fieldset class="switch"><legend>Machine</legend>{radios}</fieldset>'


def _select(name: str, label: str, choices: list[tuple[str, str]]) -> str:
    options = "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in choices)
    return f'<label class="choice">{label} <select id="{name}">{options}</select></label>'


def _menu(experiments: list[Experiment]) -> str:
    shown = [("overview", "Overview"), *_titles(experiments)]
    links = "".join(f'<a href="#/{name}">{escape(title)}</a>' for name, title in shown)
    return f'<nav class="menu" aria-label="Pages">{links}</nav>'


def _titles(experiments: list[Experiment]) -> list[tuple[str, str]]:
    """The pages that have experiments."""
    present = {one.page for one in experiments}
    return [(name, title) for name, title in pages.TITLES.items() if name in present]


def _pages(experiments: list[Experiment], card_of) -> list[str]:
    """The experiments on their pages, each with links to them."""
    written = []
    for name, title in _titles(experiments):
        page = [one for one in experiments if one.page == name]
        written.append(f'<section class="page" id="page-{name}"><h2>{escape(title)}</h2>')
        if len(page) > 2:
            links = "".join(
                f'<li><a href="#{escape(one.name)}">{escape(one.title)}</a></li>' for one in page
            )
            written.append(f'<nav aria-label="Experiments: {escape(title)}"><ul>{links}</ul></nav>')
        written.extend(card_of(one) for one in page)
        written.append("</section>")
    return written


def _rejections(experiment: Experiment, records: list[Record], machines: dict) -> dict[int, str]:
    return {
        machines[identity(record)].id: record.reason.rstrip(".")
        for record in records
        if record.experiment == experiment.name and record.is_rejection
    }


def _document(title: str, body: list[str], drawn: dict[str, list]) -> str:
    families = {
        series.family for group in drawn.values() for chart in group for series in chart.series
    }
    style = colours.style_sheet(families) + _asset("style.css")
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


def _overview(machines: list[Machine], drawn: list, unmeasured: str) -> str:
    contests = [contest for chart in drawn for contest in winners.contests(chart)]
    sections = [
        overview.of_machine(machine, [one for one in contests if one.machine is machine])
        for machine in machines
        if not machine.published
    ]
    if not sections:
        sections = ["<p>Only published figures are here; nothing has been measured yet.</p>"]
    return (
        '<section class="page" id="page-overview"><h2>Which index wins where</h2>\n'
        + "\n".join([*sections, unmeasured])
        + "</section>"
    )


def _unmeasured(experiments: list[Experiment]) -> str:
    missing = without_records(experiments)
    if not missing:
        return ""
    items = "".join(
        f"<li><strong>{escape(one.title)}</strong>: {escape(one.question)} "
        f"<code>{escape(one.command)}</code></li>"
        for one in missing
    )
    title = f"{count(len(missing), 'experiment')} without records"
    return (
        f'<details class="missing"><summary>{title}</summary>'
        "<p>These commands measure them; add <code>-o FOLDER/</code>.</p>"
        f"<ul>{items}</ul></details>"
    )


def _footer() -> str:
    return (
        "<footer><p>Made by <code>python -m rtindex_report</code> from measurement records and "
        "nothing else. Medians decide. A win counts where the runs of the first two do not overlap "
        "and their medians are at least 1% apart. Only indexes that did the same work on the same "
        "machine are compared, each with the best of its settings. Published figures are means, "
        "from "
        "<cite>RTIndeX: Exploiting Hardware-Accelerated GPU Raytracing for Database Indexing</cite>"
        ", PVLDB 16.</p></footer>"
    )


def _data(
    machines: dict[tuple, Machine],
    first: Machine | None,
    experiments: list[Experiment],
    drawn: dict[str, list],
) -> str:
    data = {
        "first": first and first.id,
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
