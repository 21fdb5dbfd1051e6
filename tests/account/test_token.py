"""The access token counts as refused only after two 401 responses."""

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
    """After a single 401, no value becomes unavailable, no flow starts, and polling continues."""
    await _in_use(home)
    before = home.states()
    home.simulator.faults.answer(401, only=only)
    await home.coordinator.async_refresh()
    await home.entry.runtime_data.async_poll_now()
    await home.advance(3)
    assert home.simulator.faults.next_fault(only) is None
    assert _unavailable(home) == [entity_id for entity_id in before if before[entity_id] == STATE_UNAVAILABLE]
    await home.advance(5 * MINUTE)
    assert _flows(home) == []
    assert not _unavailable(home)
    assert len(home.requests("/vehicle_data")) >= 5


async def test_401s_hours_apart_change_nothing(home: Home) -> None:
    """Occasional 401 responses between valid answers never start reauthentication."""
    for _ in range(3):
        home.simulator.faults.answer(401, only=LIST)
        await home.advance(30 * MINUTE, step=20)
    assert _flows(home) == []
    assert not _unavailable(home)


async def test_401s_of_two_endpoints_change_nothing(home: Home) -> None:
    """A refused command and a later refused read, with valid answers in between, don't add up."""
    await _in_use(home)
    home.simulator.faults.answer(401, only="/command/")
    with pytest.raises(HomeAssistantError):
        await home.call("lock", "lock", "vehicle_state.locked")
    await home.advance(5 * MINUTE)
    home.simulator.faults.answer(401, only="/vehicle_data")
    await home.advance(5 * MINUTE)
    assert _flows(home) == []
    assert not _unavailable(home)


async def test_commands_that_are_always_refused_start_reauthentication(home: Home) -> None:
    """Commands that are always refused start reauthentication, although reads are accepted."""
    await _in_use(home)
    home.simulator.faults.answer(401, only="/command/", times=10)
    for _ in range(2):
        with pytest.raises(HomeAssistantError):
            await home.call("lock", "lock", "vehicle_state.locked")
        await home.advance(20 * MINUTE, step=20)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_one_401_after_a_confirmed_one_changes_nothing(home: Home) -> None:
    """A single 401 changes nothing, even after another endpoint refused the token twice."""
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
async def test_simultaneous_401s_count_once(home: Home) -> None:
    """Simultaneous 401 responses for several cars confirm nothing."""
    for car in home.simulator.vehicles:
        car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(401, only="/vehicle_data", times=3)
    await home.poll()
    await home.advance(5 * MINUTE)
    assert _flows(home) == []


@pytest.mark.parametrize("only", ["", LIST, "/vehicle_data"])
async def test_second_401_starts_reauthentication(home: Home, only: str) -> None:
    """A second 401 a few seconds later starts one reauthentication flow."""
    await _in_use(home)
    home.simulator.faults.answer(401, only=only, times=1000)
    await home.advance(75)
    assert _flows(home) == [SOURCE_REAUTH]
    assert home.shown(*BATTERY).state == STATE_UNAVAILABLE


async def test_refused_command_is_confirmed_by_the_next_request(home: Home) -> None:
    """A refused command fails at once. Reauthentication starts when the next request is refused too."""
    home.simulator.token = "another"
    with pytest.raises(HomeAssistantError, match="does not accept the access token"):
        await home.call("lock", "unlock", "vehicle_state.locked")
    await home.idle()
    assert _flows(home) == []
    await home.advance(6)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_refused_command_without_polling(home: Home) -> None:
    """With polling disabled, a refused token is still confirmed."""
    home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    await home.idle()
    home.simulator.token = "another"
    with pytest.raises(HomeAssistantError):
        await home.call("lock", "unlock", "vehicle_state.locked")
    await home.advance(6)
    assert _flows(home) == [SOURCE_REAUTH]


async def test_one_refused_command_changes_nothing(home: Home) -> None:
    """A command that is refused once starts no reauthentication if the token is accepted otherwise."""
    home.simulator.faults.answer(401, only="/command/")
    with pytest.raises(HomeAssistantError):
        await home.call("lock", "unlock", "vehicle_state.locked")
    await home.advance(MINUTE)
    await home.call("lock", "unlock", "vehicle_state.locked")
    assert _flows(home) == []
    assert not home.car.body.locked


async def test_one_401_at_startup_changes_nothing(hass_storage: dict[str, Any], home: Home) -> None:
    """A single 401 at the first start does not start reauthentication."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    hass_storage.clear()
    home.simulator.faults.answer(401, only=LIST)
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.LOADED
    await home.advance(MINUTE)
    assert _flows(home) == []


async def test_second_401_at_startup_starts_reauthentication(
    hass_storage: dict[str, Any], home: Home
) -> None:
    """A token that is refused twice at the first start starts reauthentication."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    hass_storage.clear()
    home.simulator.token = "another"
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.SETUP_ERROR
    await home.idle()
    assert _flows(home) == [SOURCE_REAUTH]


@pytest.mark.parametrize("status", [401, 403])
async def test_html_page_is_no_refusal(home: Home, status: int) -> None:
    """A login page in HTML is not the service's answer: no flow, no issue, and values stay for a while."""
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
async def test_meaning_of_a_401(home: Home, body: Any, source: str | None) -> None:
    """A 401 without HTML means a refused token, unless it says that mobile access is disabled."""
    await _in_use(home)
    home.simulator.faults.answer(401, body=body, only="/vehicle_data", times=1000)
    await home.advance(3 * MINUTE)
    assert _flows(home) == ([source] if source else [])


# Services without a list


async def _without_list(home: Home) -> None:
    home.simulator.switches.list = False
    await home.restart()
    home.car.fall_asleep()
    await home.advance(5 * MINUTE)
    home.simulator.requests.clear()


@pytest.mark.parametrize(
    ("status", "body", "max_requests", "issue_key"),
    [
        (423, None, 1, "account_locked"),
        (412, None, 1, "client_refused"),
        (402, None, 20, "permission_denied"),
        (500, None, 20, None),
        (401, LOGIN_PAGE, 20, None),
    ],
)
async def test_failing_record_backs_off(
    hass_storage: Mapping[str, Any],
    home: Home,
    status: int,
    body: Any,
    max_requests: int,
    issue_key: str | None,
) -> None:
    """Without a list, a failing record is requested less often. An issue reports what a person must fix."""
    await _without_list(home)
    home.simulator.faults.answer(status, body=body, times=1000)
    await home.advance(65)
    home.simulator.requests.clear()
    await home.advance(59 * MINUTE, step=20)
    assert len(home.requests()) <= max_requests
    assert [issue.translation_key for issue in issues(home)] == ([issue_key] if issue_key else [])


async def test_refused_record_starts_reauthentication(hass_storage: Mapping[str, Any], home: Home) -> None:
    """Without a list, a token that is refused twice starts reauthentication too."""
    await _without_list(home)
    home.simulator.token = "another"
    await home.advance(75)
    assert _flows(home) == [SOURCE_REAUTH]
