"""Token refresh over HTTP: when a token is refreshed, and what survives failures and power cuts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import replace
import json
import time
from typing import Any, Final

from aiohttp import ClientSession, web
from freezegun.api import FrozenDateTimeFactory
import pytest

from custom_components.vehicle_remote_access.api import errors
from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.api.token_refresher import TokenRefresher, Tokens
from custom_components.vehicle_remote_access.simulator import (
    TOKEN_PATH,
    USUAL_TOKEN_LIFETIME as LIFETIME,
    ManualClock,
    Simulator,
)

from .conftest import TOKEN, Handler, answer_with, failure, serving

HOUR: Final = 3600.0


class _Account:
    """A client with token refresh. Its tokens survive a power cut, because they are stored."""

    def __init__(self, session: ClientSession, simulator: Simulator, freezer: FrozenDateTimeFactory) -> None:
        self.simulator = simulator
        self.freezer = freezer
        self._session = session
        simulator.switches.token_lifetime = LIFETIME
        self.stored = Tokens(access_token=TOKEN, refresh_token=simulator.tokens.refresh_token)
        self.can_store = True
        self.is_saving, self.may_save = asyncio.Event(), asyncio.Event()
        self.may_save.set()
        self.start()

    def start(self) -> None:
        """Start with the stored tokens, as after a power cut."""
        self.refresher = TokenRefresher(
            self._session, self.stored, token_url=self.simulator.url + TOKEN_PATH, save=self._save
        )
        self.client = Client(self._session, self.simulator.url, self.refresher)

    async def _save(self, tokens: Tokens) -> None:
        if not self.can_store:
            raise asyncio.CancelledError
        self.is_saving.set()
        await self.may_save.wait()
        self.stored = tokens

    def pass_time(self, seconds: float) -> None:
        self.freezer.tick(seconds)
        clock = self.simulator.clock
        assert isinstance(clock, ManualClock)
        clock.advance(seconds)

    @property
    def refreshes(self) -> int:
        return sum(request.path == TOKEN_PATH for request in self.simulator.requests)

    async def refused(self) -> errors.AuthenticationError:
        with pytest.raises(errors.AuthenticationError) as caught:
            await self.client.vehicles()
        return caught.value


@pytest.fixture
async def account(freezer: FrozenDateTimeFactory) -> AsyncIterator[_Account]:
    """An account whose tokens expire after eight hours."""
    simulator = Simulator(token=TOKEN, clock=ManualClock())
    await simulator.start()
    async with ClientSession() as session:
        yield _Account(session, simulator, freezer)
    await simulator.stop()


@pytest.mark.parametrize("is_due", [False, True])
async def test_client_of_a_reloaded_account_refreshes_no_token(account: _Account, *, is_due: bool) -> None:
    if is_due:
        account.stored = replace(account.stored, refresh_at=time.time())
        account.start()
    await account.refresher.close()
    account.pass_time(LIFETIME + 1)
    await account.refused()
    assert account.refreshes == 0


async def test_three_requests_with_an_expired_token_share_a_refresh(account: _Account) -> None:
    account.pass_time(LIFETIME + 1)
    await asyncio.gather(*(account.client.vehicles() for _ in range(3)))
    assert account.refreshes == 1


async def test_refusals_of_valid_tokens_cause_few_refreshes_and_no_final_error(account: _Account) -> None:
    account.simulator.faults.answer(401, times=1000, only="/api/")
    for _ in range(20):
        account.pass_time(10)
        assert not (await account.refused()).is_final
    account.simulator.faults.clear()
    await account.client.vehicles()
    assert account.refreshes <= 4


async def test_refreshes_that_fail_become_rarer_up_to_19_minutes(account: _Account) -> None:
    await account.refresher.refresh()
    account.simulator.faults.answer(503, only="/oauth2/", times=10_000)
    account.pass_time(0.76 * LIFETIME)
    for _ in range(60):
        await account.client.vehicles()
        await account.refresher.finish()
        account.pass_time(60)
    assert 5 <= account.refreshes - 1 <= 8
    account.simulator.faults.clear()
    before = account.refreshes
    for _ in range(19):
        await account.client.vehicles()
        await account.refresher.finish()
        account.pass_time(60)
    assert account.refreshes == before + 1


async def test_new_tokens_must_be_entered_if_the_service_refuses_both_tokens(account: _Account) -> None:
    account.pass_time(LIFETIME + 1)
    account.simulator.switches.refuse_refresh = True
    for _ in range(2):
        assert (await account.refused()).is_final
    assert account.refreshes == 1


async def test_refused_refresh_disturbs_nothing_while_the_token_is_valid(account: _Account) -> None:
    await account.refresher.refresh()
    account.simulator.switches.refuse_refresh = True
    account.pass_time(0.8 * LIFETIME)
    assert len(await account.client.vehicles()) == 1
    await account.refresher.finish()
    assert account.refresher.is_refused
    account.simulator.switches.refuse_refresh = False
    account.pass_time(60)
    assert len(await account.client.vehicles()) == 1
    await account.refresher.finish()
    assert not account.refresher.is_refused


@pytest.mark.parametrize("how", ["lost request", "lost response", "before storing", "after storing"])
@pytest.mark.parametrize("is_expired", [False, True])
async def test_power_cut_of_a_refresh_loses_nothing(account: _Account, how: str, *, is_expired: bool) -> None:
    await account.refresher.refresh()
    account.pass_time(LIFETIME * (1.1 if is_expired else 0.8))
    if how.startswith("lost"):
        account.simulator.faults.fail("close", only="/oauth2/", is_obeyed=how == "lost response")
    account.can_store = how != "before storing"
    with (
        pytest.raises((errors.RefreshFailedError, asyncio.CancelledError))
        if how != "after storing"
        else nullcontext()
    ):
        await account.refresher.refresh()
    account.can_store = True
    account.start()
    account.pass_time(30)
    assert len(await account.client.vehicles()) == 1
    assert account.refresher.tokens == account.stored


@pytest.mark.parametrize("ahead", [-HOUR, HOUR])
async def test_clock_an_hour_off_fails_no_request(account: _Account, ahead: float) -> None:
    account.pass_time(HOUR)
    await account.client.vehicles()
    account.freezer.tick(ahead)
    for _ in range(2 * 24):
        account.pass_time(HOUR / 2)
        await account.client.vehicles()
    assert 3 <= account.refreshes <= 5


async def test_new_tokens_are_stored_if_the_request_that_needed_them_is_canceled(account: _Account) -> None:
    account.pass_time(LIFETIME + 1)
    account.may_save.clear()
    request = asyncio.create_task(account.client.vehicles())
    await account.is_saving.wait()
    request.cancel()
    account.may_save.set()
    await account.client.vehicles()
    assert account.stored.refresh_token == account.simulator.tokens.refresh_token
    assert account.refreshes == 1


async def test_nothing_is_sent_for_a_minute_after_a_refresh_that_failed(account: _Account) -> None:
    account.pass_time(LIFETIME + 1)
    account.simulator.faults.answer(503, only="/oauth2/", times=1)
    for _ in range(2):
        with pytest.raises(errors.RefreshFailedError, match="503"):
            await account.client.vehicles()
    assert account.refreshes == 1
    account.pass_time(61)
    assert len(await account.client.vehicles()) == 1


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (
            400,
            '{"error": "invalid_grant", "error_description": "expired: REFRESH"}',
            errors.RefreshRefusedError,
        ),
        (401, '{"error": "invalid_client"}', errors.RefreshRefusedError),
        (400, '{"error": "temporarily_unavailable"}', errors.RefreshFailedError),
        (400, "<html>REFRESH</html>", errors.RefreshFailedError),
        (429, '{"error": "REFRESH"}', errors.RefreshFailedError),
        (307, "", errors.RefreshFailedError),
        (200, "[]", errors.RefreshFailedError),
        (200, '{"access_token": 7}', errors.RefreshFailedError),
        (200, "{", errors.RefreshFailedError),
    ],
)
async def test_unusable_responses(status: int, body: str, error: type[errors.ServiceError]) -> None:
    """Only an OAuth error refuses the refresh token. No error contains it, and no redirect is followed."""
    secret = "refresh-token-that-must-stay-secret"
    headers = {"Location": "http://127.0.0.1:9/elsewhere"} if status == 307 else {}
    async with serving(answer_with(body.replace("REFRESH", secret), status, headers)) as server:
        tokens = Tokens(access_token=TOKEN, refresh_token=secret)
        async with ClientSession() as session:
            refresher = TokenRefresher(session, tokens, token_url=server.url, client_id="client")
            with pytest.raises(error) as caught:
                await refresher.refresh()
        assert secret not in str(caught.value)
        assert refresher.tokens.refresh_token == secret
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("expires_in", "lifetime"),
    [(28_800, 28_800), ("28800", 28_800), (-1, None), ("soon", None), (None, None)],
)
async def test_lifetime(expires_in: Any, lifetime: float | None, freezer: FrozenDateTimeFactory) -> None:
    """A token is refreshed after three quarters of the lifetime that the response has."""
    body = json.dumps({"access_token": "new", "expires_in": expires_in})
    tokens = await _refreshed(answer_with(body))
    assert tokens.refresh_token == "old"
    now = freezer.time_to_freeze.timestamp()
    assert tokens.refresh_at == (lifetime and pytest.approx(now + 0.75 * lifetime))


async def test_errors_contain_no_token_that_was_ever_used() -> None:
    """A service can repeat the token of a request that was sent before a refresh, or an even older one."""
    sent: list[str] = []

    async def handle(request: web.BaseRequest) -> web.Response:
        if request.path == TOKEN_PATH:
            number = len(sent)
            sent.extend((f"access-token-{number}", f"refresh-token-{number}"))
            return web.json_response({"access_token": sent[-2], "refresh_token": sent[-1]})
        return web.json_response({"response": None, "error": f"refused: {' '.join(sent)}"}, status=500)

    async with serving(handle) as server, ClientSession() as session:
        sent += "access-token-entered", "refresh-token-entered"
        tokens = Tokens(access_token=sent[0], refresh_token=sent[1])
        refresher = TokenRefresher(session, tokens, token_url=server.url + TOKEN_PATH)
        for _ in range(20):
            await refresher.refresh()
        error = await failure(Client(session, server.url, refresher).vehicles())
    assert error.detail == f"refused: {' '.join('…' * 42)}"


async def _refreshed(handler: Handler) -> Tokens:
    async with serving(handler) as server, ClientSession() as session:
        tokens = Tokens(access_token=TOKEN, refresh_token="old")
        refresher = TokenRefresher(session, tokens, token_url=server.url)
        await refresher.refresh()
    return refresher.tokens
