"""Runs the Python blocks of a Markdown page, and compares what they print with the page."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def differences(text: str, namespace: dict) -> list[str]:
    """Runs the page; gives a line for every block that prints something else than is shown."""
    found = []
    printed = None
    for match in _BLOCK.finditer(text):
        language, block = match.groups()
        if language == "python":
            if printed:
                found.append(f"not shown: {printed!r}")
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(block, "page", "exec"), namespace)
            printed = output.getvalue()
        elif language == "text":
            if printed != block:
                found.append(f"shown {block!r}, printed {printed!r}")
            printed = None
    if printed:
        found.append(f"not shown: {printed!r}")
    return found


def run_page(path: str) -> tuple[list[str], int]:
    """The differences of a page of the repository, and how many blocks of Python it has."""
    text = (ROOT / path).read_text(encoding="utf-8")
    blocks = sum(match.group(1) == "python" for match in _BLOCK.finditer(text))
    return differences(text, {"__name__": "page"}), blocks
