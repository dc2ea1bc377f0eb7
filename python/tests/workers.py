"""What tests run in other processes."""

from __future__ import annotations

import rtindex


def build(spec):
    return rtindex.build([1, 2, 2], spec)


def look_up(index, keys):
    """The index in this process: what it says about itself, and its answers."""
    return index.spec, index.time_unit, index.lookup(keys, ["first", "count"])


def look_up_in(connection):
    connection.send(look_up(*connection.recv()))
