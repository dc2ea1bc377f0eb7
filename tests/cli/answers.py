"""Answers of `rtindex lookup` and `rtindex range`, compared with a full scan in Python."""

import math
import os
import pathlib
import random
import re
import unittest

from command import MISS, CommandTest, available_indexes

ALL = "any,first,count,sum,min,max,rows"
NO_SUM = {"<u8": 2**64 - 1, "<i8": -2**63, "<f8": math.nan}


def same(a, b):
    return a == b or (a != a and b != b)


def sample(descr, count, rng):
    """Keys with duplicates, and lookups with hits and misses, of one type."""
    if descr[1] == "S":
        words = [b"", b"a", b"ab", b"abcdefgh-1", b"abcdefgh-2", b"abcdefgh", b"zz"]
        extra = [b"abcdefgh-", b"b", b"abcdefgh-12"]
        return rng.choices(words, k=count), [w[:int(descr[2:])] for w in words + extra]
    if descr == "|b1":
        return rng.choices([False, True], k=count), [False, True]
    if descr[1] == "f":
        numbers = [i / 4 for i in range(-200, 200)]
        return rng.choices(numbers, k=count), numbers[::3] + [1000.125, -0.0]
    if descr.startswith("<M8"):
        return rng.choices(range(-500, 500), k=count), list(range(-600, 600, 7))
    bits = 8 * int(descr[2])
    low, high = (-2**(bits - 1), 2**(bits - 1) - 1) if descr[1] == "i" else (0, 2**bits - 1)
    numbers = [low, low + 1, high - 1, high] + [rng.randint(low, high) for _ in range(200)]
    near = [min(max(n + step, low), high) for n in numbers[:60] for step in (-1, 0, 1)]
    return rng.choices(numbers, k=count), near


