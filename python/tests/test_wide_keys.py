"""Keys of 128 bits and decimals as answers of nearest."""

from __future__ import annotations

import decimal
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

LARGE = decimal.Decimal(10) ** 30
PRICES = [decimal.Decimal("1.50"), decimal.Decimal("-7.25"), LARGE]
ASKED = [decimal.Decimal("2.00"), decimal.Decimal("-9.00"), LARGE + 1]
FOUND = [decimal.Decimal("1.50"), None, LARGE]
IDS = [uuid.UUID(int=7), uuid.UUID(int=7 << 64), uuid.UUID(int=1 << 127)]


@pytest.mark.parametrize("spec", ["rx:native@cpu", "sorted@cpu", "btree@cpu"])
def test_decimals_are_returned_in_objects_of_the_library(spec):
    index = rtindex.build(pa.array(PRICES, pa.decimal128(38, 2)), spec)
    assert [index.nearest(key, "key") for key in ASKED] == FOUND
    found = index.nearest(ASKED, "key")
    assert isinstance(found, np.ndarray) and found.tolist() == FOUND
    arrow = index.nearest(pa.chunked_array([ASKED[:1], ASKED[1:]], pa.decimal128(38, 2)), "key")
    assert isinstance(arrow, pa.ChunkedArray) and arrow.type == pa.decimal128(38, 2) and arrow.to_pylist() == FOUND
    polars = index.nearest(pl.Series("asked", ASKED, dtype=pl.Decimal(38, 2)), "key")
    assert polars.name == "asked" and polars.dtype == pl.Decimal(38, 2) and polars.to_list() == FOUND
    pandas = index.nearest(pd.Series(ASKED, index=["a", "b", "c"], name="asked"), "key")
    assert pandas.name == "asked" and pandas.to_dict() == dict(zip("abc", FOUND))
    row, key = index.nearest(ASKED[0], ["any", "key"])
    assert (row, key) == (0, FOUND[0])
    assert index.lookup(found[[0, 2]]).tolist() == [0, 2]  # keys of the column


def test_decimals_of_64_bits_are_decimals_too():
    index = rtindex.build([decimal.Decimal("1.5"), decimal.Decimal(4)])
    assert index.nearest([decimal.Decimal(3), decimal.Decimal(1)], "key").tolist() == [decimal.Decimal("1.5"), None]


def test_uuids_are_returned():
    index = rtindex.build(IDS)
    asked = [uuid.UUID(int=8), uuid.UUID(int=1), IDS[2]]
    wanted = [IDS[0], None, IDS[2]]
    assert [index.nearest(key, "key") for key in asked] == wanted
    assert index.nearest(asked, "key").tolist() == wanted
    arrow = index.nearest(pa.array([key.bytes for key in asked], pa.binary(16)), "key")
    assert arrow.type == pa.binary(16)
    assert arrow.to_pylist() == [key and key.bytes for key in wanted]
    with pytest.raises(rtindex.Error, match="have no distance"):
        index.nearest(asked, "key", direction="nearest")


@pytest.mark.parametrize("name", ["Int128", "UInt128"])
def test_wide_integers_of_polars(name):
    if not hasattr(pl, name):
        pytest.skip("this polars has no such integers")
    wide = pl.Series("wide", [2**70, 5, None], dtype=getattr(pl, name))
    index = rtindex.build(wide)
    assert index.type == name.lower() and index.nulls().tolist() == [2]
    assert index.lookup(2**70) == 0 and 5 in index and 2**71 not in index and index.max() == 2**70
    assert index.lookup(wide).to_list() == [0, 1, None]
    found = index.nearest(wide, "key")
    assert found.dtype == wide.dtype and found.to_list() == [2**70, 5, None]
    assert rtindex.build([5, 7]).lookup(wide, "count").to_list() == [0, 1, 0]
    assert rtindex.build([5.0]).lookup(wide[1:], "count").to_list() == [1, 0]
    assert rtindex.build(([1, 2], wide[:2])).lookup((1, 2**70)) == 0
    with pytest.raises(rtindex.Error):
        rtindex.build([1, 2, 3]).lookup([1], "sum", wide)


def test_parts_of_composite_keys():
    index = rtindex.build((["a", "a", "b"], IDS))
    assert index.nearest(("a", uuid.UUID(int=9)), "key") == ("a", IDS[0])
    assert index.nearest(("b", uuid.UUID(int=9)), "key") is None
    names, ids = index.nearest((["a", "b"], [IDS[1], IDS[1]]), "key")
    assert names.tolist() == ["a", None] and ids.tolist() == [IDS[1], None]


def test_changes_and_ties():
    index = rtindex.build(pa.array(PRICES, pa.decimal128(38, 2)), "rx:native@cpu")
    index.insert([decimal.Decimal("1.75")])
    index.erase([0])
    assert index.nearest(decimal.Decimal("1.60"), "key", direction="nearest") == decimal.Decimal("1.75")
    assert index.nearest(decimal.Decimal(1), "key", direction="forward", tolerance=decimal.Decimal("0.759")) == decimal.Decimal("1.75")
    assert index.nearest(decimal.Decimal("1.50"), direction="forward", tolerance=1, matched=True).matched
    assert index.nearest(decimal.Decimal("1.50"), "key", direction="forward", tolerance=decimal.Decimal("0.24")) is None
    for wrong in (0.5, "1", decimal.Decimal("nan"), True):
        with pytest.raises(rtindex.InvalidArgumentError, match="an integer or a Decimal"):
            index.nearest(decimal.Decimal(1), tolerance=wrong)
