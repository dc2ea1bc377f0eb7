"""Strings on a GPU stay there: pairs of CuPy arrays, and Arrow arrays in device memory. Skipped
without a GPU, or without CuPy."""

from __future__ import annotations

import ctypes

import numpy as np
import pyarrow
import pytest

import rtindex
from rtindex._columns import column

GPU = [known for known in rtindex.indexes() if "@cuda" in known.spec]
pytestmark = pytest.mark.skipif(not any(known.available for known in GPU),
                                reason=GPU[0].reason if GPU else "no index runs on a GPU")

WORDS = ["", "a", "ab", "abc", "b", "https://example.org/a", "https://example.org/b",
         "https://example.org/a/long/path/that/does/not/fit/eight/bytes", "z", "\u00e4"]


def cupy():
    return pytest.importorskip("cupy", exc_type=ImportError)


def some_words(random, size, nulls=False):
    words = [WORDS[i] + str(random.integers(0, 50)) for i in random.integers(0, len(WORDS), size)]
    return [None if nulls and random.integers(0, 9) == 0 else word for word in words]


def on_device(words, offset_type="int32"):
    data = [b"" if word is None else word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, data)]).astype(offset_type)
    valid = np.packbits([word is not None for word in words], bitorder="little")
    xp = cupy()
    return rtindex.DeviceStrings(xp.asarray(offsets),
                                 xp.asarray(np.frombuffer(b"".join(data) + b" ", "uint8")),
                                 xp.asarray(valid) if None in words else None)


class ArrowArray(ctypes.Structure):
    pass


RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p), ("release", RELEASE), ("private_data", ctypes.c_void_p)]


class ArrowDeviceArray(ctypes.Structure):
    _fields_ = [("array", ArrowArray), ("device_id", ctypes.c_int64),
                ("device_type", ctypes.c_int32), ("sync_event", ctypes.c_void_p),
                ("reserved", ctypes.c_int64 * 3)]


class Exporter:
    """Exports strings of CuPy as other libraries export theirs."""

    def __init__(self, strings):
        self.strings = strings
        self.released = 0
        self.event = cupy().cuda.Event()
        self.event.record()
        self.event_pointer = ctypes.c_void_p(self.event.ptr)
        self.kept = []

    def __arrow_c_device_array__(self, requested_schema=None, **options):
        large = str(self.strings.offsets.dtype) == "int64"
        schema, _ = pyarrow.array([], pyarrow.large_string() if large else
                                  pyarrow.string()).__arrow_c_array__()
        validity = self.strings.validity
        buffers = (ctypes.c_void_p * 3)(
            None if validity is None else validity.data.ptr, self.strings.offsets.data.ptr,
            self.strings.data.data.ptr)

        def release(array):
            self.released += 1
            array.contents.release = RELEASE()

        device = ArrowDeviceArray()
        device.array.length = len(self.strings)
        device.array.null_count = 0 if validity is None else -1
        device.array.n_buffers = 3
        device.array.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
        device.array.release = RELEASE(release)
        device.device_type = 2
        device.sync_event = ctypes.cast(ctypes.pointer(self.event_pointer), ctypes.c_void_p)
        self.kept.append((buffers, device))
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype = ctypes.py_object
        new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return schema, new_capsule(ctypes.addressof(device), b"arrow_device_array", None)


@pytest.mark.parametrize("offset_type", ["int32", "int64"])
@pytest.mark.parametrize("place", [lambda strings: strings, Exporter], ids=["pair", "arrow"])
@pytest.mark.parametrize("spec", ["auto", "sorted@cuda", "hash@cuda"])
def test_every_answer(offset_type, place, spec):
    random = np.random.default_rng(7)
    keys, lookups = some_words(random, 900, nulls=True), some_words(random, 300, nulls=True)
    host = rtindex.build(pyarrow.array(keys), "sorted@cpu")
    device = rtindex.build(place(on_device(keys, offset_type)), spec)
    assert "@cuda" in device.spec and len(device) == len(keys)
    for name in ("first", "count"):
        found = device.lookup(place(on_device(lookups, offset_type)), name)
        assert found.get().tolist() == np.asarray(host.lookup(lookups, name)).tolist()
    if spec == "hash@cuda":
        return
    ends = [word for word in lookups if word is not None]
    found = device.range(place(on_device(ends, offset_type)), None, "count")
    assert found.get().tolist() == np.asarray(host.range(ends, None, "count")).tolist()
    prefixes = [word[:4] for word in ends]
    query = rtindex.Query.prefix(place(on_device(prefixes, offset_type)))
    found = device.answer(query, ["count", "rows"], order="key", limit=9)
    wanted = host.starts_with(prefixes, ["count", "rows"], order="key", limit=9)
    assert found.count.get().tolist() == wanted.count.tolist()
    assert found.rows.to_pylist() == wanted.rows.to_pylist()
    for how in ("inner", "left", "semi", "anti"):
        joined, expected = device.join(query, how), host.join(rtindex.Query.prefix(prefixes), how)
        assert joined.probe.get().tolist() == expected.probe.tolist()


def test_strings_are_read_where_they_lie():
    strings = on_device(["a", "b"])
    assert column(strings).on_device and len(column(strings)) == 2
    exporter = Exporter(strings)
    found = column(exporter)
    assert found.on_device and len(found) == 2
    del found
    assert exporter.released > 0


def test_strings_among_the_parts_of_a_key():
    xp = cupy()
    random = np.random.default_rng(9)
    words, numbers = some_words(random, 500), random.integers(0, 5, 500)
    host = rtindex.build((pyarrow.array(words), numbers), "sorted@cpu")
    device = rtindex.build((on_device(words), xp.asarray(numbers)))
    found = device.lookup((on_device(words[:90]), xp.asarray(numbers[:90])), "count")
    wanted = host.lookup((pyarrow.array(words[:90]), numbers[:90]), "count")
    assert found.get().tolist() == np.asarray(wanted).tolist()


def test_wrong_arrays_are_rejected():
    xp = cupy()
    with pytest.raises(rtindex.InvalidArgumentError, match="invalid offsets of type float32"):
        rtindex.DeviceStrings(xp.zeros(3, "float32"), xp.zeros(3, "uint8"))
    with pytest.raises(rtindex.InvalidArgumentError, match="invalid data of type int8"):
        rtindex.DeviceStrings(xp.zeros(3, "int32"), xp.zeros(3, "int8"))
    with pytest.raises(rtindex.InvalidArgumentError, match="bitmap is shorter"):
        rtindex.DeviceStrings(xp.zeros(30, "int32"), xp.zeros(3, "uint8"), xp.zeros(1, "uint8"))
