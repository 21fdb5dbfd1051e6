"""The simulated service agrees with the interface document: endpoints, records, fields, types and nulls."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import (
    ControlError,
    ManualClock,
    SimulatedVehicle,
    Simulator,
)
from custom_components.vehicle_remote_access.simulator.http.commands import COMMANDS

from .conftest import Client, Reply
from .documented import (
    ENDPOINTS,
    FIELDS,
    FIXTURES,
    Json,
    Variant,
    differences,
    documented,
    full_record_fields,
    short_record_fields,
)

READS: Final[dict[str, tuple[Json, Variant]]] = {
    "data": (full_record_fields("legacy"), "legacy"),
    "vehicle_data": (full_record_fields("current"), "current"),
    "data_request/charge_state": (FIELDS["charge_state"], "current"),
    "data_request/climate_state": (FIELDS["climate_state"], "current"),
    "data_request/drive_state": (FIELDS["drive_state"], "current"),
    "data_request/gui_settings": (FIELDS["gui_settings"], "current"),
}
"""The fields and the variant of each live read."""
NULL_IN_EVERY_EXAMPLE: Final = [
    f"{record}.{name}"
    for record, fields in FIELDS.items()
    for name, field in fields.items()
    if field.get("null_in_every_example")
]


# The document's parts agree with each other.


@pytest.mark.parametrize(
    ("name", "fields", "variant"),
    [
        ("data", full_record_fields("legacy"), "legacy"),
        ("vehicle_data", full_record_fields("current"), "current"),
        ("wake_up", short_record_fields(), "current"),
    ],
)
def test_example_has_the_fields_of_the_tables(name: str, fields: Json, variant: Variant) -> None:
    """The document's example responses have exactly the fields of its tables."""
    response = documented(name)["response"]
    for record in response if isinstance(response, list) else [response]:
        assert differences(record, fields, variant) == []


def test_every_transcription_is_used() -> None:
    """Every file with a part of the document is used."""
    names = {path.stem.removeprefix("documented_") for path in FIXTURES.glob("documented_*.json")}
    assert names == {"fields", "endpoints", "data", "vehicle_data", "wake_up"}


# Records and fields


@dataclass(frozen=True)
class Situation:
    """How a car gets into a situation: by controls, then by commands, then by time."""

    act: Callable[[SimulatedVehicle], object] = lambda _: None
    commands: tuple[tuple[str, dict[str, str]], ...] = ()
    seconds: float = 0
    state: str = "online"
    shows: tuple[str, Any] | None = None
    """A field, with its value, that shows that the first car is in the situation."""


def free(car: SimulatedVehicle) -> SimulatedVehicle:
    """Return the car without a cable in its port."""
    with suppress(ControlError):
        car.unplug()
    return car


def plug_in(car: SimulatedVehicle, *, level: float = 40, fast: bool = False) -> SimulatedVehicle:
    """Return the car in a new charging session that started at a level."""
    free(car).set_level(level)
    car.plug_in(fast=fast)
    return car


def freeze(car: SimulatedVehicle) -> None:
    """Cool the car for some days, and heat the cabin with the cable in."""
    car.set_temperatures(inside=-25, outside=-25)
    plug_in(car)
    car.climate_keeper("on")


def open_everything(car: SimulatedVehicle) -> None:
    """Open every door and lid."""
    for name in ("df", "dr", "pf", "pr", "ft", "rt"):
        car.open(name)


def heat_every_seat(car: SimulatedVehicle) -> None:
    """Switch on every seat heater."""
    for level, seat in enumerate(("left", "right", "rear_left", "rear_center", "rear_right")):
        car.heat_seat(seat, level % 4)
    car.heat_seat("third_row_left", 1)
    car.heat_seat("third_row_right", 2)


