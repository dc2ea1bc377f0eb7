"""Filters over several columns, against a scan."""

import copy
import datetime
import pickle
from typing import Any

import dask.dataframe
import numpy as np
import pandas as pd
import pytest

import rtindex

SPEC = "rx:native@cpu"


def table(rows, seed=1):
    random = np.random.default_rng(seed)
    return {"price": random.integers(0, 100, rows).astype(np.int32),
            "day": np.datetime64("2024-01-01") + random.integers(0, 60, rows),
            "weight": np.round(random.normal(0, 10, rows), 1),
            "store": random.integers(0, 8, rows).astype(np.uint8)}


@pytest.fixture(scope="module")
def sales():
    held = table(5000)
    return held, rtindex.build(rtindex.points(held), SPEC, include=held["price"])


def test_conditions_find_what_a_scan_finds(sales):
    held, index = sales
    day = np.datetime64("2024-02-01")
    cases = [
        ({}, np.ones(5000, bool)),
        ({"store": 7}, held["store"] == 7),
        ({"price": (10, 20)}, (held["price"] >= 10) & (held["price"] <= 20)),
        ({"price": (10, 20), "day": ("2024-02-01", None), "store": 7},
         (held["price"] >= 10) & (held["price"] <= 20) & (held["day"] >= day)
         & (held["store"] == 7)),
        ({"day": datetime.date(2024, 2, 1)}, held["day"] == day),
        ({"price": rtindex.between(10, 20, "[)")}, (held["price"] >= 10) & (held["price"] < 20)),
        ({"price": rtindex.between(10.5, 20.5, "()")},
         (held["price"] > 10.5) & (held["price"] < 20.5)),
        ({"price": 10.5}, np.zeros(5000, bool)),
        ({"weight": (-0.5, 1)}, (held["weight"] >= -0.5) & (held["weight"] <= 1)),
        ({"store": rtindex.isin([1, 2, 5, 5]), "price": (None, 50)},
         np.isin(held["store"], [1, 2, 5]) & (held["price"] <= 50)),
        ({"store": rtindex.isin([]), "price": (None, 50)}, np.zeros(5000, bool)),
        ({"price": (20, 10)}, np.zeros(5000, bool)),
        ({"store": 300}, np.zeros(5000, bool)),
        ({"store": rtindex.is_null()}, np.zeros(5000, bool)),
    ]
    for conditions, wanted in cases:
        rows = np.flatnonzero(wanted)
        assert index.filter(conditions, "count") == len(rows), conditions
        assert sorted(index.filter(conditions, "rows").tolist()) == rows.tolist(), conditions
        assert np.array_equal(index.filter(conditions, "bitmap"), wanted), conditions
        first = index.filter(conditions, "first")
        assert first == (rows[0] if len(rows) else None)
        assert index.filter(conditions, "sum", miss=0) == held["price"][rows].sum()
        assert index.filter(conditions, "sum", held["weight"], miss=0) == pytest.approx(
            held["weight"][rows].sum())
        if len(rows):
            assert index.filter(conditions, "mean") == pytest.approx(held["price"][rows].mean())
            assert index.filter(conditions, "max") == held["price"][rows].max()
        assert len(index.filter(conditions, "rows", limit=3)) == min(3, len(rows))


@pytest.mark.parametrize("conditions", [
    {"store": np.array([1, 2, 3]), "price": [10]},
    {"store": [1], "price": (np.array([1, 2]), None)},
    {"price": rtindex.between([1, 2], [3])},
], ids=["equal", "range", "ends"])
def test_arrays_of_one_value_do_not_apply_to_a_batch(sales, conditions):
    _, index = sales
    with pytest.raises(rtindex.InvalidArgumentError, match="for 1: pass arrays|is for 1 queries"):
        index.filter(conditions, "count")
    assert len(index.filter({"store": [1], "price": ([10], 20)}, "count")) == 1


