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
TYPED_CALLS = TESTS / "typed_calls.py"  # as strict as the package
# Tests pass wrong arguments on purpose, and those of pandas-stubs are narrower than pandas.
WRONG_ARGUMENTS = ("arg-type", "call-arg", "call-overload")
# What mypy's strict mode wants of annotations, which tests have few of.
NOT_STRICT = dict.fromkeys(("disallow_any_generics", "disallow_incomplete_defs", "disallow_subclassing_any",
                            "disallow_untyped_calls", "disallow_untyped_decorators", "disallow_untyped_defs",
                            "warn_return_any", "warn_unused_ignores"), False)
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
    """One run over everything, because most of the time goes into the stubs of NumPy and pandas."""
    config = folder / "mypy.toml"
    overrides = {"module": [path.stem for path in TESTS.glob("*.py") if path != TYPED_CALLS],
                 "disable_error_code": WRONG_ARGUMENTS, **NOT_STRICT}
    config.write_text("\n".join([(TESTS.parents[1] / "pyproject.toml").read_text(), "[[tool.mypy.overrides]]",
                                 *(f"{name} = {json.dumps(value)}" for name, value in overrides.items())]))
    return started(folder, "mypy", "--strict", "--config-file", str(config), "--cache-dir", str(folder / "cache"),
                   "--python-executable", sys.executable, *arguments)


def pyright(folder, name, include, rules):
    """A project for each part, because they have different rules."""
    project = folder / f"{name}.json"
    project.write_text(json.dumps({**rules, "include": include, "extraPaths": [str(folder)]}))
    return started(folder, "basedpyright", "--project", str(project), "--pythonpath", sys.executable)


def test_checkers_find_nothing(folder):
    pytest.importorskip("mypy")
    pytest.importorskip("basedpyright")
    package = pyright(folder, "package", ["rtindex", str(TYPED_CALLS)],
                      {**RULES, "typeCheckingMode": "standard"})
    checked(mypy(folder, "rtindex", str(TESTS)), package,
            pyright(folder, "tests", [str(TESTS)], {**RULES, **NOT_IN_TESTS, "typeCheckingMode": "basic"}))
