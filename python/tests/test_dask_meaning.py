"""Objects mean on Dask what they mean in memory: nulls, times and zones, texts, wide integers, names."""

from __future__ import annotations

import datetime
import decimal
import math
import zoneinfo
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402

NAN = math.nan
NOON = datetime.datetime(2024, 2, 29, 12)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
AWARE = NOON.replace(tzinfo=BERLIN)


@pytest.fixture(scope="module", autouse=True)
def client():
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as own:
        yield own


def on_dask(column, partitions=3, **options):
    lazy = da.from_array(column, chunks=2) if isinstance(column, np.ndarray) else dd.from_pandas(column, npartitions=2)
    return rtindex.dask.build(lazy, partitions=partitions, **options)


@pytest.mark.parametrize("column", [
    pd.Series([1.5, NAN, 2.5]), pd.Series([1.5, NAN, 2.5], dtype="float32"), pd.Series([1.5, None, 2.5], dtype="Float64"),
    pd.Series([1.5, NAN, 2.5], dtype=pd.ArrowDtype(pa.float64())), pd.Series(["a", None, "b"]), pd.Series(["a", pd.NA, "b"], dtype=object),
    pd.Series([NOON, pd.NaT, AWARE.replace(tzinfo=None)]), pd.Series(["a", None, "b"], dtype="category"),
    pd.DataFrame({"a": [1.5, NAN, 2.5], "b": 1})])
def test_pandas_brings_nulls(column):
    index = on_dask(column)
    assert index.nulls().tolist() == [1] and index.valid == 2
    for keys in (column, dd.from_pandas(column, npartitions=2)):
        assert np.asarray(index.lookup(keys, "count"))[1] == 0 and np.asarray(index.join(keys, "anti").probe).tolist() == [1]
        assert np.asarray(index.range(keys, keys, "count"))[1] == 0
    assert index.insert(column) == 3 and index.insert(dd.from_pandas(column, npartitions=2)) == 6
    assert index.nulls().tolist() == [1, 4, 7]


def test_nan_is_a_number_elsewhere():
    index = on_dask(np.array([1.5, NAN, 2.5]))
    assert index.nulls().tolist() == [] and NAN in index
    for keys in (np.array([1.5, NAN]), pl.Series([1.5, NAN]), pa.array([1.5, NAN]), [1.5, NAN], da.from_array(np.array([1.5, NAN]), chunks=1)):
        assert np.asarray(index.lookup(keys, "count")).tolist() == [1, 1]
    assert index.lookup(pd.Series([1.5, NAN]), "count").tolist() == [1, 0]


@pytest.mark.parametrize("make", [np.array, pd.Series])
@pytest.mark.parametrize("nan_as_null", [True, False])
def test_nan_as_null_overrides(tmp_path, make, nan_as_null):
    index = on_dask(make([1.5, NAN]), nan_as_null=nan_as_null)
    index.save(tmp_path)
    hits = int(not nan_as_null)
    for each in (index, rtindex.dask.load(tmp_path), index.snapshot()):
        assert each.nulls().tolist() == ([1] if nan_as_null else [])
        for kind in (np.array, pd.Series, pl.Series, pa.array, list):
            assert np.asarray(each.lookup(kind([NAN, 1.5]), "count")).tolist() == [hits, 1]
        assert (NAN in each) == (not nan_as_null)
        each.insert(make([NAN]))
        assert each.nulls().tolist() == ([1, 2] if nan_as_null else [])
    with pytest.raises(rtindex.Error, match="invalid nan_as_null=1"):
        rtindex.dask.build(da.from_array(np.array([1.5]), chunks=1), nan_as_null=1)


