"""The package around the calls: files, pictures, threads, errors and GPUs."""

from __future__ import annotations

import decimal
import importlib.resources
import re
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex
from rtindex import _core


def test_files_keep_everything(tmp_path):
    times = np.array(["2024-02-29", "2024-03-01"], "M8[ms]")
    index = rtindex.build(times, "btree", include=np.array([1.5, 2.5]))
    index.save(tmp_path / "times.rtindex")
    for verify in ("quick", "full"):
        loaded = rtindex.load(tmp_path / "times.rtindex", verify)
        assert (loaded.spec, loaded.type, loaded.time_unit, loaded.included) == (
            index.spec, "timestamp64", "ms", {"": "float64"})
        assert loaded.lookup(times, "sum").tolist() == [1.5, 2.5]
        assert loaded.lookup(times.astype("M8[us]")).tolist() == [0, 1]
    with pytest.raises(rtindex.Error, match="quick or full"):
        rtindex.load(tmp_path / "times.rtindex", "well")
    with pytest.raises(rtindex.Error, match="nowhere"):
        rtindex.load(tmp_path / "nowhere.rtindex")


def test_paths(tmp_path):
    index = rtindex.build([7])
    for name in (tmp_path / "a", str(tmp_path / "b"), bytes(tmp_path / "c")):
        index.save(name)
        assert rtindex.load(name).lookup(7) == 0
    rtindex.draw([1]).save(bytes(tmp_path / "d"))
    assert (tmp_path / "d").read_text(encoding="utf-8").startswith("<")


def test_pictures(tmp_path):
    picture = rtindex.draw(np.array([26, 25, 29, 23, 29, 27]), keys=[29], ranges=[(23, 25)],
                           title="<articles>")
    assert repr(picture) == "<rtindex.Picture: a scene of 6 keys>"
    root = ElementTree.fromstring(picture._repr_svg_())
    assert root.tag.endswith("svg")
    text = " ".join(root.itertext())
    assert "point 29" in text and "range [23, 25]" in text and "<articles>" in text
    picture.save(tmp_path / "scene.svg")
    assert (tmp_path / "scene.svg").read_text(encoding="utf-8") == picture.svg
    assert picture.svg.count("<polygon") + picture.svg.count("<path") > 6
    spheres = rtindex.draw([1, 2, 3], spec="rx,primitive=sphere", bvh=True)
    assert "sphere" in spheres.svg
    strings = rtindex.draw(pa.array(["a", "b"]), keys=["b"])
    assert "point" in strings.svg
    with pytest.raises(rtindex.Error, match="casts no rays"):
        rtindex.draw([1, 2], spec="btree")
    with pytest.raises(rtindex.Error, match="200"):
        rtindex.draw(np.arange(201))


