"""The pages that show Python, run as they stand."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import re

import pytest
from pages import ROOT, differences, run_page

import rtindex


@pytest.mark.parametrize(("page", "blocks"), [("docs/tutorial.md", 10), ("docs/python.md", 15),
                                              ("docs/changes.md", 6), ("docs/joins.md", 8),
                                              ("docs/intervals.md", 5), ("docs/filters.md", 5),
                                              ("docs/dask.md", 8),
                                              ("docs/memory-and-speed.md", 1), ("README.md", 1)])
def test_pages_print_what_they_show(page, blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, run = run_page(page)
    assert found == []
    assert run >= blocks


def test_the_check_rejects_what_is_not_true():
    page = "```python\nprint(1)\n```\n\n```text\n{}\n```\n"
    assert differences(page.format("1"), {}) == []
    assert differences(page.format("2"), {}) == ["shown '2\\n', printed '1\\n'"]
    assert differences("```python\nprint(1)\n```\n", {}) == ["not shown: '1\\n'"]


def test_objects_mean_what_the_page_says():
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    section = page.split("## What pandas, polars, NumPy and Arrow objects mean here")[1].split("\n## ")[0]
    lines = re.findall(r"(?m)^\| [^|]+ \| `(.+)` \| `(.+)` \|$", section)
    assert len(lines) >= 13
    namespace = {"rtindex": rtindex}
    exec("import datetime, decimal, uuid\nimport numpy as np, pandas as pd, polars as pl, pyarrow as pa", namespace)
    for call, result in lines:
        assert repr(eval(call, namespace)) == result, call


def _shown_arguments(call: str) -> tuple[list[str], dict[str, object], bool]:
    """Names and defaults of `f(a, b=1, ...)`, and whether these are all."""
    parts = [part.strip() for part in call.partition("(")[2].removesuffix(")").split(", ") if part.strip()]
    names = [part.partition("=")[0] for part in parts if part != "..."]
    defaults = {name: ast.literal_eval(value) for name, _, value in (part.partition("=") for part in parts) if value}
    return names, defaults, "..." not in parts


def _function(call: str):
    """What `index.lookup(...)` or `rtindex.pandas.merge_asof(...)` calls."""
    *modules, name = call.partition("(")[0].split(".")
    if modules == ["index"]:
        return getattr(rtindex.Index, name)
    return getattr(importlib.import_module(".".join(modules)), name)


def test_calls_have_the_arguments_that_the_page_shows():
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    table = page.split("## Calls")[1].split("\n\n")[1]
    calls = [call for line in table.splitlines() for call in re.findall(r"`((?:rtindex|index)[\w.]*\(.*?\))`", line)]
    assert len(calls) >= 30
    for call in calls:
        names, defaults, all_of_them = _shown_arguments(call)
        known = {name: parameter for name, parameter in inspect.signature(_function(call)).parameters.items()
                 if name != "self"}
        assert [*known][:len(names)] == names, call
        assert len(names) == len(known) or not all_of_them or "draw" in call, call
        for name, value in defaults.items():
            assert known[name].default == value, call
    named = {call.partition("(")[0].removeprefix("index.") for call in calls} | set(re.findall(r"`index\.(\w+)`", table))
    public = {name for name in vars(rtindex.Index) if not name.startswith("_")}
    assert public - named == set(), "not on the page"


def test_the_page_of_dask_has_the_arguments_of_build():
    import rtindex.dask

    page = (ROOT / "docs/dask.md").read_text(encoding="utf-8")
    table = page.split("| argument of `build` | |")[1].split("\n\n")[0]
    shown = re.findall(r"(?m)^\| `(\w+)(?:=[^`]*)?` \|", table)
    signature = inspect.signature(rtindex.dask.build).parameters
    assert sorted(shown) == sorted(set(signature) - {"column"})


def test_an_index_on_dask_has_the_calls_of_one_in_memory():
    import rtindex.dask

    public = {name for name in vars(rtindex.Index) if not name.startswith("_")}
    assert public - set(dir(rtindex.dask.Index)) == {"build_profile"}
    for name in public - {"build_profile", "save"}:
        here, there = (getattr(kind, name) for kind in (rtindex.Index, rtindex.dask.Index))
        if callable(here):
            wanted, found = ([(argument.name, argument.default) for argument in inspect.signature(call).parameters.values()
                              if argument.name != "progress"]  # workers report none
                             for call in (here, there))
            assert found == wanted, name


def test_numpy_is_the_only_requirement():
    (name,) = set(importlib.metadata.packages_distributions()["rtindex"])  # rtindex, or rtindex-cu13
    required = importlib.metadata.requires(name) or []
    assert [re.findall(r"[\w-]+", line)[0] for line in required if "extra ==" not in line] == ["numpy"]
    assert any(line.startswith("dask") and "extra == 'dask'" in line.replace('"', "'") for line in required)