@pytest.mark.parametrize("partitions", [1, 3])
def test_nulls_among_values(partitions):
    keys, values = pd.Series([7, 7, 7, 8]), pd.Series([1.0, NAN, 4.0, NAN])
    both = dd.from_pandas(pd.DataFrame({"key": keys, "value": values}), npartitions=2)
    plain = rtindex.dask.build(both["key"], partitions=partitions)
    included = rtindex.dask.build(both["key"], include=both["value"], partitions=partitions)
    in_memory = rtindex.dask.build(da.from_array(keys.to_numpy(), chunks=2), include=values, partitions=partitions)
    for index, given in ((plain, values), (plain, both["value"]), (included, None), (in_memory, None)):
        for wanted in ([7, 8, 9], [8]):  # all values of 8 are null
            found = index.lookup(wanted, ["sum", "mean", "min", "max", "count"], given, miss=-1)
            for name, answers in (("sum", [5, -1, -1]), ("mean", [2.5, -1, -1]), ("min", [1, -1, -1]), ("max", [4, -1, -1])):
                assert found[name].tolist() == (answers if len(wanted) == 3 else answers[1:2]), name
        assert index.lookup([7, 8], ["first", "sum"], given).to_pandas()["sum"].isna().tolist() == [False, True]
    assert math.isnan(plain.lookup(7, "sum", values.to_numpy()))


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_times_and_zones(unit):
    stamps = pd.Series([AWARE, AWARE + datetime.timedelta(hours=1), None]).dt.as_unit(unit)
    zoned, naive = on_dask(stamps, include=None), on_dask(stamps.dt.tz_localize(None))
    key: Any
    for key in (AWARE, pd.Timestamp(AWARE), "2024-02-29T11:00Z", "2024-02-29 12:00+01:00", np.array([AWARE], object), pd.Series([AWARE])):
        assert np.asarray(zoned.lookup(key, "count")).tolist() in (1, [1])
        with pytest.raises(rtindex.InvalidArgumentError, match="time zone .*, and the column has none"):
            naive.lookup(key)
    for key in (NOON, pd.Timestamp(NOON), np.datetime64(NOON), "2024-02-29 12:00", [NOON], pl.Series([NOON]), np.array(["2024-02-29T12"])):
        assert np.asarray(naive.lookup(key, "count")).tolist() in (1, [1])
        for call in (zoned.lookup, zoned.insert, zoned.erase_keys, zoned.nearest, zoned.join):
            with pytest.raises(rtindex.InvalidArgumentError, match="no time zone, and the column has Europe/Berlin"):
                call(key)
    assert naive.range("2024-02-29", datetime.date(2024, 3, 1), "count") == 2
    assert zoned.range(datetime.datetime.min.replace(tzinfo=datetime.timezone.utc), None, "count") == 2
    key = zoned.nearest(AWARE + datetime.timedelta(minutes=5), "key", tolerance="5m")
    assert key == AWARE and str(key.tzinfo) == "Europe/Berlin" and zoned.nearest("2024-02-29T11:05Z", tolerance="299s") is None
    assert str(zoned.nearest(pd.Series([AWARE]), "key").dtype) == f"datetime64[{unit}, Europe/Berlin]"
    lazy = dd.from_pandas(pd.Series([AWARE, AWARE]).dt.tz_convert("Asia/Tokyo"), npartitions=2)
    assert zoned.lookup(lazy, "count").compute().tolist() == [1, 1]
    with pytest.raises(rtindex.InvalidArgumentError, match="and the column has none"):
        naive.lookup(lazy)


def test_wide_integers_and_fractions():
    index = on_dask(np.arange(6))
    assert index.lookup(2**70) is None and index.lookup([2**70, 3, None], "count").tolist() == [0, 1, 0]
    assert index.range(-(2**70), 2**200, "count") == 6 and index.range([2**64, 0], [2**70, 2**64], "count", ends="()").tolist() == [0, 5]
    assert index.range(2.5, decimal.Decimal("4.5"), "count") == 2 and index.range(2.5, 4.5, "count", ends="()") == 2
    floats = on_dask(np.array([0.1, 0.5], np.float32))
    assert floats.lookup(0.1) == 0 and floats.lookup([0.1], "count").tolist() == [0]
    with pytest.raises(rtindex.Error, match="exact up to 2\\^53"):
        floats.lookup(np.array([2**60]))


