"""Short names for indexes, and which of them are the same index."""

from __future__ import annotations

import re

SPEC = re.compile(r"^(rx|sorted|btree|hash)(?::(\w+))?(?:@\w+)?(?:,.*)?$")

# The paper's names. Its RX is the scene on OptiX.
PAPER = {"RX": "rx:optix", "SA": "sorted", "HT": "hash", "B+": "btree"}


# Settings that a spec has where nothing is chosen, as docs/specs.md lists them.
DEFAULTS = {
    "mode=3d",
    "scale=2^0",
    "primitive=triangle",
    "point=perpendicular",
    "range=offset",
    "compact=off",
    "update=rebuild",
    "row_rays=occupied",
    "threads=all",
}


def family(index: str) -> str:
    """The index without its settings, which decides the colour: kind and tracer of a spec, or the
    name of a peer without what is in parentheses."""
    if index in PAPER:
        return PAPER[index]
    match = SPEC.match(index)
    if match:
        kind, tracer = match.groups()
        return f"{kind}:{tracer}" if tracer else kind
    return re.sub(r" \(.*?\)", "", _split(index)[0])


def short(index: str) -> str:
    """The name in a legend, if the record has no series."""
    return family(index) if SPEC.match(index) else index


def settings(index: str) -> list[str]:
    """group=4 of btree@cuda,order=auto,group=4: without defaults; none of a peer."""
    if not SPEC.match(index):
        return []
    chosen = index.split(",")[1:]
    return [one for one in chosen if one not in DEFAULTS and not one.endswith("=auto")]


def variant(series: str) -> str:
    """The text of a legend after the index: 'sorted lookups' of 'hash, sorted lookups'."""
    return _split(series)[1]


def _split(text: str) -> tuple[str, str]:
    """At the first comma outside of parentheses."""
    match = re.match(r"((?:[^,(]|\([^)]*\)?)*), ?(.*)$", text)
    return (match.group(1), match.group(2)) if match else (text, "")
