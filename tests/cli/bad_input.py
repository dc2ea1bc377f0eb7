"""Bad input: exit code 2, one line on stderr that says what is wrong, no file left behind."""

import contextlib
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import time
import unittest

from command import RTINDEX, CommandTest, npy_bytes, npy_header, available_indexes


class BadInput(CommandTest):
    def setUp(self):
        super().setUp()
        self.write_npy("column.npy", "<u4", [3, 1, 2])
        self.write_npy("keys.npy", "<u4", [1, 9])
        self.write_npy("values.npy", "<f8", [0.5, 1.5, 2.5])

    def reject_lookup(self, *arguments, says=(), column="column.npy", keys="keys.npy", **options):
        self.reject("lookup", "--column", column, "--keys", keys, "-o", "out.npy", *arguments,
                    says=says, **options)

    def reject_as_any_input(self, name, says):
        """The same file is rejected as column, as keys and as values."""
        says = [name, says]
        self.reject_lookup(column=name, says=says)
        self.reject_lookup(keys=name, says=says)
        self.reject_lookup("--values", name, "--answer", "sum", says=says)

    def test_files_that_cannot_be_read(self):
        self.reject_as_any_input("none.npy", "does not exist")
        (self.folder / "folder.npy").mkdir()
        self.reject_as_any_input("folder.npy", "is a folder")
        if os.getuid() != 0:
            self.write_npy("secret.npy", "<u4", [1])
            (self.folder / "secret.npy").chmod(0)
            self.reject_as_any_input("secret.npy", "permission")

    def test_output_that_cannot_be_written(self):
        for arguments in (["lookup", "-q", "--column", "column.npy", "--key", "1"], ["indexes"],
                          ["--help"], ["update", "--help"]):
            for target in ("> /dev/full", ">&-"):
                with self.subTest(arguments=arguments, target=target):
                    ran = subprocess.run(
                        ["bash", "-c", f'"$@" {target}', "bash", RTINDEX, *arguments],
                        cwd=self.folder, stderr=subprocess.PIPE, text=True, check=False)
                    self.assertEqual(ran.returncode, 2)
                    self.assertIn("the output cannot be written", ran.stderr)
                    self.assertEqual(ran.stderr.count("\n"), 1)

    def test_damaged_npy(self):
        cases = {
            "empty.npy": (b"", "is empty"),
            "magic.npy": (b"not an array at all", "is not an .npy file"),
            "head.npy": (npy_bytes("<u4", [1, 2, 3])[:40], "truncated"),
            "body.npy": (npy_bytes("<u4", [1, 2, 3])[:-1], "truncated"),
            "trailing.npy": (npy_bytes("<u4", [1, 2, 3]) + b"x", "extra bytes"),
            "huge.npy": (npy_header("<u8", "(2305843009213693953,)"), "impossible count"),
            "promise.npy": (npy_header("<u4", "(4294967299,)") + bytes(12), "truncated"),
            "shape.npy": (npy_header("<u4", "(99999999999999999999,)"), "impossibly large"),
            "broken.npy": (npy_header("<u4", "(3,"), "broken .npy header"),
            "version.npy": (b"\x93NUMPY\x09\x00" + bytes(100), "version 9.0"),
        }
        for name, (data, says) in cases.items():
            with self.subTest(name):
                self.write(name, data)
                self.reject_as_any_input(name, says)

    def test_arrays_that_are_no_column(self):
        cases = {
            "matrix.npy": (npy_header("<u4", "(3, 1)") + bytes(12), "2-D array"),
            "fortran.npy": (npy_header("<u4", "(3, 2)", "True") + bytes(24), "2-D array"),
            "scalar.npy": (npy_header("<u4", "()") + bytes(4), "single value"),
            "big.npy": (npy_header(">u4", "(3,)") + bytes(12), "big-endian"),
            "half.npy": (npy_header("<f2", "(3,)") + bytes(6), "float32"),
            "unicode.npy": (npy_header("<U3", "(3,)") + bytes(36), "UTF-32"),
            "object.npy": (npy_header("|O", "(3,)") + bytes(24), "Python objects"),
            "complex.npy": (npy_header("<c8", "(3,)") + bytes(24), "complex"),
        }
        for name, (data, says) in cases.items():
            with self.subTest(name):
                self.write(name, data)
                self.reject_as_any_input(name, says)

    def test_damaged_sosd(self):
        cases = {
            "empty": (b"", "is empty"),
            "short": (bytes(5), "truncated"),
            "truncated": (struct.pack("<Q", 3) + bytes(23), "truncated"),
            "trailing": (struct.pack("<Q", 3) + bytes(25), "extra bytes"),
            "overflow": (struct.pack("<Q", 2**61 + 3) + bytes(24), "impossible count"),
            "all_ones": (struct.pack("<Q", 2**64 - 1) + bytes(24), "impossible count"),
        }
        for name, (data, says) in cases.items():
            with self.subTest(name):
                self.write(name, data)
                self.reject_lookup("--format", "sosd64", column=name, says=[name, says])
                self.reject_lookup("--format", "npy", column=name, says=name)
        self.write("no_extension", bytes(8))
        self.reject_lookup(column="", says="--column")
        self.reject_lookup(keys="", says="--keys")
        self.reject_lookup(column="no_extension", says="pass --format")
        self.reject_lookup("--format", "parquet", says="expected npy, sosd32, sosd64 or csv")

    def test_damaged_csv(self):
        cases = {
            "ragged.csv": ("a,b\n1,2\n3\n", "line 3"),
            "open.csv": ('a,b\n1,"2\n', "line 2"),
            "tail.csv": ('a,b\n"1"x,2\n', "line 2"),
            "other.csv": ("b,c\n1,2\n", "choose one of b, c"),
            "none.csv": ("", "is empty"),
            "large.csv": ("a\n1\n36893488147419103232\n", "no 64-bit type fits all integers"),
        }
        for name, (data, says) in cases.items():
            with self.subTest(name):
                self.write(name, data)
                self.reject_lookup("--csv-column", "a", column=name, says=[name, says])
        self.write("two.csv", "a,b\n1,2\n3,4\n")
        self.reject_lookup(column="two.csv", says="with --csv-column")
        self.reject_lookup(keys="two.csv", says="with --keys-csv-column")
        self.reject("lookup", "--column", "two.csv", "--csv-column", "a", "--key", 1, "--values",
                    "two.csv", "--answer", "sum", says="with --values-csv-column")

    def test_values(self):
        self.reject_lookup("--answer", "sum", says=["sum", "--values FILE"])
        self.reject_lookup("--answer", "count,max", says="--values FILE")
        self.reject_lookup("--values", "values.npy", says="--values needs sum")
        self.write_npy("short.npy", "<f8", [1.0, 2.0])
        self.reject_lookup("--values", "short.npy", "--answer", "sum",
                           says=["short.npy holds 2 values", "column.npy has 3 rows"])
        self.write_npy("none.npy", "<f8", [])
        self.reject_lookup("--values", "none.npy", "--answer", "min", says="holds 0 values")
        self.write_npy("words.npy", "|S2", [b"a", b"b", b"c"])
        self.reject_lookup("--values", "words.npy", "--answer", "sum", says="holds strings")

    def test_lookups_that_cannot_be_compared(self):
        self.write_npy("floats.npy", "<f8", [1.0])
        self.write_npy("words.npy", "|S2", [b"a"])
        self.write_npy("days.npy", "<M8[D]", [1])
        self.write_npy("seconds.npy", "<M8[s]", [1])
        for keys in "floats.npy", "words.npy", "days.npy":
            self.reject_lookup(keys=keys, says=[keys, "cannot be compared", "column.npy"])
            self.reject("range", "--column", "column.npy", "--lower", "keys.npy", "--upper", keys,
                        "-o", "out.npy", says=[keys, "cannot be compared"])
        self.reject_lookup(column="words.npy", says="cannot be compared")
        self.reject_lookup(column="days.npy", keys="seconds.npy", says="datetime64[D]")
        self.reject("lookup", "--column", "column.npy", "--key", "1", "--key", "x",
                    says=["--key 'x'", "uint32"])
        self.reject("lookup", "--column", "column.npy", "--key", "1.5", says="--key '1.5'")
        self.reject("lookup", "--column", "days.npy", "--key", "1970-02-30",
                    says=["1970-02-30", "such as 2024-01-31"])
        self.reject("lookup", "--column", "days.npy", "--key", "1970-02-03T12:00",
                    says=["1970-02-03T12:00 cannot be represented as timestamp64[D]", "2024-01-31"])
        self.reject("lookup", "--column", "seconds.npy", "--key", "12:30",
                    says=["12:30", "2024-01-31T12:30:05"])
        self.write("soon.csv", "day\nsoon\n")
        self.reject("lookup", "--column", "days.npy", "--keys", "soon.csv", "-o", "out.npy",
                    says=["soon.csv holds string", "such as 2024-01-31"])
        self.write("hours.csv", "at\n2024-01-31T12:30\n")
        self.reject("lookup", "--column", "days.npy", "--keys", "hours.csv", "-o", "out.npy",
                    says=["hours.csv", "2024-01-31T12:30 cannot be represented", "days.npy"])

    def test_ranges(self):
        self.write_npy("one.npy", "<u4", [1])
        self.reject("range", "--column", "column.npy", "--lower", "keys.npy", "--upper", "one.npy",
                    "-o", "out.npy", says=["2 lower bounds", "1 upper bounds"])
        self.reject("range", "--column", "column.npy", "--range", "5", says="LOWER:UPPER")
        self.reject("range", "--column", "column.npy", "--range", "1:2:3", says="LOWER:UPPER")
        self.write_npy("seconds.npy", "<M8[s]", [1])
        for text in ("1970-01-01T00:30:00", "1970-01-01T00:00:1970-13-01T00:00", "1:2:3",
                     "1970-01-01T00:30"):
            self.reject("range", "--column", "seconds.npy", "--range", text,
                        says=[text, "timestamp64[s]", "2024-01-31T12:30:2024-01-31T13:00"])
        self.reject("range", "--column", "column.npy", "--range", "1:2", "--lower", "keys.npy",
                    "--upper", "one.npy", says="not both")
        self.reject("range", "--column", "column.npy", says="--range L:U")
        if "hash@cpu" in available_indexes():
            self.reject("range", "--column", "column.npy", "--range", "1:2", "--index", "hash",
                        "-o", "out.npy", says="hash")

    def test_specs(self):
        for spec in ["tree", "", "rx:magic", "rx@tpu", "rx,colour=red", "rx,mode=4d", "rx,mode",
                     "rx,threads=none", "sorted:embree", "rx@cpu7", "rx:embree,mode=3d,mode=3d"]:
            with self.subTest(spec):
                self.reject_lookup("--index", spec)
        if "rx:embree@cpu" in available_indexes():
            self.write_npy("sparse.npy", "<u4", [0, 2**23])
            self.reject_lookup("--index", "rx:embree,mode=naive", column="sparse.npy",
                               says=["row 1", str(2**23)])
        if "rx:optix@cuda" not in available_indexes():
            self.reject_lookup("--index", "rx:optix", says="is not available")

    @unittest.skipUnless("rx:embree@cpu" in available_indexes(), "a scene needs rx:embree")
    def test_limits_of_a_scene(self):
        """Those of docs/scene.md: the last key that fits, and the next one."""
        def arguments(last, options):
            self.write_npy("two.npy", "<u4", [0, last])
            return ["--column", "two.npy", "--index", f"rx:embree,{options}", "--answer", "count"]

        for last, options, says in ((2**22, "mode=naive,primitive=sphere", "below coordinate 2^22"),
                                    (258_366_673, "mode=extended", "a span up to 258366672")):
            table = self.succeed("lookup", *arguments(last - 1, options), "--key", last - 1).stdout
            self.assertEqual(table.split()[-1], "1")
            self.reject("lookup", *arguments(last, options), "--key", last, says=says)
        few_x = "bits=2+23+23,row_rays=all"  # a row for every four keys
        table = self.succeed("range", *arguments(2**26, few_x), "--range", f"0:{2**20}").stdout
        self.assertEqual(table.split()[-1], "1")
        self.reject("range", *arguments(2**26, few_x), "--range", f"0:{2**26}",
                    says=["crosses 16777217 rows", "at most 2^24 rays", "row_rays=occupied"])

    def test_options(self):
        self.reject(says=["missing verb", "lookup"])
        self.reject("find", says=["'find'", "lookup"])
        self.reject("--colour", says="--colour")
        self.reject("lookup", says="--column")
        self.reject("lookup", "--column", "column.npy", says="--key K")
        self.reject("indexes", "more", says="more")
        self.reject_lookup("--colour", "red", says="--colour")
        self.reject_lookup("--kyes", "keys.npy", says="did you mean --keys?")
        self.reject_lookup("--answr=count", says="did you mean --answer?")
        self.reject_lookup("--range", "1:10", says="no option of rtindex lookup, but of rtindex range")
        self.reject("lokup", "--column", "column.npy", says="did you mean lookup?")
        for arguments in ["lokup", "--help"], ["--help", "lokup"]:
            self.reject(*arguments, says=["unknown verb 'lokup'", "did you mean lookup?"])
        self.reject("lookup", "--kyes", "--help", says="did you mean --keys?")
        self.reject("lookup", "--help", "--kyes", says="did you mean --keys?")
        self.reject_lookup("more", says="more")
        self.reject_lookup("--answer", "median", says=["median", "expected any"])
        self.reject_lookup("--answer", "", says="expected any")
        self.reject_lookup("--answer", "count,none", says="expected any")
        self.reject_lookup("--limit", "3", says="--limit needs rows")
        self.reject_lookup("--answer", "cuont", says="did you mean count?")
        self.assertNotIn("bitmaps", self.run_command("lookup", "--column", "column.npy", "--answer", "foo").stderr)
        self.reject_lookup("--answer", "rows", "--limit", "-3",
                           says="invalid --limit -3: expected an integer from 0 to 4294967295")
        self.reject_lookup("--answer", "rows", "--limit", "many", says="--limit")
        self.reject_lookup("--key", "1", says="not both")
        self.reject("lookup", "--column", "column.npy", "--keys", says="--keys")
        self.reject("lookup", "--column", "column.npy", "--format", "npy", "--format", "csv",
                    says="--format")
        self.reject("lookup", "--column", "column.npy", "--column", "keys.npy", "--key", "1",
                    says=["column.npy holds 3 rows", "keys.npy holds 2"])

    def test_outputs(self):
        column_and_keys = ["lookup", "--column", "column.npy", "--keys", "keys.npy"]
        self.reject(*column_and_keys, "-o", "none/out.npy", says="none does not exist")
        self.reject(*column_and_keys, "-o", "out.xlsx", says="ends in .npy, .csv or .jsonl")
        self.reject(*column_and_keys, "-o", ".npy", says="ends in .npy")
        self.reject(*column_and_keys, "-o", "out", "--output-format", "xml", says="npy, csv or jsonl")
        self.reject(*column_and_keys, "--output-format", "csv", says="--output-format needs -o")
        for name in "out.parquet", "out.arrow":
            self.reject(*column_and_keys, "-o", name, says=["built without a library", "DuckDB"])
        self.reject(*column_and_keys, "-o", "", says="--output")
        self.reject(*column_and_keys, "-o", "out.npy", "--matched", "", says="--matched")
        self.reject(*column_and_keys, "-o", "./keys.npy", says="also an input")
        self.reject(*column_and_keys, "-o", "out.npy", "--matched", "./out.npy", says="--matched")
        self.reject(*column_and_keys, "-o", "out.npy", "--matched", "hits", says="--matched")
        (self.folder / "taken.npy").mkdir()
        self.reject(*column_and_keys, "-o", "taken.npy", says="is a folder")
        (self.folder / "null.rtindex").symlink_to("/dev/null")
        self.reject("build", "--column", "column.npy", "-o", "null.rtindex", says="device or pipe")
        self.reject("build", "--column", "column.npy", "-o", "/proc/x.rtindex", says="name a file in another folder")
        self.reject(*column_and_keys, "-o", "/dev/full", "--output-format", "csv", says="/dev/full cannot be written")

    def test_names_with_line_breaks_stay_on_one_line(self):
        self.reject_lookup(column="a\nb\x1b[31m.npy", says="does not exist")

    def test_a_full_disk(self):
        self.write_npy("many.npy", "<u4", list(range(5000)))
        self.reject_lookup("--answer", "first,count", keys="many.npy", says="free some space",
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                 (8192, 8192)))

    def test_a_failure_keeps_the_old_output(self):
        self.write("out.npy", "precious")
        self.reject_lookup("--answer", "sum")
        self.reject_lookup(column="none.npy")
        self.assertEqual((self.folder / "out.npy").read_text(), "precious")

    def has_begun(self, process, before):
        """Whether a process writes a file in the folder: one without a name, where there are such."""
        with contextlib.suppress(OSError):  # the process, or a file of it, has just ended
            for link in pathlib.Path(f"/proc/{process}/fd").iterdir():
                if os.readlink(link).startswith(f"{self.folder}/#"):
                    return True
        return self.files() != before

    def test_an_interrupt_leaves_nothing(self):
        rows, lookups = 2**14, 2**20
        self.write_npy("wide.npy", "<u4", list(range(rows)))
        self.write_npy("prices.npy", "<f8", [0.5] * rows)
        self.write_npy("lower.npy", "<u4", [0] * lookups)
        self.write_npy("upper.npy", "<u4", [rows] * lookups)
        before = self.files()
        with subprocess.Popen(
                [RTINDEX, "range", "--column", "wide.npy", "--lower", "lower.npy", "--upper",
                 "upper.npy", "--values", "prices.npy", "--answer", "sum", "-o", "out.npy"],
                cwd=self.folder, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while not self.has_begun(process.pid, before) and process.poll() is None:
                self.assertLess(time.monotonic(), deadline, "no output was begun")
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("the lookups were done before the interrupt came")
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(errors, "rtindex: interrupted; no output was written\n")
        self.assertEqual(self.files(), before)

    @staticmethod
    def catches_interrupts(process):
        with contextlib.suppress(OSError):  # the process has just ended
            status = pathlib.Path(f"/proc/{process}/status").read_text()
            caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
            return bool(int(caught.split()[1], 16) & 1 << (signal.SIGINT - 1))
        return False

    def test_an_interrupted_build_leaves_nothing(self):
        keys = list(range(2**20))
        random.Random(1).shuffle(keys)
        self.write_npy("shuffled.npy", "<u4", keys)
        before = self.files()
        with subprocess.Popen(
                [RTINDEX, "build", "--column", "shuffled.npy", "--index", "rx:native@cpu,threads=1",
                 "-o", "out.rtindex"], cwd=self.folder, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while not self.catches_interrupts(process.pid) and process.poll() is None:
                self.assertLess(time.monotonic(), deadline, "the build did not begin")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("the index was saved before the interrupt came")
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(errors, "rtindex: interrupted; no output was written\n")
        self.assertEqual(self.files(), before)

    def test_no_colours_and_no_bar_in_a_pipe(self):
        self.write_npy("few.npy", "<u4", [3, 1, 2])
        done = subprocess.run([RTINDEX, "lookup", "--column", "few.npy", "--key", "1"],
                              cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertNotIn("\x1b", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
