"""Pairs of `rtindex join`, compared with nested loops."""

import random
import unittest

from command import MISS, CommandTest, available_indexes


class Joins(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(20240131)
        self.column = [rng.randrange(100) for _ in range(300)]
        self.keys = [rng.randrange(-5, 130) for _ in range(120)]
        self.upper = [key + rng.randrange(-2, 6) for key in self.keys]
        self.write_npy("column.npy", "<i4", self.column)
        self.write_npy("keys.npy", "<i4", self.keys)
        self.write_npy("upper.npy", "<i4", self.upper)

    def expected(self, matches, how):
        """The pairs of each lookup with its matching rows."""
        if how in ("semi", "anti"):
            return [i for i, rows in enumerate(matches) if bool(rows) == (how == "semi")]
        return sorted((i, row) for i, rows in enumerate(matches)
                      for row in (rows or ([MISS] if how == "left" else [])))

    def joined(self, how, *arguments):
        self.succeed("join", "--column", "column.npy", *arguments, "--how", how, "-o", "out.npy")
        if how in ("semi", "anti"):
            return self.read("out.npy")[1]
        return sorted(zip(self.read("out.lookups.npy")[1], self.read("out.rows.npy")[1],
                          strict=True))

    def test_equal_keys(self):
        matches = [[row for row, key in enumerate(self.column) if key == wanted]
                   for wanted in self.keys]
        for spec in available_indexes():
            for how in "inner", "left", "semi", "anti":
                with self.subTest(spec=spec, how=how):
                    self.assertEqual(self.joined(how, "--keys", "keys.npy", "--index", spec),
                                     self.expected(matches, how))

    def test_any_order(self):
        matches = [[row for row, key in enumerate(self.column) if key == wanted]
                   for wanted in self.keys]
        for spec in available_indexes():
            for how in "inner", "left", "semi", "anti":
                with self.subTest(spec=spec, how=how):
                    pairs = self.joined(how, "--keys", "keys.npy", "--index", spec, "--order", "any")
                    self.assertEqual(sorted(pairs), self.expected(matches, how))
        self.reject("join", "--column", "column.npy", "--keys", "keys.npy", "--order", "key", says=["'key'", "any"])

    def test_a_filter_restricts_the_rows(self):
        mask = [row % 3 == 0 for row in range(300)]
        self.write_npy("mask.npy", "|b1", mask)
        matches = [[row for row, key in enumerate(self.column) if key == wanted and mask[row]]
                   for wanted in self.keys]
        for how in "inner", "left", "semi", "anti":
            for order in "lookups", "any":
                pairs = self.joined(how, "--keys", "keys.npy", "--filter", "mask.npy", "--order", order)
                self.assertEqual(sorted(pairs), self.expected(matches, how))

    def test_ranges(self):
        matches = [[row for row, key in enumerate(self.column) if low <= key < high]
                   for low, high in zip(self.keys, self.upper, strict=True)]
        for how in "inner", "left", "semi", "anti":
            self.assertEqual(self.joined(how, "--lower", "keys.npy", "--upper", "upper.npy",
                                         "--ends", "[)"), self.expected(matches, how))

    def test_asof_of_several_parts_names_each(self):
        self.write("quotes.csv", "symbol,at\nA,2024-01-31T10:00\n")
        joined = self.succeed("join", "--column", "quotes.csv", "--csv-column", "symbol", "--csv-column",
                              "at", "--keys", "quotes.csv", "--asof", "-q", "-o", "-").stdout
        self.assertEqual(joined, "lookup,key1,key2,row\n0,A,2024-01-31T10:00:00.000000,0\n")

    def test_asof(self):
        def last(wanted, tolerance):
            found = max(((key, row) for row, key in enumerate(self.column) if key <= wanted),
                        default=None)
            return [] if found is None or wanted - found[0] > tolerance else [found[1]]

        matches = [last(key, 3) for key in self.keys]
        self.assertIn([], matches)
        for how in "inner", "left", "semi", "anti":
            self.assertEqual(self.joined(how, "--keys", "keys.npy", "--asof", "--tolerance", "3"),
                             self.expected(matches, how))

    def test_prefixes(self):
        self.write("names.csv", "name\nBonn\nUlm\nBerlin\n")
        out = self.succeed("join", "--column", "names.csv", "--starts-with", "B", "X", "--how", "left",
                           "-q").stdout
        self.assertEqual(sorted(line.split() for line in out.splitlines()[2:]),
                         [["0", "B", "0"], ["0", "B", "2"], ["1", "X", "-"]])
        self.reject("join", "--column", "names.csv", "--starts-with", "B", "--asof",
                    says="--asof needs --keys")
        self.reject("join", "--column", "names.csv", "--starts-with", "B", "--range", "a:b",
                    says="conflicting")

    def test_tables(self):
        self.write_npy("few.npy", "<i4", [5, 7, 5])
        out = self.succeed("join", "--column", "few.npy", "--key", "5", "6", "--how", "left", "-q")
        self.assertEqual(sorted(line.split() for line in out.stdout.splitlines()[2:]),
                         [["0", "5", "0"], ["0", "5", "2"], ["1", "6", "-"]])
        out = self.succeed("join", "--column", "few.npy", "--range", "6:", ":", "6:9", "--how",
                           "inner")
        self.assertEqual(sorted(line.split() for line in out.stdout.splitlines()[2:]),
                         [["0", "6", "-", "1"], ["1", "-", "-", "0"], ["1", "-", "-", "1"],
                          ["1", "-", "-", "2"], ["2", "6", "9", "1"]])
        self.assertIn("joined   3 lookups", out.stderr)
        self.assertIn("5 pairs", out.stderr)

    def test_bad_input(self):
        join = ["join", "--column", "column.npy"]
        self.reject(*join, says="--keys FILE")
        self.reject(*join, "--key", "1", "--how", "outer", says=["outer", "inner"])
        self.reject(*join, "--key", "1", "--range", "1:2", says="conflicting")
        self.reject(*join, "--range", "1:2", "--asof", says="--asof needs --keys")
        self.reject(*join, "--key", "1", "--tolerance", "5", says="need --asof")
        self.reject(*join, "--key", "1", "--direction", "forward", says="need --asof")
        self.reject(*join, "--key", "1", "--ends", "[)", says="--ends needs ranges")
        self.reject(*join, "--keys", "keys.npy", "-o", "keys.npy", says="also an input")
        self.reject(*join, "--keys", "keys.npy", "-o", "pairs.xlsx", says="ends in .npy")
        self.write_npy("floats.npy", "<f8", [1.0])
        self.reject(*join, "--keys", "floats.npy", "-o", "out.npy", says="cannot be compared")
        if "hash@cpu" in available_indexes():
            self.reject(*join, "--key", "1", "--asof", "--index", "hash", says="hash")


if __name__ == "__main__":
    unittest.main()
