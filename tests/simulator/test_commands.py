"""The commands: their effect on the car, and the reasons of refusals."""

from collections.abc import Callable
import json
from typing import Any

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Switches

from .conftest import Client

type Situation = Callable[[SimulatedVehicle], object]

EFFECTS: list[tuple[str, dict[str, str], str, Any]] = [
    ("door_unlock", {}, "vehicle_state.locked", False),
    ("door_lock", {}, "vehicle_state.locked", True),
    ("auto_conditioning_start", {}, "climate_state.is_climate_on", True),
    ("auto_conditioning_start", {}, "climate_state.is_preconditioning", True),
    ("set_temps", {"driver_temp": "23.5", "passenger_temp": "19"}, "climate_state.driver_temp_setting", 23.5),
    (
        "set_temps",
        {"driver_temp": "23.5", "passenger_temp": "19"},
        "climate_state.passenger_temp_setting",
        19,
    ),
    ("set_temps", {"driver_temp": "23.5"}, "climate_state.passenger_temp_setting", 23.5),
    ("set_temps", {"driver_temp": "40"}, "climate_state.driver_temp_setting", 28),
    ("set_charge_limit", {"percent": "85"}, "charge_state.charge_limit_soc", 85),
    ("set_charge_limit", {"percent": "85.9"}, "charge_state.charge_limit_soc", 85),
    ("set_charge_limit", {"percent": "1"}, "charge_state.charge_limit_soc", 50),
    ("charge_max_range", {}, "charge_state.charge_limit_soc", 100),
    ("charge_max_range", {}, "charge_state.charge_to_max_range", True),
    ("charge_standard", {}, "charge_state.charge_limit_soc", 90),
    ("sun_roof_control", {"state": "open"}, "vehicle_state.sun_roof_percent_open", 100),
    ("sun_roof_control", {"state": "closed"}, "vehicle_state.sun_roof_state", "closed"),
    ("sun_roof_control", {"state": "close"}, "vehicle_state.sun_roof_state", "closed"),
    ("sun_roof_control", {"state": "comfort"}, "vehicle_state.sun_roof_percent_open", 80),
    ("sun_roof_control", {"state": "comfort"}, "vehicle_state.sun_roof_state", "open"),
    ("sun_roof_control", {"state": "vent"}, "vehicle_state.sun_roof_percent_open", 15),
    ("sun_roof_control", {"state": "vent"}, "vehicle_state.sun_roof_state", "vent"),
    ("sun_roof_control", {"state": "move", "percent": "33"}, "vehicle_state.sun_roof_percent_open", 33),
    ("actuate_trunk", {"which_trunk": "rear"}, "vehicle_state.rt", 255),
    ("actuate_trunk", {"which_trunk": "front"}, "vehicle_state.ft", 255),
    ("remote_start_drive", {"password": "simulated"}, "vehicle_state.remote_start", True),
    ("charge_port_door_open", {}, "charge_state.charge_port_latch", "Disengaged"),
    ("charge_start", {}, "charge_state.charging_state", "Charging"),
    ("set_valet_mode", {"on": "true", "password": "1234"}, "vehicle_state.valet_mode", True),
    ("set_valet_mode", {"on": "ON"}, "vehicle_state.valet_mode", True),
    ("speed_limit_set_limit", {"limit_mph": "65"}, "vehicle_state.speed_limit_mode.current_limit_mph", 65),
    ("speed_limit_activate", {"pin": "1234"}, "vehicle_state.speed_limit_mode.active", True),
    ("speed_limit_activate", {"pin": "1234"}, "vehicle_state.speed_limit_mode.pin_code_set", True),
]


@pytest.mark.parametrize(("command", "query", "path", "value"), EFFECTS)
async def test_command_has_its_effect(
    *, command: str, query: dict[str, str], path: str, value: Any, clock: ManualClock, client: Client
) -> None:
    """An accepted command's effect shows in the next read, or some seconds later."""
    assert not (await client.command(command, **query)).reason
    clock.advance(10)
    assert await client.value(path) == value


def charging(car: SimulatedVehicle) -> None:
    """Let the car charge."""
    car.charging.start()
    car.set_level(70)


def port_open_without_cable(car: SimulatedVehicle) -> None:
    """Open the charge port without a cable."""
    car.unplug()


def rear_open(car: SimulatedVehicle) -> None:
    """Open the trunk."""
    car.open("rt")


def valet(car: SimulatedVehicle) -> None:
    """Activate valet mode."""
    car.body.valet.on, car.body.valet.pin = True, "1234"


def limited(car: SimulatedVehicle) -> None:
    """Activate the speed limit."""
    car.body.speed_limit.active, car.body.speed_limit.pin = True, "1234"


def warm(car: SimulatedVehicle) -> None:
    """Switch on climate control for a dog."""
    car.climate_keeper("dog")


def driving(car: SimulatedVehicle) -> None:
    """Drive."""
    car.unplug()
    car.drive(20)


