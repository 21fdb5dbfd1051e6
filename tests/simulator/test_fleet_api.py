"""The commands and fields that only services of the Fleet API's family have."""

from contextlib import suppress
import json
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.controls import ControlError
from custom_components.vehicle_remote_access.simulator.http.request_error import RequestError
from simulator_console.fleet_car import FleetCar
from simulator_console.fleet_commands import EVERY_COMMAND
from simulator_console.fleet_records import full_record
from simulator_console.services import SimulatedService

from .conftest import Act, Client, charge, driving, nothing, send, sends, shown
from .documented import COMMANDS
from .fleet_api import FLEET_COMMANDS, PLACE, TIMES, prepare

HOUR: Final = 3600
MODEL_S, MODEL_X, MODEL_3, MODEL_S_UK, MODEL_Y = range(5)
CLIMATE_OFF: Final = "cabin comfort remote settings not enabled"
WINDOWS: Final = [f"vehicle_state.{name}_window" for name in ("fd", "fp", "rd", "rp")]
STATUS: Final = "vehicle_state.media_info.media_playback_status"
TITLE: Final = "vehicle_state.media_info.now_playing_title"
SEAT, COOLER = "remote_seat_heater_request", "remote_seat_cooler_request"
AUTO_SEAT: Final = "remote_auto_seat_climate_request"
WHEEL: Final = "remote_steering_wheel_heat_level_request"
OVERHEAT, LIMIT = "set_cabin_overheat_protection", "cop_activation_temperature"
LIMITS: Final = ("Low", "Medium", "High")


@pytest.fixture(autouse=True)
def family(fleet: Simulator) -> None:
    fleet.switches.profile = "fleet-2024"


def climate(car: SimulatedVehicle) -> None:
    car.cabin.on = True


def low(car: SimulatedVehicle) -> None:
    car.unplug()
    car.set_level(15)


def away(car: SimulatedVehicle) -> None:
    driving(car)
    car.driving.point = car.home.point.beyond(5, 90)
    car.stop()


def doing(*acts: Act) -> Act:
    return lambda car: [act(car) for act in acts]


def offered(car: SimulatedVehicle) -> None:
    car.offer_update()


UPDATE: Final = "schedule_software_update"
DOG: Final = sends("set_climate_keeper_mode", climate_keeper_mode=2)


def test_all_commands_are_listed() -> None:
    assert EVERY_COMMAND.keys() == {*COMMANDS, *FLEET_COMMANDS}


async def test_documented_service_has_no_such_command(simulator: Simulator, client: Client) -> None:
    simulator.switches.profile = "current-2019"
    for command, values in FLEET_COMMANDS.items():
        assert (await client.send(f"command/{command}", json=values)).status == 404, command


@pytest.mark.parametrize(
    ("command", "values", "path", "value"),
    [
        ("set_sentry_mode", {"on": True}, "vehicle_state.sentry_mode", True),
        ("set_sentry_mode", {"on": True}, "vehicle_state.dashcam_state", "Recording"),
        (SEAT, {"seat_position": 1, "level": 2}, "seat_heater_right", 2),
        (COOLER, {"seat_position": 2, "seat_cooler_level": 3}, "seat_fan_front_right", 3),
        (AUTO_SEAT, {"auto_seat_position": 1, "auto_climate_on": True}, "auto_seat_climate_left", True),
        ("remote_steering_wheel_heater_request", {"on": True}, "steering_wheel_heat_level", 3),
        *((WHEEL, {"level": level}, "steering_wheel_heat_level", level) for level in (0, 1, 3)),
        ("set_preconditioning_max", {"on": True}, "defrost_mode", 2),
        ("set_preconditioning_max", {"on": True}, "is_front_defroster_on", True),
        (OVERHEAT, {"on": True, "fan_only": False}, "cabin_overheat_protection", "On"),
        (OVERHEAT, {"on": True, "fan_only": True}, "cabin_overheat_protection", "FanOnly"),
        (OVERHEAT, {"on": False, "fan_only": True}, "cabin_overheat_protection", "Off"),
        *(("set_cop_temp", {"cop_temp": number}, LIMIT, name) for number, name in enumerate(LIMITS)),
        ("set_bioweapon_mode", {"on": True}, "bioweapon_mode", True),
        ("set_charging_amps", {"charging_amps": 16}, "charge_state.charge_current_request_max", 40),
        ("adjust_volume", {"volume": 4.5}, "vehicle_state.media_info.audio_volume", 4.5),
        ("adjust_volume", {"volume": 11}, "vehicle_state.media_info.audio_volume", 10.3333),
        ("media_toggle_playback", {}, STATUS, "Paused"),
        ("media_next_track", {}, TITLE, "Range Remaining"),
        ("media_prev_track", {}, TITLE, "Regenerate"),
    ],
)
def test_command_has_its_effect(
    command: str, values: dict[str, Any], path: str, value: Any, car: SimulatedVehicle
) -> None:
    """A field without the name of its object belongs to climate_state."""
    prepare(car, command)
    assert not send(car, command, **values)
    assert shown(car, path if "." in path else f"climate_state.{path}") == value