def test_arrays_make_a_batch(sales):
    held, index = sales
    stores = np.arange(8)
    counts = index.filter({"store": stores, "price": (10, 20)}, "count")
    wanted = [((held["store"] == store) & (held["price"] >= 10) & (held["price"] <= 20)).sum()
              for store in stores]
    assert counts.tolist() == wanted
    lower = np.array([0, 30, 90])
    found = index.filter({"price": (lower, lower + 5), "store": rtindex.isin([1, 3])},
                         ["count", "rows"], matched=True)
    for i, low in enumerate(lower):
        rows = np.flatnonzero((held["price"] >= low) & (held["price"] <= low + 5)
                              & np.isin(held["store"], [1, 3]))
        assert found.count[i] == len(rows) and sorted(found.rows[i].tolist()) == rows.tolist()
    query = rtindex.Query.box({"store": stores, "price": (10, 20)})
    join = index.join(query)
    assert np.bincount(join.probe, minlength=8).tolist() == wanted
    assert index.join(query, "semi").probe.tolist() == np.flatnonzero(wanted).tolist()


def test_joins_of_boxes(sales):
    held, index = sales
    stores = np.array([1, 50, 3])
    query = rtindex.Query.box({"store": stores, "price": (10, 20)})
    in_range = (held["price"] >= 10) & (held["price"] <= 20)
    wanted = {(i, row) for i, store in enumerate(stores)
              for row in np.flatnonzero(in_range & (held["store"] == store)).tolist()}
    assert wanted
    join = index.join(query)
    assert set(zip(join.probe.tolist(), join.column.tolist())) == wanted
    assert len(join.probe) == len(wanted)
    left = index.join(query, "left")
    assert left.probe.tolist().count(1) == 1 and len(left.probe) == len(wanted) + 1
    assert index.join(query, "anti").probe.tolist() == [1]
    for order in ("lookups", "any"):
        for max_pairs in (1, 7):
            pairs: list[Any] = []
            for batch in index.join_batches(query, max_pairs=max_pairs, order=order):
                assert len(batch.probe) <= max_pairs
                pairs += zip(batch.probe.tolist(), batch.column.tolist())
            assert len(pairs) == len(wanted) and set(pairs) == wanted
        batches = list(index.join_batches(query, "anti", max_pairs=7, order=order))
        assert [i for batch in batches for i in batch.probe.tolist()] == [1]


def test_nulls_match_no_condition_on_their_column():
    index = rtindex.build(rtindex.points(a=[1, None, 3, None], b=["x", "y", None, None]), SPEC)
    assert len(index) == index.valid == 4
    assert index.filter({}, "count") == 4
    assert index.filter({"a": (None, None)}, "count") == 2
    assert index.filter({"a": rtindex.is_null()}, "rows").tolist() in ([1, 3], [3, 1])
    assert index.filter({"a": rtindex.is_null(), "b": "y"}, "rows").tolist() == [1]
    assert index.filter({"a": rtindex.is_null(), "b": rtindex.is_null()}, "first") == 3
    assert index.filter({"b": ("x", "z")}, "count") == 2


def test_frames_keep_their_names():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    held = table(300)
    wanted = int(((held["price"] < 50) & (held["store"] == 3)).sum())
    conditions = {"price": rtindex.between(None, 50, "[)"), "store": 3}
    frame = pd.DataFrame(held)
    for data in (frame, pl.DataFrame(held), pa.Table.from_pandas(frame, preserve_index=False)):
        index = rtindex.build(rtindex.points(data), SPEC)
        assert index.names == ("price", "day", "weight", "store")
        assert index.filter(conditions, "count") == wanted
    counts = index.filter({"store": pd.Series([3, 4], index=["a", "b"])}, "count")
    assert counts["a"] == (held["store"] == 3).sum()
    assert "points (price, day, weight, store)" in repr(index)
    city = pd.Series(["Bonn", "Rome", "Bonn"], dtype="category")
    index = rtindex.build(rtindex.points(city=city, n=[1, 2, 3]), SPEC)
    assert index.filter({"city": "Bonn", "n": (2, 3)}, "rows").tolist() == [2]


