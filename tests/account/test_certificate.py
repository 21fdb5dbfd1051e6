"""HTTPS: only a service with a valid certificate gets the token."""

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

from custom_components.vehicle_remote_access.account.storage import remove_stores
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator

from ..conftest import TOKEN, Home

BATTERY: Final = ("sensor", "charge_state.battery_level")


def _certificate(common_name: str, host: str, until: datetime) -> tuple[bytes, bytes]:
    """Return a self-signed certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
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


class HttpsProxy:
    """An https proxy in front of the simulator."""

    def __init__(self, simulator: Simulator, folder: Path) -> None:
        """Create the proxy without listening."""
        self._target = URL(simulator.url)
        self._folder = folder
        self.port = 0

    @property
    def url(self) -> str:
        """The URL of the proxy."""
        return f"https://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def listen(self, certificate: tuple[bytes, bytes]) -> AsyncIterator[None]:
        """Listen with a certificate, each time on the same port."""
        file = self._folder / "certificate.pem"
        file.write_bytes(b"".join(certificate))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        async with ClientSession() as session:

            async def forward(request: web.BaseRequest) -> web.Response:
                url, body = self._target.join(request.rel_url), await request.read()
                token = {"Authorization": request.headers["Authorization"]}
                async with session.request(request.method, url, data=body, headers=token) as answer:
                    return web.Response(body=await answer.read(), status=answer.status)

            runner = web.ServerRunner(web.Server(forward, access_log=None), shutdown_timeout=1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", self.port, ssl_context=context).start()
            self.port = runner.addresses[0][1]
            yield
            await runner.cleanup()


@pytest.fixture
def proxy(simulator: Simulator, tmp_path: Path) -> HttpsProxy:
    """Create a proxy in front of the service."""
    return HttpsProxy(simulator, tmp_path)


FAR_FUTURE: Final = datetime(2099, 1, 1, tzinfo=UTC)
GOOD: Final = _certificate("good", "127.0.0.1", FAR_FUTURE)
BAD: Final = {
    "untrusted": _certificate("untrusted", "127.0.0.1", FAR_FUTURE),
    "expired": _certificate("expired", "127.0.0.1", datetime(2021, 1, 1, tzinfo=UTC)),
    "other host": _certificate("other host", "127.0.0.2", FAR_FUTURE),
}


@pytest.fixture(autouse=True)
def _trust_certificates() -> None:
    """Let Home Assistant trust all certificates except the untrusted one."""
    for name, (certificate, _) in {"good": GOOD, **BAD}.items():
        if name != "untrusted":
            # The context that Home Assistant's own sessions use
            context = client_context(SSLCipherList.PYTHON_DEFAULT, SSL_ALPN_HTTP11)
            context.load_verify_locations(cadata=certificate.decode())


@pytest.fixture(autouse=True)
def _ignore_refused_handshakes(hass: HomeAssistant) -> None:
    """Ignore the errors that the proxy logs if the client refuses its certificate."""
    default_handler = hass.loop.get_exception_handler()
    assert default_handler is not None

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if "incoming connection" not in context["message"]:
            default_handler(loop, context)

    hass.loop.set_exception_handler(handle)


async def _set_up(home: Home, url: str) -> None:
    form = await home.start_flow("account")
    form = await home.submit(form, base_url=url, access_token=TOKEN)
    assert form["step_id"] == "vehicles", form["errors"]
    await home.submit(form, vehicles=[str(home.car.id)])
    await home.idle()


def _issue_keys(home: Home) -> list[str | None]:
    issues = ir.async_get(home.hass).issues.values()
    return [issue.translation_key for issue in issues if issue.domain == DOMAIN]


@pytest.mark.parametrize("problem", BAD)
async def test_invalid_certificate_stops_requests(empty_home: Home, proxy: HttpsProxy, problem: str) -> None:
    """If the certificate becomes invalid, nothing is sent to the service, and an issue reports it."""
    home = empty_home
    async with proxy.listen(GOOD):
        await _set_up(home, proxy.url)
        assert home.shown(*BATTERY).state == "72"
        home.simulator.requests.clear()
    async with proxy.listen(BAD[problem]):
        await home.advance(70)
        assert _issue_keys(home) == ["certificate_error"]
        assert home.shown(*BATTERY).state == "72"
        (error,) = await home.while_time_passes(home.call("button", "press", "honk_horn"))
        assert isinstance(error, HomeAssistantError)
        assert "No secure connection" in str(error)
        await home.advance(20 * 60, step=30)
        assert home.shown(*BATTERY).state == "unavailable"
        assert not home.requests()
    async with proxy.listen(GOOD):
        await home.advance(20 * 60, step=30)
        assert _issue_keys(home) == []
        assert home.shown(*BATTERY).state == "72"
        await home.leave()


@pytest.mark.parametrize("problem", BAD)
async def test_invalid_certificate_prevents_setup(empty_home: Home, proxy: HttpsProxy, problem: str) -> None:
    """With an invalid certificate, an account can neither be added nor set up."""
    home = empty_home
    async with proxy.listen(BAD[problem]):
        form = await home.start_flow("account")
        form = await home.submit(form, base_url=proxy.url, access_token=TOKEN)
        assert form["errors"] == {"base_url": "certificate_error"}
        assert not home.requests()
    async with proxy.listen(GOOD):
        form = await home.submit(form, base_url=proxy.url, access_token=TOKEN)
        assert form["step_id"] == "vehicles"
        await home.submit(form, vehicles=[str(home.car.id)])
        await home.idle()
        await home.leave()
    async with proxy.listen(BAD[problem]):
        for subentry in home.entry.subentries:
            await remove_stores(home.hass, subentry)
        assert not await home.hass.config_entries.async_setup(home.entry.entry_id)
        assert home.entry.state is ConfigEntryState.SETUP_RETRY
        assert home.entry.reason is not None
        assert home.entry.reason.startswith("No secure connection")
