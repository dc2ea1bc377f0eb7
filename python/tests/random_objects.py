"""Random columns, lookups and values in objects of every library."""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

NOON = datetime.datetime(2024, 2, 29, 12)
UTC = datetime.timezone.utc
SECOND = datetime.timedelta(seconds=1)
MILLISECOND = datetime.timedelta(milliseconds=1)
DAY = datetime.timedelta(days=1)
INTEGERS = [-3, -2, -1, 0, 1, 2, 5, 7, 100]
FLOATS = [-math.inf, -1.5, -0.0, 0.0, 0.25, 1.0, 2.0, 7.5, math.nan, math.inf]
TEXTS = ["", "a", "ab", "abc", "b", "Ä", "日本", "x" * 40]
ORDERS = [pd.CategoricalDtype([*texts], ordered=True) for texts in ("zak", "akz")]
STAMPS = [NOON + SECOND * i for i in range(9)]


def arrow(kind):
    return pd.ArrowDtype(kind)


# The values of a column, and the types that hold them: of pandas, or of NumPy where it has such a type.
TYPES: dict[str, tuple[list[Any], list[Any], list[Any]]] = {
    "integers": (INTEGERS, ["int8", "int64", "Int32", "Int64", arrow(pa.int16())], ["int8", "int64", ">i4"]),
    "unsigned": ([0, 1, 2, 9, 200, 255], ["uint8", "uint64", "UInt8", arrow(pa.uint32())], ["uint8", "uint64"]),
    "floats": (FLOATS, ["float32", "float64", "Float64", object, arrow(pa.float64())],
               ["float16", "float32", "float64"]),
    "bools": ([True, False], ["bool", "boolean", arrow(pa.bool_())], ["bool"]),
    "texts": (TEXTS, ["str", object, "string", arrow(pa.string()), "category"], ["U", "S"]),
    "ordered texts": (["z", "a", "k"], ORDERS, []),
    "times": (STAMPS, ["M8[s]", "M8[us]", "M8[ns]", arrow(pa.timestamp("ms"))], ["M8[s]", "M8[ns]", "M8[10ms]"]),
    "zoned": (STAMPS, ["Europe/Berlin", "UTC", "Asia/Kolkata", "+05:30"], []),
    "dates": ([NOON + DAY * i for i in range(9)], [arrow(pa.date32())], ["M8[D]"]),
    "durations": ([SECOND * i for i in range(9)], ["m8[s]", "m8[ns]", arrow(pa.duration("us"))], ["m8[ms]"]),
    "times of day": ([datetime.time(12, i) for i in range(9)],
                     [arrow(pa.time64("us")), arrow(pa.time32("s")), object], []),
    "decimals": ([decimal.Decimal(i) / 4 for i in range(-3, 9)],
                 [arrow(pa.decimal128(12, 2)), arrow(pa.decimal128(38, 4))], []),
    "uuids": ([uuid.UUID(int=i * 2**120) for i in range(9)], [arrow(pa.binary(16)), object], []),
}


def zoned(items, zone):
    stamps = [None if item is None else pd.Timestamp(item).tz_localize("UTC") for item in items]
    return pd.Series(pd.to_datetime(pd.Series(stamps, dtype="M8[us, UTC]"))).dt.tz_convert(zone)


def uuid_bytes(items):
    return [None if item is None else item.bytes for item in items]


class Column:
    """A random type, and holders of random values of it."""

    def __init__(self, rng):
        self.rng = rng
        self.name = rng.choice([*TYPES])
        self.items, in_pandas, in_numpy = TYPES[self.name]
        self.is_numpy = bool(in_numpy) and rng.random() < 0.4
        self.dtype = rng.choice(in_numpy if self.is_numpy else in_pandas)
        self.has_nulls = rng.random() < 0.6

    def draw(self, size):
        return [None if self.has_nulls and self.rng.random() < 0.15 else self.rng.choice(self.items)
                for _ in range(size)]

    def held(self, items):
        """The items as a column of this type: in pandas, or in NumPy."""
        if self.is_numpy:
            return self._array(items)
        if self.name == "zoned":
            return zoned(items, self.dtype)
        if self.name == "uuids" and self.dtype != object:
            items = uuid_bytes(items)
        if self.dtype in ("int8", "int64", "uint8", "uint64", "bool"):  # without nulls
            items = [self.items[-1] if item is None else item for item in items]
        if self.name == "dates":
            items = [None if item is None else item.date() for item in items]
        return pd.Series(items, dtype=self.dtype)

    def _array(self, items):
        filled = [self.items[0] if item is None else item for item in items]
        if self.dtype == "S":
            return np.array([item.encode() for item in filled], "S")
        found, missing = np.array(filled, self.dtype), [item is None for item in items]
        if found.dtype.kind in "mM":
            found[missing] = "NaT"
        if self.rng.random() < 0.3 and found.dtype.kind in "biuf" and found.dtype != np.float16:
            return np.ma.masked_array(found, missing)
        return found

    def lookups(self):
        """Lookups on such a column: of any library, unit and width, some of which are errors."""
        items = self.draw(self.rng.randrange(1, 9))
        if self.rng.random() < 0.3:
            return self.held(items)
        make = {"integers": _numbers, "unsigned": _numbers, "floats": _floats, "texts": _texts, "ordered texts": _texts,
                "times": _times, "zoned": _times, "dates": _times, "durations": _durations, "decimals": _decimals,
                "uuids": _uuids}.get(self.name)
        plain = [lambda: items, lambda: items[0], lambda: pd.Series(items, dtype=object),
                 lambda: np.array(items, object)]
        return self.rng.choice(plain + ([] if make is None else make(items)))()


