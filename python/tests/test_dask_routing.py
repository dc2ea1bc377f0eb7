"""Keys and lookups grouped by partition, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("distributed")

from rtindex import _core  # noqa: E402
from rtindex.dask import _moves  # noqa: E402
from rtindex.dask._routing import Bounds, Parts  # noqa: E402

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "M8[us]"]


def keys_of(dtype, random, count):
    """Few different keys, the extremes of the type among them."""
    if dtype == "bool":
        return random.random(count) < 0.5
    if dtype.startswith("float"):
        numbers = np.array([-np.inf, -2.5, -0.0, 0.0, 1.5, 7, np.inf, np.nan], dtype)
    else:
        ends = np.iinfo("int64" if dtype == "M8[us]" else dtype)
        low = ends.min + (dtype == "M8[us]")  # NaT is a null
        numbers = np.array([low, low + 1, 0, 1, 2, 5, 90, ends.max], ends.dtype).view(
            dtype if dtype == "M8[us]" else ends.dtype)
    return numbers[random.integers(0, numbers.size, count)]


@pytest.mark.parametrize("count", [1, 5, 12, 300])
@pytest.mark.parametrize("dtype", TYPES)
def test_parts_of_keys_and_rows(dtype, count):
    random = np.random.default_rng(count)
    keys, some = keys_of(dtype, random, 3_000), keys_of(dtype, random, count)
    rows = random.integers(90, 3_200, count).astype(np.uint64)
    order = np.lexsort((rows, some))
    bounds = Bounds((some[order],), rows[order])
    own = np.arange(100, 100 + keys.size, dtype=np.uint64)
    # A full scan: how many bounds are not after (key, row)? NaNs are equal, and greatest.
    nan = [array != array for array in (bounds.keys[0], keys)]
    before = (bounds.keys[0] < keys[:, None]) | (~nan[0] & nan[1][:, None])
    equal = (bounds.keys[0] == keys[:, None]) | (nan[0] & nan[1][:, None])
    expected = (before | equal & (bounds.rows <= own[:, None])).sum(axis=1)
    assert bounds.parts((keys,), 100).tolist() == expected.tolist()
    assert bounds.partitions((keys,), own).tolist() == expected.tolist()
    found = _moves.find_parts(keys, bounds.keys[0])
    assert found.tolist() == (before | equal).sum(axis=1).tolist()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [1, 2, 7, 1_000])
def test_groups_and_back(monkeypatch, count, threads):
    monkeypatch.setattr(_moves, "threads", lambda: threads)
    random = np.random.default_rng(count)
    for size in (0, 1, 500, 200_001):
        parts = random.integers(0, count, size).astype(np.uint16)
        order = np.argsort(parts, kind="stable")
        for dtype in TYPES:
            keys = keys_of(dtype, random, size)
            grouped, positions, starts = _moves.group_rows(parts, count, keys)
            np.testing.assert_array_equal(grouped, keys[order])
            assert (positions == order).all() and starts[-1] == size
            assert (np.diff(starts) == np.bincount(parts, minlength=count)).all()
            back = np.empty_like(keys)
            middle = count // 2
            cut = starts[middle]
            _moves.ungroup(parts, [(grouped[:cut], middle), (grouped[cut:], count - middle)], back)
            np.testing.assert_array_equal(back, keys)
        rows = random.integers(0, 2**32, size).astype(np.uint32)
        rows[::3] = 2**32 - 1
        wide = np.empty(size, np.uint64)
        _moves.ungroup(parts, [(rows[order], count)], wide, rows=True)
        missed = rows == 2**32 - 1
        assert (wide[missed] == 2**64 - 1).all() and (wide[~missed] == rows[~missed]).all()
        assert (_moves.widened_rows(rows) == wide).all()
        _moves.ungroup(parts, [(rows[order], count)], wide)
        assert (wide == rows).all()


def test_global_rows():
    local = np.array([2, 2**32 - 1, 0], np.uint32)
    for dtype in (np.uint32, np.uint64):
        rows = np.array([7, 8, 9], dtype)
        assert _moves.global_rows(local, rows).tolist() == [9, np.iinfo(dtype).max, 7]
        assert _moves.global_rows(local[1:2], rows[:0]).tolist() == [np.iinfo(dtype).max]


def test_pieces_of_other_sizes_are_rejected():
    parts = np.zeros(3, np.uint16)
    with pytest.raises(Exception, match="expected 3 elements in a slice, got 2"):
        _moves.ungroup(parts, [(np.zeros(2, np.uint64), 1)], np.empty(3, np.uint64))
    with pytest.raises(Exception, match="bytes an element"):
        _moves.ungroup(parts, [(np.zeros(3, np.uint8), 1)], np.empty(3, np.uint64))
    with pytest.raises(Exception, match="bounds"):
        _core.find_parts(_moves._column(parts), _moves._column(parts[:0]), None, 0, parts, 1)


def test_parts_are_finer_than_partitions():
    parts = Parts.of([(np.arange(0, 64),), (np.array([100, 100, 100, 200]),)])
    assert parts is not None
    assert parts.counts == [64, 2] and parts.bounds[64:].tolist() == [100, 200]
    group = parts.group(np.array([150, -1, 3, 63, 99, 250, 100]))
    assert group.keys.tolist() == [-1, 3, 63, 99, 150, 100, 250]
    assert group.starts.tolist() == [0, 1, 4, 7]
    assert Parts.of([(np.array(["a"], object),)]) is None
