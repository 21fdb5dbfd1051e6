"""What the unit of a price sensor says of its price."""

from typing import Final

import pytest

from custom_components.vehicle_remote_access.drive_log.price_units import per_kwh

CURRENCIES: Final = (
    "|EUR|€|EUR/kWh|€/kWh|Euro/kWh|eur/kwh|EUR / kWh|EUR per kWh|kr/kWh|kr. pr. kWh|SEK/kWh|zł/kWh"
    "|PLN/kWh|Kč/kWh|CZK/kWh|Ft/kWh|CHF/kWh|£/kWh|GBP/kWh|GBP|$/kWh|A$/kWh|NZ$/kWh|USD/kWh|R/kWh|₹/kWh|Rs./kWh"
    "|€/kWh (brutto)|IDR/kWh|RM/kWh|лв/kWh|lei/kWh|грн/kWh|₴/kWh|TL/kWh|¥/kWh"
)
HUNDREDTHS: Final = (
    "ct/kWh|Ct/kWh|ct / kWh|ct|cts/kWh|c/kWh|cent/kWh|Cent/kWh|cents/kWh|¢/kWh|€ct/kWh|€c/kWh|€-Cent/kWh"
    "|EURct/kWh|Eurocent/kWh|eurocents/kWh|US¢/kWh|AUc/kWh|cents per kWh|snt/kWh|öre/kWh|Öre/kWh|øre/kWh"
    "|øre pr. kWh|ore/kWh|gr/kWh|grosz/kWh|p/kWh|pence/kWh|GBp/kWh|GBX/kWh|ZAc/kWh|Rp/kWh|Rp./kWh|rp/kWh"
    "|Rappen/kWh|haléř/kWh|bani/kWh|fillér/kWh|stotinki/kWh|centimes/kWh|céntimos/kWh|centavos/kWh|sen/kWh|paise/kWh"
)
NOT_UNDERSTOOD: Final = "kWh|%|°C|ppm|EUR/m³|€/h|€/kW|€/GJ|ct/km|g/kWh|gCO2eq/kWh|kWh/100 km|m€/kWh|kEUR/MWh"


@pytest.mark.parametrize(
    ("unit", "price"),
    [
        *((unit, 125) for unit in CURRENCIES.split("|")),
        *((unit, 1.25) for unit in HUNDREDTHS.split("|")),
        *((unit, None) for unit in NOT_UNDERSTOOD.split("|")),
        ("EUR/MWh", 0.125),
        ("€/mWh", 0.125),
        ("zł / MWh", 0.125),
        ("ct/MWh", 0.00125),
        ("GBP/Wh", 125_000),
        ("p/Wh", 1250),
    ],
)
def test_price_of_a_kwh_in_the_currency(unit: str, price: float | None) -> None:
    assert per_kwh(125, unit) == (price and pytest.approx(price))


def test_rp_is_a_hundredth_in_switzerland_and_a_whole_rupiah_in_indonesia() -> None:
    """No kWh costs two francs, and none costs less than 200 rupiah."""
    prices = {-5: -0.05, 0: 0, 28.5: 0.285, 199: 1.99, 415: 415, 1444.7: 1444.7}
    assert {price: per_kwh(price, "Rp/kWh") for price in prices} == prices
