"""Two hosts in network namespaces, with a slow network and with a link that drops.

Needs root and `ip`, and `tc` with netem for the slow network; skipped without them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import rtindex

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402

KEYS = np.random.default_rng(7).integers(0, 500, 4000)
WANTED = np.arange(-5, 505)
COUNTS = [int((KEYS == key).sum()) for key in WANTED]


def run(*command):
    subprocess.run(command, check=True, capture_output=True, text=True)


class Hosts:
    """A bridge of this process with two hosts behind it."""

    def __init__(self, delay):
        self.delay = delay
        self.name = f"rt{os.getpid() % 100000}"
        self.subnet = f"10.{os.getpid() // 250 % 250}.{os.getpid() % 250}"
        self.address = f"{self.subnet}.1"
        self.workers = []

    def __enter__(self):
        try:
            run("ip", "link", "add", self.name, "type", "bridge")
            run("ip", "addr", "add", f"{self.address}/24", "dev", self.name)
            run("ip", "link", "set", self.name, "up")
            for number in (0, 1):
                host, link = self.host(number), self.link(number)
                run("ip", "netns", "add", host)
                run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns",
                    host)
                run("ip", "link", "set", link, "master", self.name, "up")
                inside = ("ip", "netns", "exec", host)
                run(*inside, "ip", "addr", "add", f"{self.subnet}.{number + 2}/24", "dev", "eth0")
                run(*inside, "ip", "link", "set", "eth0", "up")
                run(*inside, "ip", "link", "set", "lo", "up")
                if self.delay:
                    run("tc", "qdisc", "add", "dev", link, "root", "netem", "delay", self.delay)
        except (OSError, subprocess.CalledProcessError) as error:
            self.__exit__()
            pytest.skip("no network of test hosts on this machine: "
                        f"{getattr(error, 'stderr', None) or error}")
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.kill()
            worker.wait()
        for command in (*(("netns", "del", self.host(number)) for number in (0, 1)),
                        *(("link", "del", self.link(number)) for number in (0, 1)),
                        ("link", "del", self.name)):
            subprocess.run(("ip", *command), check=False, capture_output=True)

    def host(self, number):
        return f"{self.name}-{number}"

    def link(self, number):
        return f"{self.name}v{number}"

    def start_worker(self, number, scheduler):
        self.workers.append(subprocess.Popen(
            ("ip", "netns", "exec", self.host(number), sys.executable, "-m",
             "distributed.cli.dask_worker", scheduler, "--nthreads", "1", "--no-nanny",
             "--no-dashboard", "--host", f"{self.subnet}.{number + 2}", "--memory-limit", "0"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s"}))


@pytest.fixture(params=["20ms", None], ids=["slow", "fast"])
def hosts(request):
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("a network of test hosts needs root")
    if not shutil.which("ip") or not shutil.which("tc"):
        pytest.skip("a network of test hosts needs ip and tc: install iproute2")
    with Hosts(request.param) as found:
        yield found


def test_a_network_whose_link_drops(hosts):
    settings = {"distributed.scheduler.worker-ttl": "6s", "distributed.comm.timeouts.tcp": "12s"}
    with dask.config.set(settings), contextlib.ExitStack() as stack:
        cluster = stack.enter_context(distributed.LocalCluster(
            n_workers=0, host=hosts.address, dashboard_address=":0", processes=False,
            protocol="tcp://"))
        client = stack.enter_context(distributed.Client(cluster))
        for number in (0, 1):
            hosts.start_worker(number, cluster.scheduler_address)
        client.wait_for_workers(2, timeout=60)
        index = rtindex.dask.build(da.from_array(KEYS, chunks=1000), partitions=4).persist()
        lazy = index.lookup(da.from_array(WANTED, chunks=200), "count")
        assert index.lookup(WANTED, "count").tolist() == COUNTS
        assert lazy.compute().tolist() == COUNTS
        future = client.compute(lazy)
        run("ip", "link", "set", hosts.link(0), "down")
        assert future.result(timeout=120).tolist() == COUNTS
        assert index.lookup(WANTED, "count").tolist() == COUNTS
        assert index.lookup(7, "count") == COUNTS[12]
        assert len(client.nthreads()) == 1
        run("ip", "link", "set", hosts.link(0), "up")
        assert index.lookup(WANTED, "count").tolist() == COUNTS
