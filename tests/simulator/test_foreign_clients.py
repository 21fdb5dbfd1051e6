"""Clients that others wrote for services of this family work with the simulator unchanged."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from aiohttp import ClientSession
import pytest
from tesla_fleet_api import TeslaFleetApi, Teslemetry, Tessie, exceptions
from tesla_fleet_api.const import ClosureState
from tesla_fleet_api.tesla.vehicle.fleet import VehicleFleet
import teslapy

from custom_components.vehicle_remote_access.simulator import Simulator
from simulator_console.authorization import KEY_PATH, AuthorizationServer
from simulator_console.fast_clock import FastClock
from simulator_console.fleet_car import as_fleet_car
from simulator_console.fleet_commands import TESSIE_COMMANDS
from simulator_console.services import SimulatedService

from .conftest import TOKEN, Client, charge, send, serving
from .documented import COMMANDS, OBJECTS, Json
from .fleet_api import FLEET_COMMANDS, PLACE, prepare


def first_in(state: str, records: list[Json]) -> Json:
    return next(record for record in records if record["state"] == state)


@contextmanager
def teslapy_client(url: str, token: str) -> Iterator[teslapy.Tesla]:
    tokens = {"owner": {"url": url, "sso": {"access_token": token, "expires_at": 0}}}
    with (
        patch.object(teslapy, "BASE_URL", url),
        # It also reads the owner's orders, which the interface document does not have.
        patch.object(teslapy.Vehicle, "orders", [{"vin": ""}]),
        teslapy.Tesla("owner", cache_loader=lambda: tokens) as tesla,
    ):
        yield tesla


def use_teslapy(url: str) -> None:
    with (
        teslapy_client(url, "another-token") as tesla,
        pytest.raises(teslapy.HTTPError, match=r"^401 .* invalid_token"),
    ):
        tesla.api("VEHICLE_LIST")
    with teslapy_client(url, TOKEN) as tesla:
        records = tesla.api("VEHICLE_LIST")["response"]
        assert len({record["vin"] for record in records}) == 5
        sleeper = teslapy.Vehicle(first_in("asleep", records), tesla)
        with pytest.raises(teslapy.HTTPError, match=r"^408 .* vehicle is offline or asleep"):
            sleeper.get_vehicle_data()
        # It accepts both shapes of wake_up, because it reads the single record afterwards.
        sleeper.sync_wake_up(interval=0)
        assert sleeper.get_vehicle_data()["state"] == "online"
        car = teslapy.Vehicle(first_in("online", records), tesla)
        assert car.get_vehicle_data().keys() >= {"vin", *OBJECTS}
        for command, is_locked in (("UNLOCK", False), ("LOCK", True)):
            car.command(command)
            assert car.get_vehicle_data()["vehicle_state"]["locked"] is is_locked
        car.command("CHANGE_CHARGE_LIMIT", percent=70)
        assert car.get_vehicle_data()["charge_state"]["charge_limit_soc"] == 70


async def test_teslapy() -> None:
    service = Simulator(vehicles=5, token=TOKEN, clock=FastClock(60))
    async with serving(service):
        await asyncio.to_thread(use_teslapy, service.url)


CLIENTS: Final[dict[str, Any]] = {"tesla_fleet": TeslaFleetApi, "teslemetry": Teslemetry, "tessie": Tessie}


def connect(session: ClientSession, service: Simulator, token: str = TOKEN) -> TeslaFleetApi:
    """Return the client of tesla-fleet-api for a service."""
    if service.service == "tesla_fleet":
        return TeslaFleetApi(session, token, server=service.url)
    client: TeslaFleetApi = CLIENTS[service.service](session, token)
    client.server = service.url
    return client


def car_of(tesla: TeslaFleetApi, vin: str) -> VehicleFleet[Any]:
    """Return the car with a VIN. Each client has another name for this."""
    vehicles: Any = tesla.vehicles
    car: VehicleFleet[Any] = getattr(vehicles, "create", vehicles.createFleet)(vin)
    return car


@pytest.fixture(params=CLIENTS)
async def played_service(request: pytest.FixtureRequest) -> AsyncIterator[Simulator]:
    service = SimulatedService(request.param, vehicles=5, token=TOKEN, clock=FastClock(60))
    # These clients send more requests per simulated minute than the service allows.
    service.switches.rate_limit = 0
    async with serving(service):
        yield service


async def test_token_of_tesla_fleet_api(played_service: Simulator) -> None:
    is_fleet = played_service.service == "tesla_fleet"
    error = exceptions.OAuthExpired if is_fleet else exceptions.InvalidToken
    async with ClientSession() as session:
        with pytest.raises(error):
            await car_of(connect(session, played_service, token="another-token"), "").list()


async def test_tesla_fleet_api_can_list_wake_and_read_cars(played_service: Simulator) -> None:
    async with ClientSession() as session:
        tesla = connect(session, played_service)
        records = (await car_of(tesla, "").list())["response"]
        assert len({record["vin"] for record in records}) == 5
        sleeper = car_of(tesla, first_in("asleep", records)["vin"])
        if played_service.service == "tesla_fleet":
            with pytest.raises(exceptions.VehicleOffline, match=r"^The vehicle is not 'online'"):
                await sleeper.vehicle_data()
        else:
            assert (await sleeper.vehicle_data())["response"]["state"] == "asleep"
        await sleeper.wake_up()
        async with asyncio.timeout(10):
            # The client for Tessie has its own read with this name.
            while (await VehicleFleet.vehicle(sleeper))["response"]["state"] != "online":
                pass
        assert (await sleeper.vehicle_data())["response"]["state"] == "online"
        assert (await sleeper.mobile_enabled())["response"]["result"] is True
        data = (await sleeper.vehicle_data(["drive_state", "location_data"]))["response"]
        assert data.keys() & set(OBJECTS) == {"drive_state"}
        assert data["drive_state"].keys() >= {"latitude", "longitude", "shift_state"}


IN_ORDER: Final[dict[str, tuple[Any, ...]]] = {
    "actuate_trunk": ("rear",),
    "set_charge_limit": (70,),
    "set_temps": (20.5, 19),
    "set_valet_mode": (True, "0042"),
    "speed_limit_activate": ("0042",),
    "speed_limit_clear_pin": ("0042",),
    "speed_limit_deactivate": ("0042",),
    "speed_limit_set_limit": (60,),
    "sun_roof_control": ("vent",),
    "upcoming_calendar_entries": ('{"events": []}',),
    "window_control": ("close", PLACE["lat"], PLACE["lon"]),
    "trigger_homelink": (None, PLACE["lat"], PLACE["lon"]),
    "navigation_request": ("Concert hall",),
}
"""The arguments of methods that are not given the values of their commands by name."""
SEATS: Final = {"heater": "seat_position", "level": "seat_heater_level"}
"""Arguments that have other names than the values."""


@pytest.mark.parametrize(
    "command", [*COMMANDS, *(each for each in FLEET_COMMANDS if hasattr(VehicleFleet, each))]
)
async def test_tesla_fleet_api_can_send_every_command(command: str, played_service: Simulator) -> None:
    car = played_service.vehicles[0]
    car.charging.limit = 85
    prepare(car, command)
    if command == "charge_port_door_close":
        car.unplug()
    elif command in {"speed_limit_deactivate", "speed_limit_clear_pin"}:
        car.body.speed_limit.active, car.body.speed_limit.pin = True, "0042"
    values = {} if command in IN_ORDER else FLEET_COMMANDS.get(command, {})
    if command == "remote_seat_heater_request":
        values = {SEATS[name]: value for name, value in values.items()}
    # It derives these from the times.
    values = {name: value for name, value in values.items() if name not in {"start_enabled", "end_enabled"}}
    async with ClientSession() as session:
        client = car_of(connect(session, played_service), car.vin)
        # The client for Tessie has its own command with the name of one of these.
        answer = await getattr(VehicleFleet, command)(client, *IN_ORDER.get(command, ()), **values)
    expected = "not_charging" if command == "charge_stop" else ""
    assert answer["response"] == {"result": not expected, "reason": expected}
    assert not any(request.query for request in played_service.requests)


async def test_tesla_fleet_api_can_send_what_only_one_service_has(played_service: Simulator) -> None:
    car = as_fleet_car(played_service.vehicles[0])
    prepare(car, "open_tonneau")
    async with ClientSession() as session:
        client: Any = car_of(connect(session, played_service), car.vin)
        if played_service.service == "tessie":
            await client.open_tonneau()
            await client.enable_keep_accessory_power_mode()
            await client.enable_low_power_mode()
        elif played_service.service == "teslemetry":
            await client.closure(tonneau=ClosureState.OPEN)
            await client.set_keep_accessory_power_mode(on=True)
            await client.set_low_power_mode(on=True)
            await client.charge_on_solar(enabled=True, lower_charge_limit=30, upper_charge_limit=70)
            await client.dashcam_save()
            await client.auto_secure_vehicle()
            assert (car.schedules.solar, car.body.dashcam_clips) == ({"enabled": True, "limits": [30, 70]}, 1)
        assert (await VehicleFleet.recent_alerts(client))["response"] == {"recent_alerts": []}
        sites = (await VehicleFleet.nearby_charging_sites(client, count=1))["response"]
        assert len(sites["superchargers"]) == 1
    has_own = played_service.service != "tesla_fleet"
    assert (car.body.tonneau_open, car.body.accessory_power, car.body.low_power) == (has_own,) * 3


async def test_products_are_the_cars(played_service: Simulator) -> None:
    """Home Assistant's own integrations find cars, and which need signed commands, by their products."""
    async with ClientSession() as session:
        products = (await connect(session, played_service).products())["response"]
    newer = "required" if played_service.service == "tesla_fleet" else "allowed"
    expected = {car.vin: newer if car.model.name[-1] in "3Y" else "off" for car in played_service.vehicles}
    assert {product["vin"]: product["command_signing"] for product in products} == expected


