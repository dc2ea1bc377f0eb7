"""Columns of intervals, against a scan."""

import datetime
import pickle
import random
from typing import Any

import numpy as np
import pytest

import rtindex

ENDS = ("[]", "[)", "(]", "()")
SPECS = ("rx:native@cpu", "sorted@cpu", "btree@cpu")


def overlap(start, end, ends, lower, upper, own):
    """Whether the points between `start` and `end` and those of the range have one in common."""
    if not _has_points(start, end, ends) or not _has_points(lower, upper, own):
        return False
    before = start < upper or start == upper and ends[0] == "[" and own[1] == "]"
    return before and (lower < end or lower == end and ends[1] == "]" and own[0] == "[")


def _has_points(start, end, ends):
    return start < end or start == end and ends == "[]"


def table(rows, seed):
    choice = random.Random(seed)
    starts = np.array([choice.randrange(200) for _ in range(rows)])
    ends = np.minimum(starts + [choice.choice([0, 1, 3, 8, 150]) for _ in range(rows)], 220)
    return starts, ends


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("ends", ENDS)
def test_queries_find_what_a_scan_finds(spec, ends):
    starts, stops = table(300, 1)
    index = rtindex.build(rtindex.intervals(starts, stops, ends=ends), spec)
    assert index.interval_ends == ends
    keys = np.arange(-2, 225)
    rows = index.contains(keys, "rows")
    counts = index.contains(keys, "count")
    for i, key in enumerate(keys):
        wanted = {row for row in range(300)
                  if overlap(starts[row], stops[row], ends, key, key, "[]")}
        assert set(rows[i].tolist()) == wanted and counts[i] == len(wanted)
    for own in ENDS:
        lower, upper = keys[:-5], keys[:-5] + 5
        overlaps, covers, within = (
            getattr(index, name)(lower, upper, "rows", ends=own)
            for name in ("overlaps", "covers", "within"))
        for i in range(0, len(lower), 7):
            query = (lower[i], upper[i])
            assert set(overlaps[i].tolist()) == {
                row for row in range(300) if overlap(starts[row], stops[row], ends, *query, own)}
            inside = [row for row in range(300) if _has_points(starts[row], stops[row], ends)]
            assert set(within[i].tolist()) == {
                row for row in inside if _holds(*query, own, starts[row], stops[row], ends)}
            assert set(covers[i].tolist()) == {
                row for row in inside if _holds(starts[row], stops[row], ends, *query, own)}


def _holds(start, end, ends, inner_start, inner_end, inner):
    """Whether every point between the inner ends lies between the outer ones."""
    return ((start < inner_start or start == inner_start and not (ends[0] == "(" and inner[0] == "["))
            and (inner_end < end or inner_end == end and not (ends[1] == ")" and inner[1] == "]")))


def test_one_point_gets_one_answer():
    index = rtindex.build(rtindex.intervals([1, 5], [5, 9], ends="[)"))
    assert index.contains(4) == 0 and index.contains(5) == 1
    assert index.contains(9) is None
    assert index.overlaps(4, 5, "count") == 2
    assert index.overlaps(4, 5, "count", ends="[)") == 1
    assert index.overlaps(None, 4, "count") == 1 and index.overlaps(5, None, "count") == 1
    assert "intervals [)" in repr(index) and "intervals [)" in index.describe()


def test_prices_valid_at_a_time():
    start = np.array(["2024-01-01", "2024-02-01", "2024-01-15"], "M8[s]")
    end = np.array(["2024-02-01", "2024-03-01", "NaT"], "M8[s]")
    prices = rtindex.build(rtindex.intervals(start, end, ends="[)"), include=[100, 110, 999])
    times = np.array(["2024-01-31T23:59:59", "2024-02-01", "2025-01-01"], "M8[s]")
    assert prices.contains(times).tolist() == [0, 1, rtindex.MISS]
    assert prices.contains(times, "sum", miss=0).tolist() == [100, 110, 0]
    assert prices.contains(datetime.datetime(2024, 2, 1)) == 1


