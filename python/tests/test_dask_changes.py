"""Changes of an index on Dask, and indexes in folders."""

from __future__ import annotations

import json

import numpy as np
import oracle
import pandas as pd
import pytest

import rtindex

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402

MISS = rtindex.dask.MISS


class Truth:
    """A table of keys and values, changed as the index is; None is a null or erased."""

    def __init__(self, keys, values):
        self.keys, self.values = list(keys), list(values)

    def check(self, index, wanted):
        rows = oracle.matches(self.keys, wanted, wanted)
        names = ["rows", "first", "count", "sum"]
        found = index.lookup(wanted, names, miss=-1)
        assert found.rows.to_pylist() == rows or [
            sorted(here) for here in found.rows.to_pylist()] == rows
        assert found.first.tolist() == [min(here, default=-1) for here in rows]
        assert found.count.tolist() == [len(here) for here in rows]
        assert found.sum.tolist() == [sum(self.values[row] for row in here) if here else -1
                                      for here in rows]
        nearest = index.nearest(wanted, direction="nearest")
        assert np.where(nearest == MISS, oracle.MISS, nearest).tolist() == oracle.neighbours(
            self.keys, wanted, "nearest")
        order = oracle.within(self.keys, [None], [None])[0]
        assert index.range(None, None, "rows", order="key").tolist() == order
        assert index.valid == len(order) and len(index) == len(self.keys)


@pytest.fixture
def table():
    random = np.random.default_rng(11)
    return random.integers(0, 40, 200), random.integers(-9, 9, 200)


def build(keys, values, **options):
    return rtindex.dask.build(da.from_array(keys, chunks=64), include=da.from_array(
        values, chunks=64), **{"partitions": 4, **options})


def test_random_changes(client, table, seeded, tmp_path):
    index, truth = build(*table), Truth(*(column.tolist() for column in table))
    erased: set[int] = set()
    for step in range(12):
        kind = seeded.choice(["insert", "erase", "update", "erase_keys", "set_included", "merge",
                              "save"])
        there = sorted(set(range(len(truth.keys))) - erased)
        some = seeded.sample(there, 9)
        keys = [seeded.choice([None, *range(-10, 50)]) for _ in some]
        values = [seeded.randrange(-9, 9) for _ in some]
        if kind == "insert":
            assert index.insert(keys, values) == len(truth.keys)
            truth.keys += keys
            truth.values += values
        elif kind == "erase":
            index.erase(some)
            erased.update(some)
            for row in some:
                truth.keys[row] = None
        elif kind == "update":
            index.update(some, keys)
            for row, key in zip(some, keys):
                truth.keys[row] = key
        elif kind == "erase_keys":
            gone = [row for row, key in enumerate(truth.keys) if key is not None and key in (3, 7)]
            assert index.erase_keys([3, 7, 1000]) == len(gone)
            erased.update(gone)
            for row in gone:
                truth.keys[row] = None
        elif kind == "set_included":
            index.set_included(some, values)
            for row, value in zip(some, values):
                truth.values[row] = value
        elif kind == "merge":
            index.merge()
        else:
            index.save(tmp_path / "index")
        truth.check(index, list(range(-12, 52, 2)))
        nulls = [row for row, key in enumerate(truth.keys) if key is None and row not in erased]
        assert sorted(index.nulls().tolist()) == nulls, (step, kind)


def test_snapshots_and_failures(client, table):
    keys, values = table
    index, truth = build(keys, values), Truth(keys.tolist(), values.tolist())
    before = index.snapshot()
    index.erase([0, 1])
    index.insert([5], [1])
    truth.check(before, list(range(0, 40, 5)))
    for call, message in (
            (lambda: before.erase([0, 0]), "named twice"),
            (lambda: before.erase([200]), "200"),
            (lambda: before.erase([0.5]), "expected integers"),
            (lambda: index.erase([0]), "row 0 is erased"),
            (lambda: before.insert(["a"], [1]), "string"),
            (lambda: before.insert([1]), "values"),
            (lambda: before.insert([1], [1, 2]), "values"),
            (lambda: before.update([1, 2], [1]), "one per row"),
            (lambda: before.set_included([1, 2], [1]), "one per row")):
        with pytest.raises(rtindex.InvalidArgumentError, match=message):
            call()
    truth.check(before, list(range(0, 40, 5)))


@pytest.mark.parametrize("partitions", [1, 2])
def test_an_index_without_rows_answers(client, partitions):
    nothing = da.from_array(np.empty(0, np.int32), chunks=1)
    index = rtindex.dask.build(nothing, partitions=partitions)
    wanted = da.from_array(np.arange(9, dtype=np.int32), chunks=4)
    assert index.lookup(wanted).compute().tolist() == [MISS] * 9
    assert index.insert(np.arange(4, dtype=np.int32)) == 0
    assert index.lookup(wanted, "count").compute().tolist() == [1] * 4 + [0] * 5
    index.erase(np.arange(4))
    index.merge()
    assert index.lookup(wanted, ["any", "count"]).any.compute().tolist() == [MISS] * 9