def test_a_filter_restricts_rows(sales):
    held, index = sales
    expensive = rtindex.build(held["weight"]).range(5.0, None, "bitmap")
    wanted = expensive & (held["store"] == 2)
    assert index.filter({"store": 2}, "count", filter=expensive) == wanted.sum()
    assert np.array_equal(index.filter({"store": 2}, "bitmap", filter=expensive), wanted)


def test_changes_and_copies(tmp_path):
    held = table(200)
    index = rtindex.build(rtindex.points(held), SPEC)
    before = index.snapshot()
    assert index.insert({"store": 9, "price": 5, "day": datetime.date(2024, 1, 1), "weight": 1.5}) == 200
    index.insert(rtindex.points(table(50, 2)))
    index.erase([0, 1])
    index.update([2], {"price": [1000], "day": [datetime.date(2025, 1, 1)], "weight": [None], "store": [1]})
    assert index.filter({"store": 9, "weight": (1, 2)}, "rows").tolist() == [200]
    assert index.filter({"price": (1000, None), "weight": rtindex.is_null()}, "rows").tolist() == [2]
    assert index.filter({}, "count") == index.valid == 249
    assert before.filter({}, "count") == 200
    index.save(tmp_path / "points.rtindex")
    for same in (pickle.loads(pickle.dumps(index)), copy.copy(index),
                 rtindex.load(tmp_path / "points.rtindex")):
        assert same.names == index.names
        assert same.filter({"price": (0, 50)}, "count") == index.filter({"price": (0, 50)}, "count")
    index.merge()
    assert index.filter({"store": 9, "weight": (1, 2)}, "rows").tolist() == [200]


def test_erased_rows_are_no_nulls():
    index = rtindex.build(rtindex.points(a=[1, 2, 3], b=["x", "y", "z"]), SPEC)
    index.erase([1])
    index.merge()
    assert "with nulls" not in index.describe()
    index.insert({"a": [None], "b": ["w"]})
    index.merge()
    assert index.describe().count("with nulls") == 1
    assert index.filter({"a": rtindex.is_null()}, "rows").tolist() == [3]


def test_errors_say_what_to_do(sales):
    _, index = sales
    for call, sentence in [
        (lambda: rtindex.points(a=[1]), "2 to 8 columns, got 1"),
        (lambda: rtindex.points(**{f"c{i}": [1] for i in range(9)}), "2 to 8 columns, got 9"),
        (lambda: rtindex.points(), "a frame or columns by name"),
        (lambda: rtindex.points(dask.dataframe.from_pandas(pd.DataFrame({"a": [1], "b": [2]}))),
         "frame.compute()"),
        (lambda: rtindex.points(5), "a data frame, a table or a dict"),
        (lambda: rtindex.build(rtindex.points(a=[1, 2], b=[1]), SPEC), "differ in length"),
        (lambda: rtindex.build(rtindex.points(a=[1], b=[2]), "sorted@cpu"), "cannot index points"),
        (lambda: index.filter({"prices": 3}), "unknown column 'prices': the index has price, day"),
        (lambda: index.filter({"price": None}), "rtindex.is_null()"),
        (lambda: index.filter({"price": pd.NA}), "rtindex.is_null()"),
        (lambda: index.filter({"day": pd.NaT}), "rtindex.is_null()"),
        (lambda: index.filter({"day": np.datetime64("NaT")}), "rtindex.is_null()"),
        (lambda: index.filter({"day": (pd.NaT, "2024-01-02")}), "None for an open end"),
        (lambda: index.filter({"price": (3, pd.NA)}, "count"), "None for an open end"),
        (lambda: index.filter({"price": (1, 2, 3)}), "two ends, got 3"),
        (lambda: index.filter({"price": "a"}), "cannot be compared with column 'price'"),
        (lambda: index.filter({"day": "tomorrow"}), "invalid time 'tomorrow'"),
        (lambda: index.filter([1]), "expected a dict of conditions"),
        (lambda: index.filter({"price": ([1, 2], [3, 4, 5])}), "one length"),
        (lambda: rtindex.isin(5), "several values"),
        (lambda: rtindex.between(1, 2, "<>"), "invalid ends"),
        (lambda: index.lookup(5), "use index.filter"),
        (lambda: index.insert({"price": 1, "store": 2}), "pass the same columns"),
        (lambda: index.erase_keys([1]), "erased by their rows"),
        (lambda: rtindex.build([1, 2]).filter({"a": 1}), "build it over rtindex.points"),
    ]:
        with pytest.raises(rtindex.Error) as error:
            call()
        assert sentence in str(error.value), str(error.value)


