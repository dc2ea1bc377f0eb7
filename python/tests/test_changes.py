"""Inserting, erasing and changing rows, against a plain table; None is a null or an erased row."""

from __future__ import annotations

import copy
import datetime
import math
import pickle
import re
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import matches

import rtindex

USABLE = [known.spec for known in rtindex.indexes() if known.available]
ORDERED = [spec for spec in USABLE if spec.split("@")[0] in ("rx:native", "sorted", "btree")]
DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)


def rows_of(index, keys):
    return [sorted(rows) for rows in index.lookup(keys, "rows").to_pylist()]


class Table:
    """An index, and the lists that it must agree with."""

    def __init__(self, keys, values, spec):
        self.keys, self.values = list(keys), list(values)
        self.erased = set()
        self.has_order = not spec.startswith("hash")
        include = np.array(values) if spec in ORDERED else None
        self.index = rtindex.build(np.array(keys), spec, include=include)

    def insert(self, keys, values):
        more = {"values": values} if self.index.included else {}
        assert self.index.insert(keys, **more) == len(self.keys)
        self.keys += keys
        self.values += values

    def erase(self, rows):
        self.index.erase(rows)
        self.forget(rows)

    def erase_keys(self, keys):
        found = [row for row, key in enumerate(self.keys) if key is not None and key in keys]
        assert self.index.erase_keys(keys) == len(found)
        self.forget(found)

    def forget(self, rows):
        self.erased.update(rows)
        for row in rows:
            self.keys[row] = None

    def update(self, rows, keys):
        self.index.update(rows, keys)
        for row, key in zip(rows, keys):
            self.keys[row] = key

    def set_included(self, rows, values):
        if self.index.included:
            self.index.set_included(rows, values)
        for row, value in zip(rows, values):
            self.values[row] = value

    def check(self, index, wanted):
        assert len(index) == len(self.keys)
        assert index.valid == sum(key is not None for key in self.keys)
        assert rows_of(index, wanted) == matches(self.keys, wanted, wanted)
        given = None if index.included else np.array(self.values)
        if self.has_order:
            found = matches(self.keys, [min(wanted)], [max(wanted)])[0]
            answers = index.range(min(wanted), max(wanted), ["count", "sum", "min", "max"], given)
            values = [self.values[row] for row in found]
            assert answers.count == len(found)
            assert (answers.sum, answers.min, answers.max) == (sum(values), min(values),
                                                               max(values))


@pytest.mark.parametrize("delta", [0, 10, None])
@pytest.mark.parametrize("spec", USABLE)
def test_a_table_that_changes(spec, delta, seeded):
    size = 60
    table = Table([seeded.randrange(40) for _ in range(size)],
                  [seeded.randrange(1000) for _ in range(size)],
                  spec if delta is None else f"{spec},delta={delta}")
    wanted = list(range(-5, 55))
    kept = []
    for _ in range(12):
        count = seeded.randrange(1, 8)
        table.insert([seeded.choice([None, *range(-3, 50)]) for _ in range(count)],
                     [seeded.randrange(1000) for _ in range(count)])
        there = [row for row in range(len(table.keys)) if row not in table.erased]
        changed = seeded.sample(there, 6)
        table.update(changed, [seeded.choice([None, *range(-3, 50)]) for _ in changed])
        table.set_included(changed[:3], [seeded.randrange(1000) for _ in range(3)])
        table.erase(seeded.sample(there, 3))
        table.erase_keys([seeded.randrange(50), 1000])
        table.check(table.index, wanted)
        kept.append((table.index.snapshot(), rows_of(table.index, wanted)))
    table.check(pickle.loads(pickle.dumps(table.index)), wanted)
    table.check(copy.deepcopy(table.index), wanted)
    table.index.merge()
    table.check(table.index, wanted)
    assert "\nsegments: 1 " in table.index.describe()
    for snapshot, found in kept:
        assert rows_of(snapshot, wanted) == found


MAKERS = {
    "list": list,
    "numpy": np.array,
    "strides": lambda items: np.repeat(np.array(items), 2)[::2],
    "narrow": lambda items: np.array(items, np.int16),
    "pyarrow": pa.array,
    "chunks": lambda items: pa.chunked_array([items[:1], items[1:]]),
    "pandas": pd.Series,
    "nullable pandas": lambda items: pd.Series(items, dtype="Int64"),
    "pandas index": pd.Index,
    "polars": pl.Series,
}


