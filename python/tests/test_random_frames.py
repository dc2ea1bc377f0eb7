"""Random tables of every type against pandas and polars: points, ranges, sums, joins and changes.

RTINDEX_ROUNDS=5000 runs as many rounds; without it a few.
"""

from __future__ import annotations

import datetime
import decimal
import math
import os
import random
import uuid
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest
from oracle import listed

import rtindex

ROUNDS = int(os.environ.get("RTINDEX_ROUNDS", "40"))
DAY = datetime.datetime(2024, 2, 29)
SPECS = ("rx:native@cpu", "sorted@cpu", "btree@cpu")


def times(rng, unit):
    return [DAY + datetime.timedelta(**{unit: rng.randrange(8)}) for _ in range(9)]


# The type of Arrow, and the values that keys are drawn from.
TYPES = {
    **{name: (getattr(pa, name)(), lambda rng: [rng.randrange(100) for _ in range(9)])
       for name in ("int8", "uint16", "int32", "int64", "uint64")},
    "float32": (pa.float32(), lambda rng: [rng.randrange(-9, 9) / 4 for _ in range(9)]),
    "float64": (pa.float64(), lambda rng: [rng.uniform(-1, 1) for _ in range(8)] + [math.inf]),
    "bool": (pa.bool_(), lambda rng: [True, False]),
    "string": (pa.string(), lambda rng: ["", "a", "ab", "b", "Ä", "日本"]),
    "category": (pa.dictionary(pa.int32(), pa.string()), lambda rng: ["x", "y", "z", "Ω"]),
    "date": (pa.date32(), lambda rng: [time.date() for time in times(rng, "days")]),
    **{f"timestamp[{unit}]": (pa.timestamp(unit), lambda rng: times(rng, "seconds")) for unit in ("s", "ms", "us", "ns")},
    "zoned": (pa.timestamp("us", "Europe/Berlin"), lambda rng: times(rng, "hours")),
    "duration": (pa.duration("us"), lambda rng: [datetime.timedelta(seconds=rng.randrange(9)) for _ in range(9)]),
    "time": (pa.time64("us"), lambda rng: [time.time() for time in times(rng, "minutes")]),
    "uuid": (pa.binary(16), lambda rng: [uuid.UUID(int=rng.randrange(2**128)) for _ in range(9)]),
    "enum": (pa.dictionary(pa.int32(), pa.string()), lambda rng: ["z", "x", "Ω", "y"]),
    "decimal": (pa.decimal128(12, 2), lambda rng: [decimal.Decimal(rng.randrange(-900, 900)) / 100 for _ in range(9)]),
}
NO_POLARS = {"timestamp[s]"}


class Table:
    """A random column with nulls, the keys in their order as integers, and every kind of holder."""

    def __init__(self, rng, name, size):
        self.kind, make = TYPES[name]
        self.rng, self.name = rng, name
        # Strings compare by bytes, and zoned times of Arrow are UTC.
        self.domain = sorted({*make(rng)}, key=lambda item: item.encode() if isinstance(item, str) else item)
        self.column = self.draw(size)

    def draw(self, size, nulls=0.15):
        return [None if self.rng.random() < nulls else self.rng.randrange(len(self.domain)) for _ in range(size)]

    def holder(self, codes, libraries=("arrow", "pandas", "polars", "list", "chunked")):
        items = [None if code is None else self.domain[code] for code in codes]
        if self.name == "uuid":
            return self.uuids(items, libraries)
        if self.name == "enum":
            return self.categories(items, libraries)
        array = pa.array(items, self.kind.value_type if pa.types.is_dictionary(self.kind) else self.kind)
        array = array.dictionary_encode() if pa.types.is_dictionary(self.kind) else array
        library = self.rng.choice(libraries)
        if library == "pandas":
            nullable = self.name in ("int8", "uint16", "int32", "int64", "uint64", "bool", "decimal", "time", "duration")
            return pd.Series(array.to_pandas(types_mapper=pd.ArrowDtype if nullable else None))
        if library == "polars" and self.name not in NO_POLARS:
            return pl.Series(array) if codes else pl.from_arrow(array)
        if library == "list" and self.name != "zoned" and any(code is not None for code in codes):
            return items
        if library == "chunked":
            middle = self.rng.randrange(len(codes) + 1)
            return pa.chunked_array([array[:middle], array[middle:]])
        return array


    def uuids(self, items, libraries):
        library = self.rng.choice(libraries)
        if library == "pandas":
            return pd.Series(items, dtype=object)
        if library == "list" and any(item is not None for item in items):
            return items
        return pa.array([None if item is None else item.bytes for item in items], self.kind)

    def categories(self, items, libraries):
        """Ordered categories, alphabetical as the index holds them."""
        library = self.rng.choice(libraries)
        if library == "polars":
            return pl.Series(items, dtype=pl.Enum(self.domain))
        if library in ("arrow", "chunked"):
            return pa.array(items, pa.string()).dictionary_encode()
        return pd.Series(pd.Categorical(items, self.domain, ordered=True))


