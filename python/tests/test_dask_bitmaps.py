"""Masks of rows on a cluster: as filters, and as answers."""

from __future__ import annotations

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import pandas as pd
import polars as pl
import pytest

import rtindex

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
import rtindex.dask  # noqa: E402

KEYS = np.random.default_rng(20240229).integers(0, 50, 1000)
MASK = np.arange(1000) % 3 == 0


@pytest.fixture(scope="module")
def index():
    import distributed

    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None):
        yield rtindex.dask.build(da.from_array(KEYS, chunks=300), include={"price": da.from_array(KEYS * 2, chunks=300)},
                                 partitions=4)


def test_bitmaps_are_over_all_rows(index):
    assert index.lookup([7, 9, 99], "bitmap").tolist() == np.isin(KEYS, [7, 9]).tolist()
    assert index.range([5, 20], [9, 30], "bitmaps").tolist() == [
        ((KEYS >= low) & (KEYS <= high)).tolist() for low, high in ((5, 9), (20, 30))]
    mask = index.lookup(pl.Series([7]), "bitmap")
    assert isinstance(mask, pl.Series) and mask.to_list() == (KEYS == 7).tolist()
    assert index.lookup(7, "bitmap").tolist() == (KEYS == 7).tolist()
    answers = index.lookup([7, 99], ["count", "bitmap"], matched=True)
    assert answers.keys() == ["count", "bitmap", "matched"] and answers.count.tolist() == [(KEYS == 7).sum(), 0]
    with pytest.raises(rtindex.Error, match="omit `limit`"):
        index.lookup([7], "bitmap", limit=1)


@pytest.mark.parametrize("kind", [np.asarray, list, pd.Series, pl.Series, lambda mask: da.from_array(mask, chunks=300)])
def test_filters_restrict_what_matches(index, kind):
    local = rtindex.build(KEYS, include={"price": KEYS * 2})
    mask = kind(MASK)
    keys = np.arange(60)
    for answer in ("count", "first", "last", "sum", "mean", "bitmap"):
        found = index.lookup(keys, answer, "price" if answer in ("sum", "mean") else None, filter=mask, miss=None)
        wanted = local.lookup(keys, answer, "price" if answer in ("sum", "mean") else None, filter=MASK)
        hit = slice(None) if answer == "bitmap" else local.lookup(keys, "count", filter=MASK) > 0
        np.testing.assert_array_equal(found[hit], wanted[hit])
    assert index.range(3, 9, "count", filter=mask) == local.range(3, 9, "count", filter=MASK)
    many = np.resize(keys, 100_000)
    np.testing.assert_array_equal(index.lookup(many, "count", filter=mask), local.lookup(many, "count", filter=MASK))
    probe, rows = index.join(rtindex.Query.equal([7, 8], filter=mask))
    assert sorted(rows.tolist()) == np.flatnonzero(MASK & np.isin(KEYS, [7, 8])).tolist() and len(probe) == len(rows)


def test_ends_of_all_partitions(index):
    assert index.min() == KEYS.min() and index.max() == KEYS.max()
    changed = index.snapshot()
    changed.erase_range(0, 40)
    assert changed.min() == KEYS[KEYS > 40].min()
    changed.erase_keys(np.unique(KEYS))
    assert changed.min() is None and changed.max() is None


def test_masks_that_fit_nothing(index):
    with pytest.raises(rtindex.Error, match="each of 1,000 rows, got 3"):
        index.lookup([7], filter=[True, False, True])
    with pytest.raises(rtindex.Error, match="expected one boolean for each row, got int64"):
        index.lookup([7], filter=KEYS)
    with pytest.raises(rtindex.UnsupportedError, match="bitmaps expect queries in memory"):
        index.lookup(da.from_array(KEYS, chunks=300), "bitmap")
    lazy = da.from_array(KEYS, chunks=300)
    with pytest.raises(rtindex.Error, match="each of 1,000 rows, got 3"):
        index.lookup(lazy, filter=[True, False, True])
    for name in ("bitmap", "bitmaps"):
        with pytest.raises(rtindex.InvalidArgumentError, match="`out` expects one answer for each lookup"):
            index.lookup([7], name, out=np.empty(1000, bool))


