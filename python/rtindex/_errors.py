"""Errors: `Error` is the base, and each kind of failure has a subclass to catch."""

from __future__ import annotations


class Error(Exception):
    """Base class of all errors of rtindex."""


class InvalidArgumentError(Error, ValueError):
    """An argument has a wrong value or type; the message says what was expected."""


class UnsupportedError(Error):
    """This index does not support the call; another index may."""


class UnavailableError(Error):
    """A library, driver or device is missing or failed."""


class OutOfMemoryError(MemoryError, Error):  # in this order, whoever unpickles can make one anew
    """Host or device memory is exhausted."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class CorruptFileError(Error, ValueError):
    """A file, or a pickle, is damaged, truncated or not of the expected format."""


# The extension module raises the class of an error's kind.
BY_KIND: dict[str, type[Error]] = {
    "invalid_argument": InvalidArgumentError,
    "unsupported": UnsupportedError,
    "unavailable": UnavailableError,
    "out_of_memory": OutOfMemoryError,
    "io": FileError,
    "corrupt_file": CorruptFileError,
}

for _error in (Error, *BY_KIND.values()):
    _error.__module__ = "rtindex"  # the name that users import, in messages and pickles
