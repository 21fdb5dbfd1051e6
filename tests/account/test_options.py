"""Options of accounts and vehicles: read-only, and not waking a car for commands."""

from collections.abc import Awaitable, Mapping
from typing import Any, Final

from homeassistant.config_entries import SOURCE_RECONFIGURE, SubentryFlowContext
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.services import ACCOUNT_ACTIONS

from ..conftest import Home

LOCK: Final = "vehicle_state.locked"
TRUNK: Final = "vehicle_state.rt"
READ_ONLY: Final = "is set to be read-only, so nothing was sent"
NOT_WOKEN: Final = "settings say not to wake it for a command, so nothing was sent"

two_cars = pytest.mark.parametrize("cars", [2])

# One control of each kind: platform, service, path, data
BY_ENTITY: Final[Mapping[str, tuple[str, str, str, Mapping[str, Any]]]] = {
    "lock": ("lock", "lock", LOCK, {}),
    "unlock": ("lock", "unlock", LOCK, {}),
    "climate": ("climate", "turn_on", "climate_state", {}),
    "temperature": ("climate", "set_temperature", "climate_state", {"temperature": 22}),
    "switch": ("switch", "turn_on", "charge_state.charging_state", {}),
    "number": ("number", "set_value", "charge_state.charge_limit_soc", {"value": 80}),
    "trunk": ("cover", "open_cover", TRUNK, {}),
    "roof": ("cover", "set_cover_position", "vehicle_state.sun_roof_percent_open", {"position": 40}),
    "horn": ("button", "press", "honk_horn", {}),
    "wake_up": ("button", "press", "wake_up", {}),
}
BY_ACTION: Final[Mapping[str, Mapping[str, Any]]] = {
    "remote_start_drive": {"password": "a password"},
    "set_temps": {"driver_temp": 20},
    "set_valet_mode": {"on": True},
    "speed_limit_activate": {"pin": "1234"},
    "speed_limit_clear_pin": {"pin": "1234"},
    "speed_limit_deactivate": {"pin": "1234"},
    "sun_roof_control": {"state": "vent"},
    "upcoming_calendar_entries": {"calendar_data": {}},
}


async def _set_options(home: Home, **options: Any) -> None:
    """Change options of the first car in the dialog."""
    flows = home.hass.config_entries.subentries
    context = SubentryFlowContext(
        source=SOURCE_RECONFIGURE, entry_id=home.entry.entry_id, subentry_id=next(iter(home.entry.subentries))
    )
    form = await flows.async_init((home.entry.entry_id, "vehicle"), context=context)
    await flows.async_configure(form["flow_id"], {"intervals": {}, **options})
    await home.idle()
    home.simulator.requests.clear()


async def _set_account_options(home: Home, **options: Any) -> None:
    """Change options of the account in the dialog."""
    flows = home.hass.config_entries.options
    form = await flows.async_init(home.entry.entry_id)
    await flows.async_configure(form["flow_id"], options)
    await home.idle()
    home.simulator.requests.clear()


async def _error_of(home: Home, call: Awaitable[Any]) -> str:
    """Let time pass until the call fails, and return its error message."""
    (error,) = await home.while_time_passes(call)
    assert isinstance(error, HomeAssistantError), repr(error)
    return str(error)


async def _lock(home: Home) -> None:
    await home.call("lock", "lock", LOCK)


async def _unlock(home: Home) -> None:
    await home.call("lock", "unlock", LOCK)


def _posted_paths(home: Home) -> list[str]:
    return [request.path for request in home.simulator.requests if request.method != "GET"]


async def _let_car_sleep(home: Home) -> None:
    """Put the car to sleep and wait until that is shown."""
    home.car.fall_asleep()
    await home.advance(65)
    assert home.shown("sensor", "state").state == "asleep"
    home.simulator.requests.clear()


def _car_states(home: Home) -> dict[str, str]:
    """Return the states of the car's entities, except buttons, which show when they were pressed."""
    return {entity: state for entity, state in home.states().items() if not entity.startswith("button.")}


# Read-only cars


@pytest.mark.parametrize("control", BY_ENTITY)
async def test_entities_do_not_control_a_read_only_car(home: Home, control: str) -> None:
    """No entity sends anything to a read-only car, and the error gives the reason."""
    await _set_options(home, read_only=True)
    before = _car_states(home)
    platform, service, path, data = BY_ENTITY[control]
    error = await _error_of(home, home.call(platform, service, path, **data))
    assert error.startswith(f"{home.coordinator.title} {READ_ONLY}")
    assert not home.requests()
    assert _car_states(home) == before


@pytest.mark.parametrize("action", BY_ACTION)
async def test_actions_do_not_control_a_read_only_car(home: Home, action: str) -> None:
    """No action sends anything to a read-only car."""
    await _set_options(home, read_only=True)
    assert READ_ONLY in await _error_of(home, home.act(action, **BY_ACTION[action]))
    assert not home.requests()


