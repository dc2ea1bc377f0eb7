"""Which objects are columns and keys: frames and their names, tuples, scalars and Python's types."""

from __future__ import annotations

import collections
import datetime
import decimal
import subprocess
import sys
import uuid
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import listed

import rtindex

CITY, YEAR = ["Ulm", "Bonn", "Ulm"], [2020, 2021, 2024]
FRAMES = {
    "pandas": lambda **columns: pd.DataFrame(columns), "polars": lambda **columns: pl.DataFrame(columns),
    "arrow": lambda **columns: pa.table(columns),
    "batch": lambda **columns: pa.table(columns).to_batches()[0],
    "struct": lambda **columns: pa.table(columns).to_struct_array().combine_chunks(),
}


def test_tuples_and_multi_indexes_are_composites():
    Trip = collections.namedtuple("Trip", "city year")
    for column in (pd.MultiIndex.from_arrays([CITY, YEAR]), [*zip(CITY, YEAR)],
                   [Trip(*trip) for trip in zip(CITY, YEAR)],
                   np.array([*zip(CITY, YEAR), None], object)[:3]):
        index = rtindex.build(column)
        assert index.type == "composite" and index.lookup(("Ulm", 2024)) == 2
        assert index.lookup(pd.MultiIndex.from_tuples([("Bonn", 2021), ("Bonn", 1)]), "count").tolist() == [1, 0]
    index = rtindex.build([("Ulm", 2020), None, ("Bonn", None)])
    assert index.nulls().tolist() == [1, 2]
    with pytest.raises(rtindex.Error, match=r"2 parts, got 3 parts \(element 1\)"):
        rtindex.build([("Ulm", 2020), ("Bonn", 1, 2)])


@pytest.mark.parametrize("column", [{"a": [1]}, "abc", b"abc", {1, 2}, frozenset([1]), 5, 1.5, None, True,
                                    datetime.date(2024, 1, 1), decimal.Decimal(5), np.int64(5), {}])
def test_what_is_no_column(column):
    with pytest.raises(rtindex.InvalidArgumentError, match="expected a column"):
        rtindex.build(column)


def test_what_is_no_batch():
    for keys in ({1: 2}, {1, 2}):
        with pytest.raises(rtindex.InvalidArgumentError, match="whose order is known"):
            rtindex.build([1, 2]).lookup(keys)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_scalars_broadcast_in_ranges(make):
    index = rtindex.build([26, 25, 29, 23, 29, 27])
    assert listed(index.range(25, make([25, 27, 29]), "count")) == [1, 3, 5]
    assert listed(index.range(make([25, 27, 30]), 29, "count")) == [5, 3, 0]
    assert type(index.range(25, make([25]), "count")) is type(index.range(make([25]), 25, "count"))
    assert len(index.join_range(20, make([25, 27])).probe) == 6
    words = rtindex.build((["a", "a", "b"], [1, 2, 3]))
    assert listed(words.range(("a", 2), (make(["a", "b"]), make([9, 9])), "count")) == [1, 2]
    names = rtindex.build(["a", "b", None])
    assert listed(names.range("a", make(["a", "b"]), "count", ends="[)")) == [0, 1]
    intervals = rtindex.build(rtindex.intervals([1, 5], [3, 9], ends="[]"))
    assert listed(intervals.overlaps(2, make([2, 6]), "count")) == [1, 2]
    with pytest.raises(rtindex.Error, match="1 lower and 2 upper"):
        index.range(make([1]), make([1, 2]))


@pytest.mark.parametrize("kind", FRAMES)
def test_one_column_of_a_frame_is_a_column(kind):
    if kind == "struct":
        return
    frame = FRAMES[kind](key=[5, 7, 7])
    index = rtindex.build(frame)
    assert index.type == "int64" and index.names == ("key",)
    assert listed(index.lookup(frame, "count")) == [1, 2, 2]
    assert listed(rtindex.build([5, 7]).lookup(frame)) == [0, 1, 1]


def test_uuids_of_duckdb_are_uuids():
    one = uuid.UUID(int=1 << 127)
    relation = pytest.importorskip("duckdb").sql(f"select unnest(['{one}', null])::uuid id")
    index = rtindex.build(relation)
    assert index.type == "binary16" and index.lookup(one) == 0 and index.nulls().tolist() == [1]
    assert rtindex.build([one]).lookup(relation).to_pylist() == [0, None]
    pairs = relation.query("relation", "select 1 a, id from relation")
    assert rtindex.build(pairs).lookup((1, one)) == 0


