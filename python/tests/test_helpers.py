"""The keys of an index in their order, and other calls that people look for."""

from __future__ import annotations

import datetime
import decimal
import io
import math
import random
import uuid
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

COLUMNS = {
    **{name: np.array([5, 3, 5, 120, 0], name) for name in ("int8", "uint16", "int64", "uint64", "float32", "float64")},
    "negative": np.array([-5, 7, -2**63, 2**63 - 1, 7]), "bool": np.array([True, False, True]),
    "infinite": np.array([math.inf, -0.5, -math.inf, 2.0]), "string": ["b", "", "a", "ä", "a"],
    "date": pa.array([datetime.date(2024, 2, 29), datetime.date(1960, 1, 1)]),
    "time": np.array(["2024-02-29", "1960-01-01", "2024-02-29"], "M8[us]"),
    "zoned": pa.array([datetime.datetime(2024, 2, 29), datetime.datetime(1960, 1, 1)], pa.timestamp("ms", "UTC")),
    "empty": np.empty(0, np.int64),
}


def plain(column):
    return column.tolist() if hasattr(column, "tolist") else list(column)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("spec", ["rx:native@cpu", "sorted@cpu", "btree@cpu"])
def test_keys_in_order(name, spec):
    index = rtindex.build(COLUMNS[name], spec)
    keys = sorted(plain(COLUMNS[name]))
    assert [*index] == keys
    assert index.min() == min(keys, default=None) and index.max() == max(keys, default=None)
    assert index.is_unique == (len({*keys}) == len(keys))
    for q in (0, 0.3, 0.5, 0.9, 1):
        assert index.quantile(q) == (keys[math.floor(q * (len(keys) - 1))] if keys else None)
    for key in keys:
        batch = [key] if name not in ("zoned",) else pa.array([key])
        assert list(index.rank(batch, side="right")) == [sum(other <= key for other in keys)] or name == "zoned"
        assert index.isin(batch).tolist() == [other == key for other in plain(COLUMNS[name])]


def test_keys_in_order_without_erased_and_null_ones():
    numbers = random.Random(7).choices(range(3000), k=20_000)
    index = rtindex.build([*numbers, None])
    index.erase(range(0, 20_000, 3))
    index.insert([-4, 9999, None])
    valid = [number for row, number in enumerate(numbers) if row % 3]
    assert [*index] == sorted([*valid, -4, 9999])
    assert index.quantile(0.5) == np.quantile([*valid, -4, 9999], 0.5, method="lower")
    assert (index.min(), index.max(), index.is_unique) == (-4, 9999, False)
    assert math.isnan(rtindex.build(np.array([1.0, math.nan])).max())
    for wrong in (-0.1, 1.1, "x", None, True):
        with pytest.raises(rtindex.Error, match="expected a number from 0 to 1"):
            index.quantile(wrong)


def test_what_has_no_order_of_keys():
    for index in (rtindex.build(rtindex.points(a=[1], b=[2])), rtindex.build(rtindex.intervals([1], [2], ends="[]"))):
        for call in (index.min, index.max, lambda index=index: [*index], lambda index=index: index.is_unique,
                     lambda index=index: index.quantile(0.5)):
            with pytest.raises(rtindex.UnsupportedError, match="expected an index over keys"):
                call()
    with pytest.raises(rtindex.UnsupportedError, match="build the index with rx, sorted or btree"):
        assert rtindex.build([1, 2], "hash@cpu").is_unique


TEXTS = ["", "a", "ab", "abc", "abd", "b", "Ä", "日本", "a\0", "z" * 40, "z" * 39 + "y"]


@pytest.mark.parametrize("spec", ["rx:native@cpu", "sorted@cpu", "btree@cpu"])
def test_quantiles_of_strings(spec):
    texts = random.Random(7).choices(TEXTS, k=60)
    index = rtindex.build([*texts, None], spec)
    known = sorted(texts, key=str.encode)
    for i in range(60):
        assert index.quantile(i / 59) == known[math.floor(59 * (i / 59))]
    assert rtindex.build([None, "x"], spec).quantile(0.5) == "x"
    assert rtindex.build(pa.array([], pa.string()), spec).quantile(0.5) is None
    assert rtindex.build([b"\xff", b"\xff\xff", b"\x00"], spec).quantile(1) == b"\xff\xff"