def test_large_inserts_split_partitions(client, table):
    keys, values = table
    index, truth = build(keys, values, partitions=2), Truth(keys.tolist(), values.tolist())
    more = np.random.default_rng(12).integers(0, 40, 3000)
    with dask.config.set({"rtindex.partition-bytes": "16KiB"}):
        assert index.insert(da.from_array(more, chunks=900), da.from_array(more, 900)) == 200
    assert index.partitions > 2
    truth.keys += more.tolist()
    truth.values += more.tolist()
    truth.check(index, list(range(0, 40, 5)))
    with dask.config.set({"rtindex.partition-bytes": "16KiB"}):
        index.insert(np.full(2000, 17), np.zeros(2000, int))
    truth.keys += [17] * 2000
    truth.values += [0] * 2000
    truth.check(index, [16, 17, 18])
    index.update([3000], [17])
    truth.keys[3000] = 17
    truth.check(index, [16, 17, 18])


@pytest.mark.parametrize("prefix", ["", "simplecache::file://"], ids=["local", "fsspec"])
def test_folders(client, table, tmp_path, prefix, monkeypatch):
    folder = f"{prefix}{tmp_path}/index" if prefix else tmp_path / "index"
    keys, values = table
    index, truth = build(keys, values), Truth(keys.tolist(), values.tolist())
    index.save(folder)
    first = {path.name for path in (tmp_path / "index").iterdir()}
    index.insert([3, None], [1, 2])
    index.erase([0])
    index.save(folder)
    assert not first & {path.name for path in (tmp_path / "index").iterdir()} - {"rtindex.json"}
    truth.keys += [3, None]
    truth.values += [1, 2]
    truth.keys[0] = None
    if not prefix:  # workers have another current folder
        monkeypatch.chdir(tmp_path)
        folder = "index"
        index.save(folder)
    loaded = rtindex.dask.load(folder)
    truth.check(loaded, list(range(0, 40, 5)))
    assert loaded.insert([4], [4]) == 202


def test_damaged_folders(client, table, tmp_path):
    with pytest.raises(rtindex.FileError, match="does not exist"):
        rtindex.dask.load(tmp_path)
    index = build(*table)
    index.save(tmp_path)
    manifest = tmp_path / "rtindex.json"
    text = manifest.read_text()
    for damaged in (text[:-9], "{}", text.replace('"version": 1', '"version": 7'),
                    json.dumps({**json.loads(text), "rows": "many"})):
        manifest.write_text(damaged)
        with pytest.raises(rtindex.CorruptFileError, match="rtindex.json"):
            rtindex.dask.load(tmp_path)
    manifest.write_text(text)
    part = next(tmp_path.glob("*-0.npz"))
    content = part.read_bytes()
    part.write_bytes(content[:len(content) // 2])
    with pytest.raises(rtindex.CorruptFileError):
        rtindex.dask.load(tmp_path)
    part.unlink()
    with pytest.raises(rtindex.FileError):
        rtindex.dask.load(tmp_path)


def test_unknown_chunks_and_values(client):
    frame = pd.DataFrame({"key": np.arange(100) % 7, "price": np.arange(100) * 0.5})
    lazy = dd.from_pandas(frame, npartitions=3)
    filtered = lazy[lazy.key != 3]
    kept = frame[frame.key != 3].reset_index(drop=True)
    index = rtindex.dask.build(filtered.key, partitions=3)
    local = rtindex.build(kept.key)
    wanted = np.arange(-1, 8)
    for values in (filtered.price, kept.price, kept.price.to_numpy(), filtered.price.values):
        for name in ("sum", "min", "max"):
            np.testing.assert_array_equal(index.lookup(wanted, name, values),
                                          local.lookup(wanted, name, kept.price))
    lookups = da.from_array(np.arange(50) % 9, chunks=20)
    lookups = lookups[lookups != 2]
    found = index.lookup(lookups, "sum", filtered.price)
    np.testing.assert_array_equal(found.compute(), local.lookup(lookups.compute(), "sum",
                                                                kept.price))
    with pytest.raises(rtindex.InvalidArgumentError, match="one per row"):
        index.lookup(wanted, "sum", np.arange(3))


def test_progress_and_devices(client, table, capsys):
    keys, _ = table
    source = da.from_array(keys, chunks=64)
    rtindex.dask.build(source, progress=True, partitions=2).persist()
    assert "100%" in capsys.readouterr().out
    client.run(dask.config.set, {"rtindex.device": "cpu"})
    index = rtindex.dask.build(source, "sorted", partitions=2)
    assert index.spec.startswith("sorted@cpu") and "threads=1" in index.spec
    client.run(dask.config.set, {"rtindex.device": "cuda7"})
    try:
        with pytest.raises(rtindex.Error, match="cuda"):
            rtindex.dask.build(source, partitions=2).persist()
    finally:
        client.run(dask.config.set, {"rtindex.device": None})
