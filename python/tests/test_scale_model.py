"""The model of docs/scale.md: its formulas, its simulation, and the table on the page."""

from __future__ import annotations

import importlib.util
import math
import re
import sys

import pytest
from pages import ROOT


@pytest.fixture(scope="module")
def model():
    spec = importlib.util.spec_from_file_location("scale_model", ROOT / "scripts/scale_model.py")
    found = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # for dataclasses
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def measured(model):
    return model.measured_by(model.read(model.RECORDS))


def test_the_table_is_that_of_the_page(model, measured):
    page = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    for line in model.table(measured):
        if "does not fit" not in line:
            assert line in page


def test_formulas(model, measured):
    machine = model.MACHINES["cpu"]
    cut = model.Setting(1, 8, 8)
    one = model.predict(1e9, 1, 1e8, machine, measured, cut)
    assert one.build_s == pytest.approx(1e9 * measured.build_ns * 1e-9 / 16 + 9 / 2000, rel=0.01)
    many = model.predict(1e9, 10, 1e8, machine, measured, model.Setting(10, 10, 10))
    assert many.memory_share == pytest.approx(one.memory_share / 10)
    assert many.dollars_an_hour == 10 * one.dollars_an_hour
    assert model.build_tasks(model.Setting(10, 10, 1)) == 120  # pairs
    assert model.build_tasks(model.Setting(1000, 1000, 1)) == 6000  # between peers
    assert model.predict(1e13, 1, 1, machine, measured).limits == "memory"


@pytest.mark.parametrize("workers", [1, 10, 100])
def test_the_simulation_agrees_without_trouble(model, measured, workers):
    arguments = (1e10, workers, 1e9, model.MACHINES["cpu"], measured)
    calm = model.simulate(*arguments, skew=0, stragglers=0, failures_an_hour=0)
    formula = model.predict(*arguments)
    # Pieces of work are whole: the last one makes the difference.
    assert formula.build_s * 0.9 <= calm.build_s <= formula.build_s * 2.1
    assert calm.lost == 0 and calm.largest < 1.3
    skewed = model.simulate(*arguments, skew=1.0, stragglers=0, failures_an_hour=0)
    assert skewed.lookup_s >= calm.lookup_s * 0.999
    troubled = model.simulate(*arguments, skew=0, stragglers=0.5, failures_an_hour=3600.0)
    assert troubled.build_s > calm.build_s
    assert model.simulate(*arguments, seed=3) == model.simulate(*arguments, seed=3)


def test_errors_are_stated(model, measured):
    machine = model.Machine("here", 1, math.inf, measured.copy_bytes_s, 0, 1.0)
    cut = model.Setting(4, 4, 4)
    predicted = model.predict(1 << 24, 2, 1 << 24, machine, measured, cut, 2)
    record = {"experiment": "dask-scaling", "category": "4 partitions", "metric": "build_ms",
              "machine": {"cores": 2},
              "median": predicted.build_s * 1000 / 1.25,
              "workload": {"keys": 1 << 24, "lookups": 1 << 24, "workers": 2, "partitions": 4}}
    assert [*model.check([record], measured)][-1] == "median error 25%, largest 25%"


def test_what_is_not_recorded_is_named(model):
    records = model.read(model.RECORDS)
    without = [record for record in records if record["experiment"] != "dask-messages"]
    with pytest.raises(SystemExit, match="cluster.py messages --records FILE"):
        model.measured_by(without)


def test_the_page_shows_what_the_check_prints(model, measured):
    page = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    lines = [*model.check(model.read(model.RECORDS), measured)]
    assert f"```\n{chr(10).join(lines)}\n```" in page
    middle, largest = re.search(r"median error (\d+)%, largest (\d+)%", lines[-1]).groups()
    assert f"off by {middle} % in the median and by {largest} % at most" in page


def test_the_page_shows_what_was_measured(measured):
    page = (ROOT / "docs/scale.md").read_text(encoding="utf-8")
    shown = re.search(r"## What is measured.*?\n\n(\|.*?)\n\n", page, re.DOTALL).group(1)
    figures = [re.findall(r"[\d.]+", line.split("|")[2]) for line in shown.splitlines()[2:]]
    whole = [measured.build_ns, measured.split_ns, measured.lookup_ns, measured.route_ns, measured.bytes_a_key]
    assert figures == [
        *([f"{figure:.0f}"] for figure in whole), [f"{measured.row_bytes:.0f}", f"{measured.lookup_bytes:.0f}"],
        *([f"{figure:.1f}"] for figure in (measured.copy_bytes_s / 1e9, measured.task_s * 1e3, measured.call_s * 1e3))]


def test_sentences_of_the_page_follow_from_the_model(model, measured):
    machine = model.MACHINES["cpu"]
    # 10^13 keys take 210 TB, and 315 TB with room to work: about 2,500 workers of 128 GB.
    assert 1e13 * measured.bytes_a_key == pytest.approx(210e12, rel=0.01)
    share = model.predict(1e13, 2_500, 1, machine, measured).memory_share
    assert share * 2_500 * 128e9 == pytest.approx(315e12, rel=0.01)
    assert share == pytest.approx(1, abs=0.03)
    # 100 blocks and 100 partitions are 20,000 tasks, 10 s of the scheduler.
    tasks = model.lookup_tasks(model.Setting(100, 1, 100))
    assert tasks == pytest.approx(20_000, rel=0.02)
    assert tasks / model.SCHEDULER_TASKS_S == pytest.approx(10, rel=0.02)
