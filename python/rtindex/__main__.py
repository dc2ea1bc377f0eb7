"""The `rtindex` command, which is also `python -m rtindex VERB`. Without a verb the latter prints the
version, what is built in, and the indexes of this machine."""

import signal
import sys

from . import _core, indexes


def print_build() -> None:
    print(_core.build_text)
    for index in indexes():
        print(f"{'available' if index.available else 'missing  '}  {index.spec}: {index.reason}")


def end_by_signals() -> None:
    """Ctrl-C and closed pipes end the command as they end any program, not by Python's exceptions."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def command() -> None:
    if not hasattr(_core, "run_command"):
        sys.exit("rtindex: this package was built without the command (RTINDEX_CLI=OFF)")
    end_by_signals()
    sys.exit(_core.run_command(["rtindex", *sys.argv[1:]]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        command()
    end_by_signals()
    print_build()
