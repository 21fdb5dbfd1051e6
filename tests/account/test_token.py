"""The access token: refused only after two 401 responses, and sent only with a valid certificate.

The car's VIN and the token's user must stay the same.
"""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.util.ssl import SSL_ALPN_HTTP11, SSLCipherList, client_context
import pytest

from custom_components.vehicle_remote_access.account.storage import remove_stores
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

from ..certificates import self_signed, server_context
from ..conftest import BATTERY, LIST, LOCK, MINUTE, READ, TOKEN, Home
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


async def test_account_says_that_the_token_is_refused_if_a_car_was_read_with_it(home: Home) -> None:
    await _in_use(home)
    await home.advance(2 * MINUTE)
    home.simulator.faults.answer(401, times=1000)
    await home.run_until_complete(home.coordinator.async_refresh())
    await home.advance_while_pending(MINUTE)
    reachable = home.shown("binary_sensor", "service_reachable", home.entry.entry_id)
    assert reachable.attributes["reason"] == "invalid_token"
    sent = len(home.requests())
    await home.advance(10 * MINUTE, step=20)
    assert len(home.requests()) == sent


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


OTHER_VIN = "5YJ3E1EA9LF000042"
DIFFERENT = "reports a different car"


async def _serve_other_car(home: Home) -> None:
    """Let the service answer with another car under the car's id, and wait for the next poll."""
    home.simulator.faults.corrupt("vin", OTHER_VIN)
    home.simulator.faults.corrupt("display_name", "Stranger")
    home.car.set_level(11)
    await home.advance(70)
    home.simulator.requests.clear()


@pytest.mark.parametrize("source", ["list", "record", "live reads", "no polling"])
async def test_other_car_is_not_shown(home: Home, source: str) -> None:
    """Another car under the same id changes no name or value, gets no command, and creates an issue."""
    home.car.sleep_after = 24 * 60 * MINUTE
    if source == "live reads":
        path = f"/api/1/vehicles/{home.car.id}"
        home.simulator.faults.serve("GET", path, {"error": "not_found"}, 404)
    if source in ("record", "live reads"):
        # The missing list is detected at the next start.
        home.simulator.switches.list = False
        await home.restart()
    if source == "no polling":
        home.hass.config_entries.async_update_entry(home.entry, pref_disable_polling=True)
    # After a while, the car is no longer read live.
    await home.advance(20 * MINUTE, step=20)
    name = home.device.name
    await _serve_other_car(home)
    assert home.device.name == name
    assert home.shown(*BATTERY).state == "72"
    assert home.shown(*LOCK).state == "locked"
    for call in (home.call("lock", "unlock", LOCK[1]), home.press("wake_up")):
        assert DIFFERENT in await home.error_of(call)
    assert home.car.body.locked
    assert not home.requests("/command/")
    assert not home.requests("/wake_up")
    assert home.shown(*BATTERY).state == "72"
    assert "other_vehicle" in issue_keys(home)


async def test_other_car_under_the_same_id_is_not_kept_awake_by_live_reads(home: Home) -> None:
    # After a while, the car is no longer read live.
    await home.advance(20 * MINUTE, step=20)
    await _serve_other_car(home)
    record = home.act("get_vehicle_data", record="drive_state")
    for read in (home.press("refresh"), home.act("get_vehicle_data"), record):
        assert DIFFERENT in await home.error_of(read)
    await home.advance(60 * MINUTE, step=20)
    assert not home.requests("_data")
    assert home.shown(*BATTERY).state == "unavailable"


async def test_command_fails_if_the_answer_to_the_wake_up_is_another_cars(home: Home) -> None:
    await home.let_car_sleep()
    home.simulator.faults.corrupt("vin", OTHER_VIN)
    home.simulator.faults.serve("GET", "/api/1/vehicles", {"response": []})
    assert DIFFERENT in await home.error_of(home.call("lock", "unlock", LOCK[1]))
    assert not home.requests("/command/")


@pytest.mark.parametrize("vin", ["5YJSA1E4XXXXXXXXX", "5YJ**************", "a text", 7, None])
async def test_masked_or_invalid_vin_does_not_mean_another_car(home: Home, vin: Any) -> None:
    home.simulator.faults.corrupt("vin", vin)
    home.car.set_level(33)
    await home.poll()
    assert home.shown(*BATTERY).state == "33"
    assert issue_keys(home) == []


@pytest.mark.parametrize("vin", ["5YJ3E1EA9XXXXXXXX", None])
async def test_returned_car_works_again_once_an_answer_has_its_full_vin(home: Home, vin: str | None) -> None:
    await _serve_other_car(home)
    path, live = f"/api/1/vehicles/{home.car.id}/vehicle_data", full_record(home.car)
    home.simulator.faults.serve("GET", path, {"response": {**live, "vin": vin}})
    assert DIFFERENT in await home.error_of(home.press("refresh"))
    await home.coordinator.async_refresh()
    assert home.shown(*BATTERY).state == "72"
    assert "other_vehicle" in issue_keys(home)
    assert DIFFERENT in await home.error_of(home.call("lock", "unlock", LOCK[1]))
    assert not home.requests("/command/")
    home.simulator.faults.clear()
    await home.advance(2 * MINUTE)
    await home.poll()
    assert home.shown(*BATTERY).state == "11"
    await home.call("lock", "unlock", LOCK[1])
    assert not home.car.body.locked
    assert issue_keys(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_car_with_a_new_id_is_found_by_its_vin_even_if_another_car_has_its_old_id(home: Home) -> None:
    first, second = home.simulator.vehicles
    ids = first.id, second.id
    second.identity, first.identity = replace(second.identity, id=ids[0]), replace(first.identity, id=ids[1])
    await home.advance(5 * MINUTE)
    await home.call("lock", "unlock", LOCK[1])
    assert not first.body.locked
    assert second.body.locked
    assert issue_keys(home) == []


async def test_new_id_of_a_car_is_not_shown(home: Home) -> None:
    home.car.identity = replace(home.car.identity, id=home.car.id + 1)
    await home.advance(5 * MINUTE)
    home.simulator.faults.answer(400, body={"error": f"no car {home.car.id}"}, only=READ)
    error = await home.error_of(home.press("refresh"))
    assert "no car" in error
    assert str(home.car.id) not in error


@pytest.mark.parametrize("is_other_user", [False, True])
async def test_token_of_another_user_is_an_issue_while_it_is_used(home: Home, *, is_other_user: bool) -> None:
    first = home.car.identity
    home.car.identity = replace(first, user_id=first.user_id + is_other_user)
    home.simulator.token = "a-new-token"
    data = {**home.entry.data, "access_token": "a-new-token"}
    home.hass.config_entries.async_update_entry(home.entry, data=data)
    await home.idle()
    await home.advance(2 * MINUTE)
    assert issue_keys(home) == (["other_account"] if is_other_user else [])
    assert home.shown(*BATTERY).state == "72"
    home.car.identity = first
    await home.advance(5 * MINUTE)
    assert issue_keys(home) == []


@pytest.mark.parametrize("cars", [2])
async def test_user_id_of_a_shared_cars_owner_is_not_another_user_of_the_token(home: Home) -> None:
    shared = home.simulator.vehicles[1]
    shared.identity = replace(shared.identity, user_id=shared.identity.user_id + 1)
    await home.restart()
    await home.advance(5 * MINUTE)
    assert issue_keys(home) == []
