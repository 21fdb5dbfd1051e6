"""Options of accounts and vehicles: read-only, and not waking a car for commands."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.commands import MEDIA_TOGGLE_PLAYBACK
from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import BATTERY, STATE, Home
from ..user_actions import ACCOUNT_ACTIONS, CAR_ACTIONS, READ_ACTIONS

LOCK: Final = "vehicle_state.locked"
READ_ONLY: Final = "is read-only, so the command was not sent"
NOT_WOKEN: Final = "Wake for commands is off in its settings, so the command was not sent"

# One control of each kind: platform, service, path, data
CONTROLS: Final[Mapping[str, tuple[str, str, str, Mapping[str, Any]]]] = {
    "unlock": ("lock", "unlock", LOCK, {}),
    "climate": ("climate", "turn_on", "climate_state", {}),
    "switch": ("switch", "turn_on", "charge_state.charging_state", {}),
    "number": ("number", "set_value", "charge_state.charge_limit_soc", {"value": 80}),
    "trunk": ("cover", "open_cover", "vehicle_state.rt", {}),
    "roof": ("cover", "set_cover_position", "vehicle_state.sun_roof_percent_open", {"position": 40}),
    "horn": ("button", "press", "honk_horn", {}),
    "wake_up": ("button", "press", "wake_up", {}),
}
COMMANDS: Final = {"unlock": "door_unlock", "trunk": "actuate_trunk", "wake_up": "wake_up"}
# With an invalid value, because the read-only error is raised first
ACTIONS: Final[Mapping[str, Mapping[str, Any]]] = {**CAR_ACTIONS, "set_temps": {"driver_temp": 99}}


async def _use(home: Home, control: str) -> None:
    platform, service, path, data = CONTROLS[control]
    await home.call(platform, service, path, **data)


async def _unlock(home: Home, vin: str) -> None:
    doors = {"entity_id": home.entity_id("lock", LOCK, vin)}
    await home.hass.services.async_call("lock", "unlock", doors, blocking=True)


def _last_command(home: Home) -> tuple[str, str]:
    state = home.shown("sensor", "last_command")
    return state.state, state.attributes["result"]


def _posted_paths(home: Home) -> list[str]:
    return [request.path for request in home.simulator.requests if request.method != "GET"]


def _serve_record(home: Home, state: str | None, status: int = 200) -> None:
    """Let the service have this record of the car, without waking it."""
    car = home.car
    body = {"response": {"id": car.id, "id_s": str(car.id), "vin": car.vin, "state": state}}
    path = f"/api/1/vehicles/{car.id}"
    home.simulator.faults.serve("GET", path, body if status == 200 else None, status=status)


async def test_read_only_car_is_not_controlled(entity_registry_enabled_by_default: None, home: Home) -> None:
    await home.set_car_options(read_only=True)
    assert READ_ONLY in await home.error_of(_use(home, "unlock"))
    await home.let_car_sleep()
    before = home.states()
    for control in CONTROLS:
        error = await home.error_of(_use(home, control))
        assert error.startswith(f"{home.coordinator.title} {READ_ONLY}"), control
        assert _last_command(home)[1] == "read_only"
        if control in COMMANDS:
            assert _last_command(home)[0] == COMMANDS[control]
    for action, data in ACTIONS.items():
        assert READ_ONLY in await home.error_of(home.act(action, **data)), action
        assert _last_command(home) == (action, "read_only")
    assert not home.requests()
    changed = {name for name, state in home.states().items() if state != before[name]}
    assert {name for name in changed if "button." not in name} == {home.entity_id("sensor", "last_command")}
    assert home.car.state == "asleep"
    # Every other action reads, belongs to the account, or changes only the log.
    log = ("get_log", "update_log_entry", "merge_drives", "delete_log_entry")
    ours = home.hass.services.async_services_for_domain(DOMAIN).keys()
    assert ours == {*ACTIONS, *ACCOUNT_ACTIONS, *READ_ACTIONS, *log}


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_command_that_a_service_lacks_is_not_shown_as_refused_by_a_read_only_car(home: Home) -> None:
    """The sensor has no such state."""
    await home.set_car_options(read_only=True)
    error = await home.error_of(home.coordinator.commands.async_send(MEDIA_TOGGLE_PLAYBACK))
    assert "does not support this function" in error
    assert home.shown("sensor", "last_command").state == "unknown"


async def test_read_only_car_is_read_by_polling_the_button_and_actions(home: Home) -> None:
    await home.set_car_options(read_only=True)
    home.car.set_level(41)
    await home.press("refresh")
    assert home.shown(*BATTERY).state == "41"
    assert await home.act("get_vehicle_data", record="charge_state")
    home.car.set_level(42)
    await home.advance(65)
    assert home.shown(*BATTERY).state == "42"
    assert not _posted_paths(home)


@pytest.mark.parametrize("cars", [2])
async def test_scope_of_read_only(home: Home) -> None:
    assert "read_only" not in home.shown(*STATE).attributes
    await home.set_car_options(read_only=True)
    assert home.shown(*STATE).attributes["read_only"]
    first, other = home.simulator.vehicles
    await _unlock(home, other.vin)
    assert (first.body.locked, other.body.locked) == (True, False)
    home.simulator.requests.clear()
    await home.act("confirm_notifications", payload={})
    assert _posted_paths(home) == ["/api/1/notification_confirmations"]
    await home.set_car_options(read_only=False)
    await _unlock(home, first.vin)
    assert not first.body.locked
    await home.set_account_options(read_only=True)
    home.simulator.requests.clear()
    for car in home.simulator.vehicles:
        assert READ_ONLY in await home.error_of(_unlock(home, car.vin))
    for action, data in ACCOUNT_ACTIONS.items():
        call = home.act(action, **data)
        if action.startswith("get_"):
            assert (await call) is not None
        else:
            assert (await home.error_of(call)).startswith(f"{home.entry.title} {READ_ONLY}")
    assert not _posted_paths(home)


async def test_command_does_not_wake_the_car(entity_registry_enabled_by_default: None, home: Home) -> None:
    await home.set_car_options(wake_for_commands=False)
    await home.let_car_sleep()
    for control in CONTROLS.keys() - {"wake_up"}:
        home.simulator.requests.clear()
        assert NOT_WOKEN in await home.error_of(_use(home, control)), control
        assert home.requests() == [f"/api/1/vehicles/{home.car.id}"]
    assert NOT_WOKEN in await home.error_of(home.act("set_valet_mode", on=True))
    assert _last_command(home) == ("set_valet_mode", "not_woken")
    assert not _posted_paths(home)
    assert home.car.state == "asleep"


@pytest.mark.parametrize("is_reported_by_car", [False, True])
async def test_car_that_only_seems_asleep_gets_the_command(home: Home, *, is_reported_by_car: bool) -> None:
    await home.set_car_options(wake_for_commands=False)
    if is_reported_by_car:
        home.car.fall_asleep()
        assert NOT_WOKEN in await home.error_of(_use(home, "unlock"))
        await home.poll()
    else:
        await home.let_car_sleep()
    assert home.shown(*STATE).state == "asleep"
    home.car.wake()
    assert await home.gather(_use(home, "unlock")) == [None]
    assert not home.car.body.locked
    assert not home.requests("/wake_up")
    await home.advance(5)
    assert home.shown(*STATE).state == "online"


@pytest.mark.parametrize("is_listed_online", [False, True])
@pytest.mark.parametrize(("control", "command_count"), [("unlock", 1), ("trunk", 0)])
async def test_command_detects_that_the_car_just_fell_asleep_and_does_not_wake_it(
    home: Home, control: str, command_count: int, *, is_listed_online: bool
) -> None:
    await home.set_car_options(wake_for_commands=False)
    if is_listed_online:
        await home.let_car_sleep()
        _serve_record(home, "online")
    home.car.fall_asleep()
    home.simulator.requests.clear()
    assert NOT_WOKEN in await home.error_of(_use(home, control))
    assert home.car.state == "asleep"
    assert home.shown(*STATE).state == "asleep"
    assert len(home.requests("/command/")) == command_count
    assert not home.requests("/wake_up")


@pytest.mark.parametrize("status", [200, 404, 500])
async def test_command_itself_finds_out_what_the_service_does_not_know(home: Home, status: int) -> None:
    await home.set_car_options(wake_for_commands=False)
    _serve_record(home, None, status)
    await home.let_car_sleep()
    assert NOT_WOKEN in await home.error_of(_use(home, "unlock"))
    assert home.car.body.locked
    home.car.wake()
    await _use(home, "unlock")
    assert not home.car.body.locked
    assert not home.requests("/wake_up")


async def test_button_always_wakes_the_car_which_then_gets_commands(home: Home) -> None:
    await home.set_car_options(wake_for_commands=False)
    await home.let_car_sleep()
    assert await home.gather(_use(home, "wake_up")) == [None]
    assert home.car.state == "online"
    assert await home.gather(_use(home, "unlock")) == [None]
    assert not home.car.body.locked
    assert len(home.requests("/wake_up")) == 1
