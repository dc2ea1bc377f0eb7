"""What type checkers and editors see."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import rtindex

CODE = """
import rtindex
index = rtindex.build([1, 2], include=[3, 4], nan_as_null=False)
answers = index.lookup([1], ["sum", "count"])
reveal_type(answers)
reveal_type(index.nearest([1], ["key"]).rows[0:1])
reveal_type(index.range(1, 2, ["rows"]).keys())
reveal_type(index.is_unique)
reveal_type(index.names)
total, count = answers
"""
WANTED = ["rtindex._results.Answers", "rtindex._results.Rows", "list[str]", "bool", "tuple[str, ...]"]


def test_several_answers_have_a_type(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "code.py").write_text(CODE)
    folder = pathlib.Path(rtindex.__file__).parents[1]
    run = subprocess.run([sys.executable, "-m", "mypy", "--follow-imports=silent", "--ignore-missing-imports",
                          "--cache-dir", str(tmp_path / "cache"), "code.py"], cwd=tmp_path, text=True,
                         capture_output=True, env={**os.environ, "MYPYPATH": "" if "site-packages" in str(folder)
                                                   else str(folder)})
    revealed = [line.split('"')[1] for line in run.stdout.splitlines() if "Revealed type" in line]
    assert [kind.replace("builtins.", "") for kind in revealed] == WANTED, run.stdout + run.stderr
    assert ": error:" not in run.stdout
