"""What type checkers find in the package and in its tests; typed_calls.py has what editors show."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

import rtindex

TESTS = pathlib.Path(__file__).parent
# Tests pass wrong arguments on purpose, and those of pandas-stubs are narrower than pandas.
WRONG_ARGUMENTS = ("arg-type", "call-arg", "call-overload")
RULES = {
    **dict.fromkeys(("reportMissingImports", "reportMissingModuleSource", "reportPrivateImportUsage",
                    "reportUnsupportedDunderAll"), "none"),
    "pythonVersion": "3.10",
    "useLibraryCodeForTypes": False,
}
NOT_IN_TESTS = dict.fromkeys(("reportArgumentType", "reportAttributeAccessIssue", "reportCallIssue",
                              "reportOperatorIssue", "reportUnusedExpression"), "none")


def started(folder, *command):
    return subprocess.Popen([sys.executable, "-m", *command], cwd=folder, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the installed package, with the stub of its extension module."""
    folder = tmp_path_factory.mktemp("typing")
    package = pathlib.Path(rtindex.__file__).parent
    assert (package / "py.typed").exists() and (package / "_core.pyi").exists()
    shutil.copytree(package, folder / "rtindex", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return folder


def checked(*running):
    for process in running:
        output = process.communicate()[0]
        assert process.returncode == 0, output


def mypy(folder, *arguments):
    return started(folder, "mypy", "--config-file", str(TESTS.parents[1] / "pyproject.toml"), "--cache-dir",
                   str(folder / "cache"), "--python-executable", sys.executable, *arguments)


def pyright(folder, name, include, rules):
    """A project for each part, because they have different rules."""
    project = folder / f"{name}.json"
    project.write_text(json.dumps({**rules, "include": include, "extraPaths": [str(folder)]}))
    return started(folder, "basedpyright", "--project", str(project), "--pythonpath", sys.executable)


def test_checkers_find_nothing(folder):
    pytest.importorskip("mypy")
    pytest.importorskip("basedpyright")
    package = pyright(folder, "package", ["rtindex", str(TESTS / "typed_calls.py")],
                      {**RULES, "typeCheckingMode": "standard"})
    checked(mypy(folder, "--strict", "-p", "rtindex"))
    checked(mypy(folder, "--strict", str(TESTS / "typed_calls.py")))
    codes = [option for code in WRONG_ARGUMENTS for option in ("--disable-error-code", code)]
    checked(mypy(folder, *codes, str(TESTS)), package,
            pyright(folder, "tests", [str(TESTS)], {**RULES, **NOT_IN_TESTS, "typeCheckingMode": "basic"}))
