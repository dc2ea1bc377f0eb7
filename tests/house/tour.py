"""Checks the tour of src/README.md: every file of its tables exists, and where the text counts the files of a
table, it counts each once, with the header that declares what a source file defines.

usage: tour.py SOURCE_ROOT | --self-test
"""

import pathlib
import re
import sys
import tempfile

PAGE = "src/README.md"
HEAD = "| step | file |"
COUNT = re.compile(r"^These are (\d+) files\b")


def sections(text):
    """The title of each section with a table of steps, the files of the table and the stated number or None."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        lines = section.splitlines()
        rows, counts, inside = [], [], False
        for line in lines:
            inside = line.startswith(HEAD) or inside and line.startswith("|")
            if inside:
                rows += re.findall(r"`([^`]+)`", line.split("|")[2])
            elif COUNT.match(line):
                counts.append(int(COUNT.match(line).group(1)))
        if any(line.startswith(HEAD) for line in lines):
            yield lines[0], rows, counts[0] if counts else None


def located(root, path):
    """The file that the page means: from the root or from src/."""
    return next((found for found in (root / path, root / "src" / path) if found.is_file()), None)


def faults(root):
    counted = 0
    for title, paths, stated in sections((root / PAGE).read_text(encoding="utf-8")):
        files = {path: located(root, path) for path in paths}
        for path, found in files.items():
            if found is None:
                yield f"{title}: {path} does not exist"
        if stated is None:
            continue
        counted += 1
        listed = {found for found in files.values() if found}
        for found in sorted(listed):
            header = found.with_suffix(".hpp")
            if found.suffix == ".cpp" and header.is_file() and header not in listed:
                yield f"{title}: {header.relative_to(root)} declares {found.name} and is not listed"
        if len(listed) != stated:
            yield f"{title}: the page says {stated} files, and the table has {len(listed)}"
    if counted == 0:
        yield "no table of the page has a stated number of files"


def self_test():
    """The check accepts a right page and rejects each kind of fault."""
    page = "# A tour\n\n## A lookup\n\n| step | file | what |\n|---|---|---|\n{rows}\n\nThese are {count} files.\n"
    right = "| 1 | `include/a.hpp`, `keys/a.hpp` | `A` |\n| 2 | `keys/a.cpp`, `keys/a.hpp` | `keys/b.cpp` |"

    def found(rows, count):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path in ("include/a.hpp", "src/keys/a.hpp", "src/keys/a.cpp", "src/keys/b.cpp"):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).touch()
            (root / PAGE).write_text(page.format(rows=rows, count=count), encoding="utf-8")
            return len(list(faults(root)))

    cases = [
        (right, 3, 0),
        (right, 4, 1),
        (right, 2, 1),
        (right, "several", 1),
        (right + "\n| 3 | `keys/gone.cpp` | |", 3, 1),
        ("| 1 | `include/a.hpp`, `keys/a.cpp` | |", 2, 1),
    ]
    wrong = [case for case in cases if found(*case[:2]) != case[2]]
    for case in wrong:
        print(f"misjudged: {case}")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 1:
        print(__doc__.strip())
        return 2
    found = list(faults(pathlib.Path(arguments[0])))
    print("\n".join(found) if found else "the tables list the files that the page counts")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
