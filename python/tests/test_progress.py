"""Long calls: Ctrl-C, progress, and an index that a stopped call leaves as it was."""

import os
import signal
import threading

import numpy as np
import pytest

import rtindex

COLUMN = np.random.default_rng(7).integers(0, 2**40, 2**22)


@pytest.fixture(scope="module")
def index():
    return rtindex.build(COLUMN, "rx:native@cpu")


def require_shares(shares):
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert shares[-1] == 1


def test_queries_of_other_columns_report_their_progress():
    small = COLUMN[:1000]
    words = rtindex.build(small.astype(str))
    intervals = rtindex.build(rtindex.intervals(small, small + 5, ends="[]"))
    points = rtindex.build(rtindex.points(a=small, b=small), "rx:native@cpu")
    calls = [lambda report: words.starts_with(["1", "2"], "count", progress=report),
             lambda report: intervals.contains(small, progress=report),
             lambda report: intervals.overlaps(small, small, progress=report),
             lambda report: intervals.within(small, small, progress=report),
             lambda report: intervals.covers(small, small, progress=report),
             lambda report: points.filter({"a": small}, "count", progress=report),
             lambda report: points.filter({"a": 5}, "count", progress=report)]
    for call in calls:
        shares: list[float] = []
        call(shares.append)
        require_shares(shares)
        with pytest.raises(rtindex.InvalidArgumentError, match="expected a function"):
            call(5)


def stop(_):
    raise RuntimeError("stopped by the test")


def test_calls_report_their_progress(index, tmp_path):
    path = tmp_path / "index"
    calls = [lambda report: rtindex.build(COLUMN, "rx:native@cpu", progress=report),
             lambda report: index.join(COLUMN, progress=report),
             lambda report: index.join_range(COLUMN, COLUMN, progress=report),
             lambda report: index.join_asof(COLUMN, progress=report),
             lambda report: index.answer(rtindex.Query.equal(COLUMN), progress=report),
             lambda report: index.lookup(COLUMN, "count", progress=report),
             lambda report: index.lookup(int(COLUMN[0]), progress=report),
             lambda report: index.range(COLUMN, COLUMN, "count", progress=report),
             lambda report: index.nearest(COLUMN, progress=report),
             lambda report: index.nearest(int(COLUMN[0]), progress=report),
             lambda report: index.save(path, progress=report),
             lambda report: rtindex.load(path, "full", progress=report),
             lambda report: index.snapshot().merge(progress=report)]
    for call in calls:
        shares: list[float] = []
        call(shares.append)
        require_shares(shares)


def test_every_call_reports_within_progress(index):
    shares: list[float] = []
    with rtindex.progress(shares.append):
        index.lookup(COLUMN, "count")
    require_shares(shares)
    before = len(shares)
    index.lookup(COLUMN, "count")
    assert len(shares) == before


def test_chunks_of_a_column_are_one_call(index):
    pyarrow = pytest.importorskip("pyarrow")
    chunks = pyarrow.chunked_array([COLUMN[:2**20], COLUMN[2**20:]])
    shares: list[float] = []
    with rtindex.progress(shares.append):
        index.lookup(chunks, "count")
    require_shares(shares)
    assert shares.count(1) == 1


def test_progress_nests(index):
    outer: list[float] = []
    inner: list[float] = []
    with rtindex.progress(outer.append):
        with rtindex.progress(inner.append):
            index.lookup(COLUMN[:10])
        assert (len(outer), len(inner)) == (0, 1)
        index.lookup(COLUMN[:10])
    assert (len(outer), len(inner)) == (1, 1)


def test_an_exception_of_the_callback_stops_the_call(index, tmp_path):
    path = tmp_path / "index"
    changed = index.snapshot()
    calls = [lambda: rtindex.build(COLUMN), lambda: changed.lookup(COLUMN),
             lambda: changed.join(COLUMN), lambda: changed.insert(COLUMN[:1000]),
             lambda: changed.erase([1, 2]), lambda: changed.update([1], [2]),
             lambda: changed.merge(), lambda: changed.save(path)]
    for call in calls:
        with pytest.raises(RuntimeError, match="stopped by the test"), rtindex.progress(stop):
            call()
    assert not path.exists()
    assert len(changed) == changed.valid == len(COLUMN)
    assert (changed.lookup(COLUMN, "count") == index.lookup(COLUMN, "count")).all()


def test_a_callback_is_a_function():
    with pytest.raises(rtindex.InvalidArgumentError, match="expected a function"):
        rtindex.build([1, 2], progress="bar")


def test_callbacks_of_other_threads(index):
    shares: list[float] = []

    def work():
        with rtindex.progress(shares.append):
            index.lookup(COLUMN, "count")

    thread = threading.Thread(target=work)
    thread.start()
    index.lookup(COLUMN, "count")
    thread.join()
    require_shares(shares)


def interrupted(call):
    """The result of a call that a second thread interrupts; None if it was stopped."""
    result, begins = None, threading.Event()

    def interrupt():
        begins.wait()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        begins.set()
        result = call()
        thread.join()
    thread.join()
    return result


def test_an_interrupt_stops_a_build():
    column = np.random.default_rng(8).integers(0, 2**60, 2**24)
    assert interrupted(lambda: rtindex.build(column, "rx:native@cpu")) is None


def test_an_interrupt_leaves_the_index_unchanged(index):
    changed = index.snapshot()
    column = np.random.default_rng(9).integers(0, 2**40, 2**23)
    assert interrupted(lambda: changed.insert(column)) is None
    assert len(changed) == len(COLUMN)
    assert (changed.lookup(COLUMN, "count") == index.lookup(COLUMN, "count")).all()


def test_an_interrupt_leaves_rows_that_were_to_be_erased():
    keys = np.random.default_rng(10).integers(0, 2**40, 2**23)
    changed = rtindex.build(keys, "rx:native@cpu")
    assert interrupted(lambda: changed.erase(np.arange(2**22))) is None
    assert changed.valid == len(keys)