def test_null_lookups():
    for index in (on_dask(np.arange(4)), on_dask(pd.Series(["a", "b"])), on_dask(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))):
        for null in (None, pd.NA):
            assert null not in index and index.lookup(null) is None and index.nearest(null) is None
            assert index.lookup(null, "count") == 0
        assert index.rank(None) == 0


def test_frames_match_by_name(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [30, 20, 10]})
    index = on_dask(frame)
    index.save(tmp_path)
    for each in (index, rtindex.dask.load(tmp_path)):
        assert each.names == ("a", "b")
        for turned in (frame[["b", "a"]], pl.DataFrame(frame[["b", "a"]]), dd.from_pandas(frame[["b", "a"]], npartitions=2)):
            found = each.lookup(turned)
            assert (found.compute() if hasattr(found, "compute") else found).to_list() == [0, 1, 2]
        assert each.lookup((np.array([3]), np.array([10]))).tolist() == [2]
        with pytest.raises(rtindex.Error, match="has no column 'b'"):
            each.lookup(frame.rename(columns={"b": "c"}))


def test_ordered_categories_have_no_order_here():
    for order, is_reordered in ((["low", "mid"], False), (["mid", "low"], True)):
        column = pd.Series(["mid", "low", "mid"], dtype=pd.CategoricalDtype(order, ordered=True))
        for index in (on_dask(column), on_dask(column, partitions=1)):
            assert index.lookup(["mid", "low"], "count").tolist() == [2, 1]
            calls = [lambda: index.range("low", None), lambda: index.nearest("low"), lambda: index.rank("low"), lambda: index.select(0),
                     lambda: index.lookup("mid", "rows", order="key"), lambda: index.range(dd.from_pandas(column, npartitions=2))]
            for call in calls:
                if is_reordered:
                    with pytest.raises(rtindex.UnsupportedError, match="ordered categories"):
                        call()
                else:
                    call()


def test_one_end_serves_all_blocks():
    index = on_dask(np.array([1, 5, 9]))
    ends = da.from_array(np.array([5, 9, 0]), chunks=2)
    assert index.range(2, ends, "count").compute().tolist() == [1, 2, 0]
    assert index.range(ends, 8.5, "count").compute().tolist() == [1, 0, 2]


def test_keys_of_other_types(tmp_path):
    """Neighbours in several partitions, whose rows are found in a second step."""
    times = [datetime.time(12, i % 3) for i in range(9)]
    for column in (pd.Series(times, dtype=pd.ArrowDtype(pa.time32("s"))), pd.Series([decimal.Decimal(i % 3) / 4 for i in range(9)],
                   dtype=pd.ArrowDtype(pa.decimal128(12, 2))), pd.Series([bytes([i % 3] * 16) for i in range(9)], dtype=pd.ArrowDtype(pa.binary(16))),
                   pd.Series([NOON + datetime.timedelta(days=i % 3) for i in range(9)]).dt.tz_localize("Asia/Kolkata")):
        index, local = on_dask(column, partitions=5), rtindex.build(column)
        assert index.type == local.type
        for kind in (list, lambda keys: keys, lambda keys: pa.array(keys), lambda keys: keys.iloc[0]):
            keys = kind(column)
            if isinstance(keys, bytes) or isinstance(keys, list) and isinstance(keys[0], bytes):
                continue  # strings in a list
            found, wanted = (one.nearest(keys, ["any", "key", "first", "count"]) for one in (index, local))
            assert str(found.key) == str(wanted.key) and type(found.key) is type(wanted.key)
            assert str(found.first) == str(wanted.first).replace("UInt32", "UInt64") or np.asarray(found.first).tolist() == np.asarray(wanted.first).tolist()
