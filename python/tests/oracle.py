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


def within(column, lower, upper, ends="[]"):
    """For every range, the rows whose key lies in it, in the order of keys; None: no end."""
    def inside(key, low, high):
        above = low is None or low < key or low == key and ends[0] == "["
        return key is not None and above and (
            high is None or key < high or key == high and ends[1] == "]")

    return [sorted((row for row, key in enumerate(column) if inside(key, low, high)),
                   key=lambda row: (column[row], row)) for low, high in zip(lower, upper)]


def neighbours(column, keys, direction="backward", exact=True, tolerance=None):
    """For every key the row of its neighbour, or MISS. Keys of several parts are tuples."""
    def parts(key):
        return key if isinstance(key, tuple) else (key,)

    def closest(key):
        if key is None or None in parts(key):
            return MISS
        *group, place = parts(key)
        before, after = [], []
        for row, other in enumerate(column):
            if other is None or None in parts(other) or [*parts(other)[:-1]] != group:
                continue
            there = parts(other)[-1]
            if there < place or there == place and exact:
                before.append((there, row))
            if there > place or there == place and exact:
                after.append((there, row))
        found = []
        if before and direction != "forward":
            found.append(max(before))
        if after and direction != "backward":
            found.append(min(after))
        if direction == "nearest" and len(found) == 2:
            found.sort(key=lambda pair: abs(pair[0] - place))  # a tie stays backward
        if not found or tolerance is not None and not abs(found[0][0] - place) <= tolerance:
            return MISS
        return found[0][1]

    return [closest(key) for key in keys]


def listed(answers):
    """The answers of any library as a list; a miss is None."""
    method = next(name for name in ("to_pylist", "to_list", "tolist") if hasattr(answers, name))
    items = getattr(answers, method)()
    return [None if type(item).__name__ == "NAType" or item == MISS else item for item in items]
