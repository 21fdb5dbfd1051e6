"""The access token: refused only after two 401 responses, and sent only with a valid certificate."""

import asyncio
from pathlib import Path
from typing import Any, Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.util.ssl import SSL_ALPN_HTTP11, SSLCipherList, client_context
import pytest

from custom_components.vehicle_remote_access.account.storage import remove_stores

from ..certificates import self_signed, server_context
from ..conftest import BATTERY, LIST, MINUTE, READ, TOKEN, Home
from ..issues import issue_keys

LOGIN_PAGE: Final = "<html><body>Log in to use this network.</body></html>"


def _unavailable(home: Home) -> set[str]:
    return {entity_id for entity_id, state in home.states().items() if state == STATE_UNAVAILABLE}


async def _in_use(home: Home) -> None:
    """Let the car be read every minute."""
    home.car.sentry(on=True)
    await home.poll()


@pytest.mark.parametrize("only", [LIST, READ, "/command/"])
async def test_one_401_changes_nothing(home: Home, only: str) -> None:
    """After a single 401, the request is sent again: it succeeds, and no flow starts."""
    await _in_use(home)
    before = _unavailable(home)
    home.simulator.faults.answer(401, only=only)
    account = home.entry.runtime_data
    await home.run_until_complete(home.coordinator.async_refresh())
    await home.run_until_complete(account.async_poll_now())
    await home.run_until_complete(home.call("lock", "unlock", "vehicle_state.locked"))
    assert home.simulator.faults.next_fault(only) is None
    assert not home.car.body.locked
    assert home.coordinator.last_update_success
    assert account.last_update_success
    assert home.open_flows() == []
    assert _unavailable(home) == before


@pytest.mark.parametrize("cars", [3])
async def test_simultaneous_401s_for_several_cars_confirm_nothing(home: Home) -> None:
    for car in home.simulator.vehicles:
        car.sentry(on=True)
    await home.poll()
    home.simulator.faults.answer(401, only=READ, times=3)
    await home.advance_while_pending(5 * MINUTE)
    assert home.simulator.faults.next_fault(READ) is None
    assert home.open_flows() == []


async def test_one_401_at_the_first_start_changes_nothing(hass_storage: dict[str, Any], home: Home) -> None:
    await home.unload()
    hass_storage.clear()
    home.simulator.faults.answer(401)
    await home.gather(home.hass.config_entries.async_setup(home.entry.entry_id))
    assert home.entry.state is ConfigEntryState.LOADED
    await home.advance(MINUTE)
    assert home.open_flows() == []


@pytest.mark.parametrize("status", [401, 403])
async def test_html_page_is_no_refusal(home: Home, status: int) -> None:
    """A login page in HTML is not the service's answer: no flow, no issue, and values stay for a while."""
    await _in_use(home)
    reachable = ("binary_sensor", "service_reachable", home.entry.entry_id)
    home.simulator.faults.answer(status, body=LOGIN_PAGE, times=1000)
    await home.advance(10 * MINUTE, step=20)
    assert home.open_flows() == []
    assert issue_keys(home) == []
    assert not _unavailable(home)
    assert home.shown(*reachable).state == "off"
    home.simulator.faults.clear()
    await home.advance(10 * MINUTE, step=20)
    assert home.shown(*reachable).state == "on"


@pytest.mark.parametrize(
    ("status", "body", "max_requests", "issues"),
    [
        (423, None, 1, ["account_locked"]),
        (412, None, 1, ["client_refused"]),
        (402, None, 1, ["payment_required"]),
        (403, None, 20, ["permission_denied"]),
        (500, None, 20, []),
        (401, LOGIN_PAGE, 20, []),
        # A token that is refused twice starts reauthentication too.
        (401, None, 0, []),
    ],
)
async def test_failing_record(home: Home, status: int, body: Any, max_requests: int, issues: Any) -> None:
    """Without a list, a failing record is requested less often. An issue reports what a person must fix."""
    home.simulator.switches.list = False
    await home.restart()
    home.car.fall_asleep()
    await home.advance(5 * MINUTE)
    home.simulator.faults.answer(status, body=body, times=1000)
    await home.advance_while_pending(75)
    home.simulator.requests.clear()
    await home.advance(59 * MINUTE, step=20)
    assert len(home.requests()) <= max_requests
    assert issue_keys(home) == issues
    assert home.open_flows() == ([] if max_requests else [SOURCE_REAUTH])


@pytest.mark.parametrize("problem", ["untrusted", "expired", "other host"])
async def test_invalid_certificate(home: Home, tmp_path: Path, problem: str) -> None:
    """With an invalid certificate, an account can't be added, nothing is sent, and an issue reports it."""
    host = "127.0.0.2" if problem == "other host" else "127.0.0.1"
    certificate = self_signed(host, 2021 if problem == "expired" else 2099)
    if problem != "untrusted":
        # The context that Home Assistant's own sessions use
        trust = client_context(SSLCipherList.PYTHON_DEFAULT, SSL_ALPN_HTTP11)
        trust.load_verify_locations(cadata=certificate[0].decode())
    context = server_context(tmp_path, b"".join(certificate))
    connections: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(
        lambda _, writer: connections.append(writer), "127.0.0.1", 0, ssl=context
    )
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    form = await home.start_flow("account")
    form = await home.submit(form, base_url=url, access_token=TOKEN)
    assert form["errors"] == {"base_url": "certificate_error"}

    config_entries = home.hass.config_entries
    config_entries.async_update_entry(home.entry, data={**home.entry.data, "base_url": url})
    await home.idle()
    await home.advance(70)
    assert issue_keys(home) == ["certificate_error"]
    assert home.shown(*BATTERY).state == "72"
    assert "Can't connect securely" in await home.error_of(home.press("honk_horn"))
    await home.advance(20 * 60, step=30)
    assert home.shown(*BATTERY).state == "unavailable"

    await config_entries.async_unload(home.entry.entry_id)
    await remove_stores(home.hass, *home.entry.subentries)
    assert not await config_entries.async_setup(home.entry.entry_id)
    assert home.entry.state is ConfigEntryState.SETUP_RETRY
    assert (home.entry.reason or "").startswith("Can't connect securely")
    assert not connections
    server.close()
