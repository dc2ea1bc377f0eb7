"""Help, version, lists and summaries of the command."""

import re
import unittest

from command import CommandTest

VERBS = ["demo", "build", "lookup", "range", "nearest", "contains", "overlaps", "within", "covers",
         "filter", "join", "rank", "select", "nulls", "update", "info", "indexes", "draw", "bench"]


class Usage(CommandTest):
    def setUp(self):
        super().setUp()
        self.write_npy("column.npy", "<u4", [3, 1, 2])
        self.write_npy("keys.npy", "<u4", [1, 9])

    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout,
                         r"^rtindex \d+\.\d+\.\d+\nCUDA: .+\nOptiX: .+\nEmbree: .+\nC ABI: \d+\n$")

    def test_help_names_every_verb(self):
        text = self.succeed("--help").stdout
        for verb in VERBS:
            self.assertRegex(text, rf"(?m)^  {verb} ")
        self.assertEqual(self.succeed("-h").stdout, text)

    def test_every_verb_teaches_by_example(self):
        for verb in VERBS:
            with self.subTest(verb):
                text = self.succeed(verb, "--help").stdout
                self.assertIn("Examples:", text)
                self.assertGreaterEqual(text.count(f"  rtindex {verb}"), 1)

    def test_examples_use_options_that_exist(self):
        for verb in VERBS:
            text = self.succeed(verb, "--help").stdout
            options, _, examples = text.partition("Examples:")
            examples = examples.replace("\\\n", " ")
            for line in re.findall(rf"(?m)^  rtindex {verb} .*$", examples):
                for option in re.findall(r" (--?[a-z][a-z-]*)", line):
                    with self.subTest(verb=verb, option=option):
                        self.assertRegex(options, rf"(?m)(^  |,){option}\b")

    def test_indexes(self):
        text = self.succeed("indexes").stdout
        for part in ["rx:embree@cpu", "rx:optix@cuda", "sorted@cpu", "`auto` is", "kind[:tracer]",
                     "primitive", "row_rays"]:
            self.assertIn(part, text)
        rows = [line for line in text.splitlines() if "@" in line and " no " in line]
        for row in rows:
            self.assertGreater(len(row.split(None, 2)[2]), 10, "a reason is given")

    def test_summary(self):
        result = self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy", "-o",
                              "out.npy")
        self.assertEqual(result.stdout, "")
        for part in ["column.npy: 3 rows of uint32", "index    ", "built    in ", "2 in ",
                     "50.0% matched", "wrote    out.npy"]:
            self.assertIn(part, result.stderr)
        self.assertNotIn("\r", result.stderr, "no bar where there is no terminal")

    def test_quiet(self):
        result = self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy", "-o",
                              "out.npy", "--quiet")
        self.assertEqual((result.stdout, result.stderr), ("", ""))

    def test_describe(self):
        alone = self.succeed("lookup", "--column", "column.npy", "--describe").stdout
        self.assertIn("uint32", alone)
        both = self.succeed("lookup", "--column", "column.npy", "--describe", "--key", 1).stdout
        self.assertTrue(both.startswith(alone.splitlines()[0]))
        self.assertIn("key  any\n", both)

    def test_counters(self):
        counted = self.succeed("lookup", "--column", "column.npy", "--key", 1, "--counters",
                               "--index", "rx:native@cpu", "--quiet").stdout
        self.assertRegex(counted, r"^rays cast: 0\ncells read: [1-9]\d*\nkeys tested: [1-9]")
        self.assertIn("key  any\n", counted)
        self.reject("lookup", "--column", "column.npy", "--key", 1, "--counters", "--index",
                    "sorted@cpu", says=["does not count"])

    def test_the_printed_spec_builds_the_same_index(self):
        def spec_of(*arguments):
            text = self.succeed("lookup", "--column", "column.npy", "--key", 1, *arguments).stderr
            return re.search(r"(?m)^index +(\S+)$", text).group(1)
        spec = spec_of()
        self.assertEqual(spec_of("--index", spec), spec)

    def test_an_old_output_is_replaced(self):
        self.write("out.npy", "old")
        self.succeed("lookup", "--column", "column.npy", "--keys", "keys.npy", "--answer", "count",
                     "-o", "out.npy")
        self.assertEqual(self.read("out.npy"), ("<u4", [1, 0]))
        self.assertEqual(self.files(), ["column.npy", "keys.npy", "out.npy"])


if __name__ == "__main__":
    unittest.main()