def test_windows_close(car: FleetCar) -> None:
    car.open_window("fd")
    assert not send(car, "window_control", command="close", **PLACE)
    assert [shown(car, window) for window in WINDOWS] == [0] * 4


def test_climate_control_is_on_while_the_climate_keeper_is(car: SimulatedVehicle) -> None:
    for number, mode in enumerate(("off", "keep", "dog", "camp")):
        for sent, state in ((number, (mode, number > 0)), (0, ("off", False))):
            assert not send(car, "set_climate_keeper_mode", climate_keeper_mode=sent)
            climate = shown(car, "climate_state")
            assert (climate["climate_keeper_mode"], climate["is_climate_on"]) == state


@pytest.mark.parametrize(
    ("index", "situation", "command", "values", "reason"),
    [
        (MODEL_S, driving, "window_control", {}, "not_in_park"),
        (MODEL_S, nothing, "window_control", {"lat": None}, "too_far_from_vehicle"),
        (MODEL_S, nothing, "window_control", {"lat": 0.0}, "too_far_from_vehicle"),
        (MODEL_Y, nothing, "window_control", {"lat": None}, ""),
        (MODEL_S, driving, "set_sentry_mode", {}, "not_parked"),
        (MODEL_S, sends("set_valet_mode", on=True), "set_sentry_mode", {}, "valet_mode"),
        (MODEL_S, DOG, "set_sentry_mode", {}, "pet_mode"),
        (MODEL_S, lambda car: car.climate_keeper("camp"), "set_sentry_mode", {}, "party"),
        (MODEL_S, low, "set_sentry_mode", {}, "low_soc"),
        (MODEL_S, low, "set_sentry_mode", {"on": False}, ""),
        (MODEL_X, nothing, "trigger_homelink", {}, "not_supported"),
        (MODEL_S, away, "trigger_homelink", {}, "no_homelink_nearby"),
        (MODEL_S, nothing, "trigger_homelink", {"lat": 0.0}, "too_far_from_vehicle"),
        (MODEL_S, driving, "remote_boombox", {}, "remote_boombox_failed"),
        (MODEL_S, climate, "remote_seat_heater_request", {"heater": 3}, "invalid_seat"),
        (MODEL_S, climate, "remote_seat_heater_request", {"heater": 5}, "not_supported"),
        (MODEL_X, climate, "remote_seat_heater_request", {"heater": 8}, ""),
        (MODEL_3, climate, "remote_seat_heater_request", {"heater": 4}, ""),
        (MODEL_S, nothing, "remote_seat_heater_request", {}, CLIMATE_OFF),
        (MODEL_S, lambda car: car.enter(), "remote_seat_heater_request", {}, ""),
        (MODEL_S, nothing, "remote_seat_cooler_request", {}, CLIMATE_OFF),
        (MODEL_X, climate, "remote_seat_cooler_request", {}, "not_supported"),
        (MODEL_S, nothing, "remote_auto_seat_climate_request", {}, CLIMATE_OFF),
        (MODEL_3, climate, "remote_steering_wheel_heater_request", {}, "not_supported"),
        (MODEL_S, nothing, "remote_steering_wheel_heat_level_request", {}, CLIMATE_OFF),
        (MODEL_3, climate, "remote_auto_steering_wheel_heat_climate_request", {}, "not_supported"),
        (MODEL_S, low, "set_preconditioning_max", {}, "low_soc"),
        (MODEL_S, DOG, "set_preconditioning_max", {}, "pet_mode"),
        (MODEL_S, driving, "set_climate_keeper_mode", {}, "not_in_park"),
        (MODEL_S, driving, "set_climate_keeper_mode", {"climate_keeper_mode": 0}, ""),
        (MODEL_S, low, "set_climate_keeper_mode", {}, "low_soc"),
        (MODEL_S_UK, nothing, "set_cop_temp", {}, "not_supported"),
        (MODEL_3, nothing, "set_bioweapon_mode", {}, "not_supported"),
        (MODEL_S, DOG, "set_bioweapon_mode", {}, "climate_keeper_mode_on_pet"),
        (MODEL_S, low, "set_bioweapon_mode", {}, "low_soc"),
        (MODEL_S, nothing, "set_charging_amps", {"charging_amps": 41}, "charging_amps_out_of_bounds"),
        (MODEL_S, nothing, "set_charging_amps", {"charging_amps": -1}, "charging_amps_out_of_bounds"),
        (MODEL_S, nothing, "remove_charge_schedule", {}, "schedule not found"),
        (MODEL_S, nothing, "remove_precondition_schedule", {}, "schedule not found"),
        (MODEL_S, nothing, UPDATE, {}, "update_not_available"),
        (MODEL_S, doing(offered, driving), UPDATE, {}, "not_in_park"),
        (MODEL_S, doing(offered, DOG), UPDATE, {}, "climate_keeper"),
        (MODEL_S, doing(offered, lambda car: car.sentry(on=True)), UPDATE, {}, "sentry_mode"),
        (MODEL_S, offered, "cancel_software_update", {}, "no_update_scheduled"),
        (MODEL_S, nothing, "open_tonneau", {}, "not_supported"),
        (
            MODEL_S,
            sends("set_pin_to_drive", on=True, password="1" * 4),
            "set_pin_to_drive",
            {},
            "incorrect pin",
        ),
        (MODEL_S, nothing, "adjust_volume", {}, "user_not_present"),
        (MODEL_S, nothing, "media_toggle_playback", {}, "user_not_present"),
        (MODEL_S, nothing, "media_next_track", {}, "user_not_present"),
    ],
)
def test_car_refuses(
    index: int, situation: Act, command: str, values: dict[str, Any], reason: str, fleet: Simulator
) -> None:
    car = fleet.vehicles[index]
    situation(car)
    assert send(car, command, **{**FLEET_COMMANDS[command], **values}) == reason


