"""The commands that the pages show: they run, their options exist, and they print what is shown."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from command import RTINDEX, CommandTest

SOURCE = pathlib.Path(os.environ["RTINDEX_SOURCE_DIR"])
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "docs/pictures/README.md",
         *sorted(SOURCE.glob("docs/*.md"))]


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def commands(page):
    """The commands of a page, in its blocks and inside of sentences."""
    text = page.read_text(encoding="utf-8")
    shown = "".join(blocks(page, "sh")).replace("\\\n", " ")
    lines = [part.strip() for line in shown.splitlines() for part in line.split(" | ")
             if part.strip().startswith("rtindex ")]
    spans = re.findall(r"`(rtindex [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [re.sub(r"\s+#.*", "", line).split() for line in [*lines, *spans]]


class Pages(CommandTest):
    def files_of_the_pages(self):
        self.write_npy("keys.npy", "<u4", [26, 25, 29, 23, 27, 19])
        self.write_npy("wanted.npy", "<u4", [26, 25, 29, 23, 27, 19])
        self.write_npy("new.npy", "<u4", [31, 33])
        self.write_npy("rows.npy", "<u4", [1, 0])
        self.write_npy("prices.npy", "<i4", [199, 149, 279, 899, 1299, 5])
        self.write_npy("from.npy", "<u4", [23, 28])
        self.write_npy("to.npy", "<u4", [25, 30])
        self.write_npy("times.npy", "<M8[s]", [0, 10, 20])
        self.write_npy("events.npy", "<M8[s]", [3, 18])
        self.write_npy("k.npy", "<u4", [25, 99])
        self.write_npy("price.npy", "<i4", [7, 8])
        self.write_npy("changed.npy", "<u4", [1, 0])
        self.write_npy("reduced.npy", "<i8", [7, 8])
        self.write("visits.csv", "day,seen\n2024-01-31,2024-01-31T12:30\n")
        self.write("prices.csv", "valid_from,valid_to,price\n2024-01-01,2024-02-01,100\n")
        self.write("sales.csv", "price,day,store,qty\n12,2024-01-31,7,1\n,2024-01-31,8,2\n")
        self.write("bookings.csv", "room,begin,until\nblue,9,11\nred,9,12\n")
        self.write("new.csv", "room,begin,until,day,price,qty,store\nred,13,14,2024-02-01,3,4,5\n")
        self.succeed("build", "--column", "bookings.csv", "--start", "begin", "--end", "until", "--ends", "[)",
                     "--by", "room", "-o", "bookings.rtindex")
        self.succeed("build", "--column", "keys.npy", "-o", "keys.rtindex")
        self.succeed("build", "--column", "keys.npy", "--include", "prices.npy", "-o", "prices.rtindex")

    def test_commands_run(self):
        for name, least in ("command-line.md", 14), ("files.md", 4), ("changes.md", 1), ("scene.md", 1), \
                ("intervals.md", 2):
            page = SOURCE / "docs" / name
            with self.subTest(name):
                self.files_of_the_pages()
                lines = [line for block in blocks(page, "sh") for line in block.splitlines()
                         if line.startswith("rtindex ")]
                self.assertGreaterEqual(len(lines), least)
                for line in lines:
                    self.run_line(line)

    def run_line(self, line):
        if "| jq" in line and not shutil.which("jq"):
            return
        path = f"{pathlib.Path(RTINDEX).parent}:{os.environ['PATH']}"
        ran = subprocess.run(["bash", "-eo", "pipefail", "-c", line], cwd=self.folder, text=True,
                             env={**os.environ, "PATH": path}, capture_output=True, check=False)
        self.assertEqual(ran.returncode, 0, f"{line}: {ran.stderr}")

    def test_the_page_has_every_verb(self):
        verbs = re.findall(r"(?m)^  (\w+) ", self.succeed("--help").stdout.partition("Examples")[0])
        self.assertGreater(len(verbs), 10)
        page = (SOURCE / "docs/command-line.md").read_text(encoding="utf-8")
        table = re.search(r"(?m)^\| verb .*\n\|---.*\n((?:\|.*\n)+)", page).group(1)
        shown = [verb for line in table.splitlines() for verb in re.findall(r"`(\w+)`", line.split("|")[1])]
        self.assertEqual(sorted(shown), sorted(verbs))

    def test_the_readme_has_every_index(self):
        readme = (SOURCE / "README.md").read_text(encoding="utf-8")
        table = re.search(r"(?m)^\| index \| CPU .*\n\|---.*\n((?:\|.*\n)+)", readme).group(1)
        shown = set()
        for line in table.splitlines():
            name, cpu, gpu, lookups = (cell.strip() for cell in line.split("|")[1:5])
            shown |= {f"{name.strip('`')}@{device}" for device, has in (("cpu", cpu), ("cuda", gpu)) if has == "yes"}
            self.assertEqual(lookups == "keys", "hash" in name)
            self.assertEqual("filters" in lookups, "rx" in name)
        listed = re.findall(r"(?m)^ *([a-z:]+@\w+) ", self.succeed("indexes").stdout)
        self.assertEqual(sorted(shown), sorted(listed))

    def test_options_of_specs_are_those_of_the_command(self):
        text = self.succeed("indexes").stdout.partition("meaning (default)")[2]
        listed = {}
        for line in text.splitlines()[2:]:
            name, choices, meaning = re.split(r"  +", line.strip(), maxsplit=2)
            words = {word for word in choices.split(" | ") if word.isalnum() and not word.isupper()}
            listed[name] = words, re.search(r"\(([^()]*)\)$", meaning).group(1)
        self.assertGreater(len(listed), 15)
        page = (SOURCE / "docs/specs.md").read_text(encoding="utf-8")
        shown = re.findall(r"(?m)^\| `(\w+)` \| ([^|]*) \| ([^|]*) \| [^|]* \|$", page)
        self.assertEqual(sorted({name for name, _, _ in shown}), sorted(listed))
        for name, choices, default in shown:
            with self.subTest(name):
                words, usual = listed[name]
                if words:
                    self.assertEqual(set(re.findall(r"`([\w]+)`", choices)) - {"hash"}, words)
                if re.fullmatch(r"`[^`]+`", default):
                    self.assertRegex(usual, rf"^{re.escape(default.strip('`'))}\b")
        settings = (SOURCE / "docs/gpu.md").read_text(encoding="utf-8").partition("### Settings")[2]
        for name, default in (("cell", "12"), ("load", "0.8")):
            self.assertEqual(listed[name][1], default)
            self.assertRegex(settings, rf"\| `{name}=\w` \|.*\({default}\) \|")

    def test_options_exist(self):
        help_of, checked = {}, 0
        for page in PAGES:
            for words in commands(page):
                verb = next((word for word in words[1:] if not word.startswith("-")), None)
                if verb is None or not verb.isalpha() or verb.isupper():
                    continue
                if verb not in help_of:
                    help_of[verb] = self.succeed(verb, "--help").stdout.partition("Examples:")[0]
                for option in re.findall(r" (--?[a-z][a-z-]*)", " ".join(words)):
                    with self.subTest(page=page.name, verb=verb, option=option):
                        self.assertRegex(help_of[verb], rf"(?m)(^  |,){option}\b")
                        checked += 1
        self.assertGreater(checked, 100)

    def test_experiments_exist(self):
        known = set(re.findall(r"(?m)^ *([a-z][a-z-]+) ", self.succeed("bench", "--list").stdout))
        known |= {"all", "claims"}
        named = [(page.name, word) for page in PAGES for words in commands(page) if words[1:2] == ["bench"]
                 for word in re.match(r"((?: [a-z][a-z-]+(?= |$))*)", " " + " ".join(words[2:])).group(1).split()]
        self.assertGreater(len(named), 10)
        self.assertEqual([pair for pair in named if pair[1] not in known], [])

    def test_defaults_of_bench(self):
        page = re.sub(r"\s+", " ", (SOURCE / "docs/reproduce.md").read_text(encoding="utf-8"))
        self.assertIn("One warm-up, five runs, the mean.", page)
        self.assertIn("longer than `--limit` (300 seconds, as in the paper)", page)
        options = self.succeed("bench", "--help").stdout
        self.assertRegex(options, r"--runs N\S*.*=5\b")
        self.assertIn("--limit SECONDS=300 ", options)
        self.assertIn("--scale SCALE=laptop ", options)

    def test_update_prints_what_the_page_shows(self):
        self.write_npy("column.npy", "<i8", list(range(44)))
        self.write_npy("new.npy", "<i8", [7, 20, 5000])
        self.write_npy("rows.npy", "<i8", [2, 5])
        self.succeed("build", "--column", "column.npy", "-o", "a.rtindex")
        printed = self.succeed("update", "a.rtindex", "--insert", "new.npy", "--erase", "rows.npy").stdout
        (shown,) = [block for block in blocks(SOURCE / "docs/command-line.md", "text") if "erased" in block]
        self.assertTrue(printed.startswith(shown.removesuffix("...\n")), printed)


if __name__ == "__main__":
    unittest.main()
