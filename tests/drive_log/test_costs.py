"""What a charge costs: unknown prices, restarts, the charger's meter, and a place that is known late.

The drives and the battery together cost what the charges cost.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import groupby
import json
from operator import attrgetter
from typing import Any, Final
from zoneinfo import ZoneInfo

from homeassistant.util import dt as dt_util
from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.drive_log.charges import ChargeTracker, CostAtHome, MeasuredUse
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.driving_costs import EnergyStore, driving_costs
from custom_components.vehicle_remote_access.drive_log.entries import (
    Charge,
    ChargeSample,
    Drive,
    Entries,
    Observation,
    PriceChange,
)
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.drive_log.samples import Samples
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.util.tariff import Tariff

from ..conftest import MINUTE, Home
from .activities import end_charge, start_charge
from .observations import AWAY, HOME, HOUR, NOON, asleep, charging, driving, log_of

ADDED: Final = 0.09
"""kWh that reach the battery in a minute."""

type Events = Sequence[tuple[float, float | None]]
"""Minutes at which the price changes, and the new price."""
NIGHT: Final[Events] = ((-60, 0.4), (60, 0.3), (240, 0.1))
SENSOR: Final = Prices(source="sensor.price")
BERLIN: Final = ZoneInfo("Europe/Berlin")


def night(
    *blocks: range,
    events: Events = NIGHT,
    states: Mapping[int, str] | None = None,
    unseen: Collection[int] = (),
    sleeps: Collection[int] = (),
    restarts: Collection[int] = (),
    driven_at: int = 999,
    place: Mapping[str, Any] = HOME,
    prices: Prices = SENSOR,
) -> list[Charge]:
    """Return the charges of a car that is plugged in at minute 0, and charges 6 kWh in each of some hours.

    At each of the `restarts`, the log is stored, and restored without a price.
    """
    log, pending, states = DriveLog(currency="EUR", prices=prices), list(events), dict(states or {})
    states |= {-2: "disconnected", -1: "disconnected"}
    for minute in range(-2, 440):
        if minute in restarts:
            log = DriveLog.restored({}, json.loads(json.dumps(log.journal())))
            log.currency = "EUR"
            log.prices = log.prices.with_options(prices.home, prices.away, prices.source, {})
        while pending and pending[0][0] <= minute:
            at, price = pending.pop(0)
            log.prices = log.prices.changed(NOON + at * 60, price)
        if minute in sleeps:
            log.add(asleep(minute))
        elif minute not in unseen:
            energy = ADDED * sum(each < minute for block in blocks for each in block)
            state = states.get(minute, "charging" if any(minute in block for block in blocks) else "stopped")
            log.add(charging(minute, energy, state, miles=9.0 * (minute >= driven_at), **place))
    return log.charges


PRICES: Final[dict[str, tuple[Events, Sequence[int], float | None]]] = {
    "known from the start": ([(-5, 0.3)], (), 0.3),
    "known a minute late": ([(1, 0.3)], (), 0.3),
    "known half an hour late": ([(30, 0.3)], (), 0.3),
    "known two hours late": ([(120, 0.3)], (), None),
    "never known": ([], (), None),
    "unavailable for half an hour after a restart": ([(-5, 0.3), (89, 0.3)], (60,), 0.3),
    "never known after a restart": ([(-5, 0.3)], (60,), None),
    "not known after a restart shortly before the end": ([(-5, 0.3)], (190,), 0.3),
    "unavailable for minutes after a restart": ([(-5, 0.3), (61, None), (65, 0.3)], (60,), 0.3),
    "still unknown at a second restart": ([(20, 0.3)], (5, 10), 0.3),
    "unavailable for half an hour": ([(-5, 0.3), (60, None), (90, 0.3)], (), 0.3),
    "unavailable for two hours, then the same": ([(-5, 0.3), (60, None), (180, 0.3)], (), 0.3),
    "the same with a restart": ([(-5, 0.3), (60, None), (180, 0.3)], (150,), 0.3),
    "unavailable for two hours, then another": ([(-5, 0.3), (60, None), (180, 0.4)], (), None),
    "flickering": ([(-5, 0.3), *((m, None if m % 2 else 0.3) for m in range(1, 101))], (), 0.3),
    "negative": ([(-5, -0.1)], (), -0.1),
    "negative and known late": ([(30, -0.1)], (20,), -0.1),
    "of each half": ([(-5, 0.2), (61, 0.2), (120, 0.4), (181, 0.4)], (60, 180), 0.3),
}


@pytest.mark.parametrize(("events", "restarts", "price"), PRICES.values(), ids=PRICES)
def test_price(events: Events, restarts: Sequence[int], price: float | None) -> None:
    """A price that becomes known within an hour counts for the whole charge, also over restarts."""
    (charge,) = night(range(240), events=events, restarts=restarts)
    assert charge.energy_used == pytest.approx(24, rel=0.01)
    assert charge.cost == (price and pytest.approx(24 * price, rel=0.02))
    assert charge.currency == (price and "EUR")


def test_fixed_price_counts_until_the_sensor_shows_one() -> None:
    prices = replace(SENSOR, home=0.2)
    for events, price in (((), 0.2), ([(120, 0.4)], 0.3)):
        (charge,) = night(range(240), events=events, restarts=(60,), prices=prices)
        assert charge.cost == pytest.approx(24 * price, rel=0.02)


@pytest.mark.parametrize(("night", "hours"), [("2026-10-24", 9), ("2026-03-28", 7), ("2026-05-01", 8)])
def test_cheap_hours_are_in_local_time_also_when_the_clocks_change(night: str, hours: int) -> None:
    prices = Prices(home=0.3, tariff=Tariff(time(22), time(6), BERLIN, 0.3, 0.1))
    begin = datetime.fromisoformat(f"{night}T22:00").replace(tzinfo=BERLIN).timestamp()
    end = begin + hours * HOUR
    assert [prices.mean(at, at) for at in (begin - 1, begin, end - 1, end)] == [0.3, 0.1, 0.1, 0.3]
    mean = (6 * 0.3 + hours * 0.1) / (6 + hours)
    assert prices.mean(begin - 4 * HOUR, end + 2 * HOUR) == pytest.approx(mean)
    assert replace(prices, changes=[PriceChange(begin, 0.2)]).mean(begin, end) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("cheap_from", "cheap_until", "hours"),
    [
        pytest.param("02:30", "03:00", [0.5, 0, 0.5], id="skipped by the clock"),
        pytest.param("12:00", "14:00", [2, 2, 2], id="by day"),
        pytest.param("06:00", "06:00", [24, 23, 24], id="all day"),
    ],
)
def test_cheap_hours_around_a_day_of_23_hours(cheap_from: str, cheap_until: str, hours: list[float]) -> None:
    times = time.fromisoformat(cheap_from), time.fromisoformat(cheap_until)
    prices, found = Prices(tariff=Tariff(*times, BERLIN)), []
    for day in (28, 29, 30):
        start, end = (datetime(2026, 3, each, tzinfo=BERLIN).timestamp() for each in (day, day + 1))
        found.append((end - start) / HOUR * (1 - (prices.mean(start, end) or 0.0)))
    assert found == pytest.approx(hours)


def test_price_that_becomes_known_after_the_last_observation() -> None:
    log = log_of(charging(-1, 0, "stopped"), charging(0, 0), charging(40, 4, "stopped"), prices=Prices())
    log.prices = log.prices.changed(NOON + 45 * 60, 0.3)
    log.settle(NOON + 50 * 60)
    (charge,) = log.charges
    assert isinstance(charge, Charge)
    assert charge.cost == pytest.approx(4 / 0.9 * 0.3, rel=0.02)


def test_prices_before_the_clock_was_set_back_count_until_the_next_one() -> None:
    log = log_of(charging(600, 0, "stopped"), prices=Prices().changed(NOON + 590 * 60, 0.3))
    for minute in range(61):
        log.add(charging(minute, minute * ADDED))
    log.prices = log.prices.changed(NOON + 60 * 60, 0.5)
    for minute in range(61, 121):
        log.add(charging(minute, minute * ADDED))
    log.add(charging(121, 121 * ADDED, "complete"))
    assert log.charges[0].cost == pytest.approx(6 * 0.3 + 6 * 0.5, rel=0.02)


def test_price_before_an_outage_survives_a_clock_that_is_set_back() -> None:
    prices = Prices().changed(NOON, 0.3).changed(NOON + 60, None)
    for earlier in (prices.not_after(NOON - HOUR), prices.changed(NOON - HOUR, None)):
        assert earlier.mean(NOON, NOON + HOUR / 2) is None
        later = earlier.changed(NOON + 9 * HOUR, 0.3)
        assert later.mean(NOON, NOON + 9 * HOUR) == pytest.approx(0.3)


def test_neither_identical_prices_nor_changes_within_a_minute_are_kept() -> None:
    prices = first = Prices().changed(NOON, 0.0)
    for second in range(100):
        prices = prices.changed(NOON + second, 0.0)
    assert prices is first
    for second in range(7200):
        prices = prices.changed(NOON + second, second / 1e5)
    assert len(prices.changes) == 120


def test_prices_before_the_last_observation_are_forgotten() -> None:
    log = log_of(charging(0, 0, "stopped"))
    for minute in range(600):
        log.prices = log.prices.changed(NOON + minute * 60, minute / 1000)
        log.add(asleep(minute))
    assert len(log.prices.changes) <= 2
    restored = DriveLog.restored({}, json.loads(json.dumps(log.journal()))).prices
    assert list(restored.changes[-2:]) == [(NOON + 599 * 60, 0.599), (NOON + 599 * 60, None)]


def test_prices_of_another_sensor_do_not_count() -> None:
    prices = Prices(source="sensor.a").changed(NOON, 0.3)
    assert prices.with_options(None, None, "sensor.a", {}).changes
    assert not prices.with_options(None, None, "sensor.b", {}).changes


AMOUNTS: Final = st.floats(0, 50)


@given(st.lists(st.tuples(AMOUNTS, st.sampled_from([0.0, 60.0, 5000.0]), st.sampled_from([None, 0.3]))))
def test_all_that_was_used_has_a_cost_or_waits_for_it(
    uses: list[tuple[float, float, float | None]],
) -> None:
    prices, cost, now = Prices(source="sensor.price").changed(NOON, 0.3), CostAtHome(), NOON
    for used, seconds, price in uses:
        prices = prices.changed(now, price)
        cost = cost.with_use(used, now, now + seconds, prices)
        now += seconds
        assert cost.cost is not None
        waiting = cost.unpriced or 0.0
        assert cost.cost == pytest.approx((cost.used - waiting) * 0.3)
        assert (cost.unpriced_since is None) == (cost.unpriced is None)
        assert cost.cost_at_home(prices, now) == (None if waiting else cost.cost)
    assert cost.used == pytest.approx(sum(used for used, *_ in uses))


@given(AMOUNTS, AMOUNTS, st.sampled_from(["ac", "dc", None]))
def test_at_least_what_reached_the_battery_is_billed(used: float, added: float, current: str | None) -> None:
    measured = MeasuredUse(current=current, measured_used=used, measured_added=added)
    assert measured.billed(0.9) >= added
    assert measured.efficiency is None or 0 < measured.efficiency <= 1
    assert measured.is_possible or current != "dc"


type Reading = tuple[float, float, float | None]
"""A minute, what was added until then, and what the meter shows."""


def metered(*observations: Reading, state: str = "complete") -> DriveLog:
    """Return the log after observations: a minute, what was added, and what the meter shows.

    From the first observation to the last one, the charger draws 10 kW, and the battery gets 9 kW.
    """
    (first, *between, last), log = observations, log_of(prices=Prices(home=0.3))
    log.add(charging(first[0], first[1], "stopped", wall_energy=first[2]))
    for minute, energy, wall in between:
        log.add(charging(minute, energy, wall_energy=wall, power=None))
    log.add(charging(last[0], last[1], state, wall_energy=last[2]))
    return log


def each_minute(until: int, wall: Any) -> list[Reading]:
    """Return observations of a charge, each minute. `wall`: the meter after some energy, at some minute."""
    observations = [(float(minute), minute * 0.15, wall(minute / 6, minute)) for minute in range(until + 1)]
    return [(-1.0, 0.0, wall(0.0, -1)), *observations]


METERS: Final[dict[str, tuple[list[Reading], float, float | None]]] = {
    "lifetime": (each_minute(240, lambda used, _: 5000 + used), 40, 40),
    "session": (each_minute(240, lambda used, minute: used if minute >= 0 else 17.0), 40, 40),
    "session, resets late": (each_minute(240, lambda used, minute: used if minute > 1 else 17.0), 40, 40),
    "session, not watched": ([(0, 0, 21), (300, 20, 22)], 22, 22),
    "session, not watched, that shows less": ([(0, 0, 23), (300, 20, 22)], 22, 22),
    "session, seen from the middle": ([(0, 0, 21), (300, 18, 20.0), (301, 18.15, 20.2)], 20.2, 20.2),
    "day": (each_minute(240, lambda used, minute: used if minute <= 120 else used - 20), 40, 40),
    "day, midnight between two reads": (
        [(0, 0, 0), *((n, n * 0.15, n / 6) for n in range(1, 116)), (145, 21.75, 4.0), (240, 36, 19.9)],
        40,
        40,
    ),
    "day, not watched": ([(0, 0, 10), (600, 36, 40)], 40, 40),
    "day, not watched, from the evening on": ([(0, 0, 2), (600, 36, 25)], 40, None),
    "late by ten minutes": (each_minute(240, lambda _, minute: 5000 + (minute + 1) // 10 / 0.6), 40, 40),
    "corrected": (each_minute(240, lambda used, minute: 5000 + used - (minute > 120) * 0.2), 40, 40),
    "restarts with a wrong value": (
        each_minute(240, lambda used, minute: 0.0 if minute == 120 else 5000 + used),
        40,
        40,
    ),
    "not of this charger": (each_minute(240, lambda *_: 5000.0), 40, None),
    "unavailable for some time": (
        each_minute(240, lambda used, minute: None if 60 <= minute < 120 else 5000 + used),
        40,
        40,
    ),
}


# Meters that did not count all of a charge
INTERRUPTED: Final = (
    *("day, midnight between two reads", "restarts with a wrong value", "unavailable for some time"),
)


@pytest.mark.parametrize("name", METERS)
def test_meter(name: str) -> None:
    """The meter counts, also if it starts again at 0. If what it shows is impossible, it is estimated."""
    observations, paid, used = METERS[name]
    (charge,) = metered(*observations).charges
    assert charge.cost == pytest.approx(paid * 0.3, rel=0.015)
    assert charge.energy_used == (used and pytest.approx(used, rel=0.015))
    assert charge.measured_by == (used and ("car" if name in INTERRUPTED else "meter"))


def test_weak_charger() -> None:
    """At 10 A, the car itself uses a quarter. That is measured and learned, also every five minutes."""
    reads = [charging(minute, round(minute * 1.65 / 60, 2), power=2.3) for minute in range(0, 245, 5)]
    log = log_of(charging(-5, 0, "stopped"), *reads, prices=Prices(home=0.3))
    log.add(charging(245, 6.74, "complete"))
    (charge,) = log.charges
    assert charge.energy_used == pytest.approx(9.4, rel=0.02)
    assert charge.cost == pytest.approx(9.4 * 0.3, rel=0.02)
    assert log.charge_tracker.efficiency < 0.82


def test_impossible_measurement_is_not_learned() -> None:
    log = metered(*METERS["not of this charger"][0])
    assert log.charge_tracker.efficiency == ChargeTracker().efficiency


def test_what_another_car_drew_is_not_part_of_the_next_charge() -> None:
    log = log_of(charging(-9, 0, "stopped", wall_energy=100.0), asleep(-1), prices=Prices(home=0.3))
    for minute in range(61):
        log.add(charging(minute, minute * ADDED, wall_energy=115 + minute * 0.1))
    log.add(charging(61, 61 * ADDED, "complete", wall_energy=121.1))
    (charge,) = log.charges
    assert charge.energy_used == pytest.approx(6.1, rel=0.01)
    assert charge.cost == pytest.approx(6.1 * 0.3, rel=0.01)


FAST_CHARGES: Final = {
    "that reports less than it adds": (range(31), 57.0, 31.0, True),
    "that reports more than it adds": (range(31), 66.0, 34.1, True),
    "seen only at its start": (range(2), 57.0, 31.0, False),
    "without a power": (range(31), None, 31.0, False),
}
"""When it was read, in minutes, the power, what is paid, and whether that was measured."""


@pytest.mark.parametrize(
    ("minutes", "power", "paid", "is_measured"), FAST_CHARGES.values(), ids=list(FAST_CHARGES)
)
def test_fast_charger_bills_at_least_what_reached_the_battery(
    minutes: Sequence[int],
    power: float | None,
    paid: float,
    is_measured: bool,  # noqa: FBT001
) -> None:
    """The car reports the power at the battery, in whole kilowatts. The home's meter says nothing."""
    seen: dict[str, Any] = {"is_fast": True, "wall_energy": 500.0, "power": power}
    reads = [charging(minute, minute * 1.0, **seen) for minute in minutes]
    log = log_of(charging(-1, 0, "stopped", wall_energy=500.0), *reads, prices=Prices(home=0.1, away=0.6))
    log.add(charging(31, 31, "complete", **seen))
    (charge,) = log.charges
    assert charge.energy_used == (pytest.approx(paid, rel=0.02) if is_measured else None)
    assert charge.energy_used is None or charge.energy_used >= charge.energy_added
    assert charge.measured_by == ("car" if is_measured else None)
    assert charge.cost == pytest.approx(paid * 0.6, rel=0.02)


