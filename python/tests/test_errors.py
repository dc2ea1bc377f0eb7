"""Errors have the class of their kind, and classes of Python where one fits."""

from __future__ import annotations

import concurrent.futures
import datetime
import decimal
import multiprocessing
import pickle
import re
import subprocess
import sys
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import workers

import rtindex

BASES = {
    rtindex.InvalidArgumentError: ValueError,
    rtindex.UnsupportedError: Exception,
    rtindex.UnavailableError: Exception,
    rtindex.OutOfMemoryError: MemoryError,
    rtindex.FileError: OSError,
    rtindex.CorruptFileError: ValueError,
}


@pytest.mark.parametrize("error", BASES)
def test_bases_and_names(error):
    assert issubclass(error, rtindex.Error) and issubclass(error, BASES[error])
    assert f"{error.__module__}.{error.__qualname__}" == f"rtindex.{error.__name__}"
    assert getattr(rtindex, error.__name__) is error
    again = pickle.loads(pickle.dumps(error("why")))
    assert type(again) is error and str(again) == "why"
    assert not issubclass(rtindex.Error, (ValueError, OSError, MemoryError))


def test_wrong_arguments():
    for call in (lambda: rtindex.build([1], "btre"), lambda: rtindex.build([1]).lookup("a"),
                 lambda: rtindex.build([1]).lookup([1], "all"), lambda: rtindex.build(object())):
        with pytest.raises(rtindex.InvalidArgumentError):
            call()


def test_what_an_index_cannot_do():
    with pytest.raises(rtindex.UnsupportedError):
        rtindex.build([1], "hash").range([1], [1])


def test_what_a_machine_lacks():
    missing = [known for known in rtindex.indexes() if not known.available]
    if not missing:
        pytest.skip("every index is available")
    for known in missing:
        with pytest.raises(rtindex.UnavailableError):
            rtindex.build([1], known.spec)


def test_files(tmp_path):
    index = rtindex.build(np.arange(1000))
    for call in (lambda: rtindex.load(tmp_path / "nowhere.rtindex"),
                 lambda: index.save(tmp_path / "no" / "such" / "folder.rtindex"),
                 lambda: rtindex.draw([1]).save(tmp_path / "no" / "such" / "folder.svg")):
        with pytest.raises(rtindex.FileError):
            call()
    index.save(tmp_path / "index.rtindex")
    whole = (tmp_path / "index.rtindex").read_bytes()
    for damaged in (whole[:100], b"not an index", b"", b"x" + whole[1:]):
        (tmp_path / "damaged.rtindex").write_bytes(damaged)
        with pytest.raises(rtindex.CorruptFileError):
            rtindex.load(tmp_path / "damaged.rtindex")


def test_errors_cross_processes():
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        with pytest.raises(rtindex.InvalidArgumentError, match="btre"):
            pool.submit(workers.build, "btre").result()


def test_memory_that_is_not_there():
    """In a process that may take as much memory as it has, and a little."""
    code = """
import resource
import numpy as np
import rtindex
keys = np.arange(1 << 24)
assert len(rtindex.build(keys[:1000], "rx@cpu")) == 1000  # threads and libraries are there
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + (32 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    rtindex.build(keys, "rx@cpu")
except MemoryError as error:
    assert isinstance(error, rtindex.OutOfMemoryError), error
    print("rejected")
assert rtindex.build(keys[:1000], "rx@cpu").lookup(5) == 5
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (0, "rejected\n"), ended.stderr


def test_answers_that_were_not_asked_for():
    answers = rtindex.build([1, 2]).lookup([1], ["any", "count"])
    assert not hasattr(answers, "sum") and getattr(answers, "rows", None) is None
    with pytest.raises(rtindex.InvalidArgumentError, match="did not return 'sum': add it"):
        answers.sum


def test_lists_name_what_no_column_holds():
    index = rtindex.build([1, 2])
    assert index.lookup([1, pd.NA], "count").tolist() == [1, 0]
    with pytest.raises(rtindex.InvalidArgumentError, match=r"mixes numbers with <object .*\(element 2\)"):
        index.lookup([1, 2, object()])
    for items in ([[1, 2], [3, 4]], [[1], [2, 3]], pd.Series([[1, 2], [3, 4]])):
        with pytest.raises(rtindex.Error, match=r"got list objects \(element 0\); write composite keys as tuples"):
            rtindex.build(items)
    for call in (rtindex.build, rtindex.points, index.lookup, lambda frame: rtindex.build([1], include=frame)):
        with pytest.raises(rtindex.Error, match=r"got a LazyFrame: pass frame.collect\(\)"):
            call(pl.DataFrame({"a": [1], "b": [2]}).lazy())


ENDLESS = """
import sys, threading, time
import numpy as np, rtindex
keys = np.arange(300_000)
index = rtindex.build(keys)
calls = {"lookup": lambda: index.lookup(keys), "one": lambda: index.lookup(7), "insert": lambda: index.insert([1]),
         "build": lambda: rtindex.build(keys)}
def work():
    while True:
        calls[sys.argv[1]]()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""


