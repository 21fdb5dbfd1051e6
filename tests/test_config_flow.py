"""The flows of accounts and of vehicles, except the import of a log."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import time, timedelta
import json
import logging
from typing import Any, Final
from unittest.mock import AsyncMock, patch

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.cover import CoverEntityFeature
from homeassistant.components.energy.data import async_get_manager
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.util import dt as dt_util
import pytest
import voluptuous as vol

import custom_components.vehicle_remote_access as integration
from custom_components.vehicle_remote_access.account.options import (
    AccountOptions,
    HouseOptions,
    VehicleOptions,
)
from custom_components.vehicle_remote_access.api.service_types import OTHER
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.flows.schemas import (
    account_options_schema,
    vehicle_options_schema,
)
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle, Simulator
from simulator_console.services import SimulatedService

from .conftest import LIST, TOKEN, Home
from .flow import NEW_TOKEN, Flow
from .issues import issue_keys
from .source import ROOT

VEHICLE_OPTIONS: Final[Mapping[str, dict[str, Any]]] = {
    "price": {
        "price_entity": "sensor.price",
        "price": 0.3,
        "cheap_from": "22:00:00",
        "cheap_until": "06:00:00",
        "price_cheap": 0.18,
        "price_away": 0.6,
        "price_places": [{"zone": "zone.work", "price": 0}, {"zone": "zone.deleted", "price": -0.1}],
        "energy_entity": "sensor.charger",
    },
    "charging_plan": {
        "departures": [{"days": ["saturday", "sunday"]}, {"days": ["monday"], "time": "05:30:00"}],
        "departure_calendar": "calendar.work",
        "charge_without_break": True,
        "least_amps": 6,
    },
    "keep_positions": {"keep_positions": False},
    "commands": {"wake_for_commands": False, "read_only": True, "powered_lids": ["frunk"]},
    "advanced": {
        "keep_awake_plugged_in": True,
        "intervals": {"driving": 10, "charging": 300, "in_use": 45},
    },
}
"""Other options of a vehicle than the usual ones, by the steps with their forms."""
PRICE: Final = {"unit_of_measurement": "EUR/kWh"}
LINK: Final = "[x](http://evil.example)"
ESCAPED_LINK: Final = r"\[x\](http\://evil.example)"


@pytest.fixture
def cars() -> int:
    return 2


@pytest.fixture
async def second_service(freezer: FrozenDateTimeFactory) -> AsyncIterator[Simulator]:
    """The same account at another address and with another token."""
    service = Simulator(vehicles=2, seed=0, token=NEW_TOKEN)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
def flow(empty_home: Home) -> Flow:
    return Flow(empty_home)


@pytest.fixture
async def entry(flow: Flow) -> ConfigEntry:
    """An account with the first of its two cars."""
    return await account_in_state(flow)


@pytest.fixture
def setup_calls() -> Iterator[AsyncMock]:
    with patch.object(integration, "async_setup_entry", wraps=integration.async_setup_entry) as setup:
        yield setup


async def account_in_state(flow: Flow, state: ConfigEntryState = ConfigEntryState.LOADED) -> ConfigEntry:
    """Add an account with the first of its two cars. Its setup fails if the state is not LOADED."""
    faults = flow.home.simulator.faults
    await flow.start_account()
    if state is not ConfigEntryState.LOADED:
        faults.answer(401 if state is ConfigEntryState.SETUP_ERROR else 500, times=100)
    await flow.home.run_until_complete(flow.submit(vehicles=[str(flow.home.car.id)]))
    faults.clear()
    assert flow.home.entry.state is state
    return flow.home.entry


def other_car() -> SimulatedVehicle:
    return Simulator(vehicles=1, seed=1).vehicles[0]


def serve_list(service: Simulator, *cars: SimulatedVehicle) -> None:
    """Let a service list these cars, without their names."""
    records = [{"id": car.id, "id_s": str(car.id), "vin": car.vin, "state": "online"} for car in cars]
    service.faults.serve("GET", LIST, {"response": records, "count": len(records)})


def serve_record(service: Simulator, car: SimulatedVehicle, record: Mapping[str, Any] | None) -> None:
    """Let a service have this record of a car, whose VIN is known by default, or no record of it."""
    response = None if record is None else {"id": car.id, "vin": car.vin, "state": "online", **record}
    status = 404 if record is None else 200
    service.faults.serve("GET", f"{LIST}/{car.id}", {"response": response}, status)


def stored_vehicles(entry: ConfigEntry) -> dict[str | None, dict[str, Any]]:
    """Return the stored data of an account's vehicles by unique ID."""
    return {subentry.unique_id: dict(subentry.data) for subentry in entry.subentries.values()}


def stored_data(car: SimulatedVehicle, *, keep_positions: bool = True) -> dict[str, Any]:
    return {"id": str(car.id), "vin": car.vin, "name": car.name, "keep_positions": keep_positions}


# Accounts with a vehicle list


async def test_new_account_stores_its_address_and_token_without_pasted_additions(flow: Flow) -> None:
    url = flow.home.simulator.url
    await flow.start_account(base_url=f"  {url}/api/1/\n", access_token=f" {TOKEN}\n")
    assert flow.step == "vehicles"
    await flow.submit(vehicles=[])
    assert flow.errors == {"vehicles": "no_vehicle_chosen"}
    # All vehicles are selected by default.
    await flow.submit()
    assert flow.is_created
    entry = flow.home.entry
    assert entry.data == {"service": "other", "base_url": url, "access_token": TOKEN}
    assert entry.options == {}
    assert entry.title == "127.0.0.1"
    assert [
        (subentry.subentry_type, subentry.title, subentry.unique_id, dict(subentry.data))
        for subentry in entry.subentries.values()
    ] == [("vehicle", car.name, car.vin, stored_data(car)) for car in flow.home.simulator.vehicles]
    assert entry.state is ConfigEntryState.LOADED
    # The first read provides the unique ID.
    assert entry.unique_id is not None