PLACES: Final = {"Free": 0.0, "Paid": -0.2, "Home": 9.0}


@pytest.mark.parametrize(
    ("place", "price"),
    [
        (AWAY, 0.6),
        (HOME, 0.1),
        (AWAY | {"place": "Free"}, 0.0),
        (AWAY | {"place": "Paid"}, -0.2),
        (AWAY | {"place": None}, 0.6),
    ],
    ids=["away", "home", "free", "paid", "elsewhere"],
)
@pytest.mark.parametrize("is_fast", [False, True])
def test_place_that_is_known_late(place: dict[str, Any], price: float, is_fast: bool) -> None:  # noqa: FBT001
    """The place comes from any observation of the charge, and the whole charge costs the price there."""
    log = log_of(charging(-1, 0, "stopped"), prices=Prices(home=0.1, away=0.6, places=PLACES))
    for minute in range(61):
        seen = place if minute == 30 else {}
        log.add(charging(minute, minute * 0.1, is_fast=is_fast, **seen))
        if minute == 40:
            log = replace(DriveLog.restored({}, log.journal()), prices=log.prices)
    log.add(charging(61, 6.1, "complete", is_fast=is_fast))
    (charge,) = log.charges
    assert charge.place == place["place"]
    assert charge.cost == pytest.approx(6.1 * price, rel=0.03)