async def test_every_action_is_tested(home: Home) -> None:
    """Every action either reads, belongs to the account, or is in the table of refused actions."""
    ours = home.hass.services.async_services_for_domain(DOMAIN).keys()
    reads = {"get_vehicle_data", "get_service_data", "get_mobile_enabled"}
    assert ours == BY_ACTION.keys() | ACCOUNT_ACTIONS.keys() | reads


async def test_read_only_is_checked_first(home: Home) -> None:
    """The read-only error is raised before an invalid value is reported."""
    await _set_options(home, read_only=True)
    assert READ_ONLY in await _error_of(home, home.act("set_temps", driver_temp=99))


async def test_read_only_car_is_read(home: Home) -> None:
    """A read-only car is read by polling, by the refresh button and by actions."""
    await _set_options(home, read_only=True)
    home.car.set_level(41)
    await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "41"
    assert await home.act("get_vehicle_data", record="charge_state")
    home.car.set_level(42)
    await home.advance(65)
    assert home.shown("sensor", "charge_state.battery_level").state == "42"
    assert not _posted_paths(home)


async def test_read_only_car_is_not_woken(home: Home) -> None:
    """A read-only car that is asleep is never woken."""
    await _set_options(home, read_only=True)
    await _let_car_sleep(home)
    for call in (_unlock(home), home.call("button", "press", "wake_up")):
        assert READ_ONLY in await _error_of(home, call)
    await home.advance(120)
    assert home.car.state == "asleep"
    assert not _posted_paths(home)


@two_cars
async def test_read_only_does_not_affect_other_cars(home: Home) -> None:
    """Another car of the account can still be controlled."""
    await _set_options(home, read_only=True)
    _, other = home.simulator.vehicles
    doors = home.entity_id("lock", LOCK, other.vin)
    await home.hass.services.async_call("lock", "unlock", {"entity_id": doors}, blocking=True)
    assert not other.body.locked
    assert home.car.body.locked


async def test_read_only_can_be_disabled(home: Home) -> None:
    """A car that is no longer read-only can be controlled."""
    await _set_options(home, read_only=True)
    await _set_options(home, read_only=False)
    await _unlock(home)
    assert not home.car.body.locked


@pytest.mark.parametrize(
    ("control", "name"), [("unlock", "door_unlock"), ("trunk", "actuate_trunk"), ("wake_up", "wake_up")]
)
async def test_refusal_is_the_last_command(
    entity_registry_enabled_by_default: None, home: Home, control: str, name: str
) -> None:
    """A command that was refused because the car is read-only is shown as the last command."""
    await _set_options(home, read_only=True)
    platform, service, path, data = BY_ENTITY[control]
    await _error_of(home, home.call(platform, service, path, **data))
    last_command = home.shown("sensor", "last_command")
    assert (last_command.state, last_command.attributes["result"]) == (name, "read_only")


# Read-only accounts


@two_cars
async def test_read_only_account_applies_to_all_cars(home: Home) -> None:
    """No car of a read-only account can be controlled, whatever its own options are."""
    await _set_options(home, read_only=False)
    await _set_account_options(home, read_only=True)
    for car in home.simulator.vehicles:
        doors = {"entity_id": home.entity_id("lock", LOCK, car.vin)}
        call = home.hass.services.async_call("lock", "unlock", doors, blocking=True)
        assert READ_ONLY in await _error_of(home, call)
        assert car.body.locked
    assert not _posted_paths(home)


@pytest.mark.parametrize("action", ACCOUNT_ACTIONS)
async def test_read_only_account_allows_only_reading_actions(home: Home, action: str) -> None:
    """Of the account's actions, only those that read work if the account is read-only."""
    await _set_account_options(home, read_only=True)
    reads = action.startswith("get_")
    values: Mapping[str, Any] = {"device_type": "ios"} if reads else {"payload": {}}
    data = {"config_entry_id": home.entry.entry_id, **values}
    call = home.hass.services.async_call(DOMAIN, action, data, blocking=True, return_response=True)
    if reads:
        assert (await call) is not None
        return
    assert (await _error_of(home, call)).startswith(f"{home.entry.title} {READ_ONLY}")
    assert not home.requests()


async def test_read_only_car_does_not_affect_the_account(home: Home) -> None:
    """The account's own actions work although one of its cars is read-only."""
    await _set_options(home, read_only=True)
    data = {"config_entry_id": home.entry.entry_id, "payload": {}}
    await home.hass.services.async_call(DOMAIN, "confirm_notifications", data, blocking=True)
    assert _posted_paths(home) == ["/api/1/notification_confirmations"]


# Cars that are not woken for commands


