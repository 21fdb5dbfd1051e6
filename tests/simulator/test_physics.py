"""What happens to a car over time: charging, losing charge, heating, driving.

Then every transition between charging states, and the charge port.
"""

from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator

from .conftest import Act, charge, send, sends, shown


def charger(car: SimulatedVehicle) -> list[object]:
    state = shown(car, "charge_state")
    power = [state[f"charger_{name}"] for name in ("voltage", "actual_current", "phases", "power")]
    return [*power, state["charge_rate"]]


def test_charging_to_the_limit(car: SimulatedVehicle, clock: ManualClock) -> None:
    """Charging from 72 to 80 percent takes 42 minutes. The remaining time is in quarters of an hour."""
    assert shown(car, "charge_state.time_to_full_charge") == 0
    send(car, "charge_start")
    clock.advance(60)
    # 40 amperes at 240 volts are nine full kilowatts, and 28.8 miles per hour.
    assert charger(car) == [240, 40, 1, 9, 28.8]
    assert shown(car, "drive_state.power") == -9
    assert shown(car, "charge_state.time_to_full_charge") == 0.75
    clock.advance(39 * 60)
    assert shown(car, "charge_state.charging_state") == "Charging"
    clock.advance(4 * 60)
    state = shown(car, "charge_state")
    assert (state["charging_state"], state["battery_level"]) == ("Complete", 80)
    assert state["charge_energy_added"] == pytest.approx(8 * 0.75, abs=0.2)
    miles = state["charge_miles_added_rated"], state["charge_miles_added_ideal"]
    assert miles == pytest.approx((20, 25), abs=0.7)
    assert charger(car) == [0, 0, None, 0, 0]


def test_full_charge_tapers_and_is_counted(car: SimulatedVehicle, clock: ManualClock) -> None:
    send(car, "charge_max_range")
    car.set_level(99)
    send(car, "charge_start")
    clock.advance(60)
    assert shown(car, "charge_state.charger_power") < 5
    clock.advance(3600)
    assert shown(car, "charge_state.max_range_charge_counter") == 1


def test_three_phases_give_eleven_kilowatts(fleet: Simulator, clock: ManualClock) -> None:
    vehicle = fleet.vehicles[1]
    vehicle.plug_in()
    clock.advance(60)
    assert charger(vehicle)[:4] == [230, 16, 3, 11]
    assert shown(vehicle, "charge_state.conn_charge_cable") == "IEC"


def test_fast_charging(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A fast charger reports its type, and its power falls as the battery fills."""
    car.unplug()
    car.set_level(20)
    car.plug_in(fast=True)
    clock.advance(60)
    state = shown(car, "charge_state")
    assert (state["fast_charger_present"], state["fast_charger_type"]) == (True, "Supercharger")
    assert (state["charger_power"], state["charger_voltage"]) == (120, 0)
    clock.advance(1800)
    assert shown(car, "charge_state.charger_power") < 60


def test_cold_battery_has_less_charge_and_is_heated(car: SimulatedVehicle, clock: ManualClock) -> None:
    car.set_temperatures(outside=-20)
    clock.advance(2 * 86_400)
    state = shown(car, "charge_state")
    assert state["usable_battery_level"] < state["battery_level"]
    assert state["battery_heater_on"] is False
    send(car, "charge_start")
    assert shown(car, "charge_state.battery_heater_on") is True


def test_cabin(car: SimulatedVehicle, clock: ManualClock) -> None:
    """Heating from 0 to 21 degrees takes about a quarter of an hour, and a hot cabin is cooled to that."""
    car.set_temperatures(inside=0, outside=0)
    send(car, "auto_conditioning_start")
    state = shown(car, "climate_state")
    assert (state["fan_status"], state["is_front_defroster_on"]) == (7, True)
    clock.advance(600)
    assert 8 < shown(car, "climate_state.inside_temp") < 20
    clock.advance(600)
    assert shown(car, "climate_state.inside_temp") == 21
    assert shown(car, "climate_state.fan_status") == 1
    car.set_temperatures(inside=45, outside=30)
    state = shown(car, "climate_state")
    assert (state["left_temp_direction"] < 0, state["is_front_defroster_on"]) == (True, False)
    clock.advance(3600)
    assert shown(car, "climate_state.inside_temp") == 21


def test_climate_stops_at_low_battery(car: SimulatedVehicle, clock: ManualClock) -> None:
    car.unplug()
    car.set_level(21)
    car.set_temperatures(inside=-10, outside=-10)
    send(car, "auto_conditioning_start")
    clock.advance(7200)
    assert shown(car, "climate_state.is_climate_on") is False
    assert shown(car, "charge_state.battery_level") >= 18


@pytest.mark.parametrize("level", [19.4, 19.6, 20.4])
def test_accepted_climate_continues(level: float, car: SimulatedVehicle, clock: ManualClock) -> None:
    """Near the lowest level climate control is either refused, or runs for more than a moment."""
    car.unplug()
    car.set_level(level)
    refused = send(car, "auto_conditioning_start")
    clock.advance(1)
    assert shown(car, "climate_state.is_climate_on") is not bool(refused)


def test_drive(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A driving car is unlocked, in gear, moves and uses power. Then it is in P for a minute."""
    car.unplug()
    latitude, odometer = shown(car, "drive_state.latitude"), car.driving.odometer
    seconds = car.drive(20)
    clock.advance(seconds / 2)
    state = shown(car, "drive_state")
    assert (state["shift_state"], state["speed"], state["power"]) == ("D", 65, 20)
    assert state["latitude"] != latitude
    assert shown(car, "vehicle_state.odometer") == pytest.approx(odometer + 10, abs=0.1)
    assert (shown(car, "vehicle_state.locked"), shown(car, "vehicle_state.is_user_present")) == (False, True)
    clock.advance(seconds / 2 + 0.01)
    state = shown(car, "drive_state")
    assert (state["shift_state"], state["speed"]) == ("P", None)
    clock.advance(60)
    assert shown(car, "drive_state.shift_state") is None
    assert shown(car, "vehicle_state.odometer") == pytest.approx(odometer + 20)
    assert car.charging.level == pytest.approx(72 - 8.2, abs=0.5)
    assert shown(car, "vehicle_state.is_user_present") is False


def test_speed_limit_applies(car: SimulatedVehicle, clock: ManualClock) -> None:
    car.unplug()
    send(car, "speed_limit_set_limit", limit_mph="50")
    send(car, "speed_limit_activate", pin="1234")
    car.drive(10)
    clock.advance(120)
    assert shown(car, "drive_state.speed") == 50


def test_valet_mode_limits_power_and_speed(car: SimulatedVehicle, clock: ManualClock) -> None:
    send(car, "set_valet_mode", on="true")
    car.unplug()
    car.drive(10, speed=110)
    states = []
    for _ in range(60):
        clock.advance(1)
        states.append(shown(car, "drive_state"))
    assert 70 <= max(state["power"] for state in states) <= 80
    assert max(state["speed"] for state in states) == 70


def test_short_and_long_drive(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A tenth of a mile is driven without full speed. An empty battery ends a drive."""
    car.unplug()
    before = car.driving.odometer
    clock.advance(car.drive(0.1))
    assert shown(car, "vehicle_state.odometer") == pytest.approx(before + 0.1)
    clock.advance(1)
    car.set_level(2)
    clock.advance(car.drive(100))
    assert shown(car, "drive_state.shift_state") is None
    assert car.charging.level == pytest.approx(0, abs=0.1)


# Charging states


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
