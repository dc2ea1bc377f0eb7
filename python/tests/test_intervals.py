"""Columns of intervals, against a scan."""

import datetime
import decimal
import pickle
import random
from typing import Any

import numpy as np
import pytest
from oracle import listed

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
    (lambda: rtindex.build(rtindex.intervals([datetime.time(22)], [datetime.time(6)], ends="[)")),
     "if it passes midnight, split it there into two rows"),
    (lambda: rtindex.build(rtindex.intervals([5], [2.5], ends="[)")), "start with int64 values"),
    (lambda: rtindex.build(rtindex.intervals([5.0], [np.nan], ends="[)")), "is NaN"),
    (lambda: rtindex.build(rtindex.intervals([1, 2], [2], ends="[)")), "differ in length"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)"), "hash"), "keeps its keys"),
    (lambda: rtindex.build([1]).contains([1]), "contains searches intervals"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).lookup([1]), "contains,"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).contains(["a"]), "string"),
    (lambda: rtindex.build(rtindex.intervals([1], [2], ends="[)")).erase_keys([1]),
     "erased by their rows: find these with contains"),
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


@pytest.mark.parametrize(("start", "end", "held"), [
    ("int32", "int64", "int64"), ("int64", "int8", "int64"), ("uint8", "int64", "int64"), ("uint8", "int8", "int16"),
    ("int32", "uint32", "int64"), ("uint16", "uint32", "uint32"), ("float32", "float64", "float64")])
def test_starts_and_ends_may_have_two_types(start, end, held):
    starts, ends = np.array([1, 5, 9], start), np.array([4, 6, 20], end)
    index = rtindex.build(rtindex.intervals(starts, ends, ends="[]"))
    assert f"intervals [] of {held}" in index.describe()
    index.insert(rtindex.intervals(starts, ends, ends="[]"))
    index.insert(rtindex.intervals(ends, starts[[2, 2, 2]] * 3, ends="[]"))
    index.update([0], rtindex.intervals(starts[:1], ends[2:], ends="[]"))
    assert index.overlaps(np.array([4, 30], start), np.array([5, 31], end), "count").tolist() == [5, 0]
    assert index.contains(np.array([10, 3], end), "count").tolist() == [5, 2]


def test_starts_and_ends_of_lists_and_frames_may_have_two_types():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    starts = pa.array([1, None, 9], pa.int16())
    for end in ([4, 6, 20], pl.Series([4, 6, 20], dtype=pl.UInt8), pd.Series([4, 6, 20], dtype="Int32")):
        index = rtindex.build(rtindex.intervals(starts, end, ends="[)", by=["a", "a", "b"]))
        assert index.contains((["a", "a", "b"], [3, 5, 19]), "count").tolist() == [1, 0, 1]


@pytest.mark.parametrize(("start", "end"), [("int32", "uint64"), ("int32", "float64"), ("bool", "int8")])
def test_starts_and_ends_without_a_common_type_are_rejected(start, end):
    with pytest.raises(rtindex.InvalidArgumentError, match=f"start with {start} values and end with {end}"):
        rtindex.build(rtindex.intervals(np.array([1], start), np.array([4], end), ends="[]"))


def matching(kind, starts, stops, ends, lower, upper, own):
    """How many intervals a query finds, by a scan."""
    def inside(a, b, outer, c, d, inner):
        """Whether all points between c and d lie between a and b."""
        return _has_points(a, b, outer) and _has_points(c, d, inner) and (
            a < c or a == c and (outer[0] == "[" or inner[0] == "(")) and (
            d < b or d == b and (outer[1] == "]" or inner[1] == ")"))

    found = {"overlaps": lambda a, b: overlap(a, b, ends, lower, upper, own),
             "within": lambda a, b: inside(lower, upper, own, a, b, ends),
             "covers": lambda a, b: inside(a, b, ends, lower, upper, own)}[kind]
    return sum(found(a, b) for a, b in zip(starts.tolist(), stops.tolist()))


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8"])
def test_fractions_lie_between_integers(ends, dtype):
    choice = random.Random(5)
    starts = np.array([choice.randrange(12) for _ in range(40)])
    stops = starts + [choice.randrange(4) for _ in range(40)]
    index = rtindex.build(rtindex.intervals(starts.astype(dtype), stops.astype(dtype), ends=ends))
    numbers = np.arange(-2, 18, 0.25)
    points = [*numbers.tolist(), -np.inf, np.inf, -1e30, 1e300, 2.0**63]
    wanted = [matching("overlaps", starts, stops, ends, key, key, "[]") for key in points]
    assert index.contains(points, "count").tolist() == wanted
    assert [index.contains(key, "count") for key in points] == wanted
    lower = [choice.choice(points) for _ in range(150)]
    upper = [choice.choice([low, low + 0.5, low + 0.25, choice.choice(points)]) for low in lower]
    for kind in ("overlaps", "within", "covers"):
        for own in ENDS:
            wanted = [matching(kind, starts, stops, ends, low, high, own)
                      for low, high in zip(lower, upper)]
            for one, other in ((lower, upper), (np.array(lower), np.array(upper))):
                query = rtindex.Query(kind, one, other, own)
                assert index.answer(query, "count").tolist() == wanted, (kind, own)
            wanted = [matching(kind, starts, stops, ends, 4.5, high, own) for high in points]
            assert index.answer(rtindex.Query(kind, 4.5, points, own), "count").tolist() == wanted


