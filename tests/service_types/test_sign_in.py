"""Signing in at a service in a browser, and what the owner of an application does besides."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final
from unittest.mock import AsyncMock

import aiohttp
from homeassistant.components.application_credentials import ClientCredential, async_import_client_credential
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.account.checklist import Checklist
from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES, SignIn
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import TOKEN_PATH, USUAL_TOKEN_LIFETIME
from custom_components.vehicle_remote_access.simulator.http.access_tokens import CLIENT_ID
from simulator_console.authorization import (
    AUTHORIZE_PATH,
    CLIENT_SECRET,
    REGISTER_PATH,
    SCOPES,
    AuthorizationServer,
    new_key,
)
from simulator_console.services import SimulatedService

from ..conftest import BATTERY, HOUR, LIST, exhaustive
from ..flow import Flow

PASSED: Final = {"key": "✓", "registered": "✓", "permissions": "✓", "car": "✓", "proxy": "✓"}


@pytest.fixture
async def server(
    simulator: SimulatedService, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[AuthorizationServer]:
    """The server at which owners sign in, for the service that the simulator plays."""
    server = AuthorizationServer(simulator, simulator.application)
    await server.start()
    usual = SERVICE_TYPES[simulator.service]
    assert usual.sign_in is not None
    sign_in = SignIn(
        authorize_url=server.url + AUTHORIZE_PATH,
        token_url=server.url + TOKEN_PATH,
        register_url=server.url + REGISTER_PATH if usual.sign_in.register_url else "",
        scopes=usual.sign_in.scopes,
        audience=simulator.url,
    )
    # The Fleet API has several regions, and one does not respond.
    base_urls = (simulator.url, *([] if sign_in.register_url else ["http://127.0.0.1:1"]))
    changed = replace(usual, base_urls=base_urls, sign_in=sign_in)
    monkeypatch.setitem(SERVICE_TYPES, simulator.service, changed)
    yield server
    await server.stop()


@pytest.fixture
async def credentials(flow: Flow) -> None:
    """The client ID and secret, as the owner has entered them in Home Assistant's dialog."""
    hass = flow.home.hass
    assert await async_setup_component(hass, "application_credentials", {})
    await async_import_client_credential(hass, DOMAIN, ClientCredential(CLIENT_ID, CLIENT_SECRET))


async def choose_sign_in(flow: Flow) -> None:
    await flow.start("account", flow.home.simulator.service, way="sign_in")


async def sign_in(flow: Flow, answer: str = "allow") -> None:
    """Answer the question of the page that the flow has opened, as the owner does in a browser."""
    if flow.step == "pick_implementation":
        await flow.submit(**flow.values)
    assert "url" in flow.result
    url = URL(flow.result["url"])
    async with aiohttp.ClientSession() as session:
        async with session.get(url) as page:
            assert f'id="{answer}"' in await page.text()
        async with session.get(url.update_query(answer=answer), allow_redirects=False) as redirect:
            query = URL(redirect.headers["Location"]).query
    assert query["state"]
    result = {name: query[name] for name in ("code", "error") if name in query}
    await flow.submit(state={"redirect_uri": url.query["redirect_uri"]}, **result)
    assert flow.result["type"] is FlowResultType.EXTERNAL_STEP_DONE
    await flow.submit()


@pytest.fixture(autouse=True)
def redirect_uri(empty_home: Any) -> None:
    """Let Home Assistant have the address to which sign-ins return."""
    empty_home.hass.config.components.add("my")


@pytest.mark.parametrize("service", ["teslemetry"])
async def test_owner_signs_in_without_a_token(flow: Flow, server: AuthorizationServer) -> None:
    await choose_sign_in(flow)
    await sign_in(flow)
    assert flow.step == "vehicles"
    await flow.submit()
    entry, tokens = flow.home.entry, flow.home.simulator.tokens
    assert entry.data["base_url"] == flow.home.simulator.url
    assert entry.data["access_token"] == tokens.access_token
    refresh = entry.data["token_refresh"]
    assert (refresh["client_id"], refresh["refresh_token"]) == ("registered-2", tokens.refresh_token)
    assert flow.home.shown(*BATTERY).state == "72"


