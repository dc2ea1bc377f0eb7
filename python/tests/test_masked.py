"""Masked arrays: what is masked is null, and the rest keeps its type."""

from __future__ import annotations

import numpy as np
import pytest

import rtindex

MASK = [False, True, False]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64", ">i4", "M8[s]",
                                   "M8[10ms]", "U3", "S3"])
def test_the_type_stays(dtype):
    plain = np.array([0, 1, 1], "u1").astype(dtype if dtype != "bool" else "?")
    masked = np.ma.MaskedArray(plain, MASK)
    index, wanted = rtindex.build(masked), rtindex.build(plain)
    assert (index.type, index.time_unit) == (wanted.type, wanted.time_unit)
    assert index.lookup(plain, "rows").to_pylist() == [[0], [2], [2]]
    assert wanted.lookup(masked, "count").tolist() == [1, 0, 2]
    assert index.lookup(masked[::-1], "count").tolist() == [1, 0, 1]
    nothing = np.ma.MaskedArray(plain, True)
    masked_out = rtindex.build(nothing)
    assert (masked_out.type, masked_out.time_unit) == (wanted.type, wanted.time_unit)
    assert index.lookup(nothing, "count").tolist() == [0, 0, 0]
    assert masked.data.tolist() == plain.tolist()


def test_high_numbers():
    masked = np.ma.MaskedArray([2**64 - 1, 2**63, 5], MASK, np.uint64)
    index = rtindex.build(masked)
    assert index.lookup([2**64 - 1, 2**64 - 2, 2**63, 5], "count").tolist() == [1, 0, 0, 1]


def test_values():
    index = rtindex.build([7, 7, 7])
    values = np.ma.MaskedArray(np.array([5, 9, 6], "M8[s]"), MASK)
    assert index.lookup([7], "max", values).tolist() == values.compressed().max(keepdims=True).tolist()
    unmasked = np.ma.MaskedArray(values.data, False)
    assert index.lookup([7], "max", unmasked).tolist() == values.data[1:2].tolist()


def test_masked_rows_are_rejected():
    index = rtindex.build([5, 6, 7])
    with pytest.raises(rtindex.Error, match="one is masked"):
        index.update(np.ma.MaskedArray([0, 2], [False, True]), [9, 8])
    assert index.lookup([5, 7, 8, 9], "count").tolist() == [1, 1, 0, 0]
    index.update(np.ma.MaskedArray([0, 2]), np.ma.MaskedArray([9, 8], [False, True]))
    assert index.lookup([5, 6, 7, 8, 9], "count").tolist() == [0, 1, 0, 0, 1]


def test_two_dimensions():
    with pytest.raises(rtindex.Error, match="2 dimensions"):
        rtindex.build(np.ma.MaskedArray([[1, 2]], [[False, True]]))
    with pytest.raises(rtindex.Error, match="NumPy type"):
        rtindex.build(np.ma.MaskedArray([(1, 2)], dtype="i4,i4"))