@pytest.mark.parametrize("partitions", [1, 4])
def test_filters_of_lazy_queries(index, partitions):
    local = rtindex.build(KEYS, include={"price": KEYS * 2})
    if partitions == 1:
        index = rtindex.dask.build(da.from_array(KEYS, chunks=300), partitions=1,
                                   include={"price": da.from_array(KEYS * 2, chunks=300)})
    keys = np.resize(np.arange(60), 100)
    lazy = da.from_array(keys, chunks=30)
    for mask in (MASK, pd.Series(MASK), da.from_array(MASK, chunks=300)):
        names = ["count", "first", "sum"]
        found = index.lookup(lazy, names, "price", filter=mask, miss=-1)
        wanted = local.lookup(keys, names, "price", filter=MASK, miss=-1)
        for name, answers in zip(names, dask.compute(*(found[name] for name in names))):
            assert answers.tolist() == wanted[name].tolist()
        assert index.lookup(lazy, "count", filter=mask).compute().tolist() == wanted.count.tolist()
        assert index.lookup(lazy, "rows", filter=mask).compute().to_pylist() == [
            sorted(rows) for rows in local.lookup(keys, "rows", filter=MASK).to_pylist()]
        assert index.range(lazy, None, "count", filter=mask).compute().tolist() == local.range(
            keys, None, "count", filter=MASK).tolist()
        probe, rows = (part.compute() for part in index.join(rtindex.Query.equal(lazy, filter=mask)))
        assert (keys[probe] == KEYS[rows]).all() and MASK[rows].all() and len(rows) == wanted.count.sum()


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_filters_of_neighbours(index, direction, exact):
    """The neighbours among the rows of a mask may be several partitions away."""
    local = rtindex.build(KEYS, include={"price": KEYS * 2})
    keys = np.arange(-3, 60)
    names = ["any", "key", "first", "count", "sum"]
    for mask in (MASK, KEYS == 30, (KEYS < 3) | (KEYS > 47), np.zeros(1000, bool)):
        found, wanted = (one.nearest(keys, names, "price", direction, exact, filter=mask, miss=-1) for one in (index, local))
        for name in names:
            assert found[name].tolist() == wanted[name].tolist(), name
        query = rtindex.Query.nearest(keys, direction, exact, tolerance=20, filter=mask)
        later = rtindex.Query.nearest(da.from_array(keys, chunks=20), direction, exact, tolerance=20, filter=mask)
        for name in ("count", "first"):
            expected = local.answer(query, name, miss=None if name == "count" else -1).tolist()
            for one in (query, later):
                answers = index.answer(one, name, miss=None if name == "count" else -1)
                assert np.asarray(answers).tolist() == expected


def test_one_task_holds_the_filter_of_lazy_queries(index):
    mask = np.random.default_rng(1).random(1000) < 0.5
    graph = index.lookup(da.from_array(np.arange(60), chunks=10), "count", filter=mask).__dask_graph__()
    packed = np.packbits(mask, bitorder="little").tobytes()
    held = [str(key) for key, task in dict(graph).items()
            if any(part in cloudpickle.dumps(task) for part in (packed, mask.tobytes()))]
    assert len(held) == 1 and "rtindex-mask" in held[0]


def test_bitmaps_have_a_limit_of_bytes(index):
    assert index.lookup([7, 9], "bitmaps", max_bitmap_bytes=2000).shape == (2, 1000)
    with pytest.raises(rtindex.InvalidArgumentError, match="the bitmaps of 3 queries over 1,000 rows take more "
                       "than 2,999 bytes: .*max_bitmap_bytes"):
        index.range([5, 6, 7], [6, 7, 8], "bitmaps", max_bitmap_bytes=2999)
    many = np.full(2**30 // 1000 + 1, 99)
    with pytest.raises(rtindex.InvalidArgumentError, match="take more than 1,073,741,824 bytes"):
        index.lookup(many, ["count", "bitmaps"])
    assert index.lookup([7], "bitmap", max_bitmap_bytes=0).sum() == (KEYS == 7).sum()
    with pytest.raises(rtindex.InvalidArgumentError, match="invalid max_bitmap_bytes=-1"):
        index.lookup([7], "bitmaps", max_bitmap_bytes=-1)


def test_null_is_false_in_a_filter(index):
    mask = pl.Series([True, None] * 500)
    assert index.range(None, None, "count", filter=mask) == 500
