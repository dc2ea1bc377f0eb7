"""Checks that a shared library was built with hardening: all symbols bound at start, relocations
read-only afterwards, stack protector, checked libc functions, no executable stack.

    hardening.py LIBRARY
    hardening.py --self-test COMPILER    a library without them is rejected, one with them is not
"""

import pathlib
import subprocess
import sys
import tempfile


def readelf(option: str, library: str) -> str:
    command = ["readelf", "--wide", option, library]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def missing(library: str) -> list[str]:
    """What the library lacks, in words."""
    segments = readelf("--segments", library)
    dynamic = readelf("--dynamic", library)
    symbols = [line.split()[7].split("@")[0]
               for line in readelf("--dyn-syms", library).splitlines() if len(line.split()) > 7]
    found = {
        "read-only relocations (-z relro)": "GNU_RELRO" in segments,
        "binding at start (-z now)": "BIND_NOW" in dynamic or "NOW" in dynamic.split(),
        "the stack protector": "__stack_chk_fail" in symbols,
        "checked libc functions (_FORTIFY_SOURCE)":
            any(name.endswith("_chk") for name in symbols),
        "a stack that is not executable":
            not any("GNU_STACK" in line and "RWE" in line for line in segments.splitlines()),
    }
    return [name for name, is_there in found.items() if not is_there]


def self_test(compiler: str) -> None:
    program = r"""
#include <cstring>
extern "C" int use(char*);
extern "C" int copied(const char* text, unsigned long size) {
  char place[64];
  std::memcpy(place, text, size);
  return use(place);
}
"""
    soft = ["-U_FORTIFY_SOURCE", "-fno-stack-protector", "-Wl,-z,norelro,-z,lazy"]
    hard = ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong",
            "-Wl,-z,relro,-z,now"]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "some.cpp")
        source.write_text(program)
        for flags, wanted in ((soft, 4), (hard, 0)):
            library = str(pathlib.Path(folder, "some.so"))
            subprocess.run([compiler, "-O2", "-shared", "-fPIC", *flags, str(source), "-o", library],
                           check=True)
            lacks = missing(library)
            if len(lacks) != wanted:
                sys.exit(f"{flags}: lacks {lacks}, expected {wanted} of them")


if sys.argv[1] == "--self-test":
    self_test(sys.argv[2])
elif lacking := missing(sys.argv[1]):
    sys.exit(f"{sys.argv[1]} lacks " + ", ".join(lacking))