def test_relations_of_duckdb_are_columns():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    keys = connection.sql("SELECT x AS key FROM range(5) t(x)")
    index = rtindex.build(keys)
    assert len(index) == 5 and index.lookup(3) == 3
    assert listed(index.lookup(connection.sql("SELECT 4 AS key"))) == [4]
    pairs = rtindex.build(connection.sql("SELECT x AS a, x * 2 AS b FROM range(5) t(x)"))
    assert pairs.type == "composite" and pairs.names == ("a", "b") and pairs.lookup((2, 4)) == 2


def test_modules_are_imported_when_used():
    code = ("import sys, rtindex\nassert 'pandas' not in sys.modules and 'polars' not in sys.modules\n"
            "rtindex.pandas.merge_asof, rtindex.polars.join_asof, rtindex.duckdb.register, rtindex.dask.build\n"
            "assert {'pandas', 'polars'} <= {*dir(rtindex)}")
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("dtype", "largest"), [("float32", 2**24), ("float16", 2**11)])
def test_integers_are_not_rounded(dtype, largest):
    index = rtindex.build(np.array([1, largest], dtype))
    odd = largest + 1
    assert index.lookup(largest) == 1 and index.lookup(odd) is None
    assert odd not in index and index.range(odd, None, "count") == 0 and index.nearest(odd) == 1
    assert rtindex.build(([7], np.array([largest], dtype))).lookup((7, odd)) is None
    assert rtindex.build(rtindex.points(a=np.array([largest], dtype), b=[1])).filter({"a": odd}, "count") == 0
    assert index.erase_keys(odd) == 0 and index.insert(largest) == 2 and index.insert(0.1) == 3
    for change in (lambda: index.insert(odd), lambda: index.update([0], odd)):
        with pytest.raises(rtindex.Error, match=f"key {odd} does not fit"):
            change()
    assert index.erase_keys(0.1) == 1  # one float has the type of the column
    if dtype == "float16":
        assert index.lookup(np.array([1, 5], np.int8), "count").tolist() == [1, 0]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_floats_of_python_compare_as_in_numpy(dtype):
    column = np.array([0.1, 0.2, 0.3, 2.0**11], dtype)
    index = rtindex.build(column)
    for number in (0.1, 0.3, 0.5, 2048, 2.0**11 + 1, 1e300):
        with np.errstate(over="ignore"):
            assert index.lookup(number, "count") == (column == number).sum(), number
            assert index.range(number, None, "count") == (column >= number).sum(), number
            assert index.range(None, number, "count", ends="[)") == (column < number).sum(), number
            assert (number in index) == (number in column)
    assert index.lookup([0.1], "count").tolist() == [(column == np.array([0.1])).sum()]
    assert index.lookup(np.float64(0.1), "count") == (column == np.float64(0.1)).sum()
    pairs = rtindex.build((["a"] * 4, column))
    assert pairs.lookup(("a", 0.1)) == 0


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("other", FRAMES)
def test_frames_match_by_name(kind, other):
    index = rtindex.build(FRAMES[kind](city=CITY, year=YEAR))
    assert index.names == ("city", "year")
    swapped = FRAMES[other](year=[2024, 2021], city=["Ulm", "Ulm"])
    assert listed(index.lookup(swapped, "count")) == [1, 0]
    assert index.lookup((["Ulm", "Bonn"], [2024, 2021])).tolist() == [2, 1]
    for frame, problem in ((FRAMES[other](city=["Ulm"]), "has no column 'year'"),
                           (FRAMES[other](city=["Ulm"], Year=[1]), "has no column 'year'"),
                           (FRAMES[other](city=["Ulm"], year=[1], day=[1]), "a column 'day' that the index")):
        for call in (index.lookup, index.insert, index.erase_keys, lambda keys: index.range(keys, None)):
            with pytest.raises(rtindex.Error, match=f"{problem}.* expected the columns city, year"):
                call(frame)
    assert index.insert(swapped) == 3 and index.lookup(("Ulm", 2021)) == 4