def test_leading_columns_must_be_equal():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"chrom": ["chr1", "chr1", "chr2"], "start": [10, 50, 10],
                              "end": [20, 60, 70]})
    genes = rtindex.build(
        rtindex.intervals(frame["start"], frame["end"], ends="[)", by=frame["chrom"]))
    assert genes.contains(("chr1", 15)) == 0
    assert genes.contains((["chr1", "chr2", "chr3"], [55, 55, 55])).tolist() == [1, 2, rtindex.MISS]
    found = genes.overlaps((["chr1", "chr2"], [0, 0]), (["chr1", "chr2"], [100, 10]), "count",
                           ends="[)")
    assert found.tolist() == [2, 0]
    with pytest.raises(rtindex.InvalidArgumentError, match='leading values "chr1" and "chr2"'):
        genes.overlaps((["chr1"], [0]), (["chr2"], [9]))
    with pytest.raises(rtindex.InvalidArgumentError):
        genes.contains([15])


def test_intervals_of_pandas_bring_their_ends():
    pandas = pytest.importorskip("pandas")
    for closed, ends in (("left", "[)"), ("right", "(]"), ("both", "[]"), ("neither", "()")):
        given = pandas.IntervalIndex.from_tuples([(0, 1), (1, 3), None], closed=closed)
        for data in (given, given.array, pandas.Series(given)):
            index = rtindex.build(data)
            assert index.interval_ends == ends
            assert index.contains(1.0, "count") == ((ends[1] == "]") + (ends[0] == "["))
    days = pandas.interval_range(pandas.Timestamp("2024-01-01"), periods=3)
    assert rtindex.build(days).contains(pandas.Timestamp("2024-01-02")) == 0


def test_changes_and_copies():
    index = rtindex.build(rtindex.intervals([1, 5], [5, 9], ends="[)"), include={"price": [10, 20]})
    assert index.insert(rtindex.intervals([7], [30], ends="[)"), {"price": [5]}) == 2
    index.erase([1])
    index.update([0], rtindex.intervals([6], [8], ends="[)"))
    for one in (index, pickle.loads(pickle.dumps(index)), index.snapshot()):
        assert one.contains([7, 25], ["count", "sum"], "price")["sum"].tolist() == [15, 5]
        assert one.interval_ends == "[)"
    index.merge()
    assert sorted(index.contains(7, "rows").tolist()) == [0, 2]
    assert index.join(rtindex.Query.contains([7, 100]), "left").probe.tolist() == [0, 0, 1]


def test_polars_and_arrow_points():
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    start = polars.Series([1, None, 5])
    end = polars.Series([3, 9, 9])
    index = rtindex.build(rtindex.intervals(start, end, ends="[]"))
    assert index.contains(polars.Series([2, 7, None]), "count").to_list() == [1, 1, 0]
    assert index.contains(pyarrow.array([2, 4])).to_pylist() == [0, None]


@pytest.mark.parametrize("call, text", [
    (lambda: rtindex.intervals([1], [2]), "ends"),
    (lambda: rtindex.intervals([1], [2], ends="half"), "invalid ends='half'"),
    (lambda: rtindex.build(rtindex.intervals([5], [2], ends="[)")), "row 0 ends at 2, before"),
    (lambda: rtindex.build(rtindex.intervals([5], [2.5], ends="[)")), "start with int64 values"),
    (lambda: rtindex.build(rtindex.intervals([5.0], [np.nan], ends="[)")), "is NaN"),
    (lambda: rtindex.build(rtindex.intervals([1, 2], [2], ends="[)")), "differ in length"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)"), "hash"), "keeps its keys"),
    (lambda: rtindex.build([1]).contains([1]), "contains searches intervals"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).lookup([1]), "contains,"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).contains([1.5]), "whole"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).contains(["a"]), "string"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).insert([1]), "the index holds intervals: pass rtindex.intervals"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).insert(
        rtindex.intervals([1], [2], ends="[]")), "the same ends"),
])
def test_errors_say_what_to_do(call, text):
    with pytest.raises((rtindex.Error, TypeError)) as error:
        call()
    assert text in str(error.value)


