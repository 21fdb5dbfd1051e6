"""What a person beside the car can do, and how it is steered over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from custom_components.vehicle_remote_access.simulator import (
    CONTROLS,
    ControlError,
    ManualClock,
    Simulator,
    Vehicle,
)

from .conftest import Client

type Act = Callable[[Vehicle], object]

CHANGES: list[tuple[str, Act, str, Any]] = [
    ("enter", lambda car: car.enter(), "vehicle_state.is_user_present", True),
    ("enter", lambda car: car.enter(), "vehicle_state.locked", False),
    ("leave", lambda car: car.leave(), "vehicle_state.is_user_present", False),
    ("open", lambda car: car.open("dr"), "vehicle_state.dr", 1),
    ("open", lambda car: car.open("ft"), "vehicle_state.ft", 255),
    ("close", lambda car: car.close("ft"), "vehicle_state.ft", 0),
    ("unlock", lambda car: car.unlock(), "vehicle_state.locked", False),
    ("lock", lambda car: car.lock(), "vehicle_state.locked", True),
    ("sentry", lambda car: car.sentry(on=True), "vehicle_state.sentry_mode", True),
    ("unplug", lambda car: car.unplug(), "charge_state.charging_state", "Disconnected"),
    ("unplug", lambda car: car.unplug(), "charge_state.conn_charge_cable", "<invalid>"),
    ("power_supply", lambda car: car.power_supply(on=False), "charge_state.charging_state", "NoPower"),
    ("climate_keeper", lambda car: car.climate_keeper("camp"), "climate_state.climate_keeper_mode", "camp"),
    ("heat_seat", lambda car: car.heat_seat("right", 3), "climate_state.seat_heater_right", 3),
    ("offer_update", lambda car: car.offer_update(), "vehicle_state.software_update.status", "available"),
    ("set_level", lambda car: car.set_level(33), "charge_state.battery_level", 33),
    ("set_level", lambda car: car.set_level(33), "charge_state.battery_range", 82.5),
    ("set_temperatures", lambda car: car.set_temperatures(inside=30), "climate_state.inside_temp", 30),
    ("set_temperatures", lambda car: car.set_temperatures(outside=-3), "climate_state.outside_temp", -3),
]


@pytest.mark.parametrize(
    ("act", "path", "value"), [change[1:] for change in CHANGES], ids=[change[0] for change in CHANGES]
)
async def test_control_shows(act: Act, path: str, value: Any, car: Vehicle, client: Client) -> None:
    """What a person does shows in the next read."""
    act(car)
    assert await client.value(path) == value


IMPOSSIBLE: list[tuple[str, Act]] = [
    ("a cable is already in", lambda car: car.plug_in()),
    ("no cable", lambda car: (car.unplug(), car.unplug())),
    ("a cable is in the charge port", lambda car: car.drive(1)),
    ("the car is driving", lambda car: (car.unplug(), car.drive(1), car.leave())),
    ("the battery is empty", lambda car: (car.unplug(), car.set_level(0), car.drive(1))),
    ("the car is in service", lambda car: (car.unplug(), car.service(on=True), car.drive(1))),
    ("miles has to be", lambda car: car.drive(-1)),
    ("hours has to be", lambda car: car.schedule_charging(0)),
    ("name has to be one of", lambda car: car.open("boot")),
    ("seat has to be one of", lambda car: car.heat_seat("roof", 1)),
    ("level has to be", lambda car: car.heat_seat("left", 4)),
    ("mode has to be one of", lambda car: car.climate_keeper("cat")),
    ("percent has to be", lambda car: car.set_level(101)),
    ("a temperature has to be", lambda car: car.set_temperatures(outside=400)),
]


@pytest.mark.parametrize(("words", "act"), IMPOSSIBLE)
async def test_impossible_control(words: str, act: Act, car: Vehicle) -> None:
    """What cannot be is refused in words."""
    with pytest.raises(ControlError, match=words):
        act(car)


async def test_admin_state_lets_the_car_sleep(
    simulator: Simulator, clock: ManualClock, client: Client
) -> None:
    """Whoever looks on sees all vehicles, without a token and without keeping them awake."""
    clock.advance(600)
    vehicles = (await client.get("/simulator/state", headers={})).body["vehicles"]
    assert [each["vin"] for each in vehicles] == [vehicle.vin for vehicle in simulator.vehicles]
    assert vehicles[0]["record"]["charge_state"]["battery_level"] == 72
    clock.advance(60)
    assert await client.state() == "asleep"


async def test_admin_counts(car: Vehicle, client: Client) -> None:
    """Whoever looks on hears the horn."""
    await client.command("honk_horn")
    seen = (await client.get("/simulator/state")).body["vehicles"][0]
    assert (seen["id"], seen["horn"], seen["lights"]) == (car.id, 1, 0)


@pytest.mark.parametrize(
    ("control", "arguments", "path", "value"),
    [
        ("unplug", None, "charge_state.charging_state", "Disconnected"),
        ("open", {"name": "rt"}, "vehicle_state.rt", 255),
        ("sentry", {"on": True}, "vehicle_state.sentry_mode", True),
        ("set_level", {"percent": 40}, "charge_state.battery_level", 40),
        ("set_temperatures", {"outside": 5}, "climate_state.outside_temp", 5),
    ],
)
async def test_admin_steers(
    *, control: str, arguments: Any, path: str, value: Any, car: Vehicle, client: Client
) -> None:
    """A control runs with the arguments in the body."""
    body = {} if arguments is None else {"json": arguments}
    reply = await client.post(f"/simulator/vehicles/{car.vin}/{control}", headers={}, **body)
    assert reply.status == 200
    assert await client.value(path) == value


@pytest.mark.parametrize(
    ("control", "body", "words"),
    [
        ("open", '{"name": 3}', "wrong type"),
        ("open", "{}", "open needs name"),
        ("open", '{"name": "df", "wide": true}', "not wide"),
        ("open", '{"name": "boot"}', "name has to be one of"),
        ("set_level", '{"percent": true}', "wrong type"),
        ("sentry", '{"on": 1}', "wrong type"),
        ("wake", "{", "JSON object"),
        ("wake", "[]", "JSON object"),
    ],
)
async def test_admin_refuses(control: str, body: str, words: str, car: Vehicle, client: Client) -> None:
    """Arguments that a control does not take are answered 400, in words."""
    reply = await client.post(f"/simulator/vehicles/{car.vin}/{control}", data=body)
    assert reply.status == 400
    assert words in reply.body["error"]


@pytest.mark.parametrize("path", ["{vin}/catch_up", "{vin}/explode", "other/wake"])
async def test_admin_knows_only_controls(path: str, car: Vehicle, client: Client) -> None:
    """Nothing but a control of a vehicle that exists can be run."""
    assert (await client.post(f"/simulator/vehicles/{path.format(vin=car.vin)}")).status == 404


async def test_no_admin_unless_asked_for(simulator: Simulator, client: Client) -> None:
    """A service that was not asked to be steered has no such paths."""
    other = Simulator(token=simulator.token)
    simulator.url, own = await other.start(), simulator.url
    status = (await client.get("/simulator/state")).status
    simulator.url = own
    await other.stop()
    assert status == 404


def test_every_control_is_known() -> None:
    """The controls are those that the class has."""
    assert {name for name in CONTROLS if callable(getattr(Vehicle, name))} == CONTROLS
    assert {"plug_in", "drive", "coverage", "fall_asleep"} <= CONTROLS
