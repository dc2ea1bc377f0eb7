"""Short names for indexes, and which of them are the same index."""

from __future__ import annotations

import re

SPEC = re.compile(r"^(rx|sorted|btree|hash)(?::(\w+))?(?:@\w+)?(?:,.*)?$")

# The paper's names. Its RX is the scene on OptiX.
PAPER = {"RX": "rx:optix", "SA": "sorted", "HT": "hash", "B+": "btree"}


def family(index: str) -> str:
    """The index without its settings, which decides the colour: kind and tracer of a spec, or the
    name of a peer."""
    if index in PAPER:
        return PAPER[index]
    match = SPEC.match(index)
    if match:
        kind, tracer = match.groups()
        return f"{kind}:{tracer}" if tracer else kind
    return index.split(",")[0].strip()


def short(index: str) -> str:
    """The name in a legend, if the record has no series."""
    return family(index) if SPEC.match(index) else index


def with_settings(index: str) -> str:
    """The same with the settings of a spec: 'btree, group=4' for 'btree@cuda,group=4'."""
    settings = index.partition(",")[2]
    return f"{family(index)}, {settings}" if SPEC.match(index) and settings else short(index)


def variant(series: str) -> str:
    """The text of a legend after the index: 'sorted lookups' of 'hash, sorted lookups'."""
    return series.partition(", ")[2]
