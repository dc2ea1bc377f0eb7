"""Calls with the types that editors show for their answers; test_typing.py checks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl

import rtindex

if TYPE_CHECKING:
    from typing_extensions import assert_type

    Array = np.ndarray[Any, Any]


def keys(index: rtindex.Index, array: Array, series: pd.Series[int], column: pl.Series) -> None:
    assert_type(index.lookup(7), int | None)
    assert_type(index.lookup("Ulm", "count"), int)
    assert_type(index.lookup(7, "rows"), Array)
    assert_type(index.lookup([7, 8]), Array)
    assert_type(index.lookup(array, "sum", array), Array)
    assert_type(index.lookup(series, "mean", "price"), pd.Series[Any])
    assert_type(index.lookup(column, "first"), pl.Series)
    assert_type(index.lookup(array, "rows")[0:1], rtindex.Rows)
    assert_type(index.lookup(series, "rows").to_pylist(), list[list[int]])
    assert_type(index.lookup([7], "bitmaps", max_bitmap_bytes=2**31), Array)
    assert_type(index.lookup(7, "any", matched=True), rtindex.Answers)
    assert_type(index.starts_with("U", "count"), int)
    assert_type(index.contains(column, "count"), pl.Series)


def several(index: rtindex.Index, array: Array) -> None:
    answers = index.lookup([1], ["sum", "count"])
    assert_type(answers, rtindex.Answers)
    assert_type(answers.rows, rtindex.Rows)
    total, count = answers
    names = ["sum", "count"]
    assert_type(index.range(array, array, names), rtindex.Answers)
    assert_type(index.range(1, 2, ("rows", "any")).keys(), list[str])
    assert_type(index.nearest([1], ["key"]).rows[0:1], rtindex.Rows)
    assert_type(index.answer(rtindex.Query.equal([1]), ["any"]), rtindex.Answers)
    assert_type(index.filter({"price": 7}, ["any"]), rtindex.Answers)
    print(total, count)


def ranges(index: rtindex.Index, array: Array, column: pl.Series) -> None:
    assert_type(index.range(1, 2, "count"), int)
    assert_type(index.range(None, 2), int | None)
    assert_type(index.range(array, array, "min", array, ends="[)"), Array)
    assert_type(index.overlaps(column, column, "count"), pl.Series)
    assert_type(index.within([1], [2], "rows", limit=3), rtindex.Rows)
    assert_type(index.nearest(1.5, direction="forward"), int | None)
    assert_type(index.nearest(array, "key", tolerance=2), Array)


def others(index: rtindex.Index) -> None:
    assert_type(index.is_unique, bool)
    assert_type(index.names, tuple[str, ...])
    assert_type(rtindex.load("file.rtindex"), rtindex.Index)
    assert_type(rtindex.build([1, 2], include=[3, 4], nan_as_null=False), rtindex.Index)