@pytest.mark.parametrize("service", ["teslemetry"])
async def test_tokens_without_a_lifetime_are_accepted(
    flow: Flow, server: AuthorizationServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.lifetime = 0
    await choose_sign_in(flow)
    await sign_in(flow)
    await flow.submit()
    refresh = flow.home.entry.data["token_refresh"]
    assert refresh["refresh_at"] is None
    assert refresh["refresh_token"] not in caplog.text


@pytest.mark.parametrize("service", ["teslemetry"])
async def test_sign_in_that_is_denied_ends(flow: Flow, server: AuthorizationServer) -> None:
    await choose_sign_in(flow)
    await sign_in(flow, "deny")
    assert flow.abort_reason in ("user_rejected_authorize", "sign_in_failed")


@pytest.mark.parametrize("service", ["teslemetry"])
async def test_sign_in_can_be_tried_again(flow: Flow, server: AuthorizationServer) -> None:
    server.fails = "before"
    await choose_sign_in(flow)
    assert (flow.step, flow.errors) == ("sign_in_again", {"base": "service_down"})
    server.fails = ""
    await flow.submit()
    flow.home.simulator.faults.answer(500, times=5)
    await sign_in(flow)
    assert (flow.step, flow.errors) == ("sign_in_again", {"base": "service_down"})
    flow.home.simulator.faults.clear()
    await flow.submit()
    await sign_in(flow)
    assert flow.step == "vehicles"


async def test_home_assistant_asks_for_the_client(flow: Flow, server: AuthorizationServer) -> None:
    assert await async_setup_component(flow.home.hass, "application_credentials", {})
    await choose_sign_in(flow)
    assert flow.abort_reason == "missing_credentials"


async def test_application_is_registered_and_checked(
    flow: Flow, server: AuthorizationServer, credentials: None
) -> None:
    """Each line of the checklist fails once. What the owner does next is seen."""
    simulator = flow.home.simulator
    assert isinstance(simulator, SimulatedService)
    application, car = simulator.application, flow.home.car
    simulator.switches.signing_required = "always"
    simulator.switches.unregistered = True
    application.key = None
    application.unpaired = {car.vin}
    application.scopes = SCOPES.replace(" vehicle_cmds", "")
    await choose_sign_in(flow)
    await flow.submit(application_domain=server.url)
    await sign_in(flow)
    assert flow.step == "checklist"
    unknown = {"registered": "✗", "key": "✗", "car": "?", "proxy": "?", "permissions": "✗"}
    assert {name: flow.placeholders[name] for name in PASSED} == unknown
    application.key = new_key()
    await flow.submit(next_step_id="checklist")
    marks = {**PASSED, "permissions": "✗", "car": "✗", "proxy": "✗"}
    assert {name: flow.placeholders[name] for name in PASSED} == marks
    assert application.registered_key == application.key
    # The key that the domain serves was made anew.
    application.key = new_key()
    application.unpaired = set()
    await flow.submit(next_step_id="checklist")
    assert {name: flow.placeholders[name] for name in PASSED} == {**marks, "car": "✓"}
    assert application.registered_key == application.key
    await flow.submit(next_step_id="connect")
    assert flow.step == "vehicles"
    await flow.submit()
    entry = flow.home.entry
    assert entry.data["application_domain"] == server.url
    assert entry.data["auth_implementation"] == DOMAIN
    assert flow.home.shown(*BATTERY).state == "72"
    await flow.start_reconfigure(entry, way="sign_in")
    assert flow.values["application_domain"] == server.url
    application.scopes = SCOPES
    await flow.submit(application_domain=server.url, command_url=server.url)
    await sign_in(flow)
    assert flow.abort_reason == "reconfigure_successful"
    assert entry.data["command_url"] == server.url


@pytest.mark.parametrize("service", ["tesla_fleet", *exhaustive("teslemetry")])
async def test_owner_signs_in_again(flow: Flow, server: AuthorizationServer, credentials: None) -> None:
    """A refused token is replaced by signing in, but not with the account of another person."""
    is_own = flow.home.simulator.service == "tesla_fleet"
    await choose_sign_in(flow)
    if is_own:
        for text in ("user@host", f"{server.url}/.well-known"):
            await flow.submit(application_domain=text)
            assert flow.errors == {"application_domain": "invalid_url"}
        await flow.submit(application_domain=server.url, command_url="http://127.0.0.1:1")
        assert flow.errors == {"command_url": "command_url_unreachable"}
        await flow.submit(application_domain=server.url, command_url=server.url)
    await sign_in(flow)
    await flow.submit()
    entry, before = flow.home.entry, flow.home.entry.data["access_token"]
    flow.home.simulator.token = "another"
    await flow.start_reauth(entry, way="sign_in")
    other = SimulatedService(flow.home.simulator.service, vehicles=1, seed=1)
    listed = {"response": [{"id": car.id, "vin": car.vin} for car in other.vehicles], "count": 1}
    flow.home.simulator.faults.serve("GET", LIST, listed)
    await sign_in(flow)
    assert (flow.step, flow.errors) == ("sign_in_again", {"base": "wrong_account"})
    flow.home.simulator.faults.clear()
    await flow.submit()
    await sign_in(flow)
    assert flow.abort_reason == "reauth_successful"
    assert before != entry.data["access_token"] == flow.home.simulator.token
    assert (entry.data.get("application_domain") == server.url) is is_own
    # The client that was registered is used again.
    assert len(server.clients) == (1 if is_own else 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("service", ["teslemetry"])
async def test_one_sign_in_lasts_a_month(flow: Flow, server: AuthorizationServer) -> None:
    """With tokens of 8 hours that are refreshed once, power cuts, and outages of the server."""
    home = flow.home
    home.simulator.switches.token_lifetime = USUAL_TOKEN_LIFETIME
    await choose_sign_in(flow)
    await sign_in(flow)
    await flow.submit()
    first = home.simulator.tokens.refresh_token
    for day in range(30):
        if day % 3 == 1:
            # The power fails after a refresh token was used, and before the new one is stored.
            server.fails = "after"
            await home.advance_while_pending(8 * HOUR, step=HOUR)
            server.fails = ""
            await home.run_until_complete(home.hass.config_entries.async_reload(home.entry.entry_id))
        elif day % 3 == 2:
            server.fails = "before"
            await home.advance_while_pending(6 * HOUR, step=HOUR)
            server.fails = ""
        await home.advance_while_pending(16 * HOUR, step=HOUR)
    assert home.open_flows() == []
    assert home.simulator.tokens.refresh_token != first
    assert home.shown("binary_sensor", "service_reachable", home.entry.entry_id).state == "on"


@pytest.mark.parametrize("domain", ["tesla.example.com", "https://tesla.example.com/"])
async def test_domain_is_registered_without_a_port(
    flow: Flow,
    server: AuthorizationServer,
    credentials: None,
    domain: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulator = flow.home.simulator
    assert isinstance(simulator, SimulatedService)
    monkeypatch.setattr(Checklist, "_hosted_key", AsyncMock(return_value=None))
    simulator.switches.unregistered = True
    await choose_sign_in(flow)
    await flow.submit(application_domain=domain)
    await sign_in(flow)
    assert flow.placeholders["key_url"] == "https://tesla.com/_ak/tesla.example.com"
    assert simulator.application.domains == {"tesla.example.com"}
