"""The second address for commands: tesla-http-proxy, which signs them, and TeslaBleHttpProxy."""

from collections.abc import AsyncIterator
from pathlib import Path
import ssl
from typing import Any, Final

from aiohttp import ClientSession
import pytest

from custom_components.vehicle_remote_access.simulator import (
    CommandProxy,
    ManualClock,
    Request,
    SimulatedVehicle,
    Simulator,
)

from ..certificates import self_signed
from .conftest import TOKEN, serving

HEADERS: Final = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
NO_TOKEN: Final = {"Content-Type": "application/json"}
MODEL_3, ASLEEP = 2, 3


@pytest.fixture
async def service(clock: ManualClock) -> AsyncIterator[Simulator]:
    service = Simulator(vehicles=5, token=TOKEN, clock=clock, service="tesla_fleet")
    async with serving(service):
        yield service


@pytest.fixture
def car(service: Simulator) -> SimulatedVehicle:
    return service.vehicles[MODEL_3]


@pytest.fixture
async def proxy(service: Simulator) -> AsyncIterator[CommandProxy]:
    proxy = CommandProxy(service)
    await proxy.start()
    yield proxy
    await proxy.stop()


@pytest.fixture
async def bluetooth(service: Simulator) -> AsyncIterator[CommandProxy]:
    proxy = CommandProxy(service, "bluetooth")
    await proxy.start()
    yield proxy
    await proxy.stop()


async def request(
    method: str, url: str, *, headers: dict[str, str] | None = None, **more: Any
) -> tuple[int, Any]:
    async with (
        ClientSession() as session,
        session.request(method, url, headers=headers or HEADERS, **more) as response,
    ):
        return response.status, await response.json()


async def command(proxy: CommandProxy, vehicle: object, name: str, **more: Any) -> tuple[int, Any]:
    return await request("POST", f"{proxy.url}/api/1/vehicles/{vehicle}/command/{name}", **more)


async def test_signed_command(proxy: CommandProxy, service: Simulator, car: SimulatedVehicle) -> None:
    """A car that refuses unsigned commands accepts those of the proxy. The log shows which these are."""
    path = f"/api/1/vehicles/{car.vin}/command/set_charge_limit"
    assert (await request("POST", service.url + path, json={"percent": 70}))[0] == 403
    accepted = {"response": {"result": True, "reason": ""}}
    assert await request("POST", proxy.url + path, json={"percent": 70}) == (200, accepted)
    assert car.charging.limit == 70
    assert list(service.requests) == [
        Request("POST", path, {}, 403),
        Request("POST", path, {}, 200, is_proxied=True),
    ]


async def test_refused_signed_command(proxy: CommandProxy, car: SimulatedVehicle) -> None:
    refused = {"response": {"result": False, "reason": "not_charging"}}
    assert await command(proxy, car.vin, "charge_stop") == (200, refused)


async def test_errors_of_signing_proxy(
    proxy: CommandProxy, service: Simulator, car: SimulatedVehicle
) -> None:
    """The proxy has other errors than the service: for an id, a wrong value, and an unknown command."""
    status, body = await command(proxy, car.id, "honk_horn")
    assert (status, body["error"].partition(" (")[0]) == (404, "expected 17-character VIN in path")
    status, body = await command(proxy, car.vin, "set_charge_limit", json={"percent": "70"})
    assert (status, body["response"]["result"], body["error"]) == (400, False, "")
    # It does not know this command, which the service has.
    status, body = await command(proxy, car.vin, "sun_roof_control", json={"state": "vent"})
    assert (status, body["error"]) == (400, "invalid_command")
    status, body = await command(proxy, car.vin, "honk_horn", headers=NO_TOKEN)
    assert (status, body["error"]) == (401, service.switches.token_error)
    assert car.body.horn == 0


async def test_signed_command_to_sleeping_car(proxy: CommandProxy, service: Simulator) -> None:
    """A command to a sleeping car gets a 500 response from the proxy. wake_up is passed on to the service."""
    sleeper = service.vehicles[ASLEEP]
    status, body = await command(proxy, sleeper.vin, "honk_horn")
    assert (status, body["error"]) == (500, "vehicle unavailable: vehicle is offline or asleep")
    status, body = await request("POST", f"{proxy.url}/api/1/vehicles/{sleeper.vin}/wake_up")
    assert (status, body["response"]["vin"]) == (200, sleeper.vin)


