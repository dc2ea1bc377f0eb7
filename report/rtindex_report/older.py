"""Old records have no series and no category: both are derived from their other fields."""

from __future__ import annotations

import json
from dataclasses import replace

from . import names
from .machines import identity
from .records import Record

NOT_PARAMETERS = ("question", "note")


def completed(records: list[Record]) -> list[Record]:
    """The records of one experiment, each with a series and with an x or a category."""
    labels = _labels(records)
    differing = _differing(records, labels)
    return [
        replace(
            record,
            series=labels[_who(record)],
            category=record.category or _category(record, differing),
        )
        for record in records
    ]


def _who(record: Record) -> tuple:
    return identity(record), record.index, record.series


def _labels(records: list[Record]) -> dict[tuple, str]:
    """The series; of records without one, the index with the settings that differ on a machine."""
    labels = {_who(record): record.series for record in records if record.series}
    unnamed = dict.fromkeys(_who(record) for record in records if not record.series)
    settings: dict[tuple, list[set]] = {}
    for machine, index, _ in unnamed:
        settings.setdefault((machine, names.short(index)), []).append(set(names.settings(index)))
    for machine, index, _ in unnamed:
        name = names.short(index)
        shared = set.intersection(*settings[machine, name])
        own = [setting for setting in names.settings(index) if setting not in shared]
        labels[machine, index, None] = ", ".join([name, ",".join(own)] if own else [name])
    return labels


def _differing(records: list[Record], labels: dict[tuple, str]) -> dict[str, list[str]]:
    """Per question, the parameters that differ where one index answered it on one machine."""
    differing: dict[str, list[str]] = {}
    seen: dict[tuple, str] = {}
    for record in records:
        if record.x is None and not record.category:
            question = _question(record)
            case = (labels[_who(record)], identity(record), record.metric, question)
            for key, value in record.workload.items():
                text = json.dumps(value, sort_keys=True)
                if key not in NOT_PARAMETERS and seen.setdefault((*case, key), text) != text:
                    found = differing.setdefault(question, [])
                    found.extend([key] if key not in found else [])
    return differing


def _question(record: Record) -> str:
    return str(record.workload.get("question") or "all")


def _category(record: Record, differing: dict[str, list[str]]) -> str | None:
    if record.x is not None:
        return None
    parts = [_question(record)]
    for key in differing.get(parts[0], []):
        value = record.workload.get(key)
        if value is None:
            continue
        parts.append(_text(key, value))
    return ", ".join(parts)


def _text(key: str, value: object) -> str:
    """32-bit keys, 2^26 keys, hits 16"""
    if isinstance(value, str):
        return value
    if key.endswith("_log2"):
        return f"2^{value} {key[: -len('_log2')]}"
    return f"{key.replace('_', ' ')} {value}"
