"""Forked processes use and change indexes that other threads were changing."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings

import numpy as np
import pytest

import rtindex

LIMIT_S = 60


def forked(work):
    """The exit status of a child that does this work; one that hangs is killed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if child == 0:
        signal.alarm(LIMIT_S)
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1]


def can_be_used(index):
    row = index.insert([-5])
    found = index.lookup(-5) == row and index.lookup(np.arange(3), "count").tolist() == [1, 1, 1]
    index.erase([row])
    index.merge()
    return found and index.lookup(-5) is None


@pytest.fixture
def changing():
    """An index that a thread changes, with merges in the background and calls of Python."""
    keys = np.arange(20_000)
    index = rtindex.build(keys, "rx:native@cpu,delta=2000")
    stop = threading.Event()

    def change():
        turn = 0
        with rtindex.progress(lambda done: None):  # waits for the GIL, which a fork holds
            while not stop.is_set():
                index.insert(keys[5000:6000] + 10**6)
                index.erase([100 + turn])
                index.lookup(keys, "count")
                turn += 1

    thread = threading.Thread(target=change)
    thread.start()
    yield index
    stop.set()
    thread.join()


def test_children_change_an_index_that_was_changing(changing):
    for _ in range(25):
        assert forked(lambda: can_be_used(changing)) == 0


def test_multiprocessing_forks_while_an_index_changes(changing):
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = context.Process(target=lambda: os._exit(0 if can_be_used(changing) else 1))
            child.start()
        child.join(LIMIT_S)
        if child.is_alive():
            child.kill()
        assert child.exitcode == 0


def test_a_fork_does_not_wait_for_a_change_that_waits_for_it():
    index = rtindex.build(np.arange(10), "rx:native@cpu")
    in_change, has_forked = threading.Event(), threading.Event()

    def wait(_):
        in_change.set()
        has_forked.wait(LIMIT_S)

    def change():
        with rtindex.progress(wait):
            index.insert([10])

    thread = threading.Thread(target=change)
    thread.start()
    in_change.wait(LIMIT_S)
    status = forked(lambda: can_be_used(index) and len(index) == 11)
    has_forked.set()
    thread.join()
    assert status == 0 and len(index) == 11