def test_names_are_stored(tmp_path):
    index = rtindex.build(pd.DataFrame({"city": CITY, "year": YEAR}))
    index.save(tmp_path / "named.rtindex")
    assert rtindex.load(tmp_path / "named.rtindex").names == index.snapshot().names == ("city", "year")
    assert rtindex.build(([1], [2])).names == ()
    assert rtindex.build(([1], [2])).lookup(pl.DataFrame({"x": [1], "y": [2]})).to_list() == [0]
    levels = pd.MultiIndex.from_arrays([CITY, YEAR], names=["city", "year"])
    assert rtindex.build(levels).names == ("city", "year")


@pytest.mark.parametrize("names", [[0, 1], [1.5, "a"], [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)],
                                   [("a", "x"), ("a", "y")]])
def test_other_names_are_their_texts(names):
    frame = pd.DataFrame([[1, 2], [3, 4]])
    frame.columns = pd.Index(names)
    index = rtindex.build(frame)
    assert index.names == (str(names[0]), str(names[1]))
    assert index.lookup(frame.iloc[:, ::-1]).tolist() == [0, 1]
    assert index.insert(frame.iloc[:, ::-1]) == 2 and index.lookup((3, 4), "count") == 2
    with pytest.raises(rtindex.Error, match="has no column"):
        index.lookup(pd.DataFrame({"x": [1], "y": [2]}))


@pytest.mark.parametrize("names", [["a", "a"], [1, "1"], ["a", None], [np.nan, "a"]])
def test_names_must_differ(names):
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=names)
    index = rtindex.build(pd.DataFrame({"a": [1, 3], "b": [2, 4]}))
    for call in (rtindex.build, rtindex.points, index.lookup, index.insert,
                 lambda frame: rtindex.build([1, 2], include=frame)):
        with pytest.raises(rtindex.Error, match="column.* name .*rename"):
            call(frame)
    assert rtindex.build((frame.iloc[:, 0], frame.iloc[:, 1])).lookup(frame).tolist() == [0, 1]
    assert rtindex.build(pd.MultiIndex.from_tuples([(1, 2)], names=["a", None])).names == ()


class OwnFrame(pd.DataFrame):
    @property
    def _constructor(self):
        return OwnFrame


class OwnSeries(pd.Series):
    pass


class OwnPolarsFrame(pl.DataFrame):
    pass


class OwnPolarsSeries(pl.Series):
    pass


@pytest.mark.parametrize("frame, series", [(OwnFrame, OwnSeries), (OwnPolarsFrame, OwnPolarsSeries)])
def test_subclasses_are_what_they_extend(frame, series):
    index = rtindex.build(frame({"city": CITY, "year": YEAR}))
    assert index.names == rtindex.points(frame({"city": [1], "year": [2]})).names == ("city", "year")
    found = index.lookup(frame({"year": [2024, 2021], "city": ["Ulm", "Ulm"]}), "count")
    assert isinstance(found, (pd.Series, pl.Series)) and listed(found) == [1, 0]
    own = series("key", [5, 7]) if series is OwnPolarsSeries else series([5, 7], name="key")
    assert rtindex.build(own).names == ("key",) and rtindex.build([7]).lookup(own, "count").name == "key"
    assert rtindex.build(OwnSeries([1.5, np.nan])).nulls().tolist() == [1]


def test_series_keep_their_name():
    index = rtindex.build(pd.Series([5, 7], name="key"))
    assert index.names == ("key",) and rtindex.build(pl.Series("key", [5])).names == ("key",)
    for answer in ("any", "count", "sum"):
        assert index.lookup(pd.Series([7], name="wanted"), answer, [1, 2]).name == "wanted"
        assert index.lookup(pl.Series("wanted", [7]), answer, [1, 2]).name == "wanted"
    assert index.nearest(pl.Series("wanted", [9]), "key").name == "wanted"
    assert rtindex.build(["a"]).nearest(pd.Series(["b"], name="wanted"), "key").name == "wanted"


WORDS = ["b", "a", None, "b", "c"]
CATEGORIES = {
    "pandas": pd.Series(WORDS, dtype="category"), "array": pd.Categorical(WORDS),
    "index": pd.Index(pd.Categorical(WORDS)), "polars": pl.Series(WORDS, dtype=pl.Categorical),
    "enum": pl.Series(WORDS, dtype=pl.Enum(["c", "b", "a"])), "arrow": pa.array(WORDS).dictionary_encode(),
    "chunked": pa.chunked_array([pa.array(WORDS[:2]).dictionary_encode(), pa.array(WORDS[2:]).dictionary_encode()]),
    "frame": pd.DataFrame({"w": pd.Series(WORDS, dtype="category")}),
}


