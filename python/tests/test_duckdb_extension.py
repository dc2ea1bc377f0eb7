"""The DuckDB extension, compared with plain SQL. RTINDEX_DUCKDB_EXTENSION names the file, which
scripts/duckdb.sh builds."""

from __future__ import annotations

import os
import pathlib
import re
import threading

import pytest

duckdb = pytest.importorskip("duckdb")
EXTENSION = os.environ.get("RTINDEX_DUCKDB_EXTENSION", "")
if not EXTENSION:
    pytest.skip("RTINDEX_DUCKDB_EXTENSION is not set: the extension was not built",
                allow_module_level=True)
ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = 5000  # more than two chunks


def connect(path=":memory:"):
    con = duckdb.connect(str(path), config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{EXTENSION}'")
    return con


@pytest.fixture
def con():
    with connect() as connection:
        yield connection


def one(con, query):
    return con.execute(query).fetchone()[0]


def check(con, ours, plain):
    """Both queries give the same rows."""
    found, expected = (con.execute(query).fetchall() for query in (ours, plain))
    assert found == expected
    assert found, "nothing was compared"


# A key of each type from the number of a row: duplicates, order unlike that of the rows, NULLs.
KEYS = {
    "BOOLEAN": "n % 2 = 0",
    "TINYINT": "(n - 60)::TINYINT",
    "SMALLINT": "(n * 7 - 300)::SMALLINT",
    "INTEGER": "(n * 100003 - 6000000)::INTEGER",
    "BIGINT": "n * 10000000000037 - 600000000000000",
    "UTINYINT": "n::UTINYINT",
    "USMALLINT": "(n * 100)::USMALLINT",
    "UINTEGER": "(n * 30000000)::UINTEGER",
    "UBIGINT": "n::UBIGINT * 100000000000000000::UBIGINT",
    "FLOAT": "((n - 60) / 7)::FLOAT",
    "DOUBLE": "CASE n WHEN 3 THEN 'nan' WHEN 4 THEN '-inf' WHEN 5 THEN '-0' ELSE (n - 60) / 7 END::DOUBLE",
    "DATE": "DATE '1969-06-01' + (n * 5)::INTEGER",
    "TIMESTAMP": "TIMESTAMP '1969-12-31 23:00:00' + n * INTERVAL 61 SECOND",
    "TIMESTAMPTZ": "TIMESTAMPTZ '1969-12-31 23:00:00+00' + n * INTERVAL 61 SECOND",
    "TIMESTAMP_S": "(TIMESTAMP '1969-12-31 23:00:00' + n * INTERVAL 61 SECOND)::TIMESTAMP_S",
    "TIMESTAMP_MS": "(TIMESTAMP '1969-12-31 23:00:00' + n * INTERVAL 61 SECOND)::TIMESTAMP_MS",
    "TIMESTAMP_NS": "(TIMESTAMP '1969-12-31 23:00:00' + n * INTERVAL 61 SECOND)::TIMESTAMP_NS",
    "TIME": "TIME '00:30:00' + n * INTERVAL 61 SECOND",
    "DECIMAL_4": "((n - 60) / 7)::DECIMAL(4,2)",
    "DECIMAL_9": "((n - 60) / 7)::DECIMAL(9,3)",
    "DECIMAL_18": "((n - 60) * 1000003 / 7)::DECIMAL(18,3)",
    "DECIMAL_38": "(n - 60)::DECIMAL(38,9) * 100000000000000000003",
    "HUGEINT": "(n - 60)::HUGEINT * 100000000000000000000003",
    "UHUGEINT": "n::UHUGEINT * 100000000000000000000003::UHUGEINT",
    "UUID": "md5(n::VARCHAR)::UUID",
    "VARCHAR": "CASE WHEN n < 9 THEN repeat('a', n) ELSE 'https://example.org/pages/' || n || 'ä' END",
    "BLOB": "encode(repeat('x', n % 40) || n)",
}


def make_tables(con, key):
    """`t` holds two of three values, each many times; `p` asks for all of them."""
    con.execute(f"""CREATE TABLE t AS SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE {key} END AS k
                    FROM (SELECT i, (hash(i) % 127)::BIGINT AS n FROM range({ROWS}) r(i)) WHERE n % 3 <> 0 OR i % 11 = 0""")
    con.execute(f"""CREATE TABLE p AS SELECT CASE WHEN i % 13 = 0 THEN NULL ELSE {key} END AS k
                    FROM (SELECT i, (hash(i + 99) % 127)::BIGINT AS n FROM range({ROWS}) r(i))""")
    return one(con, "SELECT rtindex_build('t_k', rowid, k) FROM t")


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_lookups_equal_joins(con, key):
    assert make_tables(con, key) == one(con, "SELECT count(*) FROM t")
    check(con, "SELECT rowid, rtindex_lookup('t_k', k), rtindex_count('t_k', k) FROM p ORDER BY ALL",
          "SELECT p.rowid, min(t.rowid), count(t.rowid) FROM p LEFT JOIN t ON p.k = t.k GROUP BY ALL ORDER BY ALL")
    check(con, "SELECT rowid, unnest(rtindex_rows('t_k', k)) FROM p WHERE rowid < 100 ORDER BY ALL",
          "SELECT p.rowid, t.rowid FROM p JOIN t ON p.k = t.k WHERE p.rowid < 100 ORDER BY ALL")


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS.keys())
def test_ranges_and_neighbours_equal_sql(con, key):
    make_tables(con, key)
    con.execute("CREATE TABLE r AS SELECT rowid AS id, k AS lo, lag(k, 7) OVER (ORDER BY rowid) AS hi FROM p LIMIT 100")
    for ends, lower, upper in (("[]", ">=", "<="), ("[)", ">=", "<"), ("(]", ">", "<="), ("()", ">", "<")):
        join = f"FROM r LEFT JOIN t ON t.k {lower} lo AND t.k {upper} hi GROUP BY ALL ORDER BY ALL"
        check(con, f"""SELECT id, rtindex_range_first('t_k', lo, hi, '{ends}'),
                       rtindex_range_count('t_k', lo, hi, '{ends}') FROM r ORDER BY ALL""",
              f"SELECT id, min(t.rowid), count(t.rowid) {join}")
    check(con, "SELECT id, list_sort(rtindex_range_rows('t_k', lo, hi)) FROM r ORDER BY ALL",
          """SELECT id, coalesce(list(t.rowid ORDER BY t.rowid) FILTER (t.rowid IS NOT NULL), [])
             FROM r LEFT JOIN t ON t.k BETWEEN lo AND hi GROUP BY ALL ORDER BY ALL""")
    for function, side, best in (("predecessor", "<=", "max"), ("successor", ">=", "min")):
        check(con, f"""SELECT id, rtindex_{function}('t_k', lo), rtindex_{function}_count('t_k', lo),
                       rtindex_{function}_rows('t_k', lo) FROM r ORDER BY ALL""",
              f"""WITH n AS (SELECT id, {best}(k) AS k FROM r LEFT JOIN t ON t.k {side} lo GROUP BY ALL)
                  SELECT id, min(t.rowid), count(t.rowid),
                  coalesce(list(t.rowid ORDER BY t.rowid) FILTER (t.rowid IS NOT NULL), [])
                  FROM n LEFT JOIN t ON t.k = n.k GROUP BY ALL ORDER BY ALL""")


def test_rows_of_a_range_come_in_the_order_of_keys(con):
    con.execute(f"CREATE TABLE t AS SELECT hash(i) % 700 AS k FROM range({ROWS}) r(i)")
    con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t")
    rows = one(con, "SELECT rtindex_range_rows('t_k', 100, 300)")
    keys = dict(con.execute("SELECT rowid, k FROM t").fetchall())
    found = [keys[row] for row in rows]
    assert found == sorted(found) and len(found) > 1000


def test_the_closest_of_both_sides(con):
    make_tables(con, KEYS["INTEGER"])
    check(con, "SELECT rowid, rtindex_nearest('t_k', k + 40000) FROM p WHERE k IS NOT NULL AND rowid < 500 ORDER BY ALL",
          """SELECT p.rowid, (SELECT rowid FROM t WHERE k IS NOT NULL ORDER BY abs(t.k - p.k - 40000), k, rowid LIMIT 1)
             FROM p WHERE k IS NOT NULL AND rowid < 500 ORDER BY ALL""")
    nearest = "(SELECT k FROM t WHERE k IS NOT NULL ORDER BY abs(t.k - p.k - 40000), k LIMIT 1)"
    check(con, """SELECT rowid, rtindex_nearest_count('t_k', k + 40000), rtindex_nearest_rows('t_k', k + 40000)
                  FROM p WHERE k IS NOT NULL AND rowid < 200 ORDER BY ALL""",
          f"""SELECT n.rowid, count(t.rowid), list(t.rowid ORDER BY t.rowid)
              FROM (SELECT rowid, {nearest} AS k FROM p WHERE k IS NOT NULL AND rowid < 200) n JOIN t USING (k)
              GROUP BY ALL ORDER BY ALL""")


def test_texts_have_no_distance(con):
    con.execute("SELECT rtindex_build('s', i, 'k' || i) FROM range(9) r(i)")
    for function in "rtindex_nearest", "rtindex_nearest_count":
        with pytest.raises(duckdb.Error, match="VARCHAR keys have no distance: use rtindex_predecessor"):
            con.execute(f"SELECT {function}('s', 'k5x')").fetchall()
    assert con.execute("SELECT rtindex_predecessor('s', 'k5x'), rtindex_successor_rows('s', 'k5x')").fetchone() == (5, [6])