@pytest.mark.parametrize(
    "other",
    [
        {"id": 2, "vin": "5YJ3E1EA7LF000001"},
        {"id": 1, "vin": "5YJ3E1EA7LF000001"},
        {"id": 2, "vin": "5yj3e1ea7lf000001"},
        {"id": 1, "vin": "5YJ3E1EA7LF000002"},
    ],
    ids=["other id", "same record", "other case", "other VIN"],
)
async def test_car_that_is_listed_twice_is_one_car(flow: Flow, other: Mapping[str, Any]) -> None:
    """A VIN belongs to one car, whatever the case of its letters, and so does an id."""
    records = [{"id": 1, "vin": "5YJ3E1EA7LF000001", "display_name": "First"}, other]
    flow.home.simulator.faults.serve("GET", LIST, {"response": records, "count": 2})
    await flow.start_account()
    await flow.submit()
    assert flow.is_created
    titles = {each.unique_id: each.title for each in flow.home.entry.subentries.values()}
    assert titles == {"5YJ3E1EA7LF000001": "First"}
    await flow.home.advance(65)
    assert issue_keys(flow.home) == []


async def use_energy_dashboard(hass: HomeAssistant, *sources: Any) -> None:
    """Let the Energy dashboard have these sources, or none before its owner has set it up."""
    hass.config.components.add("energy")
    manager = await async_get_manager(hass)
    if sources:
        preferences: Any = {"energy_sources": [*sources]}
        await manager.async_update(preferences)


def grid(price_entity: str | None) -> dict[str, Any]:
    return {"type": "grid", "stat_energy_from": "sensor.grid", "entity_energy_price": price_entity}


async def test_price_sensor_of_energy_dashboard_is_suggested_and_stored_for_each_vehicle(flow: Flow) -> None:
    solar = {"type": "solar", "stat_energy_from": "sensor.solar"}
    await use_energy_dashboard(flow.home.hass, solar, grid(None), grid("sensor.price"), grid("sensor.other"))
    flow.home.hass.states.async_set("sensor.price", "0.26", PRICE)
    await flow.start_account()
    assert flow.step == "vehicles"
    assert flow.values["price_entity"] == "sensor.price"
    assert flow.offered_prices == {"sensor.price"}
    await flow.submit(**flow.values)
    stored = stored_vehicles(flow.home.entry).values()
    assert [each["price_entity"] for each in stored] == ["sensor.price", "sensor.price"]
    assert "price_entity" not in flow.home.entry.options
    now = dt_util.utcnow().timestamp()
    for vehicle in flow.home.entry.runtime_data.vehicles.values():
        assert vehicle.log_manager.log.prices.mean(now, now) == 0.26


@pytest.mark.parametrize("sources", [(), (grid(None),)])
async def test_no_price_sensor_is_needed(flow: Flow, sources: Sequence[Any]) -> None:
    await use_energy_dashboard(flow.home.hass, *sources)
    await flow.start_account()
    assert "price_entity" not in flow.values
    assert flow.offered_prices == set()
    await flow.submit(**flow.values)
    assert all("price_entity" not in each for each in stored_vehicles(flow.home.entry).values())


async def test_sensor_without_a_price_for_new_account_is_an_error_and_can_be_removed(flow: Flow) -> None:
    flow.home.hass.states.async_set("sensor.wrong", "21.5", {"unit_of_measurement": "°C"})
    await flow.start_account()
    entered = {**flow.values, "price_entity": "sensor.wrong"}
    await flow.submit(**entered)
    assert (flow.step, flow.errors) == ("vehicles", {"price_entity": "no_price"})
    assert flow.placeholders["detail"] == "21.5 °C"
    assert flow.values == entered
    del entered["price_entity"]
    await flow.submit(**entered)
    assert flow.is_created


async def test_car_whose_vin_is_listed_in_lower_case_is_known(flow: Flow) -> None:
    """It is not offered as a new car, and not added again."""
    await flow.home.set_up()
    records = [{"id": car.id, "vin": car.vin.lower()} for car in flow.home.simulator.vehicles]
    flow.home.simulator.faults.serve("GET", LIST, {"response": records, "count": 2})
    await flow.home.restart()
    await flow.home.advance(65)
    assert issue_keys(flow.home) == []
    await flow.start_account()
    assert flow.abort_reason == "already_configured"


async def test_name_of_a_car_is_one_line(flow: Flow) -> None:
    records = [{"id": 1, "vin": "5YJ3E1EA7LF000001", "display_name": "Car\n2026-05-04 ERROR\u202e forged"}]
    flow.home.simulator.faults.serve("GET", LIST, {"response": records, "count": 1})
    await flow.start_account()
    await flow.submit()
    (subentry,) = flow.home.entry.subentries.values()
    assert subentry.title == "Car 2026-05-04 ERROR forged"


async def test_forms_ignore_blueprints_which_scripts_for_an_older_version_submit(flow: Flow) -> None:
    await flow.start_account()
    await flow.submit(blueprints=True)
    await flow.start("simulator")
    await flow.submit(with_past=False, blueprints=True)
    assert [entry.options for entry in flow.home.hass.config_entries.async_entries(DOMAIN)] == [{}, {}]


async def test_empty_list_adds_no_account_and_one_without_vins_asks_for_an_id(flow: Flow) -> None:
    serve_list(flow.home.simulator)
    await flow.start_account()
    assert flow.errors == {"base": "no_vehicles"}
    records = [{"id": flow.home.car.id, "vehicle_id": 7, "state": "online"}]
    flow.home.simulator.faults.serve("GET", LIST, {"response": records})
    await flow.submit_account()
    assert flow.step == "vehicle"


