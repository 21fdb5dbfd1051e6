"""Token refresh of an account: its form, the storage of the tokens, and reauthentication."""

import asyncio
from typing import Any

from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryDisabler
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import TOKEN_PATH, USUAL_TOKEN_LIFETIME as LIFETIME

from ..conftest import HOUR, READ, Home
from ..flow import Flow

type Storage = dict[str, Any]


def _form(home: Home, **changes: str) -> dict[str, Any]:
    """Return the values of the account's form, with the tokens that the service accepts."""
    return {**home.access, "token_refresh": home.token_refresh | changes}


@pytest.fixture
async def home(empty_home: Home) -> Home:
    """Create a home whose account refreshes its tokens."""
    empty_home.simulator.switches.token_lifetime = LIFETIME
    await empty_home.set_up(token_refresh=empty_home.token_refresh)
    # Without the interval of the other tests
    await empty_home.set_account_options()
    return empty_home


def _refreshes(home: Home) -> int:
    return len(home.requests(TOKEN_PATH))


async def test_tokens_are_refreshed_without_asking_the_owner(home: Home, hass_storage: Storage) -> None:
    for _ in range(4):
        await home.advance(7 * HOUR, step=600)
        await home.restart()
    assert home.open_flows() == []
    assert _refreshes(home) == 5
    assert {request.status for request in home.simulator.requests} <= {200, 408}
    stored = hass_storage[f"{DOMAIN}.{home.entry.entry_id}_tokens"]["data"]
    assert stored["refresh_token"] == home.simulator.tokens.refresh_token
    assert stored["access_token"] == home.simulator.token
    await home.hass.config_entries.async_remove(home.entry.entry_id)
    assert not [key for key in hass_storage if key.endswith("_tokens")]


async def test_owner_enters_new_tokens_once_when_the_refresh_is_refused(home: Home) -> None:
    await home.advance(7 * HOUR, step=600)
    home.simulator.switches.refuse_refresh = True
    await home.advance_while_pending(LIFETIME, step=600)
    assert home.open_flows() == [SOURCE_REAUTH]

    flow, values = Flow(home), _form(home)
    del values["base_url"]
    await flow.start_reauth(home.entry)
    await flow.submit(**{**values, "token_refresh": {"client_id": "x"}})
    assert flow.errors == {"base": "token_refresh_incomplete"}
    await flow.submit(**values)
    assert flow.errors == {"base": "refresh_refused"}
    home.simulator.switches.refuse_refresh = False
    await flow.submit(**values)
    assert flow.abort_reason == "reauth_successful"
    await home.advance(LIFETIME, step=600)
    assert home.open_flows() == []
    assert home.shown("lock", "vehicle_state.locked").state == "locked"


async def test_account_is_unloaded_only_after_a_refresh_is_stored(home: Home) -> None:
    home.simulator.switches.token_lifetime = 1
    await home.advance(2)
    poll = asyncio.ensure_future(home.entry.runtime_data.async_poll_now())
    while not _refreshes(home):  # noqa: ASYNC110 - the simulator has no event for this
        await asyncio.sleep(0)
    await home.restart()
    await poll
    assert home.simulator.tokens.refresh_token in home.entry.runtime_data.provider.secrets


async def test_wrong_details_in_the_form_are_refused_before_a_refresh_token_is_used(empty_home: Home) -> None:
    home = empty_home
    refresh_token = home.simulator.tokens.refresh_token
    home.simulator.faults.answer(404, only="/nothing")
    flow = Flow(home)
    await flow.start("account")
    for changes, error in (
        ({"token_url": ""}, "token_refresh_incomplete"),
        ({"refresh_token": " "}, "token_refresh_incomplete"),
        ({"token_url": "http://elsewhere.example/token"}, "invalid_token_url"),
        ({"token_url": "https://user:password@elsewhere.example"}, "invalid_token_url"),
        ({"token_url": "https://[::"}, "invalid_token_url"),
        ({"token_url": home.simulator.url + "/nothing"}, "refresh_failed"),
        ({"client_id": "another"}, "refresh_refused"),
    ):
        await flow.submit(**_form(home, **changes))
        assert flow.errors == {"base": error}, changes
        assert not flow.is_collapsed("token_refresh")
        assert refresh_token not in str(flow.result)

    home.simulator.faults.answer(500, only="/api/1/vehicles")
    await flow.submit(**_form(home, refresh_token=refresh_token))
    assert flow.errors == {"base_url": "service_down"}
    await flow.submit(**_form(home, refresh_token=refresh_token))
    assert flow.step == "vehicles"


