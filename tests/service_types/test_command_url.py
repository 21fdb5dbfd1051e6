"""A second address for commands: proxies at home that sign commands, or that use Bluetooth."""

from collections.abc import AsyncIterator, Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from homeassistant.config_entries import ConfigEntry
from homeassistant.setup import async_setup_component
from homeassistant.util.ssl import SSL_ALPN_HTTP11, SSLCipherList, client_context
import pytest
from pytest_homeassistant_custom_component.common import get_system_health_info
from yarl import URL

from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import async_get_config_entry_diagnostics
from simulator_console.command_proxy import CommandProxy

from ..certificates import self_signed, server_context
from ..conftest import TOKEN, Home
from ..flow import Flow
from ..issues import issue_keys, issues, placeholders
from ..user_actions import ROOF
from .conftest import add, each_service, error_key_of

type Start = Callable[..., Awaitable[str]]
"""Starts a proxy with TLS, on the same port as before. Returns its base URL."""


@pytest.fixture
def certificate() -> bytes:
    """The certificate that the proxy has at first, with its key."""
    return b"".join(self_signed())


@pytest.fixture
async def start(flow: Flow, certificate: bytes, tmp_path: Path) -> AsyncIterator[Start]:
    """A function that starts the proxy that signs commands, instead of the one that runs."""
    home, running = flow.home, list[CommandProxy]()
    # Only this proxy can send commands to the car.
    home.simulator.switches.signing_required = "always"

    async def start(pem: bytes = certificate) -> str:
        port = 0
        for proxy in running:
            port = URL(proxy.url).port or 0
            await proxy.stop()
        running[:] = [CommandProxy(home.simulator)]
        return await running[0].start(port, server_context(tmp_path, pem))

    yield start
    for proxy in running:
        await proxy.stop()


@pytest.fixture
async def bluetooth(flow: Flow) -> AsyncIterator[CommandProxy]:
    """A running proxy that uses Bluetooth."""
    proxy = CommandProxy(flow.home.simulator, "bluetooth")
    await proxy.start()
    yield proxy
    await proxy.stop()


@pytest.fixture
async def home(flow: Flow, start: Start) -> Home:
    """A home whose commands go to the proxy that signs them."""
    await add_with(flow, await start())
    return flow.home


def fingerprint(pem: bytes) -> str:
    """Return the SHA-256 fingerprint of a certificate, as openssl shows it."""
    der = x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER)
    return sha256(der).digest().hex(":").upper()


def addresses(flow: Flow, command_url: str) -> dict[str, Any]:
    """Return the values of the form for the token, with an address for commands."""
    access = flow.home.access
    return {**access, "addresses": {**access["addresses"], "command_url": command_url}}


async def add_with(flow: Flow, command_url: str) -> ConfigEntry:
    """Add an account with an address for commands, and accept its certificate."""
    entry = await add(flow, **addresses(flow, command_url))
    await flow.home.set_account_options(interval=60)
    return entry


async def reconfigure(flow: Flow, command_url: str) -> None:
    """Submit an address for commands of the account."""
    await flow.start_reconfigure(flow.home.entry)
    await flow.submit(service="tesla_fleet", **addresses(flow, command_url))


def _proxied(home: Home) -> list[tuple[str, int]]:
    """Return the requests that a proxy received: the end of the path, and the status."""
    proxied = (request for request in home.simulator.requests if request.is_proxied)
    return [(request.path.rpartition("/")[2], request.status) for request in proxied]


def _reachable(home: Home) -> str:
    return home.shown("binary_sensor", "service_reachable", home.entry.entry_id).state


async def test_certificate_to_accept(flow: Flow, start: Start, certificate: bytes) -> None:
    """The dialog shows the fingerprint of an unknown certificate, and sends nothing before it is accepted."""
    home, url = flow.home, await start()
    await flow.start("account", "tesla_fleet")
    await flow.submit(**addresses(flow, url))
    assert flow.step == "certificate"
    assert flow.placeholders["fingerprint"] == fingerprint(certificate)
    assert flow.placeholders["host"] == url.removeprefix("https://")
    await flow.submit(next_step_id="change_address")
    assert flow.step == "token"
    assert flow.values["addresses"]["command_url"] == url
    assert not home.simulator.requests
    await flow.submit(**addresses(flow, url))
    await flow.submit(next_step_id="accept_certificate")
    await flow.submit()
    assert flow.is_created
    data = home.entry.data
    assert data["command_url"] == url
    assert data["command_certificate"] == fingerprint(certificate).replace(":", "").lower()


async def test_commands_go_to_their_own_address_and_reads_and_waking_do_not(home: Home) -> None:
    assert await error_key_of(home, 77) is None
    await home.call("button", "press", "wake_up")
    await home.poll()
    assert home.car.charging.limit == 77
    assert _proxied(home) == [("set_charge_limit", 200)]
    assert issues(home) == []