UNDONE: list[tuple[Situation, str, dict[str, str], str, Any]] = [
    (charging, "charge_stop", {}, "charge_state.charging_state", "Stopped"),
    (charging, "charge_port_door_open", {}, "charge_state.charging_state", "Stopped"),
    (charging, "set_charge_limit", {"percent": "60"}, "charge_state.charging_state", "Complete"),
    (port_open_without_cable, "charge_port_door_close", {}, "charge_state.charge_port_door_open", False),
    (port_open_without_cable, "charge_port_door_close", {}, "charge_state.charge_port_latch", "Blocking"),
    (rear_open, "actuate_trunk", {"which_trunk": "rear"}, "vehicle_state.rt", 0),
    (valet, "set_valet_mode", {"on": "false"}, "vehicle_state.valet_mode", False),
    (valet, "set_valet_mode", {"on": "0", "password": "1234"}, "vehicle_state.valet_mode", False),
    (limited, "speed_limit_deactivate", {"pin": "1234"}, "vehicle_state.speed_limit_mode.active", False),
    (limited, "speed_limit_clear_pin", {"pin": "1234"}, "vehicle_state.speed_limit_mode.pin_code_set", False),
    (limited, "speed_limit_clear_pin", {"pin": "1234"}, "vehicle_state.speed_limit_mode.active", False),
    (warm, "auto_conditioning_stop", {}, "climate_state.is_climate_on", False),
    (warm, "auto_conditioning_stop", {}, "climate_state.climate_keeper_mode", "off"),
    (driving, "door_unlock", {}, "vehicle_state.locked", False),
]


@pytest.mark.parametrize(("situation", "command", "query", "path", "value"), UNDONE)
async def test_command_in_a_situation(
    *,
    situation: Situation,
    command: str,
    query: dict[str, str],
    path: str,
    value: Any,
    car: SimulatedVehicle,
    client: Client,
) -> None:
    """An accepted command changes the car's earlier state."""
    situation(car)
    assert not (await client.command(command, **query)).reason
    assert await client.value(path) == value


def nothing(_: SimulatedVehicle) -> None:
    """Leave the car as it is at the start."""


def without_power(car: SimulatedVehicle) -> None:
    """Plug the car in without power."""
    car.power_supply(on=False)


def unplugged(car: SimulatedVehicle) -> None:
    """Unplug the car."""
    car.unplug()


def full(car: SimulatedVehicle) -> None:
    """Charge the car to its limit."""
    car.set_level(80)


def almost_empty(car: SimulatedVehicle) -> None:
    """Unplug the car with a low battery."""
    car.unplug()
    car.set_level(10)


REFUSALS: list[tuple[Situation, str, dict[str, str], str]] = [
    (unplugged, "charge_start", {}, "disconnected"),
    (without_power, "charge_start", {}, "no_power"),
    (charging, "charge_start", {}, "charging"),
    (full, "charge_start", {}, "complete"),
    (nothing, "charge_stop", {}, "not_charging"),
    (nothing, "set_charge_limit", {"percent": "80"}, "already_set"),
    (lambda car: car.charging.set_limit(90), "charge_standard", {}, "already_standard"),
    (lambda car: car.charging.set_limit(100), "charge_max_range", {}, "already_max_range"),
    (nothing, "charge_port_door_close", {}, "cable connected"),
    (almost_empty, "auto_conditioning_start", {}, "low_soc"),
    (valet, "set_valet_mode", {"on": "true"}, "already on"),
    (nothing, "set_valet_mode", {"on": "false"}, "already off"),
    (valet, "set_valet_mode", {"on": "false", "password": "4321"}, "incorrect pin"),
    (valet, "reset_valet_pin", {}, "valet mode active"),
    (limited, "speed_limit_activate", {"pin": "1234"}, "already active"),
    (limited, "speed_limit_set_limit", {"limit_mph": "60"}, "already active"),
    (nothing, "speed_limit_deactivate", {"pin": "1234"}, "already inactive"),
    (limited, "speed_limit_deactivate", {"pin": "4321"}, "incorrect pin"),
    (limited, "speed_limit_clear_pin", {"pin": "4321"}, "incorrect pin"),
    (driving, "actuate_trunk", {"which_trunk": "rear"}, "not_parked"),
    (driving, "charge_port_door_open", {}, "not_parked"),
    (driving, "charge_port_door_close", {}, "not_parked"),
    (driving, "set_valet_mode", {"on": "true"}, "not_parked"),
    (driving, "remote_start_drive", {"password": "simulated"}, "not_parked"),
    (driving, "charge_start", {}, "not_parked"),
]


@pytest.mark.parametrize(("situation", "command", "query", "reason"), REFUSALS)
async def test_car_refuses(
    *,
    situation: Situation,
    command: str,
    query: dict[str, str],
    reason: str,
    car: SimulatedVehicle,
    client: Client,
) -> None:
    """A car refuses an impossible or unnecessary command with a reason."""
    situation(car)
    assert (await client.command(command, **query)).reason == reason


