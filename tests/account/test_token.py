"""A token counts as refused only if the service says so twice."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import Home
from .test_issues import issues

MINUTE: Final = 60.0
LIST: Final = "/api/1/vehicles"
LOGIN_PAGE: Final = "<html><body>Log in to use this network.</body></html>"
BATTERY: Final = ("sensor", "charge_state.battery_level")


def _flows(home: Home) -> list[str | None]:
    flows = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    return [flow["context"].get("source") for flow in flows]


def _unavailable(home: Home) -> list[str]:
    return [entity_id for entity_id, state in home.states().items() if state == STATE_UNAVAILABLE]


async def _in_use(home: Home) -> None:
    """Let the car be read every minute."""
    home.car.sentry(on=True)
    await home.poll()


@pytest.mark.parametrize("only", [LIST, "/vehicle_data"])
async def test_one_401_changes_nothing(home: Home, only: str) -> None:
    """After a single 401, nothing is unavailable, no dialog opens, and polling goes on."""
    await _in_use(home)
    before = home.states()
    home.simulator.faults.answer(401, only=only)
    await home.coordinator.async_refresh()
    await home.entry.runtime_data.look()
    await home.advance(3)
    assert home.simulator.faults.next_answer(only) is None
    assert _unavailable(home) == [each for each in before if before[each] == STATE_UNAVAILABLE]
    await home.advance(5 * MINUTE)
    assert _flows(home) == []
    assert not _unavailable(home)
    assert len(home.requests("/vehicle_data")) >= 5


async def test_401s_hours_apart_change_nothing(home: Home) -> None:
    """A 401 now and then, with good answers between, never opens a dialog."""
    for _ in range(3):
        home.simulator.faults.answer(401, only=LIST)
        await home.advance(30 * MINUTE, step=20)
    assert _flows(home) == []
    assert not _unavailable(home)


async def test_401s_of_two_endpoints_change_nothing(home: Home) -> None:
    """A refused command and a refused read, with good answers between, are two glitches."""
    await _in_use(home)
    home.simulator.faults.answer(401, only="/command/")
    with pytest.raises(HomeAssistantError):
        await home.call("lock", "lock", "vehicle_state.locked")
    await home.advance(5 * MINUTE)
    home.simulator.faults.answer(401, only="/vehicle_data")
    await home.advance(5 * MINUTE)
    assert _flows(home) == []
    assert not _unavailable(home)


async def test_commands_that_are_always_refused(home: Home) -> None:
    """A command that is refused each time opens the dialog, although reads are accepted."""
    await _in_use(home)
    home.simulator.faults.answer(401, only="/command/", times=10)
    for _ in range(2):
        with pytest.raises(HomeAssistantError):
            await home.call("lock", "lock", "vehicle_state.locked")
        await home.advance(20 * MINUTE, step=20)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_one_401_after_a_confirmed_one(home: Home) -> None:
    """A 401 counts as a glitch also after another endpoint has refused the token twice."""
    home.simulator.faults.answer(401, only="/command/", times=2)
    for _ in range(2):
        with pytest.raises(HomeAssistantError):
            await home.call("button", "press", "flash_lights")
        await home.advance(10)
    await home.advance(30 * MINUTE, step=20)
    home.simulator.faults.answer(401, only=LIST)
    await home.advance(5 * MINUTE)
    assert not _unavailable(home)


@pytest.mark.parametrize("cars", [3])
async def test_401s_at_once_are_one(home: Home) -> None:
    """Several cars that are refused in the same moment confirm nothing."""
    for car in home.simulator.vehicles:
        car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(401, only="/vehicle_data", times=3)
    await home.poll()
    await home.advance(5 * MINUTE)
    assert _flows(home) == []


@pytest.mark.parametrize("only", ["", LIST, "/vehicle_data"])
async def test_second_401_opens_the_dialog(home: Home, only: str) -> None:
    """A second 401 a few seconds later opens one dialog for a new token."""
    await _in_use(home)
    home.simulator.faults.answer(401, only=only, times=1000)
    await home.advance(75)
    assert _flows(home) == [SOURCE_REAUTH]
    assert home.shown(*BATTERY).state == STATE_UNAVAILABLE


async def test_refused_command_is_confirmed(home: Home) -> None:
    """A command that is refused says so at once; the dialog opens when the next request is refused too."""
    home.simulator.token = "another"
    with pytest.raises(HomeAssistantError, match="does not accept the access token"):
        await home.call("lock", "unlock", "vehicle_state.locked")
    await home.idle()
    assert _flows(home) == []
    await home.advance(6)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_refused_command_without_polling(home: Home) -> None:
    """The token is confirmed as refused also with polling switched off."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.idle()
    home.simulator.token = "another"
    with pytest.raises(HomeAssistantError):
        await home.call("lock", "unlock", "vehicle_state.locked")
    await home.advance(6)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_one_refused_command(home: Home) -> None:
    """A command that is refused once, by a service that accepts the token otherwise, opens no dialog."""
    home.simulator.faults.answer(401, only="/command/")
    with pytest.raises(HomeAssistantError):
        await home.call("lock", "unlock", "vehicle_state.locked")
    await home.advance(MINUTE)
    await home.call("lock", "unlock", "vehicle_state.locked")
    assert _flows(home) == []
    assert not home.car.body.locked


