"""The simulated service held against the interface document: every endpoint, record, field, type and null."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ControlError, ManualClock, Simulator, Vehicle
from custom_components.vehicle_remote_access.simulator.http.commands import COMMANDS

from .conftest import Client, Reply
from .documented import (
    ENDPOINTS,
    FIELDS,
    FIXTURES,
    Json,
    Variant,
    departures,
    documented,
    full_record,
    short_record,
)

READS: Final[dict[str, tuple[Json, Variant]]] = {
    "data": (full_record("legacy"), "legacy"),
    "vehicle_data": (full_record("current"), "current"),
    "data_request/charge_state": (FIELDS["charge_state"], "current"),
    "data_request/climate_state": (FIELDS["climate_state"], "current"),
    "data_request/drive_state": (FIELDS["drive_state"], "current"),
    "data_request/gui_settings": (FIELDS["gui_settings"], "current"),
}
"""What is read of the car itself, its fields, and the variant that it comes in."""
NULL_IN_EVERY_EXAMPLE: Final = [
    f"{record}.{name}"
    for record, fields in FIELDS.items()
    for name, said in fields.items()
    if said.get("null_in_every_example")
]


# The transcription agrees with itself.


@pytest.mark.parametrize(
    ("name", "fields", "variant"),
    [
        ("data", full_record("legacy"), "legacy"),
        ("vehicle_data", full_record("current"), "current"),
        ("wake_up", short_record(), "current"),
    ],
)
def test_example_has_the_fields_of_the_tables(name: str, fields: Json, variant: Variant) -> None:
    """An answer made up after the document has exactly the fields of the document's tables."""
    response = documented(name)["response"]
    for record in response if isinstance(response, list) else [response]:
        assert departures(record, fields, variant) == []


def test_every_transcription_is_used() -> None:
    """No part of the document that was written down lies unused."""
    names = {path.stem.removeprefix("documented_") for path in FIXTURES.glob("documented_*.json")}
    assert names == {"fields", "endpoints", "data", "vehicle_data", "wake_up"}


# Records and fields


@dataclass(frozen=True)
class Situation:
    """What a car is brought into: by hand, then by commands, then by time."""

    act: Callable[[Vehicle], object] = lambda _: None
    commands: tuple[tuple[str, dict[str, str]], ...] = ()
    seconds: float = 0
    state: str = "online"
    shows: tuple[str, Any] | None = None
    """A field by which it can be told that the first car is in it."""


def free(car: Vehicle) -> Vehicle:
    """Return the car with no cable in its port."""
    with suppress(ControlError):
        car.unplug()
    return car


def plug_in(car: Vehicle, *, level: float = 40, fast: bool = False) -> Vehicle:
    """Return the car in a new session that began at a level."""
    free(car).set_level(level)
    car.plug_in(fast=fast)
    return car


def freeze(car: Vehicle) -> None:
    """Stand in the cold for some days, and heat the cabin on the cable."""
    car.set_temperatures(inside=-25, outside=-25)
    plug_in(car)
    car.climate_keeper("on")


def open_everything(car: Vehicle) -> None:
    """Open every door and lid."""
    for name in ("df", "dr", "pf", "pr", "ft", "rt"):
        car.open(name)


