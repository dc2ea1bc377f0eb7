"""What several test files share."""

from __future__ import annotations

import os
import pathlib
import random
import sys

import pytest

# With --import-mode=importlib the helpers beside the tests are found only if they are named here.
sys.path.insert(0, str(pathlib.Path(__file__).parent))

# Dask forks its workers from one process that has imported Dask and pandas, as in its own tests. It
# reads this when it is imported.
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")


@pytest.fixture
def seeded():
    """A generator that draws the same numbers in every run."""
    return random.Random(20240301)


@pytest.fixture(scope="module")
def client():
    """A Dask cluster of two worker processes. It ends with the tests of a file: its threads would
    allocate memory while others measure theirs."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                  memory_limit=None) as cluster, distributed.Client(cluster) as own:
        yield own
