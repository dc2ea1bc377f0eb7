"""Copies duckdb.h and duckdb_extension.h out of the source distribution of the Python package duckdb, which pip
downloads from where it is configured to. usage: fetch_headers.py VERSION|newest FOLDER"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile

HEADERS = ("duckdb.h", "duckdb_extension.h")


def download(version: str, folder: str) -> pathlib.Path:
    """The source distribution. pip also prepares its metadata, which takes some packages and seconds."""
    package = "duckdb" if version == "newest" else f"duckdb=={version}"
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                    "--no-binary", "duckdb", "--dest", folder, package], check=True)
    return next(pathlib.Path(folder).glob("duckdb-*.tar.gz"))


def main(version: str, folder: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory() as downloads:
        source = download(version, downloads)
        with tarfile.open(source) as archive:
            for member in archive:
                name = member.name.rpartition("/")[2]
                if name in HEADERS and member.name.endswith(f"src/include/{name}"):
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_bytes(archive.extractfile(member).read())
    missing = [name for name in HEADERS if not (folder / name).exists()]
    if missing:
        sys.exit(f"{source.name} does not hold {' and '.join(missing)}: take the headers from DuckDB's source tree and "
                 "set RTINDEX_DUCKDB_DIR to their folder")


if __name__ == "__main__":
    try:
        main(sys.argv[1], pathlib.Path(sys.argv[2]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"pip could not download DuckDB's source distribution: exit status {error.returncode}")
