"""The demo: the paper's examples, and every usable index on a column of random keys."""

import re
import unittest

from command import CommandTest, available_indexes


class Demo(CommandTest):
    def table(self, text):
        """The rows of the race, by index."""
        rows = [line.split(None, 5) for line in text.splitlines() if "@" in line]
        return {row[0]: row[1:] for row in rows}

    def test_every_usable_index_is_checked(self):
        text = self.succeed("demo", "--rows", 5000).stdout
        table = self.table(text)
        for spec in available_indexes():
            with self.subTest(spec):
                build, points, ranges, bytes_per_key, checked = table[spec]
                float(build), float(points)
                self.assertGreater(float(bytes_per_key), 0)
                if ranges == "-":
                    self.assertEqual(checked, "5,000 + -")
                else:
                    self.assertGreater(float(ranges), 0)
                    self.assertRegex(checked, r"^5,000 \+ 312")
        total = int(re.search(r"all ([\d,]+) answers correct", text).group(1).replace(",", ""))
        self.assertGreaterEqual(total, 5000 * len(available_indexes()))
        for hint in ("rtindex draw", "rtindex lookup", "rtindex indexes"):
            self.assertIn(hint, text)

    @unittest.skipUnless(any(spec.startswith("rx:embree") for spec in available_indexes()),
                         "the paper's examples need rx:embree")
    def test_examples_of_the_paper(self):
        text = self.succeed("demo", "--rows", 100).stdout
        self.assertRegex(text, r"Q1 +range \[23, 25\] +1 along x +3, 1 +Coffee, Bread\n")
        self.assertRegex(text, r"Q2 +range \[27, 27\] +1 along x +5 +Wine\n")
        self.assertRegex(text, r"Q3 +point 29 +1 across +2, 4 +Cookies, Donuts\n")
        self.assertRegex(text, r"Q4 +range \[15, 21\] +3 along x +5, 1, 0, 6\n")
        for setting in ("compact=on", "primitive=aabb", "primitive=sphere"):
            self.assertIn(f"rx:embree@cpu,{setting}", self.table(text))

    def test_the_smallest_column(self):
        self.assertIn("answers correct", self.succeed("demo", "--rows", 1).stdout)

    def test_bad_input(self):
        self.reject("demo", "--rows", 0, says="--rows 0")
        self.reject("demo", "--rows", 10**12, says="expected 1 to")
        self.reject("demo", "--rows", "many", says="many")
        self.reject("demo", "--fast", says="--fast")


if __name__ == "__main__":
    unittest.main()