DAY = datetime.datetime(2024, 2, 29)
PARTS: dict[str, tuple[Any, list[Any]]] = {
    "int": (np.int32, [-5, 0, 7, 2**31 - 1, -2**31]), "uint64": (np.uint64, [0, 5, 2**63, 2**64 - 1]),
    "float": (np.float64, [-math.inf, -1.5, 0.0, 2.0, math.inf]), "bool": (bool, [False, True]),
    "string": (list, TEXTS), "time": ("M8[us]", [DAY, DAY + datetime.timedelta(hours=1)]),
    "date": ("M8[D]", [DAY.date(), datetime.date(1960, 1, 1)]),
    "uuid": (list, [uuid.UUID(int=5), uuid.UUID(int=1 << 127)]),
    "decimal": (list, [decimal.Decimal("1.5"), decimal.Decimal("-7.25")]),
    "duration": ("m8[s]", [datetime.timedelta(3), datetime.timedelta(seconds=-5)]),
}


def order_of(key):
    return tuple(part.encode() if isinstance(part, str) else part for part in key)


@pytest.mark.parametrize("names", ["int string", "string int", "time uuid", "decimal float", "bool date string",
                                   "uint64 duration", "string string"])
@pytest.mark.parametrize("spec", ["rx:native@cpu", "sorted@cpu", "btree@cpu"])
def test_composite_keys_in_order(names, spec):
    rng, columns, lists = random.Random(names), [], []
    for name in names.split():
        make, domain = PARTS[name]
        lists.append(rng.choices(domain, k=50))
        columns.append(lists[-1] if make is list else np.array(lists[-1], make))
    index = rtindex.build(tuple(columns), spec)
    keys = sorted(zip(*lists), key=order_of)
    assert [*index] == keys
    assert (index.min(), index.max()) == (keys[0], keys[-1])
    for q in (0, 0.3, 0.5, 0.9, 1):
        assert index.quantile(q) == keys[math.floor(49 * q)]
    assert index.is_unique == (len({*keys}) == 50)
    assert rtindex.build(tuple(column[:1] for column in columns), spec).is_unique