def test_prefixes(con):
    make_tables(con, KEYS["VARCHAR"])
    check(con, "SELECT rowid, rtindex_prefix_count('t_k', left(k, 27)) FROM p WHERE rowid < 100 ORDER BY ALL",
          """SELECT p.rowid, count(t.k) FROM p LEFT JOIN t ON starts_with(t.k, left(p.k, 27)) WHERE p.rowid < 100
             GROUP BY ALL ORDER BY ALL""")
    check(con, "SELECT list_sort(rtindex_prefix_rows('t_k', 'https://example.org/pages/1'))",
          "SELECT list(rowid ORDER BY rowid) FROM t WHERE starts_with(k, 'https://example.org/pages/1')")


def test_composite_keys(con):
    con.execute(f"CREATE TABLE t AS SELECT 'c' || hash(i) % 9 AS city, DATE '2024-01-01' + (hash(i + 1) % 30)::INT AS day"
                f" FROM range({ROWS}) r(i)")
    con.execute("UPDATE t SET day = NULL WHERE rowid % 10 = 0")
    con.execute("SELECT rtindex_build('t_k', rowid, city, day) FROM t")
    check(con, "SELECT rowid, rtindex_count('t_k', city, day) FROM t ORDER BY ALL",
          "SELECT a.rowid, count(b.rowid) FROM t a LEFT JOIN t b USING (city, day) GROUP BY ALL ORDER BY ALL")
    check(con, "SELECT rtindex_range_count('t_k', 'c3', DATE '2024-01-05', 'c3', DATE '2024-01-09', '[)')",
          "SELECT count(*) FROM t WHERE city = 'c3' AND day >= DATE '2024-01-05' AND day < DATE '2024-01-09'")
    check(con, "SELECT rtindex_count('t_k', 'c3')",
          "SELECT count(*) FROM t WHERE city = 'c3' AND day IS NOT NULL")
    # The neighbour in the last part, as in an ASOF join.
    check(con, "SELECT rtindex_predecessor('t_k', 'c4', DATE '2024-02-20')",
          "SELECT min(rowid) FROM t WHERE city = 'c4' AND day = (SELECT max(day) FROM t WHERE city = 'c4')")
    assert one(con, "SELECT key_type FROM rtindex_indexes()") == "(VARCHAR, DATE)"


def test_at_most_eight_parts(con):
    eight = ", ".join(["i"] * 8)
    con.execute(f"SELECT rtindex_build('e', i, {eight}) FROM range(9) r(i)")
    check(con, f"SELECT i, rtindex_lookup('e', {eight}) FROM range(9) r(i) ORDER BY i", "SELECT i, i FROM range(9) r(i)")
    assert one(con, "SELECT rtindex_range_count('e', 2, 2, 5, 5, '(]')") == 3  # the first two parts of each end
    with pytest.raises(duckdb.Error, match="rtindex_build"):
        con.execute(f"SELECT rtindex_build('n', i, {eight}, i) FROM range(9) r(i)")


def test_numbers_compare_as_in_sql(con):
    con.execute("CREATE TABLE t AS SELECT i / 4 AS d, (i / 4)::FLOAT AS f, i AS n FROM range(100) r(i)")
    con.execute("SELECT rtindex_build('d', rowid, d), rtindex_build('f', rowid, f), rtindex_build('n', rowid, n) FROM t")
    for index in "df":
        found = con.execute(f"SELECT rtindex_lookup('{index}', 2), rtindex_lookup('{index}', 2.25), "
                            f"rtindex_lookup('{index}', 2.26), rtindex_range_count('{index}', 0.3, 1)").fetchone()
        assert found == (8, 9, None, 3)
    wide = "SELECT rtindex_lookup('n', 7::UTINYINT), rtindex_lookup('n', -7), rtindex_lookup('n', 2::UBIGINT ** 3)"
    assert con.execute(wide).fetchone() == (7, None, 8)
    assert con.execute("SELECT rtindex_lookup('n', 7::UTINYINT), rtindex_lookup('n', -7)").fetchone() == (7, None)


def test_ids_are_those_that_were_given(con):
    con.execute(f"CREATE TABLE t AS SELECT hash(i) % 100 AS k, i * 1000003 - 70000000 AS id FROM range({ROWS}) r(i)")
    for ids in ("id", "-rowid", "rowid % 7", "rowid + 9000000000"):
        con.execute(f"SELECT rtindex_build('t_k', {ids}, k) FROM t")
        check(con, "SELECT k, rtindex_lookup('t_k', k), rtindex_rows('t_k', k) FROM t GROUP BY k ORDER BY k",
              f"SELECT k, min({ids}), list({ids} ORDER BY {ids}) FROM t GROUP BY k ORDER BY k")
    con.execute("DELETE FROM t WHERE k < 50")
    con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t")
    check(con, "SELECT k, rtindex_rows('t_k', k) FROM range(100) r(k) ORDER BY k",
          "SELECT r.k, coalesce(list(t.rowid ORDER BY t.rowid) FILTER (t.k IS NOT NULL), []) FROM range(100) r(k)"
          " LEFT JOIN t USING (k) GROUP BY ALL ORDER BY r.k")


@pytest.mark.parametrize("spec", ["rx@cpu", "btree@cpu", "sorted@cpu", "hash@cpu"])
def test_specs(con, spec):
    make_tables(con, KEYS["BIGINT"])
    con.execute(f"SELECT rtindex_build_as('named', '{spec}', rowid, k) FROM t")
    assert one(con, "SELECT spec FROM rtindex_indexes() WHERE name = 'named'").startswith(spec.partition("@")[0])
    check(con, "SELECT rtindex_lookup('named', k), rtindex_count('named', k) FROM p",
          "SELECT rtindex_lookup('t_k', k), rtindex_count('t_k', k) FROM p")


def test_one_index_for_each_group(con):
    con.execute("CREATE TABLE t AS SELECT i % 3 AS g, i // 3 AS k FROM range(9000) r(i)")
    rows = con.execute("SELECT g, rtindex_build('g' || g, rowid, k) FROM t GROUP BY g ORDER BY g").fetchall()
    assert rows == [(0, 3000), (1, 3000), (2, 3000)]
    assert con.execute("SELECT rtindex_lookup('g0', 7), rtindex_lookup('g2', 7)").fetchone() == (21, 23)


def test_parquet_files(con, tmp_path):
    con.execute(f"COPY (SELECT (i * 37) % 1000 AS k FROM range(1000) r(i)) TO '{tmp_path}/t.parquet'")
    con.execute(f"SELECT rtindex_build('t_k', file_row_number, k) "
                f"FROM read_parquet('{tmp_path}/t.parquet', file_row_number := true)")
    check(con, f"SELECT k, rtindex_lookup('t_k', k) FROM '{tmp_path}/t.parquet' ORDER BY k",
          f"SELECT k, file_row_number FROM read_parquet('{tmp_path}/t.parquet', file_row_number := true) ORDER BY k")


def test_empty_tables(con):
    con.execute("CREATE TABLE t (k BIGINT)")
    with pytest.raises(duckdb.Error, match="there are no rows, and without rows DuckDB passes no name"):
        con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t")
    with pytest.raises(duckdb.Error, match="there is no index 't_k' in this database, nor any other"):
        con.execute("SELECT rtindex_lookup('t_k', 1)")
    con.execute("SELECT rtindex_build('t_k', i, i) FROM range(3) r(i)")
    con.execute("SELECT rtindex_build('t_k', id, k) FROM (SELECT rowid AS id, k FROM t UNION ALL SELECT -1, NULL)")
    assert one(con, "SELECT rtindex_count('t_k', 1)") == 0  # the old index is replaced
    con.execute("SELECT rtindex_build('t_k', i, i) FROM range(3) r(i)")
    with pytest.raises(duckdb.Error, match=r"no index was built or replaced; .* rtindex_clear\(name\)"):
        con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t WHERE false")
    assert one(con, "SELECT rtindex_count('t_k', 1)") == 1
    with pytest.raises(duckdb.Error, match=r"rtindex_clear\(name\)$"):
        con.execute("SELECT rtindex_build_points('t_k', rowid, k, k) FROM t")
    assert con.execute("CALL rtindex_clear('t_k')").fetchall() == [("t_k",)]
    assert one(con, "SELECT rtindex_count('t_k', 1)") == 0
    con.execute("INSERT INTO t VALUES (NULL)")
    assert one(con, "SELECT rtindex_build('t_k', rowid, k) FROM t") == 1
    assert con.execute("SELECT rtindex_lookup('t_k', 1), rtindex_count('t_k', 1), rtindex_rows('t_k', 1)"
                       ).fetchone() == (None, 0, [])
    assert con.execute("SELECT rtindex_lookup('t_k', k) FROM t WHERE k = 7").fetchall() == []


def test_cleared_indexes_keep_their_keys(con):
    con.execute("""SELECT rtindex_build('text', i, 'k' || i), rtindex_build('two', i, i, DATE '2024-01-01'),
                   rtindex_build_as('tree', 'btree@cpu', i, i::DECIMAL(9, 2)),
                   rtindex_build_intervals('spans', '[)', i, i % 2, i, i + 1),
                   rtindex_build_points('points', i, i, i::DOUBLE) FROM range(9) r(i)""")
    listed = "SELECT name, key_type, spec FROM rtindex_indexes() ORDER BY name"
    before = con.execute(listed).fetchall()
    counts = """SELECT rtindex_count('text', 'k3'), rtindex_count('two', 3, DATE '2024-01-01'),
                rtindex_count('tree', 3.0), rtindex_contains_count('spans', 1, 3),
                rtindex_filter_count('points', 3, 3, NULL, NULL)"""
    assert con.execute(counts).fetchone() == (1,) * 5
    for name in ("text", "two", "tree", "spans", "points"):
        con.execute("CALL rtindex_clear(?)", [name])
    assert con.execute(counts).fetchone() == (0,) * 5
    assert con.execute(listed).fetchall() == before
    assert one(con, "SELECT sum(rows) FROM rtindex_indexes()") == 0


