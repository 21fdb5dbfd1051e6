"""The forms in which integrations show the prices of the next hours: keys, types and units, with few rows.

The sources say so. Most prices are those of a person's sensor in the source.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

BERLIN: Final = ZoneInfo("Europe/Berlin")
MADRID: Final = ZoneInfo("Europe/Madrid")
LONDON: Final = ZoneInfo("Europe/London")
ADELAIDE: Final = ZoneInfo("Australia/Adelaide")


class PriceSensor(NamedTuple):
    """A sensor of an integration at some moment, and what is read from it."""

    name: str
    source: str
    now: datetime
    state: float | None
    unit: str
    attributes: Mapping[str, Any]
    first: datetime
    """The start of the first slot that is read. The others follow without a gap."""
    minutes: Sequence[int]
    """The length of each slot."""
    prices: Sequence[float]
    """The first prices that are read."""


def _sensor(
    name: str,
    source: str,
    first: datetime,
    unit: str,
    attributes: Mapping[str, Any],
    prices: Sequence[float],
    **other: Any,
) -> PriceSensor:
    """Return a sensor that lists hours. The first one is the current one, and its price is the state."""
    usual = {"now": first, "state": prices[0] if prices else None, "minutes": [60] * len(prices)}
    values: dict[str, Any] = {"first": first, "unit": unit, "attributes": attributes, "prices": prices}
    return PriceSensor(name=name, source=source, **values | usual | other)


def times(first: datetime, minutes: int, count: int) -> list[datetime]:
    """Return the starts of slots in the zone of the first one."""
    start = first.astimezone(UTC)
    return [(start + index * timedelta(minutes=minutes)).astimezone(first.tzinfo) for index in range(count)]


def _rows(start: str, end: str | None, price: str, first: datetime, minutes: int, *prices: Any) -> list[Any]:
    """Return rows with times of Python."""
    moments = times(first, minutes, len(prices) + 1)
    return [
        {start: moments[index], **({end: moments[index + 1]} if end else {}), price: value}
        for index, value in enumerate(prices)
    ]


def _text_rows(
    start: str, end: str | None, price: str, first: datetime, minutes: int, *prices: Any
) -> list[Any]:
    """Return rows with times as text."""
    return [
        {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}
        for row in _rows(start, end, price, first, minutes, *prices)
    ]


_NORD_POOL: Final = datetime(2022, 11, 5, tzinfo=BERLIN)
_DANISH: Final = datetime(2025, 5, 15, tzinfo=BERLIN)
_ENTSOE: Final = datetime(2024, 8, 20, tzinfo=BERLIN)
_EPEX: Final = datetime(2026, 3, 13, 22, tzinfo=BERLIN)
_FRANK: Final = datetime(2025, 7, 2, 22, tzinfo=UTC)
_GE_SPOT: Final = datetime(2025, 10, 14, tzinfo=BERLIN)
_PSTRYK: Final = datetime(2025, 6, 13, 8, tzinfo=BERLIN)
_TIBBER: Final = datetime(2020, 9, 25, tzinfo=BERLIN)
_CHART: Final = datetime(2025, 11, 17, tzinfo=BERLIN)
_ZONNEPLAN_QUARTERS: Final = datetime(2026, 9, 25, 15, tzinfo=BERLIN)
_OCTOPUS: Final = datetime(2024, 6, 28, 12, 30, tzinfo=LONDON)
_OCTOPUS_GERMANY: Final = datetime(2025, 8, 5, 12, tzinfo=BERLIN)
_AMBER: Final = datetime(2026, 7, 7, 20, 20, tzinfo=UTC)
_AMBER_EXPRESS: Final = datetime(2026, 4, 19, 16, 50, tzinfo=ADELAIDE)
_LOCALVOLTS: Final = datetime(2025, 9, 1, 21, 55, tzinfo=UTC)
_CZ: Final = datetime(2025, 10, 22, tzinfo=BERLIN)
_OMIE: Final = datetime(2026, 5, 24, 10, tzinfo=MADRID)
_PVPC: Final = datetime(2023, 12, 30, tzinfo=MADRID)
_TEMPLATE: Final = datetime(2023, 12, 31, tzinfo=BERLIN)
_ENERGI: Final = "MTrab/energidataservice, custom_components/energidataservice/sensor.py"


def _amber(minutes: int, end: datetime, price: float) -> dict[str, Any]:
    start = end - timedelta(minutes=minutes) + timedelta(seconds=1)
    return {
        "duration": minutes,
        "date": end.date().isoformat(),
        "nem_date": end.astimezone(timezone(timedelta(hours=10))).isoformat(),
        "per_kwh": price,
        "spot_per_kwh": price - 0.07,
        "start_time": start.isoformat(),
        "end_time": end.isoformat(),
        "renewables": 10,
        "spike_status": "none",
        "descriptor": "very_low",
    }


_ENTSOE_ROWS: Final = [
    {"time": "2024-08-20 00:00:00+02:00", "price": 0.26603},
    {"time": "2024-08-20 01:00:00+02:00", "price": 0.26059},
]
SENSORS: Final = (
    _sensor(
        "Nord Pool (custom)",
        "https://github.com/fsaris/home-assistant-zonneplan-one/issues/22",
        _NORD_POOL,
        "EUR/kWh",
        {
            "average": 0.234,
            "unit": "kWh",
            "tomorrow_valid": True,
            "today": [0.2519932, 0.2478671, *[0.24] * 22],
            "tomorrow": [0.1435893, *[0.12] * 23],
            "raw_today": _rows("start", "end", "value", _NORD_POOL, 60, 0.2519932, 0.2478671, *[0.24] * 22),
            "raw_tomorrow": _rows(
                "start", "end", "value", _NORD_POOL.replace(day=6), 60, 0.1435893, *[0.12] * 23
            ),
        },
        [0.2519932, 0.2478671],
        now=_NORD_POOL.replace(hour=1, minute=30),
        state=0.2478671,
        minutes=[60] * 48,
    ),
    _sensor(
        "Energi Data Service, tomorrow unknown",
        f"{_ENERGI}; https://github.com/MTrab/energidataservice/issues/749",
        _DANISH,
        "DKK/kWh",
        {
            "current_price": 1.953,
            "today": [2.13, 1.97, 1.95],
            "tomorrow": None,
            "raw_today": _rows("hour", None, "price", _DANISH, 60, 2.132, 1.972, 1.953),
            "raw_tomorrow": None,
            "today_min": {"hour": _DANISH.replace(hour=2), "price": 1.953},
        },
        [2.132, 1.972, 1.953],
        now=_DANISH.replace(hour=2, minute=30),
        state=1.953,
    ),
    _sensor(
        "ENTSO-e, whose state is the average of the day",
        "JaccoR/hass-entso-e, custom_components/entsoe/coordinator.py; kotope/aio_energy_management issue 2",
        _ENTSOE,
        "€/kWh",
        {
            "prices_today": _ENTSOE_ROWS,
            "prices_tomorrow": [],
            "prices": [{"time": "2024-08-18 23:00:00+02:00", "price": 0.3}, *_ENTSOE_ROWS],
        },
        [0.26603, 0.26059],
        now=_ENTSOE.replace(hour=1, minute=30),
        state=0.2,
    ),
    _sensor(
        "EPEX Spot",
        "https://github.com/woopstar/hsem/issues/231",
        _EPEX,
        "€/kWh",
        {"data": _text_rows("start_time", "end_time", "price_per_kwh", _EPEX, 60, 0.304271, 0.293394, 0.29)},
        [0.304271, 0.293394],
        minutes=[60] * 3,
    ),
    _sensor(
        "Frank Energie",
        "https://github.com/TheFes/cheapest-energy-hours/issues/201",
        _FRANK,
        "€/kWh",
        {"prices": _rows("from", "till", "price", _FRANK, 60, 0.08392, 0.08091)},
        [0.08392, 0.08091],
    ),
    _sensor(
        "GE-Spot, with the price of the market beside",
        "enoch85/ge-spot, README.md",
        _GE_SPOT,
        "SEK/kWh",
        {
            "today_interval_prices": [
                {"time": _GE_SPOT, "raw_value": 0.0754, "value": 0.0856},
                {"time": _GE_SPOT + timedelta(minutes=15), "raw_value": 0.074, "value": 0.0842},
            ],
            "tomorrow_interval_prices": [],
        },
        [0.0856, 0.0842],
        minutes=[15] * 2,
    ),
    _sensor(
        "Pstryk, local times, the best hours once more",
        "balgerion/ha_Pstryk, custom_components/pstryk/sensor.py",
        _PSTRYK,
        "PLN/kWh",
        {
            "Best prices": [{"start": "2025-06-13T09:00:00", "price": 0.75}],
            "All prices": [
                {"start": "2025-06-13T08:00:00", "price": 0.91},
                {"start": "2025-06-13T09:00:00", "price": 0.75},
                {"start": "2025-06-13T10:00:00", "price": 0.8},
            ],
            "Tomorrow prices available": False,
            "Next hour": 0.75,
        },
        [0.91, 0.75, 0.8],
    ),
    _sensor(
        "Tibber (extended): total, energy and tax",
        "https://github.com/Maverick78de/SMA_forecast_charging/issues/2",
        _TIBBER,
        "EUR/kWh",
        {
            "current": {"total": 0.2316, "energy": 0.0333, "startsAt": "2020-09-25T00:00:00.000+02:00"},
            "today": [
                {
                    "energy": energy,
                    "tax": tax,
                    "total": total,
                    "startsAt": f"2020-09-25T{hour}:00:00.000+02:00",
                }
                for hour, energy, tax, total in (
                    ("00", 0.0333, 0.1983, 0.2316),
                    ("01", 0.0319, 0.198, 0.2299),
                )
            ],
            "tomorrow": [],
        },
        [0.2316, 0.2299],
    ),
    _sensor(
        "Tibber Prices, export of charts, as pairs in a mapping",
        "jpawlowski/hass.tibber_prices, docs/user/docs/chart-actions.md",
        _CHART,
        "",
        {"data": {"data": [[moment.isoformat(), 0.25] for moment in times(_CHART, 15, 2)]}},
        [0.25, 0.25],
        state=None,
        minutes=[15] * 2,
    ),
    _sensor(
        "Zonneplan, quarters, amounts within the price",
        "https://github.com/jonasbkarlsson/ev_smart_charging/issues/494",
        _ZONNEPLAN_QUARTERS,
        "€/kWh",
        {
            "forecast": [
                {
                    "price_tax_excluded": {"amount": amount - 1108481},
                    "price_tax_included": {"amount": amount},
                    "start_date": start.isoformat(),
                    "end_date": (start + timedelta(minutes=15)).isoformat(),
                    "sustainability_score": {"permille": 1000},
                }
                for start, amount in zip(times(_ZONNEPLAN_QUARTERS, 15, 2), (1823819, 1950200), strict=True)
            ]
        },
        [0.1823819, 0.19502],
        now=_ZONNEPLAN_QUARTERS + timedelta(minutes=16),
        state=0.182382,  # The list has changed already, the state has not.
        minutes=[15] * 2,
    ),
    _sensor(
        "Octopus Energy (event): free and negative half hours",
        "https://github.com/BottlecapDave/HomeAssistant-OctopusEnergy/issues/937",
        _OCTOPUS,
        "",
        {
            "event_types": ["octopus_energy_electricity_current_day_rates"],
            "rates": _rows("start", "end", "value_inc_vat", _OCTOPUS, 30, 0.00441, 0, -0.02835),
            "min_rate": -0.02835,
        },
        [0.00441, 0, -0.02835],
        state=None,
        minutes=[30] * 3,
    ),
    _sensor(
        "Octopus Germany, the same once more in cents",
        "thecem/octopus_germany, custom_components/octopus_germany/sensor.py",
        _OCTOPUS_GERMANY,
        "€/kWh",
        {
            "unit_rate_forecast": [
                {
                    "validFrom": "2025-08-05T12:00:00+02:00",
                    "validTo": "2025-08-05T13:00:00+02:00",
                    "unitRateInformation": {"rates": [{"latestGrossUnitRateCentsPerKwh": "24.12"}]},
                }
            ],
            "rates": _text_rows("start", "end", "value_inc_vat", _OCTOPUS_GERMANY, 60, 0.2412, 0.2405),
        },
        [0.2412, 0.2405],
    ),
    _sensor(
        "Amber Electric: 5 and 30 minutes, a second late",
        "https://github.com/amberelectric/public-api/issues/289, https://github.com/springfall2008/batpred/issues/3173",
        _AMBER,
        "$/kWh",
        {
            "forecasts": [
                _amber(5, _AMBER + timedelta(minutes=5), 0.21),
                _amber(5, _AMBER + timedelta(minutes=10), 0.21),
                _amber(30, _AMBER + timedelta(minutes=40), 0.2),
            ],
            "channel_type": "general",
        },
        [0.21, 0.21, 0.2],
        minutes=[5, 5, 30],
    ),
    _sensor(
        "Amber Express: 5 and 30 minutes without an end",
        "https://github.com/hass-energy/amber-express/issues/74",
        _AMBER_EXPRESS,
        "$/kWh",
        {
            "forecast": [
                *_text_rows("time", None, "value", _AMBER_EXPRESS, 5, 0.149, 0.1516),
                *_text_rows("time", None, "value", _AMBER_EXPRESS.replace(hour=17, minute=0), 30, 0.15, 0.14),
            ]
        },
        [0.149, 0.1516, 0.15],
        minutes=[5, 5, 30, 30],
    ),
    _sensor(
        "Localvolts: cents, rows with their end",
        "purcell-lab/localvolts_v2, custom_components/localvolts_v2/sensor.py",
        _LOCALVOLTS - timedelta(minutes=5),
        "c/kWh",
        {
            "intervalEnd": "2025-09-01T21:55:00Z",
            "forecast": [
                {
                    "intervalEnd": f"2025-09-01T{end}:00Z",
                    "amountAll": 0.12,
                    "volume": 0.25,
                    "rateAllVar": rate,
                }
                for end, rate in (("21:55", 32.3426), ("22:00", 29.8487))
            ],
            "forecast_fields": ["rateAllVar", "volume"],
        },
        [0.323426, 0.298487],
        now=_LOCALVOLTS,
        state=32.3426,
        minutes=[5, 5],
    ),
    _sensor(
        "Czech Energy Spot Prices: names are times",
        "rnovacek/homeassistant_cz_energy_spot_prices, custom_components/cz_energy_spot_prices/sensor.py",
        _CZ,
        "€/MWh",
        {"2025-10-22T00:00:00+02:00": 99.54, "2025-10-22T00:15:00+02:00": 96.27, "icon": "mdi:cash"},
        [0.09954, 0.09627],
        state=99.54,
        minutes=[15] * 2,
    ),
    _sensor(
        "OMIE (custom): a mapping of times, tomorrow unknown",
        "luuuis/hass_omie, custom_components/omie/sensor.py",
        _OMIE,
        "€/MWh",
        {
            "today_average": 92.65,
            "today_hours": dict(zip(times(_OMIE, 15, 2), (98.4, 97.2), strict=True)),
            "tomorrow_hours": dict.fromkeys(times(_OMIE.replace(day=25), 15, 2)),
        },
        [0.0984, 0.0972],
        state=98.4,
        minutes=[15] * 2,
    ),
    _sensor(
        "PVPC: an attribute for each hour",
        "https://github.com/azogue/ha-pvpc-custom/issues/16",
        _PVPC,
        "€/kWh",
        {
            "next_better_price": 0.11267,
            "price_position": 12,
            "price_ratio": 0.8,
            "next_best_at": [12, 13],
            "price_00h": 0.12925,
            "price_01h": 0.12,
            **{f"price_{hour:02}h": 0.1 for hour in range(2, 24)},
            "price_next_day_00h": 0.09,
            "price_next_day_01h": 0.08,
        },
        [0.12925, 0.12, 0.1],
        now=_PVPC.replace(hour=1),
        state=0.12,
        minutes=[60] * 26,
    ),
    _sensor(
        "Template, whose list is text",
        "https://github.com/jonasbkarlsson/ev_smart_charging/issues/231",
        _TEMPLATE,
        "",
        {
            "prices_today": '[{"time": "2023-12-31 00:00:00+01:00", "price": 1.20},'
            ' {"time": "2023-12-31 01:00:00+01:00", "price": 1.21}]',
            "prices_tomorrow": "[]",
        },
        [1.2, 1.21],
    ),
    _sensor(
        "Template, whose list is text of Python",
        "https://github.com/jonasbkarlsson/ev_smart_charging/issues/231",
        _TEMPLATE,
        "",
        {"prices": "[{'time': '2023-12-31 00:00:00+01:00', 'price': 1.2, 'level': None}]"},
        [1.2],
        state=None,
    ),
    _sensor(
        "Nord Pool of Home Assistant, which has no list",
        "homeassistant/components/nordpool/sensor.py",
        _NORD_POOL,
        "SEK/kWh",
        {"start": "2022-11-05T02:00:00+00:00", "end": "2022-11-05T03:00:00+00:00"},
        [],
        state=0.06169,
    ),
)