async def test_reconfigure_without_token_refresh(home: Home) -> None:
    """The form suggests the token URL, but no token. Without it, the token is no longer refreshed."""
    flow = Flow(home)
    await flow.start_reconfigure(home.entry)
    assert flow.values["token_refresh"] == {"token_url": home.simulator.url + TOKEN_PATH}
    await flow.submit(base_url=home.simulator.url, access_token=home.simulator.token)
    assert flow.abort_reason == "reconfigure_successful"
    home.simulator.token = "another"
    await home.advance_while_pending(600)
    assert home.open_flows() == [SOURCE_REAUTH]


async def test_reconfigure_without_a_refresh_token_keeps_the_newest_one(home: Home) -> None:
    await home.advance(7 * HOUR, step=600)
    before, newest = dict(home.entry.data), home.simulator.tokens.refresh_token
    flow = Flow(home)
    await flow.start_reconfigure(home.entry)
    home.simulator.token = "another"
    values = _form(home, refresh_token="", client_id="simulated-client")
    elsewhere = {**values, "token_refresh": {**values["token_refresh"], "token_url": "https://else.example"}}
    await flow.submit(**elsewhere)
    assert flow.errors == {"base": "token_refresh_incomplete"}
    await flow.submit(**{**values, "access_token": "wrong"})
    assert flow.errors == {"access_token": "invalid_token"}
    refreshes = _refreshes(home)
    await flow.submit(**values)
    assert flow.abort_reason == "reconfigure_successful"
    # The refresh token has a successor, and it is not used a second time.
    assert _refreshes(home) == refreshes
    settings = home.entry.data["token_refresh"]
    assert settings["client_id"] == "simulated-client"
    assert settings["refresh_token"] == before["token_refresh"]["refresh_token"]
    assert home.entry.runtime_data.provider.secrets >= {"another", newest}
    await home.advance(LIFETIME, step=600)
    assert home.open_flows() == []
    assert _refreshes(home) == refreshes + 1


async def test_owner_is_asked_once_if_every_new_token_is_refused(home: Home) -> None:
    # Some services look for the endpoint before they check the token.
    home.simulator.faults.answer(404, times=10_000, only=READ)
    home.simulator.faults.answer(401, times=10_000, only="/api/")
    await home.advance_while_pending(HOUR / 6, step=60)
    assert home.open_flows() == []
    await home.advance_while_pending(HOUR, step=60)
    assert home.open_flows() == [SOURCE_REAUTH]
    assert _refreshes(home) <= 8


async def test_add_vehicle_while_the_account_is_not_loaded(home: Home) -> None:
    """A second client would use up the refresh token. So a vehicle can be added only to a loaded account."""
    entries = home.hass.config_entries
    await entries.async_set_disabled_by(home.entry.entry_id, ConfigEntryDisabler.USER)
    form = await entries.subentries.async_init((home.entry.entry_id, "vehicle"), context={"source": "user"})
    assert form["reason"] == "not_loaded"


async def test_simulated_account_can_have_tokens_that_expire(empty_home: Home) -> None:
    home = empty_home
    await home.add_simulated_account()
    flow = Flow(home)
    await flow.start_reconfigure(home.entry)
    await flow.submit(vehicles=1, token_expires=True)
    assert flow.abort_reason == "reconfigure_successful"
    simulator = home.entry.runtime_data.provider.simulator
    assert simulator is not None
    first = simulator.token
    await home.advance(8 * HOUR, step=HOUR)
    assert simulator.token != first
    assert home.open_flows() == []
