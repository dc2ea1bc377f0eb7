"""Row bitmaps: masks of the rows that match, and masks of the rows that may match."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex
from rtindex import Query

CATEGORY = np.array([26, 25, 29, 23, 29, 27])


@pytest.fixture(name="index")
def _index():
    return rtindex.build(CATEGORY)


def test_bitmap_is_a_mask_of_the_rows_that_match_any_query(index):
    mask = index.lookup(np.array([29, 25, 24]), "bitmap")
    assert mask.dtype == bool
    assert mask.tolist() == [False, True, True, False, True, False]
    assert CATEGORY[index.range(25, 27, "bitmap")].tolist() == [26, 25, 27]
    assert not index.lookup(np.array([], np.int64), "bitmap").any()


def test_bitmaps_have_a_mask_for_each_query(index):
    masks = index.range(np.array([23, 29]), np.array([25, 29]), "bitmaps")
    assert masks.shape == (2, 6)
    assert masks.tolist() == [[False, True, False, True, False, False],
                              [False, False, True, False, True, False]]


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 1000])
def test_bitmaps_have_an_entry_for_each_row(rows):
    column = np.arange(rows) % 5
    index = rtindex.build(column)
    assert index.lookup(np.array([2]), "bitmap").tolist() == (column == 2).tolist()
    assert index.lookup(np.array([2, 7]), "bitmaps").tolist() == [(column == 2).tolist(),
                                                                  [False] * rows]


def test_bitmaps_go_with_other_answers(index):
    found = index.lookup(np.array([29, 24]), ["count", "bitmap", "rows"], matched=True)
    assert found.count.tolist() == [2, 0]
    assert found.bitmap.tolist() == [False, False, True, False, True, False]
    assert found.matched.tolist() == [True, False]
    assert found.rows.to_pylist() == [[2, 4], []]
    only = index.lookup(np.array([29, 24]), "bitmap", matched=True)
    assert only.keys() == ["bitmap", "matched"]
    assert found.keys() == ["count", "bitmap", "rows", "matched"]


def test_masks_are_objects_of_the_library_of_the_lookups(index):
    arrow = index.lookup(pa.array([29]), "bitmap")
    assert arrow.type == pa.bool_() and arrow.to_pylist().count(True) == 2
    frame = pl.DataFrame({"category": CATEGORY})
    assert frame.filter(index.lookup(pl.Series([29]), "bitmap"))["category"].to_list() == [29, 29]
    labelled = pd.DataFrame({"category": CATEGORY}, index=list("abcdef"))
    assert labelled[index.lookup(pd.Series([29]), "bitmap")].index.tolist() == ["c", "e"]
    torch = pytest.importorskip("torch")
    assert index.lookup(torch.tensor([29]), "bitmap").dtype == torch.bool


@pytest.mark.parametrize("mask_of", [np.array, list, pa.array, pl.Series, pd.Series,
                                     lambda bits: pa.chunked_array([bits[:2], bits[2:]]),
                                     lambda bits: pa.array([True, *bits]).slice(1)])
def test_filters_restrict_what_matches(index, mask_of):
    mask = mask_of([True, False, False, True, True, True])
    assert index.lookup([29, 25], "count", filter=mask).tolist() == [1, 0]
    assert index.range(23, 29, "rows", order="key", filter=mask).tolist() == [3, 0, 5, 4]
    assert index.nearest([25, 28], filter=mask).tolist() == [3, 5]
    assert index.join(Query.equal([29, 25], filter=mask)).column.tolist() == [4]
    assert index.lookup([29], "bitmap", filter=mask).tolist() == [False] * 4 + [True, False]


def test_filters_of_strings():
    names = rtindex.build(["Ulm", "Bonn", "Ulm an der Donau", None])
    assert names.starts_with("Ulm", "rows", filter=[False, True, True, True]).tolist() == [2]


def test_nulls_of_a_filter_are_false(index):
    mask = pa.array([None, None, True, True, None, None])
    assert index.lookup([29], "count", filter=mask).tolist() == [1]


def test_results_of_one_index_restrict_another(index):
    price = np.array([199, 149, 279, 899, 349, 1299])
    cheap = rtindex.build(price).range(None, 300, "bitmap")
    assert index.range(25, 29, "rows", order="key", filter=cheap).tolist() == [1, 0, 2]


def test_wrong_masks_are_errors(index):
    with pytest.raises(rtindex.Error, match="the filter has 2 rows but the index has 6"):
        index.lookup([29], filter=[True, False])
    with pytest.raises(rtindex.Error, match="expected one boolean for each row, got int64"):
        index.lookup([29], filter=np.arange(6))
    with pytest.raises(rtindex.Error, match="expected one boolean for each row, got"):
        index.lookup([29], filter=True)
    with pytest.raises(rtindex.Error, match="one answer for each lookup"):
        index.lookup(np.array([29]), "bitmap", out=np.empty(1, bool))


def test_bitmaps_have_a_limit_of_bytes(index):
    with pytest.raises(rtindex.InvalidArgumentError, match="take more than 1,073,741,824 bytes"):
        rtindex.build(np.arange(1 << 16)).lookup(np.arange(1 << 15), "bitmaps")
    points = rtindex.build(rtindex.points({"x": CATEGORY, "y": CATEGORY}))
    intervals = rtindex.build(rtindex.intervals(CATEGORY, CATEGORY + 2, ends="[)"))
    for call in (lambda limit: index.lookup([29, 23], "bitmaps", max_bitmap_bytes=limit),
                 lambda limit: index.range([20, 23], 27, ["count", "bitmaps"], max_bitmap_bytes=limit).bitmaps,
                 lambda limit: index.nearest([29, 23], "bitmaps", max_bitmap_bytes=limit),
                 lambda limit: index.answer(Query.equal([29, 23]), "bitmaps", max_bitmap_bytes=limit),
                 lambda limit: intervals.contains([29, 23], "bitmaps", max_bitmap_bytes=limit),
                 lambda limit: intervals.overlaps([29, 23], [30, 24], "bitmaps", max_bitmap_bytes=limit),
                 lambda limit: points.filter({"x": ([29, 23], [30, 24])}, "bitmaps", max_bitmap_bytes=limit)):
        assert call(12).shape == (2, 6)
        with pytest.raises(rtindex.InvalidArgumentError, match="2 queries over 6 rows take more than 11 bytes: "
                           "pass fewer queries, a larger max_bitmap_bytes"):
            call(11)
    assert index.lookup([29, 23], "bitmap", max_bitmap_bytes=0).sum() == 3
    with pytest.raises(rtindex.InvalidArgumentError, match="invalid max_bitmap_bytes='12'"):
        index.lookup([29], "bitmaps", max_bitmap_bytes="12")