def test_place_after_the_car_has_left_is_not_that_of_the_charge() -> None:
    reads = [charging(minute, minute * 0.1) for minute in range(61)]
    left = driving(62, 0.3, energy=6.1, charging="disconnected", **AWAY)
    (charge,) = log_of(charging(-1, 0, "stopped"), *reads, left, prices=Prices(home=0.1, away=0.6)).charges
    assert charge.place is None
    assert charge.cost == pytest.approx(0.61, rel=0.03)


@pytest.mark.parametrize("prices", [Prices(home=0.1, away=0.6), Prices(home=0.1, places={"Work": 0.6})])
def test_samples_of_a_place_that_is_known_late(prices: Prices) -> None:
    """The curve of a charge away from home does not show the price at home."""
    log, samples = log_of(charging(-1, 0, "stopped"), prices=prices), Samples()
    for minute in range(4):
        observation: Observation = charging(minute, minute * 0.1, **(AWAY if minute > 1 else {}))
        log.add(observation)
        samples.add(observation, log)
    kept = samples.of_type(ChargeSample)
    assert [sample.price for sample in kept] == [0.6] * 4
    assert [sample.cost for sample in kept] == [None, None, 0.12, 0.18]


BLOCKS: Final = (range(240, 300), range(360, 420))
AT_ONCE: Final[dict[str, tuple[dict[str, Any], list[float | None]]]] = {
    "two blocks": ({}, [2.4, 1.8]),
    "sleeps until it charges": ({"sleeps": range(20, 239)}, [2.4, 1.8]),
    "restarts": (
        {"restarts": (30, 270, 330), "events": [*NIGHT[:1], (30, 0.4), *NIGHT[1:], (270, 0.1), (330, 0.1)]},
        [2.4, 1.8],
    ),
    "price unknown at first": ({"events": [(90, 0.3), *NIGHT[2:]]}, [None, 1.8]),
    "price unknown for two hours": ({"events": [*NIGHT[:1], (30, None), *NIGHT[2:]]}, [2.4, None]),
    "unplugged in between": ({"states": {330: "disconnected"}}, [2.4, 0.6]),
    "driven in between": ({"unseen": range(320, 330), "driven_at": 330}, [2.4, 0.6]),
    "full in between": ({"states": {300: "complete"}}, [2.4, None]),
    "plugged in some minutes before it was seen": ({"unseen": range(20)}, [2.2, 1.8]),
    "plugged in long before it was seen": ({"unseen": range(-1, 40)}, [None, None]),
    "away": ({"place": AWAY, "prices": replace(SENSOR, away=0.5)}, [None, None]),
    "fixed price": ({"events": (), "prices": Prices(home=0.3)}, [None, None]),
    "cheap hours": (
        # It is plugged in at 16:13.
        {"events": (), "prices": Prices(tariff=Tariff(time(17, 13, 20), time(6), BERLIN, 0.4, 0.3))},
        [2.4, 1.8],
    ),
}


