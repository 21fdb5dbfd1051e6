"""The second address for commands: tesla-http-proxy, which signs them, and TeslaBleHttpProxy."""

from collections.abc import AsyncIterator
from typing import Any, Final

from aiohttp import ClientSession
import pytest

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from simulator_console.command_proxy import CommandProxy
from simulator_console.services import SimulatedService

from ..simulator.conftest import TOKEN, Client, serving
from ..simulator.fleet_api import FLEET_COMMANDS, prepare

LIMIT: Final = "command/set_charge_limit"
HORN: Final = "command/honk_horn"
SEAT: Final = "command/remote_seat_heater_request"
SIGNS: Final = pytest.mark.parametrize("kind", ["signing"])
USES_BLUETOOTH: Final = pytest.mark.parametrize("kind", ["bluetooth"])
NO_TOKEN: Final = {"Content-Type": "application/json"}


@pytest.fixture
async def service(clock: ManualClock) -> AsyncIterator[SimulatedService]:
    service = SimulatedService("tesla_fleet", vehicles=5, token=TOKEN, clock=clock)
    async with serving(service):
        yield service


@pytest.fixture
def car(service: Simulator) -> SimulatedVehicle:
    """Return the Model 3, which requires signed commands."""
    return service.vehicles[2]


@pytest.fixture
async def proxy(kind: Any, service: Simulator, car: SimulatedVehicle) -> AsyncIterator[Client]:
    """Return a client of a proxy, for the Model 3."""
    proxy = CommandProxy(service, kind)
    await proxy.start()
    async with ClientSession() as session:
        yield Client(session, service, url=proxy.url, vehicle=car.vin)
    await proxy.stop()


@SIGNS
@pytest.mark.parametrize(
    ("vehicle", "path", "more", "status", "error"),
    [
        ("9" * 17, HORN, {"json": {}}, 404, "expected 17-character VIN in path"),
        (None, LIMIT, {"json": {"percent": "70"}}, 400, "parameter percent is missing or invalid"),
        (None, SEAT, {"json": {"heater": 0, "level": 1}}, 400, "missing seat_position param"),
        (None, HORN, {"headers": NO_TOKEN}, 401, "token expired (401)"),
    ],
)
async def test_errors_of_signing_proxy(
    vehicle: str | None, path: str, more: dict[str, Any], status: int, error: str, proxy: Client
) -> None:
    """The proxy has other errors than the service: for an id, a value, a wrong token and a seat's name."""
    if vehicle:
        proxy.vehicle_path = f"/api/1/vehicles/{vehicle}"
    reply = await proxy.send(path, **more)
    assert reply.status == status
    assert (reply.body.get("error") or reply.reason).startswith(error)


@SIGNS
@pytest.mark.parametrize("command", FLEET_COMMANDS)
async def test_commands_that_can_be_signed(command: str, proxy: Client, car: SimulatedVehicle) -> None:
    """The proxy signs most commands of the family. A destination as text can be sent unsigned."""
    prepare(car, command)
    values = {**FLEET_COMMANDS[command]}
    if "heater" in values:
        values["seat_position"] = values.pop("heater")
    reply = await proxy.send(f"command/{command}", json=values)
    unknown = {
        "batch_remove_charge_schedules": "invalid_command",
        "batch_remove_precondition_schedules": "invalid_command",
        "navigation_gps_request": "invalid_command",
        "navigation_waypoints_request": "invalid_command",
        "remote_auto_steering_wheel_heat_climate_request": "invalid_command",
        "remote_boombox": "command not implemented",
        "remote_steering_wheel_heat_level_request": "invalid_command",
    }
    assert reply.body.get("error", "") == unknown.get(command, "")
    assert (reply.status == 400) is (command in unknown)


@SIGNS
async def test_forwarded_requests(proxy: Client, service: Simulator, car: SimulatedVehicle) -> None:
    assert await proxy.value("vin") == car.vin
    assert (await proxy.get("/api/1/vehicles")).body["count"] == len(service.vehicles)


@USES_BLUETOOTH
@pytest.mark.parametrize(
    ("path", "more", "limit"),
    [
        ("command/wake_up", {}, 90),
        (LIMIT, {"json": {"percent": "70"}}, 70),
        ("command/set_charging_amps", {"json": {"charging_amps": "16"}}, 90),
        # The proxy answers before the car gets the command, so a missing value is not an error.
        (LIMIT, {}, 90),
        (LIMIT, {"data": "no JSON"}, 90),
    ],
)
async def test_bluetooth(
    path: str,
    more: dict[str, Any],
    limit: int,
    proxy: Client,
    service: SimulatedService,
    car: SimulatedVehicle,
) -> None:
    """A command by Bluetooth needs no token, has no limit, and wakes the car. Its value can be text."""
    service.switches.rate_limit = 1
    car.unplug()
    car.fall_asleep()
    for _ in range(2):
        reply = await proxy.send(path, headers=NO_TOKEN, **more)
        assert (reply.status, reply.response["result"], reply.response["vin"]) == (200, True, car.vin)
    assert (car.state, car.charging.limit) == ("online", limit)
    async with ClientSession() as session:
        assert (await Client(session, service).get("/api/1/vehicles")).status == 200


@USES_BLUETOOTH
async def test_bluetooth_proxy_has_no_other_endpoints(proxy: Client) -> None:
    for method, path in (("GET", ""), ("POST", "/wake_up")):
        assert (await proxy.request(method, proxy.vehicle_path + path)).status == 404


@USES_BLUETOOTH
async def test_bluetooth_reads_a_car_that_is_awake(proxy: Client, car: SimulatedVehicle) -> None:
    path = f"{proxy.vehicle_path}/vehicle_data"
    car.wake_now()
    answer = (await proxy.get(path, params={"endpoints": "charge_state"}, headers={})).response
    assert answer["response"].keys() == {"charge_state"}
    assert answer["response"]["charge_state"]["battery_level"] == round(car.charging.level)
    car.sleep()
    assert (await proxy.get(path, headers={})).status == 503
