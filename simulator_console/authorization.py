"""The server at which owners sign in, and the application that signs them in.

Written from https://developer.tesla.com/docs/fleet-api/authentication/third-party-tokens, partner-tokens and
.../endpoints/partner-endpoints, and for Teslemetry from RFC 7591 and RFC 7636, read on 2026-11-30.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
import hashlib
import html
import secrets
from typing import Any, Final, Literal

from aiohttp import web
from aiohttp.typedefs import Handler
import jwt
from yarl import URL

from custom_components.vehicle_remote_access.simulator import TOKEN_PATH, Simulator
from custom_components.vehicle_remote_access.simulator.http.server import LoopbackServer

AUTHORIZE_PATH: Final = "/oauth2/v3/authorize"
REGISTER_PATH: Final = "/oauth/register"
TESLEMETRY_AUTHORIZE_PATH, TESLEMETRY_TOKEN_PATH = "/connect", "/oauth/token"
TESLEMETRY_CLIENT_ID: Final = "homeassistant"
"""What clients without a registration of their own use at Teslemetry."""
KEY_PATH: Final = "/.well-known/appspecific/com.tesla.3p.public-key.pem"
CLIENT_SECRET: Final = "simulated-secret"  # noqa: S105 - of no real service
SCOPES: Final = (
    "openid offline_access vehicle_device_data vehicle_location vehicle_cmds vehicle_charging_cmds"
)
OWNER, REGION = "simulated-owner", "EU"
SIGNING_KEY: Final = "the key with which a simulated server signs its tokens"
_HEADER: Final = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
"""The beginning of the DER form of a P-256 key, up to its two coordinates."""
_PAGE: Final = """<!doctype html><meta name="viewport" content="width=device-width"><title>Sign in</title>
<h1>Simulated service</h1><p>{client} asks for access to your simulated cars.</p>
<p><a id="allow" href="{allow}">Allow</a> · <a id="deny" href="{deny}">Deny</a></p>"""

_OWNER_PAGE: Final = """<!doctype html><meta name="viewport" content="width=device-width"><title>Owner</title>
<h1>What the owner has done</h1><ul>{rows}</ul>"""
_DONE: Final = {
    "key": "The domain serves a public key",
    "permissions": "All permissions are granted at the next sign-in",
    "cars": "The cars accept the key",
}


def new_key() -> str:
    """Return the point of a public key, as a hexadecimal number."""
    return "04" + secrets.token_hex(64)


@dataclass
class Application:
    """An owner's application at the Fleet API, and what its owner has done for it."""

    key: str | None = field(default_factory=new_key)
    """The key that its domain serves."""
    registered_key: str | None = None
    """The key with which it is registered."""
    scopes: str = SCOPES
    """What the owner grants."""
    tokens: set[str] = field(default_factory=set)
    """The access tokens of the application itself."""
    domains: set[str] = field(default_factory=set)
    """The domains with which it was to be registered."""
    unpaired: set[str] = field(default_factory=set)
    """The VINs of cars that do not accept the key."""

    def done(self, vins: set[str]) -> dict[str, bool]:
        """Return which of _DONE the owner of these cars has done."""
        is_granted = self.scopes == SCOPES
        return {"key": self.key is not None, "permissions": is_granted, "cars": not vins & self.unpaired}

    def toggle(self, name: str, vins: set[str]) -> None:
        match name, self.done(vins)[name]:
            case "key", is_done:
                self.key = None if is_done else new_key()
            case "permissions", is_done:
                self.scopes = SCOPES.replace(" vehicle_cmds", "") if is_done else SCOPES
            case "cars", is_done:
                self.unpaired = vins if is_done else set()

    def register(self) -> str | None:
        self.registered_key = self.key
        return self.registered_key