@pytest.mark.parametrize(("values", "costs"), AT_ONCE.values(), ids=AT_ONCE)
def test_cost_of_charging_at_once(values: dict[str, Any], costs: list[float | None]) -> None:
    """It is that of the hours after the car was plugged in. The second charge follows the first one."""
    expected = [cost and pytest.approx(cost, rel=0.03) for cost in costs]
    assert [charge.cost_at_once for charge in night(*BLOCKS, **values)] == expected


def test_charge_that_begins_at_once_costs_the_same() -> None:
    (charge,) = night(range(90))
    assert charge.cost == charge.cost_at_once == pytest.approx(6 * 0.4 + 3 * 0.3, rel=0.02)


def test_prices_of_a_car_that_waits_are_kept_for_two_days() -> None:
    log = log_of(charging(-1, 0, "disconnected"), charging(0, 0, "stopped"))
    for hour in range(150):
        log.prices = log.prices.changed(NOON + hour * HOUR, hour / 100)
        log.add(asleep(hour * 60 + 1))
    assert 48 <= len(log.prices.changes) <= 50


@pytest.fixture
async def at_home(home: Home) -> Home:
    await home.hass.config.async_update(latitude=home.car.home.latitude, longitude=home.car.home.longitude)
    await home.idle()
    return home