def test_null_literals(con):
    con.execute("SELECT rtindex_build('t_k', i, i), rtindex_build('two', i, i, i) FROM range(10) r(i)")
    assert con.execute("""SELECT rtindex_lookup('t_k', NULL), rtindex_count('t_k', NULL), rtindex_rows('t_k', NULL),
                          rtindex_range_count('t_k', 1, NULL), rtindex_count('two', 1, NULL)""").fetchone() == (
        None, 0, [], 0, 0)


ERRORS = {
    "SELECT rtindex_lookup('other', 1)":
        "there is no index 'other' in this database; there are 't_2', 't_d', 't_i', 't_k'",
    "SELECT rtindex_lookup(NULL, 1)": "the name of the index is NULL",
    "SELECT rtindex_lookup('t' || i, 1) FROM range(2) r(i)": "the name of the index differs between rows",
    "SELECT rtindex_lookup('t_k')": "pass one key, not 0",
    "SELECT rtindex_lookup('t_k', 1, 2)": "pass one key, not 2",
    "SELECT rtindex_lookup('t_k', 'one')": "the index has keys of type BIGINT, the lookup is a VARCHAR: cast it",
    "SELECT rtindex_nearest('t_k', 1.5)":
        r"a DECIMAL\(2,1\) that is no BIGINT has no exact distance from the keys: build .* over DECIMAL or DOUBLE keys",
    "SELECT rtindex_range_count('t_2', 1.5, 1, 2, 2)":
        r"a DECIMAL\(2,1\) that is no BIGINT can only be the last part of a range: build",
    "SELECT rtindex_lookup('t_k', [1])": "LIST cannot be a key: pass its elements",
    "SELECT rtindex_lookup('t_k', 1, ['a'])": "the last argument is a list of VARCHAR: expected the ids that may match",
    "SELECT rtindex_lookup('t_k', {'a': 1})": "STRUCT cannot be a key: pass its fields",
    "SELECT rtindex_lookup('t_k', INTERVAL 1 DAY)": "INTERVAL cannot be a key: pass epoch_us",
    "SELECT rtindex_lookup('t_k', DATE '2024-01-01')":
        "the lookup is a DATE: pass BIGINT values, or build the index over DATE keys",
    "SELECT rtindex_lookup('t_k', uuid())": "the lookup is a UUID: pass BIGINT values",
    "SELECT rtindex_lookup('t_d', 5)":
        "keys of type DATE, the lookup is an INTEGER: pass DATE values, or build the index over INTEGER keys",
    "SELECT rtindex_lookup('t_d', TIME '12:00:00')": "the lookup is a TIME: pass DATE values",
    "SELECT rtindex_lookup('t_d', TIMESTAMPTZ '2024-01-01 00:00:00+00')": "TIMESTAMP WITH TIME ZONE: cast it to DATE",
    "SELECT rtindex_nearest('t_d', TIMESTAMP '2024-02-01 18:00:00')":
        "a TIMESTAMP that is no DATE has no exact distance from the keys: build the index over TIMESTAMP keys",
    "SELECT rtindex_build('x', i, MAP {1: i}) FROM range(2) r(i)": "MAP cannot be a key: pass its keys",
    "SELECT rtindex_build('x', i, union_value(a := i)) FROM range(2) r(i)":
        "UNION cannot be a key: pass one of its members",
    "SELECT rtindex_build('x', i, NULL) FROM range(2) r(i)": "a NULL without a type cannot be a key: cast it",
    "SELECT rtindex_build('x', i, i::BIGNUM) FROM range(2) r(i)": "BIGNUM cannot be a key: cast it to HUGEINT",
    "SELECT rtindex_prefix_rows('t_k', 1)":
        "the index 't_k' has keys of type BIGINT: prefixes need keys that are one VARCHAR",
    "SELECT rtindex_prefix_rows('t_2', 'a')":
        r"has keys of type \(BIGINT, BIGINT\): prefixes need keys that are one VARCHAR",
    "SELECT rtindex_predecessor('t_2', 1)": r"has keys of type \(BIGINT, BIGINT\): pass all 2 parts, not 1",
    "SELECT rtindex_contains_rows('t_i', 1)": r"has keys of type \(BIGINT, BIGINT\): pass all 2 parts, not 1",
    "SELECT rtindex_rows('t_k', rtindex_is_null())": r"rtindex_is_null\(\) is a condition of rtindex_filter_",
    "SELECT rtindex_rows('t_k', 1, [1]::BIGINT[1])":
        r"argument 3 is an ARRAY, which has a fixed size: cast it to a LIST",
    "SELECT rtindex_filter_count('t_p', [1]::BIGINT[1], 1, 2)":
        r"argument 2 is an ARRAY, which has a fixed size: cast it to a LIST",
    "SELECT rtindex_contains_rows('t_k', 1)": "the index 't_k' holds keys: build one with rtindex_build_intervals",
    "SELECT rtindex_range_count('t_k', 1)": "needs the lower and the upper keys of ranges",
    "SELECT rtindex_range_count('t_k', 1, 2, 'closed')": r"\[\)",
    "SELECT rtindex_build('x', NULL::BIGINT, i) FROM range(2) r(i)": "the id of a row is NULL",
    "SELECT rtindex_build(NULL, i, i) FROM range(2) r(i)": "the name of the index is NULL",
    "SELECT rtindex_build('x' || i, i, i) FROM range(2) r(i)": "the name of the index differs between rows",
    "SELECT rtindex_filter_count('t_k', 1, 2)": "the index 't_k' holds keys: build one with rtindex_build_points",
    "SELECT rtindex_filter_count('t_p', 1, 2)": "needs for each of the 2 columns a lower and an upper end",
    "SELECT rtindex_filter_count('t_p', [1])": "needs for each of the 2 columns a lower and an upper end",
    "SELECT rtindex_filter_count('t_p', ['a'], 1, 2)": "the lookup is a VARCHAR: cast it to BIGINT",
    "SELECT rtindex_filter_count('t_p', [1], 1, 2, '[),[]')": r"got the ends '\[\)' for column 1, whose condition is no range",
    "SELECT rtindex_filter_count('t_p', {'is_null': false}, 1, 2)": r"rtindex_is_null\(\) is NULL or false: pass it in all rows",
    "SELECT rtindex_filter_count('t_p', {'a': 1}, 1, 2, 3)": "STRUCT cannot be a key",
    "SELECT rtindex_filter_count('t_p', 1, 2, 3, 3, '[)')":
        r"got the ends '\[\)' for 2 columns: pass those of each column, such as '\[\),\[\]'",
    "SELECT rtindex_filter_count('t_p', 1, 2, 3, 3, '[),[],[]')": "for 2 columns: pass those of each column",
    "SELECT rtindex_filter_count('t_p', 1, 2, 3, 3, '[),[')": r"\[\)",
    "SELECT rtindex_filter_count('t_p', 1, 2, 'a', 'b')": "the lookup is a VARCHAR: cast it to BIGINT",
    "SELECT rtindex_count('t_p', 1)": "the index 't_p' holds points: use the functions rtindex_filter_first",
    "SELECT rtindex_build_points('x', i, i) FROM range(2) r(i)": "No function matches",
    "SELECT rtindex_build_intervals('x', '[[', i, i, i) FROM range(2) r(i)": r"\[\[",
    "SELECT rtindex_build_intervals('x', '[)', i, i, i::DOUBLE) FROM range(2) r(i)":
        "start with BIGINT and end with DOUBLE: cast both to DOUBLE",
    "SELECT rtindex_build_intervals('x', '[)', i, i, DATE '2024-01-01') FROM range(2) r(i)":
        "start with BIGINT and end with DATE: pass two values of one type",
    "SELECT rtindex_build_intervals('x', '[)', i, i::HUGEINT, i::UHUGEINT) FROM range(2) r(i)":
        "start with HUGEINT and end with UHUGEINT: cast both to HUGEINT",
    "SELECT rtindex_build_intervals('x', '[)', i, i + 1, i) FROM range(2) r(i)": "row",
    "SELECT rtindex_build_as('x', 'tree', i, i) FROM range(2) r(i)": "tree",
    "SELECT rtindex_build_as('x', 'hash@cpu', i, i), rtindex_range_count('t_k', 1, 2) FROM range(2) r(i)": None,
    "FROM rtindex_drop('other')": "there is no index 'other'",
    "FROM rtindex_drop(NULL)": "the name of the index is NULL",
    "FROM rtindex_clear('other')": "there is no index 'other'",
}


@pytest.mark.parametrize("query", ERRORS)
def test_errors_say_what_to_do(con, query):
    con.execute("""SELECT rtindex_build('t_k', i, i), rtindex_build_points('t_p', i, i, i),
                   rtindex_build('t_2', i, i, i), rtindex_build('t_d', i, DATE '2024-01-01' + i::INTEGER),
                   rtindex_build_intervals('t_i', '[]', i, i, i, i)
                   FROM range(10) r(i)""")
    if ERRORS[query] is None:
        con.execute(query)
    else:
        with pytest.raises(duckdb.Error, match=ERRORS[query]):
            con.execute(query).fetchall()
    assert one(con, "SELECT rtindex_lookup('t_k', 7)") == 7  # and nothing is broken


def test_an_index_that_has_no_order_says_so(con):
    con.execute("SELECT rtindex_build_as('h', 'hash@cpu', i, i) FROM range(10) r(i)")
    con.execute("SELECT rtindex_build_as('two', 'hash@cpu', i, i, i) FROM range(10) r(i)")
    assert con.execute("SELECT rtindex_rows('h', 3), rtindex_rows('two', 3, 3)").fetchone() == ([3], [3])
    for call in ("range_count('h', 1, 2)", "predecessor('h', 1)", "count('two', 1)", "range_rows('two', 1, 1, 2, 2)"):
        with pytest.raises(duckdb.Error, match="is hash@cpu, which finds equal keys only: build it with rtindex_build"):
            con.execute(f"SELECT rtindex_{call}").fetchall()


