"""Indexes on two worker processes of Dask, against the oracle and against one index in memory."""

from __future__ import annotations

import numpy as np
import oracle
import pandas as pd
import pytest

import rtindex

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402

MISS = rtindex.dask.MISS


def blocks(array, size=37):
    return da.from_array(array, chunks=size)


def lists(rows):
    return [sorted(found) for found in rows.to_pylist()]


def like_local(rows):
    """Global rows as an index in memory returns them."""
    return np.where(rows == MISS, rtindex.MISS, rows).astype(np.uint32)


# Few values and many of them: duplicates of one key fill several partitions.
SHAPES = {
    "spread": lambda random: random.integers(-500, 500, 300),
    "duplicates": lambda random: random.integers(0, 4, 300),
    "one key": lambda random: np.full(200, 7),
    "sorted": lambda random: np.arange(300),
    "fewer keys than partitions": lambda random: np.array([3, 1]),
}


@pytest.fixture(scope="module", params=SHAPES)
def both(request, client):
    keys = SHAPES[request.param](np.random.default_rng(5))
    values = np.random.default_rng(6).integers(-50, 50, keys.size)
    index = rtindex.dask.build(blocks(keys), include=blocks(values), partitions=5)
    return index, keys, values


@pytest.fixture(scope="module")
def wanted(both):
    _, keys, _ = both
    near = np.unique(keys)[::7]
    return np.concatenate([near, near + 1, near - 1, [keys.max() + 99, keys.min() - 99]])


@pytest.mark.parametrize("partitions", [1, 4])
def test_several_columns_with_nulls(partitions, client):
    keys = np.arange(200) // 4
    price = pd.Series([None if i % 3 == 0 or i < 8 else i * 0.5 for i in range(200)],
                      dtype="Float64")
    pieces = np.arange(200) * 2**56
    both = {"price": price, "pieces": pieces}
    local = rtindex.build(keys, include=both)
    frame = dd.from_pandas(pd.DataFrame({"key": keys, "price": price, "pieces": pieces}), 3)
    index = rtindex.dask.build(frame["key"], include={name: frame[name] for name in both},
                               partitions=partitions)
    assert index.included == local.included
    lower, upper = np.arange(-1, 50), np.arange(-1, 50) + 20
    names = ["sum", "mean", "min", "max", "count", "last"]
    for column in both:
        found = index.range(pd.Series(lower), pd.Series(upper), names, column)
        wanted = local.range(pd.Series(lower), pd.Series(upper), names, column)
        points = index.lookup(pd.Series(lower), names, column)
        for name in names:
            pd.testing.assert_series_equal(found[name].astype("Float64"),
                                           wanted[name].astype("Float64"))
            pd.testing.assert_series_equal(
                points[name].astype("Float64"),
                local.lookup(pd.Series(lower), names, column)[name].astype("Float64"))
    index.set_included([5], [7.5], "price")
    local.set_included([5], [7.5], "price")
    for one in (index, local):
        one.insert([3, 60], {"pieces": [1, 2], "price": [None, 4.0]})
    assert index.lookup([1, 3, 60], "sum", "price").tolist() == (
        local.lookup([1, 3, 60], "sum", "price").tolist())
    with pytest.raises(rtindex.Error, match="name one of them"):
        index.lookup([1], "sum")


def test_points_and_ranges_against_the_oracle(both, wanted):
    index, keys, values = both
    assert len(index) == index.valid == keys.size and index.partitions == 5
    column = keys.tolist()
    for lower, upper in ((wanted, wanted), (wanted, wanted + 90), (wanted + 5, wanted)):
        rows = oracle.matches(column, lower.tolist(), upper.tolist())
        found = index.range(lower, upper, ["rows", "first", "count", "sum", "min", "max", "any"],
                            matched=True, miss=-1)
        assert lists(found.rows) == rows
        assert found.first.tolist() == [min(here, default=-1) for here in rows]
        assert found.count.tolist() == [len(here) for here in rows]
        assert found.sum.tolist() == [int(values[here].sum()) if here else -1 for here in rows]
        assert found.min.tolist() == [int(values[here].min()) if here else -1 for here in rows]
        assert found.max.tolist() == [int(values[here].max()) if here else -1 for here in rows]
        assert found.matched.tolist() == [bool(here) for here in rows]
        assert all(row in here or not here and row == -1
                   for row, here in zip(found.any.tolist(), rows))
    points = oracle.matches(column, wanted.tolist(), wanted.tolist())
    assert lists(index.lookup(wanted, "rows")) == points
    assert index.rank(wanted).tolist() == [int((keys < key).sum()) for key in wanted]
    order = np.lexsort((np.arange(keys.size), keys))
    assert index.select(np.arange(keys.size + 1)).tolist() == [*order.tolist(), MISS]


