"""Names of files, as Python's callers give them."""

from __future__ import annotations

import os
from typing import TypeAlias, Union

from ._core import Error

Path: TypeAlias = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def path_text(path: Path) -> str:
    """The path as the library takes it."""
    try:
        text = os.fsdecode(path)
        text.encode()
    except TypeError:
        raise Error(f"{type(path).__name__} is no path: pass a str, bytes or Path") from None
    except UnicodeEncodeError:
        raise Error(f"the path {path!r} is no UTF-8: rename the file or its folder") from None
    if "\0" in text:
        raise Error(f"the path {text!r} has a NUL, which no file's name can have: leave it out")
    return text
