"""Copies duckdb.h and duckdb_extension.h out of the source distribution of the Python package duckdb, which PyPI
has. usage: fetch_headers.py VERSION|newest FOLDER"""

import hashlib
import io
import os
import pathlib
import re
import sys
import tarfile
import urllib.parse
import urllib.request

HEADERS = ("duckdb.h", "duckdb_extension.h")


def sources(index: str) -> dict[tuple[int, ...], str]:
    """The addresses of the source distributions of released versions, with their hashes."""
    address = index.rstrip("/") + "/duckdb/"
    with urllib.request.urlopen(address, timeout=60) as reply:
        page = reply.read().decode()
    found = {}
    for link in re.findall(r'href="([^"]+)"', page):
        if match := re.search(r"/duckdb-([0-9.]+)\.tar\.gz(?:#|$)", link):
            found[tuple(map(int, match[1].split(".")))] = urllib.parse.urljoin(address, link)
    return found


def main(version: str, folder: pathlib.Path) -> None:
    found = sources(os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple"))
    wanted = max(found) if version == "newest" else tuple(map(int, version.split(".")))
    address, _, digest = found[wanted].partition("#sha256=")
    with urllib.request.urlopen(address, timeout=300) as reply:
        data = reply.read()
    if digest and hashlib.sha256(data).hexdigest() != digest:
        sys.exit(f"{address} does not have the hash that the index gives")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            name = member.name.rpartition("/")[2]
            if name in HEADERS and member.name.endswith(f"src/include/{name}"):
                folder.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(archive.extractfile(member).read())
    missing = [name for name in HEADERS if not (folder / name).exists()]
    if missing:
        sys.exit(f"{address} does not hold {' and '.join(missing)}: take the headers from DuckDB's source tree and "
                 "set RTINDEX_DUCKDB_DIR to their folder")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
