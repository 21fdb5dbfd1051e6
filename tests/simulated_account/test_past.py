"""The past of simulated cars."""

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from operator import attrgetter
import threading
from typing import Any
from unittest.mock import patch

from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.drive_log.driving_costs import driving_costs
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive
from custom_components.vehicle_remote_access.simulated_account import past as simulated_past
from custom_components.vehicle_remote_access.simulator.tariff import Tariff

from ..conftest import DAY, HOUR, Home
from ..drive_log import simulated_year
from ..drive_log.simulated_year import BEGAN, UNTIL
from ..flow import Flow

PRICE = "sensor.simulated_electricity_price_1"


# The log of a year, as it is created


def test_distances_add_up_to_the_odometer() -> None:
    log, odometer = simulated_year.past().log, simulated_year.car().driving.odometer
    assert len(log.drives) > 700
    assert log.drives[-1].end_odometer == pytest.approx(odometer, abs=0.001)
    assert all(first.end_odometer == second.start_odometer for first, second in pairwise(log.drives))
    driven = odometer - (log.drives[0].start_odometer or 0.0)
    assert sum(drive.distance for drive in log.drives) == pytest.approx(driven)


def test_almost_every_drive_and_charge_was_watched() -> None:
    log = simulated_year.past().log
    entries: list[Drive | Charge] = sorted([*log.drives, *log.charges], key=attrgetter("start"))
    assert [entry.seen for entry in entries].count("live") > 0.98 * len(entries)
    assert all(first.end <= second.start for first, second in pairwise(entries))
    assert entries[0].start >= BEGAN
    assert entries[-1].end <= UNTIL


def test_what_the_log_calculates_from_the_records_is_what_the_simulated_charger_delivered() -> None:
    past, charging = simulated_year.past(), simulated_year.car().charging
    used = [charge.energy_used or 0.0 for charge in past.log.charges]
    assert sum(used) == pytest.approx(charging.energy_drawn, rel=0.02)
    assert all(charge.cost and charge.currency == "EUR" for charge in past.log.charges)
    costs, store = driving_costs(past.log.entries, past.log.energy, "EUR")
    paid = sum(charge.cost_in("EUR") or 0.0 for charge in past.log.charges)
    known = sum(each.cost or 0.0 for each in costs.values())
    # The energy of the first drives was charged before the log began.
    assert [each.cost for each in costs.values()].count(None) < 10
    assert known + store.cost == pytest.approx(paid, rel=0.001)


def test_drives_have_places_tags_and_curves() -> None:
    past = simulated_year.past()
    tags = Counter(drive.tag for drive in past.log.drives)
    assert min(tags[tag] for tag in ("commute", "private", None)) > 100
    trips = [drive for drive in past.log.drives if drive.tag == "commute"]
    assert {frozenset((each.start_place, each.end_place)) for each in trips} == {frozenset(("Home", "Work"))}
    assert all(len(past.samples.during(drive)) > (drive.end - drive.start) / 150 for drive in past.log.drives)


def test_positions_are_left_out_if_they_are_not_kept() -> None:
    _, past, progress = simulated_year.create(UNTIL - 7 * DAY, keep_positions=False)
    drives, charges, _ = past.log.entries
    assert {drive.end_latitude for drive in drives} == {charge.longitude for charge in charges} == {None}
    assert {drive.start_place for drive in drives} >= {"Home", "Work"}
    assert progress == sorted(progress)
    assert 0 <= progress[0] < progress[-1] <= 1


# In Home Assistant


@pytest.fixture(autouse=True)
def _two_weeks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_past, "DAYS", 14)


@pytest.fixture
def flow(empty_home: Home) -> Flow:
    return Flow(empty_home)


async def add_account(flow: Flow, **values: Any) -> Any:
    await flow.start("simulator")
    assert flow.values["with_past"] is True
    await flow.submit(**values)
    while flow.result["type"] == "progress":
        await flow.wait()
    assert flow.is_created
    await flow.home.idle()
    (entry,) = flow.home.hass.config_entries.async_entries("vehicle_remote_access")
    return entry


async def test_log_of_a_new_simulated_car_continues_its_past_and_survives_a_restart(flow: Flow) -> None:
    assert await async_setup_component(flow.home.hass, "zone", {})
    entry = await add_account(flow, vehicles=2)
    for vehicle in entry.runtime_data.vehicles.values():
        log = vehicle.log
        assert len(log.drives) > 10
        assert log.drives[0].start_place == flow.home.hass.config.location_name
        # What happens now belongs to the same log, and nothing is counted twice.
        odometer = vehicle.data.vehicle_state.odometer
        assert log.drives[-1].end_odometer == pytest.approx(odometer)
        assert log.drive_tracker.odometer == odometer
        detail = await vehicle.log_manager.samples.load(log.drives[0])
        assert len(detail) >= 3
    before = [vehicle.log.entries for vehicle in entry.runtime_data.vehicles.values()]
    await flow.home.hass.config_entries.async_reload(entry.entry_id)
    assert [vehicle.log.entries for vehicle in entry.runtime_data.vehicles.values()] == before


