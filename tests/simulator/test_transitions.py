"""Every transition between charging states, and the charge port."""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator

from .conftest import Act, charge, send, sends, shown

SETUPS: Final[dict[str, Act]] = {
    "Disconnected": lambda car: car.unplug(),
    "Stopped": lambda _: None,
    "Starting": charge,
    "Charging": charge,
    "Complete": lambda car: charge(car, 80),
    "NoPower": lambda car: charge(car).power_supply(on=False),
}
"""How the first car, with its limit of 80 percent, gets into each charging state within ten seconds."""


def restore_power(car: SimulatedVehicle) -> None:
    car.power_supply(on=False)
    car.power_supply(on=True)


def begin(state: str, car: SimulatedVehicle, clock: ManualClock) -> None:
    SETUPS[state](car)
    clock.advance(0 if state == "Starting" else 10)
    assert shown(car, "charge_state.charging_state") == state


@pytest.mark.parametrize(
    ("state", "act", "reason", "then"),
    [
        ("Disconnected", lambda car: car.plug_in(), None, "Starting Charging"),
        ("Disconnected", lambda car: (car.set_level(80), car.plug_in()), None, "Complete"),
        ("Disconnected", lambda car: (car.power_supply(on=False), car.plug_in()), None, "NoPower"),
        ("Disconnected", lambda car: (car.schedule_charging(1), car.plug_in()), None, "Stopped"),
        ("Disconnected", lambda car: car.power_supply(on=False), None, "Disconnected"),
        ("Charging", lambda car: car.power_supply(on=False), None, "NoPower"),
        ("Charging", lambda car: car.unplug(), None, "Disconnected"),
        ("Charging", lambda car: car.set_level(80), None, "Complete"),
        ("Stopped", lambda car: car.power_supply(on=False), None, "NoPower"),
        ("Complete", restore_power, None, "Complete"),
        ("NoPower", lambda car: car.power_supply(on=True), None, "Starting Charging"),
        ("NoPower", lambda car: car.unplug(), None, "Disconnected"),
        ("NoPower", lambda car: (car.set_level(85), car.power_supply(on=True)), None, "Complete"),
        ("Stopped", restore_power, None, "Starting Charging"),
        ("Disconnected", sends("charge_start"), "disconnected", "Disconnected"),
        ("NoPower", sends("charge_start"), "no_power", "NoPower"),
        ("Starting", sends("charge_start"), "charging", "Starting Charging"),
        ("Complete", sends("charge_start"), "complete", "Complete"),
        ("Stopped", sends("charge_start"), "", "Starting Charging"),
        ("Disconnected", sends("charge_stop"), "not_charging", "Disconnected"),
        ("Starting", sends("charge_stop"), "", "Stopped"),
        ("Charging", sends("charge_stop"), "", "Stopped"),
        ("Stopped", sends("charge_stop"), "not_charging", "Stopped"),
        ("Charging", sends("set_charge_limit", percent="50"), "", "Complete"),
        ("Charging", sends("charge_max_range"), "", "Charging"),
        ("Stopped", sends("set_charge_limit", percent="95"), "", "Stopped"),
        ("Stopped", sends("set_charge_limit", percent="50"), "", "Stopped"),
        ("Complete", sends("charge_max_range"), "", "Starting Charging"),
        ("Complete", sends("charge_standard"), "", "Starting Charging"),
        ("Complete", sends("set_charge_limit", percent="60"), "", "Complete"),
        ("NoPower", sends("charge_max_range"), "", "NoPower"),
        ("Starting", sends("charge_port_door_open"), "", "Stopped"),
        ("Charging", sends("charge_port_door_open"), "", "Stopped"),
        ("Complete", sends("charge_port_door_open"), "", "Complete"),
        ("Complete", sends("charge_port_door_close"), "cable connected", "Complete"),
        ("Disconnected", sends("charge_port_door_close"), "", "Disconnected"),
    ],
)
def test_charging_state_changes_immediately_and_later(
    state: str, act: Act, reason: str | None, then: str, car: SimulatedVehicle, clock: ManualClock
) -> None:
    begin(state, car, clock)
    result = act(car)
    assert reason is None or result == reason
    states = []
    for seconds in (0, 10):
        clock.advance(seconds)
        states.append(shown(car, "charge_state.charging_state"))
    assert states in (then.split(), [then, then])