@pytest.mark.parametrize("maker", MAKERS)
def test_every_kind_of_array(maker):
    make = MAKERS[maker]
    index = rtindex.build(np.arange(10, 20), include=np.arange(10, dtype=np.int16))
    values = make([100, 200, 300])
    narrow = values if maker in ("list", "narrow") else make(np.array([100, 200, 300], np.int16))
    if maker in ("chunks", "nullable pandas"):
        narrow = np.array([100, 200, 300], np.int16)
    first = index.insert(make([5, 30, 30]), narrow)
    assert first == 10 and type(first) is int
    assert rows_of(index, [5, 30]) == [[10], [11, 12]]
    index.erase(make([0, 12, 3]))
    assert rows_of(index, [10, 13, 30]) == [[], [], [11]]
    assert index.erase_keys(make([11, 12, 77])) == 2
    index.update(make([4, 5]), make([40, 41]))
    assert rows_of(index, [14, 40, 41]) == [[], [4], [5]]
    index.set_included(make([4, 5, 6]), narrow)
    assert index.lookup([40, 41, 16], "sum").tolist() == [100, 200, 300]
    assert (len(index), index.valid) == (13, 8)


def test_one_key_and_one_row():
    index = rtindex.build([7, 8], include=[1.5, 2.5])
    assert index.insert(9, 3) == 2
    assert index.insert(np.int32(10), np.float32(4.5)) == 3
    assert index.insert(np.array(11), np.array(5.5)) == 4
    index.update(0, 70)
    index.set_included(1, 20)
    index.erase(2)
    index.erase(np.array(3))
    assert index.erase_keys(11) == 1
    assert index.lookup([70, 8, 9, 10, 11], "sum", miss=0).tolist() == [1.5, 20, 0, 0, 0]
    assert index.valid == 2


def test_nothing_is_a_change_too():
    index = rtindex.build([7, 8], include=[1, 2])
    assert index.insert([], []) == 2
    assert index.insert(np.array([], np.int64), np.array([], np.int64)) == 2
    index.erase([])
    index.update([], [])
    index.set_included([], [])
    assert index.erase_keys([]) == 0 and index.erase_keys([9, None]) == 0
    index.merge()
    assert (len(index), index.valid) == (2, 2)
    empty = rtindex.build(np.array([], np.int32))
    assert empty.insert([5, None, 5]) == 0
    assert (len(empty), empty.valid, rows_of(empty, [5])) == (3, 2, [[0, 2]])


def test_strings_and_nulls():
    index = rtindex.build(["https://example.org/a", None, "https://example.org/b"])
    assert index.insert(pl.Series(["no prefix", None, ""])) == 3
    assert index.insert("https://example.org/a") == 6
    assert (len(index), index.valid) == (7, 5)
    keys = ["https://example.org/a", "no prefix", ""]
    assert rows_of(index, keys) == [[0, 6], [3], [5]]
    index.update([1, 4], ["now", "here"])
    index.erase([4])
    assert rows_of(index, ["now", "here"]) == [[1], []]
    assert index.erase_keys(np.array(["https://example.org/a", "x"])) == 2
    assert index.erase_keys([None]) == 0
    assert rows_of(index, keys) == [[], [3], [5]]


def test_composites():
    index = rtindex.build((["Ulm", "Bonn"], [2020, 2021]), include=[1, 2])
    assert index.insert(("Ulm", 2022), 3) == 2
    assert index.insert([("Kiel", 5), None, ("Ulm", 2020)], [4, 5, 6]) == 3
    assert index.insert(pa.table({"city": ["Bonn"], "year": [2021]}), [7]) == 6
    assert index.insert(pl.DataFrame({"city": ["Bonn"], "year": [2023]}), [8]) == 7
    assert index.insert((np.array(["Ulm"]), np.array([2020])), [9]) == 8
    found = index.lookup([("Ulm", 2020), ("Bonn", 2021), ("Kiel", 5)], ["count", "sum"])
    assert found.count.tolist() == [3, 2, 1] and found.sum.tolist() == [16, 9, 4]
    assert index.erase_keys([("Ulm", 2020), ("Rom", 1)]) == 3
    index.update([1], ("Rom", 1))
    assert index.lookup([("Bonn", 2021), ("Rom", 1)], "sum").tolist() == [7, 2]
    assert (len(index), index.valid) == (9, 5)
    with pytest.raises(rtindex.Error, match="parts"):
        index.insert([("Ulm", 1, 2)], [1])


