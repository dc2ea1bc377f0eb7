"""The pages of the report, and the experiments on each."""

from __future__ import annotations

from .programs import BY_NAME

# In the order of the menu.
TITLES = {
    "points": "Points and ranges",
    "intervals": "Intervals",
    "filters": "Filters",
    "joins": "Joins and neighbours",
    "changes": "Changes",
    "strings": "Strings",
    "host-memory": "Host memory",
    "skew": "Skewed data",
    "calls": "Calls",
    "dask": "Dask",
    "rx": "Choices within RX",
    "profiles": "Profiles",
    "other": "Other measurements",
}

# Experiments of `rtindex bench` that their section of the paper does not place.
PLACED = {
    "every-index": "points",
    "large-columns": "points",
    "real-data": "points",
    "intervals": "intervals",
    "filters": "filters",
    "asof": "joins",
    "joins": "joins",
    "neighbours": "joins",
    "updates": "changes",
    "lookup-skew": "skew",
    "key-skew": "skew",
    "distributions": "skew",
    "buckets": "rx",
    "traversal-work": "rx",
}
BY_SECTION = {"3": "rx", "4": "points"}


def page_of(name: str, section: str) -> str:
    if name in BY_NAME:
        return BY_NAME[name].page
    for prefix, page in (("changes", "changes"), ("profile-", "profiles")):
        if name.startswith(prefix):
            return page
    return PLACED.get(name) or BY_SECTION.get(section[:1], "other")
