"""Makes the pictures of docs/report.md from the records of this repository.

usage: python3 report/tests/screenshot.py [FOLDER]

Needs Chromium: scripts/setup.sh --browser installs it. FOLDER is docs/ where none is named.
"""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "report"))

import browser  # noqa: E402
from rtindex_report import command  # noqa: E402

# Name, width, height, dark, where the page is opened, and the part that is shown; all if it is
# empty.
PICTURES = (
    ("report.png", 1000, 760, False, "/overview", ""),
    ("report-chart.png", 1000, 760, False, "multiplicity", "#multiplicity"),
    ("report-peers.png", 1000, 760, False, "python-intervals", "#python-intervals figure"),
    ("report-phone.png", 400, 860, True, "/changes", ""),
)
LARGEST = 150_000  # bytes
# The part of an element that is on the page, and no more than this height of it.
CLIP = (
    "(() => {{ const b = document.querySelector('{}').getBoundingClientRect();"
    " return [b.x, b.y + scrollY, b.width, Math.min(b.height, 760)]; }})()"
)


def take(page: browser.Browser, report: pathlib.Path, folder: pathlib.Path, picture: tuple) -> None:
    name, width, height, dark, at, part = picture
    page.open(report, width, height, dark, at)
    clip = None
    if part:
        x, y, wide, high = page.run(CLIP.format(part))
        clip = {"x": x, "y": y, "width": wide, "height": high, "scale": 1}
    page.screenshot(folder / name, clip)
    if (folder / name).stat().st_size > LARGEST:
        raise SystemExit(f"{folder / name}: more than {LARGEST} bytes; show a smaller part")
    if page.errors:
        raise SystemExit("\n".join(page.errors))


def main(folder: pathlib.Path) -> None:
    program = browser.find()
    if not program:
        raise SystemExit("Chromium is not installed: scripts/setup.sh --browser installs it")
    with tempfile.TemporaryDirectory() as made, browser.Browser(program) as page:
        report = pathlib.Path(made) / "report.html"
        if command.main([str(ROOT / "results"), "-o", str(report)]) != 0:
            raise SystemExit(1)
        for picture in PICTURES:
            take(page, report, folder, picture)


if __name__ == "__main__":
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        raise SystemExit(__doc__.strip())
    main(pathlib.Path((sys.argv[1:] or [ROOT / "docs"])[0]))
