"""What an owner sets of an account and of a vehicle, and what then no longer happens."""

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

# One way of each kind to tell a car something: platform, service, path, data.
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


async def _set(home: Home, **settings: Any) -> None:
    """Change settings of the first car, through the dialog."""
    flows = home.hass.config_entries.subentries
    context = SubentryFlowContext(
        source=SOURCE_RECONFIGURE, entry_id=home.entry.entry_id, subentry_id=next(iter(home.entry.subentries))
    )
    form = await flows.async_init((home.entry.entry_id, "vehicle"), context=context)
    await flows.async_configure(form["flow_id"], {"intervals": {}, **settings})
    await home.idle()
    home.simulator.requests.clear()


async def _set_account(home: Home, **settings: Any) -> None:
    """Change settings of the account, through the dialog."""
    flows = home.hass.config_entries.options
    form = await flows.async_init(home.entry.entry_id)
    await flows.async_configure(form["flow_id"], settings)
    await home.idle()
    home.simulator.requests.clear()


async def _refusal(home: Home, doing: Awaitable[Any]) -> str:
    """Return how it is refused. Time passes until it is."""
    (ended,) = await home.while_time_passes(doing)
    assert isinstance(ended, HomeAssistantError), repr(ended)
    return str(ended)


async def _lock(home: Home) -> None:
    await home.call("lock", "lock", LOCK)


async def _unlock(home: Home) -> None:
    await home.call("lock", "unlock", LOCK)


def _posted(home: Home) -> list[str]:
    return [each.path for each in home.simulator.requests if each.method != "GET"]


async def _asleep(home: Home) -> None:
    """Let the car sleep and Home Assistant notice."""
    home.car.fall_asleep()
    await home.advance(65)
    assert home.shown("sensor", "state").state == "asleep"
    home.simulator.requests.clear()


def _shown(home: Home) -> dict[str, str]:
    """Return all that is shown of the car; a button only shows that it was pressed."""
    return {entity: state for entity, state in home.states().items() if not entity.startswith("button.")}


# A car that is only to be read


@pytest.mark.parametrize("way", BY_ENTITY)
async def test_read_only_car_by_entity(home: Home, way: str) -> None:
    """Nothing reaches a read-only car through its entities, and who tries hears why."""
    await _set(home, read_only=True)
    before = _shown(home)
    platform, service, path, data = BY_ENTITY[way]
    refused = await _refusal(home, home.call(platform, service, path, **data))
    assert refused.startswith(f"{home.coordinator.title} {READ_ONLY}")
    assert not home.requests()
    assert _shown(home) == before


@pytest.mark.parametrize("action", BY_ACTION)
async def test_read_only_car_by_action(home: Home, action: str) -> None:
    """Nothing reaches a read-only car through actions either."""
    await _set(home, read_only=True)
    assert READ_ONLY in await _refusal(home, home.act(action, **BY_ACTION[action]))
    assert not home.requests()


async def test_every_action_is_either_refused_or_reads(home: Home) -> None:
    """There is no action that a read-only account has not been tried with."""
    ours = home.hass.services.async_services_for_domain(DOMAIN).keys()
    reads = {"get_vehicle_data", "get_service_data", "get_mobile_enabled"}
    assert ours == BY_ACTION.keys() | ACCOUNT_ACTIONS.keys() | reads


async def test_read_only_is_said_before_anything_else(home: Home) -> None:
    """That a value would not be allowed is of no interest while nothing is."""
    await _set(home, read_only=True)
    assert READ_ONLY in await _refusal(home, home.act("set_temps", driver_temp=99))


async def test_read_only_car_is_read(home: Home) -> None:
    """A read-only car is read as ever: by itself, at a press, and by actions."""
    await _set(home, read_only=True)
    home.car.set_level(41)
    await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "41"
    assert await home.act("get_vehicle_data", record="charge_state")
    home.car.set_level(42)
    await home.advance(65)
    assert home.shown("sensor", "charge_state.battery_level").state == "42"
    assert not _posted(home)


