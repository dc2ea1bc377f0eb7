"""Random columns, queries and changes on Dask against one index in memory over the same objects.

RTINDEX_ROUNDS=500 runs as many rounds; without it a few.
"""

from __future__ import annotations

import datetime
import decimal
import math
import os
import random
import uuid
from typing import Any
from unittest import mock

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
from rtindex.dask import _engine  # noqa: E402

ROUNDS = int(os.environ.get("RTINDEX_ROUNDS", "12"))
FIRST = int(os.environ.get("RTINDEX_FIRST_ROUND", "0"))
NOON = datetime.datetime(2024, 2, 29, 12)
UTC = datetime.timezone.utc
MISSES = (None, rtindex.MISS, rtindex.dask.MISS)


def moments(count, step):
    return [NOON + step * i for i in range(count)]


SECOND, MILLISECOND, DAY = datetime.timedelta(seconds=1), datetime.timedelta(milliseconds=1), datetime.timedelta(days=1)
INTEGERS = [-3, -2, -1, 0, 1, 2, 5, 7, 100]
FLOATS = [-math.inf, -1.5, -0.0, 0.0, 0.25, 1.0, 2.0, 7.5, math.nan, math.inf]
TEXTS = ["", "a", "ab", "abc", "b", "Ä", "日本", "x" * 40]


def arrow(kind):
    return pd.ArrowDtype(kind)


# The values of a column, and the types that hold them: of pandas, or of NumPy where it has such a type.
TYPES: dict[str, tuple[list[Any], list[Any], list[Any]]] = {
    "integers": (INTEGERS, ["int8", "int64", "Int32", "Int64", arrow(pa.int16())], ["int8", "int64", ">i4"]),
    "unsigned": ([0, 1, 2, 9, 200, 255], ["uint8", "uint64", "UInt8", arrow(pa.uint32())], ["uint8", "uint64"]),
    "floats": (FLOATS, ["float32", "float64", "Float64", object, arrow(pa.float64())], ["float16", "float32", "float64"]),
    "bools": ([True, False], ["bool", "boolean", arrow(pa.bool_())], ["bool"]),
    "texts": (TEXTS, ["str", object, "string", arrow(pa.string()), "category"], ["U", "S"]),
    "ordered texts": (["z", "a", "k"], [pd.CategoricalDtype(["z", "a", "k"], ordered=True),
                                        pd.CategoricalDtype(["a", "k", "z"], ordered=True)], []),
    "times": (moments(9, SECOND), ["M8[s]", "M8[us]", "M8[ns]", arrow(pa.timestamp("ms"))], ["M8[s]", "M8[ns]", "M8[10ms]"]),
    "zoned": (moments(9, SECOND), ["Europe/Berlin", "UTC", "Asia/Kolkata", "+05:30"], []),
    "dates": (moments(9, DAY), [arrow(pa.date32())], ["M8[D]"]),
    "durations": ([SECOND * i for i in range(9)], ["m8[s]", "m8[ns]", arrow(pa.duration("us"))], ["m8[ms]"]),
    "times of day": ([datetime.time(12, i) for i in range(9)], [arrow(pa.time64("us")), arrow(pa.time32("s")), object], []),
    "decimals": ([decimal.Decimal(i) / 4 for i in range(-3, 9)], [arrow(pa.decimal128(12, 2)), arrow(pa.decimal128(38, 4))], []),
    "uuids": ([uuid.UUID(int=i * 2**120) for i in range(9)], [arrow(pa.binary(16)), object], []),
}


def as_zoned(items, zone):
    stamps = [None if item is None else pd.Timestamp(item).tz_localize("UTC") for item in items]
    return pd.Series(pd.to_datetime(pd.Series(stamps, dtype="M8[us, UTC]"))).dt.tz_convert(zone)


