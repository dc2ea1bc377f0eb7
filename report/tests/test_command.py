"""The command as a user runs it, and what it says."""

import ast
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fixture
import rtindex_report

SOURCE = pathlib.Path(rtindex_report.__file__).parent


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        fixture.write(self.root)
        self.output = self.root / "report.html"

    def run_report(self, *arguments):
        command = [sys.executable, "-m", "rtindex_report", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_python_3_9_and_nothing_else(self):
        own = {path.stem for path in SOURCE.glob("*.py")} | {SOURCE.name}
        for path in SOURCE.glob("*.py"):
            with self.subTest(path.name):
                tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
                imported = {alias.name.partition(".")[0] for node in ast.walk(tree)
                            if isinstance(node, ast.Import) for alias in node.names}
                imported |= {node.module.partition(".")[0] for node in ast.walk(tree)
                             if isinstance(node, ast.ImportFrom) and node.level == 0}
                # Of the standard library of 3.9, which later versions have grown.
                later = {"tomllib", "annotationlib", "compression"}
                self.assertLessEqual(imported - own, set(sys.stdlib_module_names) - later)

    def test_writes_a_page(self):
        done = self.run_report(self.root, "-o", self.output)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("7 experiments, 4 machines, 566 records", done.stdout)
        self.assertTrue(self.output.read_text(encoding="utf-8").startswith("<!DOCTYPE html>"))

    def test_the_same_records_make_the_same_page(self):
        pages = []
        for _ in range(2):
            self.run_report(self.root, "-o", self.output)
            pages.append(self.output.read_bytes())
        self.assertEqual(pages[0], pages[1])

    def test_a_file_alone_has_titles_and_axes(self):
        self.run_report(self.root / "example-cpu" / "laptop.jsonl", "-o", self.output)
        page = self.output.read_text(encoding="utf-8")
        self.assertIn("Which index gains most when lookups miss?", page)
        self.assertIn("share of lookups that hit", page)
        self.assertNotIn("RTX 4090", page)

    def test_a_machine_that_is_not_there(self):
        done = self.run_report(self.root, "-o", self.output, "--machine", "desk")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--machine desk: no such folder of records; there are: example-", done.stderr)

    def test_an_output_that_cannot_be_written(self):
        done = self.run_report(self.root, "-o", self.root / "nowhere" / "report.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere/report.html: No such file or directory", done.stderr)

    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "needs /dev/full")
    def test_a_full_disk_names_the_file(self):
        done = self.run_report(self.root, "-o", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "error: /dev/full: No space left on device\n")

    def test_the_title_is_the_users(self):
        self.run_report(self.root, "-o", self.output, "--title", "Ours & theirs")
        self.assertIn("<h1>Ours &amp; theirs</h1>", self.output.read_text(encoding="utf-8"))

    def test_smoke_records_are_called_so(self):
        self.run_report(self.root / "example-cpu" / "smoke.jsonl", "-o", self.output)
        self.assertIn("Measured at smoke scale", self.output.read_text(encoding="utf-8"))
        self.run_report(self.root / "example-cpu", "-o", self.output)
        self.assertNotIn("Measured at smoke scale", self.output.read_text(encoding="utf-8"))

    def test_circumstances_are_told(self):
        path = self.root / "example-cpu" / "laptop.jsonl"
        noted = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for one in noted:
            one["workload"]["note"] = "other work beside it"
        path.write_text("\n".join(map(json.dumps, noted)), encoding="utf-8")
        self.run_report(path, "-o", self.output)
        page = self.output.read_text(encoding="utf-8")
        self.assertIn("Noted with the records: other work beside it.", page)


if __name__ == "__main__":
    unittest.main()