def test_invalid_value(car: SimulatedVehicle) -> None:
    for command, values in (
        ("window_control", {"command": "open"}),
        ("window_control", {"lat": 91.0}),
        ("trigger_homelink", {"lon": 181.0}),
        ("remote_seat_heater_request", {"level": 4}),
        ("remote_seat_cooler_request", {"seat_position": 0}),
        ("remote_auto_seat_climate_request", {"auto_climate_on": None}),
        ("remote_steering_wheel_heat_level_request", {"level": 2}),
        ("set_climate_keeper_mode", {"climate_keeper_mode": 4}),
        ("set_cop_temp", {"cop_temp": 1.5}),
        ("set_scheduled_charging", {"time": 1440}),
        ("set_scheduled_departure", {"departure_time": -1}),
        ("add_charge_schedule", {"days_of_week": "Mon,Someday"}),
        ("add_charge_schedule", {"start_time": None}),
        ("add_precondition_schedule", {"lat": None}),
        ("schedule_software_update", {"offset_sec": -1}),
        ("navigation_request", {"value": "Concert hall"}),
        ("navigation_request", {"value": {"android.intent.extra.TEXT": " "}}),
        ("adjust_volume", {"volume": 12}),
        ("navigation_waypoints_request", {"waypoints": "one,two"}),
    ):
        prepare(car, command)
        with pytest.raises(RequestError, match="invalid_request"):
            send(car, command, **{**FLEET_COMMANDS[command], **values})


