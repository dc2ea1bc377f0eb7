"""Neighbours, order and joins of arrays on a GPU, against an index on the CPU."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_gpu import KINDS, pytestmark, to_list  # noqa: F401: pytest reads the mark

import rtindex

HOW = ["inner", "left", "semi", "anti"]


@pytest.fixture(params=KINDS)
def make(request):
    KINDS[request.param]([0])  # skips where the library is missing
    return KINDS[request.param]


@pytest.fixture
def tables():
    """Keys with duplicates, lookups around them, and an index on the CPU."""
    random = np.random.default_rng(8)
    keys = random.integers(0, 900, 1500)
    return keys, random.integers(-20, 920, 700), rtindex.build(keys, "sorted@cpu")


def test_neighbours(make, tables):
    keys, lookups, host = tables
    device, values = rtindex.build(make(keys)), np.arange(keys.size)
    names = ["any", "first", "count", "sum", "key"]
    for direction, exact, tolerance in itertools.product(("backward", "forward", "nearest"),
                                                         (True, False), (None, 1)):
        arguments = (direction, exact, tolerance)
        wanted = host.nearest(lookups, names, values, *arguments, matched=True)
        found = device.nearest(make(lookups), names, make(values), *arguments, matched=True)
        assert to_list(found.matched) == wanted.matched.tolist()
        for name in names:
            pairs = zip(to_list(found[name]), wanted[name].tolist(), wanted.matched)
            assert all(one == other for one, other, hit in pairs if hit or name != "key")
        rows = device.nearest(make(lookups), "rows", None, *arguments).to_pylist()
        assert [sorted(some) for some in rows] == [
            sorted(some) for some in host.nearest(lookups, "rows", None, *arguments).to_pylist()]


def test_order_and_ends(make, tables):
    keys, lookups, host = tables
    device = rtindex.build(make(keys))
    for ends, order in itertools.product(("[]", "[)", "(]", "()"), ("key", "-key")):
        for low, high in ((lookups, lookups + 5), (lookups, None), (None, lookups)):
            on_gpu = [None if end is None else make(end) for end in (low, high)]
            found = device.range(*on_gpu, "rows", ends=ends, order=order, limit=9)
            assert found.to_pylist() == host.range(low, high, "rows", ends=ends, order=order,
                                                   limit=9).to_pylist()


@pytest.mark.parametrize("how", HOW)
def test_joins(make, tables, how):
    keys, lookups, host = tables
    device = rtindex.build(make(keys))
    here, there = lookups, make(lookups)
    for found, wanted in (
            (device.join(there, how), host.join(here, how)),
            (device.join_range(there, make(here + 3), how, "[)"),
             host.join_range(here, here + 3, how, "[)")),
            (device.join_range(there, None, how), host.join_range(here, None, how)),
            (device.join_asof(there, "forward", False, 1, how),
             host.join_asof(here, "forward", False, 1, how)),
            (device.join(there[:0], how), host.join(here[:0], how))):
        assert type(found.probe) is type(there)
        if how in ("semi", "anti"):
            assert to_list(found.probe) == wanted.probe.tolist() and found.column is None
        else:
            assert sorted(zip(to_list(found.probe), to_list(found.column))) == sorted(
                zip(wanted.probe.tolist(), wanted.column.tolist()))
    found, wanted = device.join(there, how, order="any"), host.join(here, how)
    assert sorted(to_list(found.probe)) == wanted.probe.tolist()
    for query, wanted in ((there, host.join(here, how)),
                          (rtindex.Query.nearest(there), host.join_asof(here, how=how))):
        batches = list(device.join_batches(query, how, max_pairs=5))
        assert all(len(batch.probe) <= 5 for batch in batches)
        assert all(type(batch.probe) is type(there) for batch in batches)
        assert [i for batch in batches for i in to_list(batch.probe)] == wanted.probe.tolist()


def test_groups(make):
    random = np.random.default_rng(9)
    group, time = random.integers(0, 9, 800, np.int32), random.integers(0, 400, 800, np.int32)
    device = rtindex.build((group, time), "rx:native@cuda")
    host = rtindex.build((group, time), "sorted@cpu")
    groups, times = random.integers(0, 10, 500, np.int32), random.integers(0, 420, 500, np.int32)
    lookups = (make(groups), make(times))
    for direction, tolerance in itertools.product(("backward", "forward"), (None, 2)):
        arguments = {"direction": direction, "tolerance": tolerance}
        assert to_list(device.nearest(lookups, **arguments)) == host.nearest(
            (groups, times), **arguments).tolist()
        found, wanted = (index.join_asof(keys, **arguments, how="inner")
                         for index, keys in ((device, lookups), (host, (groups, times))))
        assert to_list(found.probe) == wanted.probe.tolist()
        assert to_list(found.column) == wanted.column.tolist()
    assert to_list(device.lookup((make(groups),), "count")) == host.lookup((groups,),
                                                                         "count").tolist()