def test_ends_are_read_like_lookups():
    singles = rtindex.build(rtindex.points(x=np.array([0.1], np.float32), y=[1]), SPEC)
    assert singles.filter({"x": 0.1}, "count") == 1 == singles.filter({"x": (0.1, 0.1)}, "count")
    days = rtindex.build(rtindex.points(t=np.array(["2024-01-01", "1970-01-01"], "M8[us]"), y=[1, 2]),
                         SPEC)
    for text in ("2024-01-01T00:00:00.000000000000001", "2024-01-01T05:00+05:00", "today",
                 " 2024-01-01"):
        with pytest.raises(rtindex.Error):
            days.filter({"t": (text, None)}, "count")
    pd = pytest.importorskip("pandas")
    zoned = rtindex.build(rtindex.points(t=pd.to_datetime(["2024-01-01"]).tz_localize("UTC"), y=[1]),
                          SPEC)
    assert zoned.filter({"t": "2024-01-01T01:00+01:00"}, "count") == 1
    with pytest.raises(rtindex.Error, match="no time zone"):
        zoned.filter({"t": "2024-01-01"}, "count")
    with pytest.raises(rtindex.Error, match="points, which have no order"):
        zoned.min()


def test_names_may_be_integers():
    pd = pytest.importorskip("pandas")
    for frame in (pd.DataFrame([[1, 5], [2, 6]]), {0: [1, 2], np.int64(1): [5, 6]}):
        index = rtindex.build(rtindex.points(frame), SPEC)
        assert index.names == ("0", "1")
        assert index.filter({0: (2, None), "1": 6}, "rows").tolist() == [1]
        index.insert(rtindex.points(frame))
        assert index.filter({1: 5}, "count") == 2
    assert rtindex.points({("a", "b"): [1], "c": [2]}).names == ("('a', 'b')", "c")
    with pytest.raises(rtindex.Error, match="invalid column name None .*rename it"):
        rtindex.points({None: [1], "c": [2]})
    with pytest.raises(rtindex.Error, match="two columns have the name '0'"):
        rtindex.points({0: [1], "0": [2]})


def test_values_of_isin_may_be_a_set(sales):
    _, index = sales
    wanted = index.filter({"store": rtindex.isin([1, 3])}, "count")
    for values in ({1, 3}, frozenset((1, 3))):
        assert index.filter({"store": rtindex.isin(values)}, "count") == wanted
        assert rtindex.build([1, 2, 3]).isin(values).tolist() == [True, False, True]
    assert index.filter({"store": rtindex.isin(set())}, "count") == 0


def test_masks_are_of_the_library_of_the_batch(sales):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    _, index = sales
    for batch, kind in (([1, 2], np.ndarray), (pd.Series([1, 2], [5, 6]), np.ndarray),
                        (pl.Series([1, 2]), pl.Series)):
        assert isinstance(index.filter({"store": batch}, "bitmap"), kind)