# Climate


def test_climate_off_turns_heaters_off(car: SimulatedVehicle) -> None:
    climate(car)
    fields = ("seat_heater_right", "seat_fan_front_right", "steering_wheel_heat_level", "bioweapon_mode")
    for command in (SEAT, COOLER, "remote_steering_wheel_heater_request", "set_bioweapon_mode"):
        assert not send(car, command, **FLEET_COMMANDS[command])
    before = [shown(car, f"climate_state.{field}") for field in fields]
    assert not send(car, "auto_conditioning_stop")
    assert (before, [shown(car, f"climate_state.{field}") for field in fields]) == ([2, 3, 3, True], [0] * 4)


def test_level_ends_automatic_heater(car: SimulatedVehicle) -> None:
    climate(car)
    assert not send(car, "remote_auto_seat_climate_request", auto_seat_position=2, auto_climate_on=True)
    assert not send(car, "remote_seat_heater_request", heater=1, level=1)
    assert shown(car, "climate_state.auto_seat_climate_right") is False


@pytest.mark.parametrize("is_on", [False, True])
def test_defrosting_restores_climate(car: SimulatedVehicle, clock: ManualClock, *, is_on: bool) -> None:
    """Defrosting heats as much as possible. Afterwards, climate control is on only if it was before."""
    car.set_temperatures(inside=10, outside=10)
    car.cabin.on = is_on
    assert not send(car, "set_preconditioning_max", on=True)
    clock.advance(HOUR)
    assert shown(car, "climate_state.inside_temp") == 28
    assert not send(car, "set_preconditioning_max", on=False)
    state = shown(car, "climate_state")
    assert (state["is_climate_on"], state["defrost_mode"]) == (is_on, 0)


# Charging and schedules


@pytest.mark.parametrize(("amperes", "current"), [(10, 10), (0, 0), (40, 40)])
def test_set_current_flows(amperes: int, current: int, car: SimulatedVehicle, clock: ManualClock) -> None:
    charge(car, 50)
    assert not send(car, "set_charging_amps", charging_amps=amperes)
    clock.advance(HOUR)
    state = shown(car, "charge_state")
    assert state["charger_actual_current"] == current
    assert state["charge_energy_added"] == pytest.approx(0.24 * current * 0.9, abs=0.25)
    assert (state["time_to_full_charge"] > 0) is (current > 0)
    assert state["energy_remaining"] == pytest.approx(0.75 * car.charging.level, abs=0.01)


def test_scheduled_charging(car: SimulatedVehicle, clock: ManualClock) -> None:
    """Charging waits for the time of day at the car. It starts at once if the schedule is deleted."""
    charge(car, 50)
    # It is 4:00 at the car.
    assert not send(car, "set_scheduled_charging", enable=True, time=5 * 60)
    assert shown(car, "charge_state.charging_state") == "Stopped"
    clock.advance(HOUR + 60)
    assert shown(car, "charge_state.charging_state") == "Charging"
    assert not send(car, "set_scheduled_charging", enable=True, time=0)
    assert shown(car, "charge_state.scheduled_charging_pending") is True
    assert not send(car, "set_scheduled_charging", enable=False, time=0)
    assert shown(car, "charge_state.charging_state") == "Starting"
    assert shown(car, "charge_state.scheduled_charging_mode") == "Off"


