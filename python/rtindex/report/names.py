"""Short names for indexes, and which of them are the same index."""

from __future__ import annotations

import re

SPEC = re.compile(r"^(rx|sorted|btree|hash)(?::(\w+))?(?:@\w+)?(?:,.*)?$")

# The paper's names. Its RX is the scene on OptiX.
PAPER = {"RX": "rx:optix", "SA": "sorted", "HT": "hash", "B+": "btree"}


def family(index: str) -> str:
    """What decides the colour: kind and tracer of a spec, a peer's name without its settings."""
    if index in PAPER:
        return PAPER[index]
    match = SPEC.match(index)
    if match:
        kind, tracer = match.groups()
        return f"{kind}:{tracer}" if tracer else kind
    return index.split(",")[0].strip()


def short(index: str) -> str:
    """A name for a legend, where the record gives none."""
    return family(index) if SPEC.match(index) else index


def with_settings(index: str) -> str:
    """The same with the settings of a spec: 'btree, group=4' of 'btree@cuda,group=4'."""
    settings = index.partition(",")[2]
    return f"{family(index)}, {settings}" if SPEC.match(index) and settings else short(index)


def variant(series: str) -> str:
    """What a legend text says beside the index: 'sorted lookups' of 'hash, sorted lookups'."""
    return series.partition(", ")[2]