@pytest.mark.parametrize("order", ["key", "-key"])
@pytest.mark.parametrize("ends", ["[]", "()"])
def test_ordered_rows_and_open_ends(both, wanted, order, ends):
    index, keys, _ = both
    for lower, upper in ((wanted, wanted + 90), (None, wanted), (wanted, None)):
        rows = oracle.within(keys.tolist(), [None] * wanted.size if lower is None else
                             lower.tolist(), [None] * wanted.size if upper is None else
                             upper.tolist(), ends)
        rows = rows if order == "key" else [here[::-1] for here in rows]
        some = index.range(lower, upper, "rows", ends=ends, order=order, limit=61).to_pylist()
        assert some == [here[:61] for here in rows]
    assert index.range(answer="count") == keys.size


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
@pytest.mark.parametrize("tolerance", [None, 1])
def test_neighbours_against_the_oracle(both, wanted, direction, exact, tolerance):
    index, keys, values = both
    rows = oracle.neighbours(keys.tolist(), wanted.tolist(), direction, exact, tolerance)
    names = ["any", "key", "first", "count", "sum", "rows"]
    found = index.nearest(wanted, names, direction=direction, exact=exact, tolerance=tolerance,
                          miss=-1)
    assert found.any.tolist() == [-1 if row == rtindex.MISS else row for row in rows]
    hit = found.any != -1
    assert found.key[hit].tolist() == keys[found.any[hit].astype(int)].tolist()
    same = oracle.matches(keys.tolist(), found.key.tolist(), found.key.tolist())
    same = [here if there else [] for here, there in zip(same, hit)]
    assert found.count.tolist() == [len(here) for here in same]
    assert found.first.tolist() == [min(here, default=-1) for here in same]
    assert found.sum.tolist() == [int(values[here].sum()) if here else -1 for here in same]
    assert lists(found.rows) == same
    if exact or tolerance is not None:
        return
    lazy = index.nearest(blocks(wanted, -(-wanted.size // 2)), names, direction=direction,
                         exact=exact, tolerance=tolerance, miss=-1)
    for name, answers in zip(names, dask.compute(*(lazy[name] for name in names[:-1]))):
        assert answers.tolist() == found[name].tolist()
    assert lists(lazy.rows.compute()) == same


def test_joins_against_the_oracle(both, wanted):
    index, keys, _ = both
    for how in ("inner", "left", "semi", "anti"):
        expected = oracle.pairs(keys.tolist(), wanted.tolist(), how)
        halves = blocks(wanted, 1 + wanted.size // 2)
        for found in (index.join(wanted, how), dask.compute(index.join(halves, how))[0],
                      _joined(index.join_batches(wanted, how, max_pairs=7))):
            probe = np.asarray(found.probe).tolist()
            if how in ("semi", "anti"):
                assert probe == expected and found.column is None
                continue
            column = [None if row == MISS else row for row in np.asarray(found.column).tolist()]
            assert sorted(zip(probe, column), key=str) == sorted(expected, key=str)
            assert probe == sorted(probe)
    rows = oracle.neighbours(keys.tolist(), wanted.tolist(), "forward")
    for lookups in (wanted, blocks(wanted, 1 + wanted.size // 2)):
        found = index.join_asof(lookups, "forward")
        assert like_local(np.asarray(found.column)).tolist() == rows
    ranges = index.join_range(wanted, wanted + 3)
    inside = oracle.within(keys.tolist(), wanted.tolist(), (wanted + 3).tolist())
    assert sorted(zip(ranges.probe.tolist(), ranges.column.tolist())) == [
        (i, row) for i, here in enumerate(inside) for row in sorted(here)]


def _joined(parts):
    parts = list(parts)
    assert all(0 < len(part.probe) <= 7 for part in parts)
    columns = [part.column for part in parts]
    return rtindex.Join(np.concatenate([part.probe for part in parts] or [[]]).astype(int),
                        None if not parts or columns[0] is None else np.concatenate(columns))
