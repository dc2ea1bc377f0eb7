"""Invalid records are reported by file and line, and no page is written."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import fixture
from rtindex_report import command, records


class BadRecords(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.output = self.root / "report.html"

    def report(self, *lines):
        """The exit status and what was said on stderr, after a good first line."""
        good = json.dumps(next(fixture.keys(fixture.CPU, 1)))
        path = self.root / "cpu" / "some.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join([good, *lines]) + "\n", encoding="utf-8")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status = command.main([str(self.root), "-o", str(self.output)])
        return status, said.getvalue()

    def assert_rejected(self, line, *words):
        status, said = self.report(line)
        self.assertEqual(status, 1)
        self.assertIn(f"{pathlib.Path('cpu') / 'some.jsonl'}:2: ", said)
        for word in words:
            self.assertIn(word, said)
        self.assertFalse(self.output.exists(), "a page was written from bad records")

    def changed(self, **changes):
        made = next(fixture.keys(fixture.CPU, 1))
        made.update(changes)
        return json.dumps({name: value for name, value in made.items() if value is not None})

    def test_good_records_are_accepted(self):
        status, said = self.report(self.changed(x=64))
        self.assertEqual((status, said), (0, ""))
        self.assertTrue(self.output.exists())

    def test_not_json(self):
        self.assert_rejected('{"experiment": "keys", ', "not JSON", "column")

    def test_not_an_object(self):
        self.assert_rejected("[1, 2]", "JSON object")

    def test_missing_fields(self):
        for name in ("experiment", "index", "metric", "machine", "value"):
            with self.subTest(name):
                self.assert_rejected(self.changed(**{name: None}), f"'{name}' is missing")

    def test_wrong_types(self):
        for name, value in (
            ("x", "many"),
            ("value", True),
            ("value", "fast"),
            ("runs", [1, "2"]),
            ("workload", []),
            ("series", 7),
            ("experiment", 7),
            ("median", []),
        ):
            with self.subTest(name=name, value=value):
                self.assert_rejected(self.changed(**{name: value}), f"'{name}' is")

    def test_numbers_are_finite(self):
        self.assert_rejected(self.changed().replace('"value": ', '"value": NaN, "was": '), "finite")

    def test_unknown_status(self):
        self.assert_rejected(self.changed(status="lost"), "'lost'", "timed out")

    def test_value_beside_a_failure(self):
        self.assert_rejected(self.changed(status="timed out"), "timed out", "remove one")

    def test_nameless_machine(self):
        self.assert_rejected(self.changed(machine={"cores": 2}), "'cpu'", "'gpu'")

    def test_every_bad_line_is_named(self):
        _, said = self.report("[]", self.changed(), "nonsense", "")
        self.assertIn("some.jsonl:2: ", said)
        self.assertNotIn("some.jsonl:3: ", said)
        self.assertIn("some.jsonl:4: ", said)
        self.assertNotIn("some.jsonl:5: ", said)

    def test_many_bad_lines_are_counted(self):
        _, said = self.report(*["[]"] * 25)
        self.assertIn("and 5 more", said)


class Places(unittest.TestCase):
    def test_missing_folder(self):
        with self.assertRaisesRegex(records.ReportError, "nowhere: no such file or folder"):
            records.read([pathlib.Path("nowhere")])

    def test_folder_without_records(self):
        with (
            tempfile.TemporaryDirectory() as folder,
            self.assertRaisesRegex(records.ReportError, "rtindex bench"),
        ):
            records.read([pathlib.Path(folder)])

    def test_a_file_given_twice_is_read_once(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            fixture.write(root)
            file = root / "example-cpu" / "peers.jsonl"
            self.assertEqual(len(records.read([file, file.parent / file.name])), 10)


if __name__ == "__main__":
    unittest.main()
