"""Makes a small tree of records with every form that a report has to show. The values are invented.

As a script: python fixture.py FOLDER
"""

from __future__ import annotations

import json
import pathlib
import sys
from unittest import mock

from descriptions import EXPERIMENTS
from rtindex_report import experiments

CPU = {
    "arch": "x86_64",
    "cpu": "Example CPU",
    "cores": 8,
    "memory_gib": 32,
    "system": "Linux",
    "compiler": "g++ 12",
}
GPU = {**CPU, "gpu": "NVIDIA Example H", "driver": "580.1", "rt_cores": 0}
RTX = {"gpu": "RTX 4090"}
OLDER_RTX = {"gpu": "RTX 3090"}
SOURCE = "RTIndeX, PVLDB 16, fig. 1"

COSTS = {"rx:native@cpu,threads=all": 1.0, "hash@cpu": 1.3, "btree@cpu": 2.2, "sorted@cpu": 3.1}
PAPER_COSTS = {"RX": 0.5, "SA": 0.8, "HT": 0.2, "B+": 0.6}


def short(index: str) -> str:
    return index.split("@")[0]


def record(experiment, index, series, value, machine, metric="lookup_ms", **more) -> dict:
    made = {
        "experiment": experiment,
        "index": index,
        "series": series,
        "metric": metric,
        "status": "ok",
        "value": value,
        "median": value,
        "runs": [value * factor for factor in (0.98, 1.0, 1.01, 0.99, 1.02)],
        "scale": "laptop",
        "workload": {"lookup_count": 4194304},
        "machine": machine,
        "commit": "0123456789ab",
        "version": "0.1.0",
        "command": f"rtindex bench {experiment} --scale laptop",
    }
    made.update(more)
    if made["status"] != "ok":
        for name in ("value", "median", "runs"):
            del made[name]
    return made


def hit_rate(machine, speed):
    for ordered in (False, True):
        order = "sorted lookups" if ordered else "unsorted lookups"
        for index, cost in COSTS.items():
            for tenth in range(11):
                misses = 1 - tenth / 10
                gain = 0.9 if index.startswith("hash") else 0.3
                value = 100 * speed * cost * (1 - gain * misses) * (0.5 if ordered else 1)
                workload = {"lookup_count": 4194304, "hit_rate": tenth / 10, "sorted": ordered}
                yield record(
                    "hit-rate",
                    index,
                    f"{short(index)}, {order}",
                    value,
                    machine,
                    x=tenth / 10,
                    workload=workload,
                )


def keys(machine, speed):
    for index, cost in COSTS.items():
        for exponent in range(10, 25, 2):
            slow = exponent > 20 and index.startswith("sorted")
            value = 4 * speed * cost * 1.18**exponent
            outcome = {"status": "timed out", "reason": "more than 300 s"} if slow else {}
            workload = {"lookup_count": 4194304, "keys": 2**exponent}
            yield record(
                "keys",
                index,
                short(index),
                value,
                machine,
                x=2**exponent,
                workload=workload,
                **outcome,
            )
            yield record(
                "keys",
                index,
                short(index),
                2**exponent * (8 + 5 * cost),
                machine,
                metric="resident_bytes",
                x=2**exponent,
                workload=workload,
            )


def key_modes(machine, index):
    for mode, cost in (("naive", 1.0), ("extended", 1.15), ("3d", 1.05)):
        for exponent in range(16, 23):
            yield record(
                "key-modes",
                f"{index},mode={mode}",
                f"{index}, {mode}",
                cost * 1.3**exponent,
                machine,
                x=exponent,
                workload={"lookup_count": 4194304, "keys_log2": exponent},
            )


def key_size(machine, speed):
    for bits in (32, 64):
        for index, cost in COSTS.items():
            yield record(
                "key-size",
                index,
                short(index),
                80 * speed * cost * (bits / 32) ** 0.3,
                machine,
                category=f"{bits}-bit keys",
                workload={"lookup_count": 4194304, "key_bits": bits},
            )
    yield record(
        "key-size",
        "rx:embree",
        "rx:embree",
        0,
        machine,
        category="64-bit keys",
        status="unsupported",
        reason="naive mode holds 2^23 keys",
        workload={"lookup_count": 4194304},
    )


def hardware(machine, speed, costs, **more):
    for index, cost in costs.items():
        yield record(
            "hardware",
            index,
            short(index),
            60 * speed * cost,
            machine,
            category="unsorted lookups",
            workload={"lookup_count": 4194304},
            **more,
        )


def rejection():
    """What `rtindex bench` writes of an experiment that cannot run on a machine."""
    yield record(
        "zipf",
        "none",
        "none",
        0,
        CPU,
        category="none",
        status="unsupported",
        reason="this needs rays",
        workload={},
    )


def peers():
    """The first form of records: no series, no x, the question in the workload."""
    for question, factor in (("points, unsorted, sum", 2.0), ("points, sorted, sum", 1.0)):
        for index, cost in {**COSTS, "std::lower_bound": 9.0}.items():
            made = record(
                "cpu-peers", index, None, 50 * factor * cost, CPU, workload={"question": question}
            )
            for name in ("series", "status", "scale", "median"):
                del made[name]
            yield {**made, "value": 1.2 * made["value"]}  # a mean that is not the median


def paper(machine, speed):
    yield from hardware(machine, speed, PAPER_COSTS, scale="paper", source=SOURCE)
    for index, cost in PAPER_COSTS.items():
        for quarter in range(5):
            yield record(
                "hit-rate",
                index,
                f"{index}, unsorted lookups",
                90 * cost * speed,
                machine,
                x=quarter / 4,
                scale="paper",
                source=SOURCE,
                workload={"lookup_count": 2**27},
            )
        for exponent in range(16, 27, 2):
            yield record(
                "keys",
                index,
                index,
                3 * speed * cost * 1.2**exponent,
                machine,
                x=2**exponent,
                scale="paper",
                source=SOURCE,
                workload={"lookup_count": 2**27},
            )
        yield record(
            "key-size",
            index,
            index,
            120 * speed * cost,
            machine,
            category="32-bit keys",
            scale="paper",
            source=SOURCE,
            workload={"lookup_count": 2**27},
        )


def tree() -> dict:
    """File names and their records."""
    cpu = [
        *hit_rate(CPU, 1),
        *keys(CPU, 1),
        *key_modes(CPU, "rx:embree"),
        *key_size(CPU, 1),
        *hardware(CPU, 1, COSTS),
        *rejection(),
    ]
    smoke = [{**one, "scale": "smoke", "value": 1.0} for one in hit_rate(CPU, 1)]
    gpu = [
        *hit_rate(GPU, 0.1),
        *keys(GPU, 0.1),
        *key_modes(GPU, "rx:optix"),
        *hardware(GPU, 0.1, COSTS),
    ]
    return {
        "example-cpu/laptop.jsonl": cpu,
        "example-cpu/smoke.jsonl": smoke,
        "example-cpu/peers.jsonl": list(peers()),
        "example-gpu/laptop.jsonl": gpu,
        "paper/figures.jsonl": [*paper(RTX, 1), *paper(OLDER_RTX, 2)],
    }


def write(folder: pathlib.Path) -> None:
    for name, records in tree().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


def described():
    """Replaces the experiments of `rtindex bench` by the invented ones."""
    known = {entry["name"]: experiments.from_entry(entry) for entry in EXPERIMENTS}
    return mock.patch.object(experiments, "described", lambda: known)


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
