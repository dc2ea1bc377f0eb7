"""What the invented experiments of fixture.py ask, in the form of `rtindex bench --list --json`."""

from __future__ import annotations

LOOKUP_MS = {"name": "lookup_ms", "label": "time of the lookups [ms]"}
BYTES = {"name": "resident_bytes", "label": "size of the index [bytes]"}


def described(name, title, question, x, metrics=(LOOKUP_MS,), log=True) -> dict:
    made = {
        "name": name,
        "title": title,
        "question": question,
        "figure": "fig:one",
        "section": "4.1",
        "metrics": [{**metric, "log": log, "lower_is_better": True} for metric in metrics],
        "command": f"rtindex bench {name} --scale paper",
    }
    return {**made, "x": dict(zip(("name", "label", "log"), x))} if x else made


EXPERIMENTS = [
    described(
        "hit-rate",
        "Hit rate",
        "What do lookups cost that find nothing?",
        ("hit_rate", "share of lookups that hit", False),
        log=False,
    ),
    described(
        "keys",
        "Number of keys",
        "How does the time grow with the column?",
        ("keys", "keys", True),
        (LOOKUP_MS, BYTES),
    ),
    described(
        "key-modes",
        "Key modes",
        "Which key mode makes the fastest scene?",
        ("keys_log2", "keys, log2", False),
    ),
    described("key-size", "Size of a key", "What do 64-bit keys cost?", None),
    described(
        "zipf", "Skewed lookups", "Who profits from popular keys?", ("zipf", "Zipf exponent", False)
    ),
    described("hardware", "Hardware", "How do the machines compare?", None),
    described("batches", "Batches", "What do small batches cost?", ("batches", "batches", True)),
]