async def test_read_only_car_sleeps_on(home: Home) -> None:
    """A read-only car that sleeps is woken by nothing."""
    await _set(home, read_only=True)
    await _asleep(home)
    for doing in (_unlock(home), home.call("button", "press", "wake_up")):
        assert READ_ONLY in await _refusal(home, doing)
    await home.advance(120)
    assert home.car.state == "asleep"
    assert not _posted(home)


@two_cars
async def test_read_only_is_one_car(home: Home) -> None:
    """Another car of the account obeys as before."""
    await _set(home, read_only=True)
    _, other = home.simulator.vehicles
    doors = home.entity_id("lock", LOCK, other.vin)
    await home.hass.services.async_call("lock", "unlock", {"entity_id": doors}, blocking=True)
    assert not other.body.locked
    assert home.car.body.locked


async def test_read_only_is_taken_back(home: Home) -> None:
    """A car that is no longer read-only obeys."""
    await _set(home, read_only=True)
    await _set(home, read_only=False)
    await _unlock(home)
    assert not home.car.body.locked


@pytest.mark.parametrize(
    ("way", "name"), [("unlock", "door_unlock"), ("trunk", "actuate_trunk"), ("wake_up", "wake_up")]
)
async def test_refusal_is_the_last_command(
    entity_registry_enabled_by_default: None, home: Home, way: str, name: str
) -> None:
    """What was refused because the car is read-only is seen where commands are."""
    await _set(home, read_only=True)
    platform, service, path, data = BY_ENTITY[way]
    await _refusal(home, home.call(platform, service, path, **data))
    last = home.shown("sensor", "last_command")
    assert (last.state, last.attributes["result"]) == (name, "read_only")


# An account that is only to be read


@two_cars
async def test_read_only_account(home: Home) -> None:
    """No car of a read-only account takes a command, whatever is set for itself."""
    await _set(home, read_only=False)
    await _set_account(home, read_only=True)
    for car in home.simulator.vehicles:
        doors = {"entity_id": home.entity_id("lock", LOCK, car.vin)}
        doing = home.hass.services.async_call("lock", "unlock", doors, blocking=True)
        assert READ_ONLY in await _refusal(home, doing)
        assert car.body.locked
    assert not _posted(home)


@pytest.mark.parametrize("action", ACCOUNT_ACTIONS)
async def test_read_only_account_by_action(home: Home, action: str) -> None:
    """Of the account's actions those that change nothing are left."""
    await _set_account(home, read_only=True)
    reads = action.startswith("get_")
    values: Mapping[str, Any] = {"device_type": "ios"} if reads else {"payload": {}}
    data = {"config_entry_id": home.entry.entry_id, **values}
    doing = home.hass.services.async_call(DOMAIN, action, data, blocking=True, return_response=True)
    if reads:
        assert (await doing) is not None
        return
    assert (await _refusal(home, doing)).startswith(f"{home.entry.title} {READ_ONLY}")
    assert not home.requests()


async def test_read_only_car_is_not_its_account(home: Home) -> None:
    """What belongs to the account can be changed while one of its cars is read-only."""
    await _set(home, read_only=True)
    data = {"config_entry_id": home.entry.entry_id, "payload": {}}
    await home.hass.services.async_call(DOMAIN, "confirm_notifications", data, blocking=True)
    assert _posted(home) == ["/api/1/notification_confirmations"]


# A car that is not woken for commands


@pytest.mark.parametrize("way", [way for way in BY_ENTITY if way != "wake_up"])
async def test_not_woken(home: Home, way: str) -> None:
    """A command to a car that sleeps is refused with the reason, and the car sleeps on."""
    await _set(home, wake_for_commands=False)
    await _asleep(home)
    platform, service, path, data = BY_ENTITY[way]
    assert NOT_WOKEN in await _refusal(home, home.call(platform, service, path, **data))
    assert home.car.state == "asleep"
    assert home.requests() == [f"/api/1/vehicles/{home.car.id}"]


