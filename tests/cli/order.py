"""Neighbours, ends of ranges, rows in key order, ranks and nulls, compared with a full scan."""

import math
import random
import unittest

from command import MISS, CommandTest, available_indexes

DAY = 86400


def neighbour(column, key, direction, exact=True, tolerance=math.inf):
    """The row of a key's neighbour; MISS where there is none."""
    before = [(key - other, -row) for row, other in enumerate(column)
              if other < key or (exact and other == key)]
    behind = [(other - key, row) for row, other in enumerate(column)
              if other > key or (exact and other == key)]
    best = {"backward": min(before, default=None), "forward": min(behind, default=None)}
    if direction == "nearest":
        sides = [side for side in best.values() if side is not None]
        best["nearest"] = min(sides, key=lambda side: side[0], default=None)
    found = best[direction]
    return MISS if found is None or found[0] > tolerance else abs(found[1])


def in_range(column, lower, upper, ends="[]"):
    """The rows of a range in key order; None leaves out an end."""
    rows = [row for row, key in enumerate(column)
            if (lower is None or key > lower or (key == lower and ends[0] == "["))
            and (upper is None or key < upper or (key == upper and ends[1] == "]"))]
    return sorted(rows, key=lambda row: (column[row], row))


class Order(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(20240131)
        self.column = [rng.randrange(-300, 300) for _ in range(500)]
        self.keys = rng.sample(range(-320, 320), 200)
        self.write_npy("column.npy", "<i4", self.column)
        self.write_npy("keys.npy", "<i8", self.keys)

    def ordered_indexes(self):
        return [spec for spec in available_indexes() if not spec.startswith("hash")]

    def nearest(self, *arguments):
        self.succeed("nearest", "--column", "column.npy", "--keys", "keys.npy", *arguments, "-o",
                     "out.npy")

    def test_neighbours_of_every_index(self):
        for spec in self.ordered_indexes():
            for direction in "backward", "forward", "nearest":
                for exact in True, False:
                    with self.subTest(spec=spec, direction=direction, exact=exact):
                        self.nearest("--direction", direction, "--index", spec,
                                     *[] if exact else ["--no-exact"])
                        self.assertEqual(self.read("out.npy"), ("<u4", [
                            neighbour(self.column, key, direction, exact) for key in self.keys]))

    def test_tolerance_keys_and_sums(self):
        self.write_npy("values.npy", "<i8", list(range(500)))
        self.nearest("--tolerance", "1", "--answer", "any,key,count,sum", "--values", "values.npy",
                     "--matched", "hit.npy")
        rows = [neighbour(self.column, key, "backward", tolerance=1) for key in self.keys]
        self.assertIn(MISS, rows)
        self.assertEqual(self.read("out.any.npy")[1], rows)
        self.assertEqual(self.read("hit.npy")[1], [row != MISS for row in rows])
        found = [None if row == MISS else self.column[row] for row in rows]
        self.assertEqual(self.read("out.key.npy"), ("<i4", [key or 0 for key in found]))
        equal = [[row for row, key in enumerate(self.column) if key == wanted] for wanted in found]
        self.assertEqual(self.read("out.count.npy")[1], [len(rows) for rows in equal])
        self.assertEqual(self.read("out.sum.npy")[1],
                         [sum(rows) if rows else -2**63 for rows in equal])

    def test_durations(self):
        self.write_npy("times.npy", "<M8[ms]", [0, 5000, 2 * DAY * 1000])
        for tolerance, found in [("5s", "0"), ("4999ms", "0"), ("4998ms", "-"), ("4999", "0"),
                                 ("4s", "-"), ("1min", "0"), ("1h", "0"), ("3d", "0")]:
            out = self.succeed("nearest", "--column", "times.npy", "--key",
                               "1970-01-01T00:00:04.999", "--tolerance", tolerance).stdout
            self.assertEqual(out.split()[-1], found, tolerance)
        out = self.succeed("nearest", "--column", "times.npy", "--key", "1970-01-01T00:00:06",
                           "--tolerance", "999ms", "--answer", "any,key", "-q").stdout
        self.assertEqual(out.splitlines()[2].split(), ["1970-01-01T00:00:06", "-", "-"])
        # 213,504 days have 2^64 nanoseconds and 25 minutes.
        self.write_npy("ns.npy", "<M8[ns]", [0])
        out = self.succeed("nearest", "--column", "ns.npy", "--key", "1970-01-02",
                           "--tolerance", "213504d", "-q").stdout
        self.assertEqual(out.split()[-1], "0")
        out = self.succeed("nearest", "--column", "times.npy", "--key", "1970-01-01T00:00:06",
                           "--answer", "any,key", "-o", "out.npy")
        self.assertEqual(self.read("out.key.npy"), ("<M8[ms]", [5000]))
        self.assertEqual(out.stdout, "")

    def test_floats(self):
        self.write_npy("floats.npy", "<f4", [0.5, 2.5])
        out = self.succeed("nearest", "--column", "floats.npy", "--key", "2", "--key", "0.25",
                           "--tolerance", "0.5", "--direction", "nearest", "--answer",
                           "key", "-q").stdout
        self.assertEqual([line.split() for line in out.splitlines()[2:]],
                         [["2", "2.5"], ["0.25", "0.5"]])

    def test_the_key_of_a_miss(self):
        for descr, miss in ("<f4", math.nan), ("<f8", math.nan), ("<M8[s]", -2**63), ("<u2", 0), ("<i8", 0):
            self.write_npy("some.npy", descr, [5, 7])
            keys = ["1970-01-01T00:00:03", "1970-01-01T00:00:06"] if "M8" in descr else ["3", "6"]
            self.succeed("nearest", "--column", "some.npy", "--key", keys[0], "--key", keys[1], "--answer", "key",
                         "-o", "out.npy")
            found, (first, second) = self.read("out.npy")
            self.assertEqual((found, second), (descr, 5))
            self.assertTrue(first == miss or (first != first and miss != miss), (descr, first))

    def test_strings(self):
        self.write("names.csv", "name\nBonn\nUlm\nBerlin\n")
        out = self.succeed("nearest", "--column", "names.csv", "--key", "Bo", "--key", "Zorn",
                           "--answer", "any,key", "-q").stdout
        self.assertEqual([line.split() for line in out.splitlines()[2:]],
                         [["Bo", "2", "Berlin"], ["Zorn", "1", "Ulm"]])
        out = self.succeed("range", "--column", "names.csv", "--starts-with", "B", "--starts-with",
                           "Ulm", "--starts-with", "X", "--answer", "rows", "-q").stdout
        self.assertEqual([line.split()[1:] for line in out.splitlines()[2:]],
                         [["0", "2"], ["1"], ["-"]])

    def test_texts_that_look_like_amounts_or_times_have_no_order(self):
        for texts, bound in ((["5 EUR", "10 EUR"], "5 EUR:"), (["9,90 €", "12,50 €"], "10,00 €:50,00 €"),
                             (["12 km", "9 km"], ":10 km"), (["5-Jan-24", "10-Feb-24"], "5-Jan-24:"),
                             (["2001:db8::9", "2001:db8::10"], None), (["9:30 AM", "10:00 AM"], None)):
            self.write("texts.csv", "k\n" + "".join(f'"{text}"\n' for text in texts))
            column = ["--column", "texts.csv", "--type", "k:string"]
            self.reject("select", *column[:2], "--rank", "0", says=["10 comes before 9", "--type k:string"])
            self.succeed("select", *column, "--rank", "0")
            if "::" in texts[0]:
                self.reject("select", *column[:2], "--rank", "0", says="four digits in the file, and pass --type")
            if bound is not None:
                self.reject("range", *column[:2], "--range", bound, says=["10 comes before 9"])
                self.succeed("range", *column, "--range", bound)

    def test_ends(self):
        texts = ["-10:10", "20:", ":-20", "-10:10", ":"]
        bounds = [(-10, 10), (20, None), (None, -20), (-10, 10), (None, None)]
        for ends in "[]", "[)", "(]", "()":
            out = self.succeed("range", "--column", "column.npy", "--range", *texts, "--ends", ends,
                               "--answer", "count", "-q").stdout
            self.assertEqual([int(line.split()[-1]) for line in out.splitlines()[2:]],
                             [len(in_range(self.column, *pair, ends)) for pair in bounds])
        for option, pairs in [("--lower", [(key, None) for key in self.keys]),
                              ("--upper", [(None, key) for key in self.keys])]:
            self.succeed("range", "--column", "column.npy", option, "keys.npy", "--ends", "()",
                         "--answer", "count", "-o", "out.npy")
            self.assertEqual(self.read("out.npy")[1],
                             [len(in_range(self.column, *pair, "()")) for pair in pairs])

    def test_ends_of_times(self):
        self.write_npy("times.npy", "<M8[s]", [0, 1800, 3600])
        out = self.succeed("range", "--column", "times.npy", "--range", "1970-01-01T00:30:",
                           ":1970-01-01T00:30", "1970-01-01T00:10:1970-01-01T00:40", "--answer",
                           "count", "-q").stdout
        self.assertEqual([line.split()[-1] for line in out.splitlines()[2:]], ["2", "2", "1"])

    def test_rows_in_key_order(self):
        for spec in self.ordered_indexes():
            for order in "key", "-key":
                with self.subTest(spec=spec, order=order):
                    self.succeed("range", "--column", "column.npy", "--lower", "keys.npy",
                                 "--index", spec, "--answer", "rows", "--order", order, "--limit",
                                 7, "-o", "out.npy")
                    _, offsets = self.read("out.offsets.npy")
                    _, rows = self.read("out.rows.npy")
                    for key, begin, end in zip(self.keys, offsets, offsets[1:]):
                        expected = in_range(self.column, key, None)
                        expected = expected[::-1] if order == "-key" else expected
                        self.assertEqual(rows[begin:end], expected[:7])
        out = self.succeed("range", "--column", "column.npy", "--range", "0:", "--answer", "rows",
                           "--order", "key", "--limit", 3, "-q").stdout
        self.assertEqual([int(row) for row in out.split()[-3:]], in_range(self.column, 0, None)[:3])

    def test_ranks(self):
        ranks = [sum(other < key for other in self.column) for key in self.keys]
        places = sorted(range(500), key=lambda row: (self.column[row], row))
        self.write_npy("ranks.npy", "<u8", [0, 7, 499, 500])
        for spec in available_indexes():
            if spec.startswith("hash"):
                continue
            with self.subTest(spec):
                self.succeed("rank", "--column", "column.npy", "--keys", "keys.npy", "--index", spec,
                             "-o", "out.npy")
                self.assertEqual(self.read("out.npy"), ("<u4", ranks))
                self.succeed("select", "--column", "column.npy", "--ranks", "ranks.npy", "--index",
                             spec, "-o", "out.npy")
                self.assertEqual(self.read("out.npy"),
                                 ("<u4", [places[0], places[7], places[499], MISS]))
        out = self.succeed("select", "--column", "column.npy", "--quantile", "0", "0.5", "1",
                           "-q").stdout
        self.assertEqual([line.split()[1:] for line in out.splitlines()[2:]],
                         [[str(places[i]), str(self.column[places[i]])] for i in (0, 249, 499)])
        out = self.succeed("rank", "--column", "column.npy", "--key", "0", "-q").stdout
        self.assertEqual(int(out.split()[-1]), sum(key < 0 for key in self.column))

    def test_nulls(self):
        self.write("gaps.csv", "a,b\n1,1\n,2\n3,3\n,4\n")
        out = self.succeed("nulls", "--column", "gaps.csv", "--csv-column", "a", "-q").stdout
        self.assertEqual(out.split()[2:], ["1", "3"])
        self.succeed("build", "--column", "gaps.csv", "--csv-column", "a", "-o", "a.rtindex")
        self.succeed("nulls", "--load", "a.rtindex", "-o", "out.npy")
        self.assertEqual(self.read("out.npy"), ("<u4", [1, 3]))

    def test_composite_keys(self):
        self.write("visits.csv", "city,day\nOslo,3\nRio,1\nOslo,1\nRio,5\n")
        visits = ["--column", "visits.csv", "--csv-column", "city", "--csv-column", "day"]

        def last(*arguments):
            out = self.succeed(*arguments, "-q").stdout
            return [line.split()[-1] for line in out.splitlines()[2:]]

        self.assertEqual(last("lookup", *visits, "--key", "Oslo,1", "--key", "Rio,2", "--answer",
                              "first"), ["2", "-"])
        self.assertEqual(last("lookup", *visits, "--key", "Oslo", "--key", "Bonn", "--answer",
                              "count"), ["2", "0"])
        self.assertEqual(last("nearest", *visits, "--key", "Oslo,9", "--key", "Rio,0"), ["0", "-"])
        self.assertEqual(last("nearest", *visits, "--key", "Rio,4", "--tolerance", "2",
                              "--direction", "forward"), ["3"])
        self.assertEqual(last("range", *visits, "--range", "Oslo,2:Rio", "--answer", "count"),
                         ["3"])
        self.write_npy("city.npy", "|S4", [b"Oslo", b"Rio"])
        self.write_npy("day.npy", "<i8", [1, 1])
        self.succeed("lookup", *visits, "--keys", "city.npy", "--keys", "day.npy", "--answer",
                     "first", "-o", "out.npy")
        self.assertEqual(self.read("out.npy")[1], [2, 1])
        self.succeed("build", *visits, "-o", "visits.rtindex")
        self.assertEqual(last("nearest", "--load", "visits.rtindex", "--key", "Rio,4"), ["1"])

    def test_bad_input(self):
        column = ["nearest", "--column", "column.npy", "--key", "1"]
        self.reject(*column, "--direction", "up", says=["up", "backward"])
        self.reject(*column, "--tolerance", "-1", says=["--tolerance -1", "integer"])
        self.reject(*column, "--tolerance", "0.5", says="integer")
        self.reject(*column, "--tolerance", "5s", says="integer")
        self.reject("nearest", "--column", "column.npy", says="--key K")
        self.write_npy("times.npy", "<M8[s]", [0])
        times = ["nearest", "--column", "times.npy", "--key", "1970-01-01"]
        self.reject(*times, "--tolerance", "5ms", says=["5ms", "multiple of s"])
        self.reject(*times, "--tolerance", "soon", says=["soon", "such as 5s"])
        self.reject(*times, "--tolerance", "-5s", says="such as 5s")
        self.write("names.csv", "name\nUlm\n")
        self.reject("nearest", "--column", "names.csv", "--key", "U", "--tolerance", "1",
                    says="strings")
        self.reject("nearest", "--column", "names.csv", "--keys", "names.csv", "--answer", "key",
                    "-o", "out.npy", says="has no .npy file")
        self.reject("lookup", "--column", "column.npy", "--key", "1", "--answer", "key", says="key")
        self.reject("range", "--column", "column.npy", "--range", "1:2", "--ends", "[[",
                    says=["[[", "expected"])
        self.reject("range", "--column", "column.npy", "--range", "1:2", "--order", "key",
                    says="--order needs rows")
        self.reject("range", "--column", "column.npy", "--range", "1:2", "--answer", "rows",
                    "--order", "up", says="key or -key")
        self.reject("range", "--column", "column.npy", "--starts-with", "1", says="strings")
        self.reject("range", "--column", "names.csv", "--starts-with", "U", "--ends", "()",
                    says="--ends needs ranges")
        self.reject("range", "--column", "names.csv", "--starts-with", "U", "--range", "a:b",
                    says="conflicting")
        self.reject("rank", "--column", "column.npy", says="--key K")
        self.reject("select", "--column", "column.npy", says="--quantile")
        self.reject("select", "--column", "column.npy", "--quantile", "2", says="0 to 1")
        self.reject("select", "--column", "column.npy", "--rank", "-1", says="0 or more")
        self.reject("select", "--column", "column.npy", "--rank", "0", "-o", "column.npy",
                    says="also an input")
        if "hash@cpu" in available_indexes():
            self.reject(*column, "--index", "hash", says="hash")


if __name__ == "__main__":
    unittest.main()