def test_the_list_of_indexes(con):
    assert con.execute("FROM rtindex_indexes()").fetchall() == []
    con.execute("SELECT rtindex_build('b', i, 1000 - i), rtindex_build('a', i * 1000000, i::VARCHAR) FROM range(1000) r(i)")
    assert con.execute("SELECT name, key_type, rows FROM rtindex_indexes()").fetchall() == [
        ("a", "VARCHAR", 1000), ("b", "BIGINT", 1000)]
    assert one(con, "SELECT count(*) FROM rtindex_indexes() WHERE bytes > 1000 AND spec LIKE 'rx:native@cpu%'") == 2
    assert con.execute("CALL rtindex_drop('a')").fetchall() == [("a",)]
    assert con.execute("SELECT rows, name FROM rtindex_indexes()").fetchall() == [(1000, "b")]
    con.execute("SELECT rtindex_build('b', i, i) FROM range(10) r(i)")  # replaces it
    assert con.execute("SELECT name, rows FROM rtindex_indexes()").fetchall() == [("b", 10)]


def test_every_function_is_described(con):
    described = {name for name, _, text in con.execute("FROM rtindex_functions()").fetchall() if text}
    known = con.execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE 'rtindex%'")
    assert described == {name for name, in known.fetchall()}


def test_explain_names_the_function_and_the_index(con):
    con.execute("CREATE TABLE t AS SELECT i AS k FROM range(10) r(i)")
    con.execute("SELECT rtindex_build('by_k', rowid, k) FROM t")
    plan = con.execute("EXPLAIN SELECT rtindex_lookup('by_k', k) FROM t").fetchone()[1]
    assert "rtindex_lookup('by_k', k)" in plan
    plan = con.execute("EXPLAIN SELECT rtindex_build('other', rowid, k) FROM t").fetchone()[1]
    assert "rtindex_build" in plan
    assert con.execute("SELECT name FROM rtindex_indexes()").fetchall() == [("by_k",)]  # nothing was built
    plan = con.execute("EXPLAIN SELECT k FROM (SELECT k, rtindex_lookup('by_k', k) FROM t)").fetchone()[1]
    assert "rtindex" not in plan  # columns that nobody reads are not computed


def test_a_prepared_statement_reads_the_index_of_today(con):
    con.execute("SELECT rtindex_build('t_k', i, i) FROM range(10) r(i)")
    con.execute("PREPARE q AS SELECT rtindex_lookup('t_k', $1)")
    assert one(con, "EXECUTE q(7)") == 7
    con.execute("SELECT rtindex_build('t_k', i + 100, i) FROM range(10) r(i)")
    assert one(con, "EXECUTE q(7)") == 107


def test_a_call_of_constants_reads_the_index_of_today(con):
    con.execute("SELECT rtindex_build('t_k', i, i) FROM range(10) r(i)")
    con.execute("PREPARE q AS SELECT rtindex_lookup('t_k', 7)")
    assert one(con, "EXECUTE q") == 7
    con.execute("SELECT rtindex_build('t_k', i + 100, i) FROM range(10) r(i)")
    assert one(con, "EXECUTE q") == 107
    con.execute("CALL rtindex_drop('t_k')")
    with pytest.raises(duckdb.Error, match="there is no index 't_k'"):
        con.execute("EXECUTE q").fetchall()


# A column of keys, and lookups of another type: as DuckDB compares them.
CASTS = {
    "integers and decimals": ("(i % 50 - 20)::INTEGER", "((i % 997) / 10 - 30)::DECIMAL(9,1)"),
    "integers and doubles": ("(i % 50 - 20)::INTEGER", "((i % 997) / 10 - 30)::DOUBLE"),
    "unsigned integers and doubles": ("(i % 50)::UBIGINT", "((i % 997) / 10 - 30)::DOUBLE"),
    "integers and hugeints": ("i % 50", "(i % 70)::HUGEINT * CASE WHEN i % 5 = 0 THEN 1e30::HUGEINT ELSE 1 END"),
    "hugeints and integers": ("(i % 50)::HUGEINT", "i % 70"),
    "decimals and integers": ("((i % 500) / 10)::DECIMAL(9,1)", "i % 70"),
    "decimals of two scales": ("((i % 500) / 10)::DECIMAL(9,1)", "((i % 997) / 100)::DECIMAL(18,2)"),
    "decimals and doubles": ("((i % 500) / 10)::DECIMAL(9,1)", "((i % 997) / 20)::DOUBLE"),
    "small decimals": ("((i % 50) / 10)::DECIMAL(3,1)", "((i % 70) / 10)::DECIMAL(4,1)"),
    "doubles and decimals": ("((i % 500) / 10)::DOUBLE", "((i % 997) / 10)::DECIMAL(30,1)"),
    "dates and timestamps": ("DATE '2024-01-01' + (i % 50)::INTEGER",
                             "TIMESTAMP '2023-12-25' + (i % 997) * INTERVAL 2 HOUR"),
    "timestamps and dates": ("TIMESTAMP '2023-12-25' + (i % 997) * INTERVAL 2 HOUR",
                             "DATE '2024-01-01' + (i % 50)::INTEGER"),
    "seconds and nanoseconds": ("(TIMESTAMP '2024-01-01' + (i % 50) * INTERVAL 1 SECOND)::TIMESTAMP_S",
                                "(TIMESTAMP '2024-01-01' + (i % 97) * INTERVAL 500 MILLISECOND)::TIMESTAMP_NS"),
    "integers and booleans": ("i % 5", "i % 2 = 0"),
    "hugeints and booleans": ("(i % 5)::HUGEINT", "i % 2 = 0"),
    "booleans and integers": ("i % 2 = 0", "i % 5 - 1"),
    "booleans and hugeints": ("i % 2 = 0", "(i % 5 - 1)::HUGEINT"),
    "texts and enums": ("'w' || i % 50", "('w' || i % 3)::ENUM ('w0', 'w1', 'w2')"),
    "enums and texts": ("('w' || i % 3)::ENUM ('w2', 'w1', 'w0')", "'w' || i % 5"),
}


@pytest.mark.parametrize("key, lookup", CASTS.values(), ids=CASTS.keys())
def test_arguments_are_cast_as_comparisons_cast_them(con, key, lookup):
    con.execute(f"CREATE TABLE t AS SELECT {key} AS k FROM range(3000) r(i)")
    con.execute(f"CREATE TABLE p AS SELECT {lookup} AS k FROM range(3000) r(i)")
    con.execute("INSERT INTO p VALUES (NULL)")
    con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t")
    check(con, "SELECT rowid, rtindex_lookup('t_k', k), rtindex_count('t_k', k) FROM p ORDER BY ALL",
          "SELECT p.rowid, min(t.rowid), count(t.rowid) FROM p LEFT JOIN t ON p.k = t.k GROUP BY ALL ORDER BY ALL")
    if "ENUM" in key + lookup:
        return
    con.execute("CREATE TABLE r AS SELECT rowid AS id, k AS lo, lag(k, 7) OVER (ORDER BY rowid) AS hi FROM p LIMIT 200")
    for ends, lower, upper in (("[]", ">=", "<="), ("[)", ">=", "<"), ("(]", ">", "<="), ("()", ">", "<")):
        check(con, f"SELECT id, rtindex_range_count('t_k', lo, hi, '{ends}') FROM r ORDER BY ALL",
              f"SELECT id, count(t.rowid) FROM r LEFT JOIN t ON t.k {lower} lo AND t.k {upper} hi GROUP BY ALL ORDER BY ALL")
    check(con, "SELECT id, rtindex_predecessor('t_k', lo) FROM r ORDER BY ALL",
          """WITH n AS (SELECT id, max(k) AS k FROM r LEFT JOIN t ON t.k <= lo GROUP BY ALL)
             SELECT id, min(t.rowid) FROM n LEFT JOIN t ON t.k = n.k GROUP BY ALL ORDER BY ALL""")


def test_numbers_beyond_keys_of_128_bits(con):
    con.execute("""SELECT rtindex_build('u', n, md5_number(n::VARCHAR)) FROM range(1000) r(n)""")
    con.execute("""SELECT rtindex_build('ends', n, k), rtindex_build_points('p', n, k, n) FROM (VALUES
                   (1, 0::UHUGEINT), (2, 340282366920938463463374607431768211455::UHUGEINT)) v(n, k)""")
    con.execute("""SELECT rtindex_build('h', n, k) FROM (VALUES
                   (1, 170141183460469231731687303715884105727::HUGEINT), (2, -5::HUGEINT),
                   (3, (-170141183460469231731687303715884105728)::HUGEINT)) v(n, k)""")
    check(con, """SELECT rtindex_range_count('u', 0, 1e39), rtindex_range_count('u', 0, 'inf'::DOUBLE),
                  rtindex_predecessor('u', 1e39), rtindex_range_count('u', 1e38::DOUBLE, 3e38::DOUBLE),
                  rtindex_range_count('u', -1, 2e38::DOUBLE, '()')""",
          """SELECT 1000, 1000, arg_max(n, k), count(*) FILTER (k::DOUBLE BETWEEN 1e38 AND 3e38),
             count(*) FILTER (k::DOUBLE < 2e38)
             FROM (SELECT n, md5_number(n::VARCHAR) AS k FROM range(1000) r(n))""")
    assert con.execute("""SELECT rtindex_predecessor('ends', 1e300), rtindex_successor('ends', 1e300),
                          rtindex_nearest('ends', 1e300),
                          rtindex_range_rows('ends', -5, 1e300, '()'), rtindex_range_rows('ends', 1e300, 1e301),
                          rtindex_rows('ends', -5),
                          rtindex_predecessor('ends', -5), rtindex_successor('ends', -5)""").fetchone() == (
        2, None, 2, [1, 2], [], [], None, 1)
    assert con.execute("""SELECT rtindex_filter_rows('p', -5, 1e300, NULL, NULL, '(),[]'),
                          rtindex_filter_rows('p', 1e300, NULL, NULL, NULL)""").fetchone() == ([1, 2], [])
    most = "340282366920938463463374607431768211455::UHUGEINT"
    assert con.execute(f"""SELECT rtindex_rows('h', {most}), rtindex_count('h', {most}), rtindex_successor('h', {most}),
                           rtindex_predecessor('h', {most}), rtindex_range_rows('h', 1e300, 1e300),
                           rtindex_range_rows('h', -1e300, -1e300),
                           rtindex_successor('h', 'inf'::DOUBLE), rtindex_predecessor('h', -1e300),
                           rtindex_range_rows('h', -1e300, 1e300, '()')""").fetchone() == (
        [], 0, None, 1, [], [], None, None, [3, 2, 1])


