"""Every command of a service of today, from the dialog to the request.

Those of the interface document come last, those that services of the Fleet API's family have besides first.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qsl

from homeassistant.components.cover import CoverEntityFeature
from homeassistant.components.media_player import MediaPlayerState
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.commands import ACCOUNT_ENDPOINTS, COMMANDS
from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from ..conftest import MINUTE, Home, examples_in
from ..field_places import report
from ..user_actions import (
    ACCOUNT_ACTIONS,
    ROOF,
    USES as DOCUMENTED_USES,
    UserAction,
    action,
    entity,
    number,
    press,
)
from .conftest import NAMES, Sent, each_service, refusal_of

CLIMATE: Final = "climate_state"
OVERHEAT: Final = "climate_state.cabin_overheat_protection"
MEDIA: Final = "vehicle_state.media_info"
STATUS: Final = "vehicle_state.media_info.media_playback_status"
SEAT: Final = "climate_state.seat_heater_left"
WHEEL: Final = "climate_state.auto_steering_wheel_heat"
CURRENT: Final = "charge_state.charge_current_request"
GUEST: Final = "vehicle_state.guest_mode_enabled"
TONNEAU: Final = "vehicle_state.tonneau_position"
SENTRY: Final = "vehicle_state.sentry_mode"
SOFTWARE: Final = "vehicle_state.software_update"
PLACE: Final = {"latitude": 52.5, "longitude": 13.4}
AT_PLACE: Final = {"lat": 52.5, "lon": 13.4}


def turn(path: str, *, on: bool = True) -> UserAction:
    return entity("switch", "turn_on" if on else "turn_off", path)


def select(path: str, option: str) -> UserAction:
    return entity("select", "select_option", path, option=option)


def preset(name: str) -> UserAction:
    return entity("climate", "set_preset_mode", CLIMATE, preset_mode=name)


def play(service: str, **data: Any) -> UserAction:
    return entity("media_player", service, MEDIA, **data)


type Uses = tuple[tuple[str, UserAction, Mapping[str, Any]], ...]
"""Commands, user actions, and the bodies that the service must receive."""
# In an order in which a car can obey. `HERE` stands for the position of the car.
HERE: Final = "here"
USES: Final[Uses] = (
    ("set_climate_keeper_mode", preset("camp"), {"climate_keeper_mode": 3}),
    ("remote_seat_heater_request", select(SEAT, "high"), {"heater": 0, "seat_position": 0, "level": 3}),
    ("remote_seat_heater_request", select(SEAT, "off"), {"heater": 0, "seat_position": 0, "level": 0}),
    ("remote_seat_cooler_request", select("climate_state.seat_fan_front_right", "low"),
        {"seat_position": 2, "seat_cooler_level": 1}),
    ("remote_auto_seat_climate_request", turn("climate_state.auto_seat_climate_right"),
        {"auto_seat_position": 2, "auto_climate_on": True}),
    ("remote_steering_wheel_heat_level_request", select("climate_state.steering_wheel_heat_level", "high"),
        {"level": 3}),
    ("remote_steering_wheel_heater_request", turn("climate_state.steering_wheel_heater", on=False),
        {"on": False}),
    ("remote_auto_steering_wheel_heat_climate_request", turn(WHEEL), {"on": True}),
    ("set_preconditioning_max", turn("climate_state.defrost_mode"), {"on": True, "manual_override": False}),
    ("set_climate_keeper_mode", preset("off"), {"climate_keeper_mode": 0}),
    ("set_bioweapon_mode", turn("climate_state.bioweapon_mode"), {"on": True, "manual_override": False}),
    ("set_cabin_overheat_protection", entity("climate", "set_hvac_mode", OVERHEAT, hvac_mode="fan_only"),
        {"on": True, "fan_only": True}),
    ("set_cabin_overheat_protection", entity("climate", "turn_off", OVERHEAT),
        {"on": False, "fan_only": False}),
    ("set_cop_temp", entity("climate", "set_temperature", OVERHEAT, temperature=35), {"cop_temp": 1}),
    ("set_sentry_mode", turn(SENTRY), {"on": True}),
    ("set_sentry_mode", turn(SENTRY, on=False), {"on": False}),
    ("window_control", entity("cover", "open_cover", "windows"), {"command": "vent", HERE: True}),
    ("window_control", entity("cover", "close_cover", "windows"), {"command": "close", HERE: True}),
    ("sun_roof_control", entity("cover", "stop_cover", ROOF), {"state": "stop"}),
    ("set_charging_amps", number(CURRENT, 10), {"charging_amps": 10}),
    ("charge_port_door_open", press("charge_port_door_open"), {}),
    ("trigger_homelink", press("trigger_homelink"), {HERE: True}),
    ("remote_boombox", press("remote_boombox"), {"sound": 0}),
    ("remote_start_drive", press("remote_start_drive"), {}),
    ("adjust_volume", play("volume_set", volume_level=0.5), {"volume": 5.17}),
    ("media_toggle_playback", play("media_pause"), {}),
    ("media_toggle_playback", play("media_play"), {}),
    ("media_next_track", play("media_next_track"), {}),
    ("media_prev_track", play("media_previous_track"), {}),
    (
        "navigation_request",
        action("navigation_request", destination="Alexanderplatz, Berlin"),
        {"type": "share_ext_content_raw", "value": {"android.intent.extra.TEXT": "Alexanderplatz, Berlin"},
            "locale": "en", "timestamp_ms": "now"},
    ),
    ("navigation_gps_request",
        action("navigation_gps_request", location={**PLACE, "radius": 5}, order="last"),
        {**AT_PLACE, "order": 3}),
    ("set_scheduled_charging", action("set_scheduled_charging", time="06:30:00"),
        {"enable": True, "time": 390}),
    ("set_scheduled_charging", action("set_scheduled_charging", enable=False), {"enable": False, "time": 0}),
    (
        "set_scheduled_departure",
        action("set_scheduled_departure", departure_time="07:15", preconditioning_enabled=True),
        {"enable": True, "departure_time": 435, "preconditioning_enabled": True,
            "preconditioning_weekdays_only": False, "off_peak_charging_enabled": False,
            "off_peak_charging_weekdays_only": False, "end_off_peak_time": 0},
    ),
    (
        "add_charge_schedule",
        action("add_charge_schedule", days_of_week=["monday", "friday"], start_time="22:00",
            location=PLACE, id=7),
        {**AT_PLACE, "days_of_week": "Monday,Friday", "enabled": True, "start_enabled": True,
            "start_time": 1320, "end_enabled": False, "id": 7},
    ),
    (
        "add_precondition_schedule",
        action("add_precondition_schedule", days_of_week="sunday", precondition_time="08:00",
            one_time=True, id=8),
        # Without a location, the schedule is for the home.
        {"lat": 32.87336, "lon": -117.22743, "days_of_week": "Sunday", "enabled": True, "one_time": True,
            "precondition_time": 480, "id": 8},
    ),
    ("remove_charge_schedule", action("remove_charge_schedule", id=7), {"id": 7}),
    ("remove_precondition_schedule", action("remove_precondition_schedule", id=8), {"id": 8}),
    ("batch_remove_charge_schedules", action("batch_remove_charge_schedules", other=True),
        {"home": False, "work": False, "other": True}),
    ("batch_remove_precondition_schedules", action("batch_remove_precondition_schedules", home=True),
        {"home": True, "work": False, "other": False}),
    ("navigation_waypoints_request", action("navigation_waypoints_request", waypoints=["one", "two"]),
        {"waypoints": "refId:one,refId:two"}),
    ("guest_mode", turn(GUEST), {"enable": True}),
    ("set_pin_to_drive", action("set_pin_to_drive", on=True, password="0420"),
        {"on": True, "password": "0420"}),
    ("set_vehicle_name", action("set_vehicle_name", vehicle_name="Borealis"), {"vehicle_name": "Borealis"}),
    *(
        (sent_as, press(f"{verb}_{name}"), {"enable": verb == "enable"})
        for sent_as, name in (("keep_accessory_power_mode",) * 2, ("set_low_power_mode", "low_power_mode"))
        for verb in ("enable", "disable")
    ),
    *(
        (f"{move}_tonneau", entity("cover", f"{move}_cover", TONNEAU), {})
        for move in ("open", "stop", "close")
    ),
    ("cancel_software_update", press("cancel_software_update"), {}),
    ("schedule_software_update", entity("update", "install", SOFTWARE), {"offset_sec": 0}),
)  # fmt: skip


async def _prepare(home: Home, command: str) -> None:
    """Bring the car into a state in which it obeys a command."""
    if command.startswith(("adjust_", "media_")) and not home.car.body.user_present:
        home.car.enter()
        await home.poll()
    if command == "open_tonneau":
        home.car.model = replace(home.car.model, car_type="cybertruck")
        await home.poll()
    if command == "cancel_software_update":
        home.car.leave()
        home.car.offer_update()
        home.fleet_car.body.update.schedule(600)
        await home.poll()


def _expected(home: Home, body: Mapping[str, Any]) -> dict[str, Any]:
    latitude, longitude = home.car.driving.point
    values = {name: value for name, value in body.items() if name != HERE}
    if HERE in body:
        values |= {"lat": round(latitude, 6), "lon": round(longitude, 6)}
    if "timestamp_ms" in body:
        values["timestamp_ms"] = round(dt_util.utcnow().timestamp() * 1000)
    return values


@each_service("tessie")
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_new_state_is_shown_at_once_and_confirmed(home: Home) -> None:
    await report(home, {})
    shown = []
    for use, place in (
        (preset("dog"), ("climate", CLIMATE, "preset_mode")),
        (select(SEAT, "medium"), ("select", SEAT, None)),
        (entity("cover", "open_cover", "windows"), ("cover", "windows", None)),
        (number(CURRENT, 8), ("number", CURRENT, None)),
        (turn(WHEEL), ("switch", WHEEL, None)),
    ):
        await use(home)
        states = []
        for _ in range(2):
            state = home.shown(*place[:2])
            states.append(state.attributes[place[2]] if place[2] else state.state)
            await home.advance(20)
        shown.append(tuple(states))
    assert shown == [("dog",) * 2, ("medium",) * 2, ("open",) * 2, ("8",) * 2, ("on",) * 2]
    assert (home.car.cabin.keeper, home.car.cabin.seats["left"]) == ("dog", 2)


@each_service("tessie")
async def test_heater_that_is_turned_off_starts_no_climate(home: Home, sent: list[Sent]) -> None:
    home.car.enter()
    home.car.cabin.on = False
    await home.poll()
    sent.clear()
    await select(SEAT, "off")(home)
    assert [each.path.rpartition("/")[2] for each in sent] == ["remote_seat_heater_request"]


@each_service("tessie")
async def test_refusal_of_a_new_command_says_why(home: Home) -> None:
    home.start_drive(20)
    assert "not in park" in await home.error_of(entity("cover", "open_cover", "windows")(home))
    await refusal_of(number(CURRENT, 99)(home))


async def test_media_player_shows_what_is_played(home: Home) -> None:
    assert home.shown("media_player", MEDIA).state == MediaPlayerState.IDLE
    home.car.enter()
    await home.poll()
    state = home.shown("media_player", MEDIA)
    track = home.fleet_car.media.track
    assert state.state == MediaPlayerState.PLAYING
    attributes = state.attributes
    assert (attributes["media_title"], attributes["media_artist"]) == (track.title, track.artist)
    assert attributes["volume_level"] == pytest.approx(home.fleet_car.media.volume / 10.333333, abs=0.01)


async def test_media_has_no_buttons_if_the_owner_turned_remote_control_off(home: Home) -> None:
    home.car.enter()
    await home.poll()
    assert home.shown("media_player", MEDIA).attributes["supported_features"]
    await report(home, {"vehicle_state.media_state.remote_control_enabled": False})
    assert not home.shown("media_player", MEDIA).attributes["supported_features"]


async def test_media_of_a_sleeping_car_fails_without_a_request(home: Home) -> None:
    """The features stay: Home Assistant would store them whenever someone gets in or out."""
    await home.wait_until_car_sleeps()
    assert home.shown("media_player", MEDIA).attributes["supported_features"]
    with pytest.raises(HomeAssistantError, match="no one is in it"):
        await play("media_play")(home)
    assert not home.requests("wake_up")
    assert not home.requests("media_toggle_playback")


async def test_two_requests_to_play_do_not_pause(home: Home) -> None:
    home.car.enter()
    home.fleet_car.media.toggle()
    await home.poll()
    assert home.shown("media_player", MEDIA).state == MediaPlayerState.PAUSED
    await home.gather(play("media_play")(home), play("media_play")(home))
    assert not home.fleet_car.media.is_paused
    assert len(home.requests("media_toggle_playback")) == 1


async def test_pause_does_not_play_what_was_paused_in_the_car(home: Home) -> None:
    home.car.enter()
    await home.poll()
    await home.advance(60)
    home.fleet_car.media.toggle()
    await play("media_pause")(home)
    assert home.fleet_car.media.is_paused
    assert not home.requests("media_toggle_playback")
    assert home.shown("media_player", MEDIA).state == MediaPlayerState.PAUSED


async def test_stopped_player_is_not_played_by_a_pause(home: Home) -> None:
    home.car.enter()
    await report(home, {STATUS: "Stopped"})
    await play("media_pause")(home)
    assert not home.requests("media_toggle_playback")
    await play("media_play")(home)
    assert len(home.requests("media_toggle_playback")) == 1


@pytest.mark.parametrize(
    ("path", "value"), [(STATUS, None), ("vehicle_state.timestamp", 1)], ids=["unknown", "from a cache"]
)
async def test_player_in_unknown_state_is_not_paused_or_played(home: Home, path: str, value: object) -> None:
    home.car.enter()
    await home.poll()
    await report(home, {path: value})
    for service in ("media_pause", "media_play"):
        with pytest.raises(HomeAssistantError, match="current state is unknown"):
            await play(service)(home)
    assert not home.requests("media_toggle_playback")


async def test_route_is_shown_while_the_car_navigates(home: Home) -> None:
    route = ("device_tracker", "drive_state.active_route")
    shown = home.shown(*route)
    assert (shown.state, shown.attributes["tracking_type"]) == ("unknown", "position")
    assert home.shown("sensor", "drive_state.active_route_destination").state == "unknown"
    await action("navigation_gps_request", location=PLACE)(home)
    await home.poll()
    attributes = home.shown(*route).attributes
    assert (attributes["latitude"], attributes["longitude"]) == (52.5, 13.4)
    values = {"active_route_minutes_to_arrival": 10.2, "active_route_energy_at_arrival": 41}
    await report(home, {f"drive_state.{name}": value for name, value in values.items()})
    arrival = home.shown("sensor", "drive_state.active_route_minutes_to_arrival").state
    expected = dt_util.utcnow().timestamp() + 10.2 * MINUTE
    parsed = dt_util.parse_datetime(arrival, raise_on_error=True)
    assert parsed.timestamp() == pytest.approx(expected, abs=MINUTE)
    assert parsed.second == 0
    assert home.shown("sensor", "drive_state.active_route_energy_at_arrival").state == "41"


async def test_update_can_be_installed_once_it_is_ready(home: Home) -> None:
    assert not home.shown("update", SOFTWARE).attributes["supported_features"] & 1
    home.car.offer_update()
    await home.poll()
    state = home.shown("update", SOFTWARE)
    version = home.car.body.update.next_version.partition(" ")[0]
    assert (state.state, state.attributes["latest_version"]) == ("on", version)
    assert state.attributes["supported_features"] & 1
    await entity("update", "install", SOFTWARE)(home)
    assert home.car.body.update.status in ("scheduled", "installing")


LEFT: Final = ("binary_sensor", "vehicle_state.fd_window.left")
LOW: Final = ("binary_sensor", "vehicle_state.tpms_soft_warning_fl.any")
TIRES: Final = ("fl", "fr", "rl", "rr")


async def test_windows_are_left_open_in_an_empty_car(home: Home) -> None:
    assert (home.shown(*LEFT).state, home.shown("cover", "windows").state) == ("off", "closed")
    home.fleet_car.open_window("rp")
    await home.poll()
    assert (home.shown(*LEFT).state, home.shown("cover", "windows").state) == ("on", "open")
    home.car.enter()
    await home.poll()
    assert home.shown(*LEFT).state == "off"


@pytest.mark.parametrize(("other", "states"), [(1, ("on", "open")), (0, ("unknown", "unknown"))])
async def test_unknown_window_matters_if_none_open(home: Home, other: int, states: tuple[str, str]) -> None:
    await report(home, {"vehicle_state.fd_window": None, "vehicle_state.rp_window": other})
    assert (home.shown(*LEFT).state, home.shown("cover", "windows").state) == states


async def test_tires_with_low_pressure_are_listed(home: Home) -> None:
    assert (home.shown(*LOW).state, home.shown(*LOW).attributes["tires"]) == ("off", [])
    home.fleet_car.set_tire_pressure("rl", 1.8)
    await home.poll()
    assert (home.shown(*LOW).state, home.shown(*LOW).attributes["tires"]) == ("on", ["rear_left"])


@pytest.mark.parametrize(
    ("missing", "shown"), [(("hard",), ("off", [])), (("hard", "soft"), ("unknown", None))]
)
async def test_tires_are_unknown_only_without_any_warnings(home: Home, missing: Any, shown: Any) -> None:
    warnings = [f"vehicle_state.tpms_{kind}_warning_{tire}" for kind in missing for tire in TIRES]
    await report(home, dict.fromkeys(warnings))
    assert (home.shown(*LOW).state, home.shown(*LOW).attributes["tires"]) == shown


async def test_two_heaters_turn_climate_on_once(home: Home) -> None:
    home.car.cabin.on = False
    await home.poll()
    await home.gather(select(SEAT, "low")(home), select("climate_state.seat_heater_right", "low")(home))
    assert len(home.requests("auto_conditioning_start")) == 1
    assert (home.car.cabin.seats["left"], home.car.cabin.seats["right"]) == (1, 1)


async def test_climate_that_is_turned_off_ends_the_keeper_at_once(home: Home) -> None:
    await preset("dog")(home)
    await entity("climate", "turn_off", CLIMATE)(home)
    state = home.shown("climate", CLIMATE)
    assert (state.state, state.attributes["preset_mode"]) == ("off", "off")


async def test_arrival_moves_while_the_car_waits_on_its_way(home: Home) -> None:
    arrivals = []
    for _ in range(2):
        route = {"drive_state.active_route_destination": "A stop"}
        await report(home, {**route, "drive_state.active_route_minutes_to_arrival": 10})
        state = home.shown("sensor", "drive_state.active_route_minutes_to_arrival").state
        arrivals.append(dt_util.parse_datetime(state, raise_on_error=True))
        await home.advance(10 * MINUTE, step=60)
    assert (arrivals[1] - arrivals[0]).total_seconds() == pytest.approx(10 * MINUTE, abs=MINUTE)


@each_service("tessie")
@pytest.mark.parametrize(
    ("name", "data", "detail"),
    [
        ("set_scheduled_charging", {}, "time"),
        ("set_scheduled_departure", {"preconditioning_enabled": True}, "departure_time"),
        (
            "set_scheduled_departure",
            {"departure_time": "08:00", "off_peak_charging_enabled": True},
            "end_off_peak_time",
        ),
    ],
)
async def test_schedule_without_its_time_is_not_sent(home: Home, name: str, data: Any, detail: str) -> None:
    home.simulator.requests.clear()
    assert await refusal_of(home.act(name, **data)) == ("missing_value", {"detail": detail})
    assert not home.requests()


@each_service("tessie", "teslemetry")
async def test_schedules_can_be_read_with_their_ids(home: Home) -> None:
    await home.act("add_charge_schedule", days_of_week=["monday"], end_time="06:00")
    answer: Any = await home.act("get_vehicle_data", record="charge_schedule_data")
    (schedule,) = answer["charge_schedule_data"]["charge_schedules"]
    assert (schedule["end_time"], schedule["days_of_week"]) == (360, 2)
    await home.act("remove_charge_schedule", id=schedule["id"])
    answer = await home.act("get_vehicle_data", record="charge_schedule_data")
    assert answer["charge_schedule_data"]["charge_schedules"] == []


@each_service("tessie")
async def test_documented_example_of_a_schedule(home: Home) -> None:
    """The example is on the page of the actions."""
    examples = [each for each in examples_in("actions.md") if isinstance(each, dict)]
    (example,) = [each for each in examples if "schedule" in each.get("action", "")]
    await home.act("add_charge_schedule", **{**example["data"], "device_id": home.device.id})
    (schedule,) = home.fleet_car.schedules.charge.values()
    assert (schedule["days_of_week"], schedule["start_time"]) == (62, 22 * 60)


# Parameters that are sent as another JSON type than text
JSON_TYPES: Final[Mapping[str, Any]] = {
    "driver_temp": float,
    "passenger_temp": float,
    "percent": int,
    "limit_mph": int,
    "on": {"true": True, "false": False}.get,
}
# Commands with other parameters than those of the interface document
OTHER_FORM: Final = {"sun_roof_control", "remote_start_drive", "upcoming_calendar_entries"}
CALENDAR: Final = {"calendars": [{"name": "Home", "events": []}], "access_disabled": False}


def _body(query: str) -> dict[str, Any]:
    return {name: JSON_TYPES.get(name, str)(text) for name, text in parse_qsl(query)}


COMMAND_USES: Final[Uses] = (
    *(
        (command, use, _body(query))
        for endpoint, use, query in DOCUMENTED_USES
        if (command := endpoint.removeprefix("POST ")) in {each.name for each in COMMANDS} - OTHER_FORM
    ),
    ("sun_roof_control", entity("cover", "open_cover", ROOF), {"state": "vent"}),
    ("sun_roof_control", entity("cover", "close_cover", ROOF), {"state": "close"}),
    ("sun_roof_control", press("sun_roof_control.vent"), {"state": "vent"}),
    ("sun_roof_control", action("sun_roof_control", state="closed"), {"state": "close"}),
    ("remote_start_drive", action("remote_start_drive"), {}),
    ("remote_start_drive", action("remote_start_drive", password="word"), {}),
    (
        "upcoming_calendar_entries",
        action("upcoming_calendar_entries", calendar_data=CALENDAR),
        {"calendar_data": '{"calendars": [{"name": "Home", "events": []}], "access_disabled": false}'},
    ),
)


@each_service("tesla_fleet")
@pytest.mark.parametrize(
    ("uses", "fleet_only"), [(USES, True), (COMMAND_USES, False)], ids=["of the family", "documented"]
)
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_every_command_is_one_request_that_the_car_obeys(
    home: Home, sent: list[Sent], uses: Uses, *, fleet_only: bool
) -> None:
    service_type, prefix = SERVICE_TYPES[home.simulator.service], "/api/1/vehicles/{id}/"
    forms = [
        service_type.form(command)
        for command in COMMANDS
        if command.fleet_only is fleet_only and service_type.has(command)
    ]
    paths = {form.path.removeprefix(prefix).removeprefix("command/") for form in forms}
    commands = {path for path in paths if "/" not in path}
    assert {name for name, *_ in uses} >= commands
    mismatches = []
    for command, use, body in uses:
        if command not in commands:
            continue
        await _prepare(home, command)
        sent.clear()
        home.simulator.requests.clear()
        (error,) = await asyncio.gather(use(home), return_exceptions=True)
        path = f"/api/1/vehicles/{home.car.vin}/command/{command}".replace("command/wake_up", "wake_up")
        expected = _expected(home, body)
        statuses = [request.status for request in home.simulator.requests if request.method == "POST"]
        if error is not None or sent != [Sent(path, "", expected)] or statuses != [200]:
            mismatches.append(f"{command}: sent {sent}, {statuses}, expected {expected}, {error!r}")
    assert not mismatches, "\n".join(mismatches)
    assert fleet_only or home.car.body.calendar == CALENDAR


CUSTOM_USES: Final[Uses] = (
    *(
        ("closure", entity("cover", f"{move}_cover", TONNEAU), {"tonneau": move})
        for move in ("open", "stop", "close")
    ),
    *(
        (f"set_{mode}", press(f"{verb}_{mode}"), {"on": verb == "enable"})
        for mode in ("keep_accessory_power_mode", "low_power_mode")
        for verb in ("enable", "disable")
    ),
    ("dashcam_save", press("dashcam_save"), {}),
    ("auto_secure_vehicle", press("auto_secure_vehicle"), {}),
    ("charge_on_solar", action("charge_on_solar", enabled=False), {"enabled": False}),
    (
        "charge_on_solar",
        action("charge_on_solar", enabled=True, lower_charge_limit=30, upper_charge_limit=70),
        {"enabled": True, "lowerChargeLimit": 30, "upperChargeLimit": 70},
    ),
)
OWN_USES: Final[Mapping[str, Uses]] = {
    "tessie": tuple(
        (f"/{{vin}}/command/{path}", use, {})
        for path, use in (
            *((f"{move}_tonneau", entity("cover", f"{move}_cover", TONNEAU)) for move in ("open", "close")),
            *(
                (f"{verb}_{mode}", press(f"{verb}_{mode}"))
                for mode in ("keep_accessory_power_mode", "low_power_mode")
                for verb in ("enable", "disable")
            ),
        )
    ),
    "teslemetry": tuple(
        (f"/api/1/vehicles/{{vin}}/custom_command/{path}", use, body) for path, use, body in CUSTOM_USES
    ),
}


@pytest.mark.parametrize("service", OWN_USES)
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_service_gets_its_own_commands_at_its_own_paths(home: Home, sent: list[Sent]) -> None:
    await _prepare(home, "open_tonneau")
    for path, use, body in OWN_USES[home.simulator.service]:
        sent.clear()
        await use(home)
        assert sent == [Sent(path.format(vin=home.car.vin), "", body)]
    state, car = home.shown("cover", TONNEAU), home.fleet_car.body
    can_stop = bool(state.attributes["supported_features"] & CoverEntityFeature.STOP)
    assert can_stop is (home.simulator.service == "teslemetry")
    assert (car.accessory_power, car.low_power, car.tonneau_open) == (False, False, False)
    if home.simulator.service == "tessie":
        assert await refusal_of(action("charge_on_solar", enabled=True)(home)) == (
            "missing_endpoint",
            {"detail": "Tessie"},
        )


@each_service("tesla_fleet")
async def test_state_that_no_read_contains_is_assumed_until_the_next_read(home: Home) -> None:
    entity_id = home.entity_id("switch", GUEST)
    er.async_get(home.hass).async_update_entity(entity_id, disabled_by=None)
    await home.restart()
    shown = [home.shown("switch", GUEST)]
    await turn(GUEST)(home)
    shown.append(home.shown("switch", GUEST))
    await home.advance(5)
    shown.append(home.shown("switch", GUEST))
    assert [state.state for state in shown] == ["unknown", "on", "unknown"]
    assert [state.attributes.get("assumed_state") for state in shown] == [True, None, True]
    assert home.fleet_car.body.guest_mode


@each_service("tessie")
async def test_alerts_and_nearby_chargers_are_returned(home: Home) -> None:
    assert await home.act("get_recent_alerts") == {"recent_alerts": []}
    answer: Any = await home.act("get_nearby_charging_sites")
    assert [site["name"] for site in answer["superchargers"]] == ["Concert hall"]


@each_service("tessie")
async def test_sunroof_has_neither_a_position_to_set_nor_the_button_for_comfort(home: Home) -> None:
    assert home.shown("cover", ROOF).attributes["supported_features"] == (
        CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE | CoverEntityFeature.STOP
    )
    entities = er.async_get(home.hass)
    roof = f"{home.car.vin}-sun_roof_control"
    assert entities.async_get_entity_id("button", DOMAIN, f"{roof}.vent")
    assert not entities.async_get_entity_id("button", DOMAIN, f"{roof}.comfort")
    home.simulator.requests.clear()
    for state in ("open", "comfort", "move"):
        key, _ = await refusal_of(home.act("sun_roof_control", state=state, percent=40))
        assert key == "invalid_value"
    assert not home.requests()


@pytest.mark.parametrize("service", ["other"])
async def test_nothing_is_sent_without_the_password_that_the_document_requires(home: Home) -> None:
    home.simulator.requests.clear()
    assert await refusal_of(home.act("remote_start_drive")) == ("missing_value", {"detail": "password"})
    assert not home.requests()


@each_service("tessie")
@pytest.mark.parametrize("record", ["charge_state", "legacy"])
async def test_read_of_a_single_record_names_the_service_that_lacks_it(home: Home, record: str) -> None:
    home.simulator.requests.clear()
    refusal = await refusal_of(home.act("get_vehicle_data", record=record))
    assert refusal == ("missing_endpoint", {"detail": NAMES[home.simulator.service]})
    assert not home.requests()


@each_service("teslemetry")
async def test_actions_for_an_account_exist_only_if_an_account_has_a_service_for_them(home: Home) -> None:
    registered = home.hass.services.async_services_for_domain(DOMAIN).keys()
    assert "get_vehicle_data" in registered
    assert not ACCOUNT_ENDPOINTS.keys() & registered


async def test_account_actions_send_nothing_to_a_service_that_lacks_them(home: Home) -> None:
    simulator = Simulator(vehicles=1, seed=1)
    await simulator.start()
    access = {"base_url": simulator.url, "access_token": simulator.token}
    form = await home.submit(await home.start_flow("account"), **access)
    await home.submit(form)
    await home.idle()
    home.simulator.requests.clear()
    for name, data in ACCOUNT_ACTIONS.items():
        assert (await refusal_of(home.act(name, **data)))[0] == "missing_endpoint", name
    assert not home.requests()
    await home.leave()
    await simulator.stop()
