"""pandas' own tests of `merge_asof` pass with `rtindex.pandas.merge_asof` in its place."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

MODULE = "pandas.tests.reshape.merge.test_merge_asof"
RUN = f"""
import sys
import types

import pandas
import pytest

import rtindex.pandas
import {MODULE} as own

own.pd = types.ModuleType("pandas")  # as the tests name it
own.pd.__dict__.update(pandas.__dict__, merge_asof=rtindex.pandas.merge_asof)
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_merge_asof_passes_the_tests_of_pandas(tmp_path):
    pytest.importorskip(MODULE, reason="this wheel of pandas has no tests")
    # Unsorted frames are no error here.
    arguments = ["--pyargs", MODULE, "-k", "not test_non_sorted", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    run = subprocess.run([sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, cwd=tmp_path,
                         check=False)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    passed = re.search(r"(\d+) passed", run.stdout)
    assert passed and int(passed[1]) > 100, run.stdout[-1000:]