TIMES = ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"]


@pytest.mark.parametrize("key", TIMES)
@pytest.mark.parametrize("lookup", TIMES)
def test_infinity_is_the_same_time_in_all_types(con, key, lookup):
    con.execute(f"CREATE TABLE t AS SELECT unnest(['-infinity', '2024-02-01', 'infinity'])::{key} AS k")
    con.execute("CREATE TABLE p AS SELECT "
                f"unnest(['-infinity', '2024-02-01', '2024-03-01', 'infinity'])::{lookup} AS k")
    con.execute("SELECT rtindex_build('t_k', rowid, k), rtindex_build_points('p', rowid, k, rowid) FROM t")
    check(con, "SELECT rowid, rtindex_count('t_k', k), rtindex_filter_count('p', [k], NULL, NULL) FROM p ORDER BY ALL",
          "SELECT i, i <> 2, i <> 2 FROM range(4) r(i)")
    for ends, lower, upper in (("[]", ">=", "<="), ("()", ">", "<")):
        check(con, f"""SELECT a.rowid, b.rowid, rtindex_range_count('t_k', a.k, b.k, '{ends}'),
                       rtindex_filter_count('p', a.k, b.k, NULL, NULL, '{ends},[]') FROM p a, p b ORDER BY ALL""",
              f"""SELECT *, n FROM (SELECT a.rowid, b.rowid,
                  (SELECT count(*) FROM t WHERE k::TIMESTAMP {lower} a.k::TIMESTAMP
                  AND k::TIMESTAMP {upper} b.k::TIMESTAMP) AS n FROM p a, p b) ORDER BY ALL""")


def test_a_float_equals_the_decimal_that_was_cast_to_it(con):
    con.execute("SELECT rtindex_build('d', i, (i / 100)::DECIMAL(6,2)) FROM range(20000) r(i)")
    check(con, """SELECT i, rtindex_lookup('d', (i / 100)::FLOAT), rtindex_lookup('d', (i / 100)::DOUBLE)
                  FROM range(20000) r(i) ORDER BY i""",
          "SELECT i, i, i FROM range(20000) r(i) ORDER BY i")


def test_times_with_and_without_a_zone_do_not_mix(con):
    con.execute("SELECT rtindex_build('z', i, TIMESTAMPTZ '2024-01-01 00:00:00+00' + i * INTERVAL 1 DAY) FROM range(9) r(i)")
    assert one(con, "SELECT rtindex_lookup('z', TIMESTAMPTZ '2024-01-03 00:00:00+00')") == 2
    with pytest.raises(duckdb.Error, match="the lookup is a TIMESTAMP: cast it to TIMESTAMP WITH TIME ZONE"):
        con.execute("SELECT rtindex_lookup('z', TIMESTAMP '2024-01-03')").fetchall()


INTERVALS = {"[]": ("<=", "<="), "[)": ("<=", "<"), "(]": ("<", "<="), "()": ("<", "<")}


@pytest.mark.parametrize("ends", INTERVALS)
def test_intervals(con, ends):
    con.execute(f"""CREATE TABLE t AS SELECT 'g' || hash(i) % 3 AS g, (hash(i + 1) % 500)::DOUBLE AS s,
                    s + hash(i + 2) % 20 AS e FROM range({ROWS}) r(i)""")
    con.execute("UPDATE t SET e = NULL WHERE rowid % 50 = 0")
    con.execute("CREATE TABLE p AS SELECT rowid AS id, g, s + 0.5 AS a, a + 3 AS b FROM t LIMIT 300")
    con.execute(f"SELECT rtindex_build_intervals('i', '{ends}', rowid, s, e), "
                f"rtindex_build_intervals_as('b', 'btree@cpu', '{ends}', rowid, g, s, e) FROM t")
    after, before = INTERVALS[ends]
    for index, extra in ("i", ""), ("b", " AND t.g = p.g"):
        by = "g, " if extra else ""
        check(con, f"""SELECT id, rtindex_contains_first('{index}', {by}a), rtindex_contains_count('{index}', {by}a),
                       list_sort(rtindex_contains_rows('{index}', {by}a)) FROM p ORDER BY ALL""",
              f"""SELECT id, min(t.rowid), count(t.rowid),
                  coalesce(list(t.rowid ORDER BY t.rowid) FILTER (t.rowid IS NOT NULL), [])
                  FROM p LEFT JOIN t ON s {after} a AND a {before} e{extra} GROUP BY ALL ORDER BY ALL""")
        for kind, condition in (("overlaps", f"s {after} b AND a {before} e AND (s < e OR '{ends}' = '[]')"),
                                ("within", f"a <= s AND e <= b AND (s < e OR '{ends}' = '[]')"),
                                ("covers", f"s {after} a AND b {before} e")):
            check(con, f"SELECT id, rtindex_{kind}_count('{index}', {by}a, b) FROM p ORDER BY ALL",
                  f"SELECT id, count(t.rowid) FROM p LEFT JOIN t ON {condition}{extra} GROUP BY ALL ORDER BY ALL")
        # The smallest row at the least distance; an interval that contains the point is closer than all others.
        check(con, f"SELECT id, rtindex_nearest('{index}', {by}a) FROM p ORDER BY ALL",
              f"""SELECT id, (min((CASE WHEN s {after} a AND a {before} e THEN 0 ELSE greatest(s - a, a - e) + 1 END)
                  * 1000000 + t.rowid) % 1000000)::BIGINT
                  FROM p LEFT JOIN t ON e IS NOT NULL AND (s < e OR '{ends}' = '[]'){extra} GROUP BY ALL ORDER BY ALL""")
        # All intervals that contain the point, or else all with the closest end on the sides of the function.
        inside = f"s {after} a AND a {before} e"
        for function, distance in (("predecessor", f"CASE WHEN {inside} THEN -1 WHEN e <= a THEN a - e END"),
                                   ("successor", f"CASE WHEN {inside} THEN -1 WHEN s >= a THEN s - a END"),
                                   ("nearest", f"CASE WHEN {inside} THEN -1 ELSE greatest(s - a, a - e) END")):
            check(con, f"""SELECT id, rtindex_{function}('{index}', {by}a), rtindex_{function}_count('{index}', {by}a),
                           list_sort(rtindex_{function}_rows('{index}', {by}a)) FROM p ORDER BY ALL""",
                  f"""WITH n AS (SELECT id, t.rowid AS row, {distance} AS d FROM p LEFT JOIN t ON e IS NOT NULL
                        AND (s < e OR '{ends}' = '[]'){extra}),
                      c AS (SELECT id, row, d, min(d) OVER (PARTITION BY id) AS least FROM n)
                      SELECT id, min(row) FILTER (d = least), count(*) FILTER (d = least),
                      coalesce(list(row ORDER BY row) FILTER (d = least), []) FROM c GROUP BY id ORDER BY ALL""")
    assert con.execute("SELECT key_type FROM rtindex_indexes()").fetchall() == [
        (f"intervals {ends} of (VARCHAR, DOUBLE)",), (f"intervals {ends} of DOUBLE",)]
    with pytest.raises(duckdb.Error, match="the index 'i' holds intervals: use the functions rtindex_contains"):
        con.execute("SELECT rtindex_lookup('i', 1.0)").fetchall()
    with pytest.raises(duckdb.Error, match="needs the leading values, then the lower and the upper"):
        con.execute("SELECT rtindex_overlaps_rows('b', 1, 2)").fetchall()


@pytest.mark.parametrize("ends", ["[]", "[)", "(]", "()"])
@pytest.mark.parametrize("first_id", [0, 10_000])  # rowIDs, and ids that are kept
def test_filters_over_several_columns(con, ends, first_id):
    con.execute(f"CREATE TABLE p AS SELECT {first_id} + i AS id, (i * 7) % 100 AS price, "
                f"CASE WHEN i % 9 = 0 THEN NULL ELSE DATE '2024-01-01' + ((i * 13) % 50)::INTEGER END AS day, "
                f"'s' || (i % 5) AS store, (i % 11) / 4 AS weight FROM range({ROWS}) r(i) WHERE i % 6 <> 3")
    con.execute("SELECT rtindex_build_points('p', id, price, day, store, weight) FROM p")
    con.execute("CREATE TABLE q AS SELECT i AS n, (i * 3) % 90 + 0.5 AS low, (i * 3) % 90 + 20 AS high, "
                "DATE '2024-01-01' + (i % 30)::INTEGER AS since, CASE WHEN i % 4 = 0 THEN NULL ELSE 1.5 END AS heavy "
                "FROM range(200) r(i)")
    at_least, at_most = (">=" if ends[0] == "[" else ">"), ("<=" if ends[1] == "]" else "<")
    where = (f"price {at_least} low AND price {at_most} high AND day {at_least} since AND store {at_least} 's1' "
             f"AND store {at_most} 's3' AND (heavy IS NULL OR weight {at_most} heavy)")
    arguments = f"'p', low, high, since, NULL, 's1', 's3', NULL, heavy, '{','.join([ends] * 4)}'"
    check(con, f"SELECT n, rtindex_filter_count({arguments}), rtindex_filter_first({arguments}), "
               f"rtindex_filter_rows({arguments}) FROM q ORDER BY n",
          f"SELECT n, count(id), min(id), coalesce(list(id ORDER BY id) FILTER (id IS NOT NULL), []) "
          f"FROM q LEFT JOIN p ON {where} GROUP BY n ORDER BY n")
    # A column without a condition takes its nulls.
    if ends == "[]":
        check(con, "SELECT rtindex_filter_rows('p', 10, 12, NULL, NULL, NULL, NULL, NULL, NULL)",
              "SELECT list(id ORDER BY id) FROM p WHERE price BETWEEN 10 AND 12")
    assert one(con, "SELECT key_type FROM rtindex_indexes()") == "points of (BIGINT, DATE, VARCHAR, DOUBLE)"