async def test_charge_that_waited_has_the_cost_of_charging_at_once(at_home: Home) -> None:
    """Nothing is known of it any more if a person corrects the cost."""

    async def shown() -> Any:
        log: Any = await at_home.act("get_log", kind="charges")
        (charge,) = log["charges"]
        return charge["cost"], charge["cost_at_once"]

    at_home.hass.states.async_set("sensor.price", "0.5")
    await at_home.set_car_options(price_entity="sensor.price")
    at_home.car.unplug()
    await at_home.poll()
    at_home.car.charging.set_level(30)
    at_home.car.plug_in()
    at_home.car.charging.stop()
    await at_home.poll()
    await at_home.advance(90 * MINUTE, step=60)
    at_home.hass.states.async_set("sensor.price", "0.1")
    await start_charge(at_home)
    await at_home.advance(30 * MINUTE, step=30)
    used = (await end_charge(at_home)).energy_used
    assert used is not None
    assert await shown() == (pytest.approx(used * 0.1, rel=0.02), pytest.approx(used * 0.5, rel=0.02))
    await at_home.act("update_log_entry", id="charge-1", cost=3)
    assert await shown() == (3, None)


async def test_charge_over_the_border_of_cheap_hours_costs_both_prices(at_home: Home) -> None:
    """Prices that are changed later count only for later charges."""
    border = (dt_util.now() + timedelta(minutes=30)).strftime("%H:%M:%S")
    await at_home.set_car_options(price=0.4, price_cheap=0.1, cheap_from=border, cheap_until="06:00:00")
    await start_charge(at_home)
    await at_home.advance(90 * MINUTE, step=30)
    await at_home.poll()
    await at_home.set_car_options(price=5, price_cheap=4)
    charge = await end_charge(at_home)
    assert charge.energy_used is not None
    assert charge.cost == pytest.approx(charge.energy_used * (0.4 * 30 + 0.1 * 60) / 90, rel=0.02)
    await at_home.set_car_options(price=6, price_cheap=None)
    assert at_home.coordinator.log.charges[-1] == charge
    samples = await at_home.coordinator.log_manager.samples.load(charge)
    prices = [sample.price for sample in samples if isinstance(sample, ChargeSample)]
    assert [price for price, _ in groupby(prices)] == [0.4, 0.1]


