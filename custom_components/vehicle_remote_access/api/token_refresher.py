"""Refresh of access tokens that expire (RFC 6749, section 6). Nothing here is specific to one service."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from http import HTTPStatus
import logging
import time
from typing import Any, Final

import aiohttp
import orjson
from yarl import URL

from .cooldown import Cooldown, backoff
from .errors import MalformedResponseError, RefreshFailedError, RefreshRefusedError
from .redaction import Secrets
from .response import read_body
from .value_types import NUMBER, SECRET

_LOGGER: Final = logging.getLogger(__name__)

_TIMEOUT: Final = aiohttp.ClientTimeout(total=30, sock_connect=10)
# Errors of RFC 6749, section 5.2, have status 400 or 401. Some services use 403.
_REFUSAL_STATUSES: Final = frozenset({400, 401, 403})
_TEMPORARY_ERRORS: Final = frozenset({"temporarily_unavailable", "server_error", "slow_down"})

_REFRESH_AFTER: Final = 0.75  # the share of its lifetime after which a token is refreshed
_LONGEST_INTERVAL: Final = 900
"""Seconds until a refresh is tried again after many failures."""
_MOST_REFUSED: Final = 5
"""After this many new access tokens in a row that the service refused, another one would not help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """An access token, and the refresh token for the next one, empty if there is none."""

    access_token: str
    refresh_token: str = ""
    refresh_at: float | None = None
    """When to refresh, in seconds since the epoch; None if the lifetime is unknown."""


class TokenRefresher:
    """Holds the tokens of an account, and refreshes the access token if there is a refresh token."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        tokens: Tokens,
        *,
        token_url: str = "",
        client_id: str = "",
        save: Callable[[Tokens], Awaitable[None]] | None = None,
        create_task: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]] = asyncio.create_task,
    ) -> None:
        """`client_id`: empty if the service needs none. `save`: stores new tokens before they are used."""
        self._session = session
        self._token_url = URL(token_url)
        self._client_id = client_id
        self._save = save
        self._create_task = create_task
        self._task: asyncio.Task[None] | None = None
        self._pause = Cooldown()
        """While it lasts, no request is sent."""
        self._last_error: RefreshFailedError | RefreshRefusedError | None = None
        self._failures = 0
        """Number of refreshes in a row that failed."""
        self._refused_count = 0
        """Number of new access tokens in a row that the service refused."""
        self._is_closed = False
        self._is_new = False
        """Whether the service has neither accepted nor refused the access token since the last refresh."""
        self.tokens = tokens
        self.all_tokens = {tokens.access_token, tokens.refresh_token}
        """All tokens until now, because a service can repeat an old one in an error."""

    @property
    def is_refused(self) -> bool:
        """Whether no refresh helps, or the last one or many new access tokens were refused."""
        is_refused = isinstance(self._last_error, RefreshRefusedError) or self._refused_count >= _MOST_REFUSED
        return is_refused or not self.tokens.refresh_token

    def refresh_if_due(self) -> None:
        """Start to refresh the token before it expires. Until then, the current token is used."""
        refresh_at = self.tokens.refresh_at
        is_due = refresh_at is not None and refresh_at <= time.time()
        if is_due and not self._is_closed and not self._pause.left:
            self._start()

    async def replace_refused(self, access_token: str) -> bool:
        """Refresh a refused access token. Return whether another can be tried. Raises RefreshFailedError."""
        if self._is_closed or not self.tokens.refresh_token:
            return False
        self.record_refused(access_token)
        if access_token != self.tokens.access_token:
            return True
        if self._pause.left and self._task is None:
            if isinstance(self._last_error, RefreshFailedError):
                raise self._last_error.with_traceback(None)
            # A refused or a new token. Another refresh would not help.
            return False
        try:
            await self.refresh()
        except RefreshRefusedError:
            return False
        return True

    def record_refused(self, access_token: str) -> None:
        """Record that the service refused an access token. Each new one counts once."""
        if self._is_new and access_token == self.tokens.access_token:
            self._is_new = False
            self._refused_count += 1

    def record_accepted(self) -> None:
        self._is_new = False
        self._refused_count = 0

    async def refresh(self) -> None:
        """Get new tokens, or wait for them. Raises RefreshRefusedError or RefreshFailedError."""
        # A canceled caller must not lose the response, because the refresh token may have changed.
        await asyncio.shield(self._start())

    async def close(self) -> None:
        """Start no other refresh, because a reloaded account has another client, and finish."""
        self._is_closed = True
        await self.finish()

    async def finish(self) -> None:
        """Wait for a refresh that is under way, so that its tokens are stored."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def _start(self) -> asyncio.Task[None]:
        if self._task is None:
            self._task = self._create_task(self._refresh())
            self._task.add_done_callback(self._forget_task)
        return self._task

    def _forget_task(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled():
            task.exception()  # Otherwise, asyncio logs that the exception was never retrieved.

    async def _refresh(self) -> None:
        self._pause.start(backoff(max(self._failures, self._refused_count) + 1, _LONGEST_INTERVAL))
        try:
            tokens = new_tokens(await self._request(), self.tokens.refresh_token)
        except (RefreshFailedError, RefreshRefusedError) as error:
            self._last_error = error
            self._failures += 1
            raise
        self._last_error, self._failures, self._is_new = None, 0, True
        self.all_tokens |= {tokens.access_token, tokens.refresh_token}
        try:
            if self._save is not None:
                await self._save(tokens)
        finally:
            # Tokens that can't be stored are better than none.
            self.tokens = tokens
        _LOGGER.debug("The access token was refreshed")

    async def _request(self) -> Mapping[str, Any]:
        form = {"grant_type": "refresh_token", "refresh_token": self.tokens.refresh_token}
        if self._client_id:
            form["client_id"] = self._client_id
        try:
            async with self._session.post(
                self._token_url,
                data=form,
                headers={"Accept": "application/json"},
                timeout=_TIMEOUT,
                allow_redirects=False,
            ) as response:
                fields = _parse(await read_body(response))
        # No error is chained, because its text can contain secrets.
        except aiohttp.ClientError, TimeoutError, OSError, RuntimeError, ValueError, MalformedResponseError:
            raise RefreshFailedError from None
        if response.status == HTTPStatus.OK:
            return fields
        code = fields.get("error")
        error: RefreshFailedError | RefreshRefusedError
        if response.status in _REFUSAL_STATUSES and isinstance(code, str) and code not in _TEMPORARY_ERRORS:
            error = RefreshRefusedError(str(fields.get("error_description") or code))
        else:
            error = RefreshFailedError(f"{response.status} {code or ''}".strip())
        error.redact(Secrets(self.all_tokens))
        raise error


def new_tokens(fields: Mapping[str, Any], refresh_token: str = "") -> Tokens:
    """Return the tokens in an answer of RFC 6749, section 5.1. Without a refresh token, it is this one.

    Raises RefreshFailedError if there is no access token.
    """
    access_token = SECRET.read(fields.get("access_token"))
    if access_token is None:
        raise RefreshFailedError
    lifetime = NUMBER.read(fields.get("expires_in")) or 0.0
    return Tokens(
        access_token=access_token,
        refresh_token=SECRET.read(fields.get("refresh_token")) or refresh_token,
        refresh_at=time.time() + lifetime * _REFRESH_AFTER if lifetime > 0 else None,
    )


def _parse(body: bytes) -> Mapping[str, Any]:
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError:
        fields = None
    return fields if isinstance(fields, dict) else {}
