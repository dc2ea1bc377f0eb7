"""What docs/memory-and-speed.md promises about memory, and about sums that many threads share."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rtindex

ROWS = 1 << 18
ORDERED = ["rx:native@cpu", "sorted@cpu", "btree@cpu"]


def bytes_a_key(keys, spec, **arguments):
    return rtindex.build(keys, spec, **arguments).memory_usage().resident / len(keys)


@pytest.fixture(scope="module")
def random():
    return np.random.default_rng(20240301)


@pytest.fixture(scope="module")
def wide(random):
    """Keys of all magnitudes of 64 bits."""
    return random.integers(0, 2**64 - 1, ROWS, dtype=np.uint64)


@pytest.mark.parametrize(("spec", "narrow_bytes", "wide_bytes"), [("rx:native@cpu", 9, 13), ("hash@cpu", 16, 21)])
def test_bytes_a_key(wide, spec, narrow_bytes, wide_bytes):
    # A copy of the keys or of the rowIDs would add 4 bytes or more.
    assert bytes_a_key(wide, spec) < wide_bytes + 2
    # Wide types whose keys span less than 2^32 are kept in 4 bytes.
    assert bytes_a_key(wide % (2**32 - 5) + 2**40, spec) < narrow_bytes + 2


def test_skewed_keys_take_at_most_a_tenth_more(random, wide):
    skewed = {
        "lognormal": np.minimum(np.exp(2 * random.standard_normal(ROWS)) * 1e15, 9e18).astype(np.uint64),
        "long tail": (wide >> 1) >> random.integers(0, 48, ROWS, dtype=np.uint64),
        "outlier": np.append(random.permutation(ROWS - 1).astype(np.uint64), np.uint64(2**63)),
    }
    for name, keys in skewed.items():
        assert bytes_a_key(keys, "rx:native@cpu") <= 1.1 * bytes_a_key(wide, "rx:native@cpu"), name


def test_describe_tells_how_many_pieces_a_column_has(wide):
    def description(keys):
        return rtindex.build(keys, "rx:native@cpu").describe()

    assert "one piece" in description(wide)
    ids = np.unique(wide % 2**32)
    assert "one piece" in description(ids)
    assert "2 pieces" in description(np.append(ids, np.uint64(2**63)))  # one for the outlier


@pytest.mark.parametrize("spec", ORDERED)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64", "float32", "float64"])
def test_included_values_take_a_byte_more(wide, spec, dtype):
    values = (wide % 200).astype(dtype)
    more = bytes_a_key(wide, spec, include=values) - bytes_a_key(wide, spec)
    assert values.itemsize <= more < values.itemsize + 1.5


@pytest.mark.parametrize("spec", ORDERED)
def test_sums_of_floats_do_not_depend_on_the_number_of_threads(random, wide, spec):
    values = random.standard_normal(ROWS) * 10.0**random.integers(-8, 8, ROWS)
    ends = [(0, 2**64 - 1), (2**62, 2**63 + 2**62), (5, 2**60)]
    lower, upper = (np.array(end, np.uint64) for end in zip(*ends))
    assert (rtindex.build(wide, spec).range(lower[:2], upper[:2], "count") > 2**16).all()  # split between cores
    found = []
    for threads in (1, 2, 3, 7):
        plain = rtindex.build(wide, f"{spec},threads={threads}")
        included = rtindex.build(wide, f"{spec},threads={threads}", include=values)
        found.append((plain.range(lower, upper, "sum", values).tolist(), included.range(lower, upper, "sum").tolist()))
    assert found.count(found[0]) == len(found)


@pytest.mark.parametrize("spec", ORDERED)
def test_infinities_and_nans_stay_in_their_ranges(spec):
    values = np.array([1.5, np.inf, 2.5, np.nan, 1e16, 1.0, 1.0])
    index = rtindex.build(np.arange(7), spec, include=values)
    for answers in (index.range([0, 2, 2, 5, 0], [0, 2, 3, 6, 1], "sum"),
                    index.range([0, 2, 2, 5, 0], [0, 2, 3, 6, 1], "sum", values)):
        np.testing.assert_array_equal(answers, [1.5, 2.5, np.nan, 2.0, np.inf])


@pytest.mark.parametrize("spec", ORDERED)
def test_sums_of_floats_are_as_exact_as_the_page_says(random, spec):
    values = random.standard_normal(ROWS) * 10.0**random.integers(-12, 12, ROWS)
    index = rtindex.build(np.arange(ROWS), spec, include=values)
    lengths = 2**random.integers(1, 17, 100)
    lower = random.integers(0, ROWS - lengths)
    for first, length, found in zip(lower, lengths, index.range(lower, lower + lengths - 1, "sum")):
        matches = values[first:first + length]
        bound = 100 * np.log2(length) * 2.0**-53 * np.abs(matches).sum()
        assert abs(found - math.fsum(matches)) <= bound
