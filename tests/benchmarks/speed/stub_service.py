"""A stub service in its own process: an aiohttp server, like the simulator's, with prepared responses.

It answers the requests of the integration and of Home Assistant's `tessie`.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
import multiprocessing
from multiprocessing.connection import Connection
import os
from typing import Any, Final

from aiohttp import web
from aiohttp.hdrs import AUTHORIZATION
import orjson

VEHICLES_PER_ACCOUNT: Final = 50
"""Limited by the 10,000 entities that Home Assistant allows for a config entry."""
_LOOPBACK: Final = "127.0.0.1"
_PAGE: Final = 100
_BACKLOG: Final = 1000
_SECONDS_TO_STOP: Final = 10
_TESSIE_CONFIG: Final = {"driver_assist": "TeslaAP3"}
"""Fields that `tessie` requires and that the integration's records don't have."""
_COMMAND_RESULT: Final = {"response": {"reason": "", "result": True}}
_ERROR: Final = {"response": None, "error": "vehicle unavailable", "error_description": ""}


@dataclass(frozen=True, slots=True)
class StubVehicle:
    """One of many equal cars."""

    index: int
    vin: str

    @property
    def path_id(self) -> int:
        """The id in request paths."""
        return 1_000_000 + self.index

    @property
    def account(self) -> int:
        """The index of the car's account."""
        return self.index // VEHICLES_PER_ACCOUNT

    @property
    def name(self) -> str:
        """The car's name."""
        return f"Car {self.index}"

    def identify(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record with the ids and the name of this car."""
        return {
            **record,
            "id": self.path_id,
            "id_s": str(self.path_id),
            "vehicle_id": self.path_id,
            "vin": self.vin,
            "display_name": self.name,
            "user_id": self.account + 1,
            "vehicle_state": {**record["vehicle_state"], "vehicle_name": self.name},
        }


@dataclass(frozen=True, slots=True)
class StubResponse:
    """The response of the service."""

    record: dict[str, Any]
    """The record of every car, apart from its ids and its name."""
    state: str = "online"
    status: int = HTTPStatus.OK
    """408: the cars don't respond. From 500: the service fails."""


class StubService:
    """The service, as its parent process sees it."""

    def __init__(self, pipe: Connection, vehicles: list[StubVehicle], port: int) -> None:
        """Use a pipe to the process."""
        self._pipe = pipe
        self.vehicles = vehicles
        self.url = f"http://{_LOOPBACK}:{port}"

    def respond(self, response: StubResponse) -> None:
        """Set the response and clear the list of requested paths."""
        self._pipe.send(response)
        self._pipe.recv()

    def requested_paths(self) -> list[str]:
        """Return the paths that were requested since the response was set."""
        self._pipe.send(None)
        paths: list[str] = self._pipe.recv()
        return paths


@contextmanager
def run_stub_service(vehicles: list[StubVehicle], core: int) -> Iterator[StubService]:
    """Run a service on a core."""
    context = multiprocessing.get_context("forkserver")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, vehicles, core))
    process.start()
    there.close()  # The parent then gets an EOFError if the process fails.
    try:
        yield StubService(here, vehicles, here.recv())
    finally:
        here.close()
        process.join(_SECONDS_TO_STOP)


def create_vehicles(count: int, vin: str, first: int = 0) -> list[StubVehicle]:
    """Return cars whose VINs differ from a given one only in the serial number."""
    return [StubVehicle(index, f"{vin[:-6]}{index:06}") for index in range(first, first + count)]


def _serve(pipe: Connection, vehicles: list[StubVehicle], core: int) -> None:
    os.sched_setaffinity(0, {core})
    asyncio.run(_serve_until_closed(pipe, vehicles))


async def _serve_until_closed(pipe: Connection, vehicles: list[StubVehicle]) -> None:
    loop = asyncio.get_running_loop()
    handler = _Handler(vehicles)
    is_closed = asyncio.Event()

    def receive() -> None:
        try:
            response = pipe.recv()
        except EOFError:
            loop.remove_reader(pipe.fileno())
            is_closed.set()
            return
        if response is not None:
            handler.prepare(response)
        pipe.send(handler.requested_paths)

    loop.add_reader(pipe.fileno(), receive)
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler.handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, _LOOPBACK, 0, backlog=_BACKLOG).start()
    pipe.send(runner.addresses[0][1])
    await is_closed.wait()


class _Handler:
    """Handles requests. The bodies of frequent responses are prepared."""

    def __init__(self, vehicles: list[StubVehicle]) -> None:
        self._vehicles = vehicles
        self._bodies: dict[str, bytes] = {}
        self._response = StubResponse({})
        self.requested_paths: list[str] = []

    def prepare(self, response: StubResponse) -> None:
        """Set the response."""
        self._response, self._bodies, self.requested_paths = response, {}, []
        for vehicle in self._vehicles:
            record = vehicle.identify(response.record)
            path = f"/api/1/vehicles/{vehicle.path_id}/vehicle_data"
            self._bodies[path] = orjson.dumps({"response": record})
            self._bodies[f"/{vehicle.vin}/state?use_cache=true"] = orjson.dumps(record)

    async def handle(self, request: web.Request) -> web.Response:
        """Return the response to a request."""
        await request.read()
        self.requested_paths.append(request.path_qs)
        body = self._bodies.get(request.path_qs)
        service_fails = self._response.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if service_fails or (body is not None and self._response.status != HTTPStatus.OK):
            return _as_response(orjson.dumps(_ERROR), self._response.status)
        return _as_response(body or orjson.dumps(self._infrequent_body(request)))

    def _infrequent_body(self, request: web.Request) -> dict[str, Any]:
        match request.path.rpartition("/")[2]:
            case _ if "/command/" in request.path:
                return _COMMAND_RESULT
            case "tesla_scopes":
                return {"scopes": []}
            case "vehicles" if request.path.startswith("/api/"):
                first = (int(request.query.get("page", 1)) - 1) * _PAGE
                page = self._account_vehicles(request)[first : first + _PAGE]
                return {"response": [self._summary(vehicle) for vehicle in page]}
            case "vehicles":
                config = {**self._response.record["vehicle_config"], **_TESSIE_CONFIG}
                record = {**self._response.record, "vehicle_config": config}
                return {
                    "results": [
                        {"vin": vehicle.vin, "last_state": vehicle.identify(record)}
                        for vehicle in self._account_vehicles(request)
                    ]
                }
            case path_id:
                (vehicle,) = (vehicle for vehicle in self._vehicles if str(vehicle.path_id) == path_id)
                return {"response": self._summary(vehicle)}

    def _account_vehicles(self, request: web.Request) -> list[StubVehicle]:
        account = int(request.headers[AUTHORIZATION].rpartition(" ")[2])
        return [vehicle for vehicle in self._vehicles if vehicle.account == account]

    def _summary(self, vehicle: StubVehicle) -> dict[str, Any]:
        """Return a car's record without its nested records."""
        record = {**vehicle.identify(self._response.record), "state": self._response.state}
        return {name: value for name, value in record.items() if not isinstance(value, dict)}


def _as_response(body: bytes, status: int = HTTPStatus.OK) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json")
