"""Prices of the next hours are read from the attributes of any price sensor, in any unit."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
import json
from math import isfinite
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.charging_plan.price_list import read_prices
from custom_components.vehicle_remote_access.charging_plan.slots import Slot
from custom_components.vehicle_remote_access.drive_log.prices import per_kwh

from .price_sensors import BERLIN, SENSORS, PriceSensor, times

NOON: Final = datetime(2026, 11, 20, 12, tzinfo=BERLIN)
TODAY: Final = NOON.replace(hour=0)
TOMORROW: Final = TODAY.replace(day=21)
AUTUMN: Final = datetime(2026, 10, 25, tzinfo=BERLIN)
SPRING: Final = datetime(2026, 3, 29, tzinfo=BERLIN)


def read(
    attributes: dict[str, Any], state: float | None = None, now: datetime = NOON, unit: str = "EUR/kWh"
) -> list[Slot]:
    return read_prices(attributes, unit, state, now.timestamp(), BERLIN)


def prices(
    attributes: dict[str, Any], state: float | None = None, now: datetime = NOON
) -> list[float | None]:
    return [slot.price for slot in read(attributes, state, now)]


def rows(moments: list[datetime], price: float = 0.2, step: float = 0.001) -> list[dict[str, Any]]:
    return [{"start": each, "price": round(price + index * step, 6)} for index, each in enumerate(moments)]


@pytest.mark.parametrize("sensor", SENSORS, ids=lambda sensor: sensor.name)
def test_prices_of_integrations_are_read(sensor: PriceSensor) -> None:
    zone = sensor.first.tzinfo
    assert zone is not None
    slots = read_prices(sensor.attributes, sensor.unit, sensor.state, sensor.now.timestamp(), zone)
    assert [slot.price for slot in slots[: len(sensor.prices)]] == pytest.approx(list(sensor.prices))
    start = sensor.first.timestamp()
    for slot, minutes in zip(slots, sensor.minutes, strict=True):
        assert (slot.start, slot.end) == (start, start + minutes * 60)
        start = slot.end


def test_unit_of_the_sensor_counts() -> None:
    attributes = {"data": rows([NOON], 250)}
    assert read(attributes, 250, unit="ct/kWh")[0].price == 2.5
    assert read(attributes, 250, unit="EUR/MWh")[0].price == 0.25
    assert read(attributes, 250, unit="EUR/m³") == []


def test_price_that_is_the_state_is_the_one_to_pay() -> None:
    both = [{"start": NOON, "price_excl_tax": 0.1, "price_incl_tax": 0.3}]
    assert prices({"data": both}) == [0.3]
    assert prices({"data": both}, 0.1) == [0.1]
    assert prices({"data": both}, 0.2) == [0.3]
    lists = {"spot_prices": rows([NOON], 0.1), "prices": rows([NOON], 0.3)}
    assert prices(lists) == [0.3]
    assert prices(lists, 0.1) == [0.1]


def test_what_is_too_large_is_not_read() -> None:
    """Otherwise, a sensor with large attributes could block Home Assistant."""
    (row,) = rows([NOON])
    many = {f"p{number} price": number / 100 for number in range(1, 30)}
    assert prices({"data": [row] * 5000}) == [0.2]
    assert prices({"data": [row] * 5001}) == []
    assert prices({"data": [{"start": NOON, **many}]}, 0.2) == [0.2]
    assert prices({"data": [{"start": NOON, **many}]}, 0.21) == [0.01]
    assert prices({"data": [{"start": NOON, **many, "price_incl_tax": 0.5}]}) == [0.5]
    assert prices({"x" * 90 + " price 12h": 0.2}) == [0.2]
    assert prices({"x" * 100 + " price 12h": 0.2}) == []
    text = json.dumps([{"start": NOON.isoformat(), "price": 0.2}])
    assert prices({"data": text + " " * 200_000}) == [0.2]
    assert prices({"data": "[" + " " * 200_000 + text[1:]}) == []


def test_list_in_a_unit_of_its_own_needs_the_state() -> None:
    attributes = {"data": rows([NOON], 250_731, 1000)}
    assert prices(attributes, 0.250731) == pytest.approx([0.250731])
    assert prices(attributes) == prices(attributes, 0.4) == []


def test_prices_that_nobody_pays_are_left_out() -> None:
    row = rows([NOON])
    assert prices({"feed_in_prices": row, "export": row, "sellPrices": row, "gas_prices": row}) == []
    others = {"rank": 3, "quantile": 0.1, "price_level": 2, "volume": 7}
    assert prices({"data": [{"start": NOON, **others}]}) == []


def test_times_can_be_numbers() -> None:
    at = NOON.timestamp()
    for start in (at, int(at), at * 1000):
        (slot,) = read({"data": [{"start_timestamp": start, "end_timestamp": start, "marketprice": 0.2}]})
        assert (slot.start, slot.end, slot.price) == (at, at + 3600, 0.2)


def test_slots_after_a_gap_are_unknown() -> None:
    hours = times(NOON, 60, 5)
    found = read({"data": rows([*hours[:2], *hours[4:]])})
    assert [(slot.start - NOON.timestamp()) / 3600 for slot in found] == [0, 1, 4]
    assert all(slot.end - slot.start == 3600 for slot in found)


def test_unknown_price_ends_the_one_before() -> None:
    moments = times(NOON, 15, 3)
    data = rows(moments)
    data[1]["price"] = None
    assert [slot.end - slot.start for slot in read({"data": data})] == [900, 900]


def test_only_the_last_day_and_the_next_week_are_read() -> None:
    found = read({"data": rows(times(NOON - timedelta(days=3), 60, 24 * 14))})
    assert found[0].start == (NOON - timedelta(days=1)).timestamp()
    assert found[-1].end == (NOON + timedelta(days=8)).timestamp()


def test_lists_without_times_fill_their_day() -> None:
    today = [0.2 + index / 1000 for index in range(24)]
    quarters = [0.1 + index / 1000 for index in range(96)]
    found = read({"today": today, "tomorrow": quarters, "hours_today": [1, 2, 3]})
    assert [slot.price for slot in found] == today + quarters
    assert [(slot.start, slot.end) for slot in found[24:26]] == [
        (TOMORROW.timestamp() + 900 * index, TOMORROW.timestamp() + 900 * (index + 1)) for index in range(2)
    ]


def test_tomorrow_as_today_is_unknown() -> None:
    attributes = {"today": rows(times(TODAY, 60, 24)), "tomorrow": rows(times(TOMORROW, 60, 24))}
    assert len(read(attributes)) == 24
    attributes["tomorrow"][5]["price"] += 0.01
    assert len(read(attributes)) == 48


def test_tariff_with_few_prices_repeats_each_day() -> None:
    two = [{**row, "price": 0.07 if row["start"].hour < 5 else 0.29} for row in rows(times(TODAY, 30, 96))]
    assert len(read({"rates": two})) == 96


def test_free_tomorrow_is_unknown_but_free_hours_are_not() -> None:
    today = rows(times(TODAY, 60, 24))
    assert len(read({"data": [*today, *rows(times(TOMORROW, 60, 24), 0, 0)]})) == 24
    assert len(read({"data": [*today, *rows(times(TOMORROW, 60, 4), 0, 0)]})) == 28


@pytest.mark.parametrize(("day", "hours"), [(AUTUMN, 25), (SPRING, 23)])
@pytest.mark.parametrize("minutes", [15, 60])
@pytest.mark.parametrize("form", ["zone", "offset", "local", "local text", "plain"])
def test_day_of_a_clock_change_has_all_hours(day: datetime, hours: int, minutes: int, form: str) -> None:
    data = rows(times(day, minutes, hours * 60 // minutes))
    expected = [row["price"] for row in data]
    for row in data:
        if form == "offset":
            row["start"] = row["start"].isoformat()
        elif form.startswith("local"):  # without the mark of the second hour, too
            row["start"] = row["start"].replace(tzinfo=None, fold=0)
        if form == "local text":
            row["start"] = row["start"].isoformat()
    found = read({"today": expected if form == "plain" else data}, now=day.replace(hour=12))
    assert [slot.price for slot in found] == expected
    assert found[0].start == day.timestamp()
    assert found[-1].end == (day + timedelta(days=1)).timestamp()
    assert all(slot.end == following.start for slot, following in pairwise(found))


def test_second_hour_may_follow_quarter_by_quarter() -> None:
    """GE-Spot gives both hours the same times, and sorts them."""
    data = rows(times(AUTUMN, 15, 100))
    expected = [row["price"] for row in data]
    for row in data:
        row["start"] = row["start"].replace(fold=0)
    data.sort(key=lambda row: row["start"].replace(tzinfo=None))
    assert prices({"data": data}, now=AUTUMN) == expected


def test_hours_as_names_follow_the_clock() -> None:
    autumn = {f"price_{hour:02}h": hour / 100 for hour in range(24)} | {"price_02h_d": 0.5}
    found = prices(autumn, now=AUTUMN)
    assert len(found) == 25
    assert found[1:5] == [0.01, 0.02, 0.5, 0.03]
    spring = {f"price_{hour:02}h": hour / 100 for hour in range(24) if hour != 2}
    assert prices(spring, now=SPRING)[:4] == [0, 0.01, 0.03, 0.04]
    spring = {f"price_{hour:02}h": hour / 100 for hour in range(24)}
    assert prices(spring, now=SPRING)[:4] == [0, 0.01, 0.03, 0.04]


KEYS: Final = st.sampled_from(
    ["start", "end", "price", "value", "raw_today", "today", "tomorrow", "price_02h", "intervalEnd", "total"]
)
NEAR: Final = st.datetimes(
    datetime(2026, 11, 19),  # noqa: DTZ001
    datetime(2026, 11, 22),  # noqa: DTZ001
    timezones=st.sampled_from([None, UTC, BERLIN]),
)
SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.datetimes(timezones=st.sampled_from([None, UTC, BERLIN])),
    st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
    st.sampled_from(["[", "[{'start': 1}]", '{"price": NaN}', "9" * 400, "[" * 5000, 10**400, float("nan")]),
)
ROWS: Final = st.lists(
    st.fixed_dictionaries(
        {"start": NEAR | NEAR.map(str) | SCALARS, "price": st.floats(-1, 1) | SCALARS},
        optional={"end": NEAR | SCALARS, "total": SCALARS},
    ),
    max_size=9,
)
VALUES: Final = ROWS | st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        ROWS,
        st.lists(inner, max_size=6),
        st.dictionaries(st.one_of(KEYS, NEAR, st.integers()), inner, max_size=6),
        st.tuples(inner, inner),
        inner.map(str),
    ),
    max_leaves=20,
)


@given(
    attributes=st.dictionaries(st.one_of(KEYS, st.text(max_size=5)), VALUES, max_size=6),
    state=st.one_of(st.none(), st.floats()),
)
@settings(deadline=None)
def test_foreign_data_is_read_or_left_out(attributes: dict[str, Any], state: float | None) -> None:
    slots = read(attributes, state)
    assert all(slot.start < slot.end and slot.price is not None and isfinite(slot.price) for slot in slots)
    assert all(slot.end <= following.start for slot, following in pairwise(slots))


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
    "|kop/kWh|kop./kWh|kopiyka/kWh|коп/kWh|коп./kWh"
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