async def test_another_certificate_must_be_accepted_too(flow: Flow, start: Start, certificate: bytes) -> None:
    home = flow.home
    entry = await add_with(flow, await start())
    assert await error_key_of(home, 77) is None
    other = b"".join(self_signed())
    url = await start(other)
    home.simulator.requests.clear()
    assert await error_key_of(home, 78) == "command_certificate_error"
    assert issue_keys(home) == ["command_certificate_error"]
    assert (placeholders(home) or {})["name"] == entry.title
    assert not _proxied(home)
    assert home.car.charging.limit == 77
    # A success of the service does not end the problem of the proxy.
    await home.advance(130)
    assert issue_keys(home) == ["command_certificate_error"]
    assert _reachable(home) == "on"
    await start(certificate)
    assert await error_key_of(home, 78) is None
    assert issues(home) == []

    await start(other)
    await reconfigure(flow, url)
    assert flow.step == "certificate"
    assert flow.placeholders["fingerprint"] == fingerprint(other)
    await flow.submit(next_step_id="accept_certificate")
    assert flow.abort_reason == "reconfigure_successful"
    await home.idle()
    assert await error_key_of(home, 79) is None
    assert issues(home) == []
    # The accepted certificate is not asked for again.
    await reconfigure(flow, url)
    assert flow.abort_reason == "reconfigure_successful"
    # Without an address for commands, its certificate is forgotten.
    await flow.start_reconfigure(entry)
    await flow.submit(service="tesla_fleet", **home.access)
    assert flow.abort_reason == "reconfigure_successful"
    assert not {"command_url", "command_certificate"} & entry.data.keys()


async def test_trusted_certificate_replaces_an_accepted_one_unasked(flow: Flow, start: Start) -> None:
    home = flow.home
    entry = await add_with(flow, await start())
    assert "command_certificate" in entry.data
    trusted = self_signed()
    for context in (client_context(), client_context(SSLCipherList.PYTHON_DEFAULT, SSL_ALPN_HTTP11)):
        context.load_verify_locations(cadata=trusted[0].decode())
    url = await start(b"".join(trusted))
    await reconfigure(flow, url)
    assert flow.abort_reason == "reconfigure_successful"
    assert "command_certificate" not in entry.data
    await home.idle()
    assert await error_key_of(home, 77) is None
    assert home.car.charging.limit == 77


@pytest.mark.parametrize("text", ["https://user@host", "ftp://host"])
async def test_address_for_commands_must_be_a_web_address(flow: Flow, text: str) -> None:
    await flow.start("account", "tesla_fleet")
    await flow.submit(**addresses(flow, text))
    assert flow.errors == {"base": "invalid_command_url"}
    assert flow.values["addresses"]["command_url"] == text


@pytest.mark.parametrize("url", ["http://127.0.0.1:{closed}", "https://127.0.0.1:{closed}", "{unencrypted}"])
async def test_command_url_that_does_not_answer(flow: Flow, closed_port: int, url: str) -> None:
    """The dialog says that the proxy can't be reached, before anything is sent to the service."""
    unencrypted = flow.home.simulator.url.replace("http:", "https:")
    await flow.start("account", "tesla_fleet")
    await flow.submit(**addresses(flow, url.format(closed=closed_port, unencrypted=unencrypted)))
    assert flow.errors == {"base": "command_url_unreachable"}
    assert not flow.home.simulator.requests
    await flow.submit(**flow.home.access)
    assert flow.step == "vehicles"


async def test_only_commands_fail_if_the_proxy_stops(flow: Flow, bluetooth: CommandProxy) -> None:
    home = flow.home
    await add_with(flow, bluetooth.url)
    await bluetooth.stop()
    home.simulator.requests.clear()
    assert await error_key_of(home, 77) == "command_url_unreachable"
    assert not home.requests("/command/")
    assert _reachable(home) == "on"
    assert issues(home) == []
    await home.poll()
    assert home.coordinator.last_update_success


async def test_key_that_the_car_does_not_know_is_a_problem_of_signing(home: Home) -> None:
    text = "vehicle rejected request: your public key has not been paired with the vehicle"
    home.simulator.faults.answer(500, body={"response": None, "error": text}, only="/command/")
    assert await error_key_of(home, 77) == "signing_required"
    assert issue_keys(home) == ["proxy_required"]
    assert (placeholders(home) or {})["detail"] == text


@each_service("tesla_fleet")
async def test_car_that_the_proxy_finds_asleep_is_woken_by_the_service(home: Home) -> None:
    home.car.unplug()
    home.car.charging.close_port()
    await home.poll()
    home.car.fall_asleep()
    home.simulator.requests.clear()
    assert await error_key_of(home, 77) is None
    assert home.car.charging.limit == 77
    assert _proxied(home) == [("set_charge_limit", 500), ("set_charge_limit", 200)]
    assert [request.is_proxied for request in home.simulator.requests if "wake_up" in request.path] == [False]


async def test_command_that_the_proxy_lacks_is_not_sent_to_the_service(home: Home) -> None:
    home.simulator.requests.clear()
    (error,) = await home.gather(home.call("cover", "open_cover", ROOF))
    assert getattr(error, "translation_key", None) == "invalid_request"
    assert "invalid_command" in str(error)
    assert [path for path, _ in _proxied(home)] == ["sun_roof_control"]
    assert len(home.requests("/command/")) == 1


