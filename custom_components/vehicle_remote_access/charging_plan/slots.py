"""Spans of time with one price each."""

from typing import NamedTuple


class Slot(NamedTuple):
    """A span of time with one price. Times are Unix seconds."""

    start: float
    end: float
    price: float | None
    """Of one kWh in the currency, None if unknown"""
    estimate: float | None = None
    """Of an unknown price, if others are known"""