@pytest.mark.parametrize(("unit", "is_removed"), [("EUR/m³", False), ("EUR/kWh", True)])
async def test_sensor_without_a_price(at_home: Home, unit: str, *, is_removed: bool) -> None:
    """A price in a unit that is not understood is no price, and that of a removed sensor does not stay."""
    at_home.hass.states.async_set("sensor.price", "0.3", {"unit_of_measurement": unit})
    await at_home.set_car_options(price_entity="sensor.price")
    await start_charge(at_home)
    if is_removed:
        at_home.hass.states.async_remove("sensor.price")
    await at_home.advance(90 * MINUTE, step=60)
    assert (await end_charge(at_home)).cost is None


async def test_difference_of_two_meters_is_no_energy(at_home: Home) -> None:
    meter: dict[str, Any] = {"unit_of_measurement": "kWh", "device_class": "energy"}
    at_home.hass.states.async_set("sensor.old", "5000", meter)
    at_home.hass.states.async_set("sensor.new", "5015", meter)
    await at_home.set_car_options(price=0.3, energy_entity="sensor.old", intervals={"charging": 60})
    await start_charge(at_home)
    await at_home.set_car_options(energy_entity="sensor.new")
    await at_home.poll()
    at_home.hass.states.async_set("sensor.new", "5017", meter)
    await at_home.advance(10 * MINUTE, step=30)
    charge = await end_charge(at_home)
    assert charge.energy_used == pytest.approx(2, abs=0.2)
    assert at_home.coordinator.log.charge_tracker.used_at_home == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize(("on", "off"), [(60, 60), (90, 90), (130, 110), (180, 180)])
async def test_short_phases_of_sun(at_home: Home, on: int, off: int) -> None:
    """The reads fall into the same part of each phase, so that an error would add up."""
    charging = at_home.car.charging
    charging.pause()
    at_home.car.set_level(30)
    await at_home.poll()
    await at_home.advance(20 * MINUTE, step=30)
    drawn = charging.energy_drawn
    for _ in range(30):
        charging.start()
        await at_home.advance(on, step=10)
        charging.pause()
        await at_home.advance(off, step=10)
    await at_home.advance(HOUR, step=30)
    used = at_home.coordinator.log.charge_tracker.used_at_home
    assert used == pytest.approx(charging.energy_drawn - drawn, rel=0.03)