async def test_prices_of_the_past_are_the_options_of_the_car(flow: Flow) -> None:
    entry = await add_account(flow)
    (subentry,) = entry.subentries.values()
    assert (subentry.data["price_entity"], subentry.data["price_away"]) == (PRICE, 0.55)
    assert subentry.data["places"] == {"work": "Work", "shop": "Supermarket"}
    await flow.start_vehicle_options(entry)
    await flow.submit(price=0.3)
    (subentry,) = entry.subentries.values()
    assert (subentry.data["price"], len(subentry.data["places"])) == (0.3, 2)


async def test_prices_of_the_present_continue_those_of_the_past(flow: Flow) -> None:
    """Charges of the past have the prices that the sensor would have shown, and so has the present."""
    assert await async_setup_component(flow.home.hass, "zone", {})
    flow.home.skip(HOUR / 2)
    entry = await add_account(flow)
    (vehicle,) = entry.runtime_data.vehicles.values()
    tariff = Tariff(0, "EUR", dt_util.get_default_time_zone())
    at_home = [charge for charge in vehicle.log.charges if charge.current == "ac"]
    assert len(at_home) > 3
    for charge in at_home:
        prices = [hour.price for hour in tariff.between(charge.start, charge.end)]
        assert charge.energy_used
        assert min(prices) < (charge.cost or 0.0) / charge.energy_used < max(prices)
    now = dt_util.utcnow().timestamp()
    assert vehicle.log.prices.mean(now - 600, now) == tariff.at(now).price


async def test_charging_plan_uses_the_prices_of_the_simulation(flow: Flow) -> None:
    """A simulated car charges in the cheapest hours, although its owner has no other price sensor."""
    home = flow.home
    assert await async_setup_component(home.hass, "zone", {})
    # In the evening, the car is at home, and the prices of the next day are known.
    home.skip(9 * HOUR)
    entry = await add_account(flow)
    home.simulator = entry.runtime_data.provider.simulator
    home.car.set_level(40)
    if not home.car.charging.plugged:
        home.car.plug_in()
    await home.poll()
    await home.call("switch", "turn_on", "charging_plan")
    start, price = home.shown("sensor", "charging_plan.start"), home.hass.states.get(PRICE)
    assert start.attributes["reason"] == "cheapest"
    assert price is not None
    known = [slot["price"] for slot in price.attributes["prices"]]
    planned, chosen = (
        [pytest.approx(slot["price"]) for slot in start.attributes[name]] for name in ("prices", "slots")
    )
    assert all(each in known for each in planned)
    assert len(chosen) < len(planned)
    assert float(price.state) not in chosen


async def test_two_dialogs_do_not_add_the_same_cars(flow: Flow) -> None:
    other = Flow(flow.home)
    for each in (flow, other):
        await each.start("simulator")
    flows = flow.home.hass.config_entries.flow
    for each in (flow, other):
        assert (await flows.async_configure(each.result["flow_id"], {}))["type"] == "progress"
    await flow.home.hass.async_block_till_done(wait_background_tasks=True)
    results = [await flows.async_configure(each.result["flow_id"]) for each in (flow, other)]
    assert [result["type"] for result in results] == ["create_entry", "abort"]
    assert results[1]["reason"] == "already_configured"
    assert flow.home.hass.data[simulated_past._PASTS] == {}  # noqa: SLF001 - nothing is left


async def test_closing_the_dialog_stops_the_work(flow: Flow) -> None:
    is_running, is_closed, is_stopped = threading.Event(), threading.Event(), threading.Event()

    def create(_simulator: Any, _options: Any, _until: float, report: Callable[[float], None]) -> Any:
        is_running.set()
        is_closed.wait(30)
        try:
            report(0.5)
        except asyncio.CancelledError:
            is_stopped.set()
        return {}

    with patch.object(simulated_past, "create_past", create):
        await flow.start("simulator")
        flows, flow_id = flow.home.hass.config_entries.flow, flow.result["flow_id"]
        assert (await flows.async_configure(flow_id, {}))["type"] == "progress"
        assert await flow.home.hass.async_add_executor_job(is_running.wait, 30)
        flows.async_abort(flow_id)
        await asyncio.sleep(0)
        is_closed.set()
        assert await flow.home.hass.async_add_executor_job(is_stopped.wait, 30)
    assert flow.home.hass.config_entries.async_entries("vehicle_remote_access") == []