def test_times():
    index = rtindex.build(np.array([NOON], "M8[ms]"), include=pd.Series([NOON]).dt.tz_localize(
        "Europe/Berlin").astype("datetime64[s, Europe/Berlin]"))
    second = datetime.timedelta(seconds=1)
    noon, midnight = (pd.Timestamp(time, tz="UTC") for time in (NOON, DAY))
    assert index.insert(NOON + second, noon) == 1
    assert index.insert(np.array(["2024-03-01", "NaT"], "M8[D]"), [midnight, noon]) == 2
    assert index.insert(pa.array([NOON], pa.timestamp("ms")),
                        pa.array([NOON], pa.timestamp("us", "UTC"))) == 4
    index.set_included([1], pd.Series([noon + 2 * second]))
    keys = pd.Series([NOON, NOON + second, pd.Timestamp("2024-03-01")]).astype("datetime64[ms]")
    found = index.lookup(keys, "max")
    assert str(found.dt.tz) == "Europe/Berlin"
    assert found.dt.tz_convert("UTC").dt.tz_localize(None).tolist() == [
        NOON, NOON + 2 * second, pd.Timestamp(DAY)]
    assert index.valid == 4
    between = NOON + datetime.timedelta(microseconds=1)
    for call in (lambda: index.insert(np.array([between], "M8[us]"), [noon]),
                 lambda: index.update([0], between),
                 lambda: index.insert([NOON], [pd.Timestamp(between, tz="UTC")]),
                 lambda: index.set_included([0], [pd.Timestamp(between, tz="UTC")])):
        with pytest.raises(rtindex.Error, match="12:00:00.000001.* falls between two ticks"):
            call()
    for call in (lambda: index.insert(noon, noon), lambda: index.insert(NOON, NOON),
                 lambda: index.erase_keys([noon]), lambda: index.set_included([0], [NOON])):
        with pytest.raises(rtindex.Error, match="time zone"):
            call()
    assert index.erase_keys(pa.array([between], pa.timestamp("us"))) == 0
    dates = rtindex.build([DAY], include=pa.array([DAY], pa.date32()))
    assert dates.insert([NOON.date() + datetime.timedelta(1)], [datetime.date(2020, 1, 1)]) == 1
    assert dates.range(None, None, "min") == datetime.date(2020, 1, 1)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64", "float32", "float64",
                                   "bool"])
def test_numbers_of_python_take_the_type_of_the_included_values(dtype):
    index = rtindex.build([1, 2], include=np.array([1, 0], dtype))
    numbers = [True, False] if dtype == "bool" else [100, 7]
    assert index.insert([3, 4], numbers) == 2
    index.set_included(range(2), tuple(numbers))
    assert index.lookup([1, 2, 3, 4], "max").tolist() == [*numbers, *numbers]


def test_whole_floats_find_what_to_erase():
    index = rtindex.build([1, 2, 3])
    assert index.erase_keys([2.0, 2.5]) == 1
    assert rows_of(index, [1, 2, 3]) == [[0], [], [2]]
    with pytest.raises(rtindex.InvalidArgumentError, match="float64 .*int64"):
        index.insert([9.0])
    assert len(index) == 3


def test_names_of_arguments():
    index = rtindex.build(column=[1, 2], include=[5, 6])
    assert index.insert(keys=[3], values=[7]) == 2
    index.erase(rows=[0])
    assert index.erase_keys(keys=[2]) == 1
    index.update(rows=[2], keys=[4])
    index.set_included(rows=[2], values=[8])
    assert index.lookup(4, "sum") == 8


def test_rows_may_be_an_iterator():
    index = rtindex.build([1, 2, 3, 4])
    index.erase(row for row in (0, 2))
    index.update(np.array([1], object), [9])
    assert [*index] == [4, 9]