NULLS = {"a literal": "NULL", "a typed one": "NULL::INTEGER", "a query": "(SELECT NULL)", "a column": "lo", "a typed column": "low"}


@pytest.mark.parametrize("null", NULLS.values(), ids=NULLS)
def test_null_is_no_bound_of_a_filter(con, null):
    con.execute("CREATE TABLE p AS SELECT NULL AS lo, NULL::INTEGER AS low")
    con.execute("SELECT rtindex_build_points('s', i, i, i % 5) FROM range(100) r(i)")
    assert con.execute(f"""SELECT rtindex_filter_count('s', {null}, 20, 3, 3), rtindex_filter_rows('s', 90, {null}, 3, 3),
                           rtindex_filter_first('s', 10, 20, {null}, {null}, '(),[]'),
                           rtindex_filter_count('s', {null}, {null}, {null}, {null}) FROM p""").fetchone() == (
        4, [93, 98], 11, 100)


def test_null_parameters_are_no_bound_of_a_filter(con):
    con.execute("SELECT rtindex_build_points('s', i, i, i % 5) FROM range(100) r(i)")
    assert con.execute("SELECT rtindex_filter_count('s', ?, ?, 3, 3)", [None, 20]).fetchone() == (4,)


def test_the_bounds_of_filters_may_be_null_in_some_rows(con):
    con.execute("CREATE TABLE p AS SELECT i AS id, nullif(i % 13, 4) AS a, 's' || (i % 7) AS b FROM range(1000) r(i)")
    con.execute("SELECT rtindex_build_points('p', id, a, b) FROM p")
    con.execute("""CREATE TABLE q AS SELECT i AS n, CASE WHEN i % 2 = 0 THEN i % 13 END AS l, CASE WHEN i % 3 = 0 THEN 9.5 END AS u,
                   CASE WHEN i % 5 = 0 THEN 's' || i % 4 END AS t FROM range(5000) r(i)""")
    arguments = "'p', l, u, t, NULL, '[),(]'"
    check(con, f"""SELECT n, rtindex_filter_count({arguments}), rtindex_filter_first({arguments}),
                   list_sum(rtindex_filter_rows({arguments})) FROM q ORDER BY n""",
          """SELECT n, count(id), min(id), sum(id) FROM q LEFT JOIN p ON (l IS NULL OR a >= l) AND (u IS NULL OR a < u)
             AND (t IS NULL OR b > t) GROUP BY n ORDER BY n""")


def make_points(con):
    con.execute("""CREATE TABLE p AS SELECT i AS id, nullif(i % 13, 4) AS a, CASE WHEN i % 9 > 0 THEN 's' || (i % 7) END AS b,
                   DATE '2024-01-01' + (i % 5)::INTEGER AS d FROM range(1000) r(i)""")
    con.execute("SELECT rtindex_build_points('p', id, a, b, d) FROM p")


CONDITIONS = {
    "[1, 2, 5], NULL, NULL, NULL, NULL": "a IN (1, 2, 5)",
    "[1, 2.5, 5], ['s1', NULL, 's3'], NULL, NULL": "a IN (1, 5) AND b IN ('s1', 's3')",
    "rtindex_is_null(), ['s1'], NULL, NULL": "a IS NULL AND b = 's1'",
    "NULL, 7, rtindex_is_null(), [DATE '2024-01-02', TIMESTAMP '2024-01-03 00:00:00']":
        "a <= 7 AND b IS NULL AND d IN (DATE '2024-01-02', DATE '2024-01-03')",
    "range(3), 's1', 's3', NULL, NULL, '[],(),[]'": "a < 3 AND b > 's1' AND b < 's3'",
    "(SELECT list(a) FROM p WHERE a > 9), NULL, NULL, NULL, NULL": "a > 9",
    "[], NULL, NULL, NULL, NULL": "false",
    "[NULL], NULL, NULL, NULL, NULL": "false",
    "NULL::INTEGER[], NULL, NULL, NULL, NULL": "false",
    "NULL, NULL, NULL, NULL, rtindex_is_null()": "false",
}


@pytest.mark.parametrize("conditions", CONDITIONS)
def test_filters_by_lists_and_nulls(con, conditions):
    make_points(con)
    check(con, f"""SELECT rtindex_filter_rows('p', {conditions}), rtindex_filter_count('p', {conditions}),
                   rtindex_filter_first('p', {conditions})""",
          f"SELECT coalesce(list(id ORDER BY id), []), count(*), min(id) FROM p WHERE {CONDITIONS[conditions]}")


# DuckDB hands over lists in several layouts.
LISTS = ["[3]", "[n % 6, 3, NULL]", "range(n % 5)", "CASE WHEN n % 3 = 0 THEN [1] WHEN n % 3 = 1 THEN [2, n % 5] END",
         "([9, 1, 8, 2, 7, 3])[n % 2 + 1:5:2]", "list_sort([n % 5, n % 3, 7])", "[x + 1 FOR x IN [n % 5, 1] IF x < 3]"]


@pytest.mark.parametrize("values", LISTS)
def test_lists_of_filters_may_differ_between_rows(con, values):
    make_points(con)
    con.execute(f"CREATE TABLE q AS SELECT n, CASE WHEN n % 2 = 0 THEN 's2' END AS s FROM range({ROWS}) r(n)")
    check(con, f"SELECT n, rtindex_filter_count('p', {values}, s, NULL, NULL, NULL) FROM q ORDER BY n",
          f"""SELECT n, count(id) FROM (SELECT *, {values} AS l FROM q) LEFT JOIN p
              ON list_contains(l, a) AND (s IS NULL OR b >= s) GROUP BY n ORDER BY n""")


RESTRICTED = {
    "rtindex_{}('k', 7, ids)": "k = 7",
    "rtindex_range_{}('k', 7, 20, '[)', ids)": "k >= 7 AND k < 20",
    "rtindex_range_{}('k', 7, 20, ids)": "k BETWEEN 7 AND 20",
    "rtindex_prefix_{}('w', 'w1', ids)": "starts_with(w, 'w1')",
    "rtindex_contains_{}('i', 11, ids)": "s <= 11 AND 11 < e",
    "rtindex_overlaps_{}('i', 11, 12, ids)": "s <= 12 AND 11 < e",
    "rtindex_within_{}('i', 11, 14, '[]', ids)": "s >= 11 AND e <= 14",
    "rtindex_covers_{}('i', 11, 12, ids)": "s <= 11 AND e > 12",
    "rtindex_filter_{}('p', 3, 30, 7, 9, ids)": "k BETWEEN 3 AND 30 AND s BETWEEN 7 AND 9",
    "rtindex_filter_{}('p', 3, 30, [7, 9], '(],[]', ids)": "k > 3 AND k <= 30 AND s IN (7, 9)",
    "rtindex_filter_{}('p', 3, 30, [7, 9], ids)": "k BETWEEN 3 AND 30 AND s IN (7, 9)",
}


@pytest.mark.parametrize("first_id", [0, 10_000])  # rowIDs, and ids that are kept
def test_a_list_of_ids_restricts_what_may_match(con, first_id):
    con.execute(f"""CREATE TABLE t AS SELECT {first_id} + i AS id, hash(i) % 97 AS k, 'w' || k AS w, (hash(i + 1) % 50)::INT AS s,
                    s + 1 + (hash(i + 2) % 20)::INT AS e FROM range({ROWS}) r(i)""")
    con.execute("""SELECT rtindex_build('k', id, k), rtindex_build('w', id, w), rtindex_build_intervals('i', '[)', id, s, e),
                   rtindex_build_points('p', id, k, s) FROM t""")
    con.execute("CREATE TABLE l AS SELECT list(id) || [-1, NULL, 9999999] AS ids FROM t WHERE e % 3 = 0")
    for function, where in RESTRICTED.items():
        check(con, f"SELECT {function.format('count')}, list_sort({function.format('rows')}) FROM l",
              f"SELECT count(*), list(id ORDER BY id) FROM t WHERE e % 3 = 0 AND {where}")
        if "prefix" not in function:
            first = function.replace("_{}('k', 7, ids", "_lookup('k', 7, ids").format("first")
            check(con, f"SELECT {first} FROM l", f"SELECT min(id) FROM t WHERE e % 3 = 0 AND {where}")
    # The list may differ between rows; the closest key of those that are in it.
    check(con, f"SELECT id, rtindex_nearest('k', id % 97, [id % 50 + {first_id}, id % 700 + {first_id}]) FROM t ORDER BY id",
          f"""SELECT id, (SELECT u.id FROM t u WHERE u.id IN (t.id % 50 + {first_id}, t.id % 700 + {first_id})
              ORDER BY abs(u.k::INT - t.id % 97), u.k, u.id LIMIT 1) FROM t ORDER BY id""")
    assert con.execute("""SELECT rtindex_count('k', 7, NULL::INT[]), rtindex_count('k', 7, []), rtindex_count('k', NULL, [1])"""
                       ).fetchone() == (0, 0, 0)


