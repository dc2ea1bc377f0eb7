"""Writes the tables of figures of README.md and docs/ from the records in results/.

    python3 scripts/tables [--check | --self-test]

A page holds a table between the lines `<!-- table: NAME -->` and `<!-- end -->`, and a figure of a sentence between
`<!-- figure: NAME -->` and `<!-- end -->`, not at the beginning of a line, where a comment is a block of Markdown.
shown.py has all names. With --check the pages are not written, and the exit code is 1 if they differ from the
records.
"""

import difflib
import re
import sys

from records import ROOT
from shown import SHOWN

GENERATED = re.compile(r"(<!-- (?:table|figure): (\w+) -->).*?<!-- end -->", re.DOTALL)


def written(page: str) -> str:
    """A page with its tables and figures from the records."""
    return GENERATED.sub(lambda found: f"{found[1]}{SHOWN[found[2]]}<!-- end -->", page)


def differences(name: str, page: str) -> list[str]:
    return [*difflib.unified_diff(page.splitlines(), written(page).splitlines(), name, "the records", n=0, lineterm="")]


def self_test() -> int:
    """The check accepts what was written; it finds a changed cell and a changed figure."""
    page = written("<!-- table: h200_peers --><!-- end -->, <!-- figure: changes_mix --><!-- end --> million")
    cell, figure = re.search(r"(?<=\| )[\d.]+(?= \|)", page), re.search(r"(?<=changes_mix -->)\d+", page)
    wrong = [page[:found.start()] + "9999" + page[found.end():] for found in (cell, figure)]
    passed = not differences("", page) and all(differences("", changed) for changed in wrong)
    print("changed figures are found" if passed else "a changed figure is not found")
    return 0 if passed else 1


def main(arguments: list[str]) -> int:
    if arguments == ["--self-test"]:
        return self_test()
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    used = {name for page in pages for _, name in GENERATED.findall(page.read_text())}
    if used != SHOWN.keys():
        print(f"no such table: {sorted(used - SHOWN.keys())}; in no page: {sorted(SHOWN.keys() - used)}")
        return 1
    if arguments == ["--check"]:
        found = [line for page in pages for line in differences(str(page.relative_to(ROOT)), page.read_text())]
        print("\n".join([*found, "write the pages again: python3 scripts/tables"]) if found else "all are up to date")
        return 1 if found else 0
    if arguments:
        print(__doc__.strip())
        return 2
    for page in pages:
        page.write_text(written(page.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
