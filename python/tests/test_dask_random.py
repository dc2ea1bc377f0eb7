"""Random columns, queries and changes on Dask against one index in memory over the same objects.

RTINDEX_ROUNDS=500 runs as many rounds; without it a few.
"""

from __future__ import annotations

import datetime
import os
import random
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from random_objects import Column
from random_objects import values as random_values

import rtindex

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402
from rtindex.dask import _engine  # noqa: E402

ROUNDS = int(os.environ.get("RTINDEX_ROUNDS", "12"))
MISSES = (None, rtindex.MISS, rtindex.dask.MISS)
NUMBERS = ("sum", "min", "max", "mean")
SECOND = [1, 2, 3]  # the second part of composite keys
SPECS = ("rx:native@cpu", "sorted@cpu", "btree@cpu")


def lazy(held, blocks):
    """The same column as a Dask collection."""
    if isinstance(held, np.ndarray):
        return da.from_array(held, chunks=max(1, -(-len(held) // blocks)))
    return dd.from_pandas(held, npartitions=blocks, sort=False)


def listed(array):
    method = next(name for name in ("to_pylist", "to_list", "tolist") if hasattr(array, name))
    items = getattr(array, method)()
    return [None if item is pd.NA or item is pd.NaT else item for item in items]


def type_of(array):
    return str(array.type if isinstance(array, (pa.Array, pa.ChunkedArray)) else array.dtype)


def without_misses(items):
    return [None if isinstance(item, int) and item in MISSES else item for item in items]


def check_items(found, wanted, what):
    what = f"{what}: {found} against {wanted}"
    if any(isinstance(item, float) for item in wanted):
        assert found == pytest.approx(wanted, nan_ok=True), what
    else:
        assert str(found) == str(wanted), what


def check(found, wanted, what):
    """The same answer: of one type, but for rows and counts, which have 64 bits on Dask."""
    if isinstance(wanted, rtindex.Answers):
        check_answers(found, wanted, what)
    elif isinstance(wanted, rtindex.Join):
        assert sorted(pairs(found), key=str) == sorted(pairs(wanted), key=str), what
    elif isinstance(wanted, rtindex.Rows):
        assert found.to_pylist() == wanted.to_pylist(), what
    elif isinstance(wanted, tuple):
        assert isinstance(found, tuple) and len(found) == len(wanted), what
        for part, other in zip(found, wanted):
            check(part, other, what)
    elif not hasattr(wanted, "__len__") or isinstance(wanted, (str, bytes)):
        assert type(found) is type(wanted), what
        check_items([found], [wanted], what)
    elif "uint32" in type_of(wanted).lower():
        assert type(found).__module__ == type(wanted).__module__, what
        own = type_of(wanted).lower()
        assert type_of(found).lower() in (own, own.replace("32", "64"), "int64"), f"{what}: {type_of(found)}"
        check_items(without_misses(listed(found)), without_misses(listed(wanted)), what)
    else:
        assert type(found) is type(wanted) and type_of(found) == type_of(wanted), f"{what}: {type_of(found)}"
        if isinstance(wanted, pd.Series):
            assert found.index.equals(wanted.index) and found.name == wanted.name, what
        check_items(listed(found), listed(wanted), what)


def check_answers(found, wanted, what):
    assert found.keys() == wanted.keys(), what
    for name in wanted.keys():
        check(found[name], wanted[name], f"{what}: {name}")
    if "rows" in wanted or len({len(wanted[name]) if hasattr(wanted[name], "__len__") else 1 for name in wanted.keys()}) > 1:
        return  # no table
    table, other = found.to_pandas(), wanted.to_pandas()
    for name in other.columns:
        assert table[name].isna().tolist() == other[name].isna().tolist(), f"{what}: {name} as a table"


def pairs(join):
    probe = np.asarray(join.probe).tolist()
    rows = [None] * len(probe) if join.column is None else listed(join.column)
    return [(int(i), None if row in MISSES else int(row)) for i, row in zip(probe, rows)]


def outcome(call):
    """What a call returns, or its error."""
    try:
        found = call()
        return found.compute() if hasattr(found, "compute") else found
    except rtindex.Error as error:
        return error


def agree(on_dask, in_memory, what):
    """Both calls return the same, or raise the same error."""
    wanted, found = outcome(in_memory), outcome(on_dask)
    if isinstance(wanted, rtindex.Error) or isinstance(found, rtindex.Error):
        assert (type(found), str(found)) == (type(wanted), str(wanted)), f"{what}: {found!r} against {wanted!r}"
    else:
        check(found, wanted, what)


def agree_later(on_dask, in_memory, what):
    """As `agree` for Dask collections, whose types of nulls and whose errors may differ."""
    wanted, found = outcome(in_memory), outcome(on_dask)
    if isinstance(wanted, rtindex.Error) or isinstance(found, rtindex.Error):
        assert isinstance(wanted, rtindex.Error) and isinstance(found, rtindex.Error), (
            f"{what}: {found!r} against {wanted!r}")
    elif isinstance(wanted, rtindex.Rows):
        check(found, wanted, what)
    else:
        check_items(without_misses(listed(found)), without_misses(listed(wanted)), what)


def described(held):
    return f"{type(held).__name__} {held!r}"[:300]


class Case:
    """A random column, indexed on Dask and in memory."""

    def __init__(self, rng, what):
        self.rng, self.column = rng, Column(rng)
        size, self.blocks = rng.randrange(1, 60), rng.randrange(1, 4)
        held = self.column.held(self.column.draw(size))
        self.is_composite = rng.random() < 0.25
        self.keys, keys = self._composite(held) if self.is_composite else (held, lazy(held, self.blocks))
        self.values = random_values(rng, size)
        is_array = isinstance(held, np.ndarray)
        self.included = rng.choice([None, None, "", "price"])
        if self.included is not None and isinstance(self.values, np.ndarray) != is_array:
            self.values = np.arange(size) if is_array else pd.Series(range(size), dtype="Int64")  # for the same blocks
        values = self.values if is_array and rng.random() < 0.3 else lazy(self.values, self.blocks)
        self.nan_as_null, spec = rng.choice([None, None, True, False]), rng.choice(SPECS)
        self.what = (f"{what} {self.column.name} {self.column.dtype} {type(held).__name__} "
                     f"nan_as_null={self.nan_as_null} composite={self.is_composite} included={self.included} "
                     f"values={described(self.values)}")
        self.error = outcome(lambda: self._built(rtindex.build, self.keys, spec, self.values))
        with dask.config.set({"rtindex.shuffle-pairs": 0 if rng.random() < 0.1 else 4096}):
            found = outcome(lambda: self._built(rtindex.dask.build, keys, spec, values, rng.randrange(1, 5)).persist())
        self.local, self.index = self.error, found

    def _composite(self, held):
        other: Any = np.array(self.rng.choices(SECOND, k=len(held)))
        if isinstance(held, np.ndarray) or self.rng.random() < 0.5:
            other = other if isinstance(held, np.ndarray) else pd.Series(other)
            return (held, other), (lazy(held, self.blocks), lazy(other, self.blocks))
        frame = pd.DataFrame({"one": held, "two": other})
        return frame, lazy(frame, self.blocks)

    def _built(self, build, keys, spec, values, *partitions):
        include = None if self.included is None else {self.included: values} if self.included else values
        return build(keys, spec, include, *partitions, nan_as_null=self.nan_as_null)

    def check_column(self, what=""):
        for name in ("type", "time_unit", "names", "valid", "included"):
            assert getattr(self.index, name) == getattr(self.local, name), f"{self.what}{what}: {name}"
        assert len(self.index) == len(self.local), f"{self.what}{what}"
        assert self.index.nulls().tolist() == self.local.nulls().tolist(), f"{self.what}{what}"

    # Queries

    def keys_of_query(self):
        if not self.is_composite:
            return self.column.lookups()
        rng, items = self.rng, self.column.draw(4)
        if rng.random() < 0.3:
            one = rng.choice(self.column.items)
            return rng.choice([(one, rng.choice(SECOND)), [(one, 1), None, (rng.choice(self.column.items), 2)], (one,)])
        return (self.column.held(items), np.array(rng.choices(SECOND, k=4)))

    def query(self):
        rng, mask = self.rng, None
        if rng.random() < 0.4:
            held = np.array([rng.random() < 0.5 for _ in range(len(self.local))], bool)
            mask = rng.choice([held, pd.Series(held), held.tolist(), pl.Series(held)])
        kind = rng.choice(["equal", "equal", "range", "range", "nearest", "nearest", "prefix"])
        if kind == "nearest":
            tolerance = rng.choice([None, None, None, 1, 1.5, "5s", datetime.timedelta(seconds=2), np.timedelta64(1500, "ms")])
            return rtindex.Query.nearest(self.keys_of_query(), rng.choice(["backward", "forward", "nearest"]),
                                         rng.random() < 0.7, tolerance, filter=mask)
        if kind != "range":
            return rtindex.Query(kind, self.keys_of_query(), filter=mask)
        lower, upper = self.keys_of_query(), self.keys_of_query()
        is_batch = hasattr(lower, "__len__") and not isinstance(lower, (str, bytes, tuple))
        if is_batch and not self.is_composite and rng.random() < 0.7:
            upper = self.column.held(self.column.draw(len(lower)))
        lower, upper = rng.choice([(lower, upper), (lower, upper), (lower, None), (None, upper)])
        return rtindex.Query.range(lower, upper, rng.choice(["[]", "[)", "(]", "()"]), filter=mask)

    def later(self, query):
        """The same query in Dask collections; None where its keys cannot be one."""
        def one(end):
            if isinstance(end, tuple) and all(isinstance(part, (np.ndarray, pd.Series)) for part in end):
                return tuple(lazy(part, 1) for part in end)
            is_batch = isinstance(end, pd.Series) or isinstance(end, np.ndarray) and end.ndim == 1 and end.dtype != object
            return lazy(end, 1 + len(end) % 3) if is_batch and len(end) > 1 else end

        ends = [one(end) for end in (query.lower, query.upper)]
        is_lazy = [new is not old for new, old in zip(ends, (query.lower, query.upper))]
        if not any(is_lazy) or any(not found and hasattr(end, "__len__") and not isinstance(end, (str, bytes))
                                   for found, end in zip(is_lazy, ends)):
            return None
        return rtindex.Query(query.kind, *ends, query.ends, query.direction, query.exact, query.tolerance, query.filter)

    def check_query(self):
        rng, query = self.rng, self.query()
        names = ["count", "first", "last", "rows"] + (["any", "key"] if query.kind == "nearest" else [])
        wanted: Any = rng.sample(names, rng.randrange(1, len(names) + 1))
        wanted += rng.choice([[], rng.sample(NUMBERS, rng.randrange(1, 4))])
        options: dict[str, Any] = {"order": rng.choice(["key", "-key"])} if "rows" in wanted or rng.random() < 0.1 else {}
        if rng.random() < 0.2 and not {"sum", "first", "last"}.isdisjoint(wanted):
            options["miss"] = rng.choice([-1, 7])
        given = None
        if not {*NUMBERS}.isdisjoint(wanted):
            given = self.values if self.included is None and len(self.values) == len(self.local) else self.included or None
        on_dask = lazy(given, self.blocks) if isinstance(given, (np.ndarray, pd.Series)) and rng.random() < 0.5 else given
        what = (f"{self.what} {query.kind}({described(query.lower)}, {described(query.upper)}, {query.ends}, "
                f"{query.direction}, {query.exact}, {query.tolerance!r}, filter={query.filter is not None}) {wanted} {options}")
        answer = wanted if len(wanted) > 1 or rng.random() < 0.5 else wanted[0]
        matched, index, local = rng.random() < 0.3, self.index, self.local
        agree(lambda: index.answer(query, answer, on_dask, matched=matched, **options),
              lambda: local.answer(query, answer, given, matched=matched, **options), what)
        how = rng.choice(["inner", "left", "semi", "anti"])
        agree(lambda: index.join(query, how), lambda: local.join(query, how), f"{what} join {how}")
        if query.kind == "equal":
            agree(lambda: index.rank(query.lower), lambda: local.rank(query.lower), f"{what} rank")
            agree(lambda: index.answer(query, "bitmap"), lambda: local.answer(query, "bitmap"), f"{what} bitmap")
        later, name = self.later(query), rng.choice(wanted)
        if later is not None and name != "key":
            options = {} if name in ("count", "any") else options
            agree_later(lambda: index.answer(later, name, on_dask, **options),
                        lambda: local.answer(query, name, given, **options), f"{what} later {name}")

    # Changes

    def check_change(self):
        rng, column, index, local = self.rng, self.column, self.index, self.local
        new: Any = column.lookups() if rng.random() < 0.6 else column.held(column.draw(3))
        if self.is_composite:
            items = column.draw(3)
            new = rng.choice([(column.held(items), np.array(rng.choices(SECOND, k=3))), [(items[0], 1), None]])
        counts = outcome(lambda: local.lookup(new, "count"))
        size = len(counts) if hasattr(counts, "__len__") else 1
        if size > min(len(local), len(self.values)):
            return
        more = None if self.included is None else self.values[:size]
        named = {self.included: more} if self.included else more
        rows = rng.sample(range(len(local)), size)
        is_batch = isinstance(new, pd.Series) or type(new) is np.ndarray and new.ndim == 1
        later = lazy(new, 2) if is_batch and more is None and rng.random() < 0.4 else new
        change = rng.choice(["insert", "insert", "update", "erase", "erase_keys", "set_included"])
        arguments = {"insert": (new, named), "update": (rows, new), "erase": (rows,), "erase_keys": (new,),
                     "set_included": (rows, self.values[:size], self.included or "")}[change]
        what = f" {change}({described(new)}, {rows}, later={later is not new})"
        on_dask = (later, named) if change == "insert" else arguments
        compare = agree if later is new or change != "insert" else agree_changes
        compare(lambda: getattr(index, change)(*on_dask), lambda: getattr(local, change)(*arguments), self.what + what)
        self.check_column(what)


def agree_changes(on_dask, in_memory, what):
    """As `agree` for new rows in a Dask collection, whose errors may be those of blocks."""
    wanted, found = outcome(in_memory), outcome(on_dask)
    assert isinstance(found, rtindex.Error) == isinstance(wanted, rtindex.Error), f"{what}: {found!r} against {wanted!r}"


def check_round(rng, what, folder):
    # Small batches go straight to workers, larger ones in pieces.
    with mock.patch.object(_engine, "MAX_BATCH", rng.choice([1024, 0])), (
            mock.patch.object(_engine, "PIECE", rng.choice([1 << 19, 3]))):
        case = Case(rng, what)
        if isinstance(case.local, rtindex.Error) or isinstance(case.index, rtindex.Error):
            assert type(case.index) is type(case.local), f"{case.what}: {case.index!r} against {case.local!r}"
            return
        case.check_column()
        for _ in range(4):
            case.check_query()
        for _ in range(rng.randrange(3)):
            case.check_change()
        if rng.random() < 0.3:
            case.index.save(folder)
            case.index = rtindex.dask.load(folder)
            case.check_column(" loaded")
        for _ in range(2):
            case.check_query()


@pytest.fixture(scope="module")
def client():
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as own, (
            dask.config.set({"dataframe.convert-string": False})):  # which turns all objects into texts
        yield own


@pytest.mark.parametrize("part", range(4))
def test_dask_against_memory(client, part, tmp_path):
    for number in range(part, ROUNDS, 4):
        check_round(random.Random(number), f"round {number}", tmp_path / str(number))