async def test_same_account_can_not_be_added_twice(flow: Flow, entry: ConfigEntry) -> None:
    flow.home.simulator.requests.clear()
    await flow.start_account()
    assert flow.abort_reason == "already_configured"
    assert not flow.home.requests()


async def test_vehicle_that_another_flow_added_is_not_added(flow: Flow, second_service: Simulator) -> None:
    first, second = flow.home.simulator.vehicles
    await flow.start_account()
    second_flow = Flow(flow.home)
    await second_flow.start_account(base_url=second_service.url, access_token=NEW_TOKEN)
    await second_flow.submit(vehicles=[str(first.id)])
    await flow.submit(vehicles=[str(first.id)])
    assert flow.errors == {"vehicles": "no_vehicle_chosen"}
    assert flow.offered_vehicles == [str(second.id)]
    await second_flow.start_add_vehicle(flow.home.entry)
    await second_flow.submit(id=str(second.id))
    await flow.submit(vehicles=[str(second.id)])
    assert flow.abort_reason == "already_configured"


# Vehicles by ID: of a new account, and of an existing one


@pytest.fixture
def unlisted(simulator: SimulatedService) -> SimulatedService:
    """A service that does not list its vehicles."""
    simulator.switches.list = False
    return simulator


@pytest.fixture(params=["new account", "existing account"])
async def car_by_id(request: pytest.FixtureRequest, flow: Flow) -> SimulatedVehicle:
    """Open the form for an ID, which a service without a list requires, and return the car to add."""
    simulator = flow.home.simulator
    if request.param == "new account":
        simulator.switches.list = False
        await flow.start_account()
        assert flow.step == "vehicle"
    else:
        entry = await account_in_state(flow)
        simulator.switches.list = False
        await flow.start_add_vehicle(entry)
        assert flow.step == "user"
    return simulator.vehicles[1]


async def test_every_error_shows_at_the_id_of_the_car(flow: Flow, car_by_id: SimulatedVehicle) -> None:
    faults, form = flow.home.simulator.faults, flow.step
    flow.home.simulator.requests.clear()
    await flow.submit(id="abc")
    assert (flow.step, flow.errors) == (form, {"id": "invalid_id"})
    assert not flow.home.requests(f"{LIST}/")
    await flow.submit(id="1")
    assert (flow.step, flow.errors) == (form, {"id": "not_found"})
    faults.remove("vin")
    await flow.submit(id=str(car_by_id.id))
    assert (flow.step, flow.errors) == (form, {"id": "no_vin"})
    faults.clear()
    # The detail is not escaped, because the errors of a form are plain text.
    for status, error, key in (
        (401, "mobile_access_disabled", "mobile_access_disabled"),
        (403, LINK, "permission_denied"),
        (500, "internal", "service_down"),
    ):
        faults.answer(status, body={"response": None, "error": error}, only=str(car_by_id.id))
        await flow.submit(id=str(car_by_id.id))
        assert (flow.step, flow.errors, flow.placeholders["detail"]) == (form, {"id": key}, error)
    await flow.submit(id=f" {car_by_id.id} ")
    assert flow.is_created
    assert stored_vehicles(flow.home.entry)[car_by_id.vin] == stored_data(car_by_id)
    assert flow.home.entry.state is ConfigEntryState.LOADED


async def test_wake(flow: Flow, car_by_id: SimulatedVehicle, caplog: pytest.LogCaptureFixture) -> None:
    """A car that must be awake to be identified is woken after confirmation, which can be repeated."""
    caplog.set_level(logging.DEBUG)
    form, faults = flow.step, flow.home.simulator.faults
    serve_record(flow.home.simulator, car_by_id, None)
    car_by_id.fall_asleep()
    await flow.submit(id=str(car_by_id.id))
    assert flow.step == "wake"
    assert "is read, to learn its VIN" in caplog.text
    assert not flow.home.requests("wake_up")
    car_by_id.mobile_enabled = False
    await flow.submit()
    assert (flow.step, flow.errors) == ("wake", {"base": "mobile_access_disabled"})
    assert flow.placeholders["detail"] == "mobile_access_disabled"
    car_by_id.mobile_enabled = True
    faults.remove("vin")
    await flow.submit()
    assert (flow.step, flow.errors) == (form, {"id": "no_vin"})
    faults.clear()
    serve_record(flow.home.simulator, car_by_id, None)
    car_by_id.fall_asleep()
    # What its owner says about positions is kept until the car is identified.
    await flow.submit(id=str(car_by_id.id), keep_positions=False)
    flow.home.simulator.requests.clear()
    await flow.submit()
    assert flow.is_created
    assert stored_vehicles(flow.home.entry)[car_by_id.vin] == stored_data(car_by_id, keep_positions=False)
    assert len(flow.home.requests("wake_up")) == 1


async def test_read_only_account_wakes_no_car(flow: Flow, entry: ConfigEntry, unlisted: Simulator) -> None:
    _, second = unlisted.vehicles
    serve_record(unlisted, second, None)
    second.fall_asleep()
    await flow.start_account_options(entry)
    await flow.submit(read_only=True, advanced={})
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(second.id))
    assert (flow.step, flow.errors) == ("user", {"id": "asleep"})
    second.wake()
    await flow.submit(id=str(second.id))
    assert flow.is_created
    assert not flow.home.requests("wake_up")


