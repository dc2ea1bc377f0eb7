"""One experiment on the page: its question, the frames of its charts, how it was measured."""

from __future__ import annotations

from .charts import Chart
from .experiments import Experiment
from .machines import Machine
from .names import family
from .records import Record
from .words import escape, listed, power_of_two

MOST_COMMANDS = 3


def card(experiment: Experiment, charts: list[Chart], rejected: dict[int, str]) -> str:
    name = escape(experiment.name)
    parts = [
        f'<article class="experiment" id="{name}" aria-labelledby="{name}-title">',
        f'<h3 id="{name}-title"><a href="#{name}">{escape(experiment.title)}</a></h3>',
        _question(experiment),
        _tabs(experiment, charts),
        *[_figure(experiment, position, len(charts)) for position in range(len(charts))],
        _setups(experiment, charts, rejected),
        "</article>",
    ]
    return "\n".join(part for part in parts if part)


def _question(experiment: Experiment) -> str:
    origin = f" <span>Section {escape(experiment.section)} of the paper</span>"
    if not experiment.section:
        origin = ""
    if not experiment.question and not origin:
        return ""
    return f'<p class="question">{escape(experiment.question)}{origin}</p>'


def _tabs(experiment: Experiment, charts: list[Chart]) -> str:
    if len(charts) < 2:
        return ""
    buttons = "".join(
        f'<button type="button" role="tab" id="{escape(experiment.name)}-tab-{position}" '
        f'aria-controls="{escape(experiment.name)}-{position}" '
        f'aria-selected="{"true" if position == 0 else "false"}" '
        f'tabindex="{0 if position == 0 else -1}">{escape(chart.metric.plain)}</button>'
        for position, chart in enumerate(charts)
    )
    return f'<div class="tabs" role="tablist" aria-label="What was measured">{buttons}</div>'


def _figure(experiment: Experiment, position: int, charts: int) -> str:
    name = f"{escape(experiment.name)}-{position}"
    role = (
        f' role="tabpanel" aria-labelledby="{escape(experiment.name)}-tab-{position}"'
        if charts > 1
        else ""
    )
    hidden = ' data-off="true"' if position > 0 else ""
    return (
        f'<div class="panel" id="{name}"{role}{hidden} data-experiment="{escape(experiment.name)}" '
        f'data-chart="{position}"><figure class="chart"></figure>'
        '<details class="numbers"><summary>The numbers</summary>'
        '<div class="scroll" tabindex="0"></div></details></div>'
    )


def _setups(experiment: Experiment, charts: list[Chart], rejected: dict[int, str]) -> str:
    """How each machine measured it, or the reason why it did not."""
    by_machine: dict[int, list[Record]] = {}
    machines: dict[int, Machine] = {}
    for chart in charts:
        for series in chart.series:
            machines[series.machine.id] = series.machine
            by_machine.setdefault(series.machine.id, []).extend(series.records)
    blocks = [
        _setup(experiment, machines[machine], records) for machine, records in by_machine.items()
    ]
    blocks += [
        f'<div class="setup" data-machine="{machine}"><p>Not measured: {escape(why)}.</p></div>'
        for machine, why in rejected.items()
        if machine not in by_machine
    ]
    return "\n".join(blocks)


def _setup(experiment: Experiment, machine: Machine, records: list[Record]) -> str:
    about = _published(machine, records) if machine.published else _measured(machine, records)
    if machine.published:
        return f'<div class="setup" data-machine="{machine.id}">{about}</div>'
    commands = list(dict.fromkeys(record.command for record in records if record.command))
    commands = commands or ([experiment.command] if experiment.command else [])
    shown = "".join(_command(command) for command in commands[:MOST_COMMANDS])
    if len(commands) > MOST_COMMANDS:
        shown += f"<p>and {len(commands) - MOST_COMMANDS} commands more, in the records</p>"
    return f'<div class="setup" data-machine="{machine.id}">{about}{shown}</div>'


def _measured(machine: Machine, records: list[Record]) -> str:
    scales = {record.scale for record in records if record.scale}
    builds = list(
        dict.fromkeys(
            f"rtindex {record.version} at {record.commit[:12]}"
            for record in records
            if record.commit
        )
    )
    text = f"Measured on {machine.details()}"
    if builds:
        text += f"; {builds[-1]}" + (" and before" if len(builds) > 1 else "")
    if scales:
        text += f"; {listed(sorted(scales))} scale"
    notes = sorted({record.note for record in records if record.note})
    if notes:
        text += f"; {listed(notes)}"
    smaller = ""
    if scales and "paper" not in scales:
        smaller = (
            ' <span class="with-paper">The paper’s scale is larger: compare the shapes of the '
            "curves, not their heights.</span>"
        )
    parts = [f"<p>{escape(text)}.{smaller}</p>", _constants(records)]
    if machine.has_no_rt_cores and any(family(record.index) == "rx:optix" for record in records):
        parts.append(
            '<p class="software">No ray-tracing cores here: OptiX, and so <code>rx:optix</code>, '
            "runs in software.</p>"
        )
    return "".join(parts)


def _published(machine: Machine, records: list[Record]) -> str:
    sources = list(dict.fromkeys(record.source for record in records))
    return (
        f"<p>Dashed: published for {escape(machine.name)} in {escape('; '.join(sources[:3]))}.</p>"
        f"{_constants(records)}"
    )


def _constants(records: list[Record]) -> str:
    """The workload's parameters that are the same at every point."""
    first = records[0].workload
    same = {
        key: value
        for key, value in first.items()
        if key not in ("question", "note")
        and not isinstance(value, (dict, list))
        and all(record.workload.get(key) == value for record in records)
    }
    if not same:
        return ""
    items = "".join(
        f"<div><dt>{escape(key.replace('_', ' '))}</dt><dd>{escape(_value(value))}</dd></div>"
        for key, value in same.items()
    )
    return f'<dl class="constants">{items}</dl>'


def _value(value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and value >= 1024 and value & (value - 1) == 0:
        return power_of_two(value.bit_length() - 1)
    return str(value)


def _command(command: str) -> str:
    return (
        f'<div class="command"><code>{escape(command)}</code>'
        '<button type="button" class="copy" aria-label="Copy the command">Copy</button></div>'
    )