SITUATIONS: Final[dict[str, Situation]] = {
    "at first": Situation(lambda car: car.wake()),
    "just woken": Situation(
        lambda car: (car.fall_asleep(), car.wake()), shows=("climate_state.inside_temp", None)
    ),
    "asleep": Situation(lambda car: car.fall_asleep(), state="asleep", shows=("state", "asleep")),
    "out of coverage": Situation(
        lambda car: car.coverage(on=False), state="offline", shows=("state", "offline")
    ),
    "occupied": Situation(lambda car: car.enter(), shows=("vehicle_state.is_user_present", True)),
    "about to charge": Situation(plug_in, shows=("charge_state.charging_state", "Starting")),
    "charging": Situation(plug_in, seconds=600, shows=("charge_state.charging_state", "Charging")),
    "fast charging": Situation(
        lambda car: plug_in(car, fast=True), seconds=60, shows=("charge_state.fast_charger_present", True)
    ),
    "charged": Situation(
        lambda car: plug_in(car, level=100), shows=("charge_state.charging_state", "Complete")
    ),
    "supply without power": Situation(
        lambda car: (car.power_supply(on=False), plug_in(car)),
        shows=("charge_state.charging_state", "NoPower"),
    ),
    "scheduled charging": Situation(
        lambda car: (car.schedule_charging(2), plug_in(car)),
        shows=("charge_state.scheduled_charging_pending", True),
    ),
    "cable released": Situation(
        plug_in,
        commands=(("charge_port_door_open", {}),),
        shows=("charge_state.charge_port_latch", "Disengaged"),
    ),
    "frozen": Situation(freeze, seconds=5 * 86_400, shows=("climate_state.is_front_defroster_on", True)),
    "driving": Situation(lambda car: free(car).drive(20), seconds=60, shows=("drive_state.speed", 65)),
    "braking": Situation(
        lambda car: free(car).drive(0.5), seconds=45, shows=("drive_state.shift_state", "D")
    ),
    "just parked": Situation(
        lambda car: free(car).drive(0.5), seconds=70, shows=("drive_state.shift_state", "P")
    ),
    "parked for long": Situation(
        lambda car: free(car).drive(0.5), seconds=300, shows=("drive_state.shift_state", None)
    ),
    "empty": Situation(lambda car: free(car).set_level(0), shows=("charge_state.battery_level", 0)),
    "in service": Situation(lambda car: car.service(on=True), state="in service", shows=("in_service", True)),
    "valet": Situation(
        commands=(("set_valet_mode", {"on": "true", "password": "1234"}),),
        shows=("vehicle_state.valet_mode", True),
    ),
    "limited": Situation(
        commands=(("speed_limit_activate", {"pin": "1234"}),),
        shows=("vehicle_state.speed_limit_mode.active", True),
    ),
    "started remotely": Situation(
        commands=(("remote_start_drive", {"password": "simulated"}),),
        shows=("vehicle_state.remote_start", True),
    ),
    "roof moving": Situation(
        commands=(("sun_roof_control", {"state": "open"}),), shows=("vehicle_state.sun_roof_state", "moving")
    ),
    "roof open": Situation(
        commands=(("sun_roof_control", {"state": "open"}),),
        seconds=10,
        shows=("vehicle_state.sun_roof_percent_open", 100),
    ),
    "conditioning": Situation(
        commands=(("auto_conditioning_start", {}),),
        seconds=60,
        shows=("climate_state.is_preconditioning", True),
    ),
    "dog inside": Situation(
        lambda car: car.climate_keeper("dog"), shows=("climate_state.climate_keeper_mode", "dog")
    ),
    "sentry": Situation(lambda car: car.sentry(on=True), shows=("vehicle_state.sentry_mode", True)),
    "everything open": Situation(open_everything, shows=("vehicle_state.rt", 255)),
    "all seats heated": Situation(heat_every_seat, shows=("climate_state.seat_heater_third_row_right", 2)),
    "update offered": Situation(
        lambda car: car.offer_update(), shows=("vehicle_state.software_update.status", "available")
    ),
    "update loading": Situation(
        lambda car: car.offer_update(),
        seconds=400,
        shows=("vehicle_state.software_update.status", "downloading"),
    ),
    "update scheduled": Situation(
        lambda car: car.offer_update(),
        seconds=1000,
        shows=("vehicle_state.software_update.status", "scheduled"),
    ),
    "update installing": Situation(
        lambda car: car.offer_update(),
        seconds=2800,
        state="offline",
        shows=("vehicle_state.software_update.status", "installing"),
    ),
}
"""Situations that every model can be in."""