class AuthorizationServer(LoopbackServer):
    """Signs in the owner of a simulator's cars. The application's domain has the same address."""

    def __init__(self, simulator: Simulator, application: Application) -> None:
        self._simulator = simulator
        self._application = application
        self._codes: dict[str, Mapping[str, str]] = {}
        """The requests for authorization by the code that answered them."""
        self.clients = simulator.tokens.clients
        if simulator.service == "teslemetry":
            self.clients.add(TESLEMETRY_CLIENT_ID)
        self.fails: Literal["", "before", "after"] = ""
        """Whether requests fail, before or after they have had their effect."""
        self.lifetime = 28800
        """Seconds until an access token expires, if the service has no lifetime of its own; 0: not named."""

    async def start(self, port: int = 0) -> str:
        application = web.Application(middlewares=[self._fail])
        router = application.router
        router.add_get("/", self._show_owner, allow_head=False)
        for path in (AUTHORIZE_PATH, TESLEMETRY_AUTHORIZE_PATH):
            router.add_get(path, self._authorize, allow_head=False)
        for path in (TOKEN_PATH, TESLEMETRY_TOKEN_PATH):
            router.add_post(path, self._token)
        router.add_post(REGISTER_PATH, self._register)
        router.add_get(KEY_PATH, self._public_key, allow_head=False)
        router.add_put(KEY_PATH, self._host_key)
        return await self._listen(application, port)

    @web.middleware
    async def _fail(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.fails == "before":
            raise web.HTTPServiceUnavailable
        response = await handler(request)
        if self.fails:
            raise web.HTTPServiceUnavailable
        return response

    async def _show_owner(self, request: web.Request) -> web.Response:
        """Show what the owner has done. Each line is a link that changes it."""
        vins = {vehicle.vin for vehicle in self._simulator.vehicles}
        if name := request.query.get("change"):
            self._application.toggle(name, vins)
            raise web.HTTPFound(request.path)
        done = self._application.done(vins)
        rows = [
            f'<li><a href="/?change={name}">{text}: {"yes" if done[name] else "no"}</a>'
            for name, text in _DONE.items()
        ]
        return web.Response(text=_OWNER_PAGE.format(rows="".join(rows)), content_type="text/html")

    async def _authorize(self, request: web.Request) -> web.Response:
        """Show the question whether to allow access, or answer it as its links do."""
        query = {**request.query}
        if query.get("client_id") not in self.clients or query.get("response_type") != "code":
            raise web.HTTPBadRequest(text="unknown client")
        answer = query.pop("answer", None)
        if answer is None:
            links = {
                each: html.escape(str(request.url.update_query(answer=each))) for each in ("allow", "deny")
            }
            page = _PAGE.format(client=html.escape(query.get("name", query["client_id"])), **links)
            return web.Response(text=page, content_type="text/html")
        result = {"error": "access_denied"}
        if answer == "allow":
            result = {"code": secrets.token_urlsafe(16)}
            self._codes[result["code"]] = query
        location = URL(query["redirect_uri"]).update_query(state=query.get("state", ""), **result)
        raise web.HTTPFound(location)

    async def _token(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        match form.get("grant_type"):
            case "authorization_code":
                return self._exchange(form)
            case "client_credentials" if form.get("client_secret") == CLIENT_SECRET and form.get("audience"):
                token = secrets.token_urlsafe(24)
                self._application.tokens.add(token)
                return web.json_response({"access_token": token, "expires_in": 28800, "token_type": "Bearer"})
            case "refresh_token":
                return await self._simulator.tokens.respond(request)
        return web.json_response({"error": "invalid_client"}, status=401)

    def _exchange(self, form: Mapping[str, str]) -> web.Response:
        """Exchange a code, once, for tokens."""
        asked = self._codes.pop(form.get("code", ""), {})
        is_same = all(asked.get(name) == form.get(name) for name in ("client_id", "redirect_uri"))
        if not asked or not is_same or not _is_proved(asked, form):
            return web.json_response({"error": "invalid_grant"}, status=400)
        scopes = self._application.scopes.split()
        claims = {"sub": OWNER, "ou_code": REGION, "scp": scopes, "jti": secrets.token_hex(8)}
        tokens = self._simulator.tokens
        tokens.access_token = jwt.encode(claims, SIGNING_KEY)
        answer: dict[str, Any] = {"access_token": tokens.access_token, "token_type": "Bearer"}
        if lifetime := int(self._simulator.switches.token_lifetime) or self.lifetime:
            answer["expires_in"] = lifetime
        return web.json_response({**answer, "refresh_token": tokens.refresh_token})

    async def _register(self, request: web.Request) -> web.Response:
        client = await request.json()
        if not client.get("client_name"):
            return web.json_response({"error": "invalid_client_metadata"}, status=400)
        client_id = f"registered-{len(self.clients)}"
        self.clients.add(client_id)
        return web.json_response({**client, "client_id": client_id}, status=201)

    async def _public_key(self, _: web.Request) -> web.Response:
        if self._application.key is None:
            raise web.HTTPNotFound
        der = _HEADER + bytes.fromhex(self._application.key)[1:]
        text = base64.encodebytes(der).decode()
        return web.Response(text=f"-----BEGIN PUBLIC KEY-----\n{text}-----END PUBLIC KEY-----\n")

    async def _host_key(self, request: web.Request) -> web.Response:
        """Serve the key of a client that has made its own."""
        text = "".join(line for line in (await request.text()).splitlines() if not line.startswith("-"))
        self._application.key = "04" + base64.b64decode(text)[len(_HEADER) :].hex()
        return await self._public_key(request)


def _is_proved(asked: Mapping[str, str], form: Mapping[str, str]) -> bool:
    """Return whether the client proves that it is the one that asked (RFC 7636), or knows its secret."""
    if (challenge := asked.get("code_challenge")) is None:
        return form.get("client_secret") == CLIENT_SECRET
    digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
    return challenge == base64.urlsafe_b64encode(digest).decode().rstrip("=")