class Answers(CommandTest):
    ROWS = 1000

    def setUp(self):
        super().setUp()
        self.rng = random.Random(20230831)

    def check(self, name, matches, values, value_class):
        """The seven answers under out.*.npy against the matching rows of every lookup."""
        descr, any_rows = self.read(f"{name}.any.npy")
        self.assertEqual(descr, "<u4")
        for row, rows in zip(any_rows, matches, strict=True):
            self.assertTrue(row in rows if rows else row == MISS)
        self.assertEqual(self.read(f"{name}.first.npy"),
                         ("<u4", [min(rows, default=MISS) for rows in matches]))
        self.assertEqual(self.read(f"{name}.count.npy"), ("<u4", [len(rows) for rows in matches]))
        for answer, combine in ("sum", sum), ("min", min), ("max", max):
            descr, got = self.read(f"{name}.{answer}.npy")
            self.assertEqual(descr, value_class)
            for result, rows in zip(got, matches, strict=True):
                expected = combine(values[row] for row in rows) if rows else NO_SUM[value_class]
                self.assertTrue(same(result, expected), f"{answer}: {result}, not {expected}")
        _, offsets = self.read(f"{name}.offsets.npy")
        descr, rows = self.read(f"{name}.rows.npy")
        self.assertEqual((descr, offsets[0], offsets[-1]), ("<u4", 0, len(rows)))
        for begin, end, expected in zip(offsets[:-1], offsets[1:], matches, strict=True):
            self.assertEqual(sorted(rows[begin:end]), expected)
        self.assertEqual(self.read("hit.npy"), ("|b1", [bool(rows) for rows in matches]))

    def check_points(self, descr, spec, values_descr="<i8", value_class="<i8"):
        column, keys = sample(descr, self.ROWS, self.rng)
        values = [self.rng.randint(0 if "u" in values_descr else -100, 100) for _ in column]
        self.write_npy("column.npy", descr, column)
        self.write_npy("keys.npy", descr, keys)
        self.write_npy("values.npy", values_descr, values)
        self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy", "--values",
                     "values.npy", "--index", spec, "--answer", ALL, "--matched", "hit.npy", "-o",
                     "out.npy")
        matches = [[row for row, key in enumerate(column) if key == wanted] for wanted in keys]
        self.check("out", matches, values, value_class)

    def check_ranges(self, descr, spec):
        column, keys = sample(descr, self.ROWS, self.rng)
        values = [self.rng.randint(-100, 100) for _ in column]
        lower, upper = keys, self.rng.sample(keys, len(keys))
        self.write_npy("column.npy", descr, column)
        self.write_npy("lower.npy", descr, lower)
        self.write_npy("upper.npy", descr, upper)
        self.write_npy("values.npy", "<f8", values)
        self.succeed("range", "--column", "column.npy", "--lower", "lower.npy", "--upper",
                     "upper.npy", "--values", "values.npy", "--index", spec, "--answer", ALL,
                     "--matched", "hit.npy", "-o", "out.npy")
        matches = [[row for row, key in enumerate(column) if low <= key <= high]
                   for low, high in zip(lower, upper, strict=True)]
        self.check("out", matches, values, "<f8")

    def test_every_type(self):
        for descr in ["|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f4", "<f8", "|b1",
                      "|S12", "<M8[s]"]:
            with self.subTest(descr):
                self.check_points(descr, "auto")
                self.check_ranges(descr, "auto")

    def test_every_index(self):
        for spec in available_indexes():
            for descr in "<u8", "|S12":
                with self.subTest(spec=spec, descr=descr):
                    self.check_points(descr, spec)
                    if not spec.startswith("hash"):
                        self.check_ranges(descr, spec)

    def test_value_types(self):
        for descr, value_class in [("<u4", "<u8"), ("|i1", "<i8"), ("<f4", "<f8")]:
            with self.subTest(descr):
                self.check_points("<u4", "auto", descr, value_class)

    def test_large_batch_in_slices(self):
        column = [self.rng.randrange(2**20) for _ in range(20000)]
        keys = [self.rng.randrange(2**20) for _ in range(300000)]
        self.write_npy("column.npy", "<u4", column)
        self.write_npy("keys.npy", "<u8", keys)
        result = self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy", "--answer",
                              "rows,first", "-o", "out.npy")
        places = {}
        for row, key in enumerate(column):
            places.setdefault(key, []).append(row)
        self.assertEqual(self.read("out.first.npy")[1],
                         [places.get(key, [MISS])[0] for key in keys])
        _, offsets = self.read("out.offsets.npy")
        _, rows = self.read("out.rows.npy")
        self.assertEqual(len(offsets), len(keys) + 1)
        for key, begin, end in zip(keys, offsets, offsets[1:]):
            self.assertEqual(sorted(rows[begin:end]), places.get(key, []))
        matched = sum(key in places for key in keys)
        self.assertIn(f"{100 * matched / len(keys):.1f}% matched", result.stderr)

    def test_limit(self):
        self.write_npy("column.npy", "<u4", [5] * 100 + [6])
        self.write_npy("keys.npy", "<u4", [5, 6, 7])
        self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy", "--answer", "rows",
                     "--limit", 3, "-o", "out.npy")
        self.assertEqual(self.read("out.offsets.npy"), ("<u8", [0, 3, 4, 4]))
        self.assertEqual(len(set(self.read("out.rows.npy")[1])), 4)

    def test_sosd(self):
        def sosd(width, keys):
            return len(keys).to_bytes(8, "little") + b"".join(
                key.to_bytes(width, "little") for key in keys)
        self.write("wide_uint64", sosd(8, [7, 2**64 - 1, 7]))
        self.write("narrow_uint32", sosd(4, [7, 2**32 - 1, 9]))
        self.write_npy("keys.npy", "<u8", [7, 2**64 - 1, 2**32 - 1])
        self.succeed("lookup", "--column", "wide_uint64", "--format", "sosd64", "--keys",
                     "keys.npy", "--answer", "count", "-o", "wide.npy")
        self.assertEqual(self.read("wide.npy")[1], [2, 1, 0])
        self.succeed("lookup", "--column", "narrow_uint32", "--format", "sosd32", "--keys",
                     "narrow_uint32", "--answer", "first", "-o", "narrow.npy")
        self.assertEqual(self.read("narrow.npy")[1], [0, 1, 2])

    def test_csv(self):
        self.write("orders.csv", 'id,city,price\r\n3,Oslo,2.5\r\n1,"Rio, Sul",4\r\n,Oslo,1\r\n3,,8\r\n')
        self.write("wanted.csv", "x\n3\n1\n2\n")
        self.succeed("lookup", "--column", "orders.csv", "--csv-column", "id", "--keys",
                     "wanted.csv", "--values", "orders.csv", "--values-csv-column", "price",
                     "--answer", "sum,count", "-o", "out.npy")
        self.assertEqual(self.read("out.count.npy")[1], [2, 1, 0])
        descr, sums = self.read("out.sum.npy")
        self.assertEqual((descr, sums[:2]), ("<f8", [10.5, 4.0]))
        self.assertTrue(math.isnan(sums[2]))
        table = self.succeed("lookup", "--column", "orders.csv", "--csv-column", "city", "--key",
                             "Oslo", "--key", "Rio, Sul", "--key", "", "--answer", "rows").stdout
        self.assertIn("Oslo      0 2\n", table)
        self.assertIn("Rio, Sul  1\n", table)
        self.write("months.csv", "first,last\n1,2\n2,9\n")
        self.succeed("range", "--column", "orders.csv", "--csv-column", "id", "--lower",
                     "months.csv", "--lower-csv-column", "first", "--upper", "months.csv",
                     "--upper-csv-column", "last", "--answer", "count", "-o", "n.npy")
        self.assertEqual(self.read("n.npy")[1], [1, 2])

    def test_keys_on_the_command_line(self):
        self.write_npy("u.npy", "<u8", [5, 2**64 - 1, 5])
        out = self.succeed("lookup", "--column", "u.npy", "--key", 5, 2**64 - 1, 6, "--answer",
                           "rows,count", "-q")
        self.assertEqual(out.stderr, "")
        self.assertEqual(out.stdout.split("\n"),
                         ["                 key  count  rows",
                          "--------------------  -----  ----",
                          "                   5      2  0 2",
                          "18446744073709551615      1  1",
                          "                   6      0  -",
                          ""])
        out = self.succeed("range", "--column", "u.npy", "--range", "-9:5", "--range",
                           f"6:{2**64 - 1}", "--range", "9:1", "--answer", "count").stdout
        self.assertEqual([line.split()[-1] for line in out.splitlines()[2:]], ["2", "1", "0"])
        self.write_npy("f.npy", "<f4", [0.1, -2.5])
        out = self.succeed("lookup", "--column", "f.npy", "--key", "0.1", "--key", "-2.5").stdout
        self.assertEqual([line.split() for line in out.splitlines()[2:]],
                         [["0.1", "0"], ["-2.5", "1"]])
        self.write_npy("d.npy", "<M8[D]", [0, 31, 59])
        out = self.succeed("range", "--column", "d.npy", "--range", "1970-02-01:1970-02-28",
                           "--answer", "first").stdout
        self.assertEqual(out.splitlines()[2].split(), ["1970-02-01", "1970-02-28", "1"])

    def test_numbers_for_columns_of_floats(self):
        keys = ["0.1", 2**24, 2**24 + 1, 2**53 - 1]
        for descr, counts in ("<f4", ["1", "1", "0", "0"]), ("<f8", ["1", "1", "1", "1"]):
            # float32 rounds the last two, to 2^24 and 2^53: lookups of them match nothing.
            self.write_npy("floats.npy", descr, [0.1, *keys[1:]] if descr == "<f8" else [0.1, 2**24, 2**53])
            out = self.succeed("lookup", "--column", "floats.npy", "--key", *keys, "--answer", "count",
                               "-q").stdout
            self.assertEqual([line.split()[-1] for line in out.splitlines()[2:]], counts)
            self.reject("lookup", "--column", "floats.npy", "--key", 2**53 + 1,
                        says=[str(2**53 + 1), "not exact as float64"])

    def test_times_on_the_command_line(self):
        def count(column, text, verb="range"):
            option = "--range" if verb == "range" else "--key"
            out = self.succeed(verb, "--column", column, option, text, "--answer", "count").stdout
            return int(out.split()[-1])

        self.write_npy("s.npy", "<M8[s]", [0, 1800, 3600, 86400])
        self.assertEqual(count("s.npy", "1970-01-01T00:30", "lookup"), 1)
        self.assertEqual(count("s.npy", "1970-01-01 01:00:00Z", "lookup"), 1)
        self.assertEqual(count("s.npy", "1970-01-01T00:30:1970-01-01T01:00"), 2)
        self.assertEqual(count("s.npy", "1970-01-01T00:30:00:1970-01-01T00:59:59"), 1)
        self.assertEqual(count("s.npy", "1970-01-01:1970-01-01T01:00"), 3)
        self.assertEqual(count("s.npy", "1970-01-01T00:30:1970-01-02"), 3)
        for text in "0:1800", "2024:2025":  # seconds, or years?
            self.reject("range", "--column", "s.npy", "--range", text,
                        says="write a date or time such as 2024-01-31T12:30:05")
        self.write("days.csv", "day\n2024-01-31\n")
        self.write("compact.csv", "day\n20240131\n")
        for keys in ["--key", "20240131"], ["--keys", "compact.csv"]:
            self.reject("lookup", "--column", "days.csv", *keys, says=[keys[1], "such as 2024-01-31"])
        self.write_npy("ms.npy", "<M8[ms]", [0, 250, 500])
        self.assertEqual(count("ms.npy", "1970-01-01T00:00:00.25:1970-01-01T00:00:01"), 2)

    def test_a_field_that_is_no_time_is_named(self):
        self.write("odd.csv", "at\n2024-01-31T12:30\n\n31.01.2024 12:30\n")
        self.reject("lookup", "--column", "odd.csv", "--csv-column", "at", "--key", "x",
                    says=["line 4: '31.01.2024 12:30' is not a date or time", "--type at:string"])
        out = self.succeed("lookup", "--column", "odd.csv", "--csv-column", "at", "--type",
                           "at:string", "--key", "31.01.2024 12:30")
        self.assertIn("31.01.2024 12:30    2", out.stdout)

    def test_times_in_csv(self):
        self.write("visits.csv", "day,seen\n2024-01-31,2024-01-31T12:30\n2024-02-01,"
                                 "2024-02-01 08:00:05.25\n,\n2024-01-31,2024-01-31T23:59:59Z\n")
        visits = ["--column", "visits.csv", "--csv-column"]
        out = self.succeed("range", *visits, "day", "--range", "2024-01-01:2024-01-31",
                           "--answer", "count").stdout
        self.assertEqual(out.split()[-1], "2")
        out = self.succeed("range", *visits, "seen", "--range",
                           "2024-01-31T12:30:2024-02-01T08:00", "--answer", "count").stdout
        self.assertEqual(out.split()[-1], "2")
        page = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"], "docs/command-line.md").read_text()
        shown = re.findall(r"(?m)^rtindex (.* visits\.csv .*)$", page)
        self.assertEqual([self.succeed(*line.split()).stdout.split()[-1] for line in shown],
                         ["2", "0"])
        # Lookups of files take on the type of the column, and may be dates among times.
        self.write("months.csv", "first,last\n2024-01-31,2024-01-31T23:00\n2024-02-01,2024-03-01\n")
        self.succeed("range", *visits, "seen", "--lower", "months.csv", "--lower-csv-column",
                     "first", "--upper", "months.csv", "--upper-csv-column", "last", "--answer",
                     "count", "-o", "n.npy")
        self.assertEqual(self.read("n.npy")[1], [1, 1])
        # NumPy's days and microseconds are the same types.
        self.write_npy("day.npy", "<M8[D]", [19753])
        self.write_npy("us.npy", "<M8[us]", [19753 * 86400 * 10**6 + 45000 * 10**6])
        for column, keys, wanted in ("day", "day.npy", 2), ("seen", "us.npy", 1):
            self.succeed("lookup", *visits, column, "--keys", keys, "--answer", "count", "-o",
                         "n.npy")
            self.assertEqual(self.read("n.npy")[1], [wanted])
        # Of values that are times, the least is a time.
        self.write("seen.csv", "id,seen\n1,1970-01-03\n1,1970-01-02\n")
        self.succeed("lookup", "--column", "seen.csv", "--csv-column", "id", "--key", 1,
                     "--values", "seen.csv", "--values-csv-column", "seen", "--answer", "min",
                     "-o", "n.npy")
        self.assertEqual(self.read("n.npy"), ("<M8[D]", [1]))
        seen = ["--values", "visits.csv", "--values-csv-column", "at", "--answer", "min,max,count"]
        self.write("visits.csv", "id,at\n1,2024-01-31T12:30\n1,2024-01-31T12:30:05.25\n2,1969-12-31\n")
        self.succeed("build", "--column", "visits.csv", "--csv-column", "id", "--include",
                     "visits.csv", "--include-csv-column", "at", "-o", "visits.rtindex")
        for source in (["--column", "visits.csv", "--csv-column", "id", *seen],
                       ["--load", "visits.rtindex", "--answer", "min,max,count"]):
            out = self.succeed("lookup", *source, "--key", 1, "--key", 2, "--key", 3).stdout
            rows = [line.split() for line in out.splitlines()[-3:]]
            self.assertEqual([row[-2:] for row in rows], [
                ["2024-01-31T12:30:00.000000", "2024-01-31T12:30:05.250000"],
                ["1969-12-31T00:00:00.000000", "1969-12-31T00:00:00.000000"], ["-", "-"]])
            self.succeed("lookup", *source, "--key", 2, "--key", 3, "-o", "n.npy")
            self.assertEqual(self.read("n.max.npy"), ("<M8[us]", [-86400 * 10**6, -(2**63)]))

    def test_sums_beyond_64_bits(self):
        most = 2**63 - 1
        self.write("v.csv", f"k,x\n1,{most}\n1,{most}\n2,{most}\n2,-5\n3,\n")
        call = ["lookup", "--column", "v.csv", "--csv-column", "k", "--values", "x", "-q"]
        self.reject(*call, "--key", 2, "--key", 1, "--answer", "sum",
                    says=["lookup 1", "exceeds 64 bits", "mean and count"])
        self.assertEqual(self.succeed(*call, "--key", 2, "--key", 3, "--key", 9, "--answer", "sum", "-o", "-").stdout,
                         f"key,sum\n2,{most - 5}\n3,\n9,\n")
        self.assertIn("1.8446744073709552e+19", self.succeed(*call, "--key", 1, "--answer", "sum", "--type",
                                                             "x:float64").stdout)
        self.write_npy("k.npy", "<i8", [1, 1, 2])
        for descr, values in ("<u8", [2**64 - 1, 1, 2**64 - 1]), ("<i8", [-2**63, -1, -2**63]):
            self.write_npy("x.npy", descr, values)
            call = ["lookup", "--column", "k.npy", "--values", "x.npy", "--answer", "sum", "-q", "-o", "-"]
            self.reject(*call, "--key", 1, says="exceeds 64 bits")
            self.assertEqual(self.succeed(*call, "--key", 2).stdout, f"key,sum\n2,{values[2]}\n")

    def test_times_have_a_mean_and_no_sum(self):
        self.write("v.csv", "k,d,t\n1,2024-01-31,2024-01-31T12:00\n1,2024-02-01,2024-01-31T13:00\n")
        call = ["lookup", "--column", "v.csv", "--csv-column", "k", "--key", "1", "--key", "2", "-q", "-o", "-",
                "--answer"]
        for name, mean in ("d", "2024-01-31T12:00:00"), ("t", "2024-01-31T12:30:00.000000"):
            self.assertEqual(self.succeed(*call, "mean", "--values", name).stdout, f"key,mean\n1,{mean}\n2,\n")
            self.reject(*call, "sum", "--values", name, says=["sum of dates or times", "min, max or mean"])

    def test_nothing_to_index_and_nothing_to_find(self):
        self.write_npy("none.npy", "<u4", [])
        self.write_npy("some.npy", "<u4", [1, 2])
        self.write_npy("values.npy", "<i4", [10, 20])
        self.succeed("lookup", "--column", "none.npy", "--keys", "some.npy", "--answer", "count",
                     "-o", "out.npy")
        self.assertEqual(self.read("out.npy"), ("<u4", [0, 0]))
        self.succeed("lookup", "--column", "some.npy", "--keys", "none.npy", "--values",
                     "values.npy", "--answer", "sum,rows", "-o", "out.npy")
        self.assertEqual(self.read("out.sum.npy"), ("<i8", []))
        self.assertEqual(self.read("out.offsets.npy"), ("<u8", [0]))
        self.assertEqual(self.read("out.rows.npy"), ("<u4", []))


if __name__ == "__main__":
    unittest.main()