@pytest.mark.parametrize("cars", [2])
async def test_cars_that_charge_at_the_same_meter_together_share_what_it_counts(at_home: Home) -> None:
    """The meter counts a tenth more than the cars report, which shows where it is used."""
    both = at_home.simulator.vehicles

    async def charge(minutes: int) -> list[float]:
        """Return what the meter counted, and what each car shows in addition."""
        before = [counted(), *map(shown, both)]
        for _ in range(2 * minutes):
            state = str(1000 + 1.1 * counted())
            at_home.hass.states.async_set("sensor.meter", state, {"unit_of_measurement": "kWh"})
            await at_home.advance(30)
        await at_home.poll()
        after = [counted(), *map(shown, both)]
        return [round(new - old, 2) for old, new in zip(before, after, strict=True)]

    def counted() -> float:
        return sum(car.charging.energy_drawn for car in both)

    def shown(car: SimulatedVehicle) -> float:
        state = at_home.shown("sensor", "log.energy_charged_home", car.vin).state
        return 0.0 if state == "unknown" else float(state)

    first, second = both
    for car, subentry in zip(both, [*at_home.entry.subentries.values()], strict=True):
        car.wake()
        car.driving.point = first.home.point
        car.set_level(30)
        data = {**subentry.data, "energy_entity": "sensor.meter"}
        at_home.hass.config_entries.async_update_subentry(at_home.entry, subentry, data=data)
    await charge(1)
    for car in both:
        if not car.charging.plugged:
            car.plug_in()
        car.charging.stop()
    await at_home.poll()
    first.charging.start()
    drawn, *shares = await charge(30)
    assert shares == pytest.approx([1.1 * drawn, 0], abs=0.2)
    second.charging.start()
    drawn, *shares = await charge(30)
    assert sum(shares) == pytest.approx(drawn, rel=0.03)
    assert min(shares) > drawn / 4
    first.charging.stop()
    drawn, *shares = await charge(30)
    assert shares == pytest.approx([0, 1.1 * drawn], abs=0.2)


async def test_charge_away_costs_the_price_there_after_an_old_position(home: Home) -> None:
    await home.set_car_options(price=0.1, price_away=0.6)
    await home.poll()
    known_at = home.coordinator.data.drive_state.timestamp
    assert known_at is not None
    home.simulator.faults.corrupt("drive_state.timestamp", known_at.timestamp() * 1000)
    await home.advance(30)
    await home.poll()
    await start_charge(home)
    home.simulator.faults.clear()
    await home.advance(30 * MINUTE, step=30)
    charge = await end_charge(home)
    assert charge.energy_used is not None
    assert charge.cost == pytest.approx(charge.energy_used * 0.6, rel=0.01)


async def test_charge_in_a_zone_with_a_price_costs_that_price(home: Home) -> None:
    """A zone can be renamed, and one that was deleted has no price."""
    states, (latitude, longitude) = home.hass.states, home.car.driving.point
    zone = {"latitude": latitude, "longitude": longitude, "radius": 100}
    states.async_set("zone.work", "0", {**zone, "friendly_name": "Work"})
    await home.set_car_options(price=0.1, price_away=0.6, price_places=[{"zone": "zone.work", "price": 0.25}])
    costs = []
    for name in ("Work", "Office", None):
        if name is None:
            states.async_remove("zone.work")
        else:
            states.async_set("zone.work", "0", {**zone, "friendly_name": name})
        if not home.car.charging.plugged:
            home.car.plug_in()
        await start_charge(home)
        await home.advance(30 * MINUTE, step=30)
        charge = await end_charge(home)
        assert (charge.place, charge.energy_used is None) == (name, False)
        costs.append((charge.cost or 0.0) / (charge.energy_used or 1.0))
    assert costs == pytest.approx([0.25, 0.25, 0.6], rel=0.01)


RANGE: Final = attrgetter("range_used")
"""Here, the energy of a drive is as much as its range."""
_ENTRIES: Final = st.lists(
    st.tuples(
        st.sampled_from(["drive", "charge"]),
        # kWh. A drive can regain energy.
        st.floats(-2, 40),
        # A price can be negative.
        st.floats(-20, 60),
        st.one_of(st.none(), st.floats(0, 100)),
    ),
    max_size=60,
)


def _entries(*rows: tuple[str, float, float | None, float | None]) -> Entries:
    """Return entries of a kind with an energy, a cost, and the level after a charge of 60 kWh at 100%."""
    drives, charges = [], []
    for number, (kind, energy, cost, level) in enumerate(rows):
        times = (number * 100.0, number * 100.0 + 50)
        if kind == "drive":
            drives.append(Drive(f"drive-{number}", *times, range_used=energy))
        else:
            charges.append(
                Charge(
                    f"charge-{number}",
                    *times,
                    start_energy=0.0,
                    end_energy=max(0.0, energy),
                    start_battery=None if level is None else level - energy / 60 * 100,
                    end_battery=level,
                    cost=cost,
                    currency=None if cost is None else "EUR",
                )
            )
    return Entries(drives, charges)


def _costs(*rows: tuple[str, float, float | None, float | None]) -> tuple[list[float | None], EnergyStore]:
    entries = _entries(*rows)
    costs, store = driving_costs(entries, RANGE, "EUR")
    return [costs[drive.id].cost if drive.id in costs else None for drive in entries.drives], store