def test_each_column_of_a_filter_has_its_ends(con):
    con.execute("SELECT rtindex_build_points('s', i, i, i % 5) FROM range(100) r(i)")
    assert con.execute("""SELECT rtindex_filter_rows('s', 13, 23, 3, 3, '[),[]'), rtindex_filter_rows('s', 13, 23, 3, 3, '(],[]'),
                          rtindex_filter_rows('s', 13, 23, 3, 3, '[),[)')""").fetchone() == ([13, 18], [18, 23], [])


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_NS"])
def test_dates_and_timestamps_are_ends_of_intervals(con, kind):
    con.execute(f"""CREATE TABLE t AS SELECT DATE '2024-01-01' + i::INTEGER AS s,
                    CASE WHEN i % 7 = 0 THEN NULL ELSE TIMESTAMP '2024-01-02 06:00:00' + i * INTERVAL 25 HOUR END::{kind} AS e
                    FROM range(100) r(i)""")
    con.execute("SELECT rtindex_build_intervals('se', '[)', rowid, s, e) FROM t")
    before = f"(e - INTERVAL 9 DAY)::{kind}"
    con.execute(f"SELECT rtindex_build_intervals('es', '[)', rowid, {before}, s) FROM t")
    for at in "2024-01-20", "2024-02-03 05:00:00":
        at = f"TIMESTAMP '{at}'::{kind}"
        check(con, f"SELECT rtindex_contains_count('se', {at}), rtindex_contains_count('es', {at})",
              f"SELECT count(*) FILTER (s <= {at} AND {at} < e), count(*) FILTER ({before} <= {at} AND {at} < s) FROM t")


SIDES = {
    "a smaller start": ("INTEGER", "BIGINT", "BIGINT"),
    "a smaller end": ("BIGINT", "USMALLINT", "BIGINT"),
    "one sign": ("UTINYINT", "INTEGER", "INTEGER"),
    "both signs": ("TINYINT", "UINTEGER", "BIGINT"),
    "64 bits of both signs": ("UBIGINT", "TINYINT", "HUGEINT"),
    "floats": ("FLOAT", "DOUBLE", "DOUBLE"),
    "small decimals": ("DECIMAL(4,1)", "DECIMAL(4,1)", "DECIMAL(4,1)"),
    "decimals of two scales": ("DECIMAL(4,1)", "DECIMAL(9,3)", "DECIMAL(9,3)"),
    "decimals of many digits": ("DECIMAL(18,1)", "DECIMAL(9,3)", "DECIMAL(20,3)"),
    "integers and decimals": ("BIGINT", "DECIMAL(9,2)", "DECIMAL(21,2)"),
    "seconds and nanoseconds": ("TIMESTAMP_S", "TIMESTAMP_NS", "TIMESTAMP_NS"),
}


@pytest.mark.parametrize("start, end, both", SIDES.values(), ids=SIDES)
def test_starts_and_ends_get_one_type(con, start, end, both):
    of = "make_timestamp({} * 1000000)" if "TIMESTAMP" in both else "{}"
    con.execute(f"""CREATE TABLE t AS SELECT {of.format('i')}::{start} AS s,
                    CASE WHEN i % 7 > 0 THEN {of.format('(i + 3)')}::{end} END AS e
                    FROM range(90) r(i)""")
    con.execute("SELECT rtindex_build_intervals('i', '[)', rowid, s, e) FROM t")
    assert one(con, "SELECT key_type FROM rtindex_indexes()") == f"intervals [) of {both}"
    at = of.format("n")
    check(con, f"SELECT n, rtindex_contains_rows('i', {at}) FROM range(100) r(n) ORDER BY n",
          f"""SELECT n, coalesce(list(t.rowid ORDER BY t.rowid) FILTER (e IS NOT NULL), [])
              FROM range(100) r(n) LEFT JOIN t ON s <= {at} AND {at} < e GROUP BY n ORDER BY n""")


def test_an_infinite_date_ends_intervals_of_timestamps(con):
    con.execute("""SELECT rtindex_build_intervals('i', '[)', n, s, e) FROM (VALUES
                   (0, TIMESTAMP '2024-01-01 12:00:00', DATE 'infinity'), (1, TIMESTAMP '2024-01-01 12:00:00', DATE '2024-01-02'))
                   v(n, s, e)""")
    assert one(con, "SELECT rtindex_contains_rows('i', TIMESTAMP '9000-01-01')") == [0]
    with pytest.raises(duckdb.Error, match="lies beyond the TIMESTAMP_NS"):
        con.execute("SELECT rtindex_build_intervals('n', '[)', 0, TIMESTAMP_NS '2024-01-01', DATE '5000-01-01')")


def test_wrong_ends_of_intervals_are_shown_as_times(con):
    for kind, shown in (("DATE", "ends at 2024-04-01, before it starts at 2024-05-01"),
                        ("TIMESTAMP", "ends at 2024-04-01T00:00:00.000000, before it starts at 2024-05-01T00")):
        with pytest.raises(duckdb.Error, match=shown):
            con.execute(f"SELECT rtindex_build_intervals('x', '[)', 0, '2024-05-01'::{kind}, '2024-04-01'::{kind})")


TEXTS = {
    "DATE": ["2024-01-03", " 2024-1-3 ", "2024/01/03", "2024-01-03 12:00:00", "infinity", "0044-03-15 (BC)", "nope", "", "2024-13-01", "2024-09-31",
             "12:30:00", "5", "1970-01-01", "1970/1/1", "epoch", "1970-01-01 00:00:00", "1970-01-99"],
    "TIME": ["12:00:00", "00:00", "12:00:00.5", "2024-01-03", "25:00:00", "20:00:61", "0:00", "00:00:00.0", "24:00:00", "nope", ":00", "", "5", "-", "2024/01/03"],
    **dict.fromkeys(["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"], [
        "2024-01-03", "2024-01-03 12:00", "2024-01-03T12:00:00Z", "2024-01-03 12:00:00+02", "-infinity", "2024-01-03 12:00:00.1234567",
        "nope", "2024-01-03 12:00:61", "1970-01-01", "1970-01-01 02:00+02", "1969-12-31 22:00:00-02", "epoch", "1970-13-01", "9"])}


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_are_cast_to_times_as_comparisons_cast_them(con, kind):
    con.execute(f"""CREATE TABLE t AS SELECT (TIMESTAMP '2024-01-01' + i * INTERVAL 12 HOUR)::{kind} AS k FROM range(60) r(i)""")
    con.execute("SELECT rtindex_build('k', rowid, k), rtindex_build_points('p', rowid, k, rowid) FROM t")
    last, end = ("23:59:59", "24:00:00") if kind == "TIME" else ("2200-12-31", "infinity")
    for text in TEXTS[kind]:
        plain = f"""SELECT min(rowid) FILTER (k = '{text}'), count(*) FILTER (k < '{text}'),
                    count(*) FILTER (k BETWEEN '{text}' AND '{last}') FROM t"""
        ours = f"""SELECT rtindex_lookup('k', '{text}'), (SELECT count(*) FROM t) - rtindex_range_count('k', '{text}', '{end}'),
                   rtindex_filter_count('p', '{text}', '{last}', NULL, NULL)"""
        try:
            con.execute(plain).fetchall()
        except duckdb.Error:
            with pytest.raises(duckdb.Error, match=f"the lookup '{re.escape(text)}' is no {kind}: expected a text such as '"):
                con.execute(ours).fetchall()
        else:
            check(con, ours, plain)
    con.execute(f"CREATE TABLE q AS SELECT i, CASE WHEN i % 7 > 0 THEN (SELECT any_value(k) FROM t WHERE t.rowid = i % 60)::VARCHAR END AS s "
                f"FROM range(3000) r(i)")
    check(con, "SELECT i, rtindex_count('k', s) FROM q ORDER BY i",
          f"SELECT i, count(k) FROM q LEFT JOIN t ON k = s::{kind} GROUP BY i ORDER BY i")
    check(con, "SELECT rtindex_filter_count('p', [min(s), max(s), NULL], NULL, NULL) FROM q",
          f"SELECT count(*) FROM t WHERE k IN (SELECT min(s)::{kind} FROM q UNION SELECT max(s)::{kind} FROM q)")


def test_other_texts_are_not_cast_to_keys(con):
    con.execute("SELECT rtindex_build('z', i, TIMESTAMPTZ '2024-01-01 00:00:00+00' + i * INTERVAL 1 DAY) FROM range(60) r(i)")
    with pytest.raises(duckdb.Error, match="the lookup is a VARCHAR: cast it to TIMESTAMP WITH TIME ZONE"):
        con.execute("SELECT rtindex_lookup('z', '2024-02-01')").fetchall()


# Starts and ends, and points that lie between their ticks, from the number of a row.
FINE_POINTS = {
    "integers and decimals": ("({} % 20)::INTEGER", "(({}) % 131 / 7 - 1)::DECIMAL(9,3)"),
    "integers and doubles": ("({} % 20)::BIGINT",
                             "CASE ({0}) % 50 WHEN 7 THEN 'inf' WHEN 8 THEN '-inf' ELSE ({0}) % 131 / 8 END::DOUBLE"),
    "hugeints and doubles": ("({} % 20 + 1)::UHUGEINT",
                             "CASE ({0}) % 50 WHEN 7 THEN 1e300 ELSE ({0}) % 131 / 8 - 1 END::DOUBLE"),
    "decimals": ("({} % 20)::DECIMAL(4,1)", "(({}) % 131 / 6)::DECIMAL(18,2)"),
    "dates and timestamps": (
        "CASE {0} % 20 WHEN 19 THEN 'infinity' WHEN 0 THEN '-infinity' "
        "ELSE DATE '2024-01-01' + ({0} % 20)::INTEGER END::DATE",
        "CASE ({0}) % 50 WHEN 7 THEN 'infinity' WHEN 8 THEN '-infinity' "
        "ELSE TIMESTAMP '2024-01-01' + (({0}) % 131) * 4 * INTERVAL 1 HOUR END::TIMESTAMP"),
    "seconds and microseconds": ("(TIMESTAMP '2024-01-01' + ({} % 20) * INTERVAL 1 SECOND)::TIMESTAMP_S",
                                 "TIMESTAMP '2024-01-01' + (({}) % 131) * INTERVAL 150 MILLISECOND"),
}


