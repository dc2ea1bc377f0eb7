"""Lookups of one Python object have a short way into the index, with the answers of the long one."""

from __future__ import annotations

import datetime
import itertools
import math
import zoneinfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rtindex


class Unknown(datetime.tzinfo):
    """A zone that has no offset."""

    def utcoffset(self, when):
        return None

    def dst(self, when):
        return None

    def tzname(self, when):
        return "unknown"


NOON = datetime.datetime(2024, 2, 29, 12, 0, 0, 250_000)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
OLD = datetime.datetime(1, 1, 1, 0, 0, 0, 1)
COLUMNS = {
    **{name: np.array([3, 1, 3, 7], name) for name in ("int8", "int64", "uint8", "uint64", "float32", "float64")},
    "bool": np.array([True, False, True]), "none": [1, None, 3], "float16": np.array([1.5, 3], np.float16),
    "string": ["a", "ä", "", "a", None], "composite": (["a", "b", "a"], [1, 2, 1]),
    **{f"M8[{unit}]": np.array([NOON, NOON, OLD if unit in ("s", "us") else NOON], f"M8[{unit}]")
       for unit in ("D", "h", "s", "ms", "us", "ns")},
    "zoned": pa.array([NOON, OLD], pa.timestamp("us", "Europe/Berlin")),
    "zoned parts": (
        [1, 2], pa.array([NOON, NOON], pa.timestamp("ns", "UTC"))),
    "date": pa.array([NOON.date()]), "decimal": pa.array([3], pa.decimal128(5, 1)), "empty": np.empty(0, np.int64),
    "infinite": np.array([math.inf, -0.0, math.nan]), "signed zero": np.array([0.0, -math.inf]),
}
KEYS = [0, 1, 3, -3, 2**63 - 1, 2**63, -2**63, 2**64, 2**53 + 1, 0.0, -0.0, 1.5, 3.0, 0.1, math.nan, math.inf,
        -math.inf, True, "a", "ä", "", "\ud800", "2024-02-29T12:00:00.250", NOON, OLD, NOON.replace(microsecond=0),
        NOON.replace(tzinfo=BERLIN), NOON.replace(tzinfo=datetime.timezone.utc), NOON.replace(fold=1), pd.Timestamp(NOON),
        datetime.datetime(9999, 12, 31), None, ("a", 1), ("a", 9), ("a",), ("a", 1, 2), (1, "a"), ("a", None), (),
        datetime.datetime.min, datetime.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN),
        datetime.datetime(2024, 10, 27, 2, 30, tzinfo=BERLIN, fold=1), NOON.replace(tzinfo=Unknown()),
        NOON.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=5, seconds=1))), (1, NOON), (1, NOON.replace(tzinfo=datetime.timezone.utc)), b"a"]


def outcome(call):
    try:
        return call()
    except (rtindex.Error, IndexError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("spec", ["rx:native@cpu", "sorted@cpu", "hash@cpu"])
def test_one_key_has_the_answers_of_a_batch(name, spec):
    index = rtindex.build(COLUMNS[name], spec)
    plain = rtindex.build(COLUMNS[name], spec)
    plain._one = None
    for key in KEYS:
        for answer in ("any", "first", "last", "count", "sum", "nonsense"):
            found, wanted = (outcome(lambda each=each: each.lookup(key, answer)) for each in (index, plain))
            assert repr(found) == repr(wanted), (key, answer)
        assert outcome(lambda: key in index) == outcome(lambda: key in plain), key
        for direction, exact in itertools.product(("backward", "forward", "nearest", "up"), (True, False, 1)):
            found, wanted = (outcome(lambda each=each: each.nearest(key, "any", None, direction, exact))
                             for each in (index, plain))
            assert repr(found) == repr(wanted), (key, direction, exact)


def test_one_key_sees_changes():
    index = rtindex.build([1, 2])
    assert index.lookup(5) is None and 5 not in index
    index.insert([5])
    assert index.lookup(5) == 2 and 5 in index and index.lookup(5, "count") == 1
    index.erase([2])
    assert index.lookup(5) is None and index.nearest(5) == 1


def test_intervals_have_no_single_keys():
    index = rtindex.build(rtindex.intervals([1], [2], ends="[]"))
    with pytest.raises(rtindex.Error, match="holds intervals"):
        index.lookup(1)
    assert index.contains(1) == 0