teslemetry: Final = pytest.mark.parametrize("played_service", ["teslemetry"], indirect=True)
tessie: Final = pytest.mark.parametrize("played_service", ["tessie"], indirect=True)


@teslemetry
async def test_metadata_of_teslemetry_names_the_cars_and_scopes(played_service: Simulator) -> None:
    async with ClientSession() as session:
        client: Any = connect(session, played_service)
        metadata = await client.metadata(update_region=False)
    assert "vehicle_cmds" in metadata["scopes"]
    assert metadata["vehicles"].keys() == {car.vin for car in played_service.vehicles}
    assert all(car["access"] and car["config"]["car_type"] for car in metadata["vehicles"].values())


TESSIE_VALUES: Final[dict[str, dict[str, Any]]] = {
    "set_temperatures": {"temperature": 21},
    "set_seat_heat": {"seat": "front_left", "level": 2},
    "set_seat_cool": {"seat": "front_right", "level": 2},
    "set_charge_limit": {"percent": 70},
    "set_charging_amps": {"amps": 9},
    "set_climate_keeper_mode": {"mode": 2},
    "schedule_software_update": {"in_seconds": 60},
    "set_speed_limit": {"mph": 70},
    "share": {"value": "Concert hall"},
    "set_cabin_overheat_protection": {"on": "true", "fan_only": "false"},
    "set_bioweapon_mode": {"on": "true"},
    "enable_valet": {"pin": "0042"},
    "enable_speed_limit": {"pin": "0042"},
    "disable_speed_limit": {"pin": "0042"},
    "clear_speed_limit_pin": {"pin": "0042"},
}


