"""Every type of key and every kind of lookups on Dask, against one index in memory."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402
from rtindex.dask import _build  # noqa: E402

MISS = rtindex.dask.MISS
RANDOM = np.random.default_rng(3)
NUMBERS = RANDOM.integers(-20, 20, 120)
DAYS = np.datetime64("2024-02-29") + NUMBERS
WORDS = np.array(["Ulm", "Ulm an der Donau", "Bonn", "Übach", "", "a", "Bonn-Ost"])[NUMBERS % 7]


def series(values, dtype=None):
    return dd.from_pandas(pd.Series(values, dtype=dtype), npartitions=4)


def array(values):
    return da.from_array(np.asarray(values), chunks=31)


def nullable(values, dtype):
    found = pd.Series(values.tolist(), dtype=dtype)
    found[::9] = None
    return found


# The column, and what to look up: anything that an index in memory takes.
COLUMNS = {
    **{name: (array(NUMBERS.astype(name)), np.arange(-22, 22).astype(name))
       for name in ("int8", "int32", "int64", "float32", "float64")},
    **{name: (array((NUMBERS + 20).astype(name)), np.arange(0, 44).astype(name))
       for name in ("uint8", "uint64")},
    "int64 at the ends": (array(np.array([-(2**63), 2**63 - 1, 0] * 20)),
                          np.array([-(2**63), 2**63 - 1, 0, 1])),
    "bool": (array(NUMBERS > 3), np.array([True, False])),
    "floats with NaN": (array(np.where(NUMBERS % 5 == 0, np.nan, NUMBERS * 0.5)),
                        np.array([np.nan, -0.0, 0.0, 1.5, np.inf, -np.inf])),
    "other width": (array(NUMBERS.astype("int16")), np.arange(-22, 22)),
    "floats on integers": (array(NUMBERS), np.array([1.0, 2.5, -3.0, np.nan, 1e30])),
    "Int64 with nulls": (series(nullable(NUMBERS, "Int64")),
                         pd.Series([1, 2, None], dtype="Int64")),
    "strings": (series(WORDS.tolist()), pd.Series(["Ulm", "Bonn", "x", "", None])),
    "strings with nulls": (series(nullable(WORDS, "string")), ["Ulm", None, "Bonn-Ost"]),
    "strings of NumPy": (array(WORDS), np.array(["Ulm", "Bonn", "x"])),
    "days": (array(DAYS), np.array(["2024-02-29", "2024-03-01", "NaT", "2030-01-01"], "M8[D]")),
    "durations": (array(np.where(NUMBERS % 5 == 0, np.timedelta64("NaT"), NUMBERS.astype("m8[s]"))),
                  np.array([-7, 3, 99, "NaT"], "m8[s]")),
    "timestamps": (series(DAYS.astype("M8[ns]")), pd.Series(DAYS[:5].astype("M8[ns]"))),
    "timestamps in tens of milliseconds": (array(DAYS.astype("M8[10ms]")),
                                           DAYS[:5].astype("M8[10ms]")),
    "timestamps in a zone": (series(pd.Series(DAYS.astype("M8[ns]")).dt.tz_localize("Asia/Tokyo")),
                             pd.Series(DAYS[:5].astype("M8[ns]")).dt.tz_localize("UTC")),
    "composite": (dd.from_pandas(pd.DataFrame({"city": WORDS, "day": DAYS.astype("M8[us]")}),
                                 npartitions=4),
                  (WORDS[:20], DAYS[:20].astype("M8[us]"))),
    "composite of arrays": ((array(NUMBERS % 3), array(NUMBERS)),
                            [(0, 3), (1, -5), (2, 2), None, (1, None)]),
    "the first part": ((array(NUMBERS % 3), array(NUMBERS)), [(0,), (2,), (5,)]),
    "categories": (dd.from_pandas(pd.Series(WORDS).astype("category"), npartitions=3),
                   ["Ulm", "Bonn"]),
    "all null": (series(nullable(NUMBERS, "Int64").where(NUMBERS > 99)), [1, None]),
    "empty": (array(np.empty(0, np.int32)), [1, 2]),
}


def in_memory(column):
    if isinstance(column, tuple):
        return tuple(part.compute() for part in column)
    found = column.compute()
    return found.astype(str) if str(getattr(found, "dtype", "")) == "category" else found


def items_of(answers):
    """The items of any kind of array, with None for a null."""
    if hasattr(answers, "to_pylist"):
        return answers.to_pylist()
    return [None if item is pd.NA else item for item in answers.tolist()
            ] if hasattr(answers, "tolist") else answers.to_list()


def type_of(answers):
    return answers.dtype if hasattr(answers, "dtype") else answers.type


def rows_of(answers):
    """Rows of either index as a list, with None for a miss."""
    misses = (None, MISS, rtindex.MISS)
    return [None if row in misses else int(row) for row in items_of(answers)]


# Those that also go through Dask's peer-to-peer shuffle, as large columns do.
SHUFFLED = ["floats with NaN", "bool", "Int64 with nulls", "strings with nulls", "days", "durations",
            "timestamps in tens of milliseconds", "timestamps in a zone", "composite", "empty"]


@pytest.fixture(scope="module", params=[*COLUMNS, *(f"{name}, peer to peer" for name in SHUFFLED)])
def case(request, client):
    name, _, shuffle = request.param.partition(", ")
    column, wanted = COLUMNS[name]
    with dask.config.set({"rtindex.shuffle-pairs": 0 if shuffle else 4096}):
        index = rtindex.dask.build(column, partitions=3).persist()
    return index, rtindex.build(in_memory(column)), wanted


def test_lookups_and_ranges(case):
    index, local, wanted = case
    assert (index.type, index.time_unit, len(index)) == (local.type, local.time_unit, len(local))
    assert index.valid == local.valid and index.nulls().tolist() == local.nulls().tolist()
    found, expected = (one.lookup(wanted, ["first", "count"], matched=True)
                       for one in (index, local))
    assert rows_of(found.first) == rows_of(expected.first)
    assert type(found.first) is type(expected.first)
    for name in ("count", "matched"):
        assert list(found[name]) == list(expected[name])
    for lower, upper in ((wanted, None), (None, wanted)):
        for ends in ("[]", "()"):
            found, expected = (one.range(lower, upper, "rows", ends=ends, order="key")
                               for one in (index, local))
            assert found.to_pylist() == expected.to_pylist()
    assert list(index.join(wanted, "semi").probe) == list(local.join(wanted, "semi").probe)


def test_neighbours(case):
    index, local, wanted = case
    for direction in ("backward", "forward", "nearest"):
        try:
            expected = local.nearest(wanted, ["any", "key"], direction=direction)
        except rtindex.Error as error:
            with pytest.raises(type(error)) as raised:
                index.nearest(wanted, ["any", "key"], direction=direction)
            assert str(raised.value) == str(error)
            continue
        found = index.nearest(wanted, ["any", "key"], direction=direction)
        assert rows_of(found.any) == rows_of(expected.any)
        assert str(found.key) == str(expected.key)


def test_inserts(case):
    index, local, wanted = case
    if local.type == "composite" and len(wanted[0]) == 1:
        return  # a part of a key cannot be inserted
    before = index.snapshot()
    try:
        local.snapshot().insert(wanted)
    except rtindex.Error as error:
        with pytest.raises(type(error)):
            index.insert(wanted)
        return
    changed = local.snapshot()
    assert before.insert(wanted) == changed.insert(wanted)
    assert before.lookup(wanted, "rows", order="key").to_pylist() == changed.lookup(
        wanted, "rows", order="key").to_pylist()


@pytest.fixture(scope="module")
def numbers(client):
    values = NUMBERS * 10
    return (rtindex.dask.build(array(NUMBERS), include=array(values), partitions=3),
            rtindex.build(NUMBERS, include=values))


@pytest.mark.parametrize("kind", [
    np.asarray, list, tuple, pa.array, lambda keys: pa.chunked_array([keys[:5], keys[5:]]),
    pl.Series, pd.Index, lambda keys: pd.Series(keys, index=[f"row {key}" for key in keys]),
    lambda keys: int(keys[3]), lambda keys: np.array(keys[3])],
    ids=["numpy", "list", "tuple", "arrow", "chunks", "polars", "pandas index", "pandas", "one",
         "no dimension"])
def test_the_same_kind_comes_back(numbers, kind):
    index, local = numbers
    keys = kind(np.arange(-30, 30, 3))
    for name in ("first", "count", "sum", "max"):
        found, expected = (one.lookup(keys, name) for one in (index, local))
        assert type(found).__module__ == type(expected).__module__
        if np.ndim(found) or hasattr(found, "__len__"):
            plain = rows_of if name == "first" else items_of
            assert plain(found) == plain(expected)
        else:
            assert found == expected
        if isinstance(keys, pd.Series):
            assert found.index.equals(expected.index)


def test_series_and_frames_of_dask(client):
    words = series(WORDS.tolist())
    index, local = rtindex.dask.build(words, partitions=3), rtindex.build(WORDS)
    wanted = pd.Series(["Ulm", "x", "Bonn"] * 5, index=np.arange(15) * 2)
    lazy = dd.from_pandas(wanted, npartitions=2)
    found = index.lookup(lazy, ["first", "count"], matched=True)
    assert isinstance(found.first, dd.Series) and "not computed" not in repr(found)
    for name in ("first", "count", "matched"):
        answers = found[name].compute()
        assert answers.index.equals(wanted.index)
        assert answers.dtype == found[name].dtype
        expected = local.lookup(wanted, ["first", "count"], matched=True)[name]
        assert answers.astype(object).tolist() == expected.astype(object).tolist()
    starts = index.starts_with(["Ul", "Bonn", ""], "count")
    assert starts.tolist() == local.starts_with(["Ul", "Bonn", ""], "count").tolist()


def pairs(joins):
    """The pairs of some batches of a join; rows are None for misses, and for joins without them."""
    return sorted(((int(probe), None if row in (None, rtindex.MISS, rtindex.dask.MISS) else int(row))
                   for join in joins
                   for probe, row in zip(join.probe, [None] * len(join.probe)
                                         if join.column is None else join.column)), key=str)


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
def test_queries_of_every_kind(client, how):
    index, local = rtindex.dask.build(series(WORDS.tolist()), partitions=3), rtindex.build(WORDS)
    keys = ["Ulm", "x", "Bonn", "A"] * 4
    lazy = dd.from_pandas(pd.Series(keys), npartitions=2)
    for kind in ("equal", "range", "prefix", "nearest"):
        query, later = rtindex.Query(kind, keys), rtindex.Query(kind, lazy)
        wanted = pairs([local.join(query, how)])
        batches = [*index.join_batches(query, how, max_pairs=4)]
        assert all(0 < len(batch.probe) <= 4 for batch in batches)
        assert pairs(batches) == pairs([index.join(query, how)]) == wanted
        assert pairs(dask.compute(index.join(later, how))) == wanted
        expected = local.answer(query, "count").tolist()
        assert index.answer(query, "count").tolist() == expected
        assert index.answer(later, "count").compute().tolist() == expected
    with pytest.raises(rtindex.UnsupportedError, match="block by block"):
        index.join_batches(lazy, max_pairs=4)


def test_keys_of_lazy_composites(client):
    columns = (array(NUMBERS % 3), array(NUMBERS))
    index = rtindex.dask.build(columns, partitions=3)
    local = rtindex.build((NUMBERS % 3, NUMBERS))
    found = index.nearest(columns, "key", exact=False)
    expected = local.nearest((NUMBERS % 3, NUMBERS), "key", exact=False)
    for part, other in zip(dask.compute(*found), expected):
        assert part.tolist() == other.tolist()


def test_times_as_values(client):
    times = pd.Series(DAYS.astype("M8[us]")).dt.tz_localize("Europe/Berlin")
    lazy = dd.from_pandas(times, npartitions=3)
    keys = dd.from_pandas(pd.Series(NUMBERS), npartitions=3)
    wanted = pd.Series([3, 99, -5])
    local = rtindex.build(NUMBERS, include=times)
    for index, values in ((rtindex.dask.build(keys, include=lazy, partitions=2), None),
                          (rtindex.dask.build(keys, partitions=2), lazy)):
        found = index.lookup(wanted, "max", values)
        assert str(found) == str(local.lookup(wanted, "max"))
    first = int(wanted.iloc[0])
    assert index.lookup(first, "max", lazy) == local.lookup(first, "max")


PRICES = [None if number % 4 == 3 else decimal.Decimal(int(number)).scaleb(-2) for number in NUMBERS]
ARROW_PRICES = pd.Series(PRICES, dtype=pd.ArrowDtype(pa.decimal128(12, 2)))
LENGTHS = NUMBERS.astype("m8[s]")
LOST = np.where(NUMBERS % 4 == 3, np.timedelta64("NaT", "s"), LENGTHS)
SOME = np.array([2, 99, -6, 7])  # all values of 7 are null


@pytest.mark.parametrize("lazy, memory, miss", [
    (lambda: series(ARROW_PRICES), ARROW_PRICES, decimal.Decimal("0.25")),
    (lambda: series(pd.Series(LENGTHS)), LENGTHS, datetime.timedelta(seconds=9)),
    (lambda: da.from_array(LOST, chunks=30), LOST, np.timedelta64(9, "s"))], ids=["decimals", "durations", "null durations"])
def test_decimals_and_durations_as_values(client, lazy, memory, miss):
    local = rtindex.build(NUMBERS, include={"v": memory})
    included = rtindex.dask.build(series(NUMBERS), include={"v": lazy()}, partitions=3)
    plain = rtindex.dask.build(series(NUMBERS), partitions=3)
    names = ["sum", "min", "max", "count"]
    later = pd.Series(np.resize(SOME, 8))
    for index, values in ((included, "v"), (plain, lazy()), (plain, memory)):
        for keys in (SOME, pl.Series(SOME), pa.array(SOME), pd.Series(SOME), SOME.tolist()):
            found, wanted = index.lookup(keys, names, values), local.lookup(keys, names, "v")
            for name in names:
                if name != "count":  # of 64 bits on Dask
                    assert type(found[name]) is type(wanted[name])
                    assert type_of(found[name]) == type_of(wanted[name])
                assert str(items_of(found[name])) == str(items_of(wanted[name]))
        for lower, upper in ((-20, 20), (-3, 8), (90, 99)):
            for name in names:
                assert index.range(lower, upper, name, values) == local.range(lower, upper, name, "v")
            assert index.range(lower, upper, "mean", values) == pytest.approx(
                local.range(lower, upper, "mean", "v"))
        found, wanted = (one.lookup(SOME, ["sum", "max"], held, miss=miss)
                         for one, held in ((index, values), (local, "v")))
        assert str(found.sum) == str(wanted.sum) and str(found.max) == str(wanted.max)
        found = index.lookup(dd.from_pandas(later, npartitions=2), names, values)
        for name, answers in zip(names, dask.compute(*(found[name] for name in names))):
            assert str(answers.tolist()) == str(local.lookup(later, name, "v").tolist())
        assert index.lookup(da.from_array(SOME, chunks=2), "sum", values, miss=miss).compute().tolist() == (
            local.lookup(SOME, "sum", "v", miss=miss).tolist())


def test_changes_of_included_decimals_and_durations(client, tmp_path):
    amounts = [decimal.Decimal("1.99"), decimal.Decimal("-2.50")]
    memory = {"price": ARROW_PRICES, "length": LENGTHS}
    index = rtindex.dask.build(series(NUMBERS), include={"price": series(ARROW_PRICES), "length": series(LENGTHS)},
                               partitions=3)
    local = rtindex.build(NUMBERS, include=memory)
    for one in (index, local):
        one.insert([2, 99], {"price": amounts, "length": np.array([5, 6], "m8[s]")})
        one.set_included([120], amounts[1:], "price")
        one.set_included([121], [datetime.timedelta(minutes=1)], "length")
    index.save(tmp_path)
    for one in (index, rtindex.dask.load(tmp_path)):
        for name in memory:
            for answer in ("sum", "min", "max"):
                np.testing.assert_array_equal(one.lookup(SOME, answer, name), local.lookup(SOME, answer, name))
    with pytest.raises(rtindex.Error, match="no decimal with 2 digits"):
        index.set_included([0], [decimal.Decimal("0.001")], "price")


def test_sums_of_decimals_that_do_not_fit_are_an_error(client):
    large = pd.Series([decimal.Decimal(2**62)] * 4, dtype=pd.ArrowDtype(pa.decimal128(20, 0)))
    index = rtindex.dask.build(series(np.arange(4)), include=series(large), partitions=4)
    assert index.range(1, 1, "sum") == 2**62
    for keys in (0, da.from_array(np.array([3, 0]), chunks=1)):
        with pytest.raises(rtindex.InvalidArgumentError, match="the sum of query 0.*does not fit 64 bits"):
            dask.compute(index.range(keys, None, "sum"))


def test_decimals_and_durations_of_python_as_values(client):
    index, local = rtindex.dask.build(array(NUMBERS), partitions=3), rtindex.build(NUMBERS)
    moments = [datetime.timedelta(milliseconds=int(number)) for number in NUMBERS]
    for values in (PRICES, pd.Series(PRICES, dtype=object), moments):
        for name in ("sum", "min", "max"):
            np.testing.assert_array_equal(index.lookup(SOME, name, values), local.lookup(SOME, name, values))
    out = np.empty(1, np.int64)
    index.range(-20, 20, "sum", PRICES, out=out)
    assert out[0] == sum(price for price in PRICES if price is not None) * 100
    with pytest.raises(rtindex.InvalidArgumentError, match="may have different scales"):
        index.lookup([1], "sum", da.from_array(np.array(PRICES, object), chunks=31))


def test_errors(client):
    index = rtindex.dask.build(array(NUMBERS), partitions=2)
    for call, message in (
            (lambda: index.lookup(["a"]), "string"),
            (lambda: index.lookup([1], "most"), "invalid answer"),
            (lambda: index.lookup([1], "sum"), "values"),
            (lambda: index.lookup([1], "key"), "only nearest"),
            (lambda: index.range([1], [2], ends="[["), "invalid ends"),
            (lambda: index.range([1, 2], [2]), "2"),
            (lambda: index.nearest([1], direction="up"), "invalid direction"),
            (lambda: index.nearest([1], tolerance=-1), "expected 0 or more"),
            (lambda: index.lookup([1], limit=-1), "invalid limit"),
            (lambda: index.join([1], "outer"), "invalid how"),
            (lambda: index.range(array(NUMBERS), [2]), "Dask collection"),
            (lambda: [1] in index, "expects one key"),
            (lambda: rtindex.dask.build(NUMBERS), "from_array"),
            (lambda: rtindex.dask.build(array(NUMBERS), partitions=0), "partitions=0"),
            (lambda: rtindex.dask.build(array(NUMBERS), 7), "invalid spec"),
            (lambda: rtindex.dask.build(array(NUMBERS).reshape(2, -1)), "one dimension"),
            (lambda: rtindex.dask.build(array(NUMBERS), include=array([1])), "one per row")):
        with pytest.raises(rtindex.InvalidArgumentError, match=message):
            call()
    with pytest.raises(rtindex.UnsupportedError, match="does not take intervals and points yet"):
        rtindex.dask.build(rtindex.intervals([1], [2], ends="[)"))
    with pytest.raises(rtindex.UnsupportedError, match="counters"):
        index.lookup([1], counters=True)
    with pytest.raises(rtindex.Error, match="unknown"):
        len(rtindex.dask.build(array(NUMBERS), "unknown"))
    out = np.empty(2, np.uint64)
    assert index.lookup([3, 99], "count", out=out) is out
    assert out.tolist() == [int((NUMBERS == 3).sum()), 0] and 3 in index and 99 not in index


def test_how_many_partitions_and_what_their_tasks_are_called(client):
    few, many = (da.from_array(np.arange(rows) * 3 % 1009, chunks=20_000) for rows in (2**16, 2**16 + 1))
    assert rtindex.dask.build(few).persist().partitions == 1
    index = rtindex.dask.build(many).persist()
    assert index.partitions == 2  # one per worker
    with dask.config.set({"rtindex.partition-bytes": "1MiB"}):
        assert rtindex.dask.build(many).persist().partitions == 3  # 4 times 8 bytes a key are 2.1 MB
    assert any("rtindex-partition-" in str(key) for key in client.who_has())
    names = {str(key) for key in index.lookup(da.from_array(np.arange(9), chunks=3)).__dask_graph__()}
    for task in ("rtindex-split-", "rtindex-answer-"):
        assert any(task in name for name in names), task


def test_settings_come_from_the_environment():
    found = dask.config.collect(paths=[], env={"DASK_RTINDEX__DEVICE": "cuda1",
                                               "DASK_RTINDEX__PARTITION_BYTES": "1MiB"})
    with dask.config.set(found):
        assert _build.worker_spec("btree").startswith("btree@cuda1")
        assert _build.partition_bytes() == 1 << 20
    assert _build.worker_spec("btree@cpu").startswith("btree@cpu") and _build.partition_bytes() == 1 << 30