def test_departure_replaces_scheduled_charging(car: SimulatedVehicle) -> None:
    for command, mode in (("set_scheduled_charging", "StartAt"), ("set_scheduled_departure", "DepartBy")):
        assert not send(car, command, **FLEET_COMMANDS[command])
        assert shown(car, "charge_state.scheduled_charging_mode") == mode
    state = shown(car, "charge_state")
    assert state["scheduled_departure_time_minutes"] == 450
    # The next 7:30 at the car, where it is 4:00
    assert state["scheduled_departure_time"] == car.clock.now() + 3.5 * HOUR
    assert not send(car, "set_scheduled_departure", enable=False)
    state = shown(car, "charge_state")
    assert (state["preconditioning_enabled"], state["scheduled_charging_mode"]) == (False, "Off")


@pytest.mark.parametrize(
    ("kind", "path", "times"),
    [
        ("charge", "charge_schedule_data.charge_schedules", {**TIMES, "end_time": 0}),
        ("precondition", "preconditioning_schedule_data.precondition_schedules", {"precondition_time": 420}),
    ],
)
def test_list_of_schedules(kind: str, path: str, times: dict[str, Any], car: SimulatedVehicle) -> None:
    """A schedule is added, replaced if its id is known, and removed. Without an id, it gets a new one."""
    add, values = f"add_{kind}_schedule", FLEET_COMMANDS[f"add_{kind}_schedule"]
    assert not send(car, add, **values)
    place = {"latitude": PLACE["lat"], "longitude": PLACE["lon"]}
    schedule = {"id": 5, "name": "", "days_of_week": 2 + 16, "enabled": True, "one_time": False, **place}
    assert shown(car, path) == [{**schedule, **times}]
    assert not send(car, add, **{**values, "days_of_week": "Weekdays", "enabled": False})
    assert shown(car, path) == [{**schedule, **times, "days_of_week": 62, "enabled": False}]
    for _ in range(2):
        assert not send(car, add, **{**values, "id": None})
    now = int(car.clock.now())
    assert [each["id"] for each in shown(car, path)] == [5, now, now + 1]
    assert not send(car, f"remove_{kind}_schedule", id=5)
    assert [each["id"] for each in shown(car, path)] == [now, now + 1]


# Software


def software(car: SimulatedVehicle) -> tuple[Any, ...]:
    update = shown(car, "vehicle_state.software_update")
    return tuple(update[name] for name in ("status", "version", "download_perc", "install_perc"))


def test_progress_of_update(car: SimulatedVehicle, clock: ManualClock) -> None:
    seen = [software(car)]
    car.offer_update()
    for seconds in (0, 300, 300, 300, 1800 + 750, 750):
        clock.advance(seconds)
        seen.append(software(car))
    assert seen == [
        ("", " ", 0, 1),
        ("available", "2019.44.1", 0, 1),
        ("downloading", "2019.44.1", 0, 1),
        ("downloading", "2019.44.1", 50, 1),
        ("scheduled", "2019.44.1", 100, 1),
        ("installing", "2019.44.1", 100, 50),
        ("", " ", 0, 1),
    ]


def test_scheduled_update_can_be_canceled(car: SimulatedVehicle, clock: ManualClock) -> None:
    """A canceled update stays available until it is scheduled again. An installation can't be canceled."""
    car.offer_update()
    assert not send(car, UPDATE, offset_sec=600)
    clock.advance(599)
    assert not send(car, "cancel_software_update")
    clock.advance(24 * HOUR)
    assert software(car) == ("available", "2019.44.1", 100, 1)
    car.wake()
    assert not send(car, UPDATE, offset_sec=0)
    assert shown(car, "state") == "online"
    clock.advance(1)
    assert shown(car, "state") == "offline"
    assert send(car, "cancel_software_update") == send(car, UPDATE, offset_sec=0)
    car.unplug()
    with pytest.raises(ControlError, match="software update is being installed"):
        car.drive(5)
    clock.advance(1500)
    assert shown(car, "vehicle_state.car_version").startswith("2019.44.1 ")


# Navigation


def route(car: SimulatedVehicle) -> dict[str, Any]:
    fields = shown(car, "drive_state").items()
    return {name.removeprefix("active_route_"): value for name, value in fields if name.startswith("active")}


