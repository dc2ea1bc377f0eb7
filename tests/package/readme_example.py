"""Compiles README.md's C++ example against the installed library, by pkg-config and by find_package,
and runs both."""

import pathlib
import re
import shlex
import subprocess
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES CXX)
find_package(rtindex CONFIG REQUIRED)
add_executable(example example.cpp)
target_link_libraries(example PRIVATE rtindex::rtindex)
"""
readme = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
(example,) = re.findall(r"```cpp\n(.*?)```", readme, re.DOTALL)


def run(*arguments, folder):
    print("+", *arguments, flush=True)
    return subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def check(program, folder):
    lines = run(program, folder=folder).splitlines()
    assert sorted(lines) == ["2 articles, 628 cents", "row 1", "row 3"], lines


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "example.cpp").write_text(example)
    (folder / "CMakeLists.txt").write_text(PROJECT)
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "rtindex", folder=folder))
    run("g++", "-std=c++20", "example.cpp", *flags, "-o", "example", folder=folder)
    check("./example", folder)
    run("cmake", "-S", ".", "-B", "build", folder=folder)
    run("cmake", "--build", "build", folder=folder)
    check("build/example", folder)