@pytest.mark.parametrize("ends", ["[]", "[)", "(]", "()"])
@pytest.mark.parametrize("kind", FINE_POINTS)
def test_points_between_the_ticks_of_intervals(con, kind, ends):
    tick, point = FINE_POINTS[kind]
    con.execute(f"CREATE TABLE t AS SELECT i AS id, {tick.format('i')} AS a, {tick.format('(i // 7)')} AS b "
                f"FROM range(400) r(i)")
    con.execute("CREATE TABLE i AS SELECT id, least(a, b) AS s, greatest(a, b) AS e FROM t "
                "WHERE a <> b OR a::VARCHAR NOT LIKE '%infinity'")
    con.execute(f"CREATE TABLE p AS SELECT i AS n, {point.format('i * 37')} AS x, "
                f"{point.format('i * 37 + i % 19 - 3')} AS y FROM range(700) r(i)")
    con.execute(f"SELECT rtindex_build_intervals('i', '{ends}', id, s, e), "
                f"rtindex_build_intervals('by', '{ends}', id, id % 3, s, e) FROM i")
    whole = "::DECIMAL(38,3)" if kind == "integers and decimals" else "::DOUBLE" if "double" in kind else ""
    s, e = f"s{whole}", f"e{whole}"
    after, before = INTERVALS[ends]
    some = f"(s < e OR '{ends}' = '[]')"
    check(con, "SELECT n, rtindex_contains_count('i', x), rtindex_contains_count('by', n % 3, x) FROM p ORDER BY n",
          f"""SELECT n, count(id), count(id) FILTER (id % 3 = n % 3) FROM p LEFT JOIN i
              ON {s} {after} x AND x {before} {e} GROUP BY n ORDER BY n""")
    for of_query in INTERVALS:
        def touch(one, other):
            return "<=" if one in "[]" and other in "[]" else "<"

        def inside(outer, inner):
            return "<=" if outer in "[]" or inner not in "[]" else "<"

        given = f"(x < y OR x = y AND '{of_query}' = '[]')"
        conditions = {"overlaps": f"{s} {touch(ends[0], of_query[1])} y AND x {touch(of_query[0], ends[1])} {e}",
                      "within": f"x {inside(of_query[0], ends[0])} {s} AND {e} {inside(of_query[1], ends[1])} y",
                      "covers": f"{s} {inside(ends[0], of_query[0])} x AND y {inside(ends[1], of_query[1])} {e}"}
        for function, condition in conditions.items():
            check(con, f"SELECT n, rtindex_{function}_count('i', x, y, '{of_query}') FROM p ORDER BY n",
                  f"SELECT n, count(id) FROM p LEFT JOIN i ON {condition} AND {given} AND {some} GROUP BY n ORDER BY n")


def test_overlaps_between_ticks_beside_others(con):
    """Ranges of one chunk between two ticks, and others that touch the least and the greatest value alone."""
    con.execute("""CREATE TABLE i AS SELECT * FROM (VALUES (1, 0::UHUGEINT, 0::UHUGEINT), (2, 3, 4), (3, 4, 9),
                   (4, 340282366920938463463374607431768211455, 340282366920938463463374607431768211455)) v(id, s, e)""")
    con.execute("SELECT rtindex_build_intervals('i', '[]', id, s, e) FROM i")
    con.execute("CREATE TABLE p AS SELECT * FROM (VALUES (1, 3.2, 3.8), (2, -0.5, 0.5), (3, 0.0, 0.5), (4, 4.0, 4.5), "
                "(5, 3.5, 3.2), (6, 0.2, 0.8), (7, NULL, 4.5)) v(n, x, y)")
    assert con.execute("SELECT rtindex_overlaps_rows('i', x, y) FROM p ORDER BY n").fetchall() == [
        ([2],), ([1],), ([1],), ([2, 3],), ([],), ([],), ([],)]
    assert con.execute("SELECT rtindex_overlaps_first('i', x, y), rtindex_overlaps_count('i', x, y, [1, 3]) "
                       "FROM p ORDER BY n").fetchall() == [
        (2, 0), (1, 1), (1, 1), (2, 1), (None, 0), (None, 0), (None, 0)]
    assert con.execute("SELECT rtindex_overlaps_rows('i', x, y) FROM (VALUES (3.4e38, 1e39), (3.2, 3.8)) v(x, y)"
                       ).fetchall() == [([4],), ([2],)]


def test_rows_of_intervals_come_by_start(con):
    con.execute("""SELECT rtindex_build_intervals('i', '[]', n, s, e) FROM
                   (VALUES (5, 3, 9), (1, 2, 9), (4, 2, 8), (2, 4, 9)) v(n, s, e)""")
    assert con.execute("SELECT rtindex_contains_rows('i', 5), rtindex_overlaps_rows('i', 3, 9)").fetchone() == (
        [1, 4, 5, 2], [1, 4, 5, 2])


def test_an_index_does_not_follow_its_table(con):
    con.execute("CREATE TABLE t AS SELECT i AS k FROM range(10) r(i)")
    con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t")
    con.execute("INSERT INTO t VALUES (77)")
    con.execute("DELETE FROM t WHERE k = 3")
    assert con.execute("SELECT rtindex_count('t_k', 77), rtindex_count('t_k', 3)").fetchone() == (0, 1)
    con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t")
    assert con.execute("SELECT rtindex_count('t_k', 77), rtindex_count('t_k', 3)").fetchone() == (1, 0)


def test_a_transaction_sees_its_own_rows(con):
    con.execute("CREATE TABLE t AS SELECT i AS k FROM range(10) r(i)")
    con.execute("BEGIN")
    con.execute("INSERT INTO t VALUES (77)")
    assert one(con, "SELECT rtindex_build('t_k', rowid, k) FROM t") == 11
    assert one(con, "SELECT rtindex_count('t_k', 77)") == 1
    con.execute("ROLLBACK")
    assert one(con, "SELECT rtindex_count('t_k', 77)") == 1  # an index is not part of a transaction


def test_connections_of_a_database_share_indexes(con):
    con.execute("SELECT rtindex_build('t_k', i, i) FROM range(10) r(i)")
    with con.cursor() as second:
        assert one(second, "SELECT rtindex_lookup('t_k', 7)") == 7
        second.execute("FROM rtindex_drop('t_k')")
    assert con.execute("FROM rtindex_indexes()").fetchall() == []
    con.execute("SELECT rtindex_build('t_k', i, i) FROM range(10) r(i)")
    with connect() as other:
        assert other.execute("FROM rtindex_indexes()").fetchall() == []


def test_a_database_with_indexes_can_be_closed_and_opened_again(tmp_path):
    for _ in range(2):
        with connect(tmp_path / "file.db") as con:
            assert con.execute("FROM rtindex_indexes()").fetchall() == []
            con.execute("CREATE OR REPLACE TABLE t AS SELECT i AS k FROM range(10) r(i)")
            assert one(con, "SELECT rtindex_build('t_k', rowid, k) FROM t") == 10


def test_threads_look_up_while_others_build(con):
    con.execute(f"CREATE TABLE t AS SELECT (i * 7919) % {ROWS} AS k FROM range({ROWS}) r(i)")
    con.execute("SELECT rtindex_build('t_k', rowid, k) FROM t")
    expected = con.execute("SELECT sum(rowid * k) FROM t").fetchall()
    failures = []

    def work(query, expected):
        try:
            with con.cursor() as own:
                for _ in range(20):
                    assert own.execute(query).fetchall() == expected
        except Exception as error:  # noqa: BLE001 - reported below
            failures.append(error)

    queries = [("SELECT sum(rtindex_lookup('t_k', k) * k) FROM t", expected)] * 3
    queries.append(("SELECT rtindex_build('t_k', rowid, k) FROM t", [(ROWS,)]))
    threads = [threading.Thread(target=work, args=query) for query in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_it_asks_for_no_more_than_duckdb_1_2():
    """DuckDB loads an extension of its C API if it has the version of the API that the footer names."""
    fields = pathlib.Path(EXTENSION).read_bytes()[-512:-256]
    assert b"v1.2.0\0" in fields and b"C_STRUCT\0" in fields


def test_the_page_prints_what_it_shows(tmp_path, monkeypatch):
    """Each block of SQL of docs/duckdb.md, with the table that follows it."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/duckdb.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sql\n(.*?)```(?:\s+```text\n(.*?)```)?", page, re.DOTALL)
    compared = 0
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as con:
        for block, shown in blocks:
            result = con.execute(block.replace("'rtindex.duckdb_extension'", f"'{EXTENSION}'"))
            if shown:
                names = [column[0] for column in result.description]
                lines = [" | ".join("NULL" if v is None else str(v) for v in row) for row in result.fetchall()]
                assert shown == "\n".join([" | ".join(names), *lines]) + "\n", block
                compared += 1
    assert compared >= 8
    functions = set(re.findall(r'"(rtindex_\w+)"', "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "duckdb/src").glob("*.cpp"))))
    assert len(functions) > 10
    missing = {name for name in functions if f"`{name}" not in page}
    assert not missing, f"not on the page: {sorted(missing)}"
