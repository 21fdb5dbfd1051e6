"""The second address for commands: tesla-http-proxy, which signs them, and TeslaBleHttpProxy."""

from collections.abc import AsyncIterator
from typing import Any, Final

from aiohttp import ClientSession
import pytest

from custom_components.vehicle_remote_access.simulator import (
    ManualClock,
    Request,
    SimulatedVehicle,
    Simulator,
)
from simulator_console.command_proxy import CommandProxy

from ..simulator.conftest import TOKEN, serving

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
    refused = {"response": {"result": False, "reason": "already_set"}}
    assert await request("POST", proxy.url + path, json={"percent": 70}) == (200, refused)
    assert list(service.requests)[:2] == [
        Request("POST", path, {}, 403),
        Request("POST", path, {}, 200, is_proxied=True),
    ]


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


async def test_forwarded_requests(proxy: CommandProxy, service: Simulator, car: SimulatedVehicle) -> None:
    path = f"/api/1/vehicles/{car.id}/vehicle_data"
    status, body = await request("GET", proxy.url + path)
    assert (status, body["response"]["vin"]) == (200, car.vin)
    status, body = await request("GET", f"{proxy.url}/api/1/vehicles")
    assert (status, body["count"]) == (200, len(service.vehicles))


async def test_proxy_can_be_restarted_on_its_port(proxy: CommandProxy, service: Simulator) -> None:
    port = int(proxy.url.rpartition(":")[2])
    with pytest.raises(OSError, match="address already in use"):
        await CommandProxy(service).start(port)
    await proxy.stop()
    await proxy.stop()
    assert await proxy.start(port) == proxy.url
    assert (await request("GET", f"{service.url}/api/1/vehicles"))[0] == 200


async def test_bluetooth(bluetooth: CommandProxy, service: Simulator) -> None:
    """A command by Bluetooth needs no token and wakes the car. Its value can be text."""
    sleeper = service.vehicles[ASLEEP]
    status, body = await command(
        bluetooth, sleeper.vin, "set_charge_limit", json={"percent": "70"}, headers=NO_TOKEN
    )
    assert (status, body["response"]["result"], body["response"]["vin"]) == (200, True, sleeper.vin)
    assert (sleeper.state, sleeper.charging.limit) == ("online", 70)


async def test_wake_up_by_bluetooth_returns_no_record(bluetooth: CommandProxy, service: Simulator) -> None:
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


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/{vin}/wake_up"), ("GET", "/{vin}")])
async def test_bluetooth_proxy_has_only_commands(
    method: str, path: str, bluetooth: CommandProxy, car: SimulatedVehicle
) -> None:
    url = f"{bluetooth.url}/api/1/vehicles{path.format(vin=car.vin)}"
    assert (await request(method, url, headers=NO_TOKEN))[0] == 404


async def test_no_limit_by_bluetooth(
    bluetooth: CommandProxy, service: Simulator, car: SimulatedVehicle
) -> None:
    service.switches.rate_limit = 1
    for _ in range(2):
        assert (await command(bluetooth, car.vin, "honk_horn", headers=NO_TOKEN))[0] == 200
    assert (await request("GET", f"{service.url}/api/1/vehicles"))[0] == 200
