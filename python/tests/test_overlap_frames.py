"""Overlap joins of data frames whose columns differ in type, unit or name."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

import rtindex
from rtindex.pandas import merge_overlap, merge_range


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