def check_order(table, index, column):
    """The keys in their order, one of them at each quantile."""
    known = sorted(key for key in column if key is not None)
    wanted = [table.domain[key] for key in known]
    if table.name == "zoned":
        wanted = [key.replace(tzinfo=datetime.timezone.utc) for key in wanted]

    def plain(key):
        return key.astype("M8[us]").item() if isinstance(key, np.datetime64) else key

    assert [plain(key) for key in index] == wanted
    assert index.is_unique == (len({*known}) == len(known))
    if wanted:
        assert (plain(index.min()), plain(index.max())) == (wanted[0], wanted[-1])
    if wanted:
        q = table.rng.choice([0, 1, table.rng.random()])
        assert plain(index.quantile(q)) == wanted[math.floor((len(wanted) - 1) * q)]


def values_of(rng, size):
    """Values with nulls, as a plain list and in a random library."""
    items = [None if rng.random() < 0.2 else rng.randrange(-50, 50) for _ in range(size)]
    make = rng.choice([lambda data: pd.Series(data, dtype="Int64"), lambda data: pd.Series(data, dtype=float),
                       lambda data: pl.Series(data, dtype=pl.Int32), lambda data: pa.array(data, pa.int64())])
    return items, make(items)


def check_aggregates(index, query, rows_of, items, given):
    answers = index.answer(query, ["count", "sum", "min", "max", "mean", "rows", "first", "last"], given)
    known = [[items[row] for row in rows if items[row] is not None] for rows in rows_of]
    assert listed(answers.count) == [len(rows) for rows in rows_of]
    assert [sorted(rows) for rows in answers.rows.to_pylist()] == rows_of
    assert listed(answers.first) == [min(rows, default=None) for rows in rows_of]
    assert listed(answers.last) == [max(rows, default=None) for rows in rows_of]
    misses = [not numbers for numbers in known]
    for name, fold in (("sum", sum), ("min", min), ("max", max), ("mean", lambda n: sum(n) / len(n))):
        found = [item for item, missed in zip(listed(answers[name]), misses) if not missed]
        assert found == pytest.approx([fold(numbers) for numbers in known if numbers]), name


def check_queries(table, index, column, items, given):
    keys, uppers = table.draw(7), table.draw(7)
    lookups = table.holder(keys, ("arrow", "pandas", "polars", "chunked"))
    points = [[row for row, key in enumerate(column) if key is not None and key == wanted] for wanted in keys]
    check_aggregates(index, rtindex.Query.equal(lookups), points, items, given)
    ends = table.rng.choice(["[]", "[)", "(]", "()"])

    def inside(key, low, high):
        return None not in (key, low, high) and low <= key <= high and (
            key != low or ends[0] == "[") and (key != high or ends[1] == "]")

    ranges = [[row for row, key in enumerate(column) if inside(key, low, high)] for low, high in zip(keys, uppers)]
    upper = table.holder(uppers, ("arrow", "pandas", "polars", "chunked"))
    check_aggregates(index, rtindex.Query.range(lookups, upper, ends), ranges, items, given)
    probe, rows = index.join(lookups)
    pairs = [(i, row) for i, found in enumerate(points) for row in found]
    assert sorted(zip(listed(probe), listed(rows))) == pairs
    for code in keys:
        if code is not None and table.name != "zoned":
            wanted = [row for row, key in enumerate(column) if key == code]
            assert index.lookup(table.domain[code], "count") == len(wanted)
            assert (table.domain[code] in index) == bool(wanted)
    before = [max((key for key in column if key is not None and code is not None and key <= code), default=None)
              for code in keys]
    found = listed(index.nearest(lookups))
    assert [None if row is None else column[row] for row in found] == before