@tessie
@pytest.mark.parametrize("command", TESSIE_COMMANDS)
async def test_tessie_carries_out_its_own_commands(command: str, played_service: Simulator) -> None:
    """The values are in the query. There is neither a body nor a content type."""
    car = played_service.vehicles[0]
    fleet_command = TESSIE_COMMANDS[command][0]
    prepare(car, fleet_command)
    if command == "stop_charging":
        charge(car)
    elif command == "close_charge_port":
        car.unplug()
    car.body.valet.on = command == "disable_valet"
    car.body.speed_limit.active, car.body.speed_limit.pin = command == "disable_speed_limit", "0042"
    values = TESSIE_VALUES.get(command, FLEET_COMMANDS.get(fleet_command, {}))
    query = {name: str(value).lower() for name, value in values.items()}
    async with ClientSession() as session:
        answer = await Client(session, played_service).post(f"/{car.vin}/command/{command}", params=query)
    assert answer.body == {"result": True, "reason": "", "woke": False}


@tessie
async def test_tessie_knows_the_last_state_of_all_cars_and_wakes_one(played_service: Simulator) -> None:
    async with ClientSession() as session:
        client: Any = connect(session, played_service)
        listed = {each["vin"]: each["last_state"] for each in (await client.list_vehicles())["results"]}
        assert listed.keys() == {car.vin for car in played_service.vehicles}
        vin = first_in("asleep", list(listed.values()))["vin"]
        assert (await client.vehicles.create(vin).state())["state"] == "asleep"
        # The library tessie-api sends GET.
        answer = (await Client(session, played_service).get(f"/{vin}/command/flash")).body
        assert answer == {"result": True, "reason": "", "woke": True}
        assert (await client.vehicles.create(vin).state())["state"] == "online"
        assert (await client.vehicles.create(vin).wake())["result"]
        assert "vehicle_cmds" in await client.scopes()


@pytest.mark.parametrize("played_service", ["tesla_fleet"], indirect=True)
async def test_client_registers_with_its_own_key(played_service: SimulatedService, tmp_path: Path) -> None:
    sign_in = AuthorizationServer(played_service, played_service.application)
    await sign_in.start()
    played_service.application.tokens.add("partner")
    async with ClientSession() as session:
        tesla = connect(session, played_service, token="partner")
        await tesla.get_private_key(str(tmp_path / "key"))
        async with session.put(sign_in.url + KEY_PATH, data=tesla.public_pem) as response:
            assert response.status == 200
        registered = await tesla.partner.register("cars.example.com")
    assert registered["response"]["public_key"] == tesla.public_uncompressed_point
    await sign_in.stop()


@tessie
async def test_car_that_charges_refuses_to_start(played_service: Simulator) -> None:
    """Clients know this reason, for example evcc. The interface document has another one."""
    assert send(charge(played_service.vehicles[0]), "charge_start") == "is_charging"