async def bring_into(situation: Situation, car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """Bring a car into a situation."""
    client.select(car)
    car.wake()
    situation.act(car)
    for command, query in situation.commands:
        await client.command(command, **query)
    clock.advance(situation.seconds)


@pytest.mark.parametrize("name", [name for name, situation in SITUATIONS.items() if situation.shows])
async def test_situation_is_reached(
    name: str, car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """The first car gets into each situation."""
    situation = SITUATIONS[name]
    await bring_into(situation, car, clock, client)
    assert situation.shows
    path, value = situation.shows
    assert reduce(getitem, path.split("."), await client.admin_data()) == value


@pytest.mark.parametrize("model", range(5), ids=["S", "X", "3", "S UK", "Y"])
@pytest.mark.parametrize("name", SITUATIONS)
async def test_records_are_as_documented(
    name: str, model: int, simulator: Simulator, clock: ManualClock, client: Client
) -> None:
    """Every record has its documented fields and no others, with documented types and nulls."""
    situation = SITUATIONS[name]
    await bring_into(situation, simulator.vehicles[model], clock, client)
    short = (await client.get(client.vehicle_path)).response
    assert {"state": short["state"], "in_service": short["in_service"]} == {
        "state": "online" if situation.state == "in service" else situation.state,
        "in_service": situation.state == "in service",
    }
    all_differences = {
        "single record": differences(short, short_record_fields()),
        "list": differences((await client.get("/api/1/vehicles")).response[model], short_record_fields()),
    }
    if situation.state != "in service":
        woken = await client.post(f"{client.vehicle_path}/wake_up")
        all_differences["wake_up"] = differences(woken.response[0], short_record_fields())
    if situation.state == "online":
        for read, (fields, variant) in READS.items():
            reply = await client.get(f"{client.vehicle_path}/{read}")
            all_differences[read] = differences(reply.response, fields, variant)
    assert {read: found for read, found in all_differences.items() if found} == {}


@pytest.mark.parametrize("path", NULL_IN_EVERY_EXAMPLE)
async def test_field_is_null_at_first(path: str, client: Client) -> None:
    """A field that is null in every example of the document is null in the first car at the start."""
    assert await client.value(path) is None


async def test_option_codes_have_four_characters(client: Client) -> None:
    """The option codes of every vehicle are four-character codes, separated by commas."""
    for record in (await client.get("/api/1/vehicles")).response:
        assert {len(code) for code in record["option_codes"].split(",")} == {4}


async def test_id_s_is_the_id_as_text(client: Client) -> None:
    """In every record id_s is the text of id, and works as the id in a path."""
    for record in (await client.get("/api/1/vehicles")).response:
        single = await client.get(f"/api/1/vehicles/{record['id_s']}")
        assert single.response["id"] == int(record["id_s"]) == record["id"]


# Endpoints

PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "set_temps": {"driver_temp": "20.5", "passenger_temp": "19"},
    "set_charge_limit": {"percent": "85"},
    "sun_roof_control": {"state": "move", "percent": "40"},
    "actuate_trunk": {"which_trunk": "rear"},
    "remote_start_drive": {"password": "simulated"},
    "upcoming_calendar_entries": {"calendar_data": "{}"},
    "set_valet_mode": {"on": "true", "password": "1234"},
    "speed_limit_activate": {"pin": "1234"},
    "speed_limit_deactivate": {"pin": "1234"},
    "speed_limit_set_limit": {"limit_mph": "60"},
    "speed_limit_clear_pin": {"pin": "1234"},
    "vehicle_subscriptions": {"device_type": "ios"},
    "notification_preferences": {"device_type": "android", "platform": "any"},
}
"""The valid parameters of an endpoint, by the last part of its path."""
PATHS: Final = sorted({endpoint["path"] for endpoint in ENDPOINTS})
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


async def request(endpoint: Json, client: Client, **more: Any) -> Reply:
    """Send a request to an endpoint with valid parameters."""
    path = endpoint["path"].replace("/api/1/vehicles/{id}", client.vehicle_path)
    query = PARAMETERS.get(path.rpartition("/")[2], {})
    return await client.request(endpoint["method"], path, params=query, **more)


def endpoint_name(endpoint: Json) -> str:
    """Return the name of an endpoint."""
    return f"{endpoint['method']} {endpoint['path']}"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=endpoint_name)
async def test_endpoint_exists(endpoint: Json, client: Client) -> None:
    """A documented endpoint accepts its method, and returns its payload under `response`."""
    reply = await request(endpoint, client)
    assert reply.status == 200
    assert "error" not in reply.body
    assert set(reply.body) == ({"response", "count"} if "count" in endpoint["response"] else {"response"})


@pytest.mark.parametrize(
    "endpoint",
    [endpoint for endpoint in ENDPOINTS if endpoint["path"].split("/")[-2] == "command"],
    ids=lambda endpoint: endpoint["path"].rpartition("/")[2],
)
async def test_command_returns_a_result(endpoint: Json, client: Client) -> None:
    """A command returns its result, and a reason that is empty only if it was carried out."""
    result = (await request(endpoint, client)).response
    assert differences(result, documented("endpoints")["command_result"]) == []
    assert result["result"] is (result["reason"] == "")


def test_commands_are_those_of_the_document() -> None:
    """The service has the documented commands and no others."""
    paths = [endpoint["path"].split("/") for endpoint in ENDPOINTS]
    assert set(COMMANDS) == {path[-1] for path in paths if path[-2] == "command"}


@pytest.mark.parametrize("path", PATHS)
async def test_endpoint_has_no_other_method(path: str, client: Client) -> None:
    """A documented path responds to any other method with 405, and names the allowed methods."""
    known = {endpoint["method"] for endpoint in ENDPOINTS if endpoint["path"] == path}
    for method in {*METHODS} - known:
        reply = await client.request(method, path.replace("/api/1/vehicles/{id}", client.vehicle_path))
        assert (reply.status, reply.response, reply.body["error"]) == (405, None, "invalid_method")
        assert set(reply.headers["Allow"].split(",")) == known


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=endpoint_name)
async def test_endpoint_needs_the_token(endpoint: Json, client: Client) -> None:
    """Every endpoint responds with 401 without the token."""
    assert (await request(endpoint, client, headers={})).status == 401


@pytest.mark.parametrize(
    "endpoint",
    [endpoint for endpoint in ENDPOINTS if "{id}" in endpoint["path"]],
    ids=lambda endpoint: endpoint["path"],
)
async def test_endpoint_needs_a_vehicle(endpoint: Json, client: Client) -> None:
    """An endpoint responds with 404 if the account has no such vehicle."""
    client.vehicle_path = "/api/1/vehicles/17"
    assert (await request(endpoint, client)).status == 404
