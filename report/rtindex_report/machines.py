"""The machines that records were measured on."""

from __future__ import annotations

from dataclasses import dataclass

from .records import Record


@dataclass
class Machine:
    id: int
    name: str
    published: bool
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
        machines[key] = Machine(len(machines), _name(latest[key]), key[0], latest[key])
    _tell_apart(machines)
    return machines


def _name(facts: dict) -> str:
    if facts.get("gpu"):
        return str(facts["gpu"]).replace("NVIDIA ", "").replace("GeForce ", "")
    cores = facts.get("cores")
    return f"{facts['cpu']}, {cores} cores" if cores else str(facts["cpu"])


def _tell_apart(machines: dict[tuple, Machine]) -> None:
    """Adds the folder to the names of machines of the same kind."""
    names = [(machine.published, machine.name) for machine in machines.values()]
    for key, machine in machines.items():
        if names.count((machine.published, machine.name)) > 1:
            machine.name += f" ({key[1]})"