@each_service("tessie")
async def test_bluetooth(flow: Flow, remote_host: None, bluetooth: CommandProxy) -> None:
    """The dialog warns before an address without encryption is used. Commands then go there."""
    home = flow.home
    access = addresses(flow, bluetooth.url)
    # Here, the service itself is also without encryption.
    await flow.start("account", home.simulator.service)
    await flow.submit(**access)
    assert flow.step == "insecure"
    assert flow.placeholders == {"host": "127.0.0.1"}
    assert not home.simulator.requests
    await flow.submit(next_step_id="connect")
    await flow.submit()
    assert flow.is_created
    home.car.unplug()
    home.car.charging.close_port()
    home.car.fall_asleep()
    assert await error_key_of(home, 77) is None
    await home.advance(5)
    assert home.car.charging.limit == 77


async def test_unencrypted_command_address_can_be_added_later(flow: Flow, bluetooth: CommandProxy) -> None:
    home = flow.home
    await home.set_up()
    with pytest.MonkeyPatch.context() as patch:
        # Only the proxy is another machine.
        patch.setattr(
            "custom_components.vehicle_remote_access.flows.schemas.is_this_host",
            lambda url: url.port != URL(bluetooth.url).port,
        )
        await reconfigure(flow, bluetooth.url)
        assert flow.step == "insecure"
        assert "command_url" not in home.entry.data
        await flow.submit(next_step_id="change_address")
        assert flow.step == "reconfigure"
        await flow.submit(service="tesla_fleet", **addresses(flow, bluetooth.url))
        await flow.submit(next_step_id="connect")
        assert flow.abort_reason == "reconfigure_successful"
        # It is known now.
        await reconfigure(flow, bluetooth.url)
        assert flow.abort_reason == "reconfigure_successful"
    await home.idle()
    home.simulator.requests.clear()
    await home.call("lock", "unlock", "vehicle_state.locked")
    assert _proxied(home) == [("door_unlock", 200)]


async def test_refusal_by_bluetooth_is_shown_and_needs_no_repair(flow: Flow, bluetooth: CommandProxy) -> None:
    home = flow.home
    await add_with(flow, bluetooth.url)
    home.simulator.requests.clear()
    temperature = home.call("climate", "set_temperature", "climate_state", temperature=20)
    (error,) = await home.gather(temperature)
    assert getattr(error, "translation_key", None) == "refused"
    assert 'The command "set_temps" is not supported.' in str(error)
    assert _proxied(home) == [("set_temps", 503)]
    body = {"response": {"result": False, "reason": "Vehicle is not in range: timeout"}}
    home.simulator.faults.answer(503, body=body, only="/command/")
    (error,) = await home.gather(home.call("button", "press", "honk_horn"))
    assert "Vehicle is not in range" in str(error)
    assert issues(home) == []
    assert _reachable(home) == "on"


async def test_reports_tell_whether_commands_work_but_no_address(flow: Flow, bluetooth: CommandProxy) -> None:
    home = flow.home
    assert await async_setup_component(home.hass, "system_health", {})
    # A car that repeats the address
    home.simulator.faults.corrupt("vehicle_state.car_version", bluetooth.url)
    entry = await add_with(flow, bluetooth.url)
    # Before the first command, it is unknown.
    report = await async_get_config_entry_diagnostics(home.hass, entry)
    assert report["account"]["is_command_url_reachable"] is None
    assert "command_urls" not in await get_system_health_info(home.hass, DOMAIN)
    for is_reachable, health in ((True, "1/1"), (False, "0/1")):
        if not is_reachable:
            await bluetooth.stop()
        assert (await error_key_of(home, 77 + is_reachable) is None) is is_reachable
        info = await get_system_health_info(home.hass, DOMAIN)
        report = await async_get_config_entry_diagnostics(home.hass, entry)
        assert (info["command_urls"], info["services"]) == (health, "1/1")
        assert report["account"]["is_command_url_reachable"] is is_reachable
        assert report["account"]["service"] == "tesla_fleet"
        for secret in (bluetooth.url, str(URL(bluetooth.url).port), TOKEN):
            assert secret not in str(report)
            assert secret not in str(info)


@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_proxy_gets_seats_by_its_own_name_and_some_levels_from_one(home: Home) -> None:
    home.car.cabin.on = True
    await home.poll()
    await home.call("select", "select_option", "climate_state.seat_heater_right", option="low")
    assert home.car.cabin.seats["right"] == 1
    # The proxy passes these numbers on to the car as they are.
    await home.call("select", "select_option", "climate_state.seat_fan_front_left", option="medium")
    assert home.fleet_car.cabin.seat_fans["left"] == 2
    for temperature, limit in ((30, "Low"), (40, "High")):
        path = "climate_state.cabin_overheat_protection"
        await home.call("climate", "set_temperature", path, temperature=temperature)
        assert home.fleet_car.cabin.overheat_limit == limit
