"""Finds figures in the records of results/ and writes them as Markdown."""

from __future__ import annotations

import functools
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


@functools.cache
def records(file: str) -> list[dict]:
    """What was measured; the fields of the workload are fields of the record."""
    found = [json.loads(line) for line in (ROOT / "results" / file).read_text().splitlines()]
    return [{**record.get("workload", {}), **record} for record in found if record["status"] == "ok"]


def find(file: str, index: str = "", **wanted) -> dict | None:
    """The last record whose index matches and whose fields are as wanted: a later line replaces an earlier one."""
    return next((record for record in reversed(records(file)) if re.match(index, record["index"])
                 and all(record.get(field) == value for field, value in wanted.items())), None)


def figure(file: str, statistic: str, **wanted) -> float | None:
    """A figure of a record; None where nothing was measured."""
    record = find(file, **wanted)
    return record[statistic] if record else None


def text(cell, decimals: int | None = None) -> str:
    """A cell: a text, a figure, several figures, or – where nothing was measured."""
    if cell is None or isinstance(cell, str):
        return "–" if cell is None else cell
    if isinstance(cell, (list, tuple)):
        return " / ".join(text(part, decimals) for part in cell)
    if decimals is None:
        decimals = 2 if cell < 1 else 1 if cell < 100 else 0
    return f"{cell:,.{decimals}f}"


def table(corner: str, columns, rows: list[list], decimals: int | None = None) -> str:
    """A table in Markdown."""
    cells = ([text(cell, decimals) for cell in row] for row in [[corner, *columns], *rows])
    header, *lines = ("| " + " | ".join(row) + " |" for row in cells)
    return "\n\n" + "\n".join([header.replace("|  |", "| |"), "|" + "---|" * (len(columns) + 1), *lines]) + "\n\n"


def pivot(corner: str, columns: dict, rows: dict, cell, decimals: int | None = None) -> str:
    """A table whose cells follow from what `rows` and `columns` have for their names."""
    return table(corner, columns, [[name, *(cell(row, column) for column in columns.values())]
                                   for name, row in rows.items()], decimals)


def same(names) -> dict[str, str]:
    return {name: name for name in names}
