"""What the pages name is there: pages and headings that links lead to, files, options of scripts and of CMake,
environment variables."""

import os
import pathlib
import re
import sys

source = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])
pages = [source / name for name in ("README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "src/README.md",
                                    "results/README.md", "docs/pictures/README.md")]
pages += sorted(source.glob("docs/*.md"))
FOLDERS = ("bench|cli|cmake|column_files|docs|drawing|duckdb|examples|fuzz|include|python|report|results|scripts|src|"
           "tests")
YOURS = ("results/my-machine", "results/my-gpu")  # folders that a reader would make


def prose(text):
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(text):
    """The names that headings have in links."""
    headings = re.findall(r"(?m)^#+ (.*)$", prose(text))
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def faults(page, text, known):
    """What a page names and what is not there. `known` holds all words of the programs that have settings."""
    for target in re.findall(r"\]\(([^)\s:]+)\)", prose(text)):
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        if not there.exists():
            yield f"no file {target}"
        elif anchor and anchor not in anchors(text if there == page else there.read_text()):
            yield f"no heading {target}"
    for path in re.findall(rf"(?<![\w/.<-])((?:{FOLDERS})/[\w./*-]*)", text):
        if not path.startswith(YOURS) and not any(source.glob(path.rstrip("./"))):
            yield f"no path {path}"
    for script, options in re.findall(r"\b((?:scripts|python/bench)/[\w-]+\.(?:sh|py))([^`\n#;,)]*)", text):
        words = (source / script).read_text() if (source / script).exists() else ""
        for option in re.findall(r"--[a-z][a-z-]+", options):
            if option not in words:
                yield f"no option {option} of {script}"
    for name in re.findall(r"\bRTINDEX_[A-Z0-9_]+\b", text):
        if name not in known:
            yield f"no setting or name {name}"


def main():
    programs = [path for folder in ("bench", "cli", "cmake", "include", "python", "scripts", "src", "tests")
                for path in (source / folder).rglob("*") if path.suffix in {".cpp", ".hpp", ".h", ".py", ".sh", ".cmake",
                                                                           ".txt", ".in"}]
    known = {word for path in programs for word in re.findall(r"\bRTINDEX_[A-Z0-9_]+\b", path.read_text())}
    bad = "[a](none.md) [b](README.md#none) `scripts/none.sh` `scripts/test.sh --none` `RTINDEX_" + "NONE`"
    found = [*faults(source / "README.md", bad, known)]
    assert len(found) == 5, f"the check misses something: {found}"
    found = [f"{page.relative_to(source)}: {fault}" for page in pages for fault in faults(page, page.read_text(), known)]
    guide = (source / "docs/README.md").read_text()
    found += [f"docs/README.md: no link to {page.name}" for page in sorted(source.glob("docs/*.md"))
              if page.name != "README.md" and f"]({page.name})" not in guide]
    print("\n".join(found) or f"{len(pages)} pages name what is there")
    return 1 if found else 0


sys.exit(main())
