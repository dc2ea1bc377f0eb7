"""The machines that records were measured on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .records import Record, ReportError


@dataclass
class Machine:
    id: int
    name: str
    published: bool
    folder: str
    facts: dict

    @property
    def has_no_rt_cores(self) -> bool:
        return bool(self.facts.get("gpu")) and self.facts.get("rt_cores") == 0

    def details(self) -> str:
        """Processor, memory, system and compiler, if recorded."""
        facts = self.facts
        parts = [facts.get("gpu"), facts.get("cpu")]
        if facts.get("cores"):
            parts.append(f"{facts['cores']} cores")
        if facts.get("memory_gib"):
            parts.append(f"{facts['memory_gib']:g} GiB")
        parts.append(facts.get("arch"))
        if facts.get("driver"):
            parts.append(f"driver {facts['driver']}")
        parts += [facts.get("system"), facts.get("compiler")]
        return ", ".join(str(part) for part in parts if part)


def with_gpus(records: Iterable[Record]) -> list[Record]:
    """The records, those of programs that record the CPU alone with the GPU beside it: a folder
    holds one machine."""
    records = list(records)
    known = {
        (record.folder, record.machine.get("cpu")): record.machine
        for record in records
        if record.machine.get("cpu") and record.machine.get("gpu")
    }
    return [
        replace(record, machine={**known[key], **record.machine})
        if (key := (record.folder, record.machine.get("cpu"))) in known
        else record
        for record in records
    ]


def identity(record: Record) -> tuple:
    """A folder holds one machine, except that of the paper, which holds several."""
    facts = record.machine
    return (record.published, record.folder, facts.get("gpu") or facts.get("cpu"))


def all_machines(records: list[Record]) -> dict[tuple, Machine]:
    """Own machines first, each group in the order of the records."""
    latest: dict[tuple, dict] = {}
    for record in records:
        latest[identity(record)] = record.machine
    machines = {}
    for key in sorted(latest, key=lambda key: key[0]):
        machines[key] = Machine(len(machines), _name(latest[key]), key[0], key[1], latest[key])
    _tell_apart(machines)
    return machines


def first_shown(
    machines: dict[tuple, Machine], records: list[Record], wanted: str | None
) -> Machine | None:
    """The machine that is named, or the one with the newest records; without dates, with most."""
    own = [machine for machine in machines.values() if not machine.published]
    if wanted is not None:
        fitting = [one for one in own if wanted in (one.folder, one.name)]
        if not fitting:
            known = ", ".join(one.folder for one in own) or "none"
            raise ReportError(f"--machine {wanted}: no such folder of records; there are: {known}")
        return fitting[0]
    count = Counter(identity(record) for record in records)
    newest: dict[tuple, str] = {}
    for record in records:
        newest[identity(record)] = max(newest.get(identity(record), ""), record.date)
    keys = [key for key, machine in machines.items() if not machine.published]
    return machines[max(keys, key=lambda key: (newest[key], count[key]))] if keys else None


def _name(facts: dict) -> str:
    if facts.get("gpu"):
        return str(facts["gpu"]).replace("NVIDIA ", "").replace("GeForce ", "")
    cores = facts.get("cores")
    return f"{facts['cpu']}, {cores} cores" if cores else str(facts["cpu"])


def _tell_apart(machines: dict[tuple, Machine]) -> None:
    """Adds the folder to equal names."""
    names = [(machine.published, machine.name) for machine in machines.values()]
    for key, machine in machines.items():
        if names.count((machine.published, machine.name)) > 1:
            machine.name += f" ({key[1]})"
