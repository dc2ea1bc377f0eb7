"""The command line of the report."""

from __future__ import annotations

import argparse
import pathlib
import sys

from . import page, records
from .records import ReportError
from .words import count

EXAMPLES = """examples:
  python -m rtindex_report results/ -o report.html
  python -m rtindex_report results/my-laptop results/paper -o mine.html
  python -m rtindex_report results/ --machine nvidia-h200
"""


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        _write(options)
    except ReportError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    except OSError as fault:
        # A write to an open file does not name it.
        print(f"error: {fault.filename or options.output}: {fault.strerror}", file=sys.stderr)
        return 1
    return 0


def _write(options: argparse.Namespace) -> None:
    measured = records.read(options.records)
    made = page.make(measured, options.title, options.machine)
    options.output.write_text(made.html, encoding="utf-8")
    print(
        f"{options.output}: {count(made.experiments, 'experiment')}, "
        f"{count(made.machines, 'machine')}, {count(len(measured), 'record')}; open it in a browser"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rtindex_report",
        description="Writes one self-contained HTML page from measurement records: which index "
        "wins where, and a chart of every experiment.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "records",
        nargs="+",
        type=pathlib.Path,
        help="folders or files of records (*.jsonl)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=pathlib.Path,
        default=pathlib.Path("report.html"),
        help="the page to write (report.html)",
    )
    parser.add_argument(
        "--machine",
        metavar="FOLDER",
        help="the machine to open the page on, by its folder (the one with the newest records)",
    )
    parser.add_argument("--title", default="rtindex, measured", help="the page's heading")
    return parser
