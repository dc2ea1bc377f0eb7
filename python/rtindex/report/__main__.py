"""Runs as `python -m rtindex.report`, and from a source tree as `python python/rtindex/report`."""

import importlib.util
import pathlib
import sys


def _command():
    if __package__:
        from . import command

        return command
    # Run as a folder: imported under its own name, so that rtindex need not be built.
    folder = pathlib.Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location("rtindex_report", folder / "__init__.py")
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])
    return importlib.import_module("rtindex_report.command")


if __name__ == "__main__":
    sys.exit(_command().main(sys.argv[1:]))
