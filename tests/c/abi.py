"""Compares the C interface with the one that was released under its version: the declarations of
rtindex.h without comments, and the symbols that the library exports.

usage: abi.py SOURCE_ROOT LIBRARY COMPILER [--write] | --self-test

Where they differ, the ABI has changed: raise RTINDEX_ABI_VERSION in rtindex.h, give what is new a block
of that version in src/c/symbols.map, and write the new list with --write.
"""

import pathlib
import re
import subprocess
import sys


def declarations(header, compiler):
    """The header as the compiler sees it, without comments and the headers that it includes."""
    own = "\n".join(line for line in header.splitlines() if not line.startswith("#include"))
    text = subprocess.run([compiler, "-std=c11", "-E", "-P", "-xc", "-"], input=own, text=True,
                          capture_output=True, check=True).stdout
    text = re.sub(r"__attribute__\(\(.*?\)\)\)?\s*", "", " ".join(text.split()))
    ends = r"(?<=;)\s(?![^{]*\})|(?<=\})\s(?=static|typedef)"  # an inline function has no semicolon behind it
    return [re.sub(r"\s+", " ", part).strip() for part in re.split(ends, text)]


def symbols(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], text=True, capture_output=True,
                          check=True).stdout
    names = (line.split()[-1] for line in text.splitlines())
    return sorted(name for name in names if name.startswith("rtindex_"))


def soname(library):
    """The name that programs are linked with."""
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.search(r"SONAME.*\[(.+)\]", dynamic).group(1)


def version_of(header):
    return int(re.search(r"#define RTINDEX_ABI_VERSION (\d+)", header).group(1))


def difference(old, new):
    """What is gone and what is new, one line each."""
    return [f"- {line}" for line in old if line not in new] + [f"+ {line}" for line in new if line not in old]


def self_test():
    header = "#include <a.h>\n#define RTINDEX_ABI_VERSION 7\n/// A call.\nint rtindex_a(int  b);\n" \
             "static inline s f(void) { const s c = {1, 2}; return c; }\ntypedef struct s { int a; int b; } s;\n"
    assert version_of(header) == 7
    was = declarations(header, "cc")
    assert was == ["int rtindex_a(int b);", "static inline s f(void) { const s c = {1, 2}; return c; }",
                   "typedef struct s { int a; int b; } s;"], was
    assert declarations(header.replace("A call", "Another comment"), "cc") == was
    for changed in (header.replace("int  b", "long b"), header.replace("int b;", "long b;"),
                    header + "int rtindex_c(void);\n", header.replace("int rtindex_a(int  b);", "")):
        assert difference(was, declarations(changed, "cc")), changed
    print("every change is found")
    return 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) < 3:
        print(__doc__.strip())
        return 2
    root, library, compiler = pathlib.Path(arguments[0]), arguments[1], arguments[2]
    header = (root / "include/rtindex/rtindex.h").read_text(encoding="utf-8")
    now = symbols(library) + [""] + declarations(header, compiler)
    released = root / f"tests/c/abi_{version_of(header)}.txt"
    if arguments[3:] == ["--write"]:
        released.write_text("\n".join(now) + "\n", encoding="utf-8")
        return 0
    if not released.exists():
        print(f"{released.name} does not exist: write it with --write")
        return 1
    project = re.search(r"(?m)^ *VERSION (\d+\.\d+)\.\d+$", (root / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    if soname(library) != f"librtindex.so.{project}":
        print(f"the soname is {soname(library)}, expected librtindex.so.{project}: that of the package librtindex{project}")
        return 1
    found = difference(released.read_text(encoding="utf-8").splitlines(), now)
    if found:
        print("\n".join(found))
        print(f"the C interface differs from that of version {version_of(header)}", __doc__, sep="\n")
        return 1
    print(f"{len(symbols(library))} symbols and all declarations are those of version {version_of(header)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
