"""Every answer of every index against the oracle, and what a call may ask for beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from oracle import MISS, matches

import rtindex

USABLE = [known.spec for known in rtindex.indexes() if known.available]
SIZE = 300


@pytest.fixture
def workload(seeded):
    column = [seeded.randrange(60) for _ in range(SIZE)]
    values = [seeded.randrange(-100, 100) for _ in range(SIZE)]
    lower = [seeded.randrange(-5, 65) for _ in range(100)]
    upper = [low + seeded.randrange(-2, 9) for low in lower]
    return column, values, lower, upper


def check(answers, wanted, values):
    assert answers.count.tolist() == [len(rows) for rows in wanted]
    assert answers.matched.tolist() == [bool(rows) for rows in wanted]
    assert answers.first.tolist() == [min(rows, default=MISS) for rows in wanted]
    if "last" in answers:
        assert answers.last.tolist() == [max(rows, default=MISS) for rows in wanted]
    if "mean" in answers:
        np.testing.assert_allclose(answers.mean, [
            sum(values[row] for row in rows) / len(rows) if rows else np.nan for rows in wanted])
    assert all(row in rows if rows else row == MISS for row, rows in zip(answers.any, wanted))
    for name, fold in (("sum", sum), ("min", min), ("max", max)):
        assert answers[name].tolist() == [
            fold(values[row] for row in rows) if rows else -(2**63) for rows in wanted]
    assert [sorted(rows) for rows in answers.rows.to_pylist()] == wanted


ALL = ["any", "first", "count", "sum", "min", "max", "rows"]


@pytest.mark.parametrize("spec", USABLE)
def test_every_answer(spec, workload):
    column, values, lower, upper = workload
    index = rtindex.build(np.array(column), spec)
    assert index.spec.startswith(spec)
    names = [*ALL, *(name for name in ("last", "mean") if index.supports(name))]
    points = index.lookup(np.array(lower), names, np.array(values), matched=True)
    check(points, matches(column, lower, lower), values)
    if not index.supports("count", "range"):
        with pytest.raises(rtindex.Error, match="range"):
            index.range(np.array(lower), np.array(upper), "count")
        return
    ranges = index.range(np.array(lower), np.array(upper), names, np.array(values), matched=True)
    check(ranges, matches(column, lower, upper), values)
    alone = index.range(np.array(lower), np.array(upper), "sum", np.array(values))
    assert (alone == ranges.sum).all()


@pytest.mark.parametrize(("dtype", "out", "miss"), [
    ("uint8", np.uint64, 2**64 - 1), ("bool", np.uint64, 2**64 - 1), ("int16", np.int64, -(2**63)),
    ("float32", np.float64, None)])
def test_aggregates_have_the_class_of_the_values(dtype, out, miss):
    index = rtindex.build([1, 2, 2])
    found = index.lookup([2, 3], "sum", np.array([1, 0, 1], dtype))
    assert found.dtype == out and found[0] == 1
    assert np.isnan(found[1]) if miss is None else found[1] == miss


def test_included_values():
    index = rtindex.build(np.arange(1000), include=np.arange(1000) * 0.5)
    assert index.included == {"": "float64"}
    assert index.range([0], [999], "sum").tolist() == [999 * 1000 / 4]
    assert rtindex.build([1]).included == {}


def test_null_values_are_skipped():
    keys = [7, 7, 8, 8, 9]
    values = pa.array([None, 5, None, None, 2])
    included = rtindex.build(keys, include=values)
    for index, passed in ((rtindex.build(keys), values), (included, None)):
        found = index.lookup(pa.array([7, 8, 9, 1]), ["count", "sum", "mean", "min", "max", "any"],
                             passed, matched=True)
        assert found.count.to_pylist() == [2, 2, 1, 0]
        assert found.matched.to_pylist() == [True, True, True, False]
        assert found["any"].to_pylist()[2:] == [4, None]
        for name in ("sum", "min", "max"):
            assert found[name].to_pylist() == [5, None, 2, None]
        assert found.mean.to_pylist() == [5.0, None, 2.0, None]
        assert index.lookup(np.array([8, 1]), "sum", passed).tolist() == [-(2**63)] * 2
        assert index.lookup(np.array([8, 1]), "mean", passed, miss=0.5).tolist() == [0.5, 0.5]
    included.set_included([2, 4], [6, None])
    included.insert([9], [None])
    assert included.lookup(pa.array([8, 9]), "sum").to_pylist() == [6, None]


def test_several_included_columns(tmp_path):
    times = pd.Series(pd.date_range("2024-01-01", periods=3)).dt.tz_localize("Europe/Berlin")
    index = rtindex.build([7, 7, 8], include={"price": [1.5, 2.5, 4.0], "day": times})
    assert index.included == {"price": "float64", "day": "timestamp64"}
    index.insert([8], [("day", times[:1]), ("price", [6.0])])
    index.set_included([0], [0.5], "price")
    index.save(tmp_path / "several.rtindex")
    for same in (index, rtindex.load(tmp_path / "several.rtindex")):
        assert same.lookup([7, 8], "mean", "price").tolist() == [1.5, 5.0]
        assert str(same.lookup(pd.Series([8]), "max", "day")[0]) == str(times[2])
    for message, call in {
        "'price' and 'day': name one": lambda: index.lookup([7], "sum"),
        "unknown included column 'tax': the index includes 'price' and 'day'":
            lambda: index.lookup([7], "sum", "tax"),
        "'day' is missing": lambda: index.insert([1], {"price": [1.0]}),
        "'price' and 'day': name": lambda: index.set_included([0], [1.0]),
        "expected names and columns": lambda: rtindex.build([1], include={"price": 1}),
    }.items():
        with pytest.raises(rtindex.Error, match=message):
            call()
    assert len(index) == 4


def test_no_values_are_not_values_left_out():
    index = rtindex.build([1, 2], include=[1.5, 2.5])
    for none in (np.array([], np.uint64), pa.chunked_array([], pa.uint64())):
        with pytest.raises(rtindex.Error, match="0 values"):
            index.lookup([1], "sum", none)
    assert index.lookup([1], "sum").tolist() == [1.5]


def test_limit_and_miss():
    index = rtindex.build([7, 7, 7, 8])
    rows = index.lookup([7, 8, 9], "rows", limit=2)
    assert [len(found) for found in rows] == [2, 1, 0]
    assert index.lookup([9], "min", np.arange(4), miss=5).tolist() == [5]
    assert index.lookup([9], "max", np.arange(4.0), miss=-0.5).tolist() == [-0.5]
    with pytest.raises(rtindex.Error, match="invalid miss="):
        index.lookup([9], "min", np.arange(4), miss=2**70)


def test_out_receives_the_answer():
    index = rtindex.build([7, 8])
    out = np.zeros(2, np.uint32)
    assert index.lookup([8, 9], out=out) is out
    assert out.tolist() == [1, MISS]
    for wrong in (np.zeros(3, np.uint32), np.zeros(2, np.int64), [0, 0], out[::-1]):
        with pytest.raises(rtindex.Error, match="`out`"):
            index.lookup([8, 9], out=wrong)
    with pytest.raises(rtindex.Error, match="one answer"):
        index.lookup([8, 9], ["any", "count"], out=out)


def test_out_lies_apart_from_what_is_read():
    index = rtindex.build(np.array([2, 1, 0]))
    memory = np.array([2, 1, 0, 7, 7, 7])
    values, apart = memory[:3], memory[3:]
    index.lookup(values, "sum", values, out=apart)
    assert apart.tolist() == [2, 1, 0]
    for kind in (np.asarray, memoryview, pa.array, lambda items: pd.Series(items, copy=False),
                 lambda items: pa.chunked_array([pa.array([5]), pa.array(items[1:])])):
        shared = kind(values)
        for call in (lambda: index.lookup([1], "sum", shared, out=values[1:2]),
                     lambda: index.lookup(shared, "sum", [1, 2, 3], out=values),
                     lambda: index.range([0, 0, 0], shared, "sum", [1, 2, 3], out=memory[2:5]),
                     lambda: index.lookup(shared, out=memory.view(np.uint32)[1:4])):
            with pytest.raises(rtindex.Error, match="shares memory"):
                call()
    assert memory.tolist() == [2, 1, 0, 2, 1, 0]
    pairs = rtindex.build((np.array([2, 1]), np.array([0, 1])))
    for keys in ((values[:2], apart[:2]), pa.table({"a": values[:2], "b": apart[:2]}),
                 pa.concat_tables([pa.table({"a": [1], "b": [1]}),
                                   pa.table({"a": values[:1], "b": apart[1:2]})])):
        with pytest.raises(rtindex.Error, match="shares memory"):
            pairs.lookup(keys, "sum", [5, 6], out=apart[1:])
    assert pairs.lookup([(2, 0), None], "sum", [5, 6], out=apart[:2], miss=0).tolist() == [5, 0]
    assert pairs.lookup((2, 0), "sum", [5, 6], out=apart[:1]) == 5
    letters = rtindex.build(np.array([b"abcd"]))
    keys = np.array([b"abcd"])
    with pytest.raises(rtindex.Error, match="shares memory"):
        letters.lookup(keys, out=keys.view(np.uint32))


def test_limits_of_numpy():
    rows = rtindex.build([7, 7]).lookup([7], "rows", limit=np.uint8(1))
    assert len(rows[0]) == 1


def test_counters():
    keys = np.arange(0, 2000, 2, dtype=np.uint64)
    index = rtindex.build(keys, "rx:native@cpu")
    answers = index.lookup(keys, "count", counters=True)
    assert answers.count.tolist() == [1] * 1000
    assert answers.counters.hits == 1000 and answers.counters.rays == 0
    assert answers.counters.cells == 1000 and answers.counters.tested >= 1000
    ranged = index.range(np.array([0]), np.array([1998]), "rows", counters=True)
    assert ranged.counters.hits == 1000
    with pytest.raises(rtindex.Error, match="does not count"):
        rtindex.build(keys, "sorted@cpu").lookup(keys, counters=True)


def test_updates(workload, seeded):
    column, values, lower, upper = workload
    index = rtindex.build(np.array(column))
    rows = seeded.sample(range(SIZE), 40)
    for row in rows:
        column[row] = seeded.randrange(-50, 120)
    index.update(rows, [column[row] for row in rows])
    answers = index.range(np.array(lower), np.array(upper), ALL, np.array(values), matched=True)
    check(answers, matches(column, lower, upper), values)


def test_answers_and_rows_describe_themselves():
    index = rtindex.build([7, 8, 7])
    answers = index.lookup([7, 9], ["count", "sum"], np.arange(3))
    assert repr(answers) == "<rtindex.Answers: count, sum of 2 lookups>"
    assert answers.keys() == ["count", "sum"] and len(answers) == 2 and "sum" in answers
    with pytest.raises(rtindex.Error, match="did not return 'min'"):
        answers.min
    rows = index.lookup([8, 9], "rows")
    assert repr(rows) == "<rtindex.Rows: 1 rows of 2 lookups: [1], []>"
    assert rows[-2].tolist() == [1] and rows[-1].tolist() == []
    with pytest.raises(IndexError, match="lookup 2 is out of range"):
        rows[2]
    many = rtindex.build(np.zeros(100, int)).lookup([0, 0, 0, 0], "rows")
    assert repr(many).endswith("...], ...>") and len(repr(many)) < 150


def test_an_index_describes_itself():
    index = rtindex.build(np.arange(5000)[::-1].copy(), "btree")
    assert repr(index).startswith("<rtindex.Index btree@cpu: 5,000 rows of int64, ")
    assert "5000 rows" in index.describe()
    assert sum(index.memory_usage().parts.values()) == index.memory_usage().resident > 0
    assert index.memory_usage().build_peak > 0 and index.build_profile() == {}
    assert rtindex.build(np.arange(5000), index.spec).spec == index.spec
    assert rtindex.default_spec() == rtindex.build([1]).spec


def test_an_empty_batch_has_means():
    for data in (rtindex.build([1, 2]), rtindex.build([1, 2], include=[5.0, None])):
        assert data.lookup([], "mean", None if data.included else [1, 2]).tolist() == []
