"""Indexes in a folder: two files for each partition, and a manifest that is written last."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from .._errors import CorruptFileError, FileError, InvalidArgumentError
from .._index import Index as LocalIndex
from .._index import load as load_local
from ._build import released, token
from ._columns import packed, unpacked
from ._partition import Partition
from ._routing import Bounds
from ._state import State, state_of

_MANIFEST = "rtindex.json"
_VERSION = 1


def save(state: State, folder: Any) -> State:
    """Writes all partitions. The state that comes back is computed from the files, so that Dask
    replaces a lost worker from them."""
    fs, root = _folder(folder)
    client, name = state.client, token()
    url = _for_workers(fs, root, folder)
    with _file_errors(url), released(client) as futures:
        fs.makedirs(root, exist_ok=True)
        before = _read_manifest(fs, root) if fs.exists(f"{root}/{_MANIFEST}") else None
        names = [f"{name}-{number}" for number in range(len(state.held))]
        try:
            futures += [client.submit(_write, held.copies[0], url, own, pure=False,
                                      key=f"rtindex-save-{own}")
                        for held, own in zip(state.held, names)]
            client.gather(futures)
            fs.pipe(f"{root}/{name}-bounds.npz",
                    packed({"keys": state.bounds.keys, "rows": state.bounds.rows}))
            _write_manifest(fs, root, {
                "version": _VERSION, "spec": state.spec, "rows": state.size,
                "replicate": state.replicate, "texts": state.texts, "bounds": f"{name}-bounds.npz",
                "partitions": names})
        except BaseException:
            _remove(fs, root, [f"{name}-bounds.npz", *_files(names)])
            raise
        if before is not None:
            _remove(fs, root, [before["bounds"], *_files(before["partitions"])])
    return _opened(client, url, state.spec, names, state.bounds, state.size, state.replicate,
                   state.texts)


def load(client: Any, folder: Any, replicate: int | None) -> State:
    fs, root = _folder(folder)
    url = _for_workers(fs, root, folder)
    with _file_errors(url):
        manifest = _read_manifest(fs, root)
        bounds = unpacked(fs.cat_file(f"{root}/{manifest['bounds']}"))
    return _opened(client, url, manifest["spec"], manifest["partitions"],
                   Bounds(bounds["keys"], bounds["rows"]), manifest["rows"],
                   replicate or manifest["replicate"], manifest["texts"])


def _opened(client: Any, url: str, spec: str, names: list[str], bounds: Bounds, rows: int,
            replicate: int, texts: dict[str, str]) -> State:
    run = token()
    workers = sorted(client.nthreads())
    with released(client) as futures:
        futures += [client.submit(_read, url, own, pure=False, key=f"rtindex-load-{run}-{own}",
                                  workers=[workers[number % len(workers)]],
                                  allow_other_workers=True)
                    for number, own in enumerate(names)]
        return state_of(client, spec, list(futures), bounds, rows, replicate, texts)


# On workers.

def _write(partition: Partition, url: str, name: str) -> None:
    fs, root = _folder(url)
    with _file_errors(url):
        path = f"{root}/{name}.rtindex"
        if _is_local(fs):
            partition.index.save(path)
        else:
            fs.pipe(path, partition.index._core.serialize().tobytes())
        columns: dict[str, Any] = {"keys": partition.keys}
        for field in ("rows", "erased"):
            array = getattr(partition, field)
            if array is not None:
                columns[field] = array
        if partition.values is not None:
            columns["values"] = partition.values
        fs.pipe(f"{root}/{name}.npz", packed(columns))


def _read(url: str, name: str) -> Partition:
    fs, root = _folder(url)
    with _file_errors(url):
        path = f"{root}/{name}.rtindex"
        if _is_local(fs):
            index = load_local(path)
        else:
            index = LocalIndex(_core.deserialize(np.frombuffer(fs.cat_file(path), np.uint8)))
        columns = unpacked(fs.cat_file(f"{root}/{name}.npz"))
    return Partition(index, columns.get("rows"), columns["keys"], columns.get("values"),
                     columns.get("erased"))


def _folder(folder: Any) -> tuple[Any, str]:
    """The file system of a folder, and its path there."""
    import fsspec.core

    try:
        url = os.fspath(folder)
    except TypeError:
        url = None
    if not isinstance(url, str):
        raise InvalidArgumentError("invalid folder: expected a str or Path, such as "
                                   f"\"s3://bucket/index\", got {type(folder).__name__}")
    try:
        fs, root = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        raise InvalidArgumentError(f"invalid folder {url!r}: {error}") from error
    return fs, root.rstrip("/")


def _for_workers(fs: Any, root: str, folder: Any) -> str:
    """The folder as workers find it, whose current folder may be another one."""
    return root if _is_local(fs) else os.fspath(folder)


def _is_local(fs: Any) -> bool:
    return type(fs).__name__ == "LocalFileSystem"


def _files(names: list[str]) -> list[str]:
    return [f"{name}.{kind}" for name in names for kind in ("rtindex", "npz")]


def _remove(fs: Any, root: str, names: list[str]) -> None:
    for name in names:
        with contextlib.suppress(OSError):
            fs.rm_file(f"{root}/{name}")


def _write_manifest(fs: Any, root: str, manifest: dict[str, Any]) -> None:
    data = json.dumps(manifest).encode()
    if not _is_local(fs):
        fs.pipe(f"{root}/{_MANIFEST}", data)  # object stores replace a file at once
        return
    with open(f"{root}/{_MANIFEST}.new", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{root}/{_MANIFEST}.new", f"{root}/{_MANIFEST}")


def _read_manifest(fs: Any, root: str) -> dict[str, Any]:
    path = f"{root}/{_MANIFEST}"
    try:
        manifest = json.loads(fs.cat_file(path))
        version = manifest["version"]
        wanted = {"spec": str, "rows": int, "replicate": int, "bounds": str, "partitions": list,
                  "texts": dict}
        whole = all(isinstance(manifest[key], kind) for key, kind in wanted.items())
    except FileNotFoundError:
        raise FileError(f"{path} does not exist: expected a folder that Index.save of rtindex.dask "
                        "wrote; a save that was interrupted has no manifest") from None
    except (ValueError, KeyError, TypeError):
        raise CorruptFileError(f"{path} is damaged: save the index again") from None
    if version != _VERSION:
        raise CorruptFileError(f"{path} has version {version}, expected {_VERSION}: load it with "
                               "the rtindex that wrote it")
    if not whole:
        raise CorruptFileError(f"{path} is damaged: save the index again")
    return manifest  # type: ignore[no-any-return]


@contextlib.contextmanager
def _file_errors(url: str) -> Iterator[None]:
    """Errors of file systems as those of rtindex."""
    try:
        yield
    except (FileError, CorruptFileError):
        raise
    except (zipfile.BadZipFile, EOFError, KeyError) as error:
        raise CorruptFileError(f"a file in {url} is damaged: {error}; save the index "
                               "again") from error
    except OSError as error:
        raise FileError(f"{url} cannot be read or written: {error}; every worker needs access to "
                        "it") from error