async def test_configured_car_is_not_added_by_id(flow: Flow, entry: ConfigEntry, unlisted: Simulator) -> None:
    unlisted.token = NEW_TOKEN
    await flow.start_account()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.abort_reason == "already_configured"
    unlisted.token = TOKEN
    await flow.start_add_vehicle(entry)
    await flow.submit(id=str(flow.home.car.id))
    assert flow.abort_reason == "already_configured"


async def test_web_server_whose_404_is_not_json_is_not_a_service_without_a_list(flow: Flow) -> None:
    faults = flow.home.simulator.faults
    faults.answer(404, body="404: Not Found", times=2)
    await flow.start_account()
    assert (flow.step, flow.errors) == ("address", {"base_url": "malformed_answer"})
    faults.answer(404, body="404: Not Found")
    faults.answer(200, body="<html></html>")
    await flow.submit_account()
    assert (flow.step, flow.errors) == ("address", {"base_url": "malformed_answer"})
    # Only the list of this service has such a response. It refuses an unknown id in another way.
    faults.answer(404, body="404: Not Found")
    faults.answer(400)
    await flow.submit_account()
    assert flow.step == "vehicle"
    entry = await account_in_state(flow)
    faults.answer(404, body="404: Not Found", times=2)
    await flow.start_reconfigure(entry)
    await flow.submit_account()
    assert flow.errors == {"base_url": "malformed_answer"}


async def test_new_account_without_list(flow: Flow, unlisted: SimulatedService) -> None:
    """The form keeps the ID after an error. If the error is an invalid token, the account form returns."""
    car = flow.home.car
    await flow.start_account()
    await flow.submit(id="abc", keep_positions=False)
    assert flow.values == {"id": "abc", "keep_positions": False}
    unlisted.faults.remove("vin")
    await flow.submit(id=str(car.id))
    assert flow.values == {"id": str(car.id), "keep_positions": True}
    unlisted.token = NEW_TOKEN
    await flow.submit(id=str(car.id))
    assert (flow.step, flow.errors) == ("address", {"access_token": "invalid_token"})
    unlisted.faults.clear()
    await flow.submit_account()
    await flow.submit(id=str(car.id))
    assert flow.is_created


@pytest.mark.parametrize(
    ("record", "profile"), [(None, "current-2019"), (None, "legacy-2018"), ({"vin": None}, "current-2019")]
)
async def test_live_data_identifies_a_car(flow: Flow, unlisted: Simulator, record: Any, profile: Any) -> None:
    unlisted.switches.profile = profile
    serve_record(unlisted, flow.home.car, record)
    await flow.start_account()
    await flow.submit(id=str(flow.home.car.id))
    assert flow.is_created
    assert stored_vehicles(flow.home.entry) == {flow.home.car.vin: stored_data(flow.home.car)}


# Address and token


# Unencrypted connections


async def test_only_insecure_address_gets_nothing_before_the_confirmation(
    flow: Flow, remote_host: None, closed_port: int
) -> None:
    await flow.start_account(base_url=f"127.0.0.1:{closed_port}")
    assert flow.errors == {"base_url": "cannot_connect"}
    assert flow.values == {"base_url": f"https://127.0.0.1:{closed_port}"}
    await flow.submit_account(base_url="http://www.car.example")
    assert flow.step == "insecure"
    assert flow.placeholders == {"host": r"www\.car.example"}
    await flow.submit(next_step_id="change_address")
    assert flow.step == "address"
    assert flow.values == {"base_url": "http://www.car.example"}
    await flow.submit_account(access_token="not-the-token")
    assert flow.step == "insecure"
    assert not flow.home.requests()
    await flow.submit(next_step_id="connect")
    assert (flow.step, flow.errors) == ("address", {"access_token": "invalid_token"})
    await flow.submit_account()
    await flow.submit(next_step_id="connect")
    await flow.submit()
    assert flow.is_created


async def test_form_with_the_address_to_change_opens_its_section(flow: Flow, remote_host: None) -> None:
    await flow.start("account", "tessie")
    assert flow.is_collapsed("addresses")
    await flow.submit(access_token=TOKEN, addresses={"base_url": "http://www.car.example"})
    await flow.submit(next_step_id="change_address")
    assert not flow.is_collapsed("addresses")


# Simulated accounts


async def add_simulated_account(flow: Flow, **values: int) -> ConfigEntry:
    await flow.start("simulator")
    await flow.submit(with_past=False, **values)
    assert flow.is_created
    return flow.home.hass.config_entries.async_entries(DOMAIN)[-1]


async def test_simulated_accounts(flow: Flow) -> None:
    """An account stores the simulator's settings, and its cars differ from those of other accounts."""
    first = await add_simulated_account(flow, vehicles=3)
    second = await add_simulated_account(flow, vehicles=2)
    assert (first.title, second.title) == ("Simulator", "Simulator 2")
    assert first.data == {"simulator": {"vehicles": 3, "seed": 0}}
    assert len(first.subentries) == 3
    names = [{car["name"] for car in stored_vehicles(entry).values()} for entry in (first, second)]
    assert names[0].isdisjoint(names[1])


async def test_every_simulated_service_of_a_flow_or_setup_is_stopped_again(flow: Flow) -> None:
    with (
        patch.object(Simulator, "start", autospec=True, side_effect=Simulator.start) as start,
        patch.object(Simulator, "stop", autospec=True, side_effect=Simulator.stop) as stop,
    ):
        entry = await add_simulated_account(flow)
        # Reauthentication starts a new service. It does not ask for a token.
        await flow.start_reauth(entry)
        assert (flow.step, flow.values) == ("reauth_simulator", {})
        await flow.submit()
        assert flow.abort_reason == "reauth_successful"
        assert entry.state is ConfigEntryState.LOADED
        await flow.home.hass.config_entries.async_unload(entry.entry_id)
    assert start.call_count == stop.call_count > 0