def test_composite_keys_of_a_table_that_changes():
    index = rtindex.build(pl.DataFrame({"city": ["Ulm", "Bonn", None, "Ulm"], "year": [2024, None, 5, 2020]}))
    assert [*index] == [("Ulm", 2020), ("Ulm", 2024)]
    index.insert([("Aachen", 7), ("Ulm", 2024)])
    index.erase([3])
    assert [*index] == [("Aachen", 7), ("Ulm", 2024), ("Ulm", 2024)] and not index.is_unique
    index.erase_keys([("Ulm", 2024), ("Aachen", 7)])
    assert [*index] == [] and index.min() is index.max() is index.quantile(0.5) is None and index.is_unique
    zoned = rtindex.build((pl.Series([1], dtype=pl.Datetime("us", "Asia/Tokyo")), [math.nan]))
    assert str(zoned.min()[0]) == "1970-01-01 09:00:00.000001+09:00" and math.isnan(zoned.min()[1])
    many = rtindex.build((np.arange(9000) // 3, np.arange(9000) % 3))
    assert [*many] == [(i // 3, i % 3) for i in range(9000)] and many.is_unique


def test_ranks_have_a_side():
    column = np.array([3, 1, 3, 7])
    index, keys = rtindex.build(column), np.array([0, 1, 3, 4, 9])
    for side in ("left", "right"):
        assert index.rank(keys, side).tolist() == np.searchsorted(np.sort(column), keys, side).tolist()
    assert index.rank([None], "right").tolist() == [0]
    with pytest.raises(rtindex.Error, match="invalid side='middle'"):
        index.rank(keys, "middle")


def test_ranges_are_erased():
    index = rtindex.build([26, 25, 29, 23, 29, 27, None])
    assert index.erase_range(25, 27, "(]") == 2
    assert [*index] == [23, 25, 29, 29]
    assert index.erase_range([23, 29], [25, 30]) == 4 and index.valid == 0
    assert index.erase_range(lower=0) == 0
    for call in (lambda: index.erase_range(), lambda: index.erase_range(None, None)):
        with pytest.raises(rtindex.InvalidArgumentError, match="expected lower, upper or both"):
            call()


def test_files_may_be_objects(tmp_path):
    index = rtindex.build(pd.Series([5, 7], name="key"))
    memory = io.BytesIO()
    index.save(memory)
    with open(tmp_path / "keys.rtindex", "wb") as file:
        index.save(file)
    memory.seek(0)
    with open(tmp_path / "keys.rtindex", "rb") as file:
        for loaded in (rtindex.load(memory), rtindex.load(file), rtindex.load(tmp_path / "keys.rtindex", "full")):
            assert [*loaded] == [5, 7] and loaded.names == ("key",)
    with pytest.raises(rtindex.CorruptFileError):
        rtindex.load(io.BytesIO(b"nothing"))
    with pytest.raises(rtindex.CorruptFileError, match=r"make one with `rtindex build` or index\.save"):
        rtindex.load(io.BytesIO(b"nothing" * 99))


class Short(io.RawIOBase):
    """A file whose writes take up to 1000 bytes, as sockets and pipes do, until `size` are written."""

    def __init__(self, size):
        self.data, self.size = b"", size

    def write(self, data):
        taken = bytes(data[:min(1000, self.size - len(self.data))])
        self.data += taken
        return len(taken)


def test_files_that_write_less_than_they_are_given():
    index = rtindex.build([5, 7])
    file = Short(2**20)
    index.save(file)
    assert [*rtindex.load(io.BytesIO(file.data))] == [5, 7]
    with pytest.raises(rtindex.FileError, match="wrote none of the last"):
        index.save(Short(2500))


def test_files_of_text_are_an_error(tmp_path):
    index = rtindex.build([5, 7])
    with open(tmp_path / "keys.txt", "w+", encoding="utf-8") as file:
        for text in (file, io.StringIO("text")):
            with pytest.raises(rtindex.InvalidArgumentError, match="open it for writing bytes"):
                index.save(text)
            with pytest.raises(rtindex.InvalidArgumentError, match="open it for reading bytes"):
                rtindex.load(text)


@pytest.mark.parametrize("keys, values", [
    (pd.Series(["a", None]), ["a", None]), (pd.Series(["a", None, "b"]), [None]),
    (pd.Series([1.0, np.nan]), [1.0, np.nan]), (pd.Series([1.0, np.nan]), np.array([np.nan])),
    (pd.Series([1.0, np.nan]), [2.0]), (pd.Series([1, None], dtype="Int64"), {pd.NA, 5}),
    (pd.Series(pd.to_datetime(["2024-01-01", None])), [pd.NaT]), (pd.Series([1, 2]), [None, 2]),
])
def test_nulls_are_in_values_as_in_pandas(keys, values):
    assert rtindex.build(keys).isin(values).tolist() == pd.Index(keys).isin([*values]).tolist()
    if isinstance(values, list):
        assert rtindex.build(keys).isin(pd.Series(values)).tolist() == pd.Index(keys).isin(values).tolist()


def test_nulls_are_in_arrow_values():
    index = rtindex.build(["a", None, "b"])
    assert index.isin(pl.Series(["b", None])).tolist() == [False, True, True]
    assert index.isin(pa.array([None, "a"])).tolist() == [True, True, False]
    index.erase([1])
    assert index.isin([None, "a"]).tolist() == [True, False, False]
    with pytest.raises(rtindex.InvalidArgumentError, match="cannot be compared"):
        rtindex.build([1, 2]).isin(["1"])


@pytest.mark.parametrize("call", [lambda index: index.quantile(0.5), lambda index: index.erase_range(1, 2), list])
def test_hash_has_no_order(call):
    with pytest.raises(rtindex.UnsupportedError, match="hash@cpu does not keep keys in order: build the index with rx"):
        call(rtindex.build([1, 2], "hash"))


def test_rows_take_from_frames():
    index = rtindex.build([7, 8, 7])
    rows = index.lookup([8, 7], "rows", order="key")
    data = {"a": [10, 20, 30]}
    assert rows.take(pd.DataFrame(data, index=[5, 6, 7]))["a"].tolist() == [20, 10, 30]
    assert rows.take(pl.DataFrame(data))["a"].to_list() == [20, 10, 30]
    assert rows.take(pa.table(data))["a"].to_pylist() == [20, 10, 30]
    assert rows.take(np.array([10, 20, 30])).tolist() == rows.take(pl.Series([10, 20, 30])).to_list() == [20, 10, 30]


KEYS: dict[str, list[Any]] = {
    "decimal": [decimal.Decimal("1.50"), decimal.Decimal("-7.25"), None, decimal.Decimal("10")],
    "wide decimal": [decimal.Decimal(10) ** 30, decimal.Decimal("-0.5"), decimal.Decimal(10) ** 30],
    "uuid": [uuid.UUID(int=5), uuid.UUID(int=1 << 127), None, uuid.UUID(int=256)],
    "time": [datetime.time(3), datetime.time(1, 0, 0, 5)],
    "duration": [datetime.timedelta(3), datetime.timedelta(seconds=-5), None],
}


@pytest.mark.parametrize("name", KEYS)
def test_objects_of_python_come_back(name):
    index, known = rtindex.build(KEYS[name]), sorted(key for key in KEYS[name] if key is not None)
    assert (index.min(), index.max()) == (known[0], known[-1])
    assert [*index] == known and type(index.min()) is type(known[0])
    assert index.is_unique == (len({*known}) == len(known))
    for q in (0, 0.3, 0.5, 1):
        assert index.quantile(q) == known[math.floor((len(known) - 1) * q)]
    if name not in ("wide decimal", "uuid"):
        assert index.nearest(known[0], "key") == known[0]
        assert index.nearest(known[0], "key", exact=False) is None
    assert rtindex.build(KEYS[name][:1]).min() == KEYS[name][0]


def test_integers_of_128_bits_come_back():
    column = pa.array([decimal.Decimal(7), decimal.Decimal(-8), None], pa.decimal128(38, 0))
    index = rtindex.build(column)
    assert [*index] == [-8, 7] and index.quantile(1) == 7


def test_quantiles_of_a_list():
    index = rtindex.build([30, 10, None, 20])
    assert index.quantile([0, 0.5, 1]) == [10, 20, 30] and index.quantile(np.array([0.5])) == [20]
    assert index.quantile([]) == [] and rtindex.build(pa.array([], pa.int64())).quantile([0.5]) == [None]
    with pytest.raises(rtindex.InvalidArgumentError, match="invalid q=2:"):
        index.quantile([0.5, 2])


def test_masks_and_values_of_pandas_are_read_by_position():
    frame = pd.DataFrame({"key": [3, 1, 2], "price": [30, 10, 20]}).sort_values("key")
    index = rtindex.build(frame["key"])
    assert index.lookup([1, 3], "sum", frame["price"]).tolist() == [10, 30]
    assert index.lookup([1, 3], "count", filter=frame["price"] > 10).tolist() == [0, 1]


def test_rows_take_from_lists():
    rows = rtindex.build([7, 8, 7]).lookup([8, 7], "rows", order="key")
    assert rows.take([*"abc"]) == ["b", "a", "c"]


def test_dicts_are_no_columns():
    with pytest.raises(rtindex.InvalidArgumentError, match="a dict: pass a data frame, or a tuple of its columns"):
        rtindex.build({"a": [1], "b": [2]})
