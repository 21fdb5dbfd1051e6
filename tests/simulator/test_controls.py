"""The controls of a simulated car."""

from collections.abc import Callable
from typing import Any

import pytest

from custom_components.vehicle_remote_access.simulator import (
    CONTROLS,
    ControlError,
    ManualClock,
    SimulatedVehicle,
)

from .conftest import Client

type Act = Callable[[SimulatedVehicle], object]

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
async def test_control_shows(act: Act, path: str, value: Any, car: SimulatedVehicle, client: Client) -> None:
    """A control's effect shows in the next read."""
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
async def test_impossible_control(words: str, act: Act, car: SimulatedVehicle) -> None:
    """An impossible control is refused with a reason."""
    with pytest.raises(ControlError, match=words):
        act(car)


def test_every_control_is_known() -> None:
    """The controls are methods of the class."""
    assert {name for name in CONTROLS if callable(getattr(SimulatedVehicle, name))} == CONTROLS
    assert {"plug_in", "drive", "coverage", "fall_asleep"} <= CONTROLS


async def test_valet_mode_ends_with_its_pin(car: SimulatedVehicle, client: Client) -> None:
    """On the car's screen valet mode ends only with its PIN."""
    await client.command("set_valet_mode", on="true", password="1234")
    with pytest.raises(ControlError, match="not the PIN"):
        car.leave_valet_mode("4321")
    assert await client.value("vehicle_state.valet_mode") is True
    car.leave_valet_mode("1234")
    assert await client.value("vehicle_state.valet_mode") is False


async def test_screen_changes_nothing_else(car: SimulatedVehicle, client: Client) -> None:
    """The screen's settings change no other record."""
    before = await client.data()
    car.set_screen(distance="km/hr", temperature="C", range_display="Ideal")
    after = await client.data()
    assert after.pop("gui_settings") != before.pop("gui_settings")
    assert after == before


async def test_no_drive_during_an_installation(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A car that installs software can't be driven."""
    car.unplug()
    car.offer_update()
    clock.advance(300 + 600 + 1800 + 60)
    with pytest.raises(ControlError, match="software is being installed"):
        car.drive(5)


async def test_update_waits_for_the_drive_to_end(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """Software is installed after a drive, not during it."""
    car.unplug()
    car.offer_update()
    clock.advance(300 + 600 + 1000)
    car.drive(100)
    clock.advance(1000)
    assert await client.value("vehicle_state.software_update.status") == "scheduled"
    clock.advance(5000)
    assert await client.state() == "offline"
    clock.advance(1500)
    assert await client.state() == "online"


async def test_one_update_at_a_time(car: SimulatedVehicle) -> None:
    """A second update is refused while the first is in progress."""
    car.offer_update()
    with pytest.raises(ControlError, match="already on its way"):
        car.offer_update()


async def test_fast_charger_ignores_the_schedule(
    car: SimulatedVehicle, clock: ManualClock, client: Client
) -> None:
    """A fast charger charges immediately. Only a home charger waits for the schedule."""
    car.unplug()
    car.schedule_charging(5)
    car.plug_in(fast=True)
    clock.advance(20)
    assert await client.value("charge_state.charging_state") == "Charging"