async def test_forwarded_requests(proxy: CommandProxy, service: Simulator, car: SimulatedVehicle) -> None:
    path = f"/api/1/vehicles/{car.id}/vehicle_data"
    status, body = await request("GET", proxy.url + path)
    assert (status, body["response"]["vin"]) == (200, car.vin)
    status, body = await request("GET", f"{proxy.url}/api/1/vehicles")
    assert (status, body["count"]) == (200, len(service.vehicles))


async def test_faults_of_proxy(proxy: CommandProxy, service: Simulator, car: SimulatedVehicle) -> None:
    service.faults.answer(502, only="/command/")
    assert (await command(proxy, car.vin, "honk_horn"))[0] == 502
    assert (await command(proxy, car.vin, "honk_horn"))[0] == 200


async def test_stopped_proxy(proxy: CommandProxy, service: Simulator) -> None:
    """A proxy can be stopped twice. Its port is free afterwards, and the service goes on."""
    port = int(proxy.url.rpartition(":")[2])
    with pytest.raises(OSError, match="address already in use"):
        await CommandProxy(service).start(port)
    await proxy.stop()
    await proxy.stop()
    assert await proxy.start(port) == proxy.url
    assert (await request("GET", f"{service.url}/api/1/vehicles"))[0] == 200


async def test_tls(service: Simulator, car: SimulatedVehicle, tmp_path: Path) -> None:
    path = tmp_path / "proxy.pem"
    path.write_bytes(b"".join(self_signed()))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(path)
    proxy = CommandProxy(service)
    assert (await proxy.start(tls=context)).startswith("https://127.0.0.1:")
    try:
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            await command(proxy, car.vin, "honk_horn")
        trusting = ssl.create_default_context(cafile=path)
        assert (await command(proxy, car.vin, "honk_horn", ssl=trusting))[0] == 200
    finally:
        await proxy.stop()


async def test_bluetooth(bluetooth: CommandProxy, service: Simulator) -> None:
    """A command by Bluetooth needs no token and wakes the car. Its value can be text."""
    sleeper = service.vehicles[ASLEEP]
    status, body = await command(
        bluetooth, sleeper.vin, "set_charge_limit", json={"percent": "70"}, headers=NO_TOKEN
    )
    assert (status, body["response"]["result"], body["response"]["vin"]) == (200, True, sleeper.vin)
    assert (sleeper.state, sleeper.charging.limit) == ("online", 70)


async def test_wake_up_by_bluetooth(bluetooth: CommandProxy, service: Simulator) -> None:
    """wake_up is one of the commands, and does not return a record."""
    sleeper = service.vehicles[ASLEEP]
    status, body = await command(bluetooth, sleeper.vin, "wake_up", headers=NO_TOKEN)
    assert (status, body["response"]["result"], sleeper.state) == (200, True, "online")
    assert "id" not in body["response"]


@pytest.mark.parametrize("more", [{}, {"data": "no JSON"}])
async def test_unknown_result_by_bluetooth(
    more: dict[str, Any], bluetooth: CommandProxy, car: SimulatedVehicle
) -> None:
    """The proxy answers before the car gets the command, so a refusal or a missing value is not an error."""
    status, body = await command(bluetooth, car.vin, "set_charge_limit", headers=NO_TOKEN, **more)
    assert (status, body["response"]["result"], car.charging.limit) == (200, True, 90)
    status, body = await command(bluetooth, "another car", "honk_horn", headers=NO_TOKEN)
    assert (status, body["response"]["result"]) == (200, True)


async def test_unsupported_command_by_bluetooth(bluetooth: CommandProxy, car: SimulatedVehicle) -> None:
    status, body = await command(bluetooth, car.vin, "actuate_trunk", headers=NO_TOKEN)
    assert (status, body["response"]["result"]) == (503, False)
    assert body["response"]["reason"] == 'The command "actuate_trunk" is not supported.'


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/{vin}/wake_up"), ("GET", "/{vin}")])
async def test_missing_endpoints_of_bluetooth(
    method: str, path: str, bluetooth: CommandProxy, car: SimulatedVehicle
) -> None:
    """The Bluetooth proxy has no list, no records, and no wake_up outside the commands."""
    url = f"{bluetooth.url}/api/1/vehicles{path.format(vin=car.vin)}"
    assert (await request(method, url, headers=NO_TOKEN))[0] == 404


async def test_no_limit_by_bluetooth(
    bluetooth: CommandProxy, service: Simulator, car: SimulatedVehicle
) -> None:
    service.switches.rate_limit = 1
    for _ in range(2):
        assert (await command(bluetooth, car.vin, "honk_horn", headers=NO_TOKEN))[0] == 200
    assert (await request("GET", f"{service.url}/api/1/vehicles"))[0] == 200
