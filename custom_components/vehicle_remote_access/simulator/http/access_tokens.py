"""The access tokens of the service, and their refresh (RFC 6749, section 6).

The interface document leaves open where tokens come from and how long they live.
"""

from collections import deque
from collections.abc import Mapping
import secrets
from typing import Final, NamedTuple

from aiohttp import web

from ..clock import Clock
from ..faults.switches import Switches

TOKEN_PATH: Final = "/oauth2/v3/token"  # noqa: S105 - a path, not a token
CLIENT_ID: Final = "simulated-client"
TOKEN_BYTES: Final = 24
VALID_ACCESS_TOKENS: Final = 2  # the newest, and the one before it
SHORTEST_REAL_LIFETIME: Final = 120.0
"""Least real seconds until an access token expires if time is fast. Clients refresh no token that is new."""


class Issued(NamedTuple):
    """An access token and when it was issued."""

    token: str
    at: float


class AccessTokens:
    """The valid tokens.

    A refresh returns a new refresh token. The previous one works until one of the new tokens is used, so that
    a client that did not get the response can try again.
    """

    def __init__(self, clock: Clock, switches: Switches, access_token: str) -> None:
        self._clock = clock
        self._switches = switches
        self._access = deque([Issued(access_token, clock.now())], VALID_ACCESS_TOKENS)
        self._refresh = [secrets.token_urlsafe(TOKEN_BYTES)]
        self.clients = {CLIENT_ID}
        """The IDs of the clients that may refresh tokens."""

    @property
    def access_token(self) -> str:
        return self._access[-1].token

    @access_token.setter
    def access_token(self, token: str) -> None:
        self._access = deque([Issued(token, self._clock.now())], VALID_ACCESS_TOKENS)

    @property
    def refresh_token(self) -> str:
        return self._refresh[-1]

    def accepts(self, access_token: str) -> bool:
        lifetime, speed = self._switches.token_lifetime, self._clock.speed
        if lifetime and speed > 1:
            lifetime = max(lifetime, SHORTEST_REAL_LIFETIME * speed)
        for issued in self._access:
            if issued.token == access_token:
                if issued == self._access[-1]:
                    # One of the new tokens was used, so the previous refresh token is refused.
                    del self._refresh[:-1]
                return not lifetime or self._clock.now() < issued.at + lifetime
        return False

    async def respond(self, request: web.Request) -> web.Response:
        """Handle a refresh: a POST with the form of RFC 6749, section 6."""
        form: Mapping[str, object] = await request.post()
        if form.get("grant_type") != "refresh_token":
            return _error("unsupported_grant_type")
        if form.get("client_id", CLIENT_ID) not in self.clients:
            return _error("invalid_client")
        given = str(form.get("refresh_token", ""))
        if self._switches.refuse_refresh or given not in self._refresh:
            return _error("invalid_grant")
        self._access.append(Issued(secrets.token_urlsafe(TOKEN_BYTES), self._clock.now()))
        self._refresh = [given, secrets.token_urlsafe(TOKEN_BYTES)]
        tokens = {"access_token": self.access_token, "refresh_token": self.refresh_token}
        lifetime = int(self._switches.token_lifetime)
        expiry = {"expires_in": lifetime} if lifetime else {}
        return web.json_response({**tokens, "token_type": "Bearer", **expiry})


def _error(name: str) -> web.Response:
    return web.json_response({"error": name}, status=400)
