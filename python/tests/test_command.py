"""The `rtindex` command that comes with the package."""

import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

import rtindex
from rtindex import _core

SCRIPT = pathlib.Path(sys.executable).with_name("rtindex")


def run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "rtindex", *map(str, arguments)], text=True,
                          capture_output=True, timeout=120, **options)


def test_without_a_verb_it_tells_what_is_built_in():
    shown = run()
    assert shown.returncode == 0
    assert shown.stdout.startswith(_core.build_text)
    assert "available  rx:native@cpu" in shown.stdout


def test_lookups_answer_as_the_package_does(tmp_path):
    keys = np.random.default_rng(3).integers(0, 1000, 500)
    lookups = np.arange(0, 1000, 7)
    np.save(tmp_path / "keys.npy", keys)
    np.save(tmp_path / "lookups.npy", lookups)
    shown = run("lookup", "--column", tmp_path / "keys.npy", "--keys", tmp_path / "lookups.npy",
                "--answer", "count", "-o", tmp_path / "counts.npy")
    assert shown.returncode == 0, shown.stderr
    expected = rtindex.build(keys).lookup(lookups, "count")
    np.testing.assert_array_equal(np.load(tmp_path / "counts.npy"), expected)


def test_invalid_input_is_one_line_and_exit_code_2(tmp_path):
    failed = run("lookup", "--column", tmp_path / "none.npy", "--key", "1")
    assert failed.returncode == 2
    assert failed.stderr.startswith("rtindex: ")
    assert failed.stderr.count("\n") == 1


def test_interrupts_and_closed_pipes_end_it_as_any_program():
    code = ("import os, signal; from rtindex import __main__, _core;"
            "_core.run_command = lambda arguments: os.kill(os.getpid(), signal.{});"
            "__main__.command()")
    for name in ("SIGINT", "SIGPIPE"):
        ended = subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True,
                               text=True, timeout=60)
        assert ended.returncode == -getattr(signal, name), ended.stderr
        assert ended.stderr == ""


@pytest.mark.skipif(not SCRIPT.exists(), reason="the package is not installed")
def test_what_is_built_in_ends_with_a_closed_pipe():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        ended = subprocess.run([sys.executable, "-u", "-m", "rtindex"], stdout=closed,
                               stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (-signal.SIGPIPE, "")


def test_the_script_is_the_same_command():
    shown = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == _core.build_text.strip()