def test_pandas_frames_are_joined():
    pandas = pytest.importorskip("pandas")
    from rtindex.pandas import merge_overlap

    bookings = pandas.DataFrame({"room": ["a", "a", "b"], "start": [9, 12, 9.0],
                                 "end": [11, 13, np.nan], "who": ["x", "y", "z"]})
    outages = pandas.DataFrame({"room": ["a", "b", "c"], "start": [10.0, 0, 0], "end": [12.0, 24, 9]})
    found = merge_overlap(bookings, outages, on=("start", "end"), ends="[)", by="room")
    assert found.to_dict("list") == {"room": ["a"], "start_x": [9], "end_x": [11], "who": ["x"],
                                     "start_y": [10], "end_y": [12]}
    left = merge_overlap(bookings, outages, on=("start", "end"), ends="[]", by="room", how="left")
    assert left["who"].tolist() == ["x", "y", "z"]
    assert left["start_y"].isna().tolist() == [False, False, True]
    anti = merge_overlap(bookings, outages, on=("start", "end"), ends="[)", by="room", how="anti")
    assert anti["who"].tolist() == ["y", "z"] and anti.index.tolist() == [1, 2]
    points = merge_overlap(bookings, outages, left_on="start", right_on=("start", "end"), ends="[)")
    assert sorted(points["who"]) == ["x", "y", "z"]
    with pytest.raises(KeyError, match="no column 'stop'"):
        merge_overlap(bookings, outages, on=("start", "stop"), ends="[)")
    with pytest.raises(rtindex.InvalidArgumentError, match="start and the end"):
        merge_overlap(bookings, outages, on="start", ends="[)")


def test_pandas_numbers_of_several_types_are_joined():
    pandas = pytest.importorskip("pandas")
    from rtindex.pandas import merge_overlap

    left = pandas.DataFrame({"s": [1, 5, 9], "e": [4, None, 10]})
    right = pandas.DataFrame({"s": np.array([3, 9], np.int32), "e": [8, 9]})
    found = merge_overlap(left, right, on=("s", "e"), ends="[]")
    assert found[["s_x", "s_y"]].to_numpy().tolist() == [[1, 3], [9, 9]]
    right["e"] = [8.5, 9.5]
    assert len(merge_overlap(left, right, on=("s", "e"), ends="[]")) == 2
    right["s"] = np.array([3, 2**60])
    with pytest.raises(ValueError, match="one type"):
        merge_overlap(left, right, on=("s", "e"), ends="[]")
    far = pandas.DataFrame({"s": [2**60], "e": [2**60 + 1]})
    assert len(merge_overlap(left, far, on=("s", "e"), ends="[]")) == 0
    nothing = pandas.DataFrame(columns=["s", "e"])
    assert len(merge_overlap(left, nothing, on=("s", "e"), ends="[]")) == 0
    assert merge_overlap(left, nothing, on=("s", "e"), ends="[]", how="left")["s_y"].isna().all()
    assert len(merge_overlap(nothing, right, on=("s", "e"), ends="[]", how="anti")) == 0


def test_pandas_groups_may_be_categories():
    pandas = pytest.importorskip("pandas")
    from rtindex.pandas import merge_overlap

    def frame(groups):
        return pandas.DataFrame({"g": groups, "s": [1] * len(groups), "e": [2] * len(groups)})

    left = frame(pandas.Categorical([None, "a"], ["a"]))
    right = frame(pandas.Categorical(["q", "a"]))
    assert len(merge_overlap(left, right, on=("s", "e"), by="g", ends="[)")) == 1
    assert len(merge_overlap(left, frame(["a", "b"]), on=("s", "e"), by="g", ends="[)")) == 1
    assert len(merge_overlap(frame(["a"]), right, on=("s", "e"), by="g", ends="[)")) == 1
    with pytest.raises(ValueError, match="not both"):
        merge_overlap(left, right, on=("s", "e"), left_on=("s", "e"), ends="[)")


def test_polars_frames_are_joined():
    polars = pytest.importorskip("polars")
    from rtindex.polars import join_overlap

    bookings = polars.DataFrame({"room": ["a", "a", None], "start": [9, 12, 9], "end": [11, 13, 10]})
    outages = polars.DataFrame({"room": ["a", None], "start": [10, 0], "end": [12, 24]})
    found = join_overlap(bookings, outages, on=("start", "end"), ends="[)", by="room")
    assert found.to_dict(as_series=False) == {"room": ["a"], "start": [9], "end": [11],
                                              "start_right": [10], "end_right": [12]}
    left = join_overlap(bookings, outages, on=("start", "end"), ends="[)", by="room", how="left")
    assert left["start_right"].to_list() == [10, None, None]
    semi = join_overlap(bookings, outages, left_on="start", right_on=("start", "end"), ends="[)",
                        how="semi")
    assert semi.height == 3


def test_zones_of_starts_and_ends_agree():
    pd = pytest.importorskip("pandas")
    start, end = pd.to_datetime(["2024-01-01"]), pd.to_datetime(["2024-01-02"]).tz_localize("UTC")
    for one, other in ((start, end), (end, start)):
        with pytest.raises(rtindex.Error, match="time zone"):
            rtindex.build(rtindex.intervals(one, other, ends="[)"))


