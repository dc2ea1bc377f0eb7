"""Does what README.md shows: compiles and runs its C++ example, runs its commands. Compiles the C++ of
docs/, and runs that of changes.md, and the C++ and the commands of joins.md."""

import array
import os
import pathlib
import re
import struct
import subprocess
import tempfile

source = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])
command = pathlib.Path(os.environ["RTINDEX"])
build = command.parent.parent
readme = (source / "README.md").read_text()


def blocks(language, page=readme):
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def write_npy(path, values, dtype="<u8", code="Q"):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    path.write_bytes(data + array.array(code, values).tobytes())


def run(arguments, **options):
    print("+", arguments if isinstance(arguments, str) else " ".join(map(str, arguments)), flush=True)
    return subprocess.run(arguments, check=True, **options)


def output_of(folder, program):
    """The lines that a C++ program prints."""
    (folder / "example.cpp").write_text(program)
    libraries = build / "lib"
    run([os.environ.get("CXX", "c++"), "-std=c++20", "-Wall", "-Wextra", "-Werror", "example.cpp",
         f"-I{source / 'include'}", f"-I{build / 'include'}", f"-L{libraries}", "-lrtindex",
         f"-Wl,-rpath,{libraries}", "-o", "example"], cwd=folder)
    output = run(["./example"], cwd=folder, capture_output=True, text=True).stdout
    print(output)
    return output.splitlines()


def example_compiles_and_runs(folder):
    (example,) = blocks("cpp")
    assert len(example.strip().splitlines()) <= 20, "the example should fit a screen"
    lines = output_of(folder, example)
    assert sorted(lines[:2]) == ["row 1", "row 3"], lines
    assert lines[2:] == ["2 articles, 628 cents"], lines


def changes_run(folder):
    """The page that shows how an index changes does so in Python and in C++: with the same outcome."""
    page = (source / "docs/changes.md").read_text()
    lines = output_of(folder, f"""#include <iostream>
#include <vector>
#include <rtindex/rtindex.hpp>
int main() {{
auto index = rtindex::build(std::vector{{26, 25, 29, 23, 29, 27}});
{blocks("cpp", page)[0]}
std::cout << before.valid() << "\\n";
}}""")
    assert lines == [blocks("text", page)[0].splitlines()[0], "6"], lines


def blocks_run(folder, name, least):
    """Each C++ and shell block of the page prints the block of output below it."""
    page = (source / "docs" / name).read_text()
    pairs = re.findall(r"```(cpp|sh)\n(.*?)```\s+```output\n(.*?)```", page, re.DOTALL)
    assert len(pairs) == len(blocks("cpp", page)) + len(blocks("sh", page)), "a block without output"
    assert len(pairs) >= least, len(pairs)
    program = "".join("{\n" + block + "}\n" for language, block, _ in pairs if language == "cpp")
    lines = output_of(folder, f"""#include <iostream>
#include <string>
#include <vector>
#include <rtindex/rtindex.hpp>
int main() {{
{program}}}""")
    shown = "".join(output for language, _, output in pairs if language == "cpp")
    assert lines == shown.splitlines(), lines
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    for language, block, output in pairs:
        if language == "sh":
            printed = run(["bash", "-euc", block], cwd=folder, env={**os.environ, "PATH": path},
                          capture_output=True, text=True).stdout
            assert printed == output, f"{block}\nprinted:\n{printed}"


def commands_run(folder):
    write_npy(folder / "keys.npy", [26, 25, 29, 23, 29, 27])
    write_npy(folder / "prices.npy", [199, 149, 279, 899, 349, 1299])
    write_npy(folder / "wanted.npy", [29, 24])
    write_npy(folder / "from.npy", [23, 28])
    write_npy(folder / "to.npy", [25, 30])
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    ran = 0
    for line in "".join(blocks("sh")).splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] == "rtindex":
            run(line, shell=True, cwd=folder, env={**os.environ, "PATH": path})
            ran += 1
        else:  # the two scripts run this test, or more than it
            script = source / words[0]
            assert os.access(script, os.X_OK), f"{script} is not executable"
    assert ran >= 3, ran
    sums = (folder / "sums.npy").read_bytes()[-16:]
    assert struct.unpack("<QQ", sums) == (628, 2**64 - 1), sums
    rows = (folder / "found.rows.npy").read_bytes()[-16:]
    assert sorted(struct.unpack("<IIII", rows)) == [1, 2, 3, 4], rows
    assert (folder / "scene.svg").read_text().startswith("<"), "no picture"


# What the C++ of docs/ takes as given.
PRELUDE = """
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>
#include <rtindex/rtindex.hpp>
using namespace rtindex;
const std::vector<std::uint64_t> keys, from, to;
const std::vector<int> prices, days, cities;
const std::vector<std::int64_t> ticks, cents;
const std::vector<std::array<std::byte, 16>> uuids;
const void *device_keys, *device_lookups, *device_rows, *device_new_keys;
const std::int64_t* device_offsets;
const char* device_bytes;
void *device_sums, *stream;
const std::size_t rows = 0, n = 0;
const ColumnView column, device_value_column, lookups;
const AnswerOptions options;
const Query query;
const Control control;
void show(double);
const Outputs outputs;
void* graph;
enum { cudaStreamCaptureModeGlobal };
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
"""


def snippets_compile(folder):
    """Each block is the body of a function whose parameter is an index."""
    functions = []
    for page in sorted(source.glob("docs/*.md")):
        for number, block in enumerate(blocks("cpp", page.read_text())):
            parameter = "std::optional<Index>& index" if "index.emplace" in block else "Index& index"
            name = f"{page.stem.replace('-', '_')}_{number}"
            functions.append(f'#line 1 "{page.name}, block {number + 1}"\n'
                             f"void {name}([[maybe_unused]] {parameter}) {{ {{\n{block}}} }}\n")
    assert len(functions) >= 10, len(functions)
    (folder / "snippets.cpp").write_text(PRELUDE + "".join(functions))
    run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "snippets.cpp",
         f"-I{source / 'include'}", f"-I{build / 'include'}"], cwd=folder)


with tempfile.TemporaryDirectory() as name:
    example_compiles_and_runs(pathlib.Path(name))
    changes_run(pathlib.Path(name))
    blocks_run(pathlib.Path(name), "joins.md", 8)
    blocks_run(pathlib.Path(name), "filters.md", 1)
    commands_run(pathlib.Path(name))
    snippets_compile(pathlib.Path(name))