@settings(max_examples=300, deadline=None)
@given(_ENTRIES)
def test_drives_and_battery_cost_what_was_paid(
    rows: list[tuple[str, float, float, float | None]],
) -> None:
    entries = _entries(*rows)
    costs, store = driving_costs(entries, RANGE, "EUR")
    # Where the log lacks charges, a drive took all that was left. Its cost is an estimate, or unknown.
    paid = sum(charge.cost_in("EUR") or 0.0 for charge in entries.charges)
    if all(each.known_share > 1 - 1e-9 for each in costs.values()):
        assert sum(each.cost or 0.0 for each in costs.values()) + store.cost == pytest.approx(paid, abs=0.005)
    assert store.energy >= 0
    assert all(0 <= each.known_share <= 1.000001 for each in costs.values())


def test_drive_costs_the_average_price_of_what_is_in_the_battery() -> None:
    costs, store = _costs(("charge", 20, 4, None), ("charge", 20, 12, None), ("drive", 10, None, None))
    assert costs == [4]
    assert (store.energy, store.cost, store.price) == (30, 12, 0.4)


def test_charge_without_a_cost_leaves_the_average() -> None:
    costs, store = _costs(("charge", 20, 5, None), ("charge", 20, None, None), ("drive", 10, None, None))
    assert costs == [2.5]
    assert (store.known_share, store.price) == (0.5, 0.25)


def test_cost_is_unknown_below_half_of_the_energy() -> None:
    costs, store = _costs(("charge", 19, 5, None), ("charge", 21, None, None), ("drive", 10, None, None))
    assert costs == [None]
    assert store.price is None


def test_drive_before_the_first_charge_has_no_cost() -> None:
    costs, _ = _costs(("drive", 10, None, None), ("charge", 20, 5, None), ("drive", 10, None, None))
    assert costs == [None, 2.5]


def test_drive_that_used_more_than_the_log_knows_costs_the_average_price_for_all_of_it() -> None:
    rows = (("charge", 20.0, 5.0, None), ("drive", 22.0, None, None), ("drive", 1.0, None, None))
    costs, store = _costs(*rows)
    assert costs == [5.5, None]
    assert (store.energy, store.cost) == (0, 0)


@pytest.mark.parametrize("without_cost", [0.0, 1.0, 4.15, 5.0])
def test_cost_of_a_drive_whose_price_is_partly_known_is_that_of_its_whole_energy(without_cost: float) -> None:
    """The price of the rest is unknown because a charge has no cost, because the log lacks one, or both."""
    entries = _entries(
        ("charge", 5.85, 1.95, None), ("charge", without_cost, None, None), ("drive", 10, None, None)
    )
    ((known, cost),) = driving_costs(entries, RANGE, "EUR").costs.values()
    assert cost == 3.33
    assert known == pytest.approx(5.85 / max(10, 5.85 + without_cost))


def test_what_a_parked_car_loses_makes_the_rest_more_expensive() -> None:
    # 30 kWh were charged, and only 24 were left before the next charge.
    rows = (("charge", 30.0, 6.0, None), ("charge", 6.0, 1.5, 50.0), ("drive", 30.0, None, None))
    assert _costs(*rows) == ([7.5], EnergyStore())


def test_energy_of_a_drive_with_unknown_energy_takes_its_cost_with_it() -> None:
    entries = _entries(
        ("charge", 30, 6, None), ("drive", 0, None, None), ("charge", 6, 1.2, 50), ("drive", 30, None, None)
    )
    costs, _ = driving_costs(entries, lambda drive: drive.range_used or None, "EUR")
    assert [each.cost for each in costs.values()] == [6]


def test_merged_drive_pays_for_the_charge_within_it() -> None:
    entries = _entries(
        *(("charge", 40, 12, 90), ("drive", 35, None, None), ("charge", 40, 24, 75)),
        *(("drive", 30, None, None), ("charge", 30, 9, 75), ("drive", 10, None, None)),
    )
    first, second, *others = entries.drives
    merged = first._replace(end=second.end, range_used=65)
    costs, store = driving_costs(entries._replace(drives=[merged, *others]), RANGE, "EUR")
    assert [each.cost for each in costs.values()] == [29.25, 3.5]
    assert (store.energy, store.cost) == (35, 12.25)


def test_drive_does_not_pay_for_the_charge_after_it_if_their_guessed_times_overlap() -> None:
    entries = _entries(("charge", 40, 12, 90), ("drive", 35, None, None), ("charge", 40, 24, 75))
    (drive,) = entries.drives
    overlapping = entries._replace(drives=[drive._replace(end=entries.charges[1].start + 10)])
    for each in (entries, overlapping):
        costs, _ = driving_costs(each, RANGE, "EUR")
        assert costs[drive.id].cost == 10.5


def test_charge_in_another_currency_has_no_known_price() -> None:
    entries = _entries(("charge", 20, 5, None), ("drive", 10, None, None))
    costs, store = driving_costs(entries, RANGE, "DKK")
    assert [each.cost for each in costs.values()] == [None]
    assert store.price is None
