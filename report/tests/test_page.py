"""The page in headless Chromium: it loads, draws every chart, and answers mouse and keyboard."""

import contextlib
import io
import json
import pathlib
import tempfile
import time
import unittest

import browser
import fixture
from rtindex_report import command

PROGRAM = browser.find()
VISIBLE_LINES = "document.querySelectorAll('#hit-rate svg.plot g.series').length"
ENTRIES = "document.querySelectorAll('#hit-rate .entry')"


@unittest.skipUnless(PROGRAM, "Chromium is not installed: scripts/setup.sh --browser installs it")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = pathlib.Path(cls.folder.name)
        fixture.write(root)
        cls.path = root / "report.html"
        with contextlib.redirect_stdout(io.StringIO()), fixture.described():
            arguments = [str(root), "-o", str(cls.path), "--machine", "example-cpu"]
            assert command.main(arguments) == 0
        cls.browser = browser.Browser(PROGRAM)
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.browser.errors.clear()
        self.browser.open(self.path, at="/points")

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def run_script(self, script):
        return self.browser.run(script)

    def expect_soon(self, script, expected):
        """Chromium follows a link some time after the click."""
        end = time.monotonic() + 10
        while self.run_script(script) != expected and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(self.run_script(script), expected)

    def test_the_collected_errors_are_real(self):
        self.run_script(
            "setTimeout(() => { throw new Error('planted'); }, 0); "
            "new Promise((done) => setTimeout(done, 20))"
        )
        self.assertIn("planted", "".join(self.browser.errors))
        self.browser.errors.clear()

    def test_the_page_may_load_nothing(self):
        fetched = self.run_script(
            "fetch('data:text/plain,x').then(() => 'loaded', () => 'rejected')"
        )
        self.assertEqual(fetched, "rejected")
        self.browser.errors.clear()  # the rejection is on the console
        self.assertNotIn(
            "http://", self.path.read_text(encoding="utf-8").replace("http://www.w3.org", "")
        )

    def test_every_chart_is_drawn(self):
        drawn = self.run_script(
            "[...document.querySelectorAll('.panel')].map((panel) => [panel.id, "
            "panel.querySelectorAll('svg.plot path.line, .bar .fill').length])"
        )
        self.assertEqual(len(drawn), 7)
        for name, marks in drawn:
            self.assertGreater(marks, 2, name)

    def test_no_coordinate_is_missing(self):
        for width in (390, 1280):
            self.browser.open(self.path, width=width)
            self.assertNotIn("NaN", self.run_script("document.querySelector('main').outerHTML"))

    def test_a_click_on_a_legend_entry_hides_its_line_and_another_shows_it(self):
        before = self.run_script(VISIBLE_LINES)
        key = self.run_script(f"{ENTRIES}[2].dataset.button")
        line = f"document.querySelectorAll('#hit-rate g.series[data-mark=\"{key}\"]').length"
        self.assertEqual(self.run_script(line), 1)
        self.browser.click(f"{ENTRIES}[2]")
        self.assertEqual(self.run_script(line), 0)
        self.assertEqual(self.run_script(VISIBLE_LINES), before - 1)
        self.assertEqual(self.run_script(f"{ENTRIES}[2].getAttribute('aria-pressed')"), "false")
        self.browser.click(f"{ENTRIES}[2]")
        self.assertEqual(self.run_script(line), 1)

    def test_all_hidden_lines_come_back(self):
        before = self.run_script(VISIBLE_LINES)
        for entry in range(3):
            self.browser.click(f"{ENTRIES}[{entry}]")
        self.assertEqual(self.run_script(VISIBLE_LINES), before - 3)
        self.browser.click("document.querySelector('#hit-rate .all')")
        self.assertEqual(self.run_script(VISIBLE_LINES), before)

    def test_a_click_hides_bars(self):
        bars = "document.querySelectorAll('#key-size .bar').length"
        before = self.run_script(bars)
        self.browser.click("document.querySelector('#key-size .entry')")
        self.assertEqual(self.run_script(bars), before - 2)

    def test_times_are_shown_per_lookup_or_per_batch(self):
        caption = "document.querySelector('#hit-rate figcaption b').textContent"
        cell = "document.querySelector('#hit-rate tbody tr:last-child td').textContent"
        self.assertIn("per lookup [ns]", self.run_script(caption))
        self.assertEqual(self.run_script(cell), "23.84")  # 100 ms for 2^22 lookups
        self.browser.click("document.querySelectorAll('#hit-rate .switch-to')[1]")
        self.assertEqual(self.run_script(caption), "time of the lookups [ms]")
        self.assertEqual(self.run_script(cell), "100")

    def test_medians_or_means(self):
        cell = "document.querySelector('#cpu-peers tbody td').textContent"
        self.assertEqual(self.run_script(cell), "100")
        choose = "document.getElementById('runs')"
        self.run_script(f"{choose}.value = 'mean'; {choose}.dispatchEvent(new Event('change'))")
        self.assertEqual(self.run_script(cell), "120")

    def test_the_axis_is_linear_or_logarithmic(self):
        ticks = "[...document.querySelectorAll('#keys-0 .tick.y')].map((tick) => tick.textContent)"
        self.assertNotIn("0", self.run_script(ticks))
        self.browser.click("document.querySelector('#keys-0 .switch-to')")
        self.assertIn("0", self.run_script(ticks))

    def test_a_machine_that_cannot_run_an_experiment_says_why(self):
        told = self.run_script("document.getElementById('zipf').innerText")
        self.assertIn("Not measured: this needs rays.", told)

    def test_where_nothing_was_measured_another_machine_is_shown_and_named(self):
        bars = "document.querySelectorAll('#cpu-peers .bar').length"
        before = self.run_script(bars)
        self.browser.click("document.querySelectorAll('input[name=machine]')[1].labels[0]")
        told = self.run_script("document.querySelector('#cpu-peers .instead').innerText")
        self.assertEqual(told, "Not measured on Example H. Shown: Example CPU, 8 cores.")
        self.assertEqual(self.run_script(bars), before)
        setup = "document.querySelector('#cpu-peers .setup:not([hidden])').innerText"
        self.assertIn("Measured on Example CPU", self.run_script(setup))

    def test_what_nobody_measured_is_named(self):
        told = self.run_script("document.querySelector('.missing').innerText")
        self.assertIn("rtindex bench batches --scale paper", told)

    def test_the_menu_shows_one_page(self):
        pages = "[...document.querySelectorAll('.page')]"
        shown = f"{pages}.filter((page) => page.clientWidth).map((page) => page.id)"
        self.assertEqual(self.run_script(shown), ["page-points"])
        self.browser.click("document.querySelector('.menu a')")
        self.expect_soon(shown, ["page-overview"])
        current = "document.querySelector('.menu [aria-current]').innerText"
        self.assertEqual(self.run_script(current), "Overview")
        # A link to an experiment opens its page.
        self.browser.click("document.querySelector('.wins a, .strips a')")
        self.expect_soon(shown, ["page-points"])
        self.assertGreater(self.run_script("document.querySelectorAll('svg.plot').length"), 0)

    def test_hatching_is_explained_where_something_is_hatched(self):
        explained = (
            "[...document.querySelectorAll('.strips')].every((strips) =>"
            " !strips.querySelector('.strip .close') === !strips.querySelector('.key'))"
        )
        self.assertTrue(self.run_script(explained))

    def test_the_mouse_reads_values(self):
        self.browser.click("document.querySelector('#key-modes svg.plot')")
        told = self.run_script("document.querySelector('#key-modes .tip').innerText")
        self.assertIn("keys: 2¹⁹", told)
        self.assertEqual(told.count(" ms in 5 runs"), 3)

    def test_the_keyboard_reads_values(self):
        tip = "document.querySelector('#key-modes .tip')"
        self.run_script("document.querySelector('#key-modes svg.plot').focus()")
        self.browser.key("ArrowRight")
        self.assertIn("keys: 2¹⁶", self.run_script(f"{tip}.innerText"))
        self.browser.key("End")
        self.assertIn("keys: 2²²", self.run_script(f"{tip}.innerText"))
        self.browser.key("Escape")
        self.assertTrue(self.run_script(f"{tip}.hidden"))

    def test_tabs_switch_metrics(self):
        shown = "getComputedStyle(document.getElementById('keys-1')).display"
        self.assertEqual(self.run_script(shown), "none")
        self.browser.click("document.getElementById('keys-tab-1')")
        self.assertEqual(self.run_script(shown), "block")
        self.browser.key("ArrowLeft")
        self.assertEqual(self.run_script(shown), "none")

    def test_machines_are_switched(self):
        software = "document.querySelector('#key-modes .setup:not([hidden])').innerText"
        self.assertNotIn("software", self.run_script(software))
        self.browser.click("document.querySelector('input[name=machine][value=\"1\"] + span')")
        self.assertIn("software", self.run_script(software))
        headings = (
            "[...document.querySelectorAll('.machine:not([hidden]) h3')].map((h) => h.innerText)"
        )
        self.assertEqual(self.run_script(headings), ["Example H"])
        self.browser.click("document.querySelector('input[name=machine][value=all] + span')")
        self.assertEqual(self.run_script(headings), ["Example CPU, 8 cores", "Example H"])
        self.assertEqual(self.run_script(VISIBLE_LINES), 8 + 8 + 4)

    def test_hardware_is_shown_side_by_side(self):
        headings = "[...document.querySelectorAll('#hardware h4')].map((h) => h.innerText)"
        machines = ["Example CPU, 8 cores", "Example H", "RTX 4090", "RTX 3090"]
        self.assertEqual(
            self.run_script(headings), [f"{machine}, unsorted lookups" for machine in machines]
        )
        bars = "document.querySelectorAll('#hardware .bar').length"
        self.assertEqual(self.run_script(bars), 4 * 4)
        self.browser.click("document.querySelector('#hardware .entry')")
        self.assertEqual(self.run_script(bars), 4 * 4 - 2)

    def test_the_papers_curves_are_dashed_and_can_be_left_out(self):
        dashed = (
            "[...document.querySelectorAll('#hit-rate svg.plot .line')]"
            ".filter((line) => getComputedStyle(line).strokeDasharray !== 'none').length"
        )
        self.assertEqual(self.run_script(dashed), 4)
        choose = "document.getElementById('paper')"
        self.run_script(f"{choose}.value = 'none'; {choose}.dispatchEvent(new Event('change'))")
        self.assertEqual(self.run_script(dashed), 0)

    def test_the_table_shows_the_records(self):
        cells = self.run_script(
            "[...document.querySelectorAll('#keys-0 tbody tr:last-child > *')]"
            ".map((cell) => cell.textContent)"
        )
        self.assertEqual(cells[0], "2²⁶")
        row = self.run_script(
            "[...document.querySelectorAll('#keys-0 tbody tr')]"
            ".find((row) => row.firstChild.textContent === '2²⁴').textContent"
        )
        self.assertIn("timed out", row)

    def test_nothing_is_wider_than_a_phone(self):
        self.browser.open(self.path, width=360, height=740)
        self.assertLessEqual(self.run_script("document.documentElement.scrollWidth"), 360)

    def test_dark_mode(self):
        ground = "getComputedStyle(document.body).backgroundColor"
        light = self.run_script(ground)
        self.browser.open(self.path, dark=True)
        self.assertNotEqual(self.run_script(ground), light)

    def test_print_shows_every_metric(self):
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        shown = self.run_script("getComputedStyle(document.getElementById('keys-1')).display")
        self.assertEqual(shown, "block")

    def test_names_are_text_and_nothing_else(self):
        hostile = "</script><img src=x onerror=\"document.title='caught'\">&amp;'"
        made = {**next(fixture.keys(fixture.CPU, 1)), "series": hostile, "experiment": hostile}
        made["machine"] = {"cpu": hostile}
        root = pathlib.Path(self.folder.name) / "hostile"
        root.mkdir()
        (root / "some.jsonl").write_text(json.dumps(made), encoding="utf-8")
        page = root / "report.html"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(command.main([str(root), "-o", str(page)]), 0)
        self.browser.open(page)
        self.assertEqual(self.run_script("document.images.length"), 0)
        self.assertEqual(self.run_script("document.querySelector('.entry').innerText"), hostile)


if __name__ == "__main__":
    unittest.main()
