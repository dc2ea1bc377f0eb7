"""Overlap joins of data frames whose columns differ in type, unit or name."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rtindex
from rtindex.pandas import merge_overlap, merge_range
from rtindex.polars import join_overlap


def frame(group, start=1, end=2):
    return pd.DataFrame({"g": group, "s": start, "e": end})


@pytest.mark.parametrize("left, right", [
    ([1], ["1"]), ([1.0], ["1"]), (pd.Categorical([1]), ["1"]), (pd.Categorical([1]),
                                                                 pd.Categorical(["1"])),
    (pd.to_datetime(["2024-01-01"]), ["2024-01-01"]), (np.array(["1"], object), [1]),
    (pd.to_datetime(["2024-01-01"]), pd.to_datetime(["2024-01-01"], utc=True)),
    (pd.array([1], "Int64"), pd.array(["1"], "string")), ([pd.Timedelta(1, "s")], [1]),
])
def test_groups_of_two_types_are_an_error(left, right):
    for one, other in ((frame(left), frame(right)), (frame(right), frame(left))):
        sentence = (f"the columns 'g' and 'g' differ in type, {one['g'].dtype} and "
                    f"{other['g'].dtype}, ")
        for call in (lambda: merge_overlap(one, other, on=("s", "e"), by="g", ends="[)"),
                     lambda: merge_range(one, other, ("s", "e"), "s", by="g")):
            with pytest.raises(rtindex.InvalidArgumentError) as error:
                call()
            assert sentence in str(error.value) and "convert one of them" in str(error.value)


@pytest.mark.parametrize("left, right", [
    ([1], [1.0]), ([True], [1]), (pd.Categorical(["a"]), ["a"]), (pd.array(["a"], "string"), ["a"]),
    (np.array(["a"], object), pd.array(["a"], "string")), (pd.array([1], "Int64"), [1]),
    (np.array([1], object), [1]), (np.array([None]), [np.nan]),
])
def test_groups_of_two_types_may_be_equal(left, right):
    found = merge_overlap(frame(left), frame(right), on=("s", "e"), by="g", ends="[)")
    assert len(found) == 1


@pytest.mark.parametrize("names", [["g", "s", "e", "g"], ["g", "s", "e", "s"], ["g", "e", "s", "e"]])
def test_names_that_occur_twice_are_an_error(names):
    one = frame([1])
    twice = pd.DataFrame([[1, 1, 2, 3]], columns=names)
    name = names[3]
    for left, right in ((one, twice), (twice, one)):
        with pytest.raises(rtindex.InvalidArgumentError, match=f"column '{name}' appears twice"):
            merge_overlap(left, right, on=("s", "e"), by="g", ends="[)")
    with pytest.raises(rtindex.InvalidArgumentError, match=f"column '{name}' appears twice"):
        merge_range(twice, one, ("s", "e"), "s", by="g")
    with pytest.raises(KeyError, match="no column 'x'"):
        merge_range(one, one, ("s", "x"), "s")


def test_times_of_two_units_are_joined():
    pl = pytest.importorskip("polars")
    from rtindex.polars import join_overlap

    times = pd.DataFrame({"s": pd.to_datetime(["2024-01-01 08:00", "2024-01-05 00:30"]),
                          "e": pd.to_datetime(["2024-01-01 17:00", "2024-01-05 01:00"])})
    day = datetime.date
    days = pd.DataFrame({"s": [day(2024, 1, 1), day(2024, 1, 2), day(1, 1, 1)],
                         "e": [day(2024, 1, 2), day(2024, 1, 5), day(9999, 12, 31)]})
    for unit in ("s", "us", "ns"):
        left = times.astype(f"M8[{unit}]")
        for one, other, wanted in ((left, days, [(0, 0), (0, 2), (1, 2)]),
                                   (days.iloc[:2], left, [(0, 0)])):
            found = merge_overlap(one.assign(a=range(len(one))), other.assign(b=range(len(other))),
                                  on=("s", "e"), ends="[)")
            assert sorted(zip(found["a"], found["b"])) == wanted
    left, right = (pl.DataFrame(dict(frame.items())) for frame in (times, days))
    found = join_overlap(left, right, on=("s", "e"), ends="[]")
    assert found.height == 3 and found.schema["s_right"] == pl.Date
    far = pd.DataFrame({"s": [day(3000, 1, 1), day(1500, 1, 1)], "e": [day(9999, 1, 1), day(1600, 1, 1)]})
    assert len(merge_overlap(times.astype("M8[ns]"), far, on=("s", "e"), ends="[]")) == 0


def test_columns_of_intervals_are_joined():
    ages = pd.Series([5, 20, 64, 90])
    groups = pd.cut(ages, [0, 18, 65, 120])
    bands = pd.DataFrame({"iv": groups.cat.categories, "name": ["child", "adult", "old"]})
    people = pd.DataFrame({"age": [18, 19, 66, 200]})
    for right in (bands, bands.assign(iv=pd.Categorical(bands["iv"]))):
        found = merge_overlap(people, right, left_on="age", right_on="iv", ends="(]")
        assert found["name"].tolist() == ["child", "adult", "old"]
        both = merge_overlap(right, right, on="iv", ends="(]")
        assert both["name_x"].tolist() == both["name_y"].tolist() == ["child", "adult", "old"]
        with pytest.raises(rtindex.InvalidArgumentError, match=r"'iv' has intervals \(\]: pass ends"):
            merge_overlap(people, right, left_on="age", right_on="iv", ends="[)")
    with pytest.raises(rtindex.InvalidArgumentError, match="start and the end"):
        merge_overlap(people, people, left_on="age", right_on="age", ends="[)")


def test_categories_of_intervals_are_intervals():
    groups = pd.cut(pd.Series([5, 20, None]), [0, 18, 65])
    for data in (groups, groups.array, groups.astype("interval"), pd.Index(groups)):
        index = rtindex.build(data)
        assert index.interval_ends == "(]" and index.valid == 2
        assert index.contains([18, 19], "rows").to_pylist() == [[0], [1]]
        by = rtindex.build(rtindex.intervals(data, by=["a", "b", "a"]))
        assert by.contains((["a", "a"], [18, 19]), "count").tolist() == [1, 0]
    with pytest.raises(rtindex.InvalidArgumentError, match="expected keys, got intervals.*cat.codes"):
        rtindex.build([1]).lookup(groups)
    with pytest.raises(rtindex.InvalidArgumentError, match="expected intervals of pandas, or starts"):
        rtindex.intervals([1, 2])


def pandas_and_polars(left, right, **options):
    """Results of both libraries; `left` and `right` are columns by name."""
    return (merge_overlap(pd.DataFrame(left), pd.DataFrame(right), ends="[)", **options),
            join_overlap(pl.DataFrame(left), pl.DataFrame(right), ends="[)", **options).to_pandas())


def test_an_end_that_is_nan_is_an_error_on_both_sides():
    good = pl.DataFrame({"from": [1.0, 3.0], "to": [2.0, None]})
    nan = good.with_columns(to=pl.Series([2.0, float("nan")]))
    for left, right in ((good, nan), (nan, good)):
        with pytest.raises(rtindex.InvalidArgumentError, match="is NaN"):
            join_overlap(left, right, on=("from", "to"), ends="[)")
    assert len(join_overlap(good, good, on=("from", "to"), ends="[)")) == 1


def test_full_is_polars_word_for_outer():
    left = pl.DataFrame({"from": [1, 9], "to": [2, 10]})
    full = join_overlap(left, left.head(1), on=("from", "to"), ends="[)", how="full")
    assert full.equals(join_overlap(left, left.head(1), on=("from", "to"), ends="[)", how="outer"))
    with pytest.raises(TypeError, match="expected a DataFrame of pandas, got polars.DataFrame"):
        merge_overlap(left, left, on=("from", "to"), ends="[)")


def test_contracts_without_an_end():
    days = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 4)]
    closed, opened = {"from": days, "to": days[::-1][:1] * 2}, {"from": days, "to": [None, None]}
    for left, right in ((opened, opened), (opened, closed), (closed, opened)):
        for found in pandas_and_polars(left, right, on=("from", "to"), how="left"):
            assert len(found) == 2 and found.iloc[:, 2].isna().all()
    nan = pd.DataFrame(opened).assign(to=np.nan)
    zoned = pd.DataFrame(closed).apply(lambda column: column.dt.tz_localize("Europe/Berlin"))
    never = zoned.assign(to=pd.Series([pd.NaT, pd.NaT]))
    for one, other in ((nan, nan), (zoned, never), (never, zoned), (never, never)):
        assert len(merge_overlap(one, other, on=("from", "to"), ends="[)", how="left")) == 2
    for one, other in ((nan, nan), (never, zoned)):
        found = merge_range(one, other[["from"]].rename(columns={"from": "key"}), ("from", "to"), "key", how="left")
        assert len(found) == 2 and found["key"].isna().all()


@pytest.mark.parametrize("side", ["left", "right", "both"])
def test_polars_columns_of_two_types(side):
    frame = pl.DataFrame({"from": [datetime.datetime(2024, 1, 1)], "to": [datetime.datetime(2024, 1, 4)]})
    for other in (frame.with_columns(pl.col("to").cast(pl.Datetime("ms"))),
                  frame.with_columns(pl.col("to").cast(pl.Date)),
                  frame.with_columns(pl.col("to").dt.to_string("%Y-%m-%d"))):
        left, right = (other if side in (own, "both") else frame for own in ("left", "right"))
        assert len(join_overlap(left, right, on=("from", "to"), ends="[)")) == 1


def test_reversed_intervals_are_an_error_on_both_sides():
    good, bad = {"s": [1, 2], "e": [3, 4]}, {"s": [1, 4], "e": [3, 2]}
    for left, right, side in ((good, bad, "right"), (bad, good, "left")):
        for call, of in ((merge_overlap, pd.DataFrame), (join_overlap, pl.DataFrame)):
            with pytest.raises(rtindex.InvalidArgumentError,
                               match=f"the {side} frame's 's' and 'e': the interval in row 1 ends at 2"):
                call(of(left), of(right), on=("s", "e"), ends="[)")


def test_errors_name_the_columns_of_the_frames():
    times = pd.DataFrame({"at": pd.to_datetime(["2024-01-01"], utc=True)})
    right = pd.DataFrame({"s": pd.to_datetime(["2024-01-01"]), "e": pd.to_datetime(["2024-01-02"])})
    with pytest.raises(rtindex.InvalidArgumentError) as error:
        merge_overlap(times, right, left_on="at", right_on=("s", "e"), ends="[)")
    assert str(error.value).startswith("the left frame's 'at': ") and "index" not in str(error.value)
