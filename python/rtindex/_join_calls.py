"""The calls of an index that join batches of queries with its rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from ._joins import join as join_call
from ._joins import join_batches as join_batches_call
from ._lookups import LookupCalls
from ._progress import Progress, reporting
from ._query import DirectionName, EndsName, Query, query_of
from ._results import Join

JoinName = Literal["inner", "left", "semi", "anti"]
JoinOrderName = Literal["lookups", "any"]


class JoinCalls(LookupCalls):
    """The joins of an index."""

    __slots__ = ()

    def join(self, query: Any, how: JoinName = "inner", *, order: JoinOrderName = "lookups",
             progress: Progress = None) -> Join:
        """Joins a batch of queries with the rows that they match; keys are those of
        `Query.equal`. A neighbour is joined with one row at most.

        "inner" returns every pair of a query and a matching row; "left" adds queries without a
        match, once, with a null (in NumPy: `MISS`); "semi" returns the queries with a match, "anti"
        those without. Pairs come in the order of the queries, or in whichever is fastest
        (`order="any"`).

        progress: as in `rtindex.progress`.
        """
        query = query_of(query)
        with reporting(progress):
            return join_call(self._core, query, self._bound(query), self._kind(query), how, order)

    def join_batches(self, query: Any, how: JoinName = "inner", *, max_pairs: int,
                     order: JoinOrderName = "lookups") -> Iterator[Join]:
        """`join` in batches of at most `max_pairs` pairs, for joins that are larger than memory.
        All of them are of the index as it is now. Those of queries in device memory are there, too,
        and have at most 2^24 pairs."""
        query = query_of(query)
        return join_batches_call(self._core, query, self._bound(query), self._kind(query), how,
                                 max_pairs, order)

    def join_range(self, lower: Any = None, upper: Any = None, how: JoinName = "inner",
                   ends: EndsName = "[]", *, order: JoinOrderName = "lookups",
                   progress: Progress = None) -> Join:
        """`join` of `Query.range(lower, upper, ends)`: ranges with the rows whose key is in
        them."""
        return self.join(Query.range(lower, upper, ends), how, order=order, progress=progress)

    def join_asof(self, keys: Any, direction: DirectionName = "backward", exact: bool = True,
                  tolerance: Any = None, how: JoinName = "left", *,
                  order: JoinOrderName = "lookups",
                  progress: Progress = None) -> Join:
        """`join` of `Query.nearest(keys, direction, exact, tolerance)`: keys with the row of their
        neighbour, such as the last quote before each trade. The keys need not be sorted."""
        return self.join(Query.nearest(keys, direction, exact, tolerance), how, order=order,
                         progress=progress)
