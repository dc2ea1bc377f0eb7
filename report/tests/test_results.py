"""The records of this repository make a page without faults."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import browser
from rtindex_report import command

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
PROGRAM = browser.find()


@unittest.skipUnless(RESULTS.is_dir(), "this copy of the source has no results/")
class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = pathlib.Path(folder.name) / "report.html"
        cls.said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(cls.said):
            cls.status = command.main([str(RESULTS), "-o", str(cls.page)])

    def test_every_record_is_accepted(self):
        self.assertEqual((self.status, self.said.getvalue()), (0, ""))

    @unittest.skipUnless(
        PROGRAM, "Chromium is not installed: scripts/setup.sh --browser installs it"
    )
    def test_every_chart_is_drawn_on_a_desk_and_on_a_phone(self):
        with browser.Browser(PROGRAM) as page:
            for width in (1280, 390):
                page.open(self.page, width=width)
                self.assertEqual(page.errors, [])
                self.assertEqual(page.run("document.documentElement.scrollWidth"), width)
                empty = page.run(
                    "[...document.querySelectorAll('.panel')].filter((panel) =>"
                    " panel.querySelector('.entry') &&"
                    " !panel.querySelector('svg.plot path.line, .bar')).map((panel) => panel.id)"
                )
                self.assertEqual(empty, [])
                self.assertNotIn("NaN", page.run("document.querySelector('main').outerHTML"))


if __name__ == "__main__":
    unittest.main()