@pytest.mark.parametrize("part", range(4))
def test_indexes_against_full_scans(part):
    for number in range(part, ROUNDS, 4):
        rng = random.Random(number)
        name = rng.choice([*TYPES])
        table = Table(rng, name, rng.randrange(40))
        if all(code is None for code in table.column):
            table.column = [0]
        column = [*table.column]
        items, given = values_of(rng, len(column))
        included = rng.random() < 0.5
        index = rtindex.build(table.holder(column), rng.choice(SPECS), include=given if included else None)
        check_queries(table, index, column, items, None if included else given)
        check_order(table, index, column)
        for _ in range(rng.randrange(3)):
            new = table.draw(rng.randrange(1, 5)) + [0]
            more = values_of(rng, len(new))[0]
            index.insert(table.holder(new), more if included else None)
            column += new
            items += more
            row = rng.randrange(len(column))
            if column[row] is not None:
                index.erase([row])
                column[row] = None
            moved = rng.randrange(len(column))
            if column[moved] is not None:
                column[moved] = rng.randrange(len(table.domain))
                index.update([moved], table.holder([column[moved]]))
        given = pd.Series(items, dtype="Int64")
        check_queries(table, index, column, items, None if included else given)
        check_order(table, index, column)


def key_columns(rng, library):
    """Keys of both sides of a join, of one random type; NaN as well as nulls."""
    sizes = [rng.randrange(1, 20) for _ in range(2)]
    if rng.random() < 0.1:
        makers = {"pandas": lambda items: pd.Series(items, dtype=rng.choice([float, "float32", "Float64", object])),
                  "polars": lambda items: pl.Series(items, dtype=pl.Float64)}
        return [makers[library]([rng.choice([1.5, -0.0, 0.0, math.nan, None, math.inf]) for _ in range(size)])
                for size in sizes]
    table = Table(rng, rng.choice([name for name in TYPES if library != "polars" or name not in NO_POLARS]), 9)
    codes = [[*table.draw(size), 0] for size in sizes]
    if table.name not in ("uuid", "enum") and rng.random() < 0.5:
        arrays = [table.holder(part, ("arrow",)) for part in codes]
        return [array.to_pandas() if library == "pandas" else pl.from_arrow(array) for array in arrays]
    return [table.holder(part, (library,)) for part in codes]


def test_joins_against_pandas():
    for number in range(ROUNDS):
        rng = random.Random(number)
        left, right = (pd.DataFrame({"key": keys, side: range(len(keys))})
                       for keys, side in zip(key_columns(rng, "pandas"), "lr"))
        how = rng.choice(["inner", "left", "right", "outer"])
        options = rng.choice([{}, {}, {}, {"sort": True}, {"indicator": True}, {"suffixes": ("", "_2")}])
        try:
            wanted = pd.merge(left, right, how, on="key", **options)
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                rtindex.pandas.merge(left, right, how, on="key", **options)
            continue
        found = rtindex.pandas.merge(left, right, how, on="key", **options)
        pd.testing.assert_frame_equal(found, wanted, obj=f"round {number}")


def test_joins_against_polars():
    for number in range(ROUNDS):
        rng = random.Random(number)
        left, right = (pl.DataFrame({"key": keys, side: range(len(keys))})
                       for keys, side in zip(key_columns(rng, "polars"), "lr"))
        how = rng.choice(["inner", "left", "right", "full", "semi", "anti"])
        options = rng.choice([{}, {}, {}, {"nulls_equal": True}, {"coalesce": True}, {"suffix": "_2"}])
        found = rtindex.polars.join(left, right, "key", how, **options)
        pl.testing.assert_frame_equal(found, left.join(right, on="key", how=how, **options), check_row_order=False)