@pytest.mark.parametrize("call", ["lookup", "one", "insert", "build"])
def test_the_interpreter_ends_while_daemon_threads_work(call):
    ran = subprocess.run([sys.executable, "-c", ENDLESS, call], capture_output=True, text=True, timeout=60,
                         check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


TIMES = {
    "numpy": (np.array(["2024-01-02"], "M8[s]"), np.array(["2024-01-01"], "M8[s]"), "2024-01-01T00:00:00"),
    "dates": ([datetime.date(2024, 1, 2)], [datetime.date(2024, 1, 1)], "2024-01-01"),
    "pandas": (pd.Series(pd.to_datetime(["2024-01-02"]).tz_localize("UTC")),
               pd.Series(pd.to_datetime(["2024-01-01"]).tz_localize("UTC")), "2024-01-01T00:00:00"),
}


@pytest.mark.parametrize("name", TIMES)
def test_reversed_intervals_are_shown_as_times(name):
    start, end, text = TIMES[name]
    with pytest.raises(rtindex.Error, match=f"ends at {text}.*starts at 2024-01-02"):
        rtindex.build(rtindex.intervals(start, end, ends="[)"))
    index = rtindex.build(rtindex.intervals(end, start, ends="[)"))
    with pytest.raises(rtindex.Error, match=f"ends at {text}"):
        index.insert(rtindex.intervals(start, end, ends="[)"))
    with pytest.raises(rtindex.Error, match=f"ends at {text}"):
        index.update([0], rtindex.intervals(start, end, ends="[)"))
    assert len(index) == 1
    with pytest.raises(rtindex.Error, match="ends at 1, before it starts at 2"):
        rtindex.build(rtindex.intervals([2], [1], ends="[)"))


INSTANTS = np.array(["2024-02-29"], "M8[us]")
TYPES = [
    (INSTANTS, pd.Series(["2024"], dtype=pd.ArrowDtype(pa.string())), "a datetime64[us] column: pass pd.to_datetime(keys)"),
    (INSTANTS, pl.Series(["2024"]), "String keys .* a datetime64[us] column: pass keys.str.to_datetime()"),
    (INSTANTS, pa.array(["2024"]), 'string keys .* a datetime64[us] column: pass keys.cast(pa.timestamp("us"))'),
    (INSTANTS, [1.5], "float64 keys .* a datetime64[us] column: convert them to datetime64[us] first"),
    (pa.array(INSTANTS).cast(pa.timestamp("ms", "UTC")), [5], "int64 keys .* a datetime64[ms, UTC] column"),
    (INSTANTS - INSTANTS, pd.Series(["5s"], dtype="string"), "a timedelta64[us] column: pass pd.to_timedelta(keys)"),
    ([1], INSTANTS, "datetime64[us] keys .* an int64 column: convert them to int64 first"),
    ([1], "x", "string keys .* an int64 column"),
    ([1], [datetime.timedelta(1)], "timedelta64[us] keys .* an int64 column"),
    (["a"], pa.array([decimal.Decimal("1.5")], pa.decimal128(2, 1)), "decimal128(2, 1) keys .* a string column: pass strings"),
    (pa.array([decimal.Decimal("1.5")], pa.decimal128(2, 1)), ["a"], "string keys .* a decimal128(38, 1) column"),
    ([decimal.Decimal("1.5")], 1.5, 'float64 keys .* a decimal128(18, 1) column: pass Decimal objects, such as Decimal("1.5")'),
    (["a"], [uuid.UUID(int=5)], "UUID keys .* a string column"),
    (pa.array([datetime.date(2024, 2, 29)]), [5], "int64 keys .* a date column"),
    (pd.Series([1], name="k"), ["a"], "string values .* column 'k', which is int64: convert them to int64 first"),
    (([1], INSTANTS), ([1], [True]), "bool keys .* a datetime64[us] column"),
]


@pytest.mark.parametrize(("column", "keys", "sentence"), TYPES, ids=lambda one: one[:40] if isinstance(one, str) else "")
def test_types_have_the_names_of_their_library(column, keys, sentence):
    index = rtindex.build(column)
    pattern = re.escape(sentence).replace(re.escape(" .* "), " cannot be compared with ")
    several = [keys] if isinstance(keys, (str, float)) else keys
    for call in (index.lookup, index.erase_keys, lambda _: index.isin(several),
                 lambda keys: index.range(keys, keys), lambda keys: index.update([0], keys)):
        with pytest.raises(rtindex.InvalidArgumentError, match=pattern):
            call(keys)


@pytest.mark.parametrize(("column", "name"), [
    (pa.array([[1]]), "list"), (pl.Series([[1]]), "large list"), (pa.array([[1]], pa.list_(pa.int8(), 1)), "fixed-size list"),
    (pa.RunEndEncodedArray.from_arrays([1], [5]), "run-end encoded"),
    (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "interval of the calendar")])
def test_types_that_no_column_has_are_named(column, name):
    for call in (rtindex.build, rtindex.build([1]).lookup):
        with pytest.raises(rtindex.InvalidArgumentError, match=f"unsupported Arrow type '{name}': cast it"):
            call(column)


def test_columns_of_points_have_their_names():
    index = rtindex.build(rtindex.points(price=[1.5, 2], store=[7, 8]))
    for call in (lambda: index.filter({"price": "x"}), lambda: index.filter({"price": ("x", None)}),
                 lambda: index.insert({"price": ["x"], "store": [7]}),
                 lambda: index.update([0], {"price": ["x"], "store": [7]})):
        with pytest.raises(rtindex.Error, match="string values cannot .* column 'price', which is float64"):
            call()
    with pytest.raises(rtindex.Error, match=r"'price' and 'store' differ in length \(2 and 1 rows\)"):
        rtindex.build(rtindex.points(price=[1, 2], store=[7]))