@pytest.mark.parametrize("keep_positions", [True, False])
async def test_every_form_that_adds_cars_asks_about_positions(flow: Flow, *, keep_positions: bool) -> None:
    first, second = flow.home.simulator.vehicles
    answer = {} if keep_positions else {"keep_positions": False}
    await flow.start_account()
    await flow.submit(vehicles=[str(first.id)], **answer)
    await flow.start_add_vehicle(flow.home.entry)
    await flow.submit(id=str(second.id), **answer)
    simulated = await add_simulated_account(flow, vehicles=2, **answer)
    await flow.start_add_vehicle(simulated)
    await flow.submit(**answer)
    stored = [*stored_vehicles(flow.home.entry).values(), *stored_vehicles(simulated).values()]
    assert [data["keep_positions"] for data in stored] == [keep_positions] * 5
    assert not any("keep_positions" in {**each.data, **each.options} for each in (flow.home.entry, simulated))


async def test_deleted_simulated_vehicle_can_be_added_again_with_the_same_data(flow: Flow) -> None:
    entry = await add_simulated_account(flow, vehicles=3)
    before = stored_vehicles(entry)
    first, second, third = entry.subentries.values()
    for subentry in (first, third):
        flow.home.hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
        await flow.home.idle()
    assert stored_vehicles(entry).keys() == {second.unique_id}
    await flow.start_add_vehicle(entry)
    assert flow.offered_vehicles == [first.data["id"], third.data["id"]]
    await flow.submit(id=third.data["id"])
    assert flow.is_created
    assert stored_vehicles(entry)[third.unique_id] == before[third.unique_id]
    assert flow.home.shown("lock", "vehicle_state.locked", third.unique_id).state == "locked"
    await flow.home.hass.config_entries.async_unload(entry.entry_id)
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == "not_loaded"


async def test_full_simulated_account_can_get_another_vehicle_up_to_ten(flow: Flow) -> None:
    entry = await add_simulated_account(flow, vehicles=9)
    before = stored_vehicles(entry)
    await flow.start_add_vehicle(entry)
    assert flow.step == "simulated"
    await flow.submit()
    assert flow.is_created
    assert len(stored_vehicles(entry)) == 10
    assert before.items() <= stored_vehicles(entry).items()
    (vin,) = stored_vehicles(entry).keys() - before.keys()
    assert flow.home.shown("lock", "vehicle_state.locked", vin).state == "locked"
    assert issue_keys(flow.home) == []
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == "simulator_full"


async def test_new_car_of_a_simulated_account_is_reported_like_a_real_one(flow: Flow) -> None:
    entry = await add_simulated_account(flow, vehicles=2)
    before = stored_vehicles(entry)
    await flow.start_reconfigure(entry)
    assert flow.values == {"vehicles": 2, "token_expires": False}
    await flow.submit(vehicles=3)
    assert flow.abort_reason == "reconfigure_successful"
    assert entry.state is ConfigEntryState.LOADED
    assert stored_vehicles(entry) == before
    assert issue_keys(flow.home) == ["new_vehicle"]
    await flow.start_add_vehicle(entry)
    assert len(flow.offered_vehicles) == 1


# Reauthentication


async def is_working(entry: ConfigEntry) -> bool:
    """Return whether the account is loaded and its vehicles can be read."""
    vehicles = entry.runtime_data.vehicles.values()
    for vehicle in vehicles:
        await vehicle.async_refresh()
    return entry.state is ConfigEntryState.LOADED and all(vehicle.last_update_success for vehicle in vehicles)


@pytest.mark.parametrize(
    ("state", "token"),
    [
        (ConfigEntryState.LOADED, NEW_TOKEN),
        (ConfigEntryState.LOADED, TOKEN),
        (ConfigEntryState.SETUP_ERROR, NEW_TOKEN),
        (ConfigEntryState.SETUP_RETRY, TOKEN),
    ],
)
async def test_new_token(flow: Flow, setup_calls: AsyncMock, state: ConfigEntryState, token: str) -> None:
    entry = await account_in_state(flow, state)
    flow.home.simulator.token = token
    await flow.start_reauth(entry)
    assert flow.step == "reauth_confirm"
    setup_calls.reset_mock()
    await flow.submit(access_token=f"{token} ")
    assert flow.abort_reason == "reauth_successful"
    assert entry.data == {"service": "other", "base_url": flow.home.simulator.url, "access_token": token}
    assert await is_working(entry)
    assert setup_calls.call_count == 1
    assert not flow.home.hass.config_entries.flow.async_progress()


@pytest.mark.parametrize(("form", "field"), [("reauth_confirm", "access_token"), ("reconfigure", "base_url")])
async def test_access_to_another_account(flow: Flow, entry: ConfigEntry, form: str, field: str) -> None:
    """Access that fails or knows no vehicle of the account is not stored, and can be entered again."""
    simulator, before = flow.home.simulator, dict(entry.data)
    simulator.token = NEW_TOKEN
    await (flow.start_reconfigure(entry) if form == "reconfigure" else flow.start_reauth(entry))
    access = {field: simulator.url} | {"access_token": NEW_TOKEN}
    for status, errors in ((401, {"access_token": "invalid_token"}), (500, {field: "service_down"})):
        simulator.faults.answer(status)
        await flow.submit(**access)
        assert (flow.step, flow.errors) == (form, errors)
        assert flow.values.get("base_url", simulator.url) == simulator.url
    serve_list(simulator, other_car())
    await flow.submit(**access)
    assert flow.errors == {field: "wrong_account"}
    assert entry.data == before
    simulator.faults.clear()
    await flow.submit(**access)
    assert flow.abort_reason == f"{form.removesuffix('_confirm')}_successful"