@pytest.mark.parametrize(
    ("command", "name"),
    [("navigation_request", "Concert hall"), ("navigation_gps_request", "37.50000, -122.20000")],
)
def test_route_to_destination(command: str, name: str, car: SimulatedVehicle, clock: ManualClock) -> None:
    """A person drives to a sent destination. The rest of the route decreases, and parking there ends it."""
    car.unplug()
    assert not route(car)
    assert not send(car, command, **FLEET_COMMANDS[command])
    before = route(car)
    assert before["destination"] == name
    minutes = before["miles_to_arrival"] / 65 * 60
    assert before["minutes_to_arrival"] == pytest.approx(minutes, abs=0.01)
    seconds = car.drive(before["miles_to_arrival"] / 2)
    clock.advance(seconds)
    halfway = route(car)
    assert halfway["miles_to_arrival"] == pytest.approx(before["miles_to_arrival"] / 2, rel=0.01)
    seconds = car.drive(1000)
    clock.advance(seconds + 1)
    assert not route(car)
    assert car.charging.level == pytest.approx(before["energy_at_arrival"], abs=1)
    assert shown(car, "drive_state.latitude") == pytest.approx(before["latitude"], abs=1e-5)


def test_trip_of_routine_has_a_route(clock: ManualClock) -> None:
    simulator = SimulatedService(clock=clock, routine=True)
    simulator.switches.profile = "fleet-2024"
    car = simulator.vehicles[0]
    names = set()
    for _ in range(2 * 24 * 12):
        clock.advance(300)
        active = route(car)
        assert bool(active) is car.driving.in_gear
        names.add(active.get("destination"))
    assert "Home" in names


# Media


def test_media_plays_while_somebody_is_in_the_car(car: SimulatedVehicle, clock: ManualClock) -> None:
    """The player goes through its tracks, keeps its position while paused, and is stopped in an empty car."""
    assert shown(car, STATUS) == "Stopped"
    car.enter()
    clock.advance(250)
    info = shown(car, "vehicle_state.media_info")
    played = info["media_playback_status"], info["now_playing_elapsed"], info["now_playing_duration"]
    assert played == ("Playing", 10_000, 240_000)
    assert not send(car, "media_toggle_playback")
    clock.advance(100)
    assert shown(car, "vehicle_state.media_info.now_playing_elapsed") == 10_000
    assert not send(car, "media_next_track")
    assert shown(car, "vehicle_state.media_info.now_playing_elapsed") == 0
    car.leave()
    assert (shown(car, STATUS), shown(car, TITLE)) == ("Stopped", "")


# All together


ACTIONS: Final = st.sampled_from([*FLEET_COMMANDS, "enter", "leave", "drive", "unplug", "plug_in", "wake"])


@given(steps=st.lists(st.tuples(ACTIONS, st.integers(0, 20_000)), min_size=10, max_size=40))
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
def test_any_actions_can_be_restored(steps: list[tuple[str, int]]) -> None:
    """After any actions in any order, the records are valid JSON. After a restart, they are the same."""
    clock = ManualClock()
    simulator = SimulatedService(clock=clock)
    simulator.switches.profile = "fleet-2024"
    car = simulator.vehicles[0]
    for name, pause in steps:
        with suppress(ControlError, RequestError):
            if name in FLEET_COMMANDS:
                send(car, name, **FLEET_COMMANDS[name])
            else:
                getattr(car, name)(*([25] if name == "drive" else []))
        clock.advance(pause)
        car.catch_up()
        stored = json.loads(json.dumps(simulator.as_json(), allow_nan=False))
        restarted = SimulatedService(clock=ManualClock(clock.now()), stored=stored)
        restarted.switches.profile = "fleet-2024"
        before, after = (full_record(each.vehicles[0]) for each in (simulator, restarted))
        assert {**before, "tokens": None} == {**after, "tokens": None}
        assert 0 <= before["charge_state"]["battery_level"] <= 100
        assert json.dumps(before, allow_nan=False)
