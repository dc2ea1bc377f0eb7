"""Integers of Python on columns of 128-bit integers, against a scan."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rtindex

if not hasattr(pl, "UInt128"):
    pytest.skip("this polars has no UInt128", allow_module_level=True)

B = 2**127
KINDS = {"Int128": (-B, B - 1), "UInt128": (0, 2 * B - 1)}
ENDS = ["[]", "[)", "(]", "()"]


def series(values, kind="UInt128"):
    return pl.Series(values, dtype=getattr(pl, kind))


def drawn(random, kind, count):
    """Numbers of the type, from all of it, with its limits and neighbours of each other."""
    low, high = KINDS[kind]
    near = [low, low + 1, high, high - 1, 0, 5, 2**63, 2**64, B - 1, B, B + 5]
    numbers = [random.choice([random.choice(near), random.randint(low, high)]) for _ in range(count)]
    return [number for number in numbers if low <= number <= high]


def asked(random, keys):
    """Keys, their neighbours, and numbers beyond every type."""
    beyond = [-B - 1, -B, -1, B - 1, B, 2 * B - 1, 2 * B, 2**130, -(2**130), 2**70]
    return [random.choice(beyond + [key + step for key in keys[:9] for step in (-1, 0, 1)])
            for _ in range(40)]


def scanned(kind, keys, lower, upper, ends):
    """Rows of a range, by polars where its type holds the ends, otherwise by Python."""
    low, high = KINDS[kind]
    above = {"[": lambda key: lower <= key, "(": lambda key: lower < key}[ends[0]]
    below = {"]": lambda key: key <= upper, ")": lambda key: key < upper}[ends[1]]
    found = [row for row, key in enumerate(keys) if above(key) and below(key)]
    if low <= lower <= high and low <= upper <= high:
        closed = {"[]": "both", "[)": "left", "(]": "right", "()": "none"}[ends]
        mask = pl.DataFrame({"key": series(keys, kind)}).select(pl.col("key").is_between(
            pl.lit(lower, getattr(pl, kind)), pl.lit(upper, getattr(pl, kind)), closed=closed))
        assert found == mask["key"].arg_true().to_list()
    return found


def neighbour(keys, key, direction, exact):
    behind = [own for own in keys if own > key or exact and own == key]
    before = [own for own in keys if own < key or exact and own == key]
    if direction == "backward":
        return max(before, default=None)
    if direction == "forward":
        return min(behind, default=None)
    both = [max(before, default=None), min(behind, default=None)]
    return min((own for own in both if own is not None), key=lambda own: abs(own - key), default=None)


def test_the_upper_half_of_unsigned_integers():
    index = rtindex.build(series([B + 5, 3, B + 50]))
    assert index.lookup(B + 5) == 0 and B + 5 in index and B + 6 not in index
    assert index.lookup([B + 5, 3], "count").tolist() == [1, 1]
    assert index.range(B + 6, None, "rows").tolist() == [2]
    assert index.range(None, B + 6, "count") == 2 and index.range(B + 5, B + 5, "count") == 1
    assert index.nearest(B + 9) == 0 and index.nearest(B + 9, "key") == B + 5
    assert index.rank([B + 6]).tolist() == [2]
    assert index.rank([B + 6]).dtype == index.rank(np.array([7])).dtype == np.uint32
    assert index.isin([B + 5]).tolist() == [True, False, False]
    assert index.nearest([B + 9, 7], direction="nearest", tolerance=4).tolist() == [0, 1]
    assert index.erase_keys([B + 5]) == 1 and index.erase_range(B + 40, None) == 1


@pytest.mark.parametrize("spec", ["rx:native@cpu", "sorted@cpu", "btree@cpu"])
@pytest.mark.parametrize("kind", KINDS)
def test_random_numbers(seeded, kind, spec):
    for _ in range(6):
        keys = drawn(seeded, kind, 40)
        index, numbers = rtindex.build(series(keys, kind), spec), asked(seeded, keys)
        counts = [keys.count(number) for number in numbers]
        assert index.lookup(numbers, "count").tolist() == counts
        assert [index.lookup(number, "count") for number in numbers] == counts
        assert index.isin(numbers).tolist() == [key in numbers for key in keys]
        assert index.rank(numbers).tolist() == [sum(key < number for key in keys) for number in numbers]
        assert [index.rank(number) for number in numbers] == index.rank(numbers).tolist()
        for ends in ENDS:
            lower, upper = numbers, asked(seeded, keys)
            wanted = [scanned(kind, keys, *pair, ends) for pair in zip(lower, upper)]
            for batch in (list, lambda items: np.array(items, object), lambda items: pd.Series(items, dtype=object)):
                found = index.range(batch(lower), batch(upper), "count", ends=ends)
                assert [*found] == [*map(len, wanted)]
            assert [sorted(index.range(*pair, "rows", ends=ends)) for pair in zip(lower, upper)] == wanted
        for direction in ("backward", "forward", "nearest"):
            wanted = [neighbour(keys, number, direction, True) for number in numbers]
            assert [index.nearest(number, "key", direction=direction) for number in numbers] == wanted
            matched = index.nearest(numbers, direction=direction, matched=True).matched
            assert matched.tolist() == [key is not None for key in wanted]
            if direction != "nearest":
                assert [index.nearest(number, "key", direction=direction, exact=False) for number in numbers] == [
                    neighbour(keys, number, direction, False) for number in numbers]


def test_conditions_on_points(seeded):
    keys = drawn(seeded, "UInt128", 40)
    index = rtindex.build(rtindex.points(a=series(keys), b=np.arange(len(keys))))
    numbers = asked(seeded, keys)
    assert index.filter({"a": rtindex.isin(numbers)}, "count") == sum(key in numbers for key in keys)
    for number, other in zip(numbers, asked(seeded, keys)):
        assert index.filter({"a": number}, "count") == keys.count(number)
        for ends in ENDS:
            found = index.filter({"a": rtindex.between(number, other, ends)}, "rows")
            assert sorted(found) == scanned("UInt128", keys, number, other, ends)


def test_intervals(seeded):
    starts = drawn(seeded, "UInt128", 30)
    stops = [min(start + seeded.choice([0, 9, B // 2]), 2 * B - 1) for start in starts]
    index = rtindex.build(rtindex.intervals(series(starts), series(stops), ends="[]"))
    numbers = asked(seeded, starts)
    pairs = [*zip(starts, stops)]
    assert index.contains(numbers, "count").tolist() == [
        sum(start <= number <= stop for start, stop in pairs) for number in numbers]
    for one, other in zip(numbers, asked(seeded, starts)):
        low, high = sorted((one, other))
        assert index.overlaps(low, high, "count") == sum(a <= high and b >= low for a, b in pairs)
        assert index.within(low, high, "count") == sum(a >= low and b <= high for a, b in pairs)
        assert index.covers(low, high, "count") == sum(a <= low and b >= high for a, b in pairs)
    assert rtindex.build(rtindex.intervals([1], [9], ends="[]")).overlaps(5, 2**130) == 0


def test_parts_of_composites():
    index = rtindex.build((["a", "b"], series([B + 5, 3])))
    assert index.lookup(("a", B + 5)) == 0 and ("b", B + 5) not in index
    assert index.lookup(("a", 2**130)) is None and index.lookup([("a", B + 5), ("b", -1)], "count").tolist() == [1, 0]
    assert index.range(("a", B + 6), ("b", 2**130), "count") == 1
    assert index.range(("a", -1), ("a", B + 5), "count") == 1
    assert index.nearest(("a", 2**130), "key") == ("a", B + 5)
    with pytest.raises(rtindex.InvalidArgumentError, match="as the keys are uint128"):
        index.range(("a", 2**130), ("b", 9), "count")  # a row of b lies in it
    signed = rtindex.build((["a", "b"], series([B - 1, -5], "Int128")))
    assert signed.range(("a", 2**130), ("b", 0), "count") == 1
    assert signed.range(("a", B - 1), ("b", 0), "count") == 2


def test_numbers_beyond_the_type():
    signed = rtindex.build(series([2**100, 5], "Int128"))
    assert signed.nearest(2**130) == 0 and signed.nearest(-(2**130), direction="forward") == 1
    assert signed.nearest(-(2**130)) is None and signed.nearest(-(2**130), direction="nearest") == 1
    assert rtindex.build(series([B - 1], "Int128")).range(B + 77, None) is None
    assert rtindex.build([5, 7]).nearest([2**130], direction="nearest").tolist() == [1]
    with pytest.raises(rtindex.InvalidArgumentError, match="invalid number .*expected -"):
        rtindex.build(series([2 * B - 1])).nearest(2 * B, tolerance=5)


def test_tolerances_have_64_bits():
    wide = [rtindex.build(series([3])), rtindex.build(series([3], "Int128")),
            rtindex.build((["a"], series([3])))]
    for index, key in zip(wide, (5, 5, ("a", 5))):
        assert index.nearest(key, tolerance=2**64 - 1) == 0
        with pytest.raises(rtindex.InvalidArgumentError, match="at most 2.64 - 1 for a column of u?int128"):
            index.nearest(key, tolerance=2**64)
    prices = rtindex.build(pl.Series([3], dtype=pl.Decimal(38, 2)))
    with pytest.raises(rtindex.InvalidArgumentError, match="2.64 - 1 units of the last digit"):
        prices.nearest(5, tolerance=2**63)
    assert rtindex.build([3]).nearest(5, tolerance=2**70) == 0