@pytest.mark.parametrize("kind", CATEGORIES)
@pytest.mark.parametrize("other", CATEGORIES)
def test_categories_are_their_values(kind, other):
    column, keys = CATEGORIES[kind], CATEGORIES[other]
    for index in (rtindex.build(column), rtindex.build(WORDS)):
        assert index.nulls().tolist() == [2]
        assert listed(index.lookup(keys, "count")) == [2, 1, 0, 2, 1]
    assert listed(rtindex.build(column).lookup(["a", "x"], "count")) == [1, 0]
    if kind != "enum":  # whose order is another one
        assert rtindex.build(column).range("a", "b", "count") == 3
    if "frame" not in (kind, other):
        pairs = rtindex.build((column, [1, 2, 3, 4, 5]))
        assert listed(pairs.lookup((keys, [1, 2, 3, 4, 9]), "count")) == [1, 1, 0, 1, 0]
        assert pairs.nearest(("b", 3), "key") == ("b", 1)
        grouped = rtindex.build(rtindex.intervals([1] * 5, [9] * 5, ends="[]", by=column))
        assert grouped.contains(("b", 5), "count") == 2
    index = rtindex.build(column)
    assert index.insert(keys) == 5 and index.lookup("c", "count") == 2


def test_categories_of_numbers():
    years = pd.Series([2020, 2021, None, 2020]).astype("Int64").astype("category")
    index = rtindex.build(years)
    assert index.lookup([2020, 2021], "count").tolist() == [2, 1] and index.nulls().tolist() == [2]


D, T, S, U = decimal.Decimal, datetime.time, datetime.timedelta, uuid.UUID
OBJECTS: dict[str, tuple[list[Any], str, Any]] = {
    "decimal": ([D("1.50"), D("-7.25"), None, D("1.5")], "decimal64", pa.decimal128(10, 3)),
    "wide decimal": ([D(10) ** 30, D("0.5"), None, D(10) ** 30], "decimal128", pa.decimal128(38, 2)),
    "time": ([T(12, 30), T(1, 0, 0, 5), None, T(12, 30)], "time64", pa.time64("ns")),
    "timedelta": ([S(seconds=5), S(days=-1), None, S(seconds=5)], "duration64", pa.duration("ns")),
    "uuid": ([U(int=7), U(int=1 << 127), None, U(int=7)], "binary16", None),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_python(name):
    items, kind, arrow = OBJECTS[name]
    known = [item for item in items if item is not None]
    columns = [items, np.array(items, object), pd.Series(items, dtype=object)]
    if arrow is not None:
        columns.append(pa.array(items, arrow))
    for column in columns:
        index = rtindex.build(column)
        assert index.nulls().tolist() == [2]
        for keys in columns:
            assert listed(index.lookup(keys, "count")) == [2, 1, 0, 2]
        assert [index.lookup(item) is not None and item in index for item in known] == [True] * 3
        assert index.range(min(known), max(known), "count") == 3
        assert index.range(min(known), None, "count", ends="(]") == sum(item > min(known) for item in known)
        assert listed(index.nearest([max(known)])) == [index.lookup(max(known), "last")]
        assert index.insert(items[:1]) == 4 and index.lookup(items[0], "count") == 3
        pairs = rtindex.build(([1, 2, 3, 4], column))
        assert pairs.lookup((2, items[1])) == 1
    assert rtindex.build(items).type == kind
    with pytest.raises(rtindex.Error, match="element 1"):
        rtindex.build([items[0], object()])


def test_decimals_convert_exactly():
    index = rtindex.build([D("1.50"), D("2")])
    assert index.lookup([D("1.5000"), D("1.501"), D(2), 2]).tolist() == [0, rtindex.MISS, 1, 1]
    assert index.lookup(2) == 1 and index.lookup(np.array([2, 3])).tolist() == [1, rtindex.MISS]
    assert index.range(D("1.501"), None, "count") == 1 and index.range(None, D("1.999"), "count") == 1
    with pytest.raises(rtindex.Error, match=r"1.501 \(element 0\) is no decimal with 2 digits"):
        index.insert([D("1.501")])
    whole = rtindex.build([1, 2, 3])
    assert whole.lookup([D("2.0"), D("2.5")]).tolist() == [1, rtindex.MISS]
    assert whole.range(D("1.5"), D("2.5"), "count") == 1
