"""Masks of rows on a cluster: as filters, and as answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rtindex

pytest.importorskip("distributed")
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


def test_masks_that_fit_nothing(index):
    with pytest.raises(rtindex.Error, match="each of 1,000 rows, got 3"):
        index.lookup([7], filter=[True, False, True])
    with pytest.raises(rtindex.Error, match="expected one boolean for each row, got int64"):
        index.lookup([7], filter=KEYS)
    with pytest.raises(rtindex.UnsupportedError, match="a filter of nearest"):
        index.answer(rtindex.Query.nearest([7], filter=MASK))
    with pytest.raises(rtindex.UnsupportedError, match="expect queries in memory"):
        index.lookup(da.from_array(KEYS, chunks=300), "bitmap")


def test_null_is_false_in_a_filter(index):
    mask = pl.Series([True, None] * 500)
    assert index.range(None, None, "count", filter=mask) == 500