class Column:
    """A random type, and holders of random values of it."""

    def __init__(self, rng, name=None):
        self.rng = rng
        self.name = name or rng.choice([*TYPES])
        self.items, self.pandas, self.numpy = TYPES[self.name]
        self.is_numpy = bool(self.numpy) and rng.random() < 0.4
        self.dtype = rng.choice(self.numpy if self.is_numpy else self.pandas)
        self.has_nulls = rng.random() < 0.6

    def draw(self, size):
        return [None if self.has_nulls and self.rng.random() < 0.15 else self.rng.choice(self.items) for _ in range(size)]

    def held(self, items):
        """The items as a column of this type: in pandas, or in NumPy."""
        if self.is_numpy:
            return self.array(items)
        if self.name == "zoned":
            return as_zoned(items, self.dtype)
        if self.name == "uuids" and self.dtype != object:
            items = [None if item is None else item.bytes for item in items]
        if self.name == "times of day" and "32" in str(self.dtype):
            items = [None if item is None else item.replace(microsecond=0) for item in items]
        plain = isinstance(self.dtype, str) and self.dtype[:3] in ("int", "uin", "boo") and self.dtype != "boolean"
        if plain and None in items:
            items = [self.items[-1] if item is None else item for item in items]
        if self.name == "dates":
            items = [None if item is None else item.date() for item in items]
        return pd.Series(items, dtype=self.dtype)

    def array(self, items):
        filled = [self.items[0] if item is None else item for item in items]
        if self.dtype == "S":
            return np.array([item.encode() for item in filled], "S")
        found = np.array(filled, self.dtype)
        missing = [item is None for item in items]
        if found.dtype.kind in "mM":
            found[missing] = "NaT"
        if self.rng.random() < 0.3 and found.dtype.kind in "biuf" and found.dtype.itemsize != 2:
            return np.ma.masked_array(found, missing)
        return found


