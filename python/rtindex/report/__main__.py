"""Runs as `python -m rtindex.report`, and from a source tree as `python python/rtindex/report`."""

import sys

if __package__:
    from .command import main
else:  # run as a folder: rtindex itself need not be built
    import pathlib

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
    from report.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
