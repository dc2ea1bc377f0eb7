"""Compiles and runs the C of docs/c.md: each block prints the block of output below it. The first one is a
program, the second what the others start with."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

source = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])
command = pathlib.Path(os.environ["RTINDEX"])
build = command.parent.parent
page = (source / "docs/c.md").read_text()


def output_of(folder, program):
    (folder / "example.c").write_text(program)
    libraries = build / "lib"
    subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "example.c",
                    f"-I{source / 'include'}", f"-L{libraries}", "-lrtindex", f"-Wl,-rpath,{libraries}", "-o",
                    "example"], cwd=folder, check=True)
    return subprocess.run(["./example"], cwd=folder, check=True, capture_output=True, text=True).stdout


def main():
    if not (build / "lib/librtindex.so").exists():
        print("skipped: the library is a static one")
        return 77
    blocks = re.findall(r"```c\n(.*?)```(?:\s+```output\n(.*?)```)?", page, re.DOTALL)
    (first, first_output), (start, nothing), *rest = blocks
    assert nothing == "" and len(rest) >= 3, len(rest)
    programs = [(first, first_output)]
    programs += [(f"{start}\nint main(void) {{\n(void)int64s;\n{block}return 0;\n}}\n", output) for block, output in rest]
    with tempfile.TemporaryDirectory() as folder:
        for program, expected in programs:
            printed = output_of(pathlib.Path(folder), program)
            assert printed == expected and printed, f"{program}\nprinted:\n{printed}"
    version = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout
    assert "C ABI: 1\n" in version, version
    header = (source / "include/rtindex/rtindex.h").read_text()
    calls = set(re.findall(r"\b(rtindex_\w+)\(", header.split("Errors and versions")[1]))
    named = set()
    for name in re.findall(r"`(rtindex_\w+|_\w+)(?:\(\))?`", page):
        named.add(name if name.startswith("rtindex") else "rtindex" + name)
    missing = calls - named - {"rtindex_last_status"} - set(re.findall(r"rtindex_\w+", start))
    assert not missing, f"not on the page: {sorted(missing)}"
    print(f"{len(programs)} programs print what docs/c.md shows, and it names every call")
    return 0


sys.exit(main())