def port(car: SimulatedVehicle) -> list[Any]:
    charge_state = shown(car, "charge_state")
    names = ("charge_port_latch", "charge_port_door_open", "conn_charge_cable")
    return [charge_state[name] for name in names]


@pytest.mark.parametrize("state", ["Starting", "Charging", "Complete", "Stopped", "NoPower"])
def test_open_port_releases_the_cable(state: str, car: SimulatedVehicle, clock: ManualClock) -> None:
    begin(state, car, clock)
    assert port(car) == ["Engaged", True, "SAE"]
    send(car, "charge_port_door_open")
    clock.advance(600)
    assert port(car) == ["Disengaged", True, "SAE"]


def test_released_cable_stays_stopped(car: SimulatedVehicle) -> None:
    send(car, "charge_port_door_open")
    restore_power(car)
    assert shown(car, "charge_state.charging_state") == "Stopped"
    send(car, "charge_start")
    assert port(car) == ["Engaged", True, "SAE"]


def test_port_closes_automatically(fleet: Simulator, car: SimulatedVehicle, clock: ManualClock) -> None:
    """A motorized port without a cable closes after five minutes, or immediately by command or by hand."""
    without_motor = fleet.vehicles[2]
    without_motor.unplug()
    assert without_motor.charging.port_open is False
    car.unplug()
    send(car, "charge_port_door_close")
    assert port(car) == ["Blocking", False, "<invalid>"]
    for act in (sends("charge_port_door_open"), lambda car: (car.plug_in(), car.unplug())):
        act(car)
        clock.advance(299)
        assert port(car) == ["Disengaged", True, "<invalid>"]
        clock.advance(1)
        assert port(car) == ["Blocking", False, "<invalid>"]


def test_session_counters_stay_until_the_next_session(car: SimulatedVehicle, clock: ManualClock) -> None:
    names = ("charge_energy_added", "charge_miles_added_rated", "charge_miles_added_ideal")
    charge(car)
    clock.advance(1800)
    added = [shown(car, f"charge_state.{name}") for name in names]
    assert added == pytest.approx([4.2, 14.0, 17.5], abs=0.2)
    car.unplug()
    clock.advance(86_400)
    assert [shown(car, f"charge_state.{name}") for name in names] == added
    car.plug_in()
    assert [shown(car, f"charge_state.{name}") for name in names] == [0, 0, 0]


def test_stop_ends_with_the_session(car: SimulatedVehicle) -> None:
    charge(car)
    send(car, "charge_stop")
    paths = ("charge_state.charge_enable_request", "charge_state.user_charge_enable_request")
    assert [shown(car, path) for path in paths] == [False, False]
    car.unplug()
    assert [shown(car, path) for path in paths] == [True, None]


def test_scheduled_charging(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A car waits asleep for its scheduled start, and then charges. Without a cable it has no effect."""
    car.unplug()
    car.schedule_charging(1)
    clock.advance(3601)
    charge(car)
    assert shown(car, "charge_state.charging_state") == "Starting"
    # A schedule also stops charging.
    car.schedule_charging(2)
    state = shown(car, "charge_state")
    assert (state["charging_state"], state["scheduled_charging_pending"]) == ("Stopped", True)
    assert state["scheduled_charging_start_time"] == int(clock.now()) + 7200
    clock.advance(7190)
    assert shown(car, "state") == "asleep"
    clock.advance(20)
    assert shown(car, "charge_state.charging_state") == "Charging"


def test_charging_before_the_scheduled_start(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A start command cancels the schedule. A fast charger does not wait for it."""
    car.schedule_charging(2)
    assert not send(car, "charge_start")
    assert shown(car, "charge_state.scheduled_charging_pending") is False
    car.unplug()
    car.schedule_charging(5)
    car.plug_in(fast=True)
    clock.advance(20)
    assert shown(car, "charge_state.charging_state") == "Charging"