def test_fractions_of_every_library():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    index = rtindex.build(rtindex.intervals([1, 5], [5, 9], ends="[)"))
    keys = [4.7, 5.0, None, 9.5]
    for data in (keys, pandas.Series(keys), pandas.Series(keys, dtype="Float64"),
                 polars.Series(keys), pyarrow.array(keys), pyarrow.chunked_array([keys]),
                 [decimal.Decimal("4.7"), 5, None, decimal.Decimal("9.5")],
                 np.ma.masked_array([4.7, 5, 1, 9.5], [0, 0, 1, 0]), np.array(keys, object),
                 np.array([4.75, 5, np.nan, 9.5], np.float16)):
        assert listed(index.contains(data, "count")) == [1, 1, 0, 0], data
    assert index.contains(polars.Series(keys)).to_list() == [0, 1, None, None]
    assert index.overlaps(4.5, None, "count") == 2 and index.overlaps(None, 4.5, "count") == 1
    assert index.overlaps([8.5, 9.5], 2**60 + 1, "count").tolist() == [1, 0]
    assert index.overlaps([8.5, 9.5], 10**400, "count").tolist() == [1, 0]
    by = rtindex.build(rtindex.intervals([1, 5], [5, 9], ends="[)", by=["a", "b"]))
    assert by.contains(("a", 4.7)) == 0 and by.contains(("b", 4.7)) is None
    assert by.contains([("a", 4.7), ("b", 4.7)], "count").tolist() == [1, 0]
    assert by.contains((["a", "b"], [4.7, 4.7]), "count").tolist() == [1, 0]
    frame = pandas.DataFrame({"g": ["a", "b"], "at": [4.7, 4.7]})
    assert by.contains(frame, "count").tolist() == [1, 0]
    assert index.join(rtindex.Query.contains([4.7])).column.tolist() == [0]


def test_texts_and_nulls_beside_times():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    start = pandas.to_datetime(["2024-01-01", "2024-01-05"])
    texts = ["2024-02-01", "2024-02-01T12:00"]
    noon = np.datetime64("2024-02-01T06:00")
    for end in (texts, np.array(texts), pandas.Series(texts), polars.Series(texts),
                pyarrow.array(texts)):
        for begin in (start, start.date):
            index = rtindex.build(rtindex.intervals(begin, end, ends="[)"))
            assert index.contains(noon, "rows").tolist() == [1]
        assert index.contains(np.datetime64("2024-01-05"), "count") == 2
    index.insert(rtindex.intervals(start, polars.Series(["2024-02-02", None]), ends="[)"))
    assert sorted(index.contains(noon, "rows").tolist()) == [1, 2]
    for end in ([None, None], np.array([None, None]), pandas.Series([None, None]),
                pandas.Series([np.nan, np.nan]), polars.Series([None, None]), pyarrow.nulls(2),
                np.ma.masked_array([1, 2], True)):
        index = rtindex.build(rtindex.intervals(start, end, ends="[)"))
        assert index.valid == 0 and index.contains(noon) is None
        index.insert(rtindex.intervals(start, texts, ends="[)"))
        assert index.contains(noon, "rows").tolist() == [3]
        assert rtindex.build(rtindex.intervals(end, start, ends="[)")).valid == 0
    assert rtindex.build(rtindex.intervals([1, 2], [None, None], ends="[)")).valid == 0
    zoned = start.tz_localize("Europe/Berlin")
    for begin, end, count in ((zoned, ["2024-02-01T00:00Z"] * 2, 2),
                              (["2023-02-01T00:00Z"] * 2, zoned, 1), (zoned, [None] * 2, 0),
                              ([None] * 2, zoned, 0)):
        index = rtindex.build(rtindex.intervals(begin, end, ends="[]"))
        assert index.contains(zoned[1], "count") == count


@pytest.mark.parametrize("end, sentence", [
    (["1/2/2024"], "the ends of the intervals are text: invalid time '1/2/2024'.*pd.to_datetime"),
    (["2024-02-01T00:00Z"], "no time zone and the ends UTC"),
    ([5], r"are datetime64\[us\] and the ends int64"),
])
def test_ends_that_are_no_times(end, sentence):
    with pytest.raises(rtindex.InvalidArgumentError, match=sentence):
        rtindex.build(rtindex.intervals(np.array(["2024-01-01"], "M8[us]"), end, ends="[)"))


def test_describe_counts_rows_without_a_start_or_an_end():
    index = rtindex.build(rtindex.intervals([1, 5, None], [5, 9, 7], ends="[)"))
    assert "nulls: 1 row with a null matches nothing" in index.describe()
    index.insert(rtindex.intervals([1, 2], [None, None], ends="[)"))
    assert "nulls: 3 rows with a null match nothing" in index.describe()
    index.erase([2, 3, 4])
    assert "match nothing" not in index.describe()
    assert "match nothing" not in rtindex.build([1, None]).describe()


@pytest.mark.parametrize("closed, ends", [("both", "[]"), ("left", "[)"), ("right", "(]"), ("neither", "()")])
def test_ranges_of_pandas(closed, ends):
    pandas = pytest.importorskip("pandas")
    index = rtindex.build(pandas.arrays.IntervalArray.from_breaks([0, 1, 2, 3], closed="right"))
    for call in (index.overlaps, index.within, index.covers):
        found = call(pandas.Interval(1, 2, closed), answer="rows", order="key")
        assert found.tolist() == call(1, 2, "rows", ends=ends, order="key").tolist()
    assert index.join(rtindex.Query.overlaps(pandas.Interval(1, 2, closed))).column.size == 1 + ("[" in ends)