async def test_not_woken_by_action(entity_registry_enabled_by_default: None, home: Home) -> None:
    """An action wakes it neither; the refusal is seen where commands are."""
    await _set(home, wake_for_commands=False)
    await _asleep(home)
    assert NOT_WOKEN in await _refusal(home, home.act("set_valet_mode", on=True))
    assert not _posted(home)
    last = home.shown("sensor", "last_command")
    assert (last.state, last.attributes["result"]) == ("set_valet_mode", "not_woken")


@pytest.mark.parametrize("has_just_said_so", [False, True])
async def test_awake_after_all(home: Home, *, has_just_said_so: bool) -> None:
    """A car that is believed asleep and is not takes the command, whoever had said that it sleeps."""
    await _set(home, wake_for_commands=False)
    if has_just_said_so:
        home.car.fall_asleep()
        assert NOT_WOKEN in await _refusal(home, _unlock(home))
        await home.poll()
    else:
        await _asleep(home)
    assert home.shown("sensor", "state").state == "asleep"
    home.car.wake()
    home.simulator.requests.clear()
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert not home.car.body.locked
    assert not home.requests("/wake_up")
    await home.advance(5)
    assert home.shown("sensor", "state").state == "online"


@pytest.mark.parametrize(("way", "sent"), [("unlock", 1), ("trunk", 0)])
async def test_asleep_unseen(home: Home, way: str, sent: int) -> None:
    """A car that is believed awake and sleeps is found out by the command, or by the read before it."""
    await _set(home, wake_for_commands=False)
    home.car.fall_asleep()
    home.simulator.requests.clear()
    platform, service, path, data = BY_ENTITY[way]
    assert NOT_WOKEN in await _refusal(home, home.call(platform, service, path, **data))
    assert home.car.state == "asleep"
    assert home.shown("sensor", "state").state == "asleep"
    assert len(home.requests("/command/")) == sent
    assert not home.requests("/wake_up")


@pytest.mark.parametrize("way", ["unlock", "trunk"])
async def test_service_is_the_last_to_hear_of_it(home: Home, way: str) -> None:
    """A car that the service takes for awake, and that sleeps, is not woken either."""
    await _set(home, wake_for_commands=False)
    await _asleep(home)
    home.simulator.faults.serve("GET", f"/api/1/vehicles/{home.car.id}", _record(home, "online"))
    platform, service, path, data = BY_ENTITY[way]
    assert NOT_WOKEN in await _refusal(home, home.call(platform, service, path, **data))
    assert home.car.state == "asleep"
    assert not home.requests("/wake_up")


@pytest.mark.parametrize("is_awake", [False, True])
@pytest.mark.parametrize("status", [200, 404, 500])
async def test_service_does_not_know(home: Home, status: int, *, is_awake: bool) -> None:
    """Where the service cannot say whether a car is awake, the car itself does."""
    await _set(home, wake_for_commands=False)
    home.simulator.faults.serve(
        "GET", f"/api/1/vehicles/{home.car.id}", _record(home, None) if status == 200 else None, status=status
    )
    await _asleep(home)
    if is_awake:
        home.car.wake()
        await _unlock(home)
    else:
        assert NOT_WOKEN in await _refusal(home, _unlock(home))
    assert home.car.body.locked is not is_awake
    assert not home.requests("/wake_up")


async def test_wake_up_still_wakes(home: Home) -> None:
    """The button wakes the car, which then takes commands."""
    await _set(home, wake_for_commands=False)
    await _asleep(home)
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"
    await _unlock(home)
    assert not home.car.body.locked
    assert len(home.requests("/wake_up")) == 1


async def test_woken_unless_said_otherwise(home: Home) -> None:
    """Other settings leave it as it was: a command wakes the car."""
    await _set(home, keep_awake_plugged_in=True)
    await _asleep(home)
    assert await home.while_time_passes(_unlock(home)) == [None]
    assert not home.car.body.locked


def _record(home: Home, state: str | None) -> Mapping[str, Any]:
    car = home.car
    return {"response": {"id": car.id, "id_s": str(car.id), "vin": car.vin, "state": state}}