async def test_any_token_is_accepted_without_a_vehicle(flow: Flow, entry: ConfigEntry) -> None:
    await flow.home.remove_car(flow.home.car.vin)
    serve_list(flow.home.simulator, other_car())
    await flow.start_reauth(entry)
    await flow.submit(access_token=TOKEN)
    assert flow.abort_reason == "reauth_successful"


# Reconfiguration


@pytest.mark.parametrize("state", [ConfigEntryState.LOADED, ConfigEntryState.SETUP_RETRY])
async def test_account_works_in_every_state_after_a_new_address(
    flow: Flow, setup_calls: AsyncMock, state: ConfigEntryState, second_service: Simulator
) -> None:
    entry = await account_in_state(flow, state)
    await flow.home.simulator.stop()
    await flow.start_reconfigure(entry)
    assert flow.step == "reconfigure"
    setup_calls.reset_mock()
    await flow.submit(base_url=f"{second_service.url}/", access_token=f" {NEW_TOKEN}")
    assert flow.abort_reason == "reconfigure_successful"
    account = {"base_url": second_service.url, "access_token": NEW_TOKEN}
    assert entry.data == {"service": "other", **account}
    assert await is_working(entry)
    assert setup_calls.call_count == 1


async def test_unencrypted_address_is_allowed_only_if_it_is_the_current_one(
    flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock, remote_host: None
) -> None:
    await flow.start_reconfigure(entry)
    assert flow.values == {"service": "other", "base_url": flow.home.simulator.url}
    flow.home.simulator.requests.clear()
    for entered, key in (("https://user@host", "invalid_url"), ("http://car.example", "insecure_url")):
        await flow.submit_account(base_url=entered)
        assert flow.errors == {"base_url": key}
        assert flow.values == {"service": "other", "base_url": entered}
        assert not flow.home.requests()
    setup_calls.reset_mock()
    await flow.submit_account()
    assert flow.abort_reason == "reconfigure_successful"
    assert setup_calls.call_count == 1


@pytest.mark.parametrize(
    ("record", "is_accepted"),
    # Without a VIN, the next live read identifies the account.
    [({}, True), ({"vin": other_car().vin}, False), ({"vin": None}, True), (None, True)],
)
async def test_vehicle_records_show_whether_an_address_without_list_is_the_same_account(
    flow: Flow, entry: ConfigEntry, second_service: Simulator, record: Any, *, is_accepted: bool
) -> None:
    second_service.switches.list = False
    serve_record(second_service, flow.home.car, record)
    await flow.start_reconfigure(entry)
    await flow.submit(base_url=second_service.url, access_token=NEW_TOKEN)
    if is_accepted:
        assert flow.abort_reason == "reconfigure_successful"
        assert await is_working(entry)
    else:
        assert flow.errors == {"base_url": "wrong_account"}


# Adding a vehicle from the list


