"""One colour per index on the whole page, and shades of it for its variants.

Colours are made in OKLCH, where equal lightness looks equally light, once for a light page and once
for a dark one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

# Hue in degrees, lightness and chroma on a white page. Lightness differs too, for eyes that see few
# hues.
KNOWN = {
    "rx:native": (262, 0.52, 0.19),
    "rx": (262, 0.52, 0.19),
    "rx:embree": (318, 0.50, 0.18),
    "rx:optix": (148, 0.56, 0.14),
    "hash": (205, 0.62, 0.11),
    "btree": (28, 0.58, 0.18),
    "sorted": (70, 0.66, 0.14),
    "std::lower_bound": (265, 0.50, 0.03),
    "absl::flat_hash_map": (178, 0.46, 0.08),
    "absl::btree_multimap": (5, 0.64, 0.11),
}
SPARE_HUES = (110, 345, 235, 50, 165, 290, 15, 190)

# Lightness and hue are moved by this much from one variant to the next.
SHADES = ((0.0, 0), (-0.14, 22), (0.10, -24), (-0.20, -16), (0.16, 30))


def css_name(family: str, shade: int) -> str:
    return re.sub(r"[^a-z0-9]+", "-", family.lower()).strip("-") + f"-{shade}"


def style_sheet(families: Iterable[str]) -> str:
    """Custom properties for the light page, and for the dark one."""
    chosen = _assign(sorted(set(families)))
    light = _properties(chosen, dark=False)
    dark = _properties(chosen, dark=True)
    only_dark = "@media screen and (prefers-color-scheme: dark)"
    return f":root {{\n{light}\n}}\n{only_dark} {{\n:root {{\n{dark}\n}}\n}}\n"


def _assign(families: list[str]) -> dict[str, tuple]:
    chosen, spare = {}, 0
    for family in families:
        if family in KNOWN:
            chosen[family] = KNOWN[family]
        else:
            turn, place = divmod(spare, len(SPARE_HUES))
            chosen[family] = (SPARE_HUES[place], 0.60 - 0.10 * (turn % 3), 0.11)
            spare += 1
    return chosen


def _properties(chosen: dict[str, tuple], dark: bool) -> str:
    lines = []
    for family, (hue, lightness, chroma) in chosen.items():
        for shade, (lighter, turn) in enumerate(SHADES):
            value = lightness + lighter
            # A dark page wants the same hues lighter, within a narrower band.
            value = 0.62 + 0.55 * (value - 0.40) if dark else min(max(value, 0.36), 0.70)
            lines.append(f"  --{css_name(family, shade)}: {_hex(value, chroma, hue + turn)};")
    return "\n".join(lines)


def _hex(lightness: float, chroma: float, hue: float) -> str:
    """The sRGB colour, with as much of the chroma as a screen can show."""
    while True:
        channels = _linear_rgb(lightness, chroma, math.radians(hue))
        if chroma <= 0 or all(-1e-4 <= channel <= 1 + 1e-4 for channel in channels):
            return "#" + "".join(f"{_encoded(channel):02x}" for channel in channels)
        chroma = max(0.0, chroma - 0.005)


def _linear_rgb(lightness: float, chroma: float, hue: float) -> tuple:
    # OKLab to linear sRGB: B. Ottosson, "A perceptual color space for image processing", 2020.
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )


def _encoded(channel: float) -> int:
    channel = min(1.0, max(0.0, channel))
    curve = 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055
    return round(255 * curve)
