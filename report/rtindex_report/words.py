"""Numbers and lists as text."""

from __future__ import annotations

import html
import math
import re

from .experiments import Axis

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def escape(text) -> str:
    return html.escape(str(text), quote=True)


def rounded(value: float | None) -> float | None:
    """Five digits, more than charts and tables show; halves the size of the page."""
    return None if value is None else float(f"{value:.5g}")


def number(value: float) -> str:
    """Three digits, and thousands apart: 0.0123, 12.3, 12 300."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{digits}f}".replace(",", "\u202f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def power_of_two(exponent: float) -> str:
    return "2" + f"{exponent:g}".translate(SUPERSCRIPTS)


def powers(text: str) -> str:
    """2^12 keys, with the exponent raised."""
    return re.sub(r"\b2\^(-?\d+)", lambda match: power_of_two(int(match.group(1))), text)


def x_form(axis: Axis | None, values: list[float]) -> str:
    """The format of values on an x axis: as they are, or as powers of two."""
    if axis is None or not values:
        return "plain"
    whole = all(value == int(value) for value in values)
    if "log2" in axis.name and whole:
        return "exponent"
    powers = all(value > 0 and math.log2(value) == int(math.log2(value)) for value in values)
    return "power" if axis.log and powers and max(values) >= 64 else "plain"


def x_text(value: float, form: str) -> str:
    if form == "exponent":
        return power_of_two(value)
    if form == "power":
        return power_of_two(math.log2(value))
    return number(value)


def times(low: float, high: float) -> str:
    """A range of factors: 1.2 to 2.4 times."""
    first, last = _factor(low), _factor(high)
    return f"{first}×" if first == last else f"{first} to {last}×"


def _factor(value: float) -> str:
    return f"{value:.2f}" if value < 1.095 else f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def listed(items: list[str]) -> str:
    """a, b and c"""
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]


def count(quantity: int, noun: str) -> str:
    """1 machine, 2 machines"""
    return f"{quantity:,}".replace(",", "\u202f") + f" {noun}" + ("" if quantity == 1 else "s")