@pytest.mark.parametrize("control", [control for control in BY_ENTITY if control != "wake_up"])
async def test_command_does_not_wake_the_car(home: Home, control: str) -> None:
    """A command to a sleeping car fails with the reason, and the car stays asleep."""
    await _set_options(home, wake_for_commands=False)
    await _let_car_sleep(home)
    platform, service, path, data = BY_ENTITY[control]
    assert NOT_WOKEN in await _error_of(home, home.call(platform, service, path, **data))
    assert home.car.state == "asleep"
    assert home.requests() == [f"/api/1/vehicles/{home.car.id}"]


async def test_action_does_not_wake_the_car(entity_registry_enabled_by_default: None, home: Home) -> None:
    """An action does not wake the car either, and is shown as the last command."""
    await _set_options(home, wake_for_commands=False)
    await _let_car_sleep(home)
    assert NOT_WOKEN in await _error_of(home, home.act("set_valet_mode", on=True))
    assert not _posted_paths(home)
    last_command = home.shown("sensor", "last_command")
    assert (last_command.state, last_command.attributes["result"]) == ("set_valet_mode", "not_woken")


@pytest.mark.parametrize("is_reported_by_car", [False, True])
async def test_command_to_a_car_that_is_awake_again(home: Home, *, is_reported_by_car: bool) -> None:
    """A car that is wrongly believed to be asleep gets the command."""
    await _set_options(home, wake_for_commands=False)
    if is_reported_by_car:
        home.car.fall_asleep()
        assert NOT_WOKEN in await _error_of(home, _unlock(home))
        await home.poll()
    else:
        await _let_car_sleep(home)
    assert home.shown("sensor", "state").state == "asleep"
    home.car.wake()
    home.simulator.requests.clear()
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert not home.car.body.locked
    assert not home.requests("/wake_up")
    await home.advance(5)
    assert home.shown("sensor", "state").state == "online"


@pytest.mark.parametrize(("control", "command_count"), [("unlock", 1), ("trunk", 0)])
async def test_command_to_a_car_that_just_fell_asleep(home: Home, control: str, command_count: int) -> None:
    """The command or the read before it detects that a car has fallen asleep, and the car is not woken."""
    await _set_options(home, wake_for_commands=False)
    home.car.fall_asleep()
    home.simulator.requests.clear()
    platform, service, path, data = BY_ENTITY[control]
    assert NOT_WOKEN in await _error_of(home, home.call(platform, service, path, **data))
    assert home.car.state == "asleep"
    assert home.shown("sensor", "state").state == "asleep"
    assert len(home.requests("/command/")) == command_count
    assert not home.requests("/wake_up")


@pytest.mark.parametrize("control", ["unlock", "trunk"])
async def test_sleeping_car_that_is_listed_online_is_not_woken(home: Home, control: str) -> None:
    """A sleeping car is not woken, even if the service reports it as online."""
    await _set_options(home, wake_for_commands=False)
    await _let_car_sleep(home)
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}", _record(home, "online"))
    platform, service, path, data = BY_ENTITY[control]
    assert NOT_WOKEN in await _error_of(home, home.call(platform, service, path, **data))
    assert home.car.state == "asleep"
    assert not home.requests("/wake_up")


@pytest.mark.parametrize("is_awake", [False, True])
@pytest.mark.parametrize("status", [200, 404, 500])
async def test_car_decides_if_the_service_does_not_know_its_state(
    home: Home, status: int, *, is_awake: bool
) -> None:
    """If the service can't report whether a car is awake, the command itself finds out."""
    await _set_options(home, wake_for_commands=False)
    home.simulator.faults.serve(
        "GET", f"/api/1/vehicles/{home.car.id}", _record(home, None) if status == 200 else None, status=status
    )
    await _let_car_sleep(home)
    if is_awake:
        home.car.wake()
        await _unlock(home)
    else:
        assert NOT_WOKEN in await _error_of(home, _unlock(home))
    assert home.car.body.locked is not is_awake
    assert not home.requests("/wake_up")


async def test_wake_up_button_wakes_the_car(home: Home) -> None:
    """The button wakes the car, which then gets commands."""
    await _set_options(home, wake_for_commands=False)
    await _let_car_sleep(home)
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"
    await _unlock(home)
    assert not home.car.body.locked
    assert len(home.requests("/wake_up")) == 1


async def test_commands_wake_the_car_by_default(home: Home) -> None:
    """Changing other options does not change the default: a command wakes the car."""
    await _set_options(home, keep_awake_plugged_in=True)
    await _let_car_sleep(home)
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert not home.car.body.locked


def _record(home: Home, state: str | None) -> Mapping[str, Any]:
    car = home.car
    return {"response": {"id": car.id, "id_s": str(car.id), "vin": car.vin, "state": state}}