def lazy(held, rng):
    """The same column as a Dask collection."""
    parts = rng.randrange(1, 4)
    if isinstance(held, np.ndarray):
        return da.from_array(held, chunks=max(1, -(-len(held) // parts)))
    return dd.from_pandas(held, npartitions=parts, sort=False)


def lookup_holders(column, rng):
    """Lookups on a column of this type: of any library, unit and width."""
    items = column.draw(rng.randrange(1, 9))
    name = column.name
    if rng.random() < 0.3:
        return column.held(items)
    one = items[0]
    choices = [lambda: items, lambda: one, lambda: pd.Series(items, dtype=object), lambda: np.array(items, object)]
    if name in ("integers", "unsigned"):
        choices += [lambda: [2**70, -(2**70), 1, None], lambda: 2**64, lambda: -(2**200), lambda: np.array([1.0, 2.5, math.nan, 1e30]),
                    lambda: 2.5, lambda: pd.Series([1.5, None, 7.0]), lambda: decimal.Decimal("1.5"), lambda: pa.array([1, None, 300]),
                    lambda: pl.Series([1, 2, None]), lambda: True, lambda: pd.array([1, None], "Int8"), lambda: "1"]
    elif name == "floats":
        choices += [lambda: 0.1, lambda: [1, 2, 2**60], lambda: np.array([1, 2]), lambda: pa.array([1.5, math.nan, None]), lambda: math.nan,
                    lambda: pl.Series([1.5, math.nan, None]), lambda: pd.Series([1.0, math.nan]), lambda: np.float32(0.25), lambda: "a"]
    elif name in ("texts", "ordered texts"):
        choices += [lambda: pa.array(items), lambda: pl.Series(items, dtype=pl.String), lambda: pd.Series(items, dtype="category"),
                    lambda: pa.array(items).dictionary_encode(), lambda: b"ab", lambda: np.array(["a", "k", "b"]), lambda: 5]
    elif name in ("times", "zoned", "dates"):
        known = [item for item in items if item is not None] or [NOON]
        aware = [item.replace(tzinfo=UTC) for item in known]
        texts = [item.isoformat() for item in known]
        choices += [lambda: aware, lambda: aware[0], lambda: known, lambda: known[0], lambda: texts, lambda: texts[0], lambda: texts[0] + "Z",
                    lambda: texts[0] + "+02:00", lambda: np.array(texts), lambda: known[0].date(), lambda: np.datetime64(known[0], "ns"),
                    lambda: pa.array(known, pa.timestamp("ns")), lambda: pa.array(aware, pa.timestamp("us", "Asia/Tokyo")),
                    lambda: pl.Series(known), lambda: pl.Series(aware), lambda: pd.Series(known), lambda: pd.Series(aware),
                    lambda: pd.Timestamp(known[0]), lambda: pd.Timestamp(aware[0]), lambda: np.array(known, "M8[ms]") + np.timedelta64(1, "ms"),
                    lambda: datetime.datetime.max, lambda: datetime.datetime.min, lambda: np.array(known, "M8[D]"), lambda: "tomorrow",
                    lambda: np.array(known, object), lambda: pd.DatetimeIndex(aware), lambda: pa.array([item.date() for item in known]),
                    lambda: [item + MILLISECOND for item in aware], lambda: datetime.datetime.max.replace(tzinfo=UTC)]
    elif name == "durations":
        choices += [lambda: SECOND, lambda: np.timedelta64(3, "s"), lambda: np.array([1500, 2000], "m8[ms]"), lambda: pa.array([SECOND, None]),
                    lambda: pl.Series([SECOND, None]), lambda: pd.Timedelta(seconds=2), lambda: 5]
    elif name == "decimals":
        choices += [lambda: decimal.Decimal("0.50"), lambda: decimal.Decimal("0.001"), lambda: [1, 2], lambda: pa.array(items, pa.decimal128(20, 6)),
                    lambda: pl.Series(items, dtype=pl.Decimal(20, 3)), lambda: 1, lambda: [1, decimal.Decimal("1.25"), None]]
    elif name == "uuids":
        choices += [lambda: pa.array([None if item is None else item.bytes for item in items], pa.binary(16)), lambda: "x"]
    return rng.choice(choices)()


def value_holders(rng, size):
    """A value column with nulls."""
    missing = [rng.random() < 0.25 for _ in range(size)]
    numbers = [rng.randrange(-40, 40) for _ in range(size)]
    holed = [None if lost else number for number, lost in zip(numbers, missing)]
    quarters = [math.nan if lost else number / 4 for number, lost in zip(numbers, missing)]
    prices = [None if lost else decimal.Decimal(number) / 4 for number, lost in zip(numbers, missing)]
    lengths = [None if lost else SECOND * number for number, lost in zip(numbers, missing)]
    stamps = [None if lost else NOON + SECOND * number for number, lost in zip(numbers, missing)]
    return rng.choice([
        lambda: np.array(numbers), lambda: pd.Series(holed, dtype="Int64"), lambda: pd.Series(quarters), lambda: np.array(quarters),
        lambda: pd.Series(quarters, dtype="float32"), lambda: pd.Series(prices, dtype=arrow(pa.decimal128(12, 2))),
        lambda: pd.Series(lengths, dtype="m8[us]"), lambda: pd.Series(stamps, dtype="M8[s]"), lambda: as_zoned(stamps, "Europe/Berlin"),
        lambda: np.array(lengths, "m8[s]"), lambda: np.ma.masked_array(numbers, missing), lambda: pd.Series(quarters, dtype=arrow(pa.float64())),
        lambda: np.array(numbers, "int8")])()


def rows_alike(found, wanted):
    return [None if row in MISSES else int(row) for row in found] == [None if row in MISSES else int(row) for row in wanted]


def listed(array):
    items = array.to_pylist() if hasattr(array, "to_pylist") else array.to_list() if hasattr(array, "to_list") else array.tolist()
    return [None if item is pd.NA or item is pd.NaT else item for item in items]


def type_of(array):
    return str(array.type if isinstance(array, (pa.Array, pa.ChunkedArray)) else array.dtype)


def check(found, wanted, what):
    """The same answer: of one type, but for rows and counts, which have 64 bits on Dask."""
    if isinstance(wanted, rtindex.Answers):
        assert found.keys() == wanted.keys(), what
        for name in wanted.keys():
            check(found[name], wanted[name], f"{what}: {name}")
        try:
            table = wanted.to_pandas()
        except Exception:
            return
        check_tables(found.to_pandas(), table, what)
        return
    if isinstance(wanted, rtindex.Rows):
        assert found.to_pylist() == wanted.to_pylist(), what
        return
    if isinstance(wanted, tuple):
        assert isinstance(found, tuple) and len(found) == len(wanted), what
        for part, other in zip(found, wanted):
            check(part, other, what)
        return
    if not hasattr(wanted, "__len__") or isinstance(wanted, (str, bytes)):
        assert type(found) is type(wanted), what
        assert found == wanted or str(found) == str(wanted) == "nan" or found == pytest.approx(wanted), what
        assert str(found) == str(wanted) or isinstance(wanted, float), what
        return
    kind = type_of(wanted)
    if "uint32" in kind.lower():
        assert type(found).__module__ == type(wanted).__module__, what
        assert type_of(found).lower() in (
            kind.lower(), kind.lower().replace("32", "64"), "int64"), f"{what}: {type_of(found)}"
        assert rows_alike(listed(found), listed(wanted)), f"{what}: {listed(found)} against {listed(wanted)}"
        return
    assert type(found) is type(wanted), what
    assert type_of(found) == kind, f"{what}: {type_of(found)} against {kind}"
    if isinstance(wanted, pd.Series):
        assert found.index.equals(wanted.index) and found.name == wanted.name, what
    items, others = listed(found), listed(wanted)
    what = f"{what}: {items} against {others}"
    if any(isinstance(item, float) for item in others):
        assert items == pytest.approx(others, nan_ok=True), what
    else:
        assert str(items) == str(others), what


def check_tables(found, wanted, what):
    assert [*found.columns] == [*wanted.columns], what
    for name in wanted.columns:
        assert found[name].isna().tolist() == wanted[name].isna().tolist(), f"{what}: {name} as a table"


def outcome(call):
    """What a call returns, or its error."""
    try:
        found = call()
        return found.compute() if hasattr(found, "compute") else found
    except rtindex.Error as error:
        return error


def agree(on_dask, in_memory, what):
    wanted, found = outcome(in_memory), outcome(on_dask)
    if isinstance(wanted, rtindex.Error) or isinstance(found, rtindex.Error):
        assert type(found) is type(wanted), f"{what}: {found!r} against {wanted!r}"
        return
    if isinstance(wanted, rtindex.Join):
        assert sorted(pairs(found), key=str) == sorted(pairs(wanted), key=str), what
        return
    check(found, wanted, what)


def pairs(join):
    probe = np.asarray(join.probe).tolist()
    rows = [None] * len(probe) if join.column is None else listed(join.column)
    return [(int(i), None if row in MISSES else int(row)) for i, row in zip(probe, rows)]


def described(held):
    return f"{type(held).__name__} {held!r}"[:300]


def random_query(column, rng, second):
    """The name of a call, and its query."""
    def keys():
        found = lookup_holders(column, rng)
        if second is None:
            return found
        if rng.random() < 0.3:
            one = rng.choice(column.items)
            return rng.choice([(one, rng.choice(second)), [(one, second[0]), None, (rng.choice(column.items), second[1])], (one,)])
        items = column.draw(4)
        return (column.held(items), np.array(rng.choices(second, k=4)))

    mask = None
    if rng.random() < 0.4:
        mask = "mask"
    kind = rng.choice(["equal", "equal", "range", "range", "nearest", "nearest", "prefix"])
    if kind == "range":
        lower, upper = keys(), keys()
        choice = rng.randrange(4)
        lower, upper = (lower, None) if choice == 0 else (None, upper) if choice == 1 else (lower, upper)
        return rtindex.Query.range(lower, upper, rng.choice(["[]", "[)", "(]", "()"])), mask
    if kind == "nearest":
        tolerance = rng.choice([None, None, None, 1, 1.5, "5s", datetime.timedelta(seconds=2), np.timedelta64(1500, "ms")])
        return rtindex.Query.nearest(keys(), rng.choice(["backward", "forward", "nearest"]), rng.random() < 0.7, tolerance), mask
    return (rtindex.Query.prefix(keys()) if kind == "prefix" else rtindex.Query.equal(keys())), mask


def with_filter(query, mask):
    return rtindex.Query(query.kind, query.lower, query.upper, query.ends, query.direction, query.exact, query.tolerance, mask)


def as_collections(query, rng):
    """The same query in Dask collections; None where its keys cannot be one."""
    ends = []
    for end in (query.lower, query.upper):
        if isinstance(end, tuple) and all(isinstance(part, (np.ndarray, pd.Series)) for part in end):
            ends.append(tuple(da.from_array(part, chunks=len(part)) if isinstance(part, np.ndarray) else
                              dd.from_pandas(part, npartitions=1, sort=False) for part in end))
        elif isinstance(end, pd.Series) and len(end) > 1 or type(end) is np.ndarray and end.ndim and end.dtype != object and len(end) > 1:
            ends.append(lazy(end, random.Random(len(end))))
        elif end is None:
            ends.append(None)
        else:
            return None
    if all(end is None for end in ends):
        return None
    return rtindex.Query(query.kind, *ends, query.ends, query.direction, query.exact, query.tolerance)


def check_query(index, local, column, rng, second, values, by_name, what):
    query, masked = random_query(column, rng, second)
    if masked:
        held = np.array([rng.random() < 0.5 for _ in range(len(local))], bool)
        query = with_filter(query, rng.choice([held, pd.Series(held), held.tolist(), pl.Series(held)]))
    what = f"{what} {query.kind}({described(query.lower)}, {described(query.upper)}, {query.ends}, {query.direction}, " \
           f"{query.exact}, {query.tolerance!r}) filter={masked}"
    names = ["count", "first", "last", "rows"] + (["any", "key"] if query.kind == "nearest" else [])
    numbers = ["sum", "min", "max", "mean"]
    options: dict[str, Any] = {"order": rng.choice(["key", "-key"])}
    wanted = rng.sample(names, rng.randrange(1, len(names) + 1))
    if "rows" not in wanted and rng.random() < 0.9:
        options = {}
    if rng.random() < 0.5:
        wanted += rng.sample(numbers, rng.randrange(1, 4))
    given = None
    if not {*numbers}.isdisjoint(wanted):
        given = by_name or values
    answer: Any = wanted if len(wanted) > 1 or rng.random() < 0.5 else wanted[0]
    options["matched"] = rng.random() < 0.3
    if rng.random() < 0.2 and {"sum", "first", "last"} & {*wanted}:
        options["miss"] = rng.choice([-1, 7])
    what += f" answer={answer} {options}"
    on_dask = lazy(given, rng) if given is not None and not isinstance(given, str) and rng.random() < 0.5 else given
    agree(lambda: index.answer(query, answer, on_dask, **options), lambda: local.answer(query, answer, given, **options), what)
    if query.kind != "prefix" or rng.random() < 0.2:
        how = rng.choice(["inner", "left", "semi", "anti"])
        agree(lambda: index.join(query, how), lambda: local.join(query, how), f"{what} join {how}")
    if query.filter is None and query.kind == "equal":
        agree(lambda: index.rank(query.lower), lambda: local.rank(query.lower), f"{what} rank")
        agree(lambda: index.lookup(query.lower, "bitmap"), lambda: local.lookup(query.lower, "bitmap"), f"{what} bitmap")
    later = as_collections(query, rng)
    if later is not None and "key" not in wanted:
        later = with_filter(later, query.filter)
        name = rng.choice([name for name in wanted])
        options.pop("matched")
        if name != "rows":
            options.pop("order", None)
        if name not in ("sum", "first", "last", "min", "max", "mean"):
            options.pop("miss", None)
        agree_later(lambda: index.answer(later, name, on_dask, **options), lambda: local.answer(query, name, given, **options), f"{what} lazy {name}")


def agree_later(on_dask, in_memory, what):
    """As `agree`, in which a series of Dask may have another type of nulls, and the blocks of two ends may differ."""
    wanted, found = outcome(in_memory), outcome(on_dask)
    if isinstance(wanted, rtindex.Error) or isinstance(found, rtindex.Error):
        assert isinstance(found, rtindex.Error) and isinstance(wanted, rtindex.Error), f"{what}: {found!r} against {wanted!r}"
        return
    if isinstance(wanted, rtindex.Rows):
        check(found, wanted, what)
        return
    items, others = listed(found), listed(wanted)
    items, others = ([None if item in MISSES else item for item in some] for some in (items, others))
    if any(isinstance(item, float) for item in others):
        assert items == pytest.approx(others, nan_ok=True), what
    else:
        assert str(items) == str(others), what


def check_column(index, local, what):
    for name in ("type", "time_unit", "names", "valid", "included"):
        assert getattr(index, name) == getattr(local, name), f"{what}: {name}"
    assert len(index) == len(local) and index.nulls().tolist() == local.nulls().tolist(), what


@pytest.fixture(scope="module")
def client():
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as own, (
            dask.config.set({"dataframe.convert-string": False})):  # which turns all objects into texts
        yield own


@pytest.mark.parametrize("part", range(4))
def test_dask_against_memory(client, part, tmp_path):
    for number in range(FIRST + part, FIRST + ROUNDS, 4):
        check_round(random.Random(number), f"round {number}", tmp_path / str(number))


def check_round(rng, what, folder):
    # Small batches go straight to workers, larger ones in pieces.
    with mock.patch.object(_engine, "MAX_BATCH", rng.choice([1024, 0])), mock.patch.object(_engine, "PIECE", rng.choice([1 << 19, 3])):
        check_column_of_type(rng, what, folder)


def check_column_of_type(rng, what, folder):
    column = Column(rng)
    items = column.draw(rng.randrange(1, 60))
    held = column.held(items)
    what += f" {column.name} {column.dtype} {type(held).__name__}"
    second = None
    if rng.random() < 0.25:
        second = [1, 2, 3]
        other = np.array(rng.choices(second, k=len(items)))
    nan_as_null = rng.choice([None, None, True, False])
    values = value_holders(rng, len(items))
    included = rng.random() < 0.5
    by_name = rng.choice(["", "price"]) if included else None
    include = None if not included else {"price": values} if by_name else values
    parts = rng.randrange(1, 4)

    def as_lazy(data):
        return lazy(data, random.Random(parts))

    if second is None:
        local_keys, keys = held, as_lazy(held)
    elif isinstance(held, np.ndarray) or rng.random() < 0.5:
        if not isinstance(held, np.ndarray):
            other = pd.Series(other)
        local_keys, keys = (held, other), (as_lazy(held), as_lazy(other))
    else:
        local_keys = pd.DataFrame({"one": held, "two": other})
        keys = as_lazy(local_keys)
    aligned = values
    if included:  # with the same blocks
        aligned = as_lazy(values)
        if isinstance(values, np.ndarray) != isinstance(held, np.ndarray):
            values = np.array(range(len(items))) if isinstance(held, np.ndarray) else pd.Series(range(len(items)), dtype="Int64")
            include = {"price": values} if by_name else values
            aligned = as_lazy(values)
        if isinstance(held, np.ndarray) and rng.random() < 0.3:
            aligned = values  # in memory
    lazy_include = None if not included else {"price": aligned} if by_name else aligned
    spec = rng.choice(["rx:native@cpu", "sorted@cpu", "btree@cpu"])
    try:
        local = rtindex.build(local_keys, spec, include, nan_as_null=nan_as_null)
    except rtindex.Error as error:
        with pytest.raises(type(error)):
            rtindex.dask.build(keys, spec, lazy_include, nan_as_null=nan_as_null).persist()
        return
    if by_name == "":
        by_name = None
        given = None
    else:
        given = None if included else values
    what += f" nan_as_null={nan_as_null} composite={second is not None} included={included} values={described(values)}"
    with dask.config.set({"rtindex.shuffle-pairs": 0 if rng.random() < 0.1 else 4096}):
        index = rtindex.dask.build(keys, spec, lazy_include, rng.randrange(1, 5), nan_as_null=nan_as_null).persist()
    check_column(index, local, what)
    for _ in range(4):
        check_query(index, local, column, rng, second, given, by_name if included else None, what)
    check_changes(index, local, column, rng, second, values if included else None, by_name, what)
    if rng.random() < 0.3:
        index.save(folder)
        index = rtindex.dask.load(folder)
    check_column(index, local, f"{what} changed")
    if included:
        for _ in range(3):
            check_query(index, local, column, rng, second, given, by_name, f"{what} changed")


def check_changes(index, local, column, rng, second, values, by_name, what):
    for _ in range(rng.randrange(3)):
        if second is not None:
            items = column.draw(3)
            new: Any = rng.choice([(column.held(items), np.array(rng.choices(second, k=3))), [(items[0], 1), None]])
        else:
            new = lookup_holders(column, rng) if rng.random() < 0.6 else column.held(column.draw(3))
        count = outcome(lambda: local.lookup(new, "count"))
        size = 1 if not hasattr(count, "__len__") else len(count)
        if size > min(len(local), 1000 if values is None else len(values)):
            return
        more = None if values is None else values[:size] if not by_name else {by_name: values[:size]}
        change = rng.choice(["insert", "insert", "update", "erase", "erase_keys", "set_included"])
        rows = rng.sample(range(len(local)), size)
        later = new
        if rng.random() < 0.3 and values is None and (isinstance(new, pd.Series) or type(new) is np.ndarray and new.ndim):
            later = lazy(new, rng)
        what += f" {change}({described(new)}, {rows}, lazy={later is not new})"
        if change == "insert":
            agree(lambda: index.insert(later, more), lambda: local.insert(new, more), what)
        elif change == "update":
            agree(lambda: index.update(rows, new), lambda: local.update(rows, new), what)
        elif change == "erase_keys":
            agree(lambda: index.erase_keys(new), lambda: local.erase_keys(new), what)
        elif change == "set_included":
            put = values if values is not None else np.arange(size)
            agree(lambda: index.set_included(rows, put[:size], by_name or ""),
                  lambda: local.set_included(rows, put[:size], by_name or ""), what)
        else:
            agree(lambda: index.erase(rows), lambda: local.erase(rows), what)
        check_column(index, local, what)
