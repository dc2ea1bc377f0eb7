"""Queries as values: every kind in every form, against the short calls and on Dask's side."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex
from rtindex import Query

COLUMN = [7, None, 3, 7, 12, 3, 5]
NAMES = [None if key is None else f"key {key:02}" for key in COLUMN]
VALUES = [*range(10, 17)]
ANSWERS = ["any", "first", "count", "sum", "min", "max", "rows"]
MAKERS = {"list": list, "numpy": np.array, "pyarrow": pa.array, "polars": pl.Series,
          "pandas": pd.Series, "chunks": lambda items: pa.chunked_array([items[:1], items[1:]])}


def plain(answers):
    """Answers as Python objects."""
    def one(answer):
        if isinstance(answer, rtindex.Rows) or hasattr(answer, "to_pylist"):
            return answer.to_pylist()
        return [None if item is pd.NA else item for item in answer.tolist()] if hasattr(
            answer, "tolist") else [*answer]

    return {name: one(answers[name]) for name in answers.keys()}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_short_calls_are_queries(make):
    index, named = rtindex.build(COLUMN), rtindex.build(NAMES)
    keys, upper, prefixes = make([7, 4, 3]), make([12, 4, 5]), make(["key 0", "x", "key 12"])
    options = {"matched": True, "order": "key", "limit": 2}
    near = ("nearest", False, 2)
    for found, wanted in (
            (index.answer(Query.equal(keys), ANSWERS, VALUES, **options),
             index.lookup(keys, ANSWERS, VALUES, **options)),
            (index.answer(Query.range(keys, upper, "(]"), ANSWERS, VALUES, **options),
             index.range(keys, upper, ANSWERS, VALUES, ends="(]", **options)),
            (index.answer(Query.range(upper=upper), ANSWERS, VALUES, **options),
             index.range(None, upper, ANSWERS, VALUES, **options)),
            (named.answer(Query.prefix(prefixes), ANSWERS, VALUES, **options),
             named.starts_with(prefixes, ANSWERS, VALUES, **options)),
            (index.answer(Query.nearest(keys, *near), [*ANSWERS, "key"], VALUES, **options),
             index.nearest(keys, [*ANSWERS, "key"], VALUES, *near, **options))):
        assert plain(found) == plain(wanted) and any(plain(found)["matched"])
    for found, wanted in ((index.join(Query.equal(keys)), index.join(keys)),
                          (index.join(Query.range(keys, upper)), index.join_range(keys, upper)),
                          (index.join(Query.nearest(keys), "left"), index.join_asof(keys))):
        assert [*map(list, found)] == [*map(list, wanted)]


def test_one_key_and_ranges_without_ends():
    index = rtindex.build(COLUMN)
    assert index.answer(Query.equal(7), "count") == 2
    assert index.answer(Query.range(), "count") == 6
    assert index.answer(Query.nearest(6), "key") == 5
    assert rtindex.build(NAMES).answer(Query.prefix("key 0"), "count") == 5


@pytest.mark.parametrize("kind", ["equal", "range", "prefix", "nearest"])
def test_every_answer_can_be_written_to_an_array(kind):
    index = rtindex.build(NAMES)
    query = Query(kind, ["key 07", "x", None])
    for name, dtype in (("any", np.uint32), ("first", np.uint32), ("count", np.int64),
                        ("sum", np.int64), ("min", np.int64), ("max", np.int64)):
        out = np.empty(3, dtype)
        assert index.answer(query, name, VALUES, out=out) is out
        assert out.tolist() == index.answer(query, name, VALUES).tolist()


def test_counters_of_every_kind():
    index = rtindex.build(NAMES, "rx:native@cpu")
    for kind in ("equal", "range", "prefix", "nearest"):
        found = index.answer(Query(kind, ["key 07"]), "count", counters=True)
        assert found.counters.cells + found.counters.tested + found.counters.hits > 0


def test_a_query_holds_what_it_was_made_of():
    keys = np.arange(3)
    query: Any = Query.nearest(keys, "forward", False, 2)
    assert query.lower is keys and query.upper is None
    assert (query.kind, query.direction, query.exact, query.tolerance) == ("nearest", "forward",
                                                                           False, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        query.kind = "equal"
    with pytest.raises((AttributeError, TypeError)):
        query.keys = keys


@pytest.mark.parametrize("query", [
    Query.equal([7, 3]), Query.range(np.array([3]), None, "()"), Query.prefix(pa.array(["a"])),
    Query.nearest(pl.Series([1]), "nearest", False, datetime.timedelta(seconds=1))])
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, *(
    lambda query, number=number: pickle.loads(pickle.dumps(query, number))
    for number in range(2, pickle.HIGHEST_PROTOCOL + 1))])
def test_queries_travel(query, way):
    again = way(query)
    assert type(again) is Query
    for field in dataclasses.fields(Query):
        here, there = getattr(query, field.name), getattr(again, field.name)
        assert type(here) is type(there)
        assert here == there if isinstance(here, (str, bool, type(None))) else (
            str(here) == str(there))


@pytest.mark.parametrize(("make", "sentence"), [
    (lambda: Query("point", [1]), "invalid kind='point': expected equal, range, prefix, nearest"),
    (lambda: Query(["equal"], [1]), "invalid kind="),
    (lambda: Query.range([1], [2], "[["), r'invalid ends=.*: expected "\[\]"'),
    (lambda: Query.range([1], [2], None), "invalid ends=None"),
    (lambda: Query.nearest([1], "up"), "invalid direction='up': expected backward"),
    (lambda: Query.nearest([1], np.zeros(2)), "invalid direction="),
    (lambda: Query.nearest([1], exact=1), "invalid exact=1: expected True or False"),
    (lambda: rtindex.build([1]).answer(Query.nearest([1], tolerance=-1)), "invalid tolerance=-1"),
    (lambda: rtindex.build([1]).answer([1]), "expected an rtindex.Query, .* got list"),
    (lambda: rtindex.build([1]).answer(Query.equal([1]), "key"), "only nearest returns 'key'"),
    (lambda: rtindex.build([1]).answer(Query.prefix(["1"])), "column of strings"),
    (lambda: rtindex.build((["a"], [1])).join(Query.prefix(["a"])), "use lookup with their first"),
    (lambda: rtindex.build([1]).supports("any", "point"), "equal, range, prefix or nearest")])
def test_wrong_settings_are_rejected(make, sentence):
    with pytest.raises(rtindex.InvalidArgumentError, match=sentence):
        make()


def test_indexes_report_which_kinds_they_support():
    strings, numbers = rtindex.build(["a"]), rtindex.build([1])
    assert all(strings.supports("rows", kind) for kind in ("equal", "range", "prefix", "nearest"))
    assert not numbers.supports("rows", "prefix") and numbers.supports("key", "nearest")
    assert not numbers.supports("key") and numbers.supports("any")