async def test_refused_at_start(hass_storage: dict[str, Any], home: Home) -> None:
    """A single 401 at the first start does not open the dialog."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    hass_storage.clear()
    home.simulator.faults.answer(401, only=LIST)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.LOADED
    await home.advance(MINUTE)
    assert _flows(home) == []


async def test_refused_again_at_start(hass_storage: dict[str, Any], home: Home) -> None:
    """A token that is refused twice at the first start opens the dialog."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    hass_storage.clear()
    home.simulator.token = "another"
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.SETUP_ERROR
    await home.idle()
    assert _flows(home) == [SOURCE_REAUTH]


@pytest.mark.parametrize("status", [401, 403])
async def test_page_of_a_proxy(home: Home, status: int) -> None:
    """A login page in HTML is not the service's answer: no dialog, no repair, and values stay for a while."""
    await _in_use(home)
    home.simulator.faults.answer(status, body=LOGIN_PAGE, times=1000)
    await home.advance(10 * MINUTE, step=20)
    assert _flows(home) == []
    assert not _unavailable(home)
    assert home.shown("binary_sensor", "service_reachable", home.entry.entry_id).state == "off"
    home.simulator.faults.clear()
    await home.advance(10 * MINUTE, step=20)
    assert home.shown("binary_sensor", "service_reachable", home.entry.entry_id).state == "on"


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ({"response": None, "error": "mobile_access_disabled"}, None),
        ({"response": None, "error": "invalid bearer token"}, SOURCE_REAUTH),
        ("", SOURCE_REAUTH),
        ("Unauthorized", SOURCE_REAUTH),
    ],
)
async def test_words_of_a_401(home: Home, body: Any, source: str | None) -> None:
    """A 401 without HTML means the token, unless it says that mobile access is off."""
    await _in_use(home)
    home.simulator.faults.answer(401, body=body, only="/vehicle_data", times=1000)
    await home.advance(3 * MINUTE)
    assert _flows(home) == ([source] if source else [])


# A service with nothing but a vehicle's own record


async def _without_list(home: Home) -> None:
    home.simulator.switches.list = False
    await home.restart()
    home.car.fall_asleep()
    await home.advance(5 * MINUTE)
    home.simulator.requests.clear()


@pytest.mark.parametrize(
    ("status", "body", "most", "repair"),
    [
        (423, None, 1, "account_locked"),
        (412, None, 1, "client_refused"),
        (402, None, 20, "permission_denied"),
        (500, None, 20, None),
        (401, LOGIN_PAGE, 20, None),
    ],
)
async def test_failing_record_backs_off(
    hass_storage: Mapping[str, Any], home: Home, status: int, body: Any, most: int, repair: str | None
) -> None:
    """Where the service lists no cars, a record that fails is asked for less often, and reported."""
    await _without_list(home)
    home.simulator.faults.answer(status, body=body, times=1000)
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(59 * MINUTE, step=20)
    assert len(home.requests()) <= most
    assert [issue.translation_key for issue in issues(home)] == ([repair] if repair else [])


async def test_refused_record_opens_the_dialog(hass_storage: Mapping[str, Any], home: Home) -> None:
    """Where the service lists no cars, a token that is refused twice opens the dialog too."""
    await _without_list(home)
    home.simulator.token = "another"
    await home.advance(75)
    assert _flows(home) == [SOURCE_REAUTH]
