"""Takes the picture of a report for docs/report.md.

usage: screenshot.py REPORT.html PICTURE.png [EXPERIMENT]

With the name of an experiment, its chart stands at the bottom of the picture.
"""

import pathlib
import sys

import browser

WIDTH, HEIGHT = 1180, 1500


def take(report: pathlib.Path, picture: pathlib.Path, experiment: str) -> None:
    with browser.Browser(browser.find()) as page:
        page.open(report.resolve(), WIDTH, HEIGHT)
        if experiment:
            page.run(
                "document.documentElement.style.scrollBehavior = 'auto';"
                f"document.getElementById('{experiment}').scrollIntoView({{block: 'end'}})"
            )
        page.screenshot(picture)
        if page.errors:
            raise SystemExit("\n".join(page.errors))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__.strip())
    take(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), "".join(sys.argv[3:]))