async def test_add_from_list(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    """A vehicle that is not configured yet can be added. One reload of the account adds its entities."""
    assert entry.supported_subentry_types.keys() == {"vehicle"}
    first, second = flow.home.simulator.vehicles
    setup_calls.reset_mock()
    await flow.start_add_vehicle(entry)
    assert flow.offered_vehicles == [str(second.id)]
    await flow.submit(id=str(second.id))
    assert flow.is_created
    assert stored_vehicles(entry) == {first.vin: stored_data(first), second.vin: stored_data(second)}
    assert [subentry.title for subentry in entry.subentries.values()] == [first.name, second.name]
    assert setup_calls.call_count == 1
    assert flow.home.shown("lock", "vehicle_state.locked", second.vin).state == "locked"
    added = entry.get_subentries_of_type("vehicle")[1]
    assert any(entity.config_subentry_id == added.subentry_id for entity in flow.home.entities())
    await flow.start_add_vehicle(entry)
    assert flow.abort_reason == "already_configured"


async def test_names_and_the_detail_of_an_abort_can_not_create_links(flow: Flow, entry: ConfigEntry) -> None:
    flow.home.simulator.faults.answer(403, body={"response": None, "error": LINK})
    await flow.start_add_vehicle(entry)
    assert (flow.abort_reason, flow.placeholders["detail"]) == ("permission_denied", ESCAPED_LINK)
    config_entries = flow.home.hass.config_entries
    config_entries.async_update_entry(entry, title=LINK)
    config_entries.async_update_subentry(entry, next(iter(entry.subentries.values())), title=LINK)
    await flow.home.idle()
    for start in (flow.start_reauth, flow.start_account_options, flow.start_vehicle_options):
        await start(entry)
        assert flow.placeholders["name"] == ESCAPED_LINK


# Options


async def test_frunk_can_be_closed_while_options_say_it_is_powered(flow: Flow, entry: ConfigEntry) -> None:
    opens, closes = CoverEntityFeature.OPEN, CoverEntityFeature.CLOSE
    for options, features in (({}, opens), ({"powered_lids": ["frunk"]}, opens | closes), ({}, opens)):
        await flow.start_vehicle_options(entry, "commands")
        await flow.submit(**options)
        assert flow.abort_reason == "reconfigure_successful"
        assert flow.home.shown("cover", "vehicle_state.ft").attributes["supported_features"] == features


async def test_vehicle_options_need_no_reload(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    setup_calls.reset_mock()
    car, (vehicle,) = flow.home.car, entry.runtime_data.vehicles.values()
    defaults: dict[str, Any] = {
        "price": {},
        "charging_plan": {"charge_without_break": False, "least_amps": 5},
        "keep_positions": {"keep_positions": True},
        "commands": {"wake_for_commands": True, "read_only": False},
        "advanced": {
            "keep_awake_plugged_in": False,
            "intervals": {"driving": 60, "charging": 300, "in_use": 60},
        },
    }
    expected = stored_data(car)
    for step, values in defaults.items():
        await flow.start_vehicle_options(entry, step)
        assert flow.values == values
        await flow.submit(**values)
        expected |= values
    assert stored_vehicles(entry) == {car.vin: expected}
    assert vehicle.known.options == VehicleOptions(keep_positions=True)
    for step, values in VEHICLE_OPTIONS.items():
        # A browser may send numbers of another type.
        sent = (
            {"intervals": {"driving": 10.0, "charging": "300", "in_use": 45.5}} if step == "advanced" else {}
        )
        await flow.start_vehicle_options(entry, step)
        await flow.submit(**values | sent)
        expected |= values
        assert stored_vehicles(entry) == {car.vin: expected}
        await flow.start_vehicle_options(entry, step)
        assert flow.values == values
    assert {type(seconds) for seconds in stored_vehicles(entry)[car.vin]["intervals"].values()} == {int}
    stored = stored_vehicles(entry)[car.vin]
    assert vehicle.known.options == VehicleOptions.from_subentry(stored, AccountOptions())
    assert vehicle.known.options.departures == {5: None, 6: None, 0: time(5, 30)}
    await flow.start_vehicle_options(entry)
    await flow.submit()
    assert stored_vehicles(entry)[car.vin].keys() == expected.keys() - VEHICLE_OPTIONS["price"].keys()
    entries, (subentry,) = flow.home.hass.config_entries, entry.subentries.values()
    entries.async_update_entry(entry, title="Ours")
    entries.async_update_subentry(entry, subentry, title="Ours")
    await flow.home.idle()
    devices = dr.async_entries_for_config_entry(dr.async_get(flow.home.hass), entry.entry_id)
    assert [device.name for device in devices if device.entry_type] == [vehicle.title] == ["Ours"]
    assert vehicle.log_manager.statistics.name == "Ours"
    assert not setup_calls.called


async def test_second_price_of_zone_is_an_error_and_can_be_corrected(flow: Flow, entry: ConfigEntry) -> None:
    places = [{"zone": "zone.work", "price": 0.3}, {"zone": "zone.work", "price": 0.4}]
    prices = {"price": 0.1, "price_places": places}
    await flow.start_vehicle_options(entry)
    await flow.submit(**prices)
    assert (flow.step, flow.errors) == ("price", {"price_places": "duplicate_price_place"})
    assert flow.values == prices
    await flow.submit(price_places=places[1:])
    assert flow.abort_reason == "reconfigure_successful"


@pytest.mark.parametrize(
    ("state", "attributes", "shown"),
    [
        ("cheap", {}, "cheap"),
        ("NaN", PRICE, "NaN EUR/kWh"),
        ("21.5", {"unit_of_measurement": "°C"}, "21.5 °C"),
        ("40", {"unit_of_measurement": "%"}, "40 %"),
        ("12345", {"unit_of_measurement": "kWh"}, "12345 kWh"),
        ("0.9", {"unit_of_measurement": "EUR/m³"}, "0.9 EUR/m³"),
        ("unavailable", {"unit_of_measurement": "W"}, "unavailable W"),
    ],
)
async def test_sensor_that_shows_no_price_is_an_error_and_can_be_corrected(
    flow: Flow, entry: ConfigEntry, state: str, attributes: Mapping[str, Any], shown: str
) -> None:
    """The error says what the sensor shows instead. The owner may have typed its entity ID."""
    flow.home.hass.states.async_set("sensor.wrong", state, attributes)
    before = stored_vehicles(entry)
    await flow.start_vehicle_options(entry)
    await flow.submit(price_entity="sensor.wrong")
    assert (flow.step, flow.errors) == ("price", {"price_entity": "no_price"})
    assert flow.placeholders["detail"] == shown
    assert stored_vehicles(entry) == before
    await flow.submit()
    assert flow.abort_reason == "reconfigure_successful"


@pytest.mark.parametrize(
    ("state", "unit", "price"),
    [
        ("0.26", "EUR/kWh", "0.26"),
        ("26.45678", "ct/kWh", "0.2646"),
        ("264.5678", "EUR/MWh", "0.2646"),
        ("-0.05", None, "-0.05"),
        ("1444.7", "Rp/kWh", "1444.7"),
    ],
)
async def test_saved_settings_say_which_price_was_read(
    flow: Flow, entry: ConfigEntry, state: str, unit: str | None, price: str
) -> None:
    flow.home.hass.states.async_set("sensor.price", state, {"unit_of_measurement": unit})
    await flow.start_vehicle_options(entry)
    await flow.submit(price_entity="sensor.price")
    assert flow.abort_reason == "price_read"
    assert flow.placeholders == {"price": price, "currency": "EUR", "hours": "0"}
    assert stored_vehicles(entry)[flow.home.car.vin]["price_entity"] == "sensor.price"


@pytest.mark.parametrize(("state", "price"), [("0.26", "0.26"), ("ready", "—")])
async def test_saved_settings_say_for_how_many_hours_prices_are_known(
    flow: Flow, entry: ConfigEntry, state: str, price: str
) -> None:
    """Hours that are over don't count. The charging plan uses the list of a sensor that shows a text, too."""
    hour = dt_util.utcnow().replace(minute=0, second=0, microsecond=0)
    hours = [hour + timedelta(hours=index) for index in range(-5, 38)]
    prices = [{"start": start.isoformat(), "price": 0.26} for start in hours]
    flow.home.hass.states.async_set("sensor.price", state, {**PRICE, "prices": prices})
    await flow.start_vehicle_options(entry)
    await flow.submit(price_entity="sensor.price")
    assert flow.abort_reason == "price_read"
    left = (hours[-1] + timedelta(hours=1) - dt_util.utcnow()) / timedelta(hours=1)
    assert flow.placeholders == {"price": price, "currency": "EUR", "hours": f"{left:.0f}"}


@pytest.mark.parametrize("state", ["unavailable", "unknown", None])
async def test_price_sensor_without_a_value_is_accepted(
    flow: Flow, entry: ConfigEntry, state: str | None
) -> None:
    """It may get one later. Then, the saved settings say which."""
    if state is not None:
        flow.home.hass.states.async_set("sensor.price", state, PRICE)
    await flow.start_vehicle_options(entry)
    await flow.submit(price_entity="sensor.price")
    assert flow.abort_reason == "reconfigure_successful"
    assert stored_vehicles(entry)[flow.home.car.vin]["price_entity"] == "sensor.price"
    flow.home.hass.states.async_set("sensor.price", "0.26", PRICE)
    await flow.start_vehicle_options(entry)
    await flow.submit(**flow.values)
    assert flow.abort_reason == "price_read"


async def test_only_entities_with_the_unit_of_a_price_or_none_are_offered(
    flow: Flow, entry: ConfigEntry
) -> None:
    for entity_id, unit in {
        "sensor.price": "ct/kWh",
        "sensor.template": None,
        "input_number.price": None,
        "number.price": "EUR/MWh",
        "sensor.temperature": "°C",
        "input_number.energy": "kWh",
        "input_text.price": None,
    }.items():
        flow.home.hass.states.async_set(entity_id, "1", {"unit_of_measurement": unit})
    await flow.start_vehicle_options(entry)
    own = {entity.entity_id for entity in flow.home.entities()}
    expected = {"sensor.price", "sensor.template", "input_number.price", "number.price"}
    assert flow.offered_prices - own == expected


def test_price_of_a_place_needs_a_zone_other_than_home() -> None:
    form = vehicle_options_schema("price", OTHER, [], "EUR")
    for place in ({"zone": "zone.work"}, {"price": 0.3}, {"zone": "zone.home", "price": 0.3}):
        with pytest.raises(vol.Invalid):
            form({"price_places": [place]})


def test_polling_intervals_out_of_range_are_rejected() -> None:
    account, vehicle = account_options_schema(OTHER), vehicle_options_schema("advanced", OTHER, [], "EUR")
    limits: tuple[tuple[int, int, Callable[[Any], object]], ...] = (
        (30, 600, lambda seconds: account({"advanced": {"interval": seconds}})),
        (10, 300, lambda seconds: vehicle({"intervals": {"driving": seconds}})),
    )
    for lowest, highest, set_interval in limits:
        set_interval(lowest)
        set_interval(highest)
        for invalid in (lowest - 1, highest + 1, "often"):
            with pytest.raises(vol.Invalid):
                set_interval(invalid)


async def test_sensors_of_the_house(flow: Flow, entry: ConfigEntry) -> None:
    await flow.start_account_options(entry)
    house: dict[str, Any] = {
        "surplus_entity": "sensor.export",
        "surplus_is_imported": False,
        "battery_entity": "sensor.battery",
        "battery_from": 60,
        "limit_entities": ["sensor.l1", "sensor.l2"],
        "limit": 32,
    }
    await flow.submit(house=house, advanced={})
    options = AccountOptions(house=HouseOptions(**house))
    assert entry.runtime_data.options == options
    assert options.house.entities == ("sensor.l1", "sensor.l2", "sensor.export", "sensor.battery")
    await flow.start_account_options(entry)
    assert flow.values["house"] == house


async def test_account_options_need_no_reload(flow: Flow, entry: ConfigEntry, setup_calls: AsyncMock) -> None:
    data = dict(entry.data)
    setup_calls.reset_mock()
    await flow.start_account_options(entry)
    assert flow.step == "init"
    house: dict[str, Any] = {"house": {"surplus_is_imported": False, "battery_from": 80}}
    limits: dict[str, Any] = {"interval": 300, "requests_per_day": 0, "live_reads_per_day": 0}
    assert flow.values == {"read_only": False, **house, "advanced": limits}
    assert flow.is_collapsed("advanced")
    await flow.submit(**flow.values)
    assert entry.runtime_data.options == AccountOptions()
    for interval in (120.0, 120):
        limits = {"interval": interval, "requests_per_day": 480, "live_reads_per_day": 161}
        await flow.start_account_options(entry)
        await flow.submit(read_only=True, advanced=limits)
        assert flow.is_created
        assert entry.options == {"read_only": True, **limits}
        assert isinstance(entry.options["interval"], int)
        await flow.start_account_options(entry)
        assert flow.values == {"read_only": True, **house, "advanced": limits}
    assert entry.runtime_data.options == AccountOptions(is_read_only=True, **limits)
    assert entry.data == data
    assert not setup_calls.called


async def test_each_form_keeps_the_options_that_version_1_0_0_stored(flow: Flow, entry: ConfigEntry) -> None:
    stored = json.loads((ROOT / "tests/fixtures/stored_by_1.0.0.json").read_text())["entries"][0]
    data = stored["subentries_data"][0]["data"] | stored_data(flow.home.car)
    entries, (subentry,) = flow.home.hass.config_entries, entry.subentries.values()
    entries.async_update_entry(entry, options=stored["options"])
    entries.async_update_subentry(entry, subentry, data=data)
    await flow.home.idle()
    for step in VEHICLE_OPTIONS:
        await flow.start_vehicle_options(entry, step)
        await flow.submit(**flow.values)
        assert stored_vehicles(entry)[flow.home.car.vin].items() >= data.items()
    await flow.start_account_options(entry)
    await flow.submit(**flow.values)
    assert entry.options.items() >= stored["options"].items()