def test_merges_on_the_nearest_key_against_pandas():
    for number in range(ROUNDS):
        rng = random.Random(number)
        name = rng.choice(["int8", "uint16", "int64", "uint64", "float64", "timestamp[s]", "timestamp[ns]", "zoned", "duration"])
        table = Table(rng, name, 9)
        by = Table(rng, rng.choice(["int32", "string", "category", "bool", "date", "uuid", "enum"]), 9)
        frames = []
        for side in "lr":
            codes = sorted(table.draw(rng.randrange(1, 15), nulls=0) + [0])
            groups = by.holder([*by.draw(len(codes) - 1), 0], ("arrow",))
            keys = table.holder(codes, ("arrow",)).to_pandas()
            frames.append(pd.DataFrame({"key": keys, "by": groups.to_pandas(), side: range(len(codes))}))
        options: Any = {"direction": rng.choice(["backward", "forward", "nearest"]), "allow_exact_matches": rng.random() < 0.7,
                        "by": rng.choice([None, "by"])}
        left, right = frames if options["by"] else (frame.drop(columns="by") for frame in frames)
        try:
            wanted = pd.merge_asof(left, right, on="key", **options)
        except pd.errors.MergeError:  # such as one side with nulls among integers
            with pytest.raises(pd.errors.MergeError):
                rtindex.pandas.merge_asof(left, right, on="key", **options)
            continue
        pd.testing.assert_frame_equal(rtindex.pandas.merge_asof(left, right, on="key", **options), wanted, obj=f"round {number}")
        shuffled = left.sample(frac=1, random_state=number)
        found = rtindex.pandas.merge_asof(shuffled, right, on="key", **options)
        pd.testing.assert_frame_equal(found.sort_values("l").reset_index(drop=True), wanted, obj=f"round {number}")


def test_merges_on_ranges_against_cross_joins():
    for number in range(ROUNDS):
        rng = random.Random(number)
        table = Table(rng, rng.choice([name for name in TYPES if name not in ("category", "enum", "uuid", "bool")]), 9)
        codes = {side: [[*table.draw(size), 0] for _ in range(columns)]
                 for side, size, columns in (("l", rng.randrange(12), 2), ("r", rng.randrange(12), 1))}
        low, high, key = (table.holder(part, ("pandas",)) for part in (*codes["l"], *codes["r"]))
        left = pd.DataFrame({"low": low, "high": high, "l": range(len(low))})
        right = pd.DataFrame({"key": key, "r": range(len(key))})
        ends, how = rng.choice(["[]", "[)", "(]", "()"]), rng.choice(["inner", "left", "right", "outer", "semi", "anti"])
        wanted = {(i, j) for i, (a, b) in enumerate(zip(*codes["l"])) for j, k in enumerate(codes["r"][0])
                  if None not in (a, b, k) and a <= k <= b and (k != a or ends[0] == "[") and (k != b or ends[1] == "]")}
        lone = [set(range(len(frame))) - {pair[i] for pair in wanted} for i, frame in enumerate((left, right))]
        found = rtindex.pandas.merge_range(left, right, ("low", "high"), "key", ends=ends, how=how)
        if how in ("semi", "anti"):
            assert {*found["l"]} == (lone[0] if how == "anti" else {*range(len(left))} - lone[0])
            continue
        extra = {(i, -1) for i in lone[0] if how in ("left", "outer")} | {(-1, j) for j in lone[1] if how in ("right", "outer")}
        rows = [*zip(found["l"].fillna(-1).astype(int), found["r"].fillna(-1).astype(int))]
        assert sorted(rows) == sorted(wanted | extra), number


def test_group_sums_against_pandas_and_polars():
    for number in range(ROUNDS):
        rng = random.Random(number)
        size = rng.randrange(1, 60)
        keys = [rng.choice("abcd") for _ in range(size)]
        numbers = [rng.choice([None, rng.randrange(9), rng.random()]) for _ in range(size)]
        frame = pd.DataFrame({"key": keys, "value": pd.Series(numbers, dtype=float)})
        index, groups = rtindex.build(frame["key"]), pd.Series([*"abcdx"])
        wanted = frame.groupby("key")["value"].agg(["sum", "mean", "min", "max"]).reindex([*"abcdx"])
        found = index.lookup(groups, ["sum", "mean", "min", "max"], frame["value"]).to_pandas()
        wanted.loc[wanted["mean"].isna(), "sum"] = math.nan  # pandas sums nothing to 0, SQL to null
        np.testing.assert_allclose(found.astype(float).to_numpy(), wanted.to_numpy())
        column = pl.Series(numbers, dtype=pl.Float64)
        grouped = dict(pl.DataFrame({"key": keys, "value": column}).group_by("key").agg(pl.col("value").max()).rows())
        assert index.lookup(pl.Series([*"abcdx"]), "max", column).to_list() == [grouped.get(key) for key in "abcdx"]