PLAIN = [5, 6, 7]
REFUSED = {
    "row 1 is named twice": lambda index: index.erase([1, 1]),
    "expected rows of a column of 3 rows, 0 to 2": lambda index: index.erase([3]),
    "0 to 2": lambda index: index.set_included([-1], [1]),
    "rows of type float64: expected integers": lambda index: index.erase([0.5]),
    "of 2 dimensions": lambda index: index.erase([[0, 1], [2, 3]]),
    "a flat list of integers": lambda index: index.erase([[0], [1, 2]]),
    "pass np.flatnonzero(mask)": lambda index: index.erase(np.array([True, False, True])),
    "rows of type <U1": lambda index: index.erase(["0"]),
    "rows: one is null; remove it": lambda index: index.erase([None]),
    "one is null": lambda index: index.update(pa.array([0, None]), [1, 2]),
    "rows: one is null": lambda index: index.erase(pd.array([0, None], "Int64")),
    "one is null; ": lambda index: index.erase(pl.Series([0, None])),
    "row 99: expected rows of a column of 3 rows": lambda index: index.erase([0, 99]),
    "row 1180591620717411303424: ": lambda index: index.erase([2**70]),
    "pass sorted(rows)": lambda index: index.erase({0, 1}),
    "one is masked": lambda index: index.erase(np.ma.MaskedArray([0, 2], [False, True])),
    "string keys cannot be compared": lambda index: index.insert(["a"], [1]),
    "cannot be compared with an int64 column": lambda index: index.erase_keys(["a"]),
    "expected 2 values of type": lambda index: index.insert([1, 2]),
    "expected values of type int16, as the index includes them, got int64":
        lambda index: index.insert([1], np.array([1])),
    "got float64": lambda index: index.set_included([0], np.array([0.5])),
    "invalid value 40000: expected int16": lambda index: index.insert([1], [40000]),
    "invalid value 0.5: expected int16": lambda index: index.set_included([0], [0.5]),
    "1 values": lambda index: index.set_included([0, 1], [1]),
    "got 2 rows and 1 keys": lambda index: index.update([0, 1], [1]),
    "expected a column": lambda index: index.insert(None, [1]),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_rejected_change_changes_nothing(sentence):
    index = rtindex.build(PLAIN, include=np.array([1, 2, 3], np.int16))
    with pytest.raises(rtindex.InvalidArgumentError) as caught:
        REFUSED[sentence](index)
    assert sentence in str(caught.value)
    assert (len(index), index.valid) == (3, 3)
    assert index.lookup(PLAIN, "sum").tolist() == [1, 2, 3]


def test_erased_rows_are_gone():
    index = rtindex.build(PLAIN)
    index.erase([1])
    for call in (lambda: index.erase([1]), lambda: index.update([1], [9])):
        with pytest.raises(rtindex.InvalidArgumentError, match="row 1"):
            call()
    assert rows_of(index, [5, 6, 7, 9]) == [[0], [], [2], []]
    assert index.insert([6]) == 3  # rowIDs are not reused
    assert rows_of(index, [6]) == [[3]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_frames_are_included_columns(make):
    index = rtindex.build([5, 7, 5], include=make({"price": [1, 2, 3], "weight": [0.5, 1.5, 2.5]}))
    assert index.included == {"price": "int64", "weight": "float64"}
    assert index.lookup([5, 7], "sum", "weight").tolist() == [3.0, 1.5]
    index.insert([7], make({"weight": [8.0], "price": [4]}))
    assert index.lookup(7, "sum", "price") == 6


def test_values_are_as_many_as_rows():
    index = rtindex.build(PLAIN)
    index.erase([0])
    index.insert([5])
    assert index.lookup(5, "sum", [1, 2, 3, 4]) == 4
    with pytest.raises(rtindex.Error, match="got 3 values for 4 rows"):
        index.lookup(5, "sum", [1, 2, 3])
    for call in (lambda: index.insert([1], [1]), lambda: index.set_included([1], [1])):
        with pytest.raises(rtindex.Error, match="no included values"):
            call()


def test_an_index_describes_its_rows():
    index = rtindex.build(PLAIN)
    assert "3 rows of int64, " in repr(index) and "valid" not in repr(index)
    index.erase([1])
    assert len(index) == 3 and index.valid == 2
    assert "3 rows of int64, 2 valid, " in repr(index)
    assert re.search(r"^rows: 2 \w+, 1 \w+, 0 null$", index.describe(), re.MULTILINE)
    with pytest.raises(AttributeError):
        setattr(index, "valid", 3)  # noqa: B010


def test_saved_files_keep_changes(tmp_path):
    index = rtindex.build(np.arange(1000), "rx:native,delta=1000")
    index.insert([5, None, 5000])
    index.erase([5, 7])
    index.save(tmp_path / "index.rtindex")
    again = rtindex.load(tmp_path / "index.rtindex", verify="full")
    assert (len(again), again.valid) == (1003, 1000)
    assert rows_of(again, [5, 7, 5000]) == [[1000], [], [1002]]
    again.insert([7])
    again.save(tmp_path / "index.rtindex")  # over the file that it maps
    assert rows_of(rtindex.load(tmp_path / "index.rtindex"), [7]) == [[1003]]


def test_snapshots_are_indexes():
    noon = pd.Timestamp(NOON, tz="UTC")
    index = rtindex.build(pa.array([NOON], pa.timestamp("us", "Europe/Berlin")))
    snapshot = index.snapshot()
    assert type(snapshot) is rtindex.Index
    assert (snapshot.spec, snapshot.time_unit, len(snapshot)) == (index.spec, "us", 1)
    index.insert([noon])
    snapshot.erase([0])
    assert rows_of(index, [noon]) == [[0, 1]] and rows_of(snapshot, [noon]) == [[]]
    assert snapshot.insert([noon]) == 1
    assert len(index) == 2


def test_chunked_lookups_see_one_state():
    """A call answers from one version of the index, also where it is several batches."""
    size = 1 << 15
    index = rtindex.build(np.zeros(size, np.int64))
    key = pa.array(np.zeros(size, np.int64))
    keys = pa.chunked_array([key] * 4)
    done = threading.Event()

    def change():
        while not done.is_set():
            index.insert(np.zeros(8, np.int64))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(20):
            counts = index.lookup(keys, "count").to_numpy()
            assert (counts == counts[0]).all() and counts[0] >= size
    finally:
        done.set()
        thread.join()


def test_readers_and_a_writer():
    """Every answer belongs to one version: rows 2i and 2i + 1 come and go together."""
    index = rtindex.build(np.array([0, 0]), "rx:native,delta=64")
    problems = []
    done = threading.Event()

    def read():
        while not done.is_set():
            found = index.lookup([0, 1], ["count", "rows"])
            if int(found.count.sum()) != 2 or found.rows.rows.size != 2:
                problems.append(found.count.tolist())

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    rows = [0, 1]
    for i in range(300):
        index.update(rows, [(i + 1) % 2] * 2)
    done.set()
    for reader in readers:
        reader.join()
    assert problems == []


@pytest.mark.parametrize(("held", "values"), [
    ("i8", [2**63]), ("i8", [2**64 - 1]), ("i8", (2**63,)), ("i8", [np.uint64(2**63)]), ("i8", [2**70]),
    ("i8", 2**63), ("i8", [2.0**63]), ("u8", [-1]), ("u8", -1), ("u8", [-(2**63)]), ("u8", [2**64]),
    ("u8", [2.0**64]), ("i1", [200]), ("u4", [-1]), ("f4", [1e300]), ("f4", [-1e39])])
def test_values_that_the_type_cannot_hold_change_nothing(held, values):
    of_two = {"a": values if isinstance(values, (list, tuple)) else [values], "b": [1]}
    for include, given in ((np.array([3], held), values),
                           ({"a": np.array([3], held), "b": np.array([1])}, of_two)):
        index = rtindex.build([1], "sorted", include=include)
        name = "a" if isinstance(include, dict) else ""
        with pytest.raises(rtindex.InvalidArgumentError, match="invalid value .*expected u?(int|float)"):
            index.insert([7], given)
        with pytest.raises(rtindex.InvalidArgumentError, match="invalid value"):
            index.set_included([0], values, name)
        assert len(index) == 1 and index.lookup(1, "max", name) == 3


def test_nulls_beside_values_that_do_not_fit():
    index = rtindex.build([1], "sorted", include=np.array([0], "i8"))
    with pytest.raises(rtindex.InvalidArgumentError, match="invalid value 9223372036854775808: expected int64"):
        index.insert([7, 8], [2**63, None])
    assert index.insert([7, 8], [2**63 - 1, None]) == 1 and index.lookup(7, "max") == 2**63 - 1


def test_included_floats_may_be_rounded():
    index = rtindex.build([1], "sorted", include=np.array([0], "f4"))
    index.insert([2, 3, 4], [0.1, math.inf, 3e38])
    assert index.lookup([2, 3, 4], "max").tolist() == [np.float32(0.1), math.inf, np.float32(3e38)]
    with pytest.raises(rtindex.InvalidArgumentError, match="9007199254740993 is given for a column of floats"):
        rtindex.build([1], "sorted", include=np.array([0.5])).insert([7], [2**53 + 1])


def test_integers_beyond_64_bits_as_keys_name_the_types_of_128():
    for change in (lambda: rtindex.build([1, 2**70]), lambda: rtindex.build([1]).insert([2**70]),
                   lambda: rtindex.build([1]).update([0], [2**70])):
        with pytest.raises(rtindex.InvalidArgumentError, match="polars Series of Int128 or UInt128"):
            change()


def test_new_points_have_all_columns():
    index = rtindex.build(rtindex.points(a=[1, 2], b=[3, 4], c=[5, 6]))
    with pytest.raises(rtindex.InvalidArgumentError, match="the new rows have no 'b', 'c': pass the same columns"):
        index.insert({"a": [1]})
    with pytest.raises(rtindex.InvalidArgumentError, match="the new rows have no 'b': pass the same columns"):
        index.update([0], {"a": [1], "c": [2]})
    assert index.insert({"c": [1], "b": [2], "a": [3]}) == 2
