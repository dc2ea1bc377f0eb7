"""Checks that data moves one way: a folder of src/ includes only folders above it, folders beside src/
include src/, themselves and those before them, and bindings include the public headers, not src/.

usage: layering.py SOURCE_ROOT | --self-test
"""

import pathlib
import re
import sys
import tempfile

# From the first to the last; src/CMakeLists.txt builds them in the same order.
FOLDERS = ["base", "file", "keys", "rows", "answers", "order", "engine", "kinds", "index", "arrow", "c"]
# Beside src/: the index does not include them, and each includes only those before it.
BESIDE = ["column_files", "drawing"]
# Bindings, and the folders beside src/ whose headers they may include.
BINDINGS = {"python/src": ["cli", "drawing"], "duckdb/src": []}
SUFFIXES = {".h", ".hpp", ".cpp", ".cuh", ".cu"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"^([a-z0-9_]+|std(int|def)\.h)$")


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def files(root):
    return sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES)


def internal_fault(folder, target):
    """Why a file of <folder> may not include "target", or None."""
    head, slash, _ = target.partition("/")
    if folder in BESIDE and head in BESIDE[:BESIDE.index(folder) + 1]:
        return None
    if not slash or head not in FOLDERS:
        return "write internal includes from src/, such as \"keys/codec.hpp\""
    if folder in FOLDERS and FOLDERS.index(head) > FOLDERS.index(folder):
        return f"{folder}/ must not include {head}/, which is below it"
    return None


def binding_fault(path, beside, target):
    """Why a file of bindings may not include "target", or None."""
    head, slash, _ = target.partition("/")
    if head in beside if slash else (path.parent / target).exists():
        return None
    folders = "".join(f", {folder}/" for folder in beside)
    return f"bindings include only <rtindex/...>, their own folder{folders}"


def public_fault(quoted, target):
    """Why a public header may not include target, or None."""
    if not quoted and (target.startswith("rtindex/") or STANDARD.match(target)):
        return None
    return "a public header includes only <rtindex/...> and the standard library"


def faults(root):
    source = root / "src"
    for path in [file for folder in (source, *(root / name for name in BESIDE)) for file in files(folder)]:
        folder = path.relative_to(source if path.is_relative_to(source) else root).parts[0]
        if folder not in FOLDERS + BESIDE:
            yield f"{path.relative_to(root)}: '{folder}' is not a known folder of src/"
            continue
        for number, quoted, target in includes(path):
            why = internal_fault(folder, target) if quoted else None
            if why:
                yield f"{path.relative_to(root)}:{number}: \"{target}\": {why}"
    for folder, beside in BINDINGS.items():
        for path in files(root / folder):
            for number, quoted, target in includes(path):
                why = binding_fault(path, beside, target) if quoted else None
                if why:
                    yield f"{path.relative_to(root)}:{number}: \"{target}\": {why}"
    for path in files(root / "include"):
        for number, quoted, target in includes(path):
            why = public_fault(quoted, target)
            if why:
                yield f"{path.relative_to(root)}:{number}: {target}: {why}"


def self_test():
    """The check accepts a tidy tree and rejects each kind of fault."""
    tidy = {
        "src/base/a.hpp": "#include <vector>\n#include <rtindex/error.hpp>\n",
        "src/keys/a.cpp": '#include "keys/a.hpp"\n#include "base/a.hpp"\n',
        "src/kinds/embree/a.cpp": '#include "kinds/a.hpp"\n#include <embree3/rtcore.h>\n',
        "drawing/a.cpp": '#include "drawing/a.hpp"\n#include "index/a.hpp"\n#include "column_files/a.hpp"\n',
        "include/rtindex/a.hpp": "#include <cstdint>\n#include <rtindex/b.hpp>\n",
        "python/src/a.hpp": "#include <rtindex/a.hpp>\n#include <nanobind/nanobind.h>\n",
        "python/src/a.cpp": '#include "a.hpp"\n#include "drawing/a.hpp"\n#include "cli/a.hpp"\n',
        "duckdb/src/a.cpp": "#include <rtindex/a.hpp>\n",
    }
    untidy = [
        {"src/base/a.hpp": '#include "keys/a.hpp"\n'},
        {"src/keys/a.cpp": '  #  include "index/a.hpp"\n'},
        {"src/keys/a.cpp": '#include "a.hpp"\n'},
        {"src/keys/a.cpp": '#include "../base/a.hpp"\n'},
        {"src/keys/a.cpp": '#include "drawing/a.hpp"\n'},
        {"column_files/a.cpp": '#include "drawing/a.hpp"\n'},
        {"src/other/a.cpp": ""},
        {"include/rtindex/a.hpp": "#include <fmt/format.h>\n"},
        {"include/rtindex/a.hpp": '#include "rtindex/b.hpp"\n'},
        {"python/src/a.cpp": '#include "base/a.hpp"\n'},
        {"python/src/a.cpp": '#include "missing.hpp"\n'},
        {"python/src/a.cpp": '#include "src/base/a.hpp"\n'},
        {"duckdb/src/a.cpp": '#include "drawing/a.hpp"\n'},
    ]

    def count(tree):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in tree.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return len(list(faults(root)))

    wrong = [tree for tree in untidy if count({**tidy, **tree}) != 1]
    if count(tidy) != 0:
        wrong.append(tidy)
    for tree in wrong:
        print(f"misjudged: {tree}")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__.strip())
        return 2
    found = list(faults(pathlib.Path(arguments[0])))
    print("\n".join(found) if found else "every include points up")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