@pytest.fixture
def no_forced_switches():
    """A thread runs on until it waits, or gives the interpreter's lock away itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("call", [
    lambda index, keys: index.lookup(keys, "first"),
    lambda index, keys: index.lookup(pa.array(keys), "rows"),
    lambda index, keys: index.range(keys, keys, "count"),
    lambda index, keys: rtindex.build(keys, "sorted"),
], ids=["lookup", "rows", "range", "build"])
def test_the_lock_is_released(call, no_forced_switches):
    keys = np.random.default_rng(7).permutation(1 << 20)
    index = rtindex.build(keys, "sorted")
    started, done = threading.Event(), threading.Event()

    def work():
        started.set()
        call(index, keys)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    started.wait()  # returns when the worker gives the lock away: inside the call, or after it
    came_back_inside = not done.is_set()
    worker.join()
    assert came_back_inside


def test_many_threads_look_up_at_once():
    keys = np.random.default_rng(7).permutation(100_000)
    index = rtindex.build(keys)
    wrong = []

    def work(seed):
        wanted = np.random.default_rng(seed).integers(0, 100_000, 20_000)
        for _ in range(5):
            if not (keys[index.lookup(wanted)] == wanted).all():
                wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


class Unreadable:
    def __arrow_c_stream__(self, requested_schema=None):
        raise TypeError("why")


REFUSED = {
    "'btre'": lambda: rtindex.build([1], "btre"),
    "2 dimensions": lambda: rtindex.build(np.zeros((2, 2))),
    "complex128": lambda: rtindex.build(np.zeros(2, complex)),
    "expected a column": lambda: rtindex.build(object()),
    "write composite keys as tuples": lambda: rtindex.build([[1], [2, 3]]),
    "mixes strings with 5 (element 1)": lambda: rtindex.build(["a", 5]),
    "Decimal objects": lambda: rtindex.build([decimal.Decimal(5), 0.5]),
    "got a dict": lambda: rtindex.build({"a": [1]}),
    "got one str": lambda: rtindex.build("abc"),
    "got a set": lambda: rtindex.build({1, 2}),
    "got one int": lambda: rtindex.build(5),
    "invalid limit=-1": lambda: rtindex.build([1]).lookup([1], "rows", limit=-1),
    "Arrow type": lambda: rtindex.build(pa.array([[1]])),
    "no unit": lambda: rtindex.build(np.array([1], "m8")),
    "float64 keys cannot be compared": lambda: rtindex.build(["a"]).lookup([1.5]),
    "string keys cannot be compared": lambda: rtindex.build([1]).lookup("a"),
    "invalid answer='all': expected any, first": lambda: rtindex.build([1]).lookup([1], "all"),
    "invalid answer=[]": lambda: rtindex.build([1]).lookup([1], []),
    "need a value column": lambda: rtindex.build([1]).lookup([1], "sum"),
    "got 2 values for 1 rows": lambda: rtindex.build([1]).lookup([1], "sum", [1, 2]),
    "got 1 lower and 2 upper": lambda: rtindex.build([1]).range([1], [1, 2]),
    "rows of a column of 1 rows, 0 to 0": lambda: rtindex.build([1]).update([1], [5]),
    "type float64: expected integers": lambda: rtindex.build([1]).update([0.5], [5]),
    "twice": lambda: rtindex.build([1, 2]).update([0, 0], [5, 5]),
    "invalid spec=None": lambda: rtindex.build([1], None),
    'invalid spec=5: expected a string such as "rx"': lambda: rtindex.draw([1], spec=5),
    "invalid answer=None": lambda: rtindex.build([1]).lookup([1], None),
    "invalid answer=5": lambda: rtindex.build([1]).range([1], [1], ["any", 5]),
    "invalid limit=1.5": lambda: rtindex.build([1]).lookup([1], "rows", limit=1.5),
    "invalid limit='1': expected an integer": lambda: rtindex.build([1]).lookup([1], limit="1"),
    "str, bytes or Path, got int": lambda: rtindex.build([1]).save(5),
    "str, bytes or Path, got NoneType": lambda: rtindex.load(None),
    "invalid path 'x\\x00y'": lambda: rtindex.build([1]).save("x\0y"),
    "cannot contain NUL": lambda: rtindex.load(b"x\0y"),
    "expected UTF-8": lambda: rtindex.load("\udcff"),
    ".to_timestamp()": lambda: rtindex.build(pd.period_range("2024", periods=2, freq="M")),
    "periods": lambda: rtindex.build(pd.Series(pd.period_range("2024", periods=2, freq="D"))),
    "got SeriesGroupBy": lambda: rtindex.build(pd.Series([1]).groupby([1])),
    "Unreadable cannot be read through Arrow: why": lambda: rtindex.build(Unreadable()),
    "Object: cast the column": lambda: rtindex.build(pl.Series([1], dtype=pl.Object)),
    "unsupported polars type Object": lambda: rtindex.build(
        pl.DataFrame({"a": [1], "b": pl.Series([{}], dtype=pl.Object)})),
    "falls between two ticks of the column's datetime64[s]": lambda: rtindex.build(
        np.zeros(1, "M8[s]")).insert(np.ones(1, "M8[ns]")),
    "the column has none": lambda: rtindex.build(np.zeros(1, "M8[s]")).lookup(
        pa.array([0], pa.timestamp("s", "UTC"))),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_errors_say_what_to_do(sentence):
    with pytest.raises(rtindex.Error) as caught:
        REFUSED[sentence]()
    assert isinstance(caught.value, ValueError)
    assert sentence in str(caught.value)


class OnDevice:
    """As libraries present arrays on a GPU."""

    __cuda_array_interface__ = {"shape": (2,), "typestr": "<i8", "data": (4096, True), "version": 3}


class OnDlpackDevice:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise AssertionError("device memory must not be read")


@pytest.mark.parametrize("array", [OnDevice(), OnDlpackDevice()])
def test_device_arrays_are_recognised(array):
    for call in (lambda: rtindex.build(array), lambda: rtindex.build([1]).lookup(array)):
        with pytest.raises(rtindex.Error, match="in device memory"):
            call()


def test_an_index_on_the_cpu_reads_no_device_memory():
    device = _core.Column.device("int64", 4096, 2, object())  # an address that nobody may read
    index = rtindex.build([1], "sorted@cpu")._core
    with pytest.raises(rtindex.Error, match="device memory"):
        _core.build(device, "sorted@cpu", [], [], 0)
    with pytest.raises(rtindex.Error, match="device memory"):
        index.answer_on_device(_core.Query("equal", device), None, "", None, {"any": 4096}, 0, 1,
                               "", 0)
    with pytest.raises(rtindex.Error, match="in host and in device memory"):
        _core.Column.composite([device, _core.Column.elements("int64", np.zeros(2, np.int64))])


def test_the_stub_names_what_the_package_has():
    """Type checkers read __init__.pyi, programs __init__.py."""
    stub = importlib.resources.files(rtindex).joinpath("__init__.pyi").read_text(encoding="utf-8")
    named = set(re.findall(r" as (\w+)$", stub, re.MULTILINE))
    assert named == {*rtindex.__all__, "dask", "duckdb", "pandas", "polars"}
    assert all(getattr(rtindex, name) is not None for name in rtindex.__all__)
    assert set(dir(rtindex)) >= {*rtindex.__all__, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(rtindex, "nothing")  # noqa: B009


def test_the_package_tells_what_is_built_in():
    output = subprocess.run([sys.executable, "-m", "rtindex"], capture_output=True, text=True, check=True).stdout
    assert output.startswith(f"rtindex {rtindex.__version__}\nCUDA: ")
    assert re.search(r"^OptiX: .+\nEmbree: .+\nC ABI: \d+$", output, re.MULTILINE)
    assert all(index.spec in output for index in rtindex.indexes())
