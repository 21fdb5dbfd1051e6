"""The controls of a simulated car."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.controls import ControlError

from .conftest import Act, send, shown

PLAYBACK: Final = "vehicle_state.media_info.media_playback_status"


def keep_climate(*modes: str) -> Act:
    return lambda car: (send(car, "auto_conditioning_start"), *map(car.climate_keeper, modes))


@pytest.mark.parametrize(
    ("act", "path", "value"),
    [
        (lambda car: car.enter(), "vehicle_state.locked", False),
        (lambda car: (car.open("pr"), car.close("pr")), "vehicle_state.pr", 0),
        (lambda car: (car.sentry(on=True), car.sentry(on=False)), "vehicle_state.sentry_mode", False),
        (lambda car: car.unplug(), "charge_state.conn_charge_cable", "<invalid>"),
        (lambda car: car.climate_keeper("camp"), "climate_state.is_climate_on", True),
        (keep_climate("off"), "climate_state.is_climate_on", True),
        (keep_climate("dog", "off"), "climate_state.is_climate_on", False),
        (lambda car: car.heat_seat("right", 3), "climate_state.seat_heater_right", 3),
        (lambda car: car.set_level(33), "charge_state.battery_range", 82.5),
        (lambda _: None, "vehicle_state.autopark_state_v2", "standby"),
        (lambda car: car.unlock(), "vehicle_state.autopark_state_v2", "ready"),
        (lambda car: (car.unlock(), car.lock()), "vehicle_state.autopark_state_v2", "standby"),
        (lambda car: (car.unplug(), car.drive(5)), "vehicle_state.autopark_state_v2", "unavailable"),
        (lambda car: (car.unplug(), car.drive(5), car.stop()), "drive_state.shift_state", "P"),
        (lambda car: car.service(on=True), "vehicle_state.autopark_state_v2", "unavailable"),
        (lambda car: car.set_tire_pressure("rr", 2.2), "vehicle_state.tpms_soft_warning_rr", True),
        (lambda car: car.set_tire_pressure("rr", 1.9), "vehicle_state.tpms_hard_warning_rr", True),
        (lambda car: car.open_window("rp"), "vehicle_state.rp_window", 1),
        (lambda car: (car.open_window("rp"), car.close_window("rp")), "vehicle_state.rp_window", 0),
        (lambda car: (car.enter(), car.play_media(on=False)), PLAYBACK, "Paused"),
        (lambda car: (car.enter(), car.play_media(on=False), car.play_media(on=True)), PLAYBACK, "Playing"),
    ],
)
def test_control_shows(act: Act, path: str, value: Any, car: SimulatedVehicle) -> None:
    car.switches.profile = "fleet-2024"
    act(car)
    assert shown(car, path) == value


@pytest.mark.parametrize("index", [0, 2], ids=["motorized", "by hand"])
def test_drive_closes_everything(index: int, fleet: Simulator, clock: ManualClock) -> None:
    """Before a drive, the cable is unplugged. Doors, lids and the charge port are closed and stay closed."""
    car = fleet.vehicles[index]
    assert car.charging.plugged
    car.open("pr")
    car.open("rt")
    duration = car.drive(5)
    for seconds in (0, duration + 1):
        clock.advance(seconds)
        assert not car.charging.plugged
        assert not shown(car, "charge_state.charge_port_door_open")
        assert [shown(car, f"vehicle_state.{name}") for name in ("pr", "rt")] == [0, 0]


@pytest.mark.parametrize(
    ("words", "act"),
    [
        ("already plugged in", lambda car: car.plug_in()),
        ("not plugged in", lambda car: (car.unplug(), car.unplug())),
        ("the car is driving", lambda car: (car.unplug(), car.drive(1), car.leave())),
        ("already parked", lambda car: car.stop()),
        ("the battery is empty", lambda car: (car.unplug(), car.set_level(0), car.drive(1))),
        ("the car is in service", lambda car: (car.unplug(), car.service(on=True), car.drive(1))),
        ("miles must be", lambda car: car.drive(-1)),
        ("speed must be", lambda car: car.drive(1, speed=4)),
        ("hours must be", lambda car: car.schedule_charging(0)),
        ("name must be one of", lambda car: car.open("boot")),
        ("seat must be one of", lambda car: car.heat_seat("roof", 1)),
        ("level must be", lambda car: car.heat_seat("left", 4)),
        ("mode must be one of", lambda car: car.climate_keeper("cat")),
        ("name must be one of", lambda car: car.open_window("ft")),
        ("tire must be one of", lambda car: car.set_tire_pressure("spare", 3)),
        ("bar must be", lambda car: car.set_tire_pressure("fl", 4.1)),
        ("nobody is in the car", lambda car: car.play_media(on=True)),
        ("percent must be", lambda car: car.set_level(101)),
        ("a temperature must be", lambda car: car.set_temperatures(outside=400)),
        ("already in progress", lambda car: (car.offer_update(), car.offer_update())),
        ("someone is in the car", lambda car: (car.enter(), car.fall_asleep())),
        ("in valet mode", lambda car: (send(car, "set_valet_mode", on="1"), car.mobile_access(on=False))),
    ],
)
def test_impossible_control(words: str, act: Act, car: SimulatedVehicle) -> None:
    with pytest.raises(ControlError, match=words):
        act(car)


def test_update_waits_for_the_drive_to_end(car: SimulatedVehicle, clock: ManualClock) -> None:
    car.unplug()
    car.offer_update()
    clock.advance(300 + 600 + 1000)
    car.drive(100)
    clock.advance(1000)
    assert shown(car, "vehicle_state.software_update.status") == "scheduled"
    clock.advance(5000)
    assert shown(car, "state") == "offline"
    clock.advance(1500)
    assert shown(car, "vehicle_state.software_update.status") == ""


def test_car_cannot_drive_while_an_update_is_installed(car: SimulatedVehicle, clock: ManualClock) -> None:
    car.offer_update()
    clock.advance(300 + 600 + 1800)
    assert (shown(car, "state"), car.body.update.version) == ("offline", "2019.40.50.7 ad132c7b057e")
    car.unplug()
    with pytest.raises(ControlError, match="software update is being installed"):
        car.drive(5)
    clock.advance(1500)
    assert shown(car, "vehicle_state.car_version").startswith("2019.44.1 ")
