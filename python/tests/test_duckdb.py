"""Indexes as functions of SQL."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import rtindex
import rtindex.duckdb


@pytest.fixture
def connection():
    with duckdb.connect() as connection:
        yield connection


def rows(connection, sql):
    return connection.execute(sql).fetchall()


def test_points_agree_with_a_join(connection, seeded):
    keys = pa.table({"key": [seeded.randrange(20_000) for _ in range(10_000)]})
    keyed = pa.table({"key": seeded.sample(range(20_000), 5000)})
    connection.register("probe", keys)
    connection.execute("CREATE TABLE indexed AS SELECT key FROM keyed")
    rtindex.duckdb.register(connection, "row_of", rtindex.build(keyed["key"]))
    joined = rows(connection, """SELECT probe.key, indexed.rowid FROM probe LEFT JOIN indexed
                                 ON probe.key = indexed.key ORDER BY ALL""")
    found = rows(connection, "SELECT key, row_of(key) FROM probe ORDER BY ALL")
    assert found == joined
    assert any(row is None for _, row in found) and any(row is not None for _, row in found)


def test_ranges_agree_with_a_filter(connection, seeded):
    values = pa.table({"value": [seeded.random() for _ in range(3000)]})
    ranges = pa.table({"low": [seeded.random() for _ in range(200)]})
    connection.register("measured", values)
    connection.register("ranges", ranges)
    index = rtindex.build(values["value"])
    rtindex.duckdb.register(connection, "between_count", index, "count", query="range")
    wrong = rows(connection, """
        SELECT low FROM ranges
        WHERE between_count(low, low + 0.1)
           <> (SELECT count(*) FROM measured WHERE value BETWEEN low AND low + 0.1)""")
    assert wrong == []
    assert rows(connection, "SELECT between_count(0, 1)") == [(3000,)]


def test_every_answer(connection):
    index = rtindex.build([7, 8, 7], include=np.array([1, 2, 3], np.uint8))
    for answer in ("first", "count", "rows", "sum"):
        rtindex.duckdb.register(connection, f"my_{answer}", index, answer)
    rtindex.duckdb.register(connection, "my_max", index, "max", np.array([0.5, 1.5, 2.5]))
    found = rows(connection, """SELECT my_first(k), my_count(k), list_sort(my_rows(k)), my_sum(k),
                                my_max(k) FROM (VALUES (7), (9), (NULL)) keys(k)""")
    assert found == [(0, 2, [0, 2], 4, 2.5), (None, 0, [], None, None),
                     (None, 0, [], None, None)]
    assert rows(connection, "SELECT unnest(my_rows(8))") == [(1,)]


@pytest.mark.parametrize(("column", "literal"), [
    (pa.array(["b", "a"]), "'a'"),
    (pa.array([0, 86_400_000_000], pa.timestamp("us")), "TIMESTAMP '1970-01-02'"),
    (np.array([0, 1], "M8[ns]"), "'1970-01-01 00:00:00.000000001'::TIMESTAMP_NS"),
    (pa.array([0, 1], pa.date32()), "DATE '1970-01-02'"),
    (np.array([0, 1], "M8[D]"), "DATE '1970-01-02'"),
    (np.array([0, 2**64 - 1], np.uint64), "18446744073709551615"),
    (np.array([1.5, -1.5], np.float32), "-1.5"),
    (np.array([1, -1], np.int8), "-1"),
    (np.array([True, False]), "false"),
])
def test_every_type(connection, column, literal):
    rtindex.duckdb.register(connection, "row_of", rtindex.build(column))
    assert rows(connection, f"SELECT row_of({literal})") == [(1,)]


@pytest.mark.parametrize(("values", "types", "wanted"), [
    (np.array([3, 5, 4], "M8[D]"), ["DATE"], "DATE '1970-01-06'"),
    (pa.array([3, 5, 4], pa.date32()), ["DATE"], "DATE '1970-01-06'"),
    (np.array([3, 5, 4], "M8[h]"), ["TIMESTAMP_S"], "TIMESTAMP '1970-01-01 05:00:00'"),
    (np.array([3, 5, 4], "M8[s]"), ["TIMESTAMP_S"], "TIMESTAMP '1970-01-01 00:00:05'"),
    (np.array([3, 5, 4], "M8[ms]"), ["TIMESTAMP_MS"], "TIMESTAMP '1970-01-01 00:00:00.005'"),
    (np.array([3, 5, 4], "M8[us]"), ["TIMESTAMP"], "TIMESTAMP '1970-01-01 00:00:00.000005'"),
    (np.array([3, 5, 4], "M8[ns]"), ["TIMESTAMP_NS"],
     "'1970-01-01 00:00:00.000000005'::TIMESTAMP_NS"),
    (pa.array([3, 5, 4], pa.timestamp("us", "Europe/Berlin")), ["TIMESTAMP WITH TIME ZONE"],
     "make_timestamptz(5)"),
    (pa.array([3, 5, 4], pa.timestamp("s", "+01:00")), ["TIMESTAMP WITH TIME ZONE"],
     "make_timestamptz(5000000)"),
    # Before DuckDB had a type for it, it read microseconds.
    (pa.array([3000, 5000, 4000], pa.timestamp("ns", "UTC")),
     ["TIMESTAMPTZ_NS", "TIMESTAMP WITH TIME ZONE"], "make_timestamptz(5)"),
    (np.array([3, 5, 4], "M8[ps]"), ["BIGINT"], "5"),
])
def test_smallest_and_largest_times(connection, values, types, wanted):
    index = rtindex.build([7, 7, 1], "sorted", include=values)
    rtindex.duckdb.register(connection, "given", index, "max", values)
    rtindex.duckdb.register(connection, "included", index, "max")
    rtindex.duckdb.register(connection, "within", index, "max", query="range")
    rtindex.duckdb.register(connection, "smallest", index, "min")
    rtindex.duckdb.register(connection, "total", index, "sum")
    for call in ("given(k)", "included(k)", "within(k, k + 1)"):
        found = rows(connection, f"""SELECT typeof({call}), {call} = {wanted}
                                     FROM (VALUES (7), (9), (NULL)) keys(k)""")
        assert found[0][0] in types
        assert [is_wanted for _, is_wanted in found] == [True, None, None]
    assert rows(connection, "SELECT smallest(7) < included(7), typeof(total(7))") == [
        (True, "BIGINT")]


def test_neighbours_agree_with_an_asof_join(connection, seeded):
    quotes = pa.table({"time": [seeded.randrange(4000) for _ in range(900)],
                       "item": [seeded.choice("abc") for _ in range(900)]})
    trades = pa.table({"time": [seeded.randrange(4100) for _ in range(500)],
                       "item": [seeded.choice("abcd") for _ in range(500)]})
    connection.register("trades", trades)
    connection.register("quotes", quotes)
    index = rtindex.build(quotes["time"])
    register = rtindex.duckdb.register
    register(connection, "before", index, "key", query="nearest")
    register(connection, "after", index, "key", query="nearest", direction="forward", exact=False)
    register(connection, "close_rows", index, "count", query="nearest", direction="nearest",
             tolerance=1)
    register(connection, "of_item", rtindex.build((quotes["item"], quotes["time"])),
             query="nearest")
    wrong = rows(connection, """
        SELECT trades.time FROM trades ASOF LEFT JOIN quotes ON trades.time >= quotes.time
        WHERE before(trades.time) IS DISTINCT FROM quotes.time""")
    assert wrong == []
    wrong = rows(connection, """
        SELECT trades.time FROM trades ASOF LEFT JOIN quotes ON trades.time < quotes.time
        WHERE after(trades.time) IS DISTINCT FROM quotes.time""")
    assert wrong == []
    wrong = rows(connection, """
        SELECT time FROM trades WHERE (close_rows(time) > 0)
          <> EXISTS (SELECT * FROM quotes WHERE abs(quotes.time - trades.time) <= 1)""")
    assert wrong == []
    connection.execute("CREATE TABLE stored AS SELECT * FROM quotes")
    wrong = rows(connection, """
        SELECT joined.item FROM
          (SELECT trades.item, trades.time, quotes.time AS found FROM trades ASOF LEFT JOIN quotes
           ON trades.item = quotes.item AND trades.time >= quotes.time) joined
        LEFT JOIN stored ON stored.rowid = of_item(joined.item, joined.time)
        WHERE stored.time IS DISTINCT FROM joined.found""")
    assert wrong == []


def test_ends_of_ranges(connection):
    index = rtindex.build([1, 2, 3])
    for name, ends in (("closed", "[]"), ("half", "[)"), ("nothing", "()")):
        rtindex.duckdb.register(connection, name, index, "count", query="range", ends=ends)
    assert rows(connection, "SELECT closed(1, 3), half(1, 3), nothing(1, 3)") == [(3, 2, 1)]


@pytest.mark.parametrize(("column", "literal", "name"), [
    (pa.array(["b", "a"]), "'bb'", "VARCHAR"),
    (pa.array([0, 1], pa.date32()), "DATE '1970-01-05'", "DATE"),
    (np.array([0, 1], "M8[ns]"), "'1970-01-02'::TIMESTAMP_NS", "TIMESTAMP_NS"),
    (np.array([1, 2], np.int8), "5", "TINYINT"), (np.array([1, 2], np.float32), "5", "FLOAT"),
    (np.array([1, 2], np.uint64), "5", "UBIGINT"), (np.array([True, False]), "true", "BOOLEAN")])
def test_keys_of_every_type(connection, column, literal, name):
    rtindex.duckdb.register(connection, "key_before", rtindex.build(column), "key", query="nearest")
    assert rows(connection, f"SELECT typeof(key_before({literal}))") == [(name,)]
    assert rows(connection, f"SELECT key_before({literal}) <= {literal}") == [(True,)]


def test_prefixes(connection):
    index = rtindex.build(["Ulm", "Bonn", "Ulm an der Donau"])
    rtindex.duckdb.register(connection, "starting", index, "count", query="prefix")
    assert rows(connection, "SELECT starting('Ulm'), starting('x')") == [(2, 0)]


def test_composite_keys(connection):
    index = rtindex.build((["a", "b", "b"], np.array([1, 2, 5])))
    rtindex.duckdb.register(connection, "row_of", index)
    rtindex.duckdb.register(connection, "between_rows", index, "count", query="range")
    assert rows(connection, "SELECT row_of('b', 2), row_of('a', 2)") == [(1, None)]
    assert rows(connection, "SELECT between_rows('a', 2, 'b', 3)") == [(1,)]


def test_what_cannot_be_registered(connection):
    register = rtindex.duckdb.register
    with pytest.raises(rtindex.Error, match="cannot return composite keys"):
        register(connection, "f", rtindex.build((np.arange(2), np.arange(2))), "key",
                 query="nearest")
    for options, sentence in (({"tolerance": -1}, "0 or more"), ({"direction": "up"}, "direction"),
                              ({"exact": 2}, "exact")):
        with pytest.raises(rtindex.Error, match=sentence):
            register(connection, "f", rtindex.build([1]), query="nearest", **options)
    with pytest.raises(rtindex.Error, match="invalid ends"):
        register(connection, "f", rtindex.build([1]), query="range", ends="[[")
    with pytest.raises(rtindex.Error, match="value column"):
        register(connection, "f", rtindex.build([1]), "sum")
    for query in ("ranges", ["range"], "contains"):
        with pytest.raises(rtindex.Error, match="equal, range, prefix or nearest"):
            register(connection, "f", rtindex.build([1]), query=query)
    with pytest.raises(rtindex.Error, match="expected an rtindex.Index, got list"):
        register(connection, "f", [1])
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        ("nearest", {"ends": "[)"}, 'argument of query="range"'),
        ("equal", {"tolerance": 1}, 'arguments of query="nearest"'),
        ("range", {"exact": False}, 'arguments of query="nearest"')]
    for query, options, sentence in wrong:
        with pytest.raises(rtindex.Error, match=sentence):
            register(connection, "f", rtindex.build([1]), query=query, **options)
    for unit in ("M", "h", "10us"):
        with pytest.raises(rtindex.Error, match=f"DuckDB has no times in {unit}"):
            register(connection, "f", rtindex.build(np.array([1], f"M8[{unit}]")))
    with pytest.raises(rtindex.Error, match="cannot answer range"):
        register(connection, "f", rtindex.build([1], "hash"), query="range")


def test_functions_are_replaced():
    connection = duckdb.connect()
    index = rtindex.build([7, 5, 7])
    for answer, wanted in (("count", 2), ("first", 0), ("count", 2)):
        rtindex.duckdb.register(connection, "of_key", index, answer)
        assert connection.sql("SELECT of_key(7)").fetchall() == [(wanted,)]
