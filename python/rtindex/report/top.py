"""The head of the page: what it is about, and the choices that hold for all of it."""

from __future__ import annotations

from .experiments import Experiment
from .machines import Machine
from .records import Record
from .words import count, escape


def header(
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
        '<a class="skip" href="#overview">Skip to the overview</a>\n'
        f"<header><h1>{escape(title)}</h1>\n"
        "<p>A column of keys, a batch of lookups, and several indexes that answer it. This page "
        f"shows which of them is the best for what: {text}.</p></header>"
    )


def controls(machines: list[Machine]) -> str:
    own = [machine for machine in machines if not machine.published]
    published = [machine for machine in machines if machine.published]
    parts = []
    if len(own) > 1:
        parts.append(_machine_switch(own))
    if published:
        cards = [(str(machine.id), machine.name) for machine in published]
        parts.append(_select("paper", "The paper’s figures (dashed)", [*cards, ("none", "hide")]))
    runs = [("median", "median"), ("mean", "mean, as the paper")]
    parts.append(_select("runs", "Of the runs, the", runs))
    return f'<form class="controls" aria-label="What is shown">{"".join(parts)}</form>'


def _machine_switch(machines: list[Machine]) -> str:
    choices = [(str(machine.id), machine.name) for machine in machines]
    choices.append(("all", "All, side by side"))
    radios = "".join(
        f'<label><input type="radio" name="machine" value="{value}"'
        f"{' checked' if position == 0 else ''}><span>{escape(name)}</span></label>"
        for position, (value, name) in enumerate(choices)
    )
    return f'<fieldset class="switch"><legend>Machine</legend>{radios}</fieldset>'


def _select(name: str, label: str, choices: list[tuple[str, str]]) -> str:
    options = "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in choices)
    return f'<label class="choice">{label} <select id="{name}">{options}</select></label>'