@pytest.mark.parametrize(
    ("index", "command", "query"),
    [
        (1, "sun_roof_control", {"state": "vent"}),
        (2, "charge_port_door_close", {}),
        (3, "actuate_trunk", {"which_trunk": "rear"}),
        (3, "remote_start_drive", {"password": "simulated"}),
    ],
)
async def test_car_without_the_equipment(
    index: int, command: str, query: dict[str, str], simulator: Any, client: Client
) -> None:
    """A car refuses commands for equipment that it doesn't have."""
    vehicle = simulator.vehicles[index]
    vehicle.wake()
    reply = await client.post(f"/api/1/vehicles/{vehicle.id}/command/{command}", params=query)
    assert reply.reason == "not_supported"


@pytest.mark.parametrize(("command", "counter"), [("honk_horn", "horn"), ("flash_lights", "lights")])
async def test_horn_and_lights(command: str, counter: str, car: SimulatedVehicle, client: Client) -> None:
    """Each command sounds the horn once, or flashes the lights once."""
    await client.command(command)
    await client.command(command)
    assert getattr(car.body, counter) == 2


async def test_trunk_toggles(client: Client) -> None:
    """A second command closes what the first one opened."""
    await client.command("actuate_trunk", which_trunk="front")
    await client.command("actuate_trunk", which_trunk="front")
    assert await client.value("vehicle_state.ft") == 0


async def test_sunroof_moves_for_some_seconds(clock: ManualClock, client: Client) -> None:
    """A sunroof moves for five seconds before it reports its new position."""
    await client.command("sun_roof_control", state="open")
    clock.advance(4)
    assert (await client.value("vehicle_state"))["sun_roof_state"] == "moving"
    clock.advance(1)
    assert (await client.value("vehicle_state"))["sun_roof_state"] == "open"


@pytest.mark.parametrize("query", [{}, {"password": "wrong"}])
async def test_remote_start_needs_the_password(query: dict[str, str], client: Client) -> None:
    """Without the correct password remote start fails, and the response has no payload."""
    reply = await client.command("remote_start_drive", **query)
    assert (reply.status, reply.response, reply.body["error"]) == (200, None, "Authorization Required")
    assert await client.value("vehicle_state.remote_start") is False


async def test_remote_start_ends(clock: ManualClock, client: Client) -> None:
    """Remote start ends after two minutes."""
    await client.command("remote_start_drive", password="simulated")
    clock.advance(119)
    assert await client.value("vehicle_state.remote_start") is True
    clock.advance(1)
    assert await client.value("vehicle_state.remote_start") is False


async def test_valet_pin_stays(car: SimulatedVehicle, client: Client) -> None:
    """The valet PIN stays if no new one is sent."""
    await client.command("set_valet_mode", on="true", password="1234")
    await client.command("set_valet_mode", on="false", password="1234")
    await client.command("set_valet_mode", on="true")
    assert (await client.command("set_valet_mode", on="false", password="9999")).reason == "incorrect pin"
    assert car.body.valet.pin == "1234"


async def test_valet_pin_is_reset(car: SimulatedVehicle, client: Client) -> None:
    """The valet PIN can be deleted outside valet mode."""
    car.body.valet.pin = "1234"
    assert not (await client.command("reset_valet_pin")).reason
    assert car.body.valet.pin is None


async def test_speed_limit_pin_stays(client: Client) -> None:
    """The speed limit can be activated again only with its first PIN."""
    await client.command("speed_limit_activate", pin="1234")
    await client.command("speed_limit_deactivate", pin="1234")
    assert (await client.command("speed_limit_activate", pin="4321")).reason == "incorrect pin"


@pytest.mark.parametrize("text", [True, False], ids=["text", "object"])
async def test_calendar_is_accepted(*, text: bool, car: SimulatedVehicle, client: Client) -> None:
    """The calendar may be an object or its text."""
    calendar = {"calendars": [{"name": "Home", "events": []}]}
    sent = json.dumps(calendar) if text else calendar
    reply = await client.post(
        f"{client.vehicle_path}/command/upcoming_calendar_entries", json={"calendar_data": sent}
    )
    assert not reply.reason
    assert car.body.calendar == calendar


async def test_port_closes_automatically(car: SimulatedVehicle, clock: ManualClock, client: Client) -> None:
    """A motorized charge port without a cable closes after five minutes."""
    car.unplug()
    clock.advance(299)
    assert await client.value("charge_state.charge_port_door_open") is True
    clock.advance(1)
    assert await client.value("charge_state.charge_port_door_open") is False


async def test_bus_is_busy_after_a_read(switches: Switches, clock: ManualClock, client: Client) -> None:
    """A strict car refuses a command within a second of a read."""
    switches.bus_busy = "strict"
    await client.data()
    assert (await client.command("honk_horn")).reason == "could_not_wake_buses"
    clock.advance(2)
    assert not (await client.command("honk_horn")).reason
