"""Units of prices."""

from typing import Final

_PER_UNIT: Final = {"mwh": 1000.0, "wh": 0.001}
_CENTS: Final = ("ct/", "c/", "cent/", "cents/", "¢/", "øre/", "öre/", "ore/", "gr/", "p/", "pence/")


def per_kwh(price: float, unit: str) -> float:
    """Return the price of one kWh in the currency. `unit`: for example "ct/kWh" or "EUR/MWh"."""
    unit = unit.lower()
    price /= _PER_UNIT.get(unit.rpartition("/")[2], 1.0)
    return price / 100 if unit.startswith(_CENTS) else price