def _numbers(items):
    return [lambda: [2**70, -(2**70), 1, None], lambda: 2**64, lambda: -(2**200), lambda: 2.5, lambda: True,
            lambda: np.array([1.0, 2.5, math.nan, 1e30]), lambda: pd.Series([1.5, None, 7.0]), lambda: "1",
            lambda: decimal.Decimal("1.5"), lambda: pa.array([1, None, 300]), lambda: pl.Series([1, 2, None]),
            lambda: pd.array([1, None], "Int8")]


def _floats(items):
    return [lambda: 0.1, lambda: math.nan, lambda: np.float32(0.25), lambda: "a", lambda: [1, 2, 2**60],
            lambda: np.array([1, 2]), lambda: pa.array([1.5, math.nan, None]),
            lambda: pl.Series([1.5, math.nan, None]), lambda: pd.Series([1.0, math.nan])]


def _texts(items):
    return [lambda: pa.array(items), lambda: pl.Series(items, dtype=pl.String), lambda: b"ab", lambda: 5,
            lambda: pd.Series(items, dtype="category"), lambda: pa.array(items).dictionary_encode(),
            lambda: np.array(["a", "k", "b"])]


def _times(items):
    known = [item for item in items if item is not None] or [NOON]
    aware = [item.replace(tzinfo=UTC) for item in known]
    texts = [item.isoformat() for item in known]
    return [lambda: aware, lambda: aware[0], lambda: known, lambda: known[0], lambda: known[0].date(),
            lambda: texts, lambda: texts[0], lambda: texts[0] + "Z", lambda: texts[0] + "+02:00", lambda: "tomorrow",
            lambda: np.array(texts), lambda: np.array(known, object), lambda: np.array(known, "M8[D]"),
            lambda: np.array(known, "M8[ms]") + np.timedelta64(1, "ms"), lambda: np.datetime64(known[0], "ns"),
            lambda: [item + MILLISECOND for item in aware], lambda: datetime.datetime.max,
            lambda: datetime.datetime.min, lambda: datetime.datetime.max.replace(tzinfo=UTC),
            lambda: pa.array(known, pa.timestamp("ns")), lambda: pa.array(aware, pa.timestamp("us", "Asia/Tokyo")),
            lambda: pa.array([item.date() for item in known]), lambda: pl.Series(known), lambda: pl.Series(aware),
            lambda: pd.Series(known), lambda: pd.Series(aware), lambda: pd.DatetimeIndex(aware),
            lambda: pd.Timestamp(known[0]), lambda: pd.Timestamp(aware[0])]


def _durations(items):
    return [lambda: SECOND, lambda: np.timedelta64(3, "s"), lambda: np.array([1500, 2000], "m8[ms]"),
            lambda: pa.array([SECOND, None]), lambda: pl.Series([SECOND, None]), lambda: pd.Timedelta(seconds=2),
            lambda: 5]


def _decimals(items):
    return [lambda: decimal.Decimal("0.50"), lambda: decimal.Decimal("0.001"), lambda: [1, 2], lambda: 1,
            lambda: pa.array(items, pa.decimal128(20, 6)), lambda: pl.Series(items, dtype=pl.Decimal(20, 3)),
            lambda: [1, decimal.Decimal("1.25"), None]]


def _uuids(items):
    return [lambda: pa.array(uuid_bytes(items), pa.binary(16)), lambda: "x"]


def values(rng, size):
    """A value column with nulls."""
    missing = [rng.random() < 0.25 for _ in range(size)]
    numbers = [rng.randrange(-40, 40) for _ in range(size)]

    def holed(make):
        return [None if lost else make(number) for number, lost in zip(numbers, missing)]

    quarters = [math.nan if lost else number / 4 for number, lost in zip(numbers, missing)]
    prices = holed(lambda number: decimal.Decimal(number) / 4)
    lengths, stamps = holed(lambda number: SECOND * number), holed(lambda number: NOON + SECOND * number)
    return rng.choice([
        lambda: np.array(numbers), lambda: np.array(numbers, "int8"), lambda: np.array(quarters),
        lambda: np.array(lengths, "m8[s]"), lambda: np.ma.masked_array(numbers, missing),
        lambda: pd.Series(holed(int), dtype="Int64"), lambda: pd.Series(quarters),
        lambda: pd.Series(quarters, dtype="float32"), lambda: pd.Series(quarters, dtype=arrow(pa.float64())),
        lambda: pd.Series(prices, dtype=arrow(pa.decimal128(12, 2))), lambda: pd.Series(lengths, dtype="m8[us]"),
        lambda: pd.Series(stamps, dtype="M8[s]"), lambda: zoned(stamps, "Europe/Berlin")])()
