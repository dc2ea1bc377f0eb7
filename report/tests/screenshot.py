"""Takes the pictures of a report for docs/report.md.

usage: screenshot.py REPORT.html PICTURE.png [EXPERIMENT]

The top of the page, or the card of one experiment.
"""

import pathlib
import sys

import browser

WIDTH, HEIGHT = 1180, 1180


def take(report: pathlib.Path, picture: pathlib.Path, experiment: str) -> None:
    with browser.Browser(browser.find()) as page:
        page.open(report.resolve(), WIDTH, HEIGHT)
        clip = None
        if experiment:
            x, y, width, height = page.run(
                f"(() => {{ const card = document.getElementById('{experiment}');"
                " const b = card.getBoundingClientRect();"
                " return [b.x, b.y + scrollY, b.width, b.height]; })()"
            )
            clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        page.screenshot(picture, clip)
        if page.errors:
            raise SystemExit("\n".join(page.errors))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__.strip())
    take(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), "".join(sys.argv[3:]))