def heat_every_seat(car: Vehicle) -> None:
    """Set every heater that there is."""
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
    "on a dead supply": Situation(
        lambda car: (car.power_supply(on=False), plug_in(car)),
        shows=("charge_state.charging_state", "NoPower"),
    ),
    "waiting for its hour": Situation(
        lambda car: (car.schedule_charging(2), plug_in(car)),
        shows=("charge_state.scheduled_charging_pending", True),
    ),
    "cable let go": Situation(
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
    "started from afar": Situation(
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
    "all open": Situation(open_everything, shows=("vehicle_state.rt", 255)),
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
"""What a car may be in, and what becomes of its state by that; every model can come into each."""


async def bring_into(situation: Situation, car: Vehicle, clock: ManualClock, client: Client) -> None:
    """Bring a car into a situation."""
    client.look_after(car)
    car.wake()
    situation.act(car)
    for command, query in situation.commands:
        await client.command(command, **query)
    clock.advance(situation.seconds)


@pytest.mark.parametrize("name", [name for name, situation in SITUATIONS.items() if situation.shows])
async def test_situation_is_reached(name: str, car: Vehicle, clock: ManualClock, client: Client) -> None:
    """The first car comes into what the situations say."""
    situation = SITUATIONS[name]
    await bring_into(situation, car, clock, client)
    assert situation.shows
    path, value = situation.shows
    assert reduce(getitem, path.split("."), await client.seen()) == value


@pytest.mark.parametrize("model", range(5), ids=["S", "X", "3", "S UK", "Y"])
@pytest.mark.parametrize("name", SITUATIONS)
async def test_answers_are_as_documented(
    name: str, model: int, simulator: Simulator, clock: ManualClock, client: Client
) -> None:
    """Every record has its documented fields and no other, of the documented type, null only where it may."""
    situation = SITUATIONS[name]
    await bring_into(situation, simulator.vehicles[model], clock, client)
    short = (await client.get(client.car)).response
    assert {"state": short["state"], "in_service": short["in_service"]} == {
        "state": "online" if situation.state == "in service" else situation.state,
        "in_service": situation.state == "in service",
    }
    found = {
        "single record": departures(short, short_record()),
        "list": departures((await client.get("/api/1/vehicles")).response[model], short_record()),
    }
    if situation.state != "in service":
        woken = await client.post(f"{client.car}/wake_up")
        found["wake_up"] = departures(woken.response[0], short_record())
    if situation.state == "online":
        for read, (fields, variant) in READS.items():
            reply = await client.get(f"{client.car}/{read}")
            found[read] = departures(reply.response, fields, variant)
    assert {read: words for read, words in found.items() if words} == {}


@pytest.mark.parametrize("path", NULL_IN_EVERY_EXAMPLE)
async def test_field_is_null_at_first(path: str, client: Client) -> None:
    """A field that is null in every example of the document is null in the first car as it is found."""
    assert await client.value(path) is None


async def test_option_codes_have_four_characters(client: Client) -> None:
    """The option codes of every vehicle are four-character codes with commas between them."""
    for record in (await client.get("/api/1/vehicles")).response:
        assert {len(code) for code in record["option_codes"].split(",")} == {4}


async def test_id_s_is_the_id_as_text(client: Client) -> None:
    """In every record id_s is the text of id, which is the id that the path takes."""
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
"""What an endpoint is sent so that it can be understood, by the end of its path."""
PATHS: Final = sorted({endpoint["path"] for endpoint in ENDPOINTS})
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


async def request(endpoint: Json, client: Client, **more: Any) -> Reply:
    """Use an endpoint as documented."""
    path = endpoint["path"].replace("/api/1/vehicles/{id}", client.car)
    query = PARAMETERS.get(path.rpartition("/")[2], {})
    return await client.request(endpoint["method"], path, params=query, **more)


def in_words(endpoint: Json) -> str:
    """Return what names an endpoint."""
    return f"{endpoint['method']} {endpoint['path']}"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=in_words)
async def test_endpoint_is_there(endpoint: Json, client: Client) -> None:
    """A documented endpoint answers its documented method, with the payload under `response`."""
    reply = await request(endpoint, client)
    assert reply.status == 200
    assert "error" not in reply.body
    assert set(reply.body) == ({"response", "count"} if "count" in endpoint["response"] else {"response"})


@pytest.mark.parametrize(
    "endpoint",
    [each for each in ENDPOINTS if each["path"].split("/")[-2] == "command"],
    ids=lambda endpoint: endpoint["path"].rpartition("/")[2],
)
async def test_command_answers_a_result(endpoint: Json, client: Client) -> None:
    """A command answers whether it was carried out, and a reason that is empty exactly then."""
    result = (await request(endpoint, client)).response
    assert departures(result, documented("endpoints")["command_result"]) == []
    assert result["result"] is (result["reason"] == "")


def test_commands_are_those_of_the_document() -> None:
    """The service knows the documented commands, and no other."""
    paths = [endpoint["path"].split("/") for endpoint in ENDPOINTS]
    assert set(COMMANDS) == {path[-1] for path in paths if path[-2] == "command"}


@pytest.mark.parametrize("path", PATHS)
async def test_endpoint_has_no_other_method(path: str, client: Client) -> None:
    """A documented path answers 405 to any method that is not documented for it, and names the others."""
    known = {endpoint["method"] for endpoint in ENDPOINTS if endpoint["path"] == path}
    for method in {*METHODS} - known:
        reply = await client.request(method, path.replace("/api/1/vehicles/{id}", client.car))
        assert (reply.status, reply.response, reply.body["error"]) == (405, None, "invalid_method")
        assert set(reply.headers["Allow"].split(",")) == known


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=in_words)
async def test_endpoint_needs_the_token(endpoint: Json, client: Client) -> None:
    """Every endpoint takes the Authorization header, and answers 401 without it."""
    assert (await request(endpoint, client, headers={})).status == 401


@pytest.mark.parametrize(
    "endpoint", [each for each in ENDPOINTS if "{id}" in each["path"]], ids=lambda each: each["path"]
)
async def test_endpoint_needs_a_vehicle(endpoint: Json, client: Client) -> None:
    """An endpoint of a vehicle that is not the account's answers 404."""
    client.car = "/api/1/vehicles/17"
    assert (await request(endpoint, client)).status == 404