def test_rays_in_an_index_without_intervals():
    """Every row is empty: no ray is cast along the rows between them."""
    index = rtindex.build(rtindex.intervals([0, 2**62], [0, 2**62], ends="[)"), "rx:embree@cpu")
    assert index.within(0, 2**62, "count") == 0 == index.overlaps(0, 2**62, "count")


@pytest.mark.parametrize("ends", ["[]", "[)", "(]", "()"])
@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_nearest_finds_all_at_the_least_distance(ends, direction):
    random = np.random.default_rng(7)
    start = random.integers(0, 60, 40)
    end = start + random.integers(1, 5, 40)
    keys = np.arange(-3, 70)
    index = rtindex.build(rtindex.intervals(start, end, ends=ends))
    for exact in (True, False):
        for tolerance in (None, 1):
            found = index.nearest(keys, ["any", "count", "rows"], direction=direction, exact=exact,
                                  tolerance=tolerance)
            for key, first, count, rows in zip(keys, found.any, found.count, found.rows):
                after_start = key >= start if ends[0] == "[" else key > start
                before_end = key <= end if ends[1] == "]" else key < end
                inside = after_start & before_end
                distance = np.where(after_start, key - end, start - key).astype(float)
                if direction == "backward":
                    distance[~after_start] = np.inf
                elif direction == "forward":
                    distance[after_start & ~before_end] = np.inf
                distance[inside] = -1 if exact else np.inf
                least = distance.min()
                limit = np.inf if tolerance is None else tolerance
                found = least <= limit and least < np.inf
                wanted: Any = np.flatnonzero(distance == least) if found else []
                assert sorted(rows.tolist()) == list(wanted)
                assert count == len(wanted)
                assert first == (wanted[0] if len(wanted) else rtindex.MISS)


def test_nearest_joins_every_closest_interval():
    index = rtindex.build(rtindex.intervals([1, 2, 9], [4, 4, 12], ends="[]", by=["a", "a", "b"]))
    lookups, rows = index.join(rtindex.Query.nearest((["a", "b"], [6, 6]), "nearest"))
    assert sorted(zip(lookups.tolist(), rows.tolist())) == [(0, 0), (0, 1), (1, 2)]
    with pytest.raises(rtindex.Error, match="intervals have no key"):
        index.nearest((["a"], [6]), "key")


def test_nearest_takes_durations():
    start = np.array(["2024-01-01", "2024-03-01"], "M8[D]")
    index = rtindex.build(rtindex.intervals(start, start + 10, ends="[)"))
    days = np.array(["2024-01-13", "2024-02-01"], "M8[D]")
    assert index.nearest(days, "count", tolerance="3d").tolist() == [1, 0]


@pytest.mark.parametrize("ends", ["[]", "[)", "(]", "()"])
def test_dates_contain_times_between_them(ends):
    start = np.array(["2024-01-01", "2024-01-03", "2024-01-05"], "M8[D]")
    end = np.array(["2024-01-03", "2024-01-04", "2024-01-06"], "M8[D]")
    index = rtindex.build(rtindex.intervals(start, end, ends=ends))
    hours = np.arange("2023-12-31T00", "2024-01-08T00", 6, "M8[h]")
    after_start = hours[:, None] >= start if ends[0] == "[" else hours[:, None] > start
    before_end = hours[:, None] <= end if ends[1] == "]" else hours[:, None] < end
    assert index.contains(hours, "count").tolist() == (after_start & before_end).sum(1).tolist()


def test_starts_and_ends_have_units_of_their_own():
    pandas = pytest.importorskip("pandas")
    start = pandas.Series(pandas.to_datetime(["2024-01-01", "2024-02-01"])).astype("M8[ns]")
    for end in (np.array(["2024-01-31T12", "2024-03-01"], "M8[us]"),
                np.array(["2024-01-31", "2024-03-01"], "M8[D]")):
        index = rtindex.build(rtindex.intervals(start, end, ends="[)"))
        assert index.contains(np.array(["2024-01-30", "2024-02-29"], "M8[ns]")).tolist() == [0, 1]
        index.insert(rtindex.intervals(start, end, ends="[)"))
        assert index.contains(np.array(["2024-02-29"], "M8[D]"), "count").tolist() == [2]
    far = np.array(["2900-01-31", "2900-03-01"], "M8[s]")
    with pytest.raises(rtindex.Error, match="too far from 1970"):
        rtindex.build(rtindex.intervals(start, far, ends="[)"))
