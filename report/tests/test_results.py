"""The records of this repository make a page without faults."""

import contextlib
import io
import itertools
import pathlib
import tempfile
import unittest

import browser
from rtindex_report import command

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
PROGRAM = browser.find()
NO_BROWSER = "Chromium is not installed: scripts/setup.sh --browser installs it"

# What is wrong on the page that is shown, as a list of texts.
FAULTS = """(() => {
  const faults = [];
  const shown = [...document.querySelectorAll(".page")].find((page) => page.clientWidth > 0);
  const all = (selector, within = shown) =>
      [...within.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0);
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide`);
  for (const panel of all(".panel")) {
    if (!panel.querySelector(".entry") || !panel.querySelector("svg.plot path.line, .bar"))
      faults.push(`${panel.id}: nothing is drawn`);
    if (panel.outerHTML.includes("NaN")) faults.push(`${panel.id}: NaN`);
  }
  for (const text of all("h2, h3, h4, figcaption b, .who, .entry span, .axis, .segment b, th"))
    if (["", "x", "undefined", "null"].includes(text.textContent.trim()))
      faults.push(`${text.closest("article")?.id}: a ${text.className || text.tagName} is empty`);
  for (const text of all("b, i, span, p, h3, h4, code, button, label"))
    if (text.textContent && text.scrollWidth > text.clientWidth + 1 && text.clientWidth > 0 &&
        !text.closest(".scroll"))
      faults.push(`${text.closest("article")?.id}: cut off: ${text.textContent}`);
  for (const plot of all("svg.plot")) {
    const frame = plot.getBoundingClientRect();
    for (const text of plot.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1)
        faults.push(`${plot.closest("article").id}: outside of the chart: ${text.textContent}`);
    }
    const ticks = all(".tick.x", plot).map((tick) => tick.getBoundingClientRect());
    if (ticks.some((tick, place) => place > 0 && tick.left < ticks[place - 1].right))
      faults.push(`${plot.closest("article").id}: ticks overlap`);
  }
  return faults;
})()"""


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

    def test_every_experiment_has_a_title_and_a_page(self):
        page = self.page.read_text(encoding="utf-8")
        for name in ("intervals", "changes", "strings", "host-memory", "joins"):
            self.assertIn(f'id="page-{name}"', page)
        self.assertNotIn('id="page-other"', page, "add these experiments to pages.py")

    @unittest.skipUnless(PROGRAM, NO_BROWSER)
    def test_every_page_is_whole_at_both_widths_in_both_themes(self):
        with browser.Browser(PROGRAM) as page:
            for width, dark in itertools.product((1400, 400), (False, True)):
                page.open(self.page, width=width, dark=dark)
                self.assert_whole(page, f"{width} pixels, {'dark' if dark else 'light'}")

    @unittest.skipUnless(PROGRAM, NO_BROWSER)
    def test_every_page_is_whole_on_every_machine(self):
        with browser.Browser(PROGRAM) as page:
            page.open(self.page, width=1400)
            for machine in range(page.run("document.querySelectorAll('[name=machine]').length")):
                page.run(f"document.querySelectorAll('[name=machine]')[{machine}].click()")
                self.assert_whole(page, f"machine {machine}")

    def assert_whole(self, page, circumstances):
        for link in page.run("[...document.querySelectorAll('.menu a')].map((a) => a.hash)"):
            page.run(f"location.hash = '{link}'")
            page.run("new Promise(requestAnimationFrame)")
            with self.subTest(circumstances, page=link):
                self.assertEqual(page.run(FAULTS), [])
                self.assertEqual(page.errors, [])


if __name__ == "__main__":
    unittest.main()
