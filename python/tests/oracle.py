"""The slow, obvious truth: full scans over Python lists, where None is a null."""

from __future__ import annotations

MISS = 2**32 - 1


def matches(column, lower, upper):
    """For every range, the rows whose key lies in it, both ends included."""
    def inside(key, low, high):
        return None not in (key, low, high) and low <= key <= high

    return [[row for row, key in enumerate(column) if inside(key, low, high)]
            for low, high in zip(lower, upper)]


def pairs(column, keys, how):
    """What a join gives, as sorted (lookup, row or None) pairs; semi and anti give lookups."""
    found = matches(column, keys, keys)
    if how == "semi":
        return [lookup for lookup, rows in enumerate(found) if rows]
    if how == "anti":
        return [lookup for lookup, rows in enumerate(found) if not rows]
    alone = [None] if how == "left" else []
    return [(lookup, row) for lookup, rows in enumerate(found) for row in rows or alone]
