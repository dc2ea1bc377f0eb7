"""Runs the rtindex command in a folder of its own; reads and writes .npy without NumPy."""

import ast
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

RTINDEX = os.environ["RTINDEX"]
MISS = 2**32 - 1

# NumPy's type text -> struct's letter.
LETTERS = {
    "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q",
    "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q",
    "<f4": "f", "<f8": "d", "|b1": "?",
}


def letter_of(descr):
    return "q" if descr.startswith("<M8") else LETTERS[descr]


def packed(descr, elements):
    if descr[1] == "S":
        return b"".join(element.ljust(int(descr[2:]), b"\0") for element in elements)
    return struct.pack(f"<{len(elements)}{letter_of(descr)}", *elements)


def npy_header(descr, shape, fortran="False"):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def npy_bytes(descr, elements):
    return npy_header(descr, f"({len(elements)},)") + packed(descr, elements)


def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", path
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[10 + length - 1:10 + length] == b"\n"
    header = ast.literal_eval(data[10:10 + length].decode())
    assert header["fortran_order"] is False
    (size,) = header["shape"]
    body = data[10 + length:]
    return header["descr"], list(struct.unpack(f"<{size}{letter_of(header['descr'])}", body))


def available_indexes():
    """The specs that can be used here, from the table of `rtindex indexes`."""
    table = subprocess.run([RTINDEX, "indexes"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines() if "@" in line]
    return [row[0] for row in rows if len(row) > 1 and row[1] == "yes"]


class CommandTest(unittest.TestCase):
    """A test with an empty folder, in which the command runs."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="rtindex-cli-")
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())

    def write_npy(self, name, descr, elements):
        self.write(name, npy_bytes(descr, elements))

    def read(self, name):
        return read_npy(self.folder / name)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def run_command(self, *arguments, **options):
        return subprocess.run([RTINDEX, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=False, **options)

    def succeed(self, *arguments):
        result = self.run_command(*arguments)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stderr}")
        return result

    def reject(self, *arguments, says=(), code=2, **options):
        """The command must fail with one line that says it all, and leave the folder alone."""
        before = self.files()
        result = self.run_command(*arguments, **options)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stderr}")
        self.assertEqual(result.stdout, "", arguments)
        self.assertTrue(result.stderr.startswith("rtindex: "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.endswith("\n"), result.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, result.stderr, arguments)
        self.assertEqual(self.files(), before, arguments)
