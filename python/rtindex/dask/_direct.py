"""Small batches go straight to the worker that holds a partition.

A task is sent from the client through the scheduler to a worker, and so is its result. A batch of a
few queries is answered sooner by one message to the worker. If that fails, because the worker died
or no longer holds the partition, the batch becomes a task.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import pickle
from typing import Any

from distributed import WorkerPlugin

from .._query import Query
from ._queries import Partial, Request

MAX_BATCH = 1024
"""Queries of a small batch."""
_HANDLER = "rtindex_answer"
_SECONDS = 5


class Answering(WorkerPlugin):
    """Lets a worker answer queries on a partition that it holds."""

    name = "rtindex"
    idempotent = True

    def setup(self, worker: Any) -> None:
        threads = concurrent.futures.ThreadPoolExecutor(1, "rtindex")

        async def answer(key: str, requested: bytes) -> bytes | None:
            held = getattr(worker.data, "memory", worker.data)  # not what is spilled to disk
            partition = held.get(key)
            if partition is None:
                return None
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(threads, _answered, partition, requested)

        self.threads = threads
        worker.handlers[_HANDLER] = answer

    def teardown(self, worker: Any) -> None:
        worker.handlers.pop(_HANDLER, None)
        self.threads.shutdown(wait=False)


def answer_on_workers(client: Any, requests: list[tuple[str, str, Query, Request]]
                      ) -> list[Partial | None]:
    """The answers of workers to (address, key of the partition, query, request); None where a
    worker cannot answer."""
    found: list[Partial | None] = client.sync(_request_all, client, requests)
    return found


async def _request_all(client: Any, requests: Any) -> list[Partial | None]:
    return list(await asyncio.gather(*(_request(client, *one) for one in requests)))


async def _request(client: Any, address: str, key: str, query: Query,
                   request: Request) -> Partial | None:
    try:
        async with client.rpc(address) as worker:
            reply = await asyncio.wait_for(
                getattr(worker, _HANDLER)(key=key, requested=pickle.dumps((query, request), 5)),
                _SECONDS)
    except (OSError, asyncio.TimeoutError, ValueError, TypeError, AttributeError, KeyError):
        return None  # the usual way raises what is wrong
    if not isinstance(reply, bytes):
        return None
    error, partial = pickle.loads(reply)
    if error is not None:
        raise error
    return partial  # type: ignore[no-any-return]


def _answered(partition: Any, requested: bytes) -> bytes:
    try:
        return pickle.dumps((None, partition.answer(*pickle.loads(requested))), 5)
    except Exception as error:
        return pickle.dumps((error, None), 5)
