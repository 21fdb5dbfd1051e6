"""A service over https: only one that can prove who it is gets the token."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
import ssl
from typing import Any, Final

from aiohttp import ClientSession, web
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.util.ssl import SSL_ALPN_HTTP11, SSLCipherList, client_context
import pytest
from yarl import URL

from custom_components.vehicle_remote_access.account.storage import forget
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from ..conftest import TOKEN, Home

BATTERY: Final = ("sensor", "charge_state.battery_level")


def _certificate(name_of_it: str, host: str, until: datetime) -> tuple[bytes, bytes]:
    """Return a certificate that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name_of_it)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(until)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return certificate.public_bytes(Encoding.PEM), private


class Tunnel:
    """Speaks https to whoever asks, and http to the simulator."""

    def __init__(self, simulator: Simulator, folder: Path) -> None:
        """Begin closed."""
        self._behind = URL(simulator.url)
        self._folder = folder
        self.port = 0

    @property
    def url(self) -> str:
        """Where it is."""
        return f"https://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def opened(self, certificate: tuple[bytes, bytes]) -> AsyncIterator[None]:
        """Listen with a certificate, each time at the same port."""
        file = self._folder / "certificate.pem"
        file.write_bytes(b"".join(certificate))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        async with ClientSession() as inside:

            async def carry(request: web.BaseRequest) -> web.Response:
                url, body = self._behind.join(request.rel_url), await request.read()
                token = {"Authorization": request.headers["Authorization"]}
                async with inside.request(request.method, url, data=body, headers=token) as answer:
                    return web.Response(body=await answer.read(), status=answer.status)

            runner = web.ServerRunner(web.Server(carry, access_log=None), shutdown_timeout=1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", self.port, ssl_context=context).start()
            self.port = runner.addresses[0][1]
            yield
            await runner.cleanup()


@pytest.fixture
def tunnel(simulator: Simulator, tmp_path: Path) -> Tunnel:
    """A way over https to the service."""
    return Tunnel(simulator, tmp_path)


FAR: Final = datetime(2099, 1, 1, tzinfo=UTC)
GOOD: Final = _certificate("good", "127.0.0.1", FAR)
BAD: Final = {
    "nobody vouches for it": _certificate("nobody", "127.0.0.1", FAR),
    "expired": _certificate("expired", "127.0.0.1", datetime(2021, 1, 1, tzinfo=UTC)),
    "of another host": _certificate("other", "127.0.0.2", FAR),
}


@pytest.fixture(autouse=True)
def _vouch() -> None:
    """Let this Home Assistant trust all but the one for which nobody vouches."""
    for name, (certificate, _) in {"good": GOOD, **BAD}.items():
        if name != "nobody vouches for it":
            # The one that Home Assistant's own sessions use
            context = client_context(SSLCipherList.PYTHON_DEFAULT, SSL_ALPN_HTTP11)
            context.load_verify_locations(cadata=certificate.decode())


@pytest.fixture(autouse=True)
def _tunnel_may_be_turned_away(hass: HomeAssistant) -> None:
    """Let the loop say nothing of what the other end of the tunnel is meant to meet."""
    tell = hass.loop.get_exception_handler()
    assert tell is not None

    def listen(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "incoming connection" not in context["message"]:
            tell(loop, context)

    hass.loop.set_exception_handler(listen)


async def _set_up(home: Home, url: str) -> None:
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=url, access_token=TOKEN)
    assert form["step_id"] == "vehicles", form["errors"]
    await home.submit(form, vehicles=[str(home.car.id)])
    await home.idle()


def _repairs(home: Home) -> list[str | None]:
    issues = ir.async_get(home.hass).issues.values()
    return [issue.translation_key for issue in issues if issue.domain == DOMAIN]


@pytest.mark.parametrize("why", BAD)
async def test_certificate_goes_bad(empty_home: Home, tunnel: Tunnel, why: str) -> None:
    """As soon as the service cannot prove who it is nothing is sent to it, and a repair says so."""
    home = empty_home
    async with tunnel.opened(GOOD):
        await _set_up(home, tunnel.url)
        assert home.shown(*BATTERY).state == "72"
        home.simulator.requests.clear()
    async with tunnel.opened(BAD[why]):
        await home.advance(70)
        assert _repairs(home) == ["certificate_error"]
        assert home.shown(*BATTERY).state == "72"
        (ended,) = await home.while_time_passes(home.call("button", "press", "honk_horn"))
        assert isinstance(ended, HomeAssistantError)
        assert "No secure connection" in str(ended)
        await home.advance(20 * 60, step=30)
        assert home.shown(*BATTERY).state == "unavailable"
        assert not home.requests()
    async with tunnel.opened(GOOD):
        await home.advance(20 * 60, step=30)
        assert _repairs(home) == []
        assert home.shown(*BATTERY).state == "72"
        await home.leave()


@pytest.mark.parametrize("why", BAD)
async def test_certificate_is_bad_at_first(empty_home: Home, tunnel: Tunnel, why: str) -> None:
    """An account is neither added nor set up with a service that cannot prove who it is."""
    home = empty_home
    async with tunnel.opened(BAD[why]):
        form = await home.start_flow("account")
        form = await home.submit(form, base_url=tunnel.url, access_token=TOKEN)
        assert form["errors"] == {"base_url": "certificate_error"}
        assert not home.requests()
    async with tunnel.opened(GOOD):
        form = await home.submit(form, base_url=tunnel.url, access_token=TOKEN)
        assert form["step_id"] == "vehicles"
        await home.submit(form, vehicles=[str(home.car.id)])
        await home.idle()
        await home.leave()
    async with tunnel.opened(BAD[why]):
        for subentry in home.entry.subentries:
            await forget(home.hass, subentry)
        assert not await home.hass.config_entries.async_setup(home.entry.entry_id)
        assert home.entry.state is ConfigEntryState.SETUP_RETRY
        assert home.entry.reason is not None
        assert home.entry.reason.startswith("No secure connection")
