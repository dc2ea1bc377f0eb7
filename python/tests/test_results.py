"""Several answers to one batch, lists of rows, counts and misses."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import listed

import rtindex

KEYS = np.array([26, 25, 29, 23, 29, 27])
PRICE = np.array([199, 149, 279, 899, 349, 1299])
KINDS = {"list": list, "numpy": np.array, "pandas": lambda keys: pd.Series(keys, index=["a", "b", "c"]),
         "polars": pl.Series, "arrow": pa.array, "chunked": lambda keys: pa.chunked_array([keys])}


@pytest.fixture(scope="module")
def index():
    return rtindex.build(KEYS, include=PRICE)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_unpack_in_the_order_of_the_request(index, kind):
    keys = KINDS[kind]([29, 24, 23])
    answers = index.lookup(keys, ["sum", "count"], matched=True)
    total, count, matched = answers
    assert total is answers.sum is answers["sum"] is answers[0]
    assert count is answers.count is answers[1] and matched is answers[-1] and len(answers) == 3
    assert answers[:2] == (total, count) and [*answers.keys()] == ["sum", "count", "matched"]
    assert dict(answers)["count"] is count
    count, total = index.lookup(keys, ["count", "sum"])
    assert listed(count) == [2, 0, 1] and listed(total)[::2] == [628, 899]
    with pytest.raises(rtindex.Error, match="did not return 'min'"):
        answers["min"]
    with pytest.raises(IndexError):
        answers[3]


def test_one_lookup_unpacks_to_python_objects(index):
    total, count = index.lookup(29, ["sum", "count"])
    assert (total, count) == (628, 2) and type(count) is int
    assert (*index.lookup(24, ["sum", "count", "any"]),) == (None, 0, None)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_become_tables(index, kind):
    answers = index.lookup(KINDS[kind]([29, 24, 23]), ["count", "sum", "rows"], matched=True, miss=0)
    names = ["count", "sum", "rows", "matched"]
    frame = answers.to_pandas()
    assert [*frame.columns] == names and frame["sum"].tolist() == [628, 0, 899]
    assert frame["rows"].tolist() == [[2, 4], [], [3]] and frame["matched"].tolist() == [True, False, True]
    assert frame.index.tolist() == (["a", "b", "c"] if kind == "pandas" else [0, 1, 2])
    for table in (answers.to_arrow(), answers.to_polars().to_arrow()):
        assert table.column_names == names and table["count"].to_pylist() == [2, 0, 1]
        assert table["rows"].to_pylist() == [[2, 4], [], [3]]
    text = answers._repr_html_()
    assert "<th>sum</th>" in text and "<td>628</td>" in text and text.count("<tr>") == 4


def test_tables_of_neighbours_and_times():
    times = np.array(["2024-02-29", "2024-03-01"], "M8[D]")
    index = rtindex.build((["a", "b"], times), include=times)
    answers = index.nearest((["a", "b"], times), ["key", "max"])
    assert answers.to_pandas()["max"].tolist() == [pd.Timestamp(day) for day in times]
    assert answers.to_arrow()["key"].to_pylist()[0]["0"] == "a"
    assert answers.to_pandas()["key"].tolist()[1][0] == "b"
    one = index.nearest(("a", times[0]), ["key", "max"]).to_pandas()
    assert len(one) == 1 and "2024" in index.nearest(("a", times[0]), ["key", "max"])._repr_html_()


def test_rows_take_slices(index):
    rows = index.lookup([29, 24, 23, 25, 29], "rows", order="key")
    lists = rows.to_pylist()
    for part in (slice(1, 3), slice(None), slice(2, 1), slice(-2, None), slice(None, None, 2),
                 slice(None, None, -1), slice(7, 9), slice(0, 0)):
        found = rows[part]
        assert isinstance(found, rtindex.Rows) and found.to_pylist() == lists[part]
        assert found.to_arrow().to_pylist() == lists[part]


def test_differences_of_counts_do_not_wrap(index):
    for keys in (np.array([24, 29]), [24, 29], pd.Series([24, 29])):
        count = index.lookup(keys, "count")
        assert count.dtype == np.int64 and np.diff(count).tolist() == [2]
        assert (count - 5).tolist() == [-5, -3]
    assert index.lookup(pl.Series([24]), "count").dtype == pl.UInt32
    assert index.lookup(pa.array([24]), "count").type == pa.uint32()
    out = np.empty(2, np.int64)
    assert index.lookup([24, 29], "count", out=out) is out and out.tolist() == [0, 2]
    with pytest.raises(rtindex.Error, match="2 int64"):
        index.lookup([24, 29], "count", out=np.empty(2, np.uint32))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", ["any", "first", "last"])
def test_rows_of_misses(index, kind, answer):
    found = index.lookup(KINDS[kind]([23, 24, 25]), answer, miss=-1)
    assert "int64" in str(getattr(found, "dtype", getattr(found, "type", ""))).lower()
    assert listed(found) == [3, -1, 1]
    assert listed(index.nearest(KINDS[kind]([23, 20, 25]), answer, miss=-7)) == [3, -7, 1]
    assert index.lookup(24, answer, miss=-1) == -1 and index.lookup(23, answer, miss=-1) == 3
    row, total = index.lookup(KINDS[kind]([23, 24, 25]), [answer, "sum"], miss=-1)
    assert listed(row) == [3, -1, 1] and listed(total) == [899, -1, 149]
    out = np.empty(2, np.int64)
    assert index.lookup([23, 24], answer, miss=-1, out=out).tolist() == [3, -1] == out.tolist()


def test_a_miss_that_cannot_apply_is_an_error(index):
    for answer in ("count", "rows", "bitmap", ["count", "rows"]):
        with pytest.raises(rtindex.InvalidArgumentError, match="invalid miss=0: .*omit it"):
            index.lookup([24], answer, miss=0)
    for miss in (1.5, "x", 2**70):
        with pytest.raises(rtindex.InvalidArgumentError, match="invalid miss="):
            index.lookup([24], miss=miss)
    with pytest.raises(rtindex.Error, match="invalid miss="):
        index.lookup([24], "sum", miss="x")
    assert index.lookup([24], ["sum", "count"], miss=0).sum.tolist() == [0]


def test_tables_have_nulls_for_misses():
    answers = rtindex.build([7, 8]).lookup(np.array([8, 9]), ["any", "first", "last", "count"])
    assert answers.any.tolist() == [1, rtindex.MISS]
    frame = answers.to_pandas()
    assert frame["any"].dtype == "UInt32" and frame.isna().sum().to_dict() == {"any": 1, "first": 1, "last": 1, "count": 0}
    assert answers.to_polars().rows() == [(1, 1, 1, 1), (None, None, None, 0)]
    assert answers.to_arrow().column("first").to_pylist() == [1, None]
    signed = rtindex.build([7, 8]).lookup(np.array([8, 9]), ["any", "count"], miss=-1)
    assert signed.to_pandas()["any"].tolist() == [1, -1]


NULLABLE = {**KINDS, "pandas times": lambda keys: pd.Series(keys, dtype="Int64"), "array": np.array}


@pytest.mark.parametrize("kind", NULLABLE)
def test_tables_show_misses_as_nothing(index, kind):
    answers = index.lookup(NULLABLE[kind]([29, 24, 23]), ["any", "sum", "mean", "count"], matched=True)
    cells = answers._repr_html_().partition("<tbody>")[2].replace("</td>", "").split("<td>")
    assert cells[6:10] == ["", "", "", "0"] and cells[2] == "628"
    for table in (answers.to_polars(), answers.to_arrow()):
        assert listed(table["sum"]) == [628, None, 899] and listed(table["mean"]) == [314.0, None, 899.0]
    frame = answers.to_pandas()
    assert [*frame.isna().sum()] == [1, 1, 1, 0, 0] and frame["sum"].dropna().tolist() == [628, 899]
    one = index.lookup(24, ["any", "sum", "count"])._repr_html_()
    assert one.endswith("<tr><td></td><td></td><td>0</td></tr></tbody></table>")


def test_tables_show_nulls_of_every_type_as_nothing():
    columns: dict[str, list[Any]] = {"float": [1.5], "str": ["NaT"], "time": [datetime.datetime(2024, 2, 29)], "bool": [True],
               "decimal": [decimal.Decimal("1.5")]}
    for column in columns.values():
        index = rtindex.build(column, include=[7])
        for make in (list, np.array, pd.Series, pl.Series):
            keys = make([column[0]] * 2)
            answers = index.nearest(keys, ["key", "max"], exact=False)
            assert answers._repr_html_().count("<td></td>") == 4
            assert listed(answers.to_polars()["key"]) == [None, None] == listed(answers.to_arrow()["max"])
            assert index.nearest(keys, ["key", "max"])._repr_html_().count("<td></td>") == 0
    # The least int64 is a value as well as the miss of NumPy's arrays.
    least = rtindex.build([1]).lookup(np.array([1, 2]), ["max", "bitmap"], np.array([-(2**63)]))
    assert least.to_arrow()["max"].to_pylist() == [-(2**63), None]
    pair = rtindex.build([("a", 1)]).nearest([("a", 1), ("b", 1)], ["key", "count"])
    assert "<td>a, 1</td>" in pair._repr_html_() and "<td></td><td>0</td>" in pair._repr_html_()
    assert rtindex.build([1]).lookup(np.array([2]), ["max", "count"], [5], miss=-1).to_pandas()["max"].tolist() == [-1]


@pytest.mark.parametrize("names", [["count", "count"], ["any", "bitmap", "bitmap"], ("rows", "rows")])
def test_answers_that_are_requested_twice(names):
    with pytest.raises(rtindex.InvalidArgumentError, match=f"answer '{names[-1]}' is requested twice"):
        rtindex.build([5, 6]).lookup([5], names)
